#!/usr/bin/env python3
"""Builds one program of this folder and runs it short, with 2 and 4 ranks, without farcast and recorded by `farcast exec`.

  run.py SOURCE --mpi openmpi|mpich --farcast FILE --work FOLDER

The program has to find its own result right and to print the same both times, but for its time; the recording has to be complete and
without refused records. Computation is once real work, once a sleep. Exit code: 0 as required, 1 not, 77 no compiler or no launcher.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import build  # noqa: E402

SKIPPED = 77
RUNS = [(2, ["--steps", "2", "--work", "2"]), (4, ["--steps", "2", "--sleep", "0.0002"])]
TIME = re.compile(r"^time +\.?\d.*\n", re.MULTILINE)


class Failure(Exception):
    """Something is not as it has to be; the text says what."""


def run(words, folder):
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    if not TIME.search(done.stdout) or ": right, checksum" not in done.stdout:
        raise Failure(f"neither `right` nor `time` in its output:\n{done.stdout}")
    return TIME.sub("", done.stdout)


def check(program, mpi, farcast, folder, ranks, words):
    launcher = [f"mpirun.{mpi}", "-np", ranks]
    if mpi == "openmpi":
        launcher += ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    native = run([*launcher, program, *words], folder)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    recorded = run([*launcher, farcast, "exec", "--no-predict", "--json", report, "-o", folder / "run.h5", "--report",
                    folder / "report.txt", "--", program, *words], folder)
    own = "".join(line for line in recorded.splitlines(keepends=True) if line in native)
    if own != native:
        raise Failure(f"{ranks} ranks: recorded it prints\n{recorded}natively\n{native}")
    found = json.loads(report.read_text())
    if not found["complete"] or found["records"]["refused"] or found["ranks"] != ranks:
        raise Failure(f"{ranks} ranks: complete {found['complete']}, {found['records']}, notes {found['notes']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--farcast", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    needed = [build.compiler(arguments.source, arguments.mpi), f"mpirun.{arguments.mpi}"]
    missing = [name for name in needed if shutil.which(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        return SKIPPED
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    try:
        program = build.build(arguments.source, arguments.mpi, arguments.work)
        for ranks, words in RUNS:
            check(program, arguments.mpi, arguments.farcast.resolve(), arguments.work, ranks, words)
    except (Failure, build.Failure) as failure:
        print(failure)
        return 1
    print(f"{arguments.source.stem}: right, natively and recorded, with {' and '.join(str(ranks) for ranks, _ in RUNS)} ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
