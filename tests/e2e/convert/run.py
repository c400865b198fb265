#!/usr/bin/env python3
"""A real program, recorded and converted: what plays the files predicts what the run file predicts.

    run.py FARCAST WORK

exchange.c runs on 4 ranks of Open MPI, once within what SimGrid's format can say and once beyond it.
  ti       farcast replay against farcast predict of the run file: equal to 1e-6. SimGrid's smpirun -replay plays the plain one too; its
           messages alone take the same time to 1e-6 (its Open MPI selector plays some collectives otherwise than Open MPI)
  --plain  the run beyond it is refused, and leaves nothing
  goal     every send has its receive, and everything can happen, as a reader here sees it
A conversion that is killed leaves nothing under the name of its output.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us"/>
</platform>
"""
RANKS = 4


class Failure(Exception):
    """What did not hold."""


def run(*command, cwd, code=0):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=200)
    if done.returncode != code:
        raise Failure(f"{' '.join(map(str, command))} -> {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def record(farcast, work, name, arguments):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    run("mpirun.openmpi", *root, "--oversubscribe", "--bind-to", "none", "-np", str(RANKS), farcast, "exec", "--no-predict", "-o",
        f"{name}.h5", "--", "./exchange", *arguments, cwd=work)


def predicted(farcast, work, name):
    run(farcast, "predict", f"{name}.h5", "--platform", "./p.xml", "--hostfile", "hosts", "--p2p", "smpi", "--json", f"{name}.json", cwd=work)
    return json.loads((work / f"{name}.json").read_text())["predictions"][0]["time_s"]


def replayed(farcast, work, name):
    run(farcast, "replay", f"{name}/trace", "--platform", "./p.xml", "--hostfile", "hosts", "--json", f"{name}.json", cwd=work)
    return json.loads((work / f"{name}.json").read_text())["predictions"][0]["time_s"]


def by_simgrid(work, name):
    done = run("smpirun", "-np", str(RANKS), "-platform", "../p.xml", "-hostfile", "../hosts", "-replay", "trace", "--cfg=smpi/host-speed:1Gf",
               "--cfg=smpi/coll-selector:ompi", "--cfg=maxmin/precision:1e-12", "--cfg=surf/precision:1e-12", "--log=smpi_replay.thresh:info",
               "--log=root.fmt:%.12r%e%m%n", cwd=work / name)
    return float(re.search(r"^(\S+) Simulation time", done.stdout + done.stderr, re.MULTILINE)[1])


def near(what, one, other, limit):
    difference = abs(one - other) / max(abs(one), abs(other))
    print(f"{what}: {one:.12g} s and {other:.12g} s, {difference:.1e} apart (limit {limit:g})")
    if difference > limit:
        raise Failure(f"{what}: {difference:.2e} apart, more than {limit:g}")


def check_goal(path):
    """Sends meet receives by (source, target, tag) in the order of the schedule's dependencies."""
    ranks, sends, label_count = [], collections.Counter(), 0
    for line in path.read_text().splitlines():
        words = line.replace(":", " ").split()
        if not words or words[0] in ("num_ranks", "}"):
            continue
        if words[0] == "rank":
            ranks.append({"after": collections.defaultdict(list), "what": {}})
        elif words[1] in ("requires", "irequires"):
            if words[2] not in ranks[-1]["what"]:
                raise Failure(f"{path}: {line}: the label is not defined before it")
            if words[1] == "requires":
                ranks[-1]["after"][words[0]].append(words[2])
        else:
            own = len(ranks) - 1
            other = int(words[4]) if words[1] != "calc" else own
            pair = (own, other) if words[1] == "send" else (other, own)
            ranks[-1]["what"][words[0]] = (words[1], (*pair, words[6]) if words[1] != "calc" else None)
            label_count += 1
    done = [set() for _ in ranks]
    waiting = [list(rank["what"]) for rank in ranks]
    moved = True
    while moved:
        moved = False
        for own, rank in enumerate(ranks):
            left = []
            for label in waiting[own]:
                kind, key = rank["what"][label]
                ready = all(one in done[own] for one in rank["after"][label]) and (kind != "recv" or sends[key] > 0)
                if ready:
                    sends[key] += {"send": 1, "recv": -1}.get(kind, 0) if key else 0
                    done[own].add(label)
                    moved = True
                else:
                    left.append(label)
            waiting[own] = left
    if any(waiting) or any(sends.values()) or len(ranks) != RANKS:
        raise Failure(f"{path}: {sum(map(len, waiting))} vertices can never happen, {sum(sends.values())} sends have no receive")
    print(f"{path.name}: {label_count} vertices, all of them can happen")


