#!/usr/bin/env python3
"""farcast whatif on a recorded ring: every point is what farcast predict says of it, figure by figure.

    run.py --mpi openmpi|mpich --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import csv
import json
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

FREQUENCIES = ["2.3", "1.8", "1.2"]
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="18.4Gf,14.4Gf,9.6Gf" core="4" bw="{bw}MBps" lat="{lat}us">
    <prop id="wattage_per_state" value="60:80:200,58:76:150,56:72:110"/>
    <prop id="farcast:frequencies" value="2.3,1.8,1.2"/>
  </cluster>
</platform>
"""
RANKS = 4
FIGURES = ("time_s", "energy_j", "average_power_w", "edp_js", "nodes")


class Job(FarcastRuns):
    patience_s = 200

    def __init__(self, arguments):
        super().__init__(arguments)
        (self.work / "p.xml").write_text(PLATFORM.format(bw=100, lat=20))
        (self.work / "quick.xml").write_text(PLATFORM.format(bw=200, lat=10))
        self.compile(HERE.parent / "ring" / "ring.c")
        self.record("run.h5", "./ring", ranks=RANKS)

    def predicted(self, *arguments, run_file="run.h5"):
        self.run("predict", run_file, "--json", "predicted.json", *arguments)
        return json.loads((self.work / "predicted.json").read_text())["predictions"][0]

    def asked(self, *arguments, run_file="run.h5"):
        text, _ = self.run("whatif", run_file, "--json", "asked.json", "--csv", "asked.csv", *arguments)
        with open(self.work / "asked.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return text, json.loads((self.work / "asked.json").read_text()), rows


def same_figures(point, prediction, what):
    for figure in FIGURES:
        expect(point[figure] == prediction[figure], f"{what}: {figure} is {point[figure]}, predict says {prediction[figure]}")


def check_points(job):
    """Each point against farcast predict on a platform file that has its figures."""
    text, asked, rows = job.asked("-p", "p.xml", "--ppn", "2,4", "--frequency", ",".join(FREQUENCIES), "--bandwidth", "x1,x2",
                                  "--latency", "x1,x0.5", "--best", "energy")
    points = asked["points"]
    expect(len(points) == 2 * 3 * 2 * 2 == len(rows), f"{len(points)} points, {len(rows)} rows")
    for point, row in zip(points, rows):
        expect(float(row["time_s"]) == point["time_s"] and float(row["energy_j"]) == point["energy_j"], f"{row} is not {point}")
        twice = point["bandwidth"] == 2
        if twice != (point["latency"] == 0.5):
            continue
        options = ["--ppn", str(point["ppn"]), "--frequency", f"{point['frequency_hz'] / 1e9:g}"]
        same_figures(point, job.predicted("-p", "quick.xml" if twice else "p.xml", *options), str(options))
    energies = [point["energy_j"] for point in points]
    expect(energies == sorted(energies), "not sorted by energy")
    expect("energy" in points[0]["best"] and points[0]["front"], "the first point has not the least energy")
    expect(sum("time" in point["best"] for point in points) == 1, "no single best time")
    for word in ("ppn", "frequency", "bandwidth", "latency", "1.8 GHz", "x0.5", "EDP"):
        expect(word in text, f"no '{word}' in\n{text}")


def check_intervals(job):
    """A point has the interval that predict gives it; differences have their own, by common draws; the best and the next are told apart or not."""
    options = ["--p2p", "channel", "--realisations", "3", "--ensemble", "24"]
    watts = job.work / "watts.xml"
    watts.write_text((job.work / "p.xml").read_text().replace("</cluster>", '<prop id="farcast:uncertainty:watts" value="0.05:0.03:0.02"/></cluster>'))
    text, asked, rows = job.asked("-p", "watts.xml", "-p", "p.xml", "--latency", "x1,x400", *options)
    expect(asked["intervals"]["members"] == 24 and asked["intervals"]["points"] == 4 and "time vs base" in text, str(asked["intervals"]))
    base = asked["points"][asked["intervals"]["base_point"]]
    expect(base["latency"] == 1 and base["platform"] == "watts.xml", str(base))
    for point, row in zip(asked["points"], rows):
        low, high = point["ninety"]["time_s"]
        expect(low <= point["time_s"] <= high and float(row["time_low_s"]) == low and float(row["time_high_s"]) == high, f"{point} {row}")
        expect((point["ninety"]["energy_j"] is None) == (point["platform"] == "p.xml"), str(point))
        for other, against in (("from_base", base), ("from_best", asked["points"][0])):
            difference = point[other]
            expect(difference["value"] == point["time_s"] - against["time_s"] == float(row[other]), f"{other}: {point}")
            expect(difference["ninety"][0] <= difference["value"] <= difference["ninety"][1], f"{other}: {point}")
        if point["latency"] != 1:
            continue
        confidence = job.predicted("-p", point["platform"], *options)["confidence"]
        expect(confidence["time_s"] == point["ninety"]["time_s"] and confidence["energy_j"] == point["ninety"]["energy_j"],
               f"{point['ninety']}, predict has {confidence}")
    slow = next(point for point in asked["points"] if point["latency"] == 400 and point["platform"] == "watts.xml")["from_base"]
    expect(slow["told_apart"], f"milliseconds per message more: {slow}")
    twins = [point for point in asked["points"] if point["latency"] == 1]
    expect(all(not point["from_best"]["told_apart"] for point in twins) and "NOT told apart" in text, f"{twins}\n{text}")
    text, asked, rows = job.asked("-p", "p.xml", "--latency", "x1,x8", "--ensemble", "0")
    expect("base" not in text and asked["points"][1]["from_base"]["ninety"] is None and rows[1]["from_base_low"] == "", text)
    _, error = job.run("whatif", "run.h5", "--ensemble", "many", code=2)
    expect(error.count("\n") == 1 and "--ensemble" in error, error)


def check_neutral(job):
    _, asked, _ = job.asked("--bandwidth", "x1", "--latency", "x1")
    same_figures(asked["points"][0], job.predicted(), "neutral")
    _, asked, _ = job.asked("-p", "p.xml", "-p", "quick.xml", "--relative-speed", "2")
    for point in asked["points"]:
        same_figures(point, job.predicted("-p", point["platform"], "--relative-speed", "2"), point["platform"])
    base = job.predicted("-p", "p.xml")
    for neutral in (["--mpi-wait", "poll"], ["--policy", "none"], ["--frequency", FREQUENCIES[0]], ["--balance"], ["--balance", "data"]):
        _, asked, _ = job.asked("-p", "p.xml", *neutral)
        for point in asked["points"]:
            same_figures(point, base, str(neutral))


def check_speedup(job):
    job.run("predict", "run.h5", "--json", "predicted.json")
    report = json.loads((job.work / "predicted.json").read_text())
    call = next(site["text"] for site in report["sites"] if site["call"] == "MPI_Waitall")
    _, asked, rows = job.asked("--speedup", f"{call}=1,1000")
    points = {point["speedups"][call]: point for point in asked["points"]}
    same_figures(points[1], report["predictions"][0], "as recorded")
    expect(points[1000]["time_s"] < points[1]["time_s"], f"computation that is sped up saves no time: {points}")
    expect({row["speedups"] for row in rows} == {f"{call}=1", f"{call}=1000"}, str(rows))
    for text, words in (("ring.c:9999=2", ["ring.c:9999", "did you mean ring.c:"]), (call, ["FILE:LINE=FACTOR"]),
                        (f"{call}=-1", ["FILE:LINE=FACTOR"])):
        _, error = job.run("whatif", "run.h5", "--speedup", text, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in ["--speedup", *words]), error)


