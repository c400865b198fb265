"""How a program of this folder is compiled: C, C++ and Fortran, with Open MPI, MPICH, or SimGrid's SMPI. One source, one program."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort"}
SMPI = {".c": "smpicc", ".cpp": "smpicxx", ".f90": "smpiff"}
THREADED = {"hybrid": ["-fopenmp"]}
FLAGS = {".c": ["-std=gnu11", "-Wall", "-Wextra", "-Wshadow"], ".cpp": ["-std=c++17", "-Wall"], ".f90": ["-cpp", "-Wall"]}


class Failure(Exception):
    """A program does not compile; the text is what the compiler said."""


def sources():
    """Returns: name -> source, of all programs."""
    found = (path for path in HERE.iterdir() if path.suffix in COMPILERS and path.stem != "program_module")
    return {path.stem: path for path in sorted(found)}


def compiler(source, mpi):
    """mpi: openmpi, mpich or smpi. Returns: the compiler's name."""
    return SMPI[source.suffix] if mpi == "smpi" else f"{COMPILERS[source.suffix]}.{mpi}"


def build(source, mpi, folder):
    """Returns: the program, in the folder. Within a simulation sleeping is SMPI's own, which Fortran has to be told."""
    words = [compiler(source, mpi), "-O2", *FLAGS[source.suffix], *THREADED.get(source.stem, []), "-o", str(folder / source.stem)]
    if source.suffix == ".f90":
        words += [f"-J{folder}", *(['-DUSLEEP="smpi_usleep"'] if mpi == "smpi" else []), str(HERE / "program_module.f90")]
    done = subprocess.run([*words, str(source), "-lm"], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Failure(f"{source.name} with {words[0]}: {done.stdout}{done.stderr}")
    return folder / source.stem
