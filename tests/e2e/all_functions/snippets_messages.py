"""Messages, collectives, communicators, topologies: see snippet.py for the notation."""

from snippet import SNIPPETS, snippet

# Point to point, blocking ----------------------------------------------------------------------------------------------------

snippet("MPI_Send MPI_Ssend MPI_Recv", """
    0: MPI_Send(a, 4, MPI_INT, 1, 7, world)
    1: MPI_Recv(b, 4, MPI_INT, 0, 7, world, st)
    1: MPI_Send(a, 4, MPI_INT, 0, 8, world)
    0: MPI_Recv(b, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE)
    MPI_Send(a, 4, MPI_INT, MPI_PROC_NULL, 7, world)""")
SNIPPETS["MPI_Ssend"] = SNIPPETS["MPI_Ssend"].replace("MPI_Send", "MPI_Ssend")
snippet("MPI_Bsend MPI_Buffer_attach MPI_Buffer_detach", """
    MPI_Buffer_attach(big, 4096)
    0: MPI_Bsend(a, 4, MPI_INT, 1, 7, world)
    1: MPI_Recv(b, 4, MPI_INT, 0, 7, world, st)
    MPI_Buffer_detach(detached, n)""")
snippet("MPI_Rsend", """
    1: MPI_Irecv(b, 4, MPI_INT, 0, 7, world, req)
    MPI_Barrier(world)
    0: MPI_Rsend(a, 4, MPI_INT, 1, 7, world)
    1: MPI_Wait(req, st)""")
snippet("MPI_Sendrecv", """
    MPI_Sendrecv(a, 4, MPI_INT, peer, 7, b, 4, MPI_INT, peer, 7, world, st)
    MPI_Sendrecv(a, 4, MPI_INT, MPI_PROC_NULL, 7, b, 4, MPI_INT, MPI_PROC_NULL, 7, world, MPI_STATUS_IGNORE)""")
snippet("MPI_Sendrecv_replace", "MPI_Sendrecv_replace(a, 4, MPI_INT, peer, 7, peer, 7, world, st)")
snippet("MPI_Isendrecv", """
    MPI_Isendrecv(a, 4, MPI_INT, peer, 7, b, 4, MPI_INT, peer, 7, world, req)
    MPI_Wait(req, st)""")
snippet("MPI_Isendrecv_replace", """
    MPI_Isendrecv_replace(a, 4, MPI_INT, peer, 7, peer, 7, world, req)
    MPI_Wait(req, st)""")
snippet("MPI_Probe MPI_Iprobe", """
    0: MPI_Send(a, 4, MPI_INT, 1, 7, world)
    1: MPI_Probe(MPI_ANY_SOURCE, 7, world, st)
    1: MPI_Iprobe(0, 7, world, flag, st)
    1: MPI_Recv(b, 4, MPI_INT, 0, 7, world, st)
    MPI_Iprobe(MPI_ANY_SOURCE, 99, world, flag, MPI_STATUS_IGNORE)""")
snippet("MPI_Mprobe MPI_Mrecv", """
    0: MPI_Send(a, 4, MPI_INT, 1, 7, world)
    1: MPI_Mprobe(0, MPI_ANY_TAG, world, msg, st)
    1: MPI_Mrecv(b, 4, MPI_INT, msg, st)""")
snippet("MPI_Improbe MPI_Imrecv", """
    0: MPI_Send(a, 4, MPI_INT, 1, 7, world)
    1: MPI_Probe(0, 7, world, st)
    1: MPI_Improbe(0, 7, world, flag, msg, st)
    1: MPI_Imrecv(b, 4, MPI_INT, msg, req)
    1: MPI_Wait(req, st)
    MPI_Improbe(0, 99, world, flag, msg, st)""")

# Point to point, non-blocking, persistent, partitioned -----------------------------------------------------------------------

snippet("MPI_Isend MPI_Issend MPI_Irecv", """
    0: MPI_Isend(a, 4, MPI_INT, 1, 7, world, req)
    1: MPI_Irecv(b, 4, MPI_INT, 0, 7, world, req)
    MPI_Wait(req, st)""")
SNIPPETS["MPI_Issend"] = SNIPPETS["MPI_Issend"].replace("MPI_Isend", "MPI_Issend")
snippet("MPI_Irsend", """
    1: MPI_Irecv(b, 4, MPI_INT, 0, 7, world, req)
    MPI_Barrier(world)
    0: MPI_Irsend(a, 4, MPI_INT, 1, 7, world, req)
    MPI_Wait(req, st)""")
