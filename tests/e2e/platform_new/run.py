#!/usr/bin/env python3
"""farcast platform new writes a file whose times are those that were asked for, and platform show says them; help prints examples.

  new     0 B take the latency, n bytes that and n over the bandwidth: by platform show, and by a replay of one message
  show    far, near, same node and self, each where the platform has it
  help    of farcast and of each command, on stdout
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TREE = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="1" bw="1GBps" lat="10us" topology="FAT_TREE"
           topo_parameters="2;2,2;1,1;1,1"/>
</platform>
"""


class Job(FarcastRuns):
    def times(self, platform):
        """Returns: pair of hosts -> seconds of 0 B, 1 KB and 1 MB, as platform show prints them."""
        text, _ = self.run("platform", "show", platform)
        rows = re.findall(r"^  (far|near|same node|self) +([\d.]+) (\w+) +([\d.]+) (\w+) +([\d.]+) (\w+)", text, re.MULTILINE)
        expect(rows, text)
        return {row[0]: [float(row[i]) * UNITS[row[i + 1]] for i in (1, 3, 5)] for row in rows}


def near(found, expected, what, limit=5e-4):  # four digits are printed
    expect(abs(found - expected) <= limit * expected, f"{what}: {found!r}, expected {expected!r}")


def check_new(job):
    job.run("platform", "new", "--nodes", "16", "--cores", "12", "--bandwidth", "10Gbps", "--latency", "1.5us", "--watts", "90,210",
            "-o", "my.xml")
    times = job.times("my.xml")
    expect(set(times) == {"far", "same node", "self"}, str(times))
    for place, latency, bandwidth in (("far", 1.5e-6, 1.25e9), ("same node", 5e-7, 5e9)):
        for found, size in zip(times[place], (0, 1e3, 1e6)):
            near(found, latency + size / bandwidth, f"{place}, {size:g} B")
    text, _ = job.run("platform", "show", "my.xml")
    expect("90.00 W idle, 210.0 W computing" in text and "192 cores" in text and "Not modelled" not in text, text)
    for size in (0, 1000, 100000):
        (job.work / "one").write_text(f"0 init\n1 init\n0 send 1 0 {size} 6\n1 recv 0 0 {size} 6\n0 finalize\n1 finalize\n")
        job.run("replay", "one", "--platform", "my.xml", "--ppn", "1", "--json", "one.json")
        found = json.loads((job.work / "one.json").read_text())["predictions"][0]["time_s"]
        near(found, 1.5e-6 + size / 1.25e9, f"replay of {size} B", 1e-9)
    _, error = job.run("platform", "new", "--nodes", "1", "--cores", "1", "--bandwidth", "1Gbps", "--latency", "2us", "-o", "my.xml", code=2)
    expect("my.xml is there already" in error, error)
    job.run("platform", "new", "--nodes", "1", "--cores", "1", "--bandwidth", "1Gbps", "--latency", "2us", "-o", "my.xml", "--force")
    expect(set(job.times("my.xml")) == {"self"}, "one node of one core has no pair")
    expect("no power figures" in job.run("platform", "show", "my.xml")[0], "watts that nobody gave")


def check_show(job):
    (job.work / "tree.xml").write_text(TREE)
    times = job.times("tree.xml")
    expect(set(times) == {"far", "near", "self"} and times["near"][0] < times["far"][0], str(times))


def check_help(job):
    text, _ = job.run("help")
    expect(len(re.findall(r"^  farcast ", text, re.MULTILINE)) == 3 and text == job.run("--help")[0], text)
    for words in (["predict"], ["platform", "new"], ["calibrate", "network"]):
        text, _ = job.run("help", *words)
        expect(text == job.run(*words, "--help")[0] and f"Usage: farcast {' '.join(words)}" in text, text)


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_new, check_show, check_help), __doc__))
