#!/usr/bin/env python3
"""Generates the programs of one binding and MPI library, runs them on two ranks, and compares what farcast recorded.

    run.py --library openmpi|mpich --binding c|mpifh|usempi|f08 --libmpi FILE --headers FILE_OR_FOLDER... --work FOLDER
           [--farcast BUILD/bin/farcast]

Without --farcast only the native run is made. Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import Failure, need  # noqa: E402

TABLE = HERE.parents[2] / "libinterpose" / "mpi_functions.txt"
FORTRAN_LIBRARY = {"openmpi": "libmpi_mpifh.so*", "mpich": "libmpichfort.so*"}
FORTRAN_FLAGS = ["-ffree-line-length-none", "-fallow-argument-mismatch"]
LAUNCHER = {"openmpi": ["--allow-run-as-root", "--oversubscribe", "-np", "2"], "mpich": ["-np", "2"]}
TIMEOUT_S = 120


def call(command, work, what):
    """Runs a command that has to succeed."""
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{what}: not finished after {TIMEOUT_S} s: {command}") from error
    if done.returncode != 0:
        raise Failure(f"{what}: exit code {done.returncode}: {command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def generate(arguments, compiler, work):
    command = [sys.executable, "-B", HERE / "generate.py", "--library", arguments.library, "--binding", arguments.binding,
               "--table", TABLE, "--libmpi", arguments.libmpi, "--out", work, "--headers", *arguments.headers]
    if arguments.binding != "c":
        library = next(pathlib.Path(arguments.libmpi).parent.glob(FORTRAN_LIBRARY[arguments.library]))
        folders = [flag[2:] for flag in call([compiler, "-show"], work, "the compiler's flags").split() if flag.startswith("-I")]
        modules = next(folder for folder in folders if (pathlib.Path(folder) / "mpi_f08.mod").exists())
        command += ["--fortran-library", library, "--modules", modules]
    print(call(command, work, "generate.py").strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=sorted(LAUNCHER), required=True)
    parser.add_argument("--binding", choices=["c", "mpifh", "usempi", "f08"], required=True)
    parser.add_argument("--libmpi", required=True)
    parser.add_argument("--headers", nargs="+", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--farcast")
    arguments = parser.parse_args()
    is_c = arguments.binding == "c"
    compiler = need(f"mpi{'cc' if is_c else 'fort'}.{arguments.library}")
    launcher = [need(f"mpirun.{arguments.library}"), *LAUNCHER[arguments.library]]
    work = arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    generate(arguments, compiler, work)
    for part in ("messages", "objects"):
        program = f"{arguments.binding}_{part}"
        source = [f"{program}.c"] if is_c else [*FORTRAN_FLAGS, f"{program}.f90"]
        call([compiler, "-g", "-O0", "-w", *source, "-o", program], work, "compiling")
        call([*launcher, f"./{program}"], work, "native run")
        print(f"{program}: runs")
        if arguments.farcast:
            report = f"{program}.report.json"
            recorded = [arguments.farcast, "exec", "--no-predict", "--json", report, "--", f"./{program}"]
            call([*launcher, *recorded], work, "under farcast")
            print(call([sys.executable, "-B", HERE / "compare.py", f"{program}.json", report], work, program).strip())


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