snippet("MPI_Ibsend", """
    MPI_Buffer_attach(big, 4096)
    0: MPI_Ibsend(a, 4, MPI_INT, 1, 7, world, req)
    1: MPI_Irecv(b, 4, MPI_INT, 0, 7, world, req)
    MPI_Wait(req, MPI_STATUS_IGNORE)
    MPI_Buffer_detach(detached, n)""")
snippet("MPI_Send_init MPI_Ssend_init MPI_Rsend_init MPI_Bsend_init MPI_Recv_init MPI_Start", """
    MPI_Buffer_attach(big, 4096)
    0: @NAME(a, 4, MPI_INT, 1, 7, world, req)
    1: MPI_Recv_init(b, 4, MPI_INT, 0, 7, world, req)
    1: MPI_Start(req)
    MPI_Barrier(world)
    0: MPI_Start(req)
    MPI_Wait(req, st)
    MPI_Request_free(req)
    MPI_Buffer_detach(detached, n)""")
for name in ("MPI_Recv_init", "MPI_Start"):
    SNIPPETS[name] = SNIPPETS[name].replace(f"0: {name}(a", "0: MPI_Send_init(a")
PARTITIONED = """
    0: MPI_Psend_init(a, 2, two_elements, MPI_INT, 1, 7, world, MPI_INFO_NULL, req)
    1: MPI_Precv_init(b, 2, two_elements, MPI_INT, 0, 7, world, MPI_INFO_NULL, req)
    MPI_Start(req)
    {ready}
    MPI_Wait(req, st)
    MPI_Request_free(req)"""
snippet("MPI_Parrived", PARTITIONED.format(ready="0: MPI_Pready_range(0, 1, req)\n 1: MPI_Parrived(req, 1, flag)"))
snippet("MPI_Psend_init MPI_Precv_init MPI_Pready", PARTITIONED.format(ready="""
    0: MPI_Pready(1, req)
    0: MPI_Pready(0, req)"""))
snippet("MPI_Pready_range", PARTITIONED.format(ready="0: MPI_Pready_range(0, 1, req)"))
snippet("MPI_Pready_list", PARTITIONED.format(ready="0: MPI_Pready_list(2, displs, req)"))
snippet("MPI_Startall", """
    MPI_Recv_init(b, 4, MPI_INT, peer, 7, world, reqs@1)
    MPI_Send_init(a, 4, MPI_INT, peer, 7, world, reqs@2)
    MPI_Startall(2, reqs)
    MPI_Waitall(2, reqs, sts)
    MPI_Request_free(reqs@1)
    MPI_Request_free(reqs@2)""")

# Completion: messages to oneself ---------------------------------------------------------------------------------------------

PAIR = """
    MPI_Irecv(b, 4, MPI_INT, peer, 7, world, reqs@1)
    MPI_Isend(a, 4, MPI_INT, peer, 7, world, reqs@2)
    {complete}"""
ONE = """
    MPI_Irecv(b, 4, MPI_INT, peer, 7, world, req)
    MPI_Send(a, 4, MPI_INT, peer, 7, world)
    {complete}
    MPI_Wait(req, st)"""
snippet("MPI_Wait MPI_Test", ONE.format(complete="MPI_Test(req, flag, st)"))
snippet("MPI_Request_get_status", ONE.format(complete="MPI_Request_get_status(req, flag, st)"))
snippet("MPI_Waitall", PAIR.format(complete="MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE)"))
snippet("MPI_Waitany", PAIR.format(complete="MPI_Waitany(2, reqs, idx, st)\n MPI_Waitany(2, reqs, idx, MPI_STATUS_IGNORE)"))
snippet("MPI_Waitsome", PAIR.format(complete="MPI_Waitsome(2, reqs, n, indices, sts)\n MPI_Waitall(2, reqs, sts)"))
snippet("MPI_Testall", PAIR.format(complete="MPI_Testall(2, reqs, flag, sts)\n MPI_Waitall(2, reqs, sts)"))
snippet("MPI_Testany", PAIR.format(complete="MPI_Testany(2, reqs, idx, flag, st)\n MPI_Waitall(2, reqs, sts)"))
snippet("MPI_Testsome", PAIR.format(complete="MPI_Testsome(2, reqs, n, indices, sts)\n MPI_Waitall(2, reqs, sts)"))
snippet("MPI_Request_free", PAIR.format(complete="MPI_Request_free(reqs@2)\n MPI_Wait(reqs@1, st)\n MPI_Barrier(world)"))
snippet("MPI_Cancel MPI_Test_cancelled", """
    MPI_Irecv(b, 4, MPI_INT, peer, 99, world, req)
    MPI_Cancel(req)
    MPI_Wait(req, st)
    MPI_Test_cancelled(st, flag)""")
