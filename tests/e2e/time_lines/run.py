#!/usr/bin/env python3
"""farcast trace: the time lines of a recorded run, read back, are those of the prediction and of the run; and what is refused.

    run.py --farcast BUILD/bin/farcast --work FOLDER

otf2-print reads the OTF2 archives where it is installed, pj_dump the Paje file. Exit code: 0 as expected, 1 not, 77 a compiler
or launcher is not installed.
"""
import collections
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="2" bw="100MBps" lat="20us">
    <prop id="farcast:transport" value="tcp-openmpi"/>
    <prop id="farcast:wakeup_latency" value="5e-6"/>
  </cluster>
</platform>
"""
RANKS = 4
RULES = (["--p2p", "smpi"], ["--p2p", "channel", "--seed", "7"], ["--p2p", "channel"])


class Job(FarcastRuns):
    def __init__(self, arguments):
        super().__init__(arguments)
        (self.work / "p.xml").write_text(PLATFORM)
        self.compile(HERE.parent / "ring" / "ring.c")
        self.record("run.h5", "./ring", ranks=RANKS)

    def predicted(self, *rules):
        """Returns: the report as JSON; with channels, of the one history that the time line shows."""
        rules = rules if "--seed" in rules or "smpi" in rules else (*rules, "--seed", "1")
        self.run("predict", "run.h5", "-p", "p.xml", *rules, "--json", "report.json")
        return json.loads((self.work / "report.json").read_text())

    def rows(self, *rules):
        """Returns: the rows of the CSV, and what was printed."""
        text, _ = self.run("trace", "run.h5", "-p", "p.xml", *rules, "--to", "csv", "-o", "t.csv")
        with open(self.work / "t.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["begin_s"], row["end_s"] = float(row["begin_s"]), float(row["end_s"])
        return rows, text


def near(found, expected, what, limit=1e-9):
    expect(abs(found - expected) <= limit, f"{what}: {found!r}, expected {expected!r}")


def end_of(rows, line):
    return max(row["end_s"] for row in rows if row["timeline"].startswith(line) and row["what"] != "message")


def check_csv(job):
    """What the ranks do sums up to what the report says, and the time lines are as long."""
    for rules in RULES:
        report = job.predicted(*rules)
        prediction = report["predictions"][0]
        rows, text = job.rows(*rules)
        near(end_of(rows, "predicted"), prediction["time_s"], f"{rules}: the end")
        near(end_of(rows, "measured"), report["measured"]["wall_s"], f"{rules}: the measured end")
        seconds = collections.Counter()
        for row in rows:
            if row["timeline"].startswith("predicted") and row["what"] != "message":
                seconds[int(row["rank"]), row["what"]] += row["end_s"] - row["begin_s"]
        for rank in range(RANKS):
            near(sum(time for (owner, _), time in seconds.items() if owner == rank), prediction["time_s"], f"{rules}: rank {rank}")
            near(seconds[rank, "waiting"], prediction["ranks"][rank]["waiting_s"], f"{rules}: the waiting of rank {rank}")
        expect(any("ring.c:" in row["place"] for row in rows) and any(row["call"] == "MPI_Waitall" for row in rows), str(rows[:9]))
        expect(("realisation" in text) == ("smpi" not in rules), text)
        messages = [row for row in rows if row["what"] == "message"]
        expect(messages and all(row["timeline"].startswith("predicted") and row["end_s"] >= row["begin_s"] for row in messages),
               str(messages[:3]))


def check_perfetto(job):
    for rules in RULES:
        rows, _ = job.rows(*rules)
        job.run("trace", "run.h5", "-p", "p.xml", *rules, "--to", "perfetto", "-o", "t.json")
        events = json.loads((job.work / "t.json").read_text())["traceEvents"]
        ends = collections.defaultdict(float)
        for event in events:
            if event["ph"] == "X":
                ends[event["pid"]] = max(ends[event["pid"]], event["ts"] + event["dur"])
        near(ends[1] * 1e-6, end_of(rows, "measured"), "perfetto: measured", 2e-9)
        near(ends[2] * 1e-6, end_of(rows, "predicted"), "perfetto: predicted", 2e-9)
        flows = [event for event in events if event["ph"] in "sf"]
        expect(len(flows) == 2 * sum(row["what"] == "message" for row in rows), f"{len(flows)} flow events")


def otf2_events(text):
    """Returns: {location: [(event, seconds, the rest)]} of what otf2-print shows."""
    events = collections.defaultdict(list)
    for line in text.splitlines():
        match = re.match(r"(ENTER|LEAVE|MPI_SEND|MPI_RECV)\s+(\d+)\s+(\d+)\s+(.*)", line)
        if match:
            events[int(match[2])].append((match[1], int(match[3]) * 1e-12, match[4]))
    return events


def check_otf2(job):
    text, error = job.run("--version")
    if shutil.which("otf2-print") is None:
        print("no otf2-print: the archives are not read")
        return
    for rules in RULES:
        shutil.rmtree(job.work / "t.otf2", ignore_errors=True)
        text, error = job.run("trace", "run.h5", "-p", "p.xml", *rules, "--to", "otf2", "-o", "t.otf2")
        expect(error == "" and "traces.otf2" in text, text + error)
        shown = subprocess.run(["otf2-print", "t.otf2/traces.otf2"], cwd=job.work, capture_output=True, text=True, timeout=100)
        expect(shown.returncode == 0 and not shown.stderr, f"otf2-print: {shown.returncode}\n{shown.stderr}")
        events = otf2_events(shown.stdout)
        rows, _ = job.rows(*rules)
        expect(sorted(events) == list(range(2 * RANKS)), f"locations {sorted(events)}")
        sent, received = collections.Counter(), collections.Counter()
        for location, of_rank in events.items():
            line, rank = ("measured", "predicted")[location // RANKS], location % RANKS
            expect(all(a[1] <= b[1] for a, b in zip(of_rank, of_rank[1:])), f"location {location}: times descend")
            depth = 0
            for event, _, _ in of_rank:
                depth += {"ENTER": 1, "LEAVE": -1}.get(event, 0)
                expect(depth >= 0, f"location {location}: left what was not entered")
            expect(depth == 0, f"location {location}: {depth} regions are open at the end")
            near(of_rank[-1][1], end_of(rows, line), f"location {location}: the last event", 1e-11)
            ours = sorted(row["begin_s"] for row in rows if row["timeline"].startswith(line) and row["rank"] == str(rank)
                          and row["what"] == "compute")
            theirs = [when for event, when, rest in of_rank if event == "ENTER" and " -> " in rest]
            expect(len(ours) == len(theirs), f"location {location}: {len(theirs)} computations, expected {len(ours)}")
            for one, other in zip(ours, theirs):
                near(other, one, f"location {location}: a computation", 1e-11)
            for event, _, rest in of_rank:
                peer = re.search(r"(?:Receiver|Sender): (\d+)", rest)
                if event == "MPI_SEND":
                    sent[rank, int(peer[1])] += 1
                elif event == "MPI_RECV":
                    received[int(peer[1]), rank] += 1
        expect(sent == received and sent, f"sent {sent}, received {received}")
        definitions = subprocess.run(["otf2-print", "-G", "t.otf2/traces.otf2"], cwd=job.work, capture_output=True, text=True, timeout=100)
        expect("MPI_Isend ring.c:" in definitions.stdout and definitions.stdout.count("LOCATION_GROUP ") == 2 * RANKS,
               definitions.stdout + definitions.stderr)


def check_paje(job):
    rows, _ = job.rows(*RULES[0])
    job.run("trace", "run.h5", "-p", "p.xml", *RULES[0], "--to", "paje", "-o", "t.paje")
    last = [line.split() for line in (job.work / "t.paje").read_text().splitlines() if line and line[0] not in "%#"][-1]
    near(float(last[1]), max(end_of(rows, "measured"), end_of(rows, "predicted")), "paje: the last event", 0)
    if shutil.which("pj_dump") is None:
        print("no pj_dump: what it reads of the Paje file is left out")
        return
    done = subprocess.run(["pj_dump", "t.paje"], cwd=job.work, capture_output=True, text=True, timeout=100)
    links = sum(line.startswith("Link,") for line in done.stdout.splitlines())
    expect(done.returncode == 0 and links == sum(row["what"] == "message" for row in rows), f"pj_dump: {links} links\n{done.stderr}")


def check_several_platforms(job):
    """One time line per platform behind the measured one; without a prediction, the measured one alone."""
    job.run("trace", "run.h5", "-p", "p.xml", "-p", "taurus", "--to", "csv", "-o", "two.csv")
    with open(job.work / "two.csv", encoding="utf-8", newline="") as file:
        lines = list(dict.fromkeys(row["timeline"] for row in csv.DictReader(file)))
    expect(len(lines) == 3 and lines[0] == "measured" and "p.xml" in lines[1] and "taurus" in lines[2], str(lines))
    text, _ = job.run("trace", "run.h5", "--no-predict", "--to", "csv", "-o", "/dev/stdout")
    expect({row["timeline"] for row in csv.DictReader(text.splitlines())} == {"measured"}, text[:300])


def check_one_command(job):
    """Both names write the same files."""
    for name in ("trace", "convert"):
        job.run(name, "run.h5", "--to", "ti", "-o", f"{name}.ti")
        job.run(name, "run.h5", "-p", "p.xml", "--p2p", "smpi", "--to", "perfetto", "-o", f"{name}.json")
    for file in sorted(os.listdir(job.work / "trace.ti")):
        expect((job.work / "trace.ti" / file).read_bytes() == (job.work / "convert.ti" / file).read_bytes(), file)
    expect((job.work / "trace.json").read_bytes() == (job.work / "convert.json").read_bytes(), "the time lines differ")


def check_refusals(job):
    job.run("trace", "run.h5", "-p", "p.xml", "--to", "paje", "-o", "old")
    cases = ((["run.h5", "--to", "svg", "-o", "x"], ["svg", "perfetto"]),
             (["none.h5", "--to", "csv", "-o", "x"], ["none.h5"]),
             (["p.xml", "--to", "csv", "-o", "x"], ["p.xml", "HDF5"]),
             (["run.h5", "-p", "none.xml", "--to", "csv", "-o", "x"], ["none.xml"]),
             (["run.h5", "-p", "p.xml", "--ppn", "1", "--cpus-per-rank", "9", "--to", "csv", "-o", "x"], ["9"]),
             (["run.h5", "-p", "p.xml", "--to", "csv", "-o", "none/x"], ["none/x"]),
             (["run.h5", "-p", "p.xml", "--to", "otf2", "-o", "old"], ["old", "exists"]),
             (["run.h5", "-p", "p.xml", "--to", "otf2", "-o", "none/x"], ["none/x"]),
             (["run.h5", "-p", "p.xml", "--to", "ti", "-o", "x"], ["--platform", "perfetto"]),
             (["run.h5", "--plain", "--to", "csv", "-o", "x"], ["--plain", "ti"]),
             (["run.h5", "--to", "csv"], ["--output"]))
    for arguments, words in cases:
        _, error = job.run("trace", *arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
    expect(not (job.work / "x").exists(), "a file was left behind")


def contents(path):
    """Returns: {file: its size} of a file or of a folder."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return {str(file.relative_to(path)): file.stat().st_size for file in files}


