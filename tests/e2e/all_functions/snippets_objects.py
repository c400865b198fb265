"""Environment, sessions, attributes, datatypes, info, windows, files: see snippet.py for the notation."""

from snippet import SNIPPETS, snippet

# Starting, ending, environment -----------------------------------------------------------------------------------------------

snippet("MPI_Pcontrol", "MPI_Pcontrol(1)")
snippet("MPI_Initialized MPI_Finalized MPI_Is_thread_main", "@NAME(flag)")
snippet("MPI_Query_thread", "MPI_Query_thread(n)")
snippet("MPI_Get_version", "MPI_Get_version(n, m)")
snippet("MPI_Get_library_version MPI_Get_processor_name", "@NAME(text, n)")
snippet("MPI_Get_address MPI_Address", "@NAME(a, addr)")
snippet("MPI_Error_class", "MPI_Error_class(MPI_ERR_OTHER, n)")
snippet("MPI_Error_string", "MPI_Error_string(MPI_ERR_OTHER, text, n)")
snippet("MPI_Add_error_class", "MPI_Add_error_class(n)")
snippet("MPI_Add_error_code", """
    MPI_Add_error_class(n)
    MPI_Add_error_code(n, m)""")
snippet("MPI_Add_error_string", """
    MPI_Add_error_class(n)
    MPI_Add_error_string(n, 'an error of the test')""")
snippet("MPIX_Delete_error_class", """
    MPI_Add_error_class(n)
    MPIX_Delete_error_class(n)""")
snippet("MPIX_Delete_error_code", """
    MPI_Add_error_class(n)
    MPI_Add_error_code(n, m)
    MPIX_Delete_error_code(m)
    MPIX_Delete_error_class(n)""")
snippet("MPIX_Delete_error_string", """
    MPI_Add_error_class(n)
    MPI_Add_error_string(n, 'an error of the test')
    MPIX_Delete_error_string(n)
    MPIX_Delete_error_class(n)""")
snippet("MPI_Errhandler_free MPI_Comm_get_errhandler MPI_Errhandler_get", """
    MPI_Comm_get_errhandler(world, handler)
    MPI_Errhandler_free(handler)""")
SNIPPETS["MPI_Errhandler_get"] = SNIPPETS["MPI_Errhandler_get"].replace("MPI_Comm_get_errhandler", "MPI_Errhandler_get")
snippet("MPI_Comm_create_errhandler MPI_Errhandler_create", """
    @NAME(comm_failed, handler)
    MPI_Errhandler_free(handler)""")
snippet("MPI_Comm_set_errhandler MPI_Errhandler_set", "@NAME(world, MPI_ERRORS_ARE_FATAL)")
snippet("MPI_Comm_call_errhandler", """
    MPI_Comm_dup(world, c1)
    MPI_Comm_create_errhandler(comm_failed, handler)
    MPI_Comm_set_errhandler(c1, handler)
    MPI_Comm_call_errhandler(c1, MPI_ERR_OTHER)
    MPI_Comm_free(c1)
    MPI_Errhandler_free(handler)""")
snippet("MPIX_GPU_query_support", "MPIX_GPU_query_support(0, flag)")

# Sessions --------------------------------------------------------------------------------------------------------------------

SESSION = """
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
    {use}
    MPI_Session_finalize(session)"""
snippet("MPI_Session_init MPI_Session_finalize", SESSION.format(use=""))
snippet("MPI_Session_get_info", SESSION.format(use="MPI_Session_get_info(session, info)\n MPI_Info_free(info)"))
snippet("MPI_Session_get_num_psets", SESSION.format(use="MPI_Session_get_num_psets(session, MPI_INFO_NULL, n)"))
snippet("MPI_Session_get_nth_pset", SESSION.format(use="n = 1000\n MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, n, text)"))
snippet("MPI_Session_get_pset_info", SESSION.format(use="""
    MPI_Session_get_pset_info(session, 'mpi://WORLD', info)
    MPI_Info_free(info)"""))
