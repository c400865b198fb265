#!/usr/bin/env python3
"""Turns mpi_functions.txt into C++: the wrappers of one MPI library, or the function table for the predictor.

    generate_wrappers.py wrappers TABLE LIBRARY OUTPUT HEADER...    wrappers of what LIBRARY exports
    generate_wrappers.py table TABLE OUTPUT                         names and classes, in the order of the function numbers

A function's number is its position among the table's wrapped names; large-count forms (_c) follow in the same order.
The prototypes come from the installed headers, the meaning of the arguments from the table.
"""
import pathlib
import re
import sys

import check_table

# What the wrapper does at entry and after the real call, by class. {role} is the argument with that role. `extra` statements declare
# locals; `replace` hands a local to the real call instead of the user's argument.
MESSAGE = "call.message({count}, {type}, {dest}, {tag}, {comm});"
RECEIVE = "call.receive({count}, {type}, {source}, {tag}, {comm});"
STARTED = "if (code == MPI_SUCCESS) call.started({request}); call.end(code);"
STATUS = "const bool came = code == MPI_SUCCESS || is_truncation(code); if (came) call.status(*kept.get()); call.end(came ? MPI_SUCCESS : code);"
PLAIN = "call.end(code);"
OTHER_JOBS = ("comm_spawn", "comm_connect")  # make communicators with their processes
COLLECTIVE = "call.end(code == MPI_SUCCESS || took_part(code) ? MPI_SUCCESS : code);"
ONE_STATUS = ("StatusSlot kept({status});", {"status": "kept.get()"})
STATUSES = "StatusArray kept({statuses}, {n});", {"statuses": "kept.get()"}
MATCHED = "call.status(*kept.get()); call.matched(key_of(*{message}));"

