"""Snippets in C, for functions that only C has or whose result is a value; and in Fortran, for the functions with results.

Each line is a C (Fortran) statement. `int` functions that stand alone are checked by the generator.
"""

C_SNIPPETS = {
    "MPI_Wtime": "seconds = MPI_Wtime();",
    "MPI_Wtick": "seconds = MPI_Wtick();",
    "MPI_Aint_add": "addr = MPI_Aint_add(addr, 4);",
    "MPI_Aint_diff": "addr = MPI_Aint_diff(addr, addr);",
    "MPIX_Query_cuda_support": "n = MPIX_Query_cuda_support();",
    "MPIX_Query_hip_support": "n = MPIX_Query_hip_support();",
    "MPIX_Query_ze_support": "n = MPIX_Query_ze_support();",
    "MPI_Info_create_env": "MPI_Info_create_env(0, NULL, &info);\n MPI_Info_free(&info);",
    "MPI_Status_c2f": "MPI_Status_c2f(&st, fortran_status);",
    "MPI_Status_f2c": "MPI_Status_c2f(&st, fortran_status);\n MPI_Status_f2c(fortran_status, &st);",
    "MPI_Type_get_envelope_c": "MPI_Type_get_envelope_c(MPI_INT, &elements, &elements, &elements, &elements, &n);",
    "MPI_Type_get_contents_c": """
        MPI_Type_contiguous(2, MPI_INT, &t1);
        MPI_Type_get_contents_c(t1, 1, 0, 0, 1, dims, &addr, &elements, contents);
        MPI_Type_free(&t1);""",
    "MPI_Op_create_c": "MPI_Op_create_c(combine_large, 1, &op);\n MPI_Op_free(&op);",
}

for kind, value in (("Comm", "MPI_COMM_WORLD"), ("Group", "MPI_GROUP_EMPTY"), ("Message", "MPI_MESSAGE_NULL"), ("Op", "MPI_SUM"),
                    ("Request", "MPI_REQUEST_NULL"), ("Type", "MPI_INT"), ("Win", "MPI_WIN_NULL"), ("File", "MPI_FILE_NULL"),
                    ("Info", "MPI_INFO_NULL"), ("Errhandler", "MPI_ERRORS_ARE_FATAL")):
    C_SNIPPETS[f"MPI_{kind}_c2f"] = f"fortran_handle = MPI_{kind}_c2f({value});"
    C_SNIPPETS[f"MPI_{kind}_f2c"] = f"fortran_handle = MPI_{kind}_c2f({value});\n (void)MPI_{kind}_f2c(fortran_handle);"

GREQUEST = "grequest_query, grequest_free, grequest_cancel, grequest_poll, grequest_wait"
C_SNIPPETS["MPIX_Grequest_start"] = f"""
    MPIX_Grequest_start({GREQUEST}, NULL, &req);
    MPI_Grequest_complete(req);
    MPI_Wait(&req, &st);"""
C_SNIPPETS["MPIX_Grequest_class_create"] = C_SNIPPETS["MPIX_Grequest_class_allocate"] = f"""
    MPIX_Grequest_class grequest_class;
    MPIX_Grequest_class_create({GREQUEST}, &grequest_class);
    MPIX_Grequest_class_allocate(grequest_class, NULL, &req);
    MPI_Grequest_complete(req);
    MPI_Wait(&req, &st);"""

# The tool interface: return codes are not checked ((void)), for which variables exist depends on the library.
TOOL = """
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    {use}
    MPI_T_finalize();"""
CVAR = TOOL.format(use="""
    MPI_T_cvar_handle cvar = NULL;
    long long cvar_value[512];
    (void)MPI_T_cvar_handle_alloc(0, NULL, &cvar, &n);
    (void)MPI_T_cvar_read(cvar, cvar_value);
    {use}
    (void)MPI_T_cvar_handle_free(&cvar);""")
PVAR = TOOL.format(use="""
    MPI_T_pvar_session pvars = NULL;
    MPI_T_pvar_handle pvar = NULL;
    long long pvar_value[512];
    (void)MPI_T_pvar_session_create(&pvars);
    (void)MPI_T_pvar_handle_alloc(pvars, 0, &world, &pvar, &n);
    {use}
    (void)MPI_T_pvar_handle_free(pvars, &pvar);
    (void)MPI_T_pvar_session_free(&pvars);""")


def tool(names, text, frame=TOOL):
    for name in names.split():
        C_SNIPPETS[name] = frame.format(use=text.replace("@NAME", name))


tool("MPI_T_init_thread MPI_T_finalize", "")
tool("MPI_T_cvar_get_num MPI_T_pvar_get_num MPI_T_category_get_num MPI_T_source_get_num MPI_T_event_get_num", "(void)@NAME(&n);")
tool("MPI_T_category_changed", "(void)@NAME(&n);")