def check_killed(farcast, work):
    """Killed at any moment, a conversion leaves nothing under its name; the next one cleans up."""
    for delay in (0.0, 0.01, 0.02, 0.04, 0.08):
        process = subprocess.Popen([farcast, "convert", "beyond.h5", "--to", "ti", "-o", "killed"], cwd=work, stdout=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        finished = process.wait() == 0
        if (work / "killed").exists():
            if len(list((work / "killed").iterdir())) != RANKS + 1:
                raise Failure(f"killed after {delay} s: half a folder is left")
            shutil.rmtree(work / "killed")
        print(f"killed after {delay} s: {'finished before' if finished else 'nothing left'}")
    run(farcast, "convert", "beyond.h5", "--to", "ti", "-o", "killed", cwd=work)
    left = [name for name in os.listdir(work) if name.startswith(".")]
    if left:
        raise Failure(f"left behind: {left}")


def check(farcast, work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "p.xml").write_text(PLATFORM)
    (work / "hosts").write_text("".join(f"n{host}\n" for host in range(RANKS)))
    run("mpicc.openmpi", "-g", "-O1", "-o", "exchange", str(FOLDER / "exchange.c"), cwd=work)
    record(farcast, work, "plain", [])
    record(farcast, work, "beyond", ["beyond"])
    for name in ("plain", "beyond"):
        said = run(farcast, "convert", f"{name}.h5", "--to", "ti", "-o", f"{name}.ti", cwd=work).stdout
        for words in (f"`farcast replay {name}.ti/trace --platform FILE --collectives openmpi`; on hosts of speed 1Gf",
                      f"`smpirun -np {RANKS} -platform FILE -hostfile HOSTS -replay trace --cfg=smpi/host-speed:1Gf --cfg=smpi/coll-selector:ompi`"):
            if words not in said:
                raise Failure(f"no {words} in {said}")
        near(f"{name}: predict and replay", predicted(farcast, work, name), replayed(farcast, work, f"{name}.ti"), 1e-6)
        run(farcast, "convert", f"{name}.h5", "--to", "goal", "-o", f"{name}.goal", cwd=work)
        check_goal(work / f"{name}.goal")
    text = "".join(path.read_text() for path in sorted((work / "plain.ti").glob("*.ti")))
    if re.search(r"^\d+ \S*[@#]", text, re.MULTILINE):
        raise Failure("plain.ti has actions that SimGrid does not know")
    if "allreduce 2 0 1\n" not in text:  # eight bytes that are two floats, and not one double
        raise Failure("plain.ti has lost how wide the elements of a reduction are")
    refused = run(farcast, "convert", "beyond.h5", "--to", "ti", "--plain", "-o", "refused", cwd=work, code=2)
    if "MPI_Iallreduce" not in refused.stderr or "MPI_Put" not in refused.stderr or (work / "refused").exists():
        raise Failure(f"--plain: {refused.stderr}")
    check_killed(farcast, work)
    if shutil.which("smpirun") is None:
        print("no smpirun: SimGrid's replay is left out")
        return
    run(farcast, "convert", "plain.h5", "--to", "ti", "--plain", "-o", "simgrid.ti", cwd=work)
    ours, theirs = replayed(farcast, work, "simgrid.ti"), by_simgrid(work, "simgrid.ti")
    print(f"plain: replay {ours:.12g} s, SimGrid {theirs:.12g} s with other algorithms for some collectives")
    for path in (work / "simgrid.ti").glob("*.ti"):
        lines = [line for line in path.read_text().splitlines() if line.split()[1] not in ("bcast", "allreduce", "barrier")]
        path.write_text("\n".join(lines) + "\n")
    near("messages alone: replay and SimGrid", replayed(farcast, work, "simgrid.ti"), by_simgrid(work, "simgrid.ti"), 1e-9)


def main(farcast, work):
    try:
        check(pathlib.Path(farcast).resolve(), pathlib.Path(work).resolve())
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