RULES = {
    # class: (entry, exit, (declarations, replacements))
    "send": (MESSAGE, PLAIN, None),
    "isend": (MESSAGE, STARTED, None),
    "send_init": (MESSAGE, STARTED, None),
    "recv": (RECEIVE, STATUS, ONE_STATUS),
    "irecv": (RECEIVE, STARTED, None),
    "recv_init": (RECEIVE, STARTED, None),
    "psend_init": ("call.message({count} * {partitions}, {type}, {dest}, {tag}, {comm});", STARTED, None),
    "precv_init": ("call.receive({count} * {partitions}, {type}, {source}, {tag}, {comm});", STARTED, None),
    "pready": ("call.request(&{request_in});", PLAIN, None),
    "parrived": ("call.request(&{request_in});", PLAIN, None),
    "mrecv": ("call.slot().bytes = key_of(*{message_inout});", STATUS, ONE_STATUS),
    "imrecv": ("call.slot().bytes = key_of(*{message_inout});", STARTED, None),
    "probe": ("call.communicator({comm}); call.slot().peer = peer_code({source}); call.slot().tag = tag_code({tag});", STATUS, ONE_STATUS),
    "mprobe": ("call.communicator({comm}); call.slot().peer = peer_code({source}); call.slot().tag = tag_code({tag});",
               "if (code == MPI_SUCCESS) { " + MATCHED + " } call.end(code);", ONE_STATUS),
    "iprobe": ("if (!call.folding()) call.communicator({comm});",
               "const bool found = call.settle_poll(code, code == MPI_SUCCESS && *{flag} != 0); if (found) call.status(*kept.get()); "
               "call.end_poll(code, found, 1);", ONE_STATUS),
    "improbe": ("if (!call.folding()) call.communicator({comm});",
                "const bool found = call.settle_poll(code, code == MPI_SUCCESS && *{flag} != 0); if (found) { " + MATCHED + " } "
                "call.end_poll(code, found, 1);", ONE_STATUS),
    "start": ("call.request({request_inout});", "if (code == MPI_SUCCESS) call.started({request_inout}); call.end(code);", None),
    "startall": ("call.requests({nreq}, {requests});",
                 "if (code == MPI_SUCCESS && request_set_key({nreq}, {requests}) != asked) call.restarted({nreq}, {requests}); call.end(code);",
                 ("const std::uint64_t asked = request_set_key({nreq}, {requests});", {})),
    "cancel": ("call.request({request_inout}); call.wants_statuses();", PLAIN, None),
    "request_free": ("call.request({request_inout});", PLAIN, None),
    "wait": ("call.request({request_inout});", STATUS, ONE_STATUS),
    "test": ("", "const bool found = call.settle_poll(code, code == MPI_SUCCESS && *{flag} != 0); if (found) call.status(*kept.get()); "
             "call.end_poll(code, found, 1);", ONE_STATUS),
    "request_get_status": ("", "call.end_poll(code, call.settle_poll(code, code == MPI_SUCCESS && *{flag} != 0), 1);", None),
    "waitall": ("call.requests({n}, {requests});",
                "if (code == MPI_SUCCESS && kept.readable()) call.statuses(kept.get(), {n}, nullptr); call.end(code);", STATUSES),
    "testall": ("if (!call.folding()) call.requests({n}, {requests});",
                "const bool found = call.settle_poll(code, code == MPI_SUCCESS && *{flag} != 0); "
                "if (found && kept.readable()) call.statuses(kept.get(), {n}, nullptr); call.end_poll(code, found, 1);", STATUSES),
    "waitany": ("call.requests({n}, {requests});",
                "const std::uint16_t outcome = index_outcome(call, code, {index}); "
                "if (code == MPI_SUCCESS && *{index} != MPI_UNDEFINED) call.status(*kept.get()); call.end_with(outcome);", ONE_STATUS),
    "testany": ("if (!call.folding()) call.requests({n}, {requests});",
                "const bool found = call.settle_poll(code, code == MPI_SUCCESS && *{flag} != 0); "
                "const std::uint16_t outcome = found ? index_outcome(call, code, {index}) : std::uint16_t(0); "
                "if (found && *{index} != MPI_UNDEFINED) call.status(*kept.get()); call.end_poll(code, found, outcome);", ONE_STATUS),
    "waitsome": ("call.requests({n}, {requests});",
                 "some_outcome(call, code, {outcount}, {indices}, kept); call.end(code);", STATUSES),
    "testsome": ("if (!call.folding()) call.requests({n}, {requests});",
                 "const bool found = call.settle_poll(code, code == MPI_SUCCESS && *{outcount} != 0); "
                 "some_outcome(call, code, {outcount}, {indices}, kept); call.end_poll(code, found, 1);", STATUSES),
    "comm_ctor": ("call.communicator({comm});", "if (code == MPI_SUCCESS) call.new_communicator(*{newcomm}); call.end(code);", None),
    "comm_group_ctor": ("{maybe_comm} call.slot().tag = {maybe_tag};{maybe_group}",
                        "if (code == MPI_SUCCESS) call.new_communicator(*{newcomm}); call.end(code);", None),
    "intercomm_ctor": ("{maybe_leaders}",
                       "if (code == MPI_SUCCESS) call.new_communicator(*{newcomm}); call.end(code);", None),
    "comm_ictor": ("call.communicator({comm});", "if (code == MPI_SUCCESS) call.new_copy({comm}, *{newcomm}); " + STARTED, None),
    **dict.fromkeys(OTHER_JOBS, ("{maybe_comm}", "if (code == MPI_SUCCESS{maybe_new}) call.new_communicator(*{newcomm}); call.end(code);", None)),
    "comm_free": ("call.communicator(*{comm_inout});", PLAIN, None),
    "comm_disconnect": ("call.communicator(*{comm_inout}); forget_comm(*{comm_inout});", PLAIN, None),
    "type_free": ("", "forget_types(); call.end(code);", None),
    "grequest_start": ("", STARTED, None),
    "grequest_complete": ("call.request(&{request_in});", PLAIN, None),
    "win_ctor": ("call.communicator({comm});", "if (code == MPI_SUCCESS) call.object(*{newwin}); call.end(code);", None),
    "win_free": ("call.object(*{win_inout}); forget_windows();", PLAIN, None),
    "win_sync_coll": ("call.object({win});", PLAIN, None),
    "rma": ("call.object({win}); call.target({target}); {rma_payload}", PLAIN, None),
    "rma_request": ("call.object_beside_request({win}); call.target({target}); {rma_payload}", STARTED, None),
    "io": ("call.object({file}); call.payload({count}, {type});", "call.end(code);", None),
    "io_coll": ("call.object({file}); call.payload({count}, {type});", "call.end(code);", None),
    "io_begin": ("call.object({file}); call.payload({count}, {type});", PLAIN, None),
    "io_end": ("call.object({file});", PLAIN, None),
    "io_request": ("call.object_beside_request({file}); call.payload({count}, {type});", STARTED, None),
    "io_sync": ("call.object({file});", PLAIN, None),
    "pcontrol": ("call.slot().tag = {first};", PLAIN, None),
}
# Coupled mode (coupled_calls.h): what the wrapper calls instead; `real` is a lambda that takes source, tag and status.
COUPLED = {
    "send": "coupled_send({entry}, {plain}, {synchronous}, {buf}, {count}, {type}, {dest}, {tag}, {comm})",
    "isend": "coupled_isend({entry}, {plain}, {synchronous}, {buf}, {count}, {type}, {dest}, {tag}, {comm}, {request})",
    "irecv": "coupled_irecv({entry}, {plain}, {buf}, {count}, {type}, {source}, {tag}, {comm}, {request})",
    "send_init": "coupled_send_init({entry}, {plain}, {buf}, {count}, {type}, {dest}, {tag}, {comm}, {request})",
    "recv_init": "coupled_recv_init({entry}, {plain}, {buf}, {count}, {type}, {source}, {tag}, {comm}, {request})",
    "start": "coupled_start({entry}, {plain}, {request_inout})",
    "startall": "coupled_startall({entry}, {plain}, {nreq}, {requests})",
    "request_free": "coupled_request_free({entry}, {plain}, {request_inout})",
    "recv": "coupled_recv({entry}, {plain}, {buf}, {count}, {type}, {source}, {tag}, {comm}, {status})",
    "sendrecv": "coupled_sendrecv({entry}, {plain}, {out_half}, {in_half}, {comm}, {status})",
    "isendrecv": "coupled_isendrecv({entry}, {plain}, {out_half}, {in_half}, {comm}, {request})",
    "probe": "coupled_probe({entry}, {plain}, {real}, {source}, {tag}, {comm}, {status}, nullptr)",
    "mprobe": "coupled_probe({entry}, {plain}, {real}, {source}, {tag}, {comm}, {status}, {message})",
    "iprobe": "coupled_iprobe({entry}, {plain}, {real}, {source}, {tag}, {comm}, {flag}, {status}, nullptr)",
    "improbe": "coupled_iprobe({entry}, {plain}, {real}, {source}, {tag}, {comm}, {flag}, {status}, {message})",
    "wait": "coupled_wait({entry}, {plain}, {request_inout}, {status})",
    "waitall": "coupled_waitall({entry}, {plain}, {n}, {requests}, {statuses})",
    "waitany": "coupled_any({entry}, {plain}, false, {n}, {requests}, {index}, nullptr, {status})",
    "testany": "coupled_any({entry}, {plain}, true, {n}, {requests}, {index}, {flag}, {status})",
    "waitsome": "coupled_some({entry}, {plain}, false, {n}, {requests}, {outcount}, {indices}, {statuses})",
    "testsome": "coupled_some({entry}, {plain}, true, {n}, {requests}, {outcount}, {indices}, {statuses})",
    "test": "coupled_test({entry}, {plain}, {request_inout}, {flag}, {status})",
    "testall": "coupled_testall({entry}, {plain}, {n}, {requests}, {flag}, {statuses})",
    "cancel": "coupled_cancel({entry}, {plain}, {request_inout})",
    "request_get_status": "coupled_get_status({entry}, {plain}, {request_in}, {flag}, {status})",
}
# Calls, by class or name, that are made as they stand once all have entered them in virtual time: who waited in the library for a rank
# that waits for an outcome would keep the predictor, and so that rank, waiting.
ENTERED_LATE = {"coll", "comm_ctor", "comm_group_ctor", "intercomm_ctor", "comm_disconnect", "win_ctor", "win_free", "win_sync_coll",
                "file_coll_ctor", "io_coll", "io_begin", "io_sync", "mrecv", "MPI_Win_start", "MPI_Win_wait", "MPI_Win_lock",
                "MPI_Win_lock_all", *OTHER_JOBS}
