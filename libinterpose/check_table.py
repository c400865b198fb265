#!/usr/bin/env python3
"""Compares mpi_functions.txt with one installed MPI library and its headers.

    check_table.py TABLE LIBRARY HEADER...        (a HEADER may be a folder: all *.h in it and below)

Exit code 0: the table knows every MPI_* and MPIX_* name that the library exports (PMPI_ names without an MPI_ twin too), repeats
none, uses known classes and roles only, and has one role per argument of the prototype. Exit code 1: a sentence per fault.
Exit code 2: a file cannot be read.
"""
import pathlib
import re
import subprocess
import sys

CLASSES = set("""
    init finalize abort session pcontrol
    send recv isend irecv sendrecv isendrecv probe iprobe mprobe improbe mrecv imrecv
    send_init recv_init psend_init precv_init pready start startall parrived
    wait waitall waitany waitsome test testall testany testsome request_free cancel request_get_status
    coll icoll coll_init comm_ctor comm_group_ctor intercomm_ctor comm_ictor comm_spawn comm_connect comm_free comm_disconnect
    type_ctor type_free grequest_start grequest_complete win_ctor win_free rma rma_request win_sync_coll win_sync
    file_coll_ctor io io_request io_coll io_begin io_end io_sync local pass""".split())
ROLES = set("""
    - buf sbuf rbuf origin result compare count scount rcount tcount counts scounts rcounts displs sdispls rdispls
    type stype rtype otype ttype restype types stypes rtypes dest source target root tag stag rtag partitions
    comm newcomm comm_inout localcomm peercomm lleader rleader group peergroup newgroup color key split_type
    op info amode request request_in request_inout requests nreq incount status statuses flag index indices outcount
    message message_inout newtype type_inout win newwin win_inout lock_type assert file newfile file_inout offset""".split())
# Large-count forms whose arguments differ from those of the name without _c (MPI 4.0, sections 5.1.13 and 19.2).
OTHER_ARGUMENTS = {"MPI_Type_get_envelope_c", "MPI_Type_get_contents_c"}


def read_table(path):
    """Returns: ({name: (line number, class, roles)}, faults)."""
    table, faults = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        where = f"{path}:{number}"
        name, kind, roles = words[0], words[1] if len(words) > 1 else "", words[2:]
        if not re.fullmatch(r"MPIX?_\w+", name):
            faults.append(f"{where}: found the name {name}, expected MPI_... or MPIX_...")
        if name in table:
            faults.append(f"{where}: {name} stands already in line {table[name][0]}")
        if kind not in CLASSES:
            faults.append(f"{where}: {name} has the unknown class '{kind}'")
        elif kind == "pass":
            if not roles:
                faults.append(f"{where}: {name} is passed through without a reason")
        else:
            for role in roles:
                if role not in ROLES:
                    faults.append(f"{where}: {name} has the unknown role '{role}'")
                elif role != "-" and roles.count(role) > 1:
                    faults.append(f"{where}: {name} has the role '{role}' more than once")
        table[name] = (number, kind, roles)
    return table, faults


def exported_names(library):
    """Returns: the defined dynamic symbols of the library, without versions."""
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True)
    if listing.returncode != 0:
        raise OSError(f"nm cannot read {library}: {listing.stderr.strip()}")
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines() if line.strip()}


def header_files(paths):
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.h"))
        elif path.exists():
            yield path
        else:
            raise OSError(f"{path}: no such header or folder")


def prototypes_of(text):
    """Returns: {function: its named parameters as text} of the prototypes in a header."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    prototypes = {}
    for match in re.finditer(r"(\w+)[\s*]+(MPIX?_\w+)\s*\(", text):
        if match.group(1) in ("typedef", "return", "define"):
            continue
        depth, parameters, end = 1, [""], match.end()
        while end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0:
                break
            if depth == 1 and text[end] == ",":
                parameters.append("")
            else:
                parameters[-1] += text[end]
            end += 1
        parameters = [" ".join(parameter.split()) for parameter in parameters]
        prototypes.setdefault(match.group(2), [p for p in parameters if p not in ("", "void", "...")])
    return prototypes


def installed_prototypes(paths):
    """Returns: the prototypes of all headers; of a function declared in several, the first one."""
    prototypes = {}
    for header in header_files(map(pathlib.Path, paths)):
        for name, parameters in prototypes_of(header.read_text(errors="replace")).items():
            prototypes.setdefault(name, parameters)
    return prototypes


def compare(table, path, exports, library, prototypes):
    """Returns: faults where the library, its headers and the table do not agree."""
    names = {name for name in exports if re.match(r"MPIX?_", name)}
    names |= {name[1:] for name in exports if re.match(r"PMPIX?_", name)}
    faults = []
    for name in sorted(names):
        base = name[:-2] if name.endswith("_c") and name[:-2] in table else name
        if base not in table:
            faults.append(f"{library} exports {name}, which {path} lacks")
            continue
        number, kind, roles = table[base]
        if kind == "pass":
            continue
        if name not in prototypes:
            faults.append(f"{path}:{number}: {name} is exported by {library}, but no header has its prototype")
        elif len(prototypes[name]) != len(roles) and name not in OTHER_ARGUMENTS:
            faults.append(f"{path}:{number}: {name} has {len(roles)} roles, its prototype has {len(prototypes[name])} arguments")
    return faults


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    path, library = pathlib.Path(arguments[0]), arguments[1]
    try:
        table, faults = read_table(path)
        faults += compare(table, path, exported_names(library), library, installed_prototypes(arguments[2:]))
    except OSError as error:
        print(f"check_table.py: {error}", file=sys.stderr)
        return 2
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
