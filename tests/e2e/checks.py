"""What scripts that check a run of their own share: how they fail, and how they do without what is not installed."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77  # the exit code that ctest is told to take for "not run"


class Failure(Exception):
    """The text says what did not hold."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


class FarcastRuns:
    """A job whose `farcast` is the program's path, and whose `work` is the folder to run it in: empty at first."""

    patience_s = 100  # for one command of farcast

    def __init__(self, arguments):
        self.farcast, self.work = str(pathlib.Path(arguments.farcast).resolve()), arguments.work.resolve()
        self.mpi = getattr(arguments, "mpi", "openmpi")
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def launcher(self, ranks):
        words = [need(f"mpirun.{self.mpi}"), "-np", str(ranks)]
        if self.mpi == "openmpi":
            words += ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
        return words

    def compile(self, source, *options, folder=""):
        """Makes the program that is called as its C source. `folder`: of `work`."""
        subprocess.run([need(f"mpicc.{self.mpi}"), "-g", "-O1", *options, "-o", pathlib.Path(source).stem, source],
                       cwd=self.work / folder, check=True)

    def record(self, run_file, *program, ranks, folder=""):
        subprocess.run([*self.launcher(ranks), self.farcast, "exec", "--no-predict", "-o", self.work / run_file, "--", *program],
                       cwd=self.work / folder, check=True, capture_output=True, timeout=100)

    def run(self, *arguments, code=0):
        """Returns: (stdout, stderr) of farcast, which must end with `code`."""
        done = subprocess.run([self.farcast, *arguments], cwd=self.work, capture_output=True, text=True, timeout=self.patience_s)
        expect(done.returncode == code, f"farcast {' '.join(arguments)}: exit code {done.returncode}, expected {code}\n"
                                        f"{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr


def run_checks(job_of, checks, description, mpi=False):
    """Runs the checks, one after the other, on what job_of makes of the command line: --farcast, --work and, with mpi, --mpi.
    Returns: the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if mpi:
        parser.add_argument("--mpi", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--farcast", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    os.environ.pop("FARCAST_PLATFORM", None)
    try:
        job = job_of(arguments)
        for check in checks:
            check(job)
    except Failure as failure:
        print(failure)
        return 1
    return 0


def need(name):
    """Returns: where the program is; ends the test as skipped where it is not installed."""
    path = shutil.which(name)
    if not path:
        print(f"{name} is not installed")
        sys.exit(SKIPPED)
    return path