snippet("MPI_Session_create_errhandler MPI_Session_set_errhandler MPI_Session_get_errhandler MPI_Session_call_errhandler",
        SESSION.format(use="""
    MPI_Session_create_errhandler(session_failed, handler)
    MPI_Session_set_errhandler(session, handler)
    MPI_Session_call_errhandler(session, MPI_ERR_OTHER)
    MPI_Errhandler_free(handler)
    MPI_Session_get_errhandler(session, handler)
    MPI_Errhandler_free(handler)"""))
snippet("MPI_Group_from_session_pset MPI_Comm_create_from_group", SESSION.format(use="""
    MPI_Group_from_session_pset(session, 'mpi://WORLD', g1)
    MPI_Comm_create_from_group(g1, 'test', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, c1)
    MPI_Barrier(c1)
    MPI_Comm_free(c1)
    MPI_Group_free(g1)"""))
snippet("MPI_Intercomm_create_from_groups", SESSION.format(use="""
    MPI_Group_from_session_pset(session, 'mpi://WORLD', g1)
    MPI_Group_incl(g1, 1, own_rank, g2)
    MPI_Group_incl(g1, 1, peers, g3)
    MPI_Intercomm_create_from_groups(g2, 0, g3, 0, 'test', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, c1)
    MPI_Barrier(c1)
    MPI_Comm_free(c1)
    MPI_Group_free(g1)
    MPI_Group_free(g2)
    MPI_Group_free(g3)"""))

# Attributes ------------------------------------------------------------------------------------------------------------------

for kind, handle in (("Comm", "world"), ("Type", "MPI_INT"), ("Win", "win")):
    upper = kind.upper()
    text = f"""
    MPI_{kind}_create_keyval(MPI_{upper}_NULL_COPY_FN, MPI_{upper}_NULL_DELETE_FN, keyval, extra)
    MPI_{kind}_set_attr({handle}, keyval, attribute)
    MPI_{kind}_get_attr({handle}, keyval, attribute_found, flag)
    MPI_{kind}_delete_attr({handle}, keyval)
    MPI_{kind}_free_keyval(keyval)"""
    if kind == "Win":
        text = f"MPI_Win_create(window, window_bytes, 4, MPI_INFO_NULL, world, win)\n{text}\nMPI_Win_free(win)"
    verbs = ("create_keyval", "set_attr", "get_attr", "delete_attr", "free_keyval")
    snippet(" ".join(f"MPI_{kind}_{verb}" for verb in verbs), text)
snippet("MPI_Keyval_create MPI_Keyval_free MPI_Attr_put MPI_Attr_get MPI_Attr_delete", """
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, keyval, old_extra)
    MPI_Attr_put(world, keyval, old_attribute)
    MPI_Attr_get(world, keyval, old_attribute_found, flag)
    MPI_Attr_delete(world, keyval)
    MPI_Keyval_free(keyval)""")

# Datatypes, packing, operations ----------------------------------------------------------------------------------------------

FREE = "\n MPI_Type_free(t1)"
snippet("MPI_Type_contiguous MPI_Type_commit MPI_Type_free", "MPI_Type_contiguous(2, MPI_INT, t1)\n MPI_Type_commit(t1)" + FREE)
snippet("MPI_Type_vector", """
    MPI_Type_vector(2, 1, 2, MPI_INT, t1)
    MPI_Type_commit(t1)
    MPI_Sendrecv(a, 2, t1, peer, 7, b, 4, MPI_INT, peer, 7, world, st)""" + FREE)