# Collectives that a member may leave before all have entered them (coupled_collectives.h), by name without MPI_, I, _init and _c: the kind, what
# the caller gives and what it takes: the roles of buffer, count, type, counts, offsets and types.
GIVES, TAKES = ("sbuf", "scount", "stype"), ("rbuf", "rcount", "rtype")
GIVES_PARTS, TAKES_PARTS = ("sbuf", None, "stype", "scounts", "sdispls"), ("rbuf", None, "rtype", "rcounts", "rdispls")
GIVES_TYPES, TAKES_TYPES = ("sbuf", None, None, "scounts", "sdispls", "stypes"), ("rbuf", None, None, "rcounts", "rdispls", "rtypes")
TAKES_LISTED = ("rbuf", None, "rtype", "rcounts", "displs")
REDUCED = ("sbuf", "count", "type"), ("rbuf", "count", "type")
APART = {"Bcast": ("bcast", None, ("buf", "count", "type")), "Reduce": ("reduce", *REDUCED),
         "Gather": ("gather", GIVES, TAKES), "Gatherv": ("gather", GIVES, TAKES_LISTED),
         "Scatter": ("scatter", GIVES, TAKES), "Scatterv": ("scatter", ("sbuf", None, "stype", "scounts", "displs"), TAKES),
         "Scan": ("scan", *REDUCED), "Exscan": ("exscan", *REDUCED), "Allreduce": ("join", *REDUCED), "Barrier": ("meet", None, None)}
for prefix, kind in (("", "exchange"), ("Neighbor_", "neighbours")):
    gather, all_to_all = (prefix + name if prefix else name.capitalize() for name in ("allgather", "alltoall"))
    APART |= {gather: (kind, GIVES, TAKES), gather + "v": (kind, GIVES, TAKES_LISTED), all_to_all: (kind, GIVES, TAKES),
              all_to_all + "v": (kind, GIVES_PARTS, TAKES_PARTS), all_to_all + "w": (kind, GIVES_TYPES, TAKES_TYPES)}
# The same that are started (coupled_started.cpp): what makes the request in place of the library.
MADE_APART = {"icoll": "start_apart", "coll_init": "make_apart"}
# Calls whose object the program may need no more, and a coupled run does: what is called with it, and with the library's own.
FREED_LATE = {"MPI_Comm_free": "free_comm", "MPI_Op_free": "free_op"}
# Calls after which polls find what they found before (QuietPolls).
CHANGE_NOTHING = {"local", "pcontrol", "session", "type_ctor", "type_free"}
POLLS = {"iprobe", "improbe", "test", "testall", "testany", "testsome", "request_get_status"}
# MPI-IO: the MPI library may start threads inside.
FILES = {"file_coll_ctor", "io", "io_coll", "io_begin", "io_end", "io_request", "io_sync"}
# Calls in which each rank also works by itself, for long: what the rank that waits least was pushed aside for is told.
WORK_TOO = {"win_ctor", "win_free"}
# Coupled: what they take counts from when they are let into the library.
TIMED_INSIDE = {*FILES, *WORK_TOO, *OTHER_JOBS, "MPI_Win_lock", "MPI_Win_lock_all"}
# Calls that return without another rank's help: with --isolate their rank goes on holding its token.
NEVER_WAIT = {"isend", "irecv", "isendrecv", "imrecv", "mrecv", "send_init", "recv_init", "psend_init", "precv_init", "coll_init", "icoll",
              "comm_ictor", "comm_free", "start", "startall", "pready", "parrived", "request_free", "cancel", "type_ctor", "type_free", "rma",
              "rma_request", "io", "io_request", "local", "grequest_start", "grequest_complete", "pcontrol", "session"}
