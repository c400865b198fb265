#!/usr/bin/env python3
"""Counts with a stand-in for PAPI whose numbers are known, and lets each step fail: the program never notices.

    run.py --mpi openmpi|mpich --farcast BUILD/bin/farcast --papi FOLDER_OF_THE_STAND_IN --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import Failure, expect, need  # noqa: E402

LAUNCHER = {"openmpi": ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "2"], "mpich": ["-np", "2"]}
EVENTS = [f"EVENT_{number}" for number in range(9)]  # more than fit into one slot of the stream
ALL = ",".join(EVENTS)
# What fails -> how the reason starts. Events that cannot be zero are named as PAPI does.
FAILURES = {
    "init": (ALL, "PAPI_library_init: some error"),
    "add": (ALL, "EVENT_1: no such event"),
    "start": (ALL, f"{ALL}: no room"),
    "first_read": (ALL, f"{ALL}: some error"),
    "read": (ALL, f"{ALL}: some error"),
    "zero": ("EVENT_0,PAPI_TOT_INS", "PAPI_TOT_INS: it was started, but this machine counts none"),
}


class Job:
    def __init__(self, arguments):
        self.arguments = arguments
        self.work = arguments.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.launcher = [need(f"mpirun.{arguments.mpi}"), *LAUNCHER[arguments.mpi]]
        compiler = need(f"mpicc.{arguments.mpi}")
        subprocess.run([compiler, "-g", "-O1", "-o", "counted", HERE / "counted.c", "-ldl"], cwd=self.work, check=True)

    def run(self, events, failing="", program=("./counted",)):
        """Returns: the JSON report and the text of the run."""
        environment = dict(os.environ, LD_LIBRARY_PATH=self.arguments.papi, PAPI_STAND_IN=failing)
        command = [*self.launcher, self.arguments.farcast, "exec", "--no-predict", "--counters", events, "--json", "report.json",
                   "-o", "run.h5", "--", *program]
        done = subprocess.run(command, cwd=self.work, env=environment, capture_output=True, text=True, timeout=60)
        expect(done.returncode == 0 and done.stdout == "done\n", f"{failing}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return json.loads((self.work / "report.json").read_text()), done.stderr


def check_counted(job):
    report, text = job.run(ALL)
    expect(report["counters"] == {"events": EVENTS, "unavailable": None}, f"counters: {report['counters']}")
    visited = [region for region in report["regions"] if region["visits"] > 0]
    expect(len(visited) >= 5, f"regions: {report['regions']}")
    for region in visited:
        wanted = {event: region["visits"] * 1000 * (number + 1) for number, event in enumerate(EVENTS)}
        expect(region["counters"] == wanted, f"{region['name']}: {region['counters']}, expected {wanted}")
    expect("@--- Counters per Region (all ranks, top" in text, text)
    again = job.work / "again.json"
    subprocess.run([job.arguments.farcast, "predict", "run.h5", "--no-predict", "--json", again], cwd=job.work, check=True,
                   stdout=subprocess.DEVNULL)
    repeated = json.loads(again.read_text())
    expect(repeated["counters"] == report["counters"] and repeated["regions"] == report["regions"], "the run file lost counters")


def check_unavailable(report, text, reason):
    found = report["counters"]["unavailable"] or ""
    expect(found.startswith(reason), f"unavailable: {report['counters']}, expected {reason}")
    expect(not any(region["counters"] for region in report["regions"]), f"numbers in spite of '{reason}'")
    expect("unavailable: " + reason.split(":")[0] in text, f"the text report does not say '{reason}':\n{text}")
    expect(report["complete"] and report["calls"]["MPI_Barrier"] == 200, f"the recording suffered: {report['calls']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=sorted(LAUNCHER), required=True)
    parser.add_argument("--farcast", required=True)
    parser.add_argument("--papi", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    job = Job(parser.parse_args())
    check_counted(job)
    print("counted as the stand-in counts")
    for failing, (events, reason) in FAILURES.items():
        check_unavailable(*job.run(events, failing), reason)
        print(f"{failing} fails: unavailable, {reason}")
    reason = f"{ALL}: the program has PAPI loaded"
    check_unavailable(*job.run(ALL, program=("./counted", "papi")), reason)
    print("left alone where the program loaded PAPI")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