snippet("MPI_Type_dup", "MPI_Type_dup(MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_hvector", "MPI_Type_create_hvector(2, 1, eight_bytes, MPI_INT, t1)" + FREE)
snippet("MPI_Type_hvector", "MPI_Type_hvector(2, 1, 8, MPI_INT, t1)" + FREE)
snippet("MPI_Type_indexed", "MPI_Type_indexed(2, counts, displs, MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_hindexed", "MPI_Type_create_hindexed(2, counts, address_displs, MPI_INT, t1)" + FREE)
snippet("MPI_Type_hindexed", "MPI_Type_hindexed(2, counts, old_displs, MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_hindexed_block", "MPI_Type_create_hindexed_block(2, 1, address_displs, MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_indexed_block", "MPI_Type_create_indexed_block(2, 1, displs, MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_struct", "MPI_Type_create_struct(2, counts, address_displs, types, t1)" + FREE)
snippet("MPI_Type_struct", "MPI_Type_struct(2, counts, old_displs, types, t1)" + FREE)
snippet("MPI_Type_create_subarray", "MPI_Type_create_subarray(1, four, two, zero, MPI_ORDER_C, MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_darray",
        "MPI_Type_create_darray(2, rank, 1, four, block, default_block, two, MPI_ORDER_C, MPI_INT, t1)" + FREE)
snippet("MPI_Type_create_resized", "MPI_Type_create_resized(MPI_INT, no_bytes, eight_bytes, t1)" + FREE)
snippet("MPI_Type_create_f90_integer", "MPI_Type_create_f90_integer(6, t1)")
snippet("MPI_Type_create_f90_real MPI_Type_create_f90_complex", "@NAME(6, 30, t1)")
snippet("MPI_Type_match_size", "MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, t1)")
snippet("MPI_Type_size MPI_Type_extent MPI_Type_lb MPI_Type_ub", "@NAME(MPI_INT, n)")
for name in ("MPI_Type_extent", "MPI_Type_lb", "MPI_Type_ub"):
    SNIPPETS[name] = f"{name}(MPI_INT, old_extent)"
snippet("MPI_Type_size_x", "MPI_Type_size_x(MPI_INT, elements)")
snippet("MPI_Type_get_extent MPI_Type_get_true_extent", "@NAME(MPI_INT, addr, extent)")
snippet("MPI_Type_get_extent_x MPI_Type_get_true_extent_x", "@NAME(MPI_INT, elements, extent_x)")
snippet("MPI_Type_set_name", "MPI_Type_dup(MPI_INT, t1)\n MPI_Type_set_name(t1, 'number')" + FREE)
snippet("MPI_Type_get_name", "MPI_Type_get_name(MPI_INT, text, n)")
snippet("MPI_Type_get_envelope", "MPI_Type_get_envelope(MPI_INT, n, m, idx, keyval)")
snippet("MPI_Type_get_contents", """
    MPI_Type_contiguous(2, MPI_INT, t1)
    MPI_Type_get_contents(t1, 1, 0, 1, dims, address_displs, contents)""" + FREE)
snippet("MPI_Pack MPI_Unpack MPI_Pack_size", """
    MPI_Pack_size(4, MPI_INT, world, n)
    position = 0
    MPI_Pack(a, 4, MPI_INT, big, 256, position, world)
    position = 0
    MPI_Unpack(big, 256, position, b, 4, MPI_INT, world)""")
snippet("MPI_Pack_external MPI_Unpack_external MPI_Pack_external_size", """
    MPI_Pack_external_size('external32', 4, MPI_INT, addr)
    far_position = 0
    MPI_Pack_external('external32', a, 4, MPI_INT, big, window_bytes, far_position)
    far_position = 0
    MPI_Unpack_external('external32', big, window_bytes, far_position, b, 4, MPI_INT)""")
snippet("MPI_Op_create MPI_Op_free MPI_Op_commutative", """
    MPI_Op_create(combine, true, op)
    MPI_Op_commutative(op, flag)
    MPI_Allreduce(a, b, 4, MPI_INT, op, world)
    MPI_Op_free(op)""")
snippet("MPI_Reduce_local", "MPI_Reduce_local(a, b, 4, MPI_INT, MPI_SUM)")

# Info objects, memory, names -------------------------------------------------------------------------------------------------