# Calls whose real call may need the progress of ranks that are in none (--coupled).
ON_WINDOWS = {"rma", "rma_request", "win_sync", "win_sync_coll"}
# Calls that cannot block and whose record has no lists: repeated with the same arguments they are folded into rows. The arguments that
# tell one call from another, as words; what is started is the class's business.
ROWS = {"isend": ["key_of({comm})", "key_of({type})", "std::uint64_t({count})", "row_word({dest}, {tag})"],
        "irecv": ["key_of({comm})", "key_of({type})", "std::uint64_t({count})", "row_word({source}, {tag})"],
        "local": []}
# For libfarcast-clocks.so: a look at a clock is one at MPI_Wtime.
FOR_CLOCKS = """FARCAST_FOR_CLOCKS bool farcast_look(void* return_address, void* frame, double* seconds) {
  return look_at_wtime(seconds, [&] { return wrap_MPI_Wtime(real_PMPI_Wtime.get(), return_address, frame); });
}
FARCAST_FOR_CLOCKS double farcast_machine_wtime() { return machine_wtime(); }
FARCAST_FOR_CLOCKS bool farcast_is_virtual() { return coupled() || alone; }
FARCAST_FOR_CLOCKS double farcast_behind() { return told_behind.load(std::memory_order_relaxed); }
"""
SHAPES = [  # of the name without I and _init
    (r"Neighbor_", "neighbor"), (r"Barrier", "barrier"), (r"Bcast", "bcast"), (r"Reduce_scatter$", "reduce_scatter"),
    (r"Reduce_scatter_block|Allreduce|Scan|Exscan", "same"), (r"Reduce", "reduce"), (r"Gather", "gather"), (r"Scatter", "scatter"),
    (r"Allgather|Alltoall", "exchange")]
PROTOTYPE = r"(\w+)\s+({})\s*\("


# Fortran bindings that do not call the C function but the library's inner parts: their own symbols are wrapped, by library.
# All arguments are references (no character arguments among them), so one prototype serves all.
#   Open MPI: mpi_x_ is what mpif.h and `use mpi` call, pmpi_x_ and ompi_x_f what mpi_f08 calls.
#   MPICH: one C function for several names; the caller tells which.
OPENMPI_FORTRAN = """MPI_Comm_get_attr MPI_Comm_set_attr MPI_Comm_create_keyval MPI_Type_get_attr MPI_Type_set_attr MPI_Type_create_keyval
    MPI_Win_get_attr MPI_Win_set_attr MPI_Win_create_keyval MPI_Comm_create_errhandler MPI_Win_create_errhandler
    MPI_File_create_errhandler MPI_Type_match_size MPI_Attr_get MPI_Attr_put MPI_Keyval_create MPI_Errhandler_create""".split()
MPICH_FORTRAN = {"MPII_Comm_get_attr": ["MPI_Comm_get_attr", "MPI_Attr_get"], "MPII_Comm_set_attr": ["MPI_Comm_set_attr", "MPI_Attr_put"],
                 "MPII_Type_get_attr": ["MPI_Type_get_attr"], "MPII_Type_set_attr": ["MPI_Type_set_attr"],
                 "MPII_Win_get_attr": ["MPI_Win_get_attr"], "MPII_Win_set_attr": ["MPI_Win_set_attr"]}


def fortran_wrappers(numbers, library):
    """Text of the wrappers of Fortran bindings that no C wrapper sees."""
    if "mpich" in pathlib.Path(library).name:
        symbols = {symbol: names for symbol, names in MPICH_FORTRAN.items()}
    else:
        symbols = {form.format(name.lower()): [name] for name in OPENMPI_FORTRAN for form in ("{}_", "p{}_", "o{}_f")}
    out = []
    for symbol, names in symbols.items():
        table = ", ".join(f'{{{numbers[name]}, "{name}"}}' for name in names)
        out.append(f"""static Real<FortranFunction> real_{symbol}{{"{symbol}"}};
extern "C" FARCAST_EXPORT long {symbol}(void* a, void* b, void* c, void* d, void* e, void* f) {{
  static constexpr NamedFunction names[] = {{{table}}};
  return call_fortran(names, {len(names)}, real_{symbol}.get(), __builtin_return_address(0), __builtin_frame_address(0), a, b, c, d, e, f);
}}
""")
    return out


HANDLES = "MPI_(?:Comm|Datatype|Op|Group|Win|Request|Errhandler|Info|Message|Session)"