def check_apart(job):
    """Two places between which the program computes are refused together: each would say how fast that computation is."""
    job.run("predict", "run.h5", "--json", "predicted.json")
    regions = json.loads((job.work / "predicted.json").read_text())["predictions"][0]["regions"]
    ends = next(region["name"].split(" -> ") for region in regions if len(set(region["name"].split(" -> "))) == 2
                and all("ring.c:" in end for end in region["name"].split(" -> ")))
    ends = [end.split(" ")[0] for end in ends]
    _, error = job.run("whatif", "run.h5", "--speedup", f"{ends[0]}=2", "--speedup", f"{ends[1]}=1,2", code=2)
    expect(error.count("\n") == 1 and all(word in error for word in ["--speedup", "without common computation", *ends]), error)
    job.asked("--speedup", f"{ends[0]}=2")


def check_remarks(job):
    """What predict says of a point, whatif says too: each sentence once in the table, all of them in JSON."""
    text, asked, _ = job.asked("-p", "p.xml", "-p", "taurus", "--ppn", "1,4", "--policy", "none,dvfs")
    expect(len(asked["points"]) == 8, str(asked["points"]))
    for kind in ("assumptions", "cautions"):
        for place, point in enumerate(asked["points"]):
            said = sorted(one["sentence"] for one in asked[kind] if place in one["points"])
            one = job.predicted("-p", point["platform"], "--ppn", str(point["ppn"]), "--policy", point["policy"])
            expect(said == sorted(one[kind]), f"{point}: {said}, predict has {one[kind]}")
    flat = " ".join(text.split())
    for words in ("assumed platform taurus; ppn 4: contention for memory is not modelled: up to 4 ranks share a node",
                  "assumed platform taurus: a node whose cores all poll"):
        expect(flat.count(words) == 1, f"'{words}' is not there once:\n{text}")
    expect(flat.count("--policy dvfs") == flat.count("policy dvfs:") > 0, text)
    expect(text.index("assumed") > text.index("EDP"), "the block stands above the table")