INFO = "MPI_Info_create(info)\n MPI_Info_set(info, 'key', 'value')\n {use}\n MPI_Info_free(info)"
snippet("MPI_Info_create MPI_Info_set MPI_Info_free", INFO.format(use=""))
snippet("MPI_Info_delete", INFO.format(use="MPI_Info_delete(info, 'key')"))
snippet("MPI_Info_dup", INFO.format(use="MPI_Info_dup(info, info2)\n MPI_Info_free(info2)"))
snippet("MPI_Info_get", INFO.format(use="MPI_Info_get(info, 'key', 10, text, flag)"))
snippet("MPI_Info_get_string", INFO.format(use="n = 10\n MPI_Info_get_string(info, 'key', n, text, flag)"))
snippet("MPI_Info_get_nkeys", INFO.format(use="MPI_Info_get_nkeys(info, n)"))
snippet("MPI_Info_get_nthkey", INFO.format(use="MPI_Info_get_nthkey(info, 0, text)"))
snippet("MPI_Info_get_valuelen", INFO.format(use="MPI_Info_get_valuelen(info, 'key', n, flag)"))
snippet("MPI_Alloc_mem MPI_Free_mem", "MPI_Alloc_mem(window_bytes, MPI_INFO_NULL, memory)\n MPI_Free_mem(allocated)")
snippet("MPI_Open_port MPI_Close_port", "MPI_Open_port(MPI_INFO_NULL, port)\n MPI_Close_port(port)")
snippet("MPI_Publish_name MPI_Lookup_name MPI_Unpublish_name", """
    0: MPI_Publish_name('farcast-test', MPI_INFO_NULL, 'somewhere')
    0: MPI_Lookup_name('farcast-test', MPI_INFO_NULL, port)
    0: MPI_Unpublish_name('farcast-test', MPI_INFO_NULL, 'somewhere')""")
snippet("MPI_Comm_accept MPI_Comm_connect", """
    0: MPI_Open_port(MPI_INFO_NULL, port)
    0: MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 7, world)
    1: MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 7, world, st)
    0: MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, c1)
    1: MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, c1)
    MPI_Comm_disconnect(c1)
    0: MPI_Close_port(port)""")

# One-sided -------------------------------------------------------------------------------------------------------------------

WINDOW = "MPI_Win_create(window, window_bytes, 4, MPI_INFO_NULL, world, win)\n {use}\n MPI_Win_free(win)"
FENCED = WINDOW.format(use="MPI_Win_fence(0, win)\n {use}\n MPI_Win_fence(0, win)")
LOCKED = WINDOW.format(use="MPI_Win_lock_all(0, win)\n {use}\n MPI_Win_unlock_all(win)")
snippet("MPI_Win_create MPI_Win_free", WINDOW.format(use=""))
snippet("MPI_Win_fence", FENCED.format(use=""))
snippet("MPI_Put MPI_Get", FENCED.format(use="@NAME(a, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, win)"))
snippet("MPI_Accumulate", FENCED.format(use="MPI_Accumulate(a, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, MPI_SUM, win)"))
snippet("MPI_Get_accumulate", FENCED.format(use="""
    MPI_Get_accumulate(a, 4, MPI_INT, b, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, MPI_SUM, win)
    MPI_Get_accumulate(a, 0, MPI_INT, b, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, MPI_NO_OP, win)"""))
snippet("MPI_Fetch_and_op", FENCED.format(use="MPI_Fetch_and_op(a, b, MPI_INT, peer, no_bytes, MPI_SUM, win)"))
snippet("MPI_Compare_and_swap", FENCED.format(use="MPI_Compare_and_swap(a, big, b, MPI_INT, peer, no_bytes, win)"))
snippet("MPI_Rput MPI_Rget", LOCKED.format(use="@NAME(a, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, win, req)\n MPI_Wait(req, st)"))
snippet("MPI_Raccumulate", LOCKED.format(use="""
    MPI_Raccumulate(a, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, MPI_SUM, win, req)
    MPI_Wait(req, st)"""))
snippet("MPI_Rget_accumulate", LOCKED.format(use="""
    MPI_Rget_accumulate(a, 4, MPI_INT, b, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, MPI_SUM, win, req)
    MPI_Wait(req, st)"""))
