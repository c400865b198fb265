#!/usr/bin/env python3
"""Runs one fault case: the program's outcome stays as it is without farcast, whatever breaks around it.

  run_fault.py --list                                            all cases: alone or beside others, name, MPI libraries
  run_fault.py CASE --mpi openmpi|mpich --farcast BUILD/bin/farcast --work FOLDER

A case is a function case_NAME in a module cases_*.py of this folder; `for_mpi` names its MPI libraries (both by default), and
`alone` says that it needs the cores for itself, or a machine without other jobs. Each checks exit code and stdout against a native
run in the same conditions, what farcast says, what its report covers, and that no process and no shared memory stays behind. Exit
code: 0 as expected, 1 not, 77 something that the case needs is not there.
"""

import argparse
import importlib
import pathlib
import shutil
import sys

import harness

SKIPPED = 77


def all_cases():
    folder = pathlib.Path(__file__).resolve().parent
    cases = {}
    for file in sorted(folder.glob("cases_*.py")):
        module = importlib.import_module(file.stem)
        cases.update({name[5:]: value for name, value in vars(module).items() if name.startswith("case_")})
    return cases


def main():
    sys.dont_write_bytecode = True
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("case", nargs="?")
    options.add_argument("--list", action="store_true")
    options.add_argument("--mpi", choices=["openmpi", "mpich"])
    options.add_argument("--farcast", type=pathlib.Path)
    options.add_argument("--work", type=pathlib.Path)
    arguments = options.parse_args()
    cases = all_cases()
    if arguments.list:
        for name, case in cases.items():
            print("alone" if getattr(case, "alone", False) else "beside", name, *getattr(case, "for_mpi", ["openmpi", "mpich"]))
        return 0
    if arguments.case not in cases or not (arguments.mpi and arguments.farcast and arguments.work):
        options.error(f"a case is one of {', '.join(cases)}; --mpi, --farcast and --work are needed")
    work = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        cases[arguments.case](harness.Bench(arguments.mpi, arguments.farcast.resolve(), work))
    except harness.Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except harness.Failure as reason:
        print(f"FAILED: {arguments.case}, {arguments.mpi}: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