def check_interrupted(job):
    """Ctrl-C at any moment leaves the whole file or nothing; what has ended as it should has left the whole one."""
    output = job.work / "i"
    before = set(os.listdir(job.work)) - {"i"}

    def take_away():
        if output.is_dir():
            shutil.rmtree(output)
        else:
            output.unlink(missing_ok=True)

    for to in ("csv", "otf2", "paje"):
        command = ["trace", "run.h5", "-p", "p.xml", "--to", to, "-o", "i"]
        take_away()
        job.run(*command)
        whole = contents(output)
        for delay in (0.0, 0.02, 0.05, 0.1):
            take_away()
            process = subprocess.Popen([job.farcast, *command], cwd=job.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
            expect(process.returncode in (0, 130, -signal.SIGINT), f"{to} after {delay} s: {process.returncode} {error}")
            # It may come between the last step, getting the name, and the end of the process: then the file is whole.
            if output.exists():
                expect(contents(output) == whole, f"{to} after {delay} s: {contents(output)}, the whole is {whole}")
            else:
                expect(process.returncode != 0, f"{to} after {delay} s: code 0 and nothing written")
            take_away()
            expect(set(os.listdir(job.work)) == before, f"left behind: {set(os.listdir(job.work)) - before}")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_csv, check_perfetto, check_otf2, check_paje, check_several_platforms, check_one_command, check_refusals,
                              check_interrupted), __doc__))
