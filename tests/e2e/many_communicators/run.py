#!/usr/bin/env python3
"""Collectives on more communicators than any table of fixed size would hold are all played.

    run.py FARCAST WORK

Two ranks make 20000 copies of MPI_COMM_WORLD and call MPI_Barrier on each. Each of the 20000 constructors and 20000 barriers takes
a message of either rank at least; a communicator that is not known would give none.
"""
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from checks import Failure, expect  # noqa: E402

MANY = 20000


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    expect(done.returncode == 0, f"{' '.join(map(str, command))} -> {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def check(farcast, work):
    run("mpicc.openmpi", "-O1", "-g", FOLDER / "many.c", "-o", "many", cwd=work)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    out = run("mpirun.openmpi", *root, "--oversubscribe", "--bind-to", "none", "-np", "2", farcast, "exec", "--platform", "taurus",
              "--json", "many.json", "--", "./many", cwd=work)
    expect(out == "done\ndone\n", f"stdout: {out}")
    prediction = json.loads((work / "many.json").read_text())["predictions"][0]
    expect(prediction["complete"] and not prediction["problems"], f"problems: {prediction['problems']}")
    for rank in prediction["ranks"]:
        print(f"rank {rank['rank']} sends {rank['messages']} messages")
        expect(rank["messages"] >= 2 * MANY, f"expected at least {2 * MANY}")


def main():
    farcast, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    try:
        check(farcast, work)
    except (Failure, subprocess.TimeoutExpired) as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


sys.exit(main())