snippet("MPI_Get_count MPI_Get_elements", """
    MPI_Sendrecv(a, 4, MPI_INT, peer, 7, b, 4, MPI_INT, peer, 7, world, st)
    @NAME(st, MPI_INT, n)""")
snippet("MPI_Get_elements_x", """
    MPI_Sendrecv(a, 4, MPI_INT, peer, 7, b, 4, MPI_INT, peer, 7, world, st)
    MPI_Get_elements_x(st, MPI_INT, elements)""")
snippet("MPI_Status_set_cancelled", "MPI_Status_set_cancelled(st, false)")
snippet("MPI_Status_set_elements", "MPI_Status_set_elements(st, MPI_INT, 3)")
snippet("MPI_Status_set_elements_x", "MPI_Status_set_elements_x(st, MPI_INT, two_elements)")
snippet("MPI_Grequest_start MPI_Grequest_complete", """
    MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, extra, req)
    MPI_Grequest_complete(req)
    MPI_Wait(req, st)""")

# Collectives: blocking, non-blocking, persistent -----------------------------------------------------------------------------
# Several lines per collective: arguments that the standard says are ignored are invalid on purpose.

COLLECTIVES = {
    "Barrier": ["world"],
    "Bcast": ["a, 4, MPI_INT, 0, world"],
    "Reduce": ["a, b, 4, MPI_INT, MPI_SUM, 0, world"],
    "Allreduce": ["a, b, 4, MPI_INT, MPI_SUM, world", "MPI_IN_PLACE, b, 4, MPI_INT, MPI_MAX, world"],
    "Scan": ["a, b, 4, MPI_INT, MPI_SUM, world"],
    "Exscan": ["a, b, 4, MPI_INT, MPI_SUM, world"],
    "Reduce_scatter": ["a, b, counts, MPI_INT, MPI_SUM, world"],
    "Reduce_scatter_block": ["a, b, 2, MPI_INT, MPI_SUM, world"],
    "Gather": ["0: MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, 0, world",
               "1: a, 2, MPI_INT, b, -1, MPI_DATATYPE_NULL, 0, world"],
    "Gatherv": ["0: MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, 0, world",
                "1: a, 1, MPI_INT, b, counts, displs, MPI_DATATYPE_NULL, 0, world"],
    "Scatter": ["0: a, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, world",
                "1: a, -1, MPI_DATATYPE_NULL, b, 2, MPI_INT, 0, world"],
    "Scatterv": ["0: a, counts, displs, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, world",
                 "1: a, counts, displs, MPI_DATATYPE_NULL, b, 1, MPI_INT, 0, world"],
    "Allgather": ["a, 2, MPI_INT, b, 2, MPI_INT, world", "MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, world"],
    "Allgatherv": ["a, 1, MPI_INT, b, counts, displs, MPI_INT, world",
                   "MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, world"],
    "Alltoall": ["a, 2, MPI_INT, b, 2, MPI_INT, world"],
    "Alltoallv": ["a, counts, displs, MPI_INT, b, counts, displs, MPI_INT, world"],
    "Alltoallw": ["a, counts, byte_displs, types, b, counts, byte_displs, types, world"],
    "Neighbor_allgather": ["a, 2, MPI_INT, b, 2, MPI_INT, c1"],
    "Neighbor_allgatherv": ["a, 1, MPI_INT, b, counts, displs, MPI_INT, c1"],
    "Neighbor_alltoall": ["a, 2, MPI_INT, b, 2, MPI_INT, c1"],
    "Neighbor_alltoallv": ["a, counts, displs, MPI_INT, b, counts, displs, MPI_INT, c1"],
    "Neighbor_alltoallw": ["a, counts, address_displs, types, b, counts, address_displs, types, c1"],
}


def collective(name, lines, more, after):
    """Calls `name` with each line of arguments plus `more`; `after` follows each call."""
    calls = []
    for line in lines:
        guard, arguments = (line[:3], line[3:]) if line[1] == ":" else ("", line)
        calls += [f"{guard}{name}({arguments}{more})"] + [guard + call for call in after]
    text = "\n".join(calls)
    if "Neighbor" in name or "neighbor" in name:
        neighbours = "1, peers, MPI_UNWEIGHTED"
        text = (f"MPI_Dist_graph_create_adjacent(world, {neighbours}, {neighbours}, MPI_INFO_NULL, false, c1)\n"
                f"{text}\nMPI_Comm_free(c1)")
    snippet(name, text)


