#!/usr/bin/env python3
"""--power-series: the integral of what nodes draw over time is the energy that the report gives.

    run.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import collections
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n," suffix="" radical="0-3" speed="1Gf" core="2" bw="100MBps" lat="20us">
    {power}
    <prop id="farcast:transport" value="tcp-openmpi"/>
    <prop id="farcast:wakeup_latency" value="5e-6"/>
  </cluster>
</platform>
"""
RANKS = 4
TRACE = ["init", "compute 1e8", "send {right} 0 8", "recv {left} 0 8", "allreduce 100000 1e6 6", "compute 2e6", "barrier", "finalize"]


class Job(FarcastRuns):
    def __init__(self, arguments):
        super().__init__(arguments)
        (self.work / "p.xml").write_text(PLATFORM.format(power='<prop id="wattage_per_state" value="60:80:200"/>'))
        (self.work / "dark.xml").write_text(PLATFORM.format(power=""))
        lines = [f"{rank} {line.format(right=(rank + 1) % RANKS, left=(rank - 1) % RANKS)}\n"
                 for rank in range(RANKS) for line in TRACE[:2] + TRACE[2:3] + ["compute 1e6"] * 20 + TRACE[3:]]
        (self.work / "trace").write_text("".join(lines))
        self.compile(HERE.parent / "ring" / "ring.c")
        self.record("run.h5", "./ring", ranks=RANKS)

    def series(self, *arguments):
        """Returns: {(platform, node): [(time, watts)]}, the realisations, the report as JSON, stdout."""
        text, _ = self.run(*arguments, "--power-series", "power.csv", "--json", "report.json")
        nodes, realisations = collections.defaultdict(list), set()
        with open(self.work / "power.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                nodes[row["platform"], row["node"]].append((float(row["time_s"]), row["watts"]))
                realisations.add(row["realisation"])
        return nodes, realisations, json.loads((self.work / "report.json").read_text()), text


def joules(rows):
    expect(rows[0][0] == 0 and rows[-1][1] == "" and all(watts for _, watts in rows[:-1]), f"no steps from 0 to an end: {rows}")
    expect(all(a[0] < b[0] for a, b in zip(rows, rows[1:])), f"times do not ascend: {rows}")
    expect(all(a[1] != b[1] for a, b in zip(rows, rows[1:])), f"a row without a change: {rows}")
    return sum(float(watts) * (end[0] - begin) for (begin, watts), end in zip(rows, rows[1:]))


def agree(found, expected, what):
    expect(abs(found - expected) <= 1e-9 * expected, f"{what}: {found!r}, expected {expected!r}")


def check_conservation(job):
    for play in (["predict", "run.h5"], ["replay", "trace"]):
        for options in (["--seed", "7", "--p2p", "channel"], ["--seed", "0", "--ppn", "1"], ["--p2p", "smpi"],
                        ["--seed", "3", "--p2p", "channel", "--power-steps", "5"]):
            nodes, realisations, report, text = job.series(*play, "-p", "p.xml", *options)
            prediction = report["predictions"][0]
            agree(joules(nodes["p.xml", ""]), prediction["energy_j"], f"{play} {options}: the sum")
            expect(len(nodes) == prediction["nodes"] + 1 and ("p.xml", "n,0") in nodes, f"{play} {options}: {list(nodes)}")
            agree(sum(joules(rows) for (_, node), rows in nodes.items() if node), prediction["energy_j"], f"{play} {options}: nodes")
            agree(nodes["p.xml", ""][-1][0], prediction["time_s"], f"{play} {options}: the end")
            seed = options[1] if options[0] == "--seed" else "0"
            expect(realisations == {seed}, f"{options}: realisations {realisations}")
            expect(("(realisation" in text) == (seed != "0") and "power over time" in text, text)
            if "--power-steps" in options:
                expect(max(map(len, nodes.values())) <= 4 + 1, f"more than 4 steps: {nodes}")


def check_first_realisation(job):
    """Of several realisations and platforms: the first one's, the same as when it is asked for alone."""
    nodes, realisations, report, _ = job.series("predict", "run.h5", "-p", "p.xml", "-p", "taurus", "--seed", "4", "--realisations", "3")
    expect({platform for platform, _ in nodes} == {"p.xml", "taurus"}, str(list(nodes)))
    expect("4" in realisations, str(realisations))
    alone = job.series("predict", "run.h5", "-p", "p.xml", "--seed", "4")[0]
    for key, rows in alone.items():
        expect(nodes[key] == rows, f"{key} is another than alone")
    plain = job.run("predict", "run.h5", "-p", "p.xml", "-p", "taurus", "--seed", "4", "--realisations", "3", "--json", "plain.json")
    expect(plain and json.loads((job.work / "plain.json").read_text())["predictions"] == report["predictions"],
           "the report is another with --power-series")


def check_refusals(job):
    for play in (["predict", "run.h5"], ["replay", "trace"]):
        for arguments, words in ((["-p", "dark.xml", "--power-series", "x.csv"], ["n,0", "dark.xml", "wattage_per_state"]),
                                 (["-p", "p.xml", "--power-steps", "5"], ["--power-series"]),
                                 (["-p", "p.xml", "--power-series", "x.csv", "--power-steps", "1"], ["--power-steps"])):
            _, error = job.run(*play, *arguments, code=2)
            expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
        text, error = job.run(*play, "-p", "p.xml", "--power-series", "none/x.csv", code=2)
        expect("none/x.csv" in error and text == "", text + error)  # before anything is played
    _, error = job.run("predict", "run.h5", "--no-predict", "--power-series", "x.csv", code=2)
    expect("--no-predict" in error and "--power-series" in error, error)
    expect(not (job.work / "x.csv").exists(), "a file was left behind")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_conservation, check_first_realisation, check_refusals), __doc__))
