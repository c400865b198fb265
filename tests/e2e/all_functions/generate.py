#!/usr/bin/env python3
"""Writes programs that call every MPI function of the table that a binding offers, and how often each is called.

    generate.py --library openmpi|mpich --binding c|mpifh|usempi|f08 --out FOLDER
                --table mpi_functions.txt --libmpi FILE --headers FILE_OR_FOLDER... [--fortran-library FILE --modules FOLDER]

Out: FOLDER/<binding>_messages.c (.f90) and <binding>_objects.c (.f90), each for two ranks, and <program>.json beside it:
{function: number of calls of both ranks together}, by the name of the C function whatever the binding. Function number i of the
table is exercised 1 + i % 3 times. Exit code 1: a function is neither in a snippet nor in exclusions.txt.
"""
import argparse
import collections
import gzip
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "libinterpose")]
import c_program  # noqa: E402
import check_table  # noqa: E402
import fortran_program  # noqa: E402
import snippet  # noqa: E402
import snippets_messages  # noqa: E402,F401
MESSAGES = set(snippet.SNIPPETS)
import snippets_objects  # noqa: E402,F401
from snippets_by_language import C_SNIPPETS, FORTRAN_SNIPPETS  # noqa: E402

# Made by main itself, once per rank.
MAIN = {"messages": "MPI_Init", "objects": "MPI_Init_thread"}
RANKS = 2


def offered_functions(arguments, table):
    """Returns: names of the table's functions (and large-count forms in C) that a program in this binding can call."""
    exported = check_table.exported_names(arguments.libmpi)
    called = [name for name, (_, kind, _) in table.items() if kind != "pass" and name in exported]
    if arguments.binding == "c":
        return [form for name in called for form in (name, name + "_c") if form in exported]
    symbols = check_table.exported_names(arguments.fortran_library)
    if arguments.binding == "f08":
        symbols = set()
        for module in ("mpi_f08.mod", "mpi_f08_ext.mod"):
            path = pathlib.Path(arguments.modules) / module
            if path.exists():
                symbols |= {name + "_" for name in re.findall(r"'(mpix?_\w+)'", gzip.open(path, "rt").read())}
    return [name for name in called if name.lower() + "_" in symbols]


def exclusions(library, binding):
    """Returns: the functions that exclusions.txt names for this library and binding."""
    scopes = {f"{a}{b}" for a in ("*", library) for b in ("", "/*", f"/{binding}")}
    rows = (line.split(None, 2) for line in (HERE / "exclusions.txt").read_text().splitlines() if line.strip() and line[0] != "#")
    return {row[1] for row in rows if row[0] in scopes}


def guarded_lines(text):
    """A snippet -> [(rank or None, text of one call)]."""
    lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = re.match(r"([01]): *(.*)", line)
        lines.append((int(match[1]), match[2]) if match else (None, line))
    return lines


def snippet_of(name, binding):
    """Returns: (guarded lines, whether they are in the program's language already), or None."""
    special = C_SNIPPETS if binding == "c" else FORTRAN_SNIPPETS
    if name in special:
        return guarded_lines(special[name]), True
    if name in snippet.SNIPPETS:
        return guarded_lines(snippet.SNIPPETS[name]), False
    if binding == "c" and name.endswith("_c") and name[:-2] in snippet.SNIPPETS:
        return guarded_lines(re.sub(rf"\b{name[:-2]}\(", f"{name}(", snippet.SNIPPETS[name[:-2]])), False
    return None


def count_calls(lines, times, counts):
    for guard, text in lines:
        for name in re.findall(r"\b(MPIX?_\w+)\s*\(", text):
            counts[name] += times * (RANKS if guard is None else 1)


def outside_calls(binding):
    """Calls that are legal before MPI_Init and after MPI_Finalize: (before, after)."""
    if binding == "c":
        calls = ["MPI_Initialized(&flag);", "MPI_Finalized(&flag);", "MPI_Get_version(&n, &m);"]
        return calls, calls
    calls = ["call MPI_Initialized(flag, ierror)", "call MPI_Finalized(flag, ierror)", "call MPI_Get_version(n, m, ierror)"]
    return calls, calls


def initialisation(part, binding):
    if binding == "c":
        return {"messages": "MPI_Init(&argc, &argv);", "objects": "MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &n);"}[part]
    return {"messages": "call MPI_Init(ierror)", "objects": "call MPI_Init_thread(MPI_THREAD_FUNNELED, n, ierror)"}[part]


def write_part(part, names, arguments, order, prototypes):
    """Writes one program and its expectation. names: the functions whose snippets it runs."""
    binding, counts, functions, calls = arguments.binding, collections.Counter(), [], []
    before, after = outside_calls(binding)
    for name in names:
        lines, raw = snippet_of(name, binding)
        times = 1 + order[name] % 3
        count_calls(lines, times, counts)
        calls.append((name, times))
        functions.append(c_program.function(name, lines, prototypes, raw) if binding == "c"
                         else fortran_program.function(binding, name, lines, raw))
    # What comes after MPI_Finalize stays in the program (it is legal, and must not disturb), but the report is out by then.
    main_calls = before + [f"{MAIN[part]}(", "MPI_Comm_rank(", "MPI_Finalize("]
    main_calls += ["MPI_T_init_thread(", "MPI_T_finalize("] if binding == "c" else []
    count_calls([(None, text) for text in main_calls], 1, counts)
    program = f"{binding}_{part}"
    common = dict(functions=functions, calls=calls, prologue=before, epilogue=after, initialise=initialisation(part, binding),
                  data_file=f"{program}.dat", library=arguments.library)
    if binding == "c":
        text = c_program.program(**common)
    else:
        text = fortran_program.program(binding, **common)
    folder = pathlib.Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{program}.{'c' if binding == 'c' else 'f90'}").write_text(text)
    (folder / f"{program}.json").write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")
    return set(counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--binding", choices=["c", "mpifh", "usempi", "f08"], required=True)
    for option in ("--table", "--libmpi", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--headers", nargs="+", required=True)
    parser.add_argument("--fortran-library")
    parser.add_argument("--modules")
    arguments = parser.parse_args()
    table, faults = check_table.read_table(pathlib.Path(arguments.table))
    if faults:
        sys.exit("\n".join(faults))
    prototypes = check_table.installed_prototypes(arguments.headers)
    excluded = exclusions(arguments.library, arguments.binding)
    offered = [name for name in offered_functions(arguments, table) if name not in excluded]
    order = {name: i for i, name in enumerate(table)}
    order.update({name + "_c": i + 1 for name, i in list(order.items())})
    wanted = [name for name in offered if snippet_of(name, arguments.binding)]
    in_messages = [name for name in wanted if name in MESSAGES or name.removesuffix("_c") in MESSAGES]
    called = write_part("messages", in_messages, arguments, order, prototypes)
    called |= write_part("objects", [name for name in wanted if name not in in_messages], arguments, order, prototypes)
    missing = [name for name in offered if name not in called]
    unoffered = sorted(called - set(offered))
    scope = f"{arguments.library}/{arguments.binding}"
    for name in missing:
        print(f"{scope}: {name} is in no snippet and not in exclusions.txt", file=sys.stderr)
    for name in unoffered:
        print(f"{scope}: a snippet calls {name}, which is excluded or not offered", file=sys.stderr)
    print(f"{scope}: {len(called)} functions called, {len(excluded)} excluded")
    return 1 if missing or unoffered else 0


if __name__ == "__main__":
    sys.exit(main())