def check_sentences(job):
    text, asked, _ = job.asked("-p", "p.xml", "--ppn", "4,5", "--bandwidth", "x1,x4")
    expect(asked["no_effect"] == [] and "no effect" not in text, text)  # a node has no loopback: its ranks use its link
    impossible = [point for point in asked["points"] if "impossible" in point]
    expect(len(impossible) == 2 and all(point["ppn"] == 5 for point in impossible), str(impossible))
    expect("impossible: ppn 5" in text and "4 cores" in text, text)
    for arguments, words in ((["--ppn", "0"], ["--ppn", "found '0'"]), (["--ppn", ""], ["--ppn"]), (["--ppn", "9"], ["9"]),
                             (["--frequency", "fast"], ["--frequency", "fast", "GHz"]), (["--bandwidth", "x-1"], ["x-1", "above 0"]),
                             (["--latency", "x1,,x2"], ["x1,,x2"]), (["--frequency", "1.5"], ["1.5 GHz", "2.3, 1.8, 1.2 GHz"]),
                             (["--best", "money"], ["money", "energy"]), (["-p", "tarus"], ["tarus", "taurus"])):
        named = [] if "-p" in arguments else ["-p", "p.xml"]
        _, error = job.run("whatif", "run.h5", *named, *arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
    job.run("whatif", "none.h5", code=2)


def check_saving(job):
    """Waits and policies, as axes and as options of predict; each is said."""
    saving = job.work / "saving.xml"
    saving.write_text(PLATFORM.format(bw=100, lat=20).replace("</cluster>", '<prop id="farcast:sockets" value="2"/></cluster>'))
    _, asked, rows = job.asked("-p", "saving.xml", "--ppn", "2", "--mpi-wait", "poll,block", "--policy", "none,dvfs,throttle,core-throttle")
    expect(len(asked["points"]) == 8 == len(rows), str(asked))
    times = {}
    for point, row in zip(asked["points"], rows):
        options = ["--mpi-wait", point["mpi_wait"], "--policy", point["policy"]]
        expect([row["mpi_wait"], row["policy"]] == options[1::2], f"{row} is not {point}")
        predicted = job.predicted("-p", "saving.xml", "--ppn", "2", *options)
        same_figures(point, predicted, str(options))
        said = " ".join(predicted["assumptions"])
        expect(("give up their core" in said) == (point["mpi_wait"] == "block"), f"{options}: {said}")
        expect((f"--policy {point['policy']}" in said) == (point["policy"] != "none"), f"{options}: {said}")
        times[point["mpi_wait"], point["policy"]] = point["time_s"]
    expect(times["poll", "none"] == job.predicted("-p", "saving.xml", "--ppn", "2")["time_s"], "polling is not what it was")
    expect(times["block", "none"] > times["poll", "none"], f"to wake takes no time: {times}")
    expect(times["poll", "dvfs"] > times["poll", "none"], f"to change the clock takes no time: {times}")
    text, asked, _ = job.asked("-p", "p.xml", "--policy", "none,throttle")
    expect("farcast:sockets" in text and len([one for one in asked["points"] if "impossible" in one]) == 1, text)
    for command, name, value, words in (("whatif", "--mpi-wait", "sleep", ["sleep", "poll or block"]),
                                        ("predict", "--mpi-wait", "sleep", ["sleep", "poll", "block"]),
                                        ("whatif", "--policy", "dvs", ["dvs", "dvfs"]), ("predict", "--policy", "dvs", ["dvs", "dvfs"]),
                                        ("predict", "--policy", "throttle", ["farcast:sockets"])):
        _, error = job.run(command, "run.h5", "-p", "p.xml", name, value, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), error)


BLOCKS = {"farcast_calibration": "collectives", "version": 1, "provenance": {"host": "there", "date": "2026-01-02"}, "notes": [],
          "blocks": [{"block": "p2p", "T_s": 0.25, "K_s_per_byte": 0, "D_tu_bytes": 2048}]}