snippet("MPI_Win_lock_all MPI_Win_unlock_all", LOCKED.format(use=""))
snippet("MPI_Win_flush MPI_Win_flush_local", LOCKED.format(use="@NAME(peer, win)"))
snippet("MPI_Win_flush_all MPI_Win_flush_local_all MPI_Win_sync", LOCKED.format(use="@NAME(win)"))
snippet("MPI_Win_lock MPI_Win_unlock", WINDOW.format(use="""
    MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win)
    MPI_Put(a, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, win)
    MPI_Win_unlock(peer, win)"""))
POST = WINDOW.format(use="""
    MPI_Win_get_group(win, g1)
    MPI_Group_incl(g1, 1, peers, g2)
    {use}
    MPI_Group_free(g1)
    MPI_Group_free(g2)""")
snippet("MPI_Win_post MPI_Win_start MPI_Win_complete MPI_Win_wait MPI_Win_get_group", POST.format(use="""
    MPI_Win_post(g2, 0, win)
    MPI_Win_start(g2, 0, win)
    MPI_Put(a, 4, MPI_INT, peer, no_bytes, 4, MPI_INT, win)
    MPI_Win_complete(win)
    MPI_Win_wait(win)"""))
snippet("MPI_Win_test", WINDOW.format(use="MPI_Win_post(MPI_GROUP_EMPTY, 0, win)\n MPI_Win_test(win, flag)"))
snippet("MPI_Win_set_name", WINDOW.format(use="MPI_Win_set_name(win, 'window')"))
snippet("MPI_Win_get_name", WINDOW.format(use="MPI_Win_get_name(win, text, n)"))
snippet("MPI_Win_set_info", WINDOW.format(use="MPI_Win_set_info(win, MPI_INFO_NULL)"))
SNIPPETS["MPI_Win_set_info"] = WINDOW.format(use="MPI_Info_create(info)\n MPI_Win_set_info(win, info)\n MPI_Info_free(info)")
snippet("MPI_Win_get_info", WINDOW.format(use="MPI_Win_get_info(win, info)\n MPI_Info_free(info)"))
snippet("MPI_Win_create_errhandler MPI_Win_set_errhandler MPI_Win_get_errhandler MPI_Win_call_errhandler", WINDOW.format(use="""
    MPI_Win_create_errhandler(win_failed, handler)
    MPI_Win_set_errhandler(win, handler)
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER)
    MPI_Errhandler_free(handler)
    MPI_Win_get_errhandler(win, handler)
    MPI_Errhandler_free(handler)"""))
snippet("MPI_Win_allocate", "MPI_Win_allocate(window_bytes, 4, MPI_INFO_NULL, world, memory, win)\n MPI_Win_free(win)")
snippet("MPI_Win_allocate_shared MPI_Win_shared_query", """
    MPI_Win_allocate_shared(window_bytes, 4, MPI_INFO_NULL, world, memory, win)
    MPI_Win_shared_query(win, peer, addr, n, memory)
    MPI_Win_free(win)""")
snippet("MPI_Win_create_dynamic MPI_Win_attach MPI_Win_detach", """
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, win)
    MPI_Win_attach(win, window, window_bytes)
    MPI_Win_detach(win, window)
    MPI_Win_free(win)""")

# Files -----------------------------------------------------------------------------------------------------------------------