class Function:
    """One wrapper to be: the table's line, the installed prototype, the function's number."""

    def __init__(self, name, number, kind, roles, result, parameters, whole):
        self.name, self.number, self.kind, self.roles, self.result, self.parameters = name, number, kind, roles, result, parameters
        self.whole = whole
        self.names = [re.sub(r"\[.*", "", p).replace("...", "").split("*")[-1].split()[-1].strip("() ") for p in parameters]
        self.arguments = dict((role, self.names[i]) for i, role in enumerate(roles) if role != "-" and i < len(self.names))
        self.arguments["n"] = self.arguments.get("nreq", self.arguments.get("incount", "0"))
        self.arguments["first"] = self.names[0] if self.names else "0"

    def has(self, role):
        return role in self.arguments

    def handles(self):
        """name -> type of the handles passed by value, where they travel as whole registers."""
        found = {name: re.fullmatch(rf"(?:const\s+)?({HANDLES})\s+{name}", text.strip()) for text, name in zip(self.parameters, self.names)}
        return {name: match.group(1) for name, match in found.items() if match} if self.whole else {}

    def travelling(self):
        """The parameter list as the symbol has it."""
        handles = self.handles()
        return [f"std::uint64_t {name}_whole" if name in handles else text for text, name in zip(self.parameters, self.names)]

    def travelling_names(self):
        handles = self.handles()
        return [f"{name}_whole" if name in handles else name for name in self.names]

    def travelling_result(self):
        return "std::uint64_t" if self.whole and re.fullmatch(HANDLES, self.result) else self.result

    def types(self):
        """The parameter list without names: the type of the real function."""
        out = []
        for text, name in zip(self.travelling(), self.travelling_names()):
            out.append(re.sub(rf"\b{name}\b", "", text, count=1) if text.count(name) == 1 else re.sub(rf"\b{name}\b(?!.*\b{name}\b)", "", text))
        return ", ".join(out) if out else "void"

    def collective(self):
        """Statements that record a collective's arguments."""
        base = re.sub(r"^MPIX?_(I(?=[a-z]))?", "", re.sub(r"(_init)?(_c)?$", "", self.name, count=1))
        base = base[0].upper() + base[1:]
        shape = next((shape for pattern, shape in SHAPES if re.match(pattern, base)), "barrier")  # an agreement on nothing else
        fields = [f"arguments.shape = Shape::{shape};"]

        def copy(field, role, cast=""):
            if self.has(role):
                fields.append(f"arguments.{field} = {cast}{self.arguments[role]};")
        for field, role in (("send_buffer", "sbuf"), ("receive_buffer", "rbuf"), ("count", "count"), ("send_count", "scount"),
                            ("send_type", "stype"), ("receive_count", "rcount"), ("receive_type", "rtype"), ("root", "root")):
            copy(field, role)
        arrays = any(self.has(role) for role in ("scounts", "rcounts"))
        if self.has("type") and self.has("count"):
            fields.append(f"arguments.type = {self.arguments['type']}; arguments.has_type = true;")
        if self.has("op"):
            fields.append(f"arguments.op = {self.arguments['op']}; arguments.has_op = true;")
        lines = ["CollectiveArguments arguments;", *fields, f"call.collective(arguments, {self.arguments['comm']});"]
        if arrays:
            count = "MPI_Count" if self.name.endswith("_c") else "int"
            lines.append(f"CountArrays<{count}> arrays;")
            for field, role in (("send_counts", "scounts"), ("receive_counts", "rcounts"), ("send_types", "stypes"),
                                ("receive_types", "rtypes"), ("send_type", "stype"), ("receive_type", "rtype")):
                if self.has(role):
                    lines.append(f"arrays.{field} = {self.arguments[role]};")
            if self.has("type") and self.has("rcounts"):
                lines.append(f"arrays.receive_type = {self.arguments['type']};")
            lines.append("call.counts(arguments, arrays);")
        return " ".join(lines)

    def rule(self):
        a = self.arguments
        if self.kind in ("coll", "icoll", "coll_init"):
            return self.collective(), COLLECTIVE if self.kind == "coll" else STARTED, None
        if self.kind in ("sendrecv", "isendrecv"):
            if self.has("buf"):
                halves = f"call.message({a['count']}, {a['type']}, {a['dest']}, {a['stag']}, {a['comm']}); " \
                         f"call.receive_half({a['count']}, {a['type']}, {a['source']}, {a['rtag']});"
            else:
                halves = f"call.message({a['scount']}, {a['stype']}, {a['dest']}, {a['stag']}, {a['comm']}); " \
                         f"call.receive_half({a['rcount']}, {a['rtype']}, {a['source']}, {a['rtag']});"
            return halves, STATUS if self.kind == "sendrecv" else STARTED, ONE_STATUS if self.kind == "sendrecv" else None
        if self.kind in RULES:
            return RULES[self.kind]
        if self.kind == "win_sync":
            entry = "call.object({win});" + (" call.target({target});" if self.has("target") else "")
            if self.has("assert"):
                kind = "{lock_type}" if self.has("lock_type") else "MPI_LOCK_SHARED"
                entry += f" call.slot().tag = lock_code({kind}, {{assert}});"
            return entry + (" call.group({group});" if self.has("group") else ""), PLAIN, None
        if self.kind == "file_coll_ctor":
            if self.has("newfile"):
                return "call.communicator({comm});", "if (code == MPI_SUCCESS) call.object(*{newfile}); call.end(code);", None
            return "call.object(*{file_inout});", PLAIN, None
        entry = "call.communicator({comm});" if self.has("comm") and self.kind == "abort" else ""
        return entry, PLAIN, None

    def fill(self, text):
        a = dict(self.arguments)
        a["maybe_comm"] = f"call.communicator({a.get('comm', a.get('localcomm', ''))});" if self.has("comm") or self.has("localcomm") else \
            "call.of_session();" if self.kind == "comm_group_ctor" else ""
        a["maybe_leaders"] = "leaders(call, {localcomm}, {lleader}, {peercomm}, {rleader}, {tag});".format(**a) if self.has("localcomm") else \
            "call.of_session();"
        a["maybe_tag"] = a.get("tag", "0") if self.parameters and "tag" in a and "char" not in self.parameters[self.names.index(a["tag"])] else "0"
        # Who belongs to the new communicator is known to others only once it is there: too late for a coupled run.
        a["maybe_group"] = f" if (coupled() && takes_part()) call.group({a['group']});" if self.kind == "comm_group_ctor" and self.has("comm") else ""
        a["maybe_new"] = f" && {a['newcomm']} != nullptr" if self.has("newcomm") else ""
        a["rma_payload"] = ""
        if self.kind.startswith("rma") and self.has("count") and self.has("otype"):
            a["rma_payload"] = f"if ({a['target']} != MPI_PROC_NULL && key_of({a['otype']}) != constants.datatype_null) call.payload({a['count']}, {a['otype']});"
        if self.kind.startswith("rma") and self.has("result") and self.has("rcount") and self.has("restype"):
            a["rma_payload"] += f" if ({a['target']} != MPI_PROC_NULL) call.received_payload({a['rcount']}, {a['restype']});"
        elif self.kind.startswith("rma") and self.has("type"):
            a["rma_payload"] = f"if ({a['target']} != MPI_PROC_NULL) call.payload(1, {a['type']});"
        return re.sub(r"\{(\w+)\}", lambda match: str(a[match.group(1)]), text)

    def coupled(self):
        """What coupled mode returns, where the class has such a mode; else ""."""
        if self.name == "MPI_Wtime":
            template = "coupled_wtime({entry}, {plain})"
        elif self.kind in COUPLED:
            template = COUPLED[self.kind]
        else:
            return ""
        a = dict(self.arguments)
        a["entry"] = f'Entry{{{self.number}, "{self.name}", return_address, frame}}'
        a["plain"] = f"[&] {{ return real({', '.join(self.travelling_names())}); }}"
        a["synchronous"] = str(self.name.startswith(("MPI_Ssend", "MPI_Issend"))).lower()
        ours = {a.get("source"): "a_source", a.get("tag"): "a_tag", a.get("status"): "a_status"} if self.kind.endswith("probe") else {}
        a["real"] = "[&](int a_source, int a_tag, MPI_Status* a_status) { return real(" \
                    f"{', '.join(ours.get(name, name) for name in self.travelling_names())}); }}"
        if self.kind in ("sendrecv", "isendrecv"):
            both = self.has("buf")
            a["out_half"] = self.half("buf" if both else "sbuf", "count" if both else "scount", "type" if both else "stype", "dest", "stag")
            a["in_half"] = self.half("buf" if both else "rbuf", "count" if both else "rcount", "type" if both else "rtype", "source", "rtag")
        filled = re.sub(r"(?<=[(, ])\{(\w+)\}", lambda match: str(a[match.group(1)]), template)
        return filled

    def half(self, buffer, *others):
        return f"Half{{const_cast<void*>(static_cast<const void*>({self.arguments[buffer]})), " \
               f"{', '.join(self.arguments[other] for other in others)}}}"

    def body(self):
        if not self.coupled():
            return self.recorded_body()
        handed_on = ", ".join(["real", "return_address", "frame", *self.travelling_names()])
        when = "coupled() || alone" if self.name == "MPI_Wtime" else "coupled()"
        return [f"if ({when}) return coupled_{self.name}({handed_on});", *self.recorded_body()]

    def coupled_function(self, result, declared):
        """Coupled mode in a function of its own: its references to the arguments would keep them out of registers in every call."""
        if not self.coupled():
            return ""
        return f"static __attribute__((noinline)) {result} coupled_{self.name}({declared}) {{\n  return {self.coupled()};\n}}\n"

    def unrecorded(self, plain):
        """What a call does that is not recorded. A handle that it frees may come again: callbacks of attributes free handles, too."""
        if self.kind == "comm_disconnect":
            return f"{{ if ({self.arguments['comm_inout']} != nullptr) forget_comm(*{self.arguments['comm_inout']}); return {plain}; }}"
        if self.kind == "win_free":
            return f"{{ forget_windows(); return {plain}; }}"
        if self.kind == "type_free":
            return f"{{ const int code = {plain}; forget_types(); return code; }}"
        return f"return {plain};"

    def recorded_body(self):
        entry, leave, extra = self.rule()
        declarations, replaced = extra if extra else ("", {})
        passed = [replaced.get(role, name) if role in replaced else name
                  for name, role in zip(self.travelling_names(), self.roles + ["-"] * len(self.names))]
        call = f"real({', '.join(passed)})"
        plain = f"real({', '.join(self.travelling_names())})"
        if self.name in FREED_LATE:
            call = plain = f"{FREED_LATE[self.name]}({passed[0]}, real)"
        begin = f"call.begin({self.number}, \"{self.name}\", return_address, frame)"
        if self.kind in POLLS:
            begin = f"call.begin_poll({self.number}, \"{self.name}\", return_address, frame, {self.poll_key()})"
        row = self.row_key()
        if row is not None:
            begin = f"call.begin_row({self.number}, \"{self.name}\", return_address, frame, RowKey{{{{{row}}}}})"
        lines = ["Call call;", f"if (!{begin}) {self.unrecorded(plain)}"]
        publish = "if (!call.folding()) call.publish();" if self.kind in POLLS else "call.publish();"
        if self.kind == "init":
            return ["start_watching();", *lines, publish, f"const int code = {call};", "finish_init(call, code);", "call.end(code);", "return code;"]
        if self.kind == "finalize":
            publish = "if (asks(call)) { call.announce(1); const Decided left = await_last_answer(call); end_coupling(&left); } " \
                      "else { call.publish(); end_coupling(); }"
            unrecorded = "if (finalizes_unrecorded()) { before_finalize(); const int done = real(); after_finalize(); return done; }"
            return [lines[0], f"if (!{begin}) {{", unrecorded, f"return {plain};", "}", publish, "before_finalize();", f"const int code = {call};", "call.end(code);", "publish_end(call);",
                    "after_finalize();", "return code;"]
        if row is not None:
            return self.row_body(lines, entry, call)
        if self.kind == "session":
            outcome = "session_began(code);" if self.name == "MPI_Session_init" else "session_ended(code);"
            return [*lines, publish, f"const int code = {call};", "call.end(code);", outcome, "return code;"]
        if self.result != "int":
            return [*lines, publish, f"const {self.travelling_result()} value = {call};", "call.end(MPI_SUCCESS);", "return value;"]
        real = [f"const int code = {call};"]
        if self.kind in ENTERED_LATE or self.name in ENTERED_LATE:
            apart = self.bound_apart()
            awaited = "await_answer(call, MPI_PROC_NULL, 0, &apart)" if apart else "await_answer(call)"
            timed = self.kind in TIMED_INSIDE or self.name in TIMED_INSIDE
            let_in = " if (alone || !decided.alone) let_in(call);" if timed else ""
            publish = ("Apart apart; " if apart else "") + "[[maybe_unused]] Decided decided{}; if (asks(call)) { quiet.end(); " \
                      f"call.announce(1); {apart} decided = {awaited};{let_in} }} else {{ call.publish(); }}"
            made = f"decided.together == stream::kTogether ? {call} : apart.finish()" if apart else call
            real = [*(["if (alone) meet_alone();"] if apart else []), f"const int code = {made};", "if (coupled()) come_back();"]
        elif self.kind in MADE_APART and self.bound_apart():
            publish = "Apart apart; bool is_apart = false; if (asks(call)) { quiet.end(); " \
                      f"{self.bound_apart()} is_apart = apart.is_left_early(); }} {publish}"
            made = f"{MADE_APART[self.kind]}(apart, call.slot().comm, {self.arguments['request']})"
            real = ["if (alone) meet_alone();", f"const int code = is_apart ? {made} : {call};"]
        elif self.kind not in COUPLED and self.kind not in CHANGE_NOTHING:
            publish = f"if (coupled() && takes_part()) quiet.end(); {publish}"
        if self.kind in POLLS:
            real = ["call.poll_begins();", *real, "call.wait_ends();"]
        elif self.kind not in NEVER_WAIT:
            real = [f"call.wait_begins({'true' if self.kind in WORK_TOO else ''});", *real, "call.wait_ends();"]
        if self.kind in ON_WINDOWS:
            whose = "accessed_by({win}, {target})".format(**self.arguments) if self.has("target") else "Board::kOfAll"
            whose = f"asks(call) ? {whose} : Board::kNone"
            waits = str(self.kind not in NEVER_WAIT).lower()
            made = "const int code = "
            real = [f"{made}[&] {{ const Access access({whose}, {waits}); return {step.removeprefix(made).removesuffix(';')}; }}();"
                    if step.startswith(made) else step for step in real]
        if self.kind in FILES:
            real = ["if (call.thread().first) note_threads_before_file_call();", *real, "if (call.thread().first) note_threads_after_file_call();"]
        return [*lines, self.fill(entry), self.fill(declarations), publish, *real, self.fill(leave), "return code;"]

    def bound_apart(self):
        """Statements that tell `apart` the call's arguments; empty where nobody leaves the call early."""
        base = re.sub(r"^MPIX?_|_c$", "", self.name)
        base = base[1:].capitalize() if self.kind == "icoll" else re.sub("_init$", "", base)
        if base not in APART:
            return ""
        kind, gives, takes = APART[base]
        wide, far = self.name.endswith("_c"), base == "Neighbor_alltoallw"
        out = [f"apart.bind(Apart::Kind::{kind}, {self.arguments['comm']}, {self.arguments.get('root', '0')}, call.group_rank(), "
               f"call.group_size(), call.between_groups(), {str(wide).lower()}, {str(far).lower()});"]
        for part, roles in (("out", gives), ("in", takes)):
            if roles:
                buffer, count, type_, counts, offsets, types = (self.arguments[role] if role else None for role in (*roles, None, None, None)[:6])
                repeated = part == "out" and "allgather" in base.lower()
                out.append(f"apart.{part} = {{{buffer}, std::int64_t({count or 0}), {type_ or 'MPI_Datatype{}'}, {counts or 'nullptr'}, "
                           f"{offsets or 'nullptr'}, {types or 'nullptr'}, {str(repeated).lower()}}};")
        if self.has("op"):
            out.append(f"apart.op = {self.arguments['op']};")
        return " ".join(out)

    def row_key(self):
        """The words that tell repetitions of a call from others; None where calls are not folded into rows."""
        entry, leave, extra = self.rule()
        if self.kind not in ROWS or extra or (entry and self.kind == "local"):
            return None
        return ", ".join(word.format(**self.arguments) for word in ROWS[self.kind])

    def row_body(self, lines, entry, call):
        request = f"{self.arguments['request']}" if self.has("request") else "nullptr"
        code, value = ("code", f"const int code = {call};") if self.result == "int" else \
                      ("MPI_SUCCESS", f"const {self.travelling_result()} value = {call};")
        fill = self.fill(entry)
        return [*lines, f"if (!call.in_row()) {{ {fill} call.publish(); }}", value, f"call.end_row({code}, {request});",
                f"return {'code' if self.result == 'int' else 'value'};"]

    def poll_key(self):
        a = self.arguments
        if self.kind in ("iprobe", "improbe"):
            return f"key_of({a['comm']}), peer_code({a['source']}), tag_code({a['tag']})"
        if self.kind == "test":
            return f"Call::request_key(*{a['request_inout']}), stream::kNoPeer, 0"
        if self.kind == "request_get_status":
            return f"Call::request_key({a['request_in']}), stream::kNoPeer, 0"
        return f"request_set_key({a['n']}, {a['requests']}), {a['n']}, 0"

    def wrapper(self):
        body = "\n  ".join(statement for line in self.body() for statement in line.replace("; ", ";\n").split("\n") if statement)
        alias = f"wrap_{self.name}"
        arguments = "".join(f", {name}" for name in self.travelling_names())
        result, declared = self.travelling_result(), ", ".join(self.travelling()) or "void"
        narrow = "".join(f"[[maybe_unused]] const auto {name} = static_cast<{kind}>({name}_whole);\n  " for name, kind in self.handles().items())
        internal = f"Fn_{self.name} real, void* return_address, void* frame" + "".join(f", {p}" for p in self.travelling())
        coupled = self.coupled_function(result, internal).replace("  return", f"  {narrow}return", 1)
        asked = FOR_CLOCKS if self.name == "MPI_Wtime" else ""
        return f"""using Fn_{self.name} = {result} (*)({self.types()});
{coupled}static inline __attribute__((always_inline)) {result} {alias}({internal}) {{
  {narrow}{body}
}}
static Real<Fn_{self.name}> real_{self.name}{{"{self.name}"}};
static Real<Fn_{self.name}> real_P{self.name}{{"P{self.name}"}};
{self.symbol(self.name, result, declared)}
  return {alias}(real_{self.name}.get(), __builtin_return_address(0), __builtin_frame_address(0){arguments});
}}
{self.symbol("P" + self.name, result, declared)}
  return {alias}(real_P{self.name}.get(), __builtin_return_address(0), __builtin_frame_address(0){arguments});
}}
{asked}"""


    def symbol(self, name, result, declared):
        """The head of an exported function. <mpi.h> declares it with handles of its own width: then another name in C++, the same symbol."""
        if not self.whole:
            return f'extern "C" FARCAST_EXPORT {result} {name}({declared}) {{'
        return f'extern "C" FARCAST_EXPORT {result} farcast_{name}({declared}) __asm__("{name}");\n' \
               f'extern "C" {result} farcast_{name}({declared}) {{'


