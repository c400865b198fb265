"""The variables that snippets use: (name, kind, shape, value). Shape None: a scalar; value None: set by the program or by calls.

A kind is translated to a type of C, of mpif.h and module mpi, of module mpi_f08. C passes the address of a scalar wherever the
prototype has a pointer, except for kind `value`.
"""

BUFFER = [7] * 64

VARIABLES = [
    # buffers
    ("a", "int", 64, BUFFER), ("b", "int", 64, BUFFER), ("big", "int", 4096, None), ("window", "int", 64, BUFFER),
    ("memory", "memory", None, None), ("detached", "detached", None, None),
    # handles
    ("world", "comm", None, None), ("c1", "comm", None, None), ("c2", "comm", None, None), ("c3", "comm", None, None),
    ("g1", "group", None, None), ("g2", "group", None, None), ("g3", "group", None, None),
    ("req", "request", None, None), ("reqs", "request", 2, None), ("st", "status", None, None), ("sts", "status", 2, None),
    ("msg", "message", None, None), ("info", "info", None, None), ("info2", "info", None, None), ("op", "op", None, None),
    ("handler", "errhandler", None, None), ("win", "win", None, None), ("fh", "file", None, None),
    ("session", "session", None, None),
    ("t1", "datatype", None, None), ("t2", "datatype", None, None), ("types", "datatype", 2, None),
    ("contents", "datatype", 2, None),
    # results
    ("n", "int", None, 0), ("m", "int", None, 0), ("idx", "int", None, 0), ("keyval", "int", None, 0),
    ("position", "int", None, 0),
    ("flag", "logical", None, None), ("flags", "logical", 2, None), ("indices", "int", 2, None), ("dims", "int", 2, None),
    ("coords", "int", 2, None), ("addr", "address", None, 0), ("extent", "address", None, 0),
    ("far_position", "address", None, 0),
    ("offset", "offset", None, 0), ("elements", "count", None, 0), ("extent_x", "count", None, 0),
    ("old_extent", "old_address", None, 0),
    ("text", "string", 8192, None), ("port", "string", "MPI_MAX_PORT_NAME", None), ("filename", "string", 256, None),
    # arguments
    ("rank", "int", None, 0), ("peer", "int", None, 0), ("peers", "int", 1, None), ("own_rank", "int", 1, None),
    ("counts", "int", 2, [1, 1]), ("displs", "int", 2, [0, 1]), ("byte_displs", "int", 2, [0, 4]),
    ("address_displs", "address", 2, [0, 4]), ("old_displs", "old_address", 2, [0, 4]),
    ("two", "int", 1, [2]), ("four", "int", 1, [4]), ("zero", "int", 1, [0]), ("periods", "logical", 1, None),
    ("remain", "logical", 1, None),
    ("block", "int", 1, None), ("default_block", "int", 1, None), ("graph_index", "int", 2, [1, 2]),
    ("graph_edges", "int", 2, [1, 0]),
    ("first_rank", "range", 1, [0, 0, 1]), ("amode", "int", None, 0),
    ("two_elements", "count", None, 2), ("no_bytes", "address", None, 0), ("eight_bytes", "address", None, 8),
    ("window_bytes", "address", None, 256), ("start", "offset", None, 16),
    ("extra", "value", None, 0), ("attribute", "value", None, 0), ("attribute_found", "address", None, 0),
    ("old_extra", "old_value", None, 0), ("old_attribute", "old_value", None, 0),
    ("old_attribute_found", "old_attribute", None, 0),
]

C_TYPES = {
    "int": "int", "logical": "int", "range": "int", "address": "MPI_Aint", "old_address": "MPI_Aint", "offset": "MPI_Offset",
    "count": "MPI_Count", "string": "char", "value": "void *", "old_value": "void *", "old_attribute": "void *",
    "memory": "int *", "detached": "void *", "comm": "MPI_Comm", "group": "MPI_Group", "request": "MPI_Request",
    "status": "MPI_Status", "message": "MPI_Message", "info": "MPI_Info", "op": "MPI_Op", "errhandler": "MPI_Errhandler",
    "win": "MPI_Win", "file": "MPI_File", "session": "MPI_Session", "datatype": "MPI_Datatype",
}
FORTRAN_TYPES = {
    "int": "integer", "logical": "logical", "range": "integer", "address": "integer(MPI_ADDRESS_KIND)", "old_address": "integer",
    "offset": "integer(MPI_OFFSET_KIND)", "count": "integer(MPI_COUNT_KIND)", "value": "integer(MPI_ADDRESS_KIND)",
    "old_value": "integer", "old_attribute": "integer", "memory": "type(c_ptr)",
}
HANDLES = ("comm", "group", "request", "status", "message", "info", "op", "errhandler", "win", "file", "session", "datatype")


def c_declaration(name, kind, shape, value):
    suffix = "" if shape is None else f"[{shape}]"
    if kind == "range":
        return f"static int {name}[1][3] = {{{{{', '.join(map(str, value))}}}}};"
    if value is None:
        return f"static {C_TYPES[kind]} {name}{suffix};"
    text = "{" + ", ".join(map(str, value)) + "}" if isinstance(value, list) else str(value)
    return f"static {C_TYPES[kind]} {name}{suffix} = {text};"


def fortran_declaration(binding, name, kind, shape, value):
    """Returns: the declaration for binding mpifh, usempi or f08."""
    suffix = "" if shape is None else f"({shape})"
    if kind == "string":
        return f"character(len={shape}) :: {name}"
    if kind == "detached":
        return f"type(c_ptr) :: {name}" if binding == "f08" else f"integer :: {name}(4)"
    if kind == "status" and binding != "f08":
        return f"integer :: {name}(MPI_STATUS_SIZE{'' if shape is None else f', {shape}'})"
    if kind in HANDLES:
        kind_name = f"type(MPI_{kind.capitalize()})" if binding == "f08" else "integer"
        return f"{kind_name}, asynchronous :: {name}{suffix}" if kind == "request" else f"{kind_name} :: {name}{suffix}"
    if kind == "range":
        return f"integer :: {name}(3, 1) = reshape([{', '.join(map(str, value))}], [3, 1])"
    if value is None:
        return f"{FORTRAN_TYPES[kind]} :: {name}{suffix}"
    text = "[" + ", ".join(map(str, value)) + "]" if isinstance(value, list) else str(value)
    return f"{FORTRAN_TYPES[kind]} :: {name}{suffix} = {text}"