# The barrier: in Open MPI 4.1 a rank may reopen a file while another still removes the shared file pointer of the last time.
FILE = "MPI_File_open(world, filename, amode, MPI_INFO_NULL, fh)\n {use}\n MPI_File_close(fh)\n MPI_Barrier(world)"
snippet("MPI_File_open MPI_File_close", FILE.format(use=""))
# Open MPI 4.1 hangs in a non-blocking read behind the end of the file: there must be something to read.
FILLED = FILE.format(use="MPI_File_write_at(fh, start, big, 256, MPI_INT, st)\n {use}")
for verb, frame in (("read", FILLED), ("write", FILE)):
    for mode in ("", "_all", "_shared", "_ordered"):
        snippet(f"MPI_File_{verb}{mode}", frame.format(use="@NAME(fh, a, 4, MPI_INT, st)"))
    for mode in ("", "_all", "_shared"):
        snippet(f"MPI_File_i{verb}{mode}", frame.format(use="@NAME(fh, a, 4, MPI_INT, req)\n MPI_Wait(req, st)"))
    for mode in ("_at", "_at_all"):
        snippet(f"MPI_File_{verb}{mode}", frame.format(use="@NAME(fh, start, a, 4, MPI_INT, MPI_STATUS_IGNORE)"))
        snippet(f"MPI_File_i{verb}{mode}", frame.format(use="@NAME(fh, start, a, 4, MPI_INT, req)\n MPI_Wait(req, st)"))
    for mode in ("_all", "_ordered"):
        snippet(f"MPI_File_{verb}{mode}_begin MPI_File_{verb}{mode}_end", frame.format(use=f"""
    MPI_File_{verb}{mode}_begin(fh, a, 4, MPI_INT)
    MPI_File_{verb}{mode}_end(fh, a, st)"""))
    snippet(f"MPI_File_{verb}_at_all_begin MPI_File_{verb}_at_all_end", frame.format(use=f"""
    MPI_File_{verb}_at_all_begin(fh, start, a, 4, MPI_INT)
    MPI_File_{verb}_at_all_end(fh, a, st)"""))
snippet("MPI_File_sync", FILE.format(use="MPI_File_sync(fh)"))
snippet("MPI_File_set_size", FILE.format(use="MPI_File_set_size(fh, start)"))
# By one rank: with two, the next MPI_File_open hangs once in about fifty runs of Open MPI 4.1.
snippet("MPI_File_preallocate", """
    0: MPI_File_open(MPI_COMM_SELF, filename, amode, MPI_INFO_NULL, fh)
    0: MPI_File_preallocate(fh, start)
    0: MPI_File_close(fh)
    MPI_Barrier(world)""")
snippet("MPI_File_set_view", FILE.format(use="MPI_File_set_view(fh, start, MPI_INT, MPI_INT, 'native', MPI_INFO_NULL)"))
snippet("MPI_File_get_view", FILE.format(use="MPI_File_get_view(fh, offset, t1, t2, text)"))
snippet("MPI_File_set_info", FILE.format(use="MPI_Info_create(info)\n MPI_File_set_info(fh, info)\n MPI_Info_free(info)"))
snippet("MPI_File_get_info", FILE.format(use="MPI_File_get_info(fh, info)\n MPI_Info_free(info)"))
snippet("MPI_File_set_atomicity", FILE.format(use="MPI_File_set_atomicity(fh, false)"))
snippet("MPI_File_get_atomicity", FILE.format(use="MPI_File_get_atomicity(fh, flag)"))
snippet("MPI_File_seek MPI_File_seek_shared", FILE.format(use="@NAME(fh, start, MPI_SEEK_SET)"))
snippet("MPI_File_get_position MPI_File_get_position_shared MPI_File_get_size", FILE.format(use="@NAME(fh, offset)"))
snippet("MPI_File_get_byte_offset", FILE.format(use="MPI_File_get_byte_offset(fh, start, offset)"))
snippet("MPI_File_get_type_extent", FILE.format(use="MPI_File_get_type_extent(fh, MPI_INT, extent)"))
snippet("MPI_File_get_amode", FILE.format(use="MPI_File_get_amode(fh, n)"))
snippet("MPI_File_get_group", FILE.format(use="MPI_File_get_group(fh, g1)\n MPI_Group_free(g1)"))
snippet("MPI_File_create_errhandler MPI_File_set_errhandler MPI_File_get_errhandler MPI_File_call_errhandler", FILE.format(use="""
    MPI_File_create_errhandler(file_failed, handler)
    MPI_File_set_errhandler(fh, handler)
    MPI_File_call_errhandler(fh, MPI_ERR_OTHER)
    MPI_Errhandler_free(handler)
    MPI_File_get_errhandler(fh, handler)
    MPI_Errhandler_free(handler)"""))
snippet("MPI_File_delete", FILE.format(use="") + """
    0: MPI_File_delete(filename, MPI_INFO_NULL)
    MPI_Barrier(world)""")