tool("MPI_T_cvar_get_info", """
    n = m = sizeof text / 2;
    (void)@NAME(0, text, &n, &idx, &t1, &tool_enum, text + n, &m, &keyval, &position);""")
tool("MPI_T_pvar_get_info", """
    n = m = sizeof text / 2;
    (void)@NAME(0, text, &n, &idx, &keyval, &t1, &tool_enum, text + n, &m, &dims[0], &dims[1], &coords[0], &coords[1]);""")
tool("MPI_T_category_get_info", "n = m = sizeof text / 2;\n (void)@NAME(0, text, &n, text + n, &m, &idx, &keyval, &position);")
tool("MPI_T_cvar_get_index MPI_T_category_get_index MPI_T_event_get_index", "(void)@NAME(\"none\", &n);")
tool("MPI_T_pvar_get_index", "(void)@NAME(\"none\", MPI_T_PVAR_CLASS_COUNTER, &n);")
tool("MPI_T_category_get_cvars MPI_T_category_get_pvars MPI_T_category_get_categories MPI_T_category_get_events",
     "(void)@NAME(0, 2, dims);")
tool("MPI_T_category_get_num_events", "(void)@NAME(0, &n);")
tool("MPI_T_cvar_handle_alloc MPI_T_cvar_read MPI_T_cvar_handle_free", "", CVAR)
tool("MPI_T_cvar_write", "(void)@NAME(cvar, cvar_value);", CVAR)
tool("MPI_T_pvar_session_create MPI_T_pvar_session_free", """
    MPI_T_pvar_session pvars = NULL;
    (void)MPI_T_pvar_session_create(&pvars);
    (void)MPI_T_pvar_session_free(&pvars);""")
tool("MPI_T_pvar_handle_alloc MPI_T_pvar_handle_free", "", PVAR)
tool("MPI_T_pvar_start MPI_T_pvar_stop MPI_T_pvar_reset", "(void)@NAME(pvars, pvar);", PVAR)
tool("MPI_T_pvar_read MPI_T_pvar_readreset MPI_T_pvar_write", "(void)@NAME(pvars, pvar, pvar_value);", PVAR)
tool("MPI_T_enum_get_info MPI_T_enum_get_item", """
    (void)MPI_T_cvar_get_index("coll_tuned_allreduce_algorithm", &position);
    n = m = sizeof text / 2;
    (void)MPI_T_cvar_get_info(position, text, &n, &idx, &t1, &tool_enum, text + n, &m, &keyval, &dims[0]);
    m = sizeof text;
    (void)MPI_T_enum_get_info(tool_enum, &n, text, &m);
    m = sizeof text;
    (void)MPI_T_enum_get_item(tool_enum, 0, &n, text, &m);""")
tool("MPI_T_source_get_info", """
    MPI_T_source_order order;
    n = m = sizeof text / 2;
    (void)@NAME(0, text, &n, text + n, &m, &order, &elements, &extent_x, &info);""")
tool("MPI_T_source_get_timestamp", "(void)@NAME(0, &elements);")
tool("MPI_T_event_get_info", """
    n = m = sizeof text / 2;
    idx = 0;
    (void)@NAME(0, text, &n, &keyval, NULL, NULL, &idx, &tool_enum, NULL, text + n, &m, &position);""")

# Functions with a result, interfaces that differ from C, and array sections: the bindings pack a copy of them or make a datatype.
FORTRAN_SNIPPETS = {
    "MPI_Ssend": """
        0: call MPI_Ssend(a(1:7:2), 4, MPI_INTEGER, 1, 7, world, ierror)
        1: call MPI_Recv(b(1:7:2), 4, MPI_INTEGER, 0, 7, world, st, ierror)""",
    "MPI_Wtime": "seconds = MPI_Wtime()",
    "MPI_Wtick": "seconds = MPI_Wtick()",
    "MPI_Aint_add": "addr = MPI_Aint_add(addr, eight_bytes)",
    "MPI_Aint_diff": "addr = MPI_Aint_diff(addr, eight_bytes)",
    "MPI_Pcontrol": "call MPI_Pcontrol(1)",
    "MPI_Info_create_env": "call MPI_Info_create_env(info, ierror)",  # MPICH 4.0's f08 gives a null info
    "MPI_Address": "call MPI_Address(a, old_extent, ierror)",  # fails where the address needs more than 32 bits
    "MPIX_Query_cuda_support": "call MPIX_Query_cuda_support(n)",
    "MPIX_Query_hip_support": "call MPIX_Query_hip_support(n)",
    "MPIX_Query_ze_support": "call MPIX_Query_ze_support(n)",
}