for short, lines in COLLECTIVES.items():
    collective(f"MPI_{short}", lines, "", [])
    collective(f"MPI_I{short[0].lower()}{short[1:]}", lines, ", req", ["MPI_Wait(req, st)"])
    for prefix in ("MPI", "MPIX"):
        collective(f"{prefix}_{short}_init", lines, ", MPI_INFO_NULL, req",
                   ["MPI_Start(req)", "MPI_Wait(req, st)", "MPI_Request_free(req)"])
snippet("MPIX_Comm_agree", "MPIX_Comm_agree(world, n)")

# Communicators ---------------------------------------------------------------------------------------------------------------

snippet("MPI_Comm_dup MPI_Comm_free", "MPI_Comm_dup(world, c1)\n MPI_Comm_free(c1)")
snippet("MPI_Comm_dup_with_info", "MPI_Comm_dup_with_info(world, MPI_INFO_NULL, c1)\n MPI_Comm_free(c1)")
snippet("MPI_Comm_disconnect", "MPI_Comm_dup(world, c1)\n MPI_Comm_disconnect(c1)")
snippet("MPI_Comm_idup", "MPI_Comm_idup(world, c1, req)\n MPI_Wait(req, MPI_STATUS_IGNORE)\n MPI_Comm_free(c1)")
snippet("MPI_Comm_idup_with_info", """
    MPI_Comm_idup_with_info(world, MPI_INFO_NULL, c1, req)
    MPI_Wait(req, MPI_STATUS_IGNORE)
    MPI_Comm_free(c1)""")
snippet("MPI_Comm_create", """
    MPI_Comm_group(world, g1)
    MPI_Comm_create(world, g1, c1)
    MPI_Comm_free(c1)
    MPI_Group_free(g1)""")
snippet("MPI_Comm_create_group", """
    MPI_Comm_group(world, g1)
    MPI_Comm_create_group(world, g1, 5, c1)
    MPI_Comm_free(c1)
    MPI_Group_free(g1)""")
snippet("MPI_Comm_split", """
    MPI_Comm_split(world, 0, peer, c1)
    MPI_Bcast(a, 4, MPI_INT, 0, c1)
    MPI_Comm_free(c1)
    0: MPI_Comm_split(world, 0, 0, c1)
    0: MPI_Comm_free(c1)
    1: MPI_Comm_split(world, MPI_UNDEFINED, 0, c1)""")
snippet("MPI_Comm_split_type", """
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, c1)
    MPI_Comm_free(c1)""")
INTERCOMM = """
    MPI_Comm_split(world, rank, 0, c2)
    MPI_Intercomm_create(c2, 0, world, peer, 8, c1)
    {use}
    MPI_Comm_free(c1)
    MPI_Comm_free(c2)"""
snippet("MPI_Intercomm_create", INTERCOMM.format(use="""
    0: MPI_Bcast(a, 4, MPI_INT, MPI_ROOT, c1)
    1: MPI_Bcast(b, 4, MPI_INT, 0, c1)
    MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, c1)
    0: MPI_Send(a, 4, MPI_INT, 0, 7, c1)
    1: MPI_Recv(b, 4, MPI_INT, 0, 7, c1, st)"""))
snippet("MPI_Intercomm_merge", INTERCOMM.format(use="MPI_Intercomm_merge(c1, false, c3)\n MPI_Barrier(c3)\n MPI_Comm_free(c3)"))
snippet("MPI_Comm_remote_size", INTERCOMM.format(use="MPI_Comm_remote_size(c1, n)"))
snippet("MPI_Comm_remote_group", INTERCOMM.format(use="MPI_Comm_remote_group(c1, g1)\n MPI_Group_free(g1)"))
snippet("MPI_Comm_rank MPI_Comm_size", "@NAME(world, n)")
snippet("MPI_Comm_test_inter", "MPI_Comm_test_inter(world, flag)")
snippet("MPI_Comm_compare", "MPI_Comm_compare(world, MPI_COMM_SELF, n)")
snippet("MPI_Comm_get_parent", "MPI_Comm_get_parent(c1)")
snippet("MPI_Comm_group", "MPI_Comm_group(world, g1)\n MPI_Group_free(g1)")
snippet("MPI_Comm_set_name", "MPI_Comm_set_name(world, 'everyone')")
snippet("MPI_Comm_get_name", "MPI_Comm_get_name(world, text, n)")
snippet("MPI_Comm_set_info", "MPI_Info_create(info)\n MPI_Comm_set_info(world, info)\n MPI_Info_free(info)")
snippet("MPI_Comm_get_info", "MPI_Comm_get_info(world, info)\n MPI_Info_free(info)")
snippet("MPIX_Comm_shrink", "MPIX_Comm_shrink(world, c1)\n MPI_Comm_free(c1)")
snippet("MPIX_Comm_failure_ack", "MPIX_Comm_failure_ack(world)")
snippet("MPIX_Comm_failure_get_acked", """
    MPIX_Comm_failure_ack(world)
    MPIX_Comm_failure_get_acked(world, g1)
    MPI_Group_free(g1)""")