def check_blocks(job):
    """Block formulas of a platform, and of a record of calibrate collectives."""
    flows = job.predicted("-p", "galera+", "--ppn", "1")
    blocks = job.predicted("-p", "galera+", "--ppn", "1", "--network", "blocks")
    expect(blocks["transport"].startswith("block formulas") and blocks["time_s"] != flows["time_s"], str(blocks["transport"]))
    (job.work / "blocks.json").write_text(json.dumps(BLOCKS))
    slow = job.predicted("-p", "p.xml", "--ppn", "1", "--network", "blocks", "--blocks", "blocks.json")
    expect(slow["time_s"] > 0.25, f"no message took the record's 0.25 s: {slow['time_s']}")
    expect(any("blocks.json" in one and "there" in one for one in slow["assumptions"]), str(slow["assumptions"]))
    _, asked, _ = job.asked("-p", "p.xml", "--ppn", "1", "--network", "blocks", "--blocks", "blocks.json", "--bandwidth", "x1,x2")
    expect(all(point["time_s"] == slow["time_s"] for point in asked["points"]), str(asked["points"]))
    expect(asked["no_effect"] == ["bandwidth"], str(asked["no_effect"]))
    (job.work / "bad.json").write_text(json.dumps({**BLOCKS, "blocks": [{**BLOCKS["blocks"][0], "D_tu_bytes": 0}]}))
    for arguments, words in ((["-p", "p.xml", "--network", "blocks"], ["farcast:block_p2p"]),
                             (["-p", "galera+", "--network", "blocks", "--p2p", "channel"], ["--p2p channel"]),
                             (["-p", "p.xml", "--network", "block"], ["flows", "blocks"]),
                             (["-p", "p.xml", "--network", "blocks", "--blocks", "bad.json"], ["bad.json", "p2p", "D_tu 0"]),
                             (["-p", "p.xml", "--network", "blocks", "--blocks", "predicted.json"], ["predicted.json", "calibrate"]),
                             (["-p", "p.xml", "--network", "blocks", "--blocks", "none.json"], ["none.json"])):
        for command in ("predict", "whatif"):
            _, error = job.run(command, "run.h5", *arguments, code=2)
            expect(error.count("\n") == 1 and all(word in error for word in words), f"{command} {arguments}: {error}")


def check_resume(job):
    """Killed and gone on, or divided among processes, a sweep ends with the same bytes."""
    factors = ",".join(f"x{1 + i / 10:g}" for i in range(12))
    command = [job.farcast, "whatif", "run.h5", "-p", "p.xml", "-p", "taurus", "--p2p", "channel", "--realisations", "10", "--bandwidth",
               factors, "--latency", factors, "--csv", "sweep.csv"]
    parts = job.work / "sweep.csv.parts"

    def whole(launcher=()):
        done = subprocess.run([*launcher, *command], cwd=job.work, capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0, f"{launcher}: exit code {done.returncode}\n{done.stderr}")
        expect(not parts.exists(), f"{parts} is left")
        return done, (done.stdout, (job.work / "sweep.csv").read_bytes())

    _, expected = whole()
    process = subprocess.Popen(command, cwd=job.work, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 100
    while not parts.exists() or sum(file.read_bytes().count(b"\n") for file in parts.glob("*.jsonl")) < 5:
        expect(process.poll() is None and time.monotonic() < deadline, "it ended, or keeps nothing")
        time.sleep(0.002)
    process.kill()
    process.wait()
    with open(parts / "0.jsonl", "a", encoding="utf-8") as file:
        file.write('{"scenario":0,"se')  # a line that was cut short
    (parts / "7.jsonl").write_text('another sweep\n{"scenario":0,"seed":1,"time_s":1e9,"energy_j":1,"nodes":1,"complete":true,"events":1}\n')
    done, resumed = whole()
    expect("goes on from there" in done.stderr, done.stderr)
    expect(resumed == expected, f"gone on, it ends otherwise:\n{resumed[0]}\n{expected[0]}")
    done, shared = whole(job.launcher(3))
    expect(shared == expected and "goes on" not in done.stderr, f"three processes end otherwise:\n{shared[0]}\n{done.stderr}")


def catches_interrupts(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1)
    return False


def check_interrupt(job):
    many = ",".join(f"x{1 + i / 1000:g}" for i in range(120))
    process = subprocess.Popen([job.farcast, "whatif", "run.h5", "-p", "p.xml", "--bandwidth", many, "--latency", many, "--json", "cut.json"],
                               cwd=job.work, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 100
    while not catches_interrupts(process):
        expect(process.poll() is None and time.monotonic() < deadline, "it ended, or never plays")
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=100)
    expect(process.returncode == 130 and "INTERRUPTED:" in text and "of 14400 points" in text, f"{process.returncode}\n{text}")
    expect(json.loads((job.work / "cut.json").read_text())["interrupted"] is True, "cut.json does not say so")
    expect((job.work / "cut.json.parts").is_dir(), "nothing is kept of it")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_points, check_intervals, check_neutral, check_speedup, check_apart, check_remarks, check_sentences, check_saving, check_blocks, check_interrupt, check_resume), __doc__, mpi=True))