def result_types(paths):
    found = {}
    for header in check_table.header_files(map(pathlib.Path, paths)):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read_text(errors="replace"), flags=re.S)
        for match in re.finditer(PROTOTYPE.format(r"MPIX?_\w+"), text):
            if match.group(1) not in ("typedef", "return", "define"):
                found.setdefault(match.group(2), match.group(1))
    return found


def wrapped_names(table):
    return [name for name, (_, kind, _) in table.items() if kind != "pass"]


def write_wrappers(table, library, output, headers):
    exports = check_table.exported_names(library)
    prototypes = check_table.installed_prototypes(headers)
    results = result_types(headers)
    names = wrapped_names(table)
    out = ["// Generated by generate_wrappers.py from mpi_functions.txt. Do not edit.", '#include "libinterpose/coupled_message_calls.h"', '#include "libinterpose/coupled_wtime.h"',
           "namespace farcast::interpose { namespace {"]
    # A handle of MPICH is 32 bits wide, one of Open MPI a pointer. In front of the wrong library's program ours passes everything
    # through, so it must not cut handles: they travel as the whole registers (or stack slots) that they came in.
    narrow_handles = "mpich" in pathlib.Path(library).name
    functions = []
    for number, base in enumerate(names):
        for name, index in ((base, number), (base + "_c", len(names) + number)):
            if name not in exports or name not in prototypes or (name != base and name in table):
                continue
            _, kind, roles = table[base]
            functions.append(Function(name, index, kind, roles, results[name], prototypes[name], narrow_handles))
    out.append("} // namespace")
    out += [function.wrapper() for function in functions]
    out += fortran_wrappers({name: number for number, name in enumerate(names)}, library)
    out.append("} // namespace farcast::interpose\n")
    pathlib.Path(output).write_text("\n".join(out))


def write_table(table, output):
    names = wrapped_names(table)
    rows = [f'  {{"{name}", "{table[name][1]}"}},' for name in names] + [f'  {{"{name}_c", "{table[name][1]}"}},' for name in names]
    pathlib.Path(output).write_text(
        "// Generated by generate_wrappers.py from mpi_functions.txt. Do not edit.\n"
        '#include "libinterpose/functions.h"\n\nnamespace farcast::interpose {\nnamespace {\n'
        f"constexpr FunctionEntry kFunctions[] = {{\n" + "\n".join(rows) + "\n};\n} // namespace\n\n"
        f"FunctionTable function_table() {{ return {{kFunctions, {len(rows)}}}; }}\n\n}} // namespace farcast::interpose\n")


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in ("wrappers", "table"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    table, faults = check_table.read_table(pathlib.Path(arguments[1]))
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    if arguments[0] == "table":
        write_table(table, arguments[2])
    else:
        write_wrappers(table, arguments[2], arguments[3], arguments[4:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
