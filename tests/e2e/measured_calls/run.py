#!/usr/bin/env python3
"""Calls that keep their measured time: polls that find nothing, MPI_Comm_spawn, and calls with the spawned processes.

    run.py FARCAST WORK

Predicted and measured time of their call sites come from the same records: they are the same, however long the calls took.
  polls   on a platform that says nothing of polls, as measured and with probing power; on one that does, as it says, and the report
          names the figure; nothing is faster than they are
  yields  where the library gives its core away in each poll (Open MPI, more ranks than cores), that is no time of the poll's
  replay  without a figure, MPI_Test takes SimGrid's 100 us, and the report names it
  spawn   as measured, and so is what is called with the spawned process
"""
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from checks import Failure, expect  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">{config}
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us">
    <prop id="wattage_per_state" value="90.0:100.0:200.0"/>
    <prop id="farcast:probing_watts" value="160"/>
  </cluster>
</platform>
"""
CONFIG = '<config id="General"><prop id="smpi/iprobe" value="5us"/></config>'
TRACE = "0 init\n1 init\n0 irecv 1 0 10\n0 test 1 0 0\n0 wait 1 0 0\n1 send 0 0 10\n0 finalize\n1 finalize\n"


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    expect(done.returncode == 0, f"{' '.join(map(str, command))} -> {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def recorded(farcast, work, name, ranks, launch=(), before=(), options=(), arguments=()):
    run("mpicc.openmpi", "-O2", "-g", FOLDER / f"{name}.c", "-o", name, cwd=work)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    run("mpirun.openmpi", *root, "--oversubscribe", "--bind-to", "none", "-np", str(ranks), *launch, *before, farcast, "exec",
        *options, "--platform", "./plain.xml", "--platform", "./given.xml", "--json", f"{name}.json", "--", f"./{name}", *arguments,
        cwd=work)
    return json.loads((work / f"{name}.json").read_text())


def total(report, call, rank, sites=None):
    """Returns: seconds in the call sites of `call` on one rank, as measured or in a prediction's `sites`."""
    numbers = {site["site"] for site in report["sites"] if site["call"] == call}
    expect(numbers, f"no call site of {call}")
    times = [site["time_s"] for site in (report["sites"] if sites is None else sites) if site["site"] in numbers]
    return sum(time["total"][rank] for time in times if time["count"][rank])


def near(what, one, other, limit=1e-6):
    print(f"{what}: {one:.9g} and {other:.9g}")
    expect(abs(one - other) <= limit * max(abs(one), abs(other)), f"{what}: {one} and {other}")


def check_polls(farcast, work):
    report = recorded(farcast, work, "polls", 2)
    plain, given = report["predictions"]
    polls = total(report, "MPI_Iprobe", 0)
    near("fruitless polls, measured and predicted", polls, total(report, "MPI_Iprobe", 0, plain["sites"]))
    expect(plain["assumptions"] == [] or "MPI_Iprobe" not in "".join(plain["assumptions"]), f"assumed: {plain['assumptions']}")
    expect(plain["energy_parts_j"]["probing"] >= 60 * polls * 0.999, f"probing {plain['energy_parts_j']['probing']} J in {polls} s")
    near("fruitless polls of 5 us", 200000 * 5e-6, total(report, "MPI_Iprobe", 0, given["sites"]))
    expect("each MPI_Iprobe takes 5.000 us" in "".join(given["assumptions"]), f"assumed: {given['assumptions']}")
    for prediction in (plain, given):
        expect(prediction["time_s"] >= total(report, "MPI_Iprobe", 0, prediction["sites"]), "rank 0 is faster than its polls")


def check_yields(farcast, work):
    run("mpicc.openmpi", "-shared", "-fPIC", FOLDER / "slow_yield.c", "-o", "libslow_yield.so", cwd=work)
    for options in (), ("--coupled",):
        check_yields_of(farcast, work, options)


def check_yields_of(farcast, work, options):
    report = recorded(farcast, work, "polls", 2, ("--mca", "mpi_yield_when_idle", "1"), ("env", "LD_PRELOAD=./libslow_yield.so"),
                      options, ("2000",))
    away = 2000 * 200e-6
    rank = report["measured"]["ranks"][0]
    expect(rank["mpi_s"] >= away, f"the library does not yield: {rank}")
    polls = total(report, "MPI_Iprobe", 0)
    print(f"{options}: {rank['mpi_s']:.3g} s in MPI, polls {polls:.3g} s")
    expect(polls < away / 2, f"2000 polls take {polls} s, of which the core was given away for {away} s at least")
    # What answers took to come is recorded in ns, by a rate that is known to 1e-4 while the program runs (pushed_aside.h).
    rate = 1e-4 * rank["mpi_s"] / polls if options else 1e-6
    near("polls that yield, measured and predicted", polls, total(report, "MPI_Iprobe", 0, report["predictions"][0]["sites"]), rate)


def check_replay(farcast, work):
    (work / "trace").write_text(TRACE)
    for platform, told in (("plain", True), ("given", True)):
        text = run(farcast, "replay", "trace", "--platform", f"./{platform}.xml", "--json", "replay.json", cwd=work)
        expect(("each MPI_Test takes 100.0 us" in text) == told, f"{platform}: {text}")


def check_spawn(farcast, work):
    report = recorded(farcast, work, "spawn", 1)
    calls = ["MPI_Barrier", "MPI_Bcast", "MPI_Comm_disconnect", "MPI_Comm_spawn", "MPI_Intercomm_merge"]
    for call in calls:
        near(f"{call}, measured and predicted", total(report, call, 0), total(report, call, 0, report["predictions"][0]["sites"]))
    expect(sorted(row["function"] for row in report["unmodelled"]) == calls, f"not modelled: {report['unmodelled']}")
    for prediction in report["predictions"]:
        expect(prediction["complete"] and not prediction["problems"], f"problems: {prediction['problems']}")


def main():
    farcast, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    (work / "plain.xml").write_text(PLATFORM.format(config=""))
    (work / "given.xml").write_text(PLATFORM.format(config=CONFIG))
    try:
        check_polls(farcast, work)
        check_yields(farcast, work)
        check_replay(farcast, work)
        check_spawn(farcast, work)
    except (Failure, subprocess.TimeoutExpired) as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


sys.exit(main())