snippet("MPIX_Comm_revoke", "MPI_Comm_dup(world, c1)\n MPIX_Comm_revoke(c1)\n MPI_Comm_free(c1)")

# Topologies ------------------------------------------------------------------------------------------------------------------

CART = "MPI_Cart_create(world, 1, two, periods, false, c1)\n {use}\n MPI_Comm_free(c1)"
snippet("MPI_Dims_create", "MPI_Dims_create(2, 1, two)")
snippet("MPI_Cart_create", CART.format(use="MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, c1)"))
snippet("MPI_Cart_sub", CART.format(use="MPI_Cart_sub(c1, remain, c2)\n MPI_Comm_free(c2)"))
snippet("MPI_Cartdim_get", CART.format(use="MPI_Cartdim_get(c1, n)"))
snippet("MPI_Cart_get", CART.format(use="MPI_Cart_get(c1, 1, dims, flags, coords)"))
snippet("MPI_Cart_coords MPI_Cart_rank", CART.format(use="MPI_Cart_coords(c1, rank, 1, coords)\n MPI_Cart_rank(c1, coords, n)"))
snippet("MPI_Cart_shift", CART.format(use="MPI_Cart_shift(c1, 0, 1, n, m)"))
snippet("MPI_Cart_map", "MPI_Cart_map(world, 1, two, periods, n)")
snippet("MPI_Topo_test", "MPI_Topo_test(world, n)")
GRAPH = "MPI_Graph_create(world, 2, graph_index, graph_edges, false, c1)\n {use}\n MPI_Comm_free(c1)"
snippet("MPI_Graph_create", GRAPH.format(use="MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, c1)"))
snippet("MPI_Graphdims_get", GRAPH.format(use="MPI_Graphdims_get(c1, n, m)"))
snippet("MPI_Graph_get", GRAPH.format(use="MPI_Graph_get(c1, 2, 2, dims, coords)"))
snippet("MPI_Graph_neighbors_count", GRAPH.format(use="MPI_Graph_neighbors_count(c1, rank, n)"))
snippet("MPI_Graph_neighbors", GRAPH.format(use="MPI_Graph_neighbors(c1, rank, 1, dims)"))
snippet("MPI_Graph_map", "MPI_Graph_map(world, 2, graph_index, graph_edges, n)")
snippet("MPI_Dist_graph_create", """
    MPI_Dist_graph_create(world, 1, own_rank, counts, peers, MPI_UNWEIGHTED, MPI_INFO_NULL, false, c1)
    MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, c1)
    MPI_Comm_free(c1)""")
snippet("MPI_Dist_graph_create_adjacent MPI_Dist_graph_neighbors_count MPI_Dist_graph_neighbors", """
    MPI_Dist_graph_create_adjacent(world, 1, peers, counts, 1, peers, counts, MPI_INFO_NULL, false, c1)
    MPI_Dist_graph_neighbors_count(c1, n, m, flag)
    MPI_Dist_graph_neighbors(c1, 1, dims, dims, 1, coords, coords)
    MPI_Comm_free(c1)""")

# Groups ----------------------------------------------------------------------------------------------------------------------

GROUP = "MPI_Comm_group(world, g1)\n {use}\n MPI_Group_free(g1)"
MADE = "\n MPI_Group_free(g2)"
snippet("MPI_Group_free", GROUP.format(use=""))
snippet("MPI_Group_rank MPI_Group_size", GROUP.format(use="@NAME(g1, n)"))
snippet("MPI_Group_compare", GROUP.format(use="MPI_Group_compare(g1, MPI_GROUP_EMPTY, n)"))
snippet("MPI_Group_translate_ranks", GROUP.format(use="MPI_Group_translate_ranks(g1, 1, own_rank, g1, dims)"))
snippet("MPI_Group_incl MPI_Group_excl", GROUP.format(use="@NAME(g1, 1, own_rank, g2)" + MADE))
snippet("MPI_Group_range_incl MPI_Group_range_excl", GROUP.format(use="@NAME(g1, 1, first_rank, g2)" + MADE))
snippet("MPI_Group_union MPI_Group_intersection MPI_Group_difference", GROUP.format(use="""
    MPI_Group_incl(g1, 1, own_rank, g3)
    @NAME(g1, g3, g2)
    MPI_Group_free(g3)""" + MADE))
