#!/usr/bin/env python3
"""calibrate speed end to end: what is measured and written, R_P and b of known truth, clocks that are put back, what is refused.

    run.py --farcast BUILD/bin/farcast --make-regions BUILD/.../make_regions
"""
import argparse
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import made_cpufreq  # noqa: E402
from checks import Failure, expect  # noqa: E402

PATIENCE_S = 120
QUICK = ["--sample", "0.001", "--repeat", "1"]
NO_CLOCKS = ["--cpufreq", "none"]
KERNELS = {"multiply-add", "matrix", "triad", "stencil", "chase", "sort", "sparse"}
CORES = len(os.sched_getaffinity(0))


class Test:
    def __init__(self, farcast, make_regions, work):
        self.farcast, self.make_regions, self.work = farcast, make_regions, work

    def run(self, *words, code=0):
        done = subprocess.run([self.farcast, "calibrate", *words], cwd=self.work, capture_output=True, text=True, timeout=PATIENCE_S)
        expect(done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def refused(self, *words, code=2, saying=()):
        done = subprocess.run([self.farcast, "calibrate", *words], cwd=self.work, capture_output=True, text=True, timeout=PATIENCE_S)
        expect(done.returncode == code and len(done.stderr.splitlines()) == 1, f"{words}: {done}")
        for word in saying:
            expect(word in done.stderr, f"{words}: '{word}' is not in {done.stderr}")

    def regions(self, file, host, build, frequency, *seconds):
        subprocess.run([self.make_regions, file, host, build, str(frequency), *map(str, seconds)], cwd=self.work, check=True)

    def load(self, file):
        return json.loads((self.work / file).read_text())

    def save(self, file, record):
        (self.work / file).write_text(json.dumps(record))


def numbers_of(text, line_begin):
    """The numbers of R_P with their intervals in the line that begins so."""
    line = next((line for line in text.splitlines() if re.match(line_begin, line)), None)
    expect(line, f"no line {line_begin} in\n{text}")
    return [tuple(map(float, found)) for found in re.findall(r"([\d.e+-]+) \(([\d.e+-]+) to ([\d.e+-]+)\)", line)]


def check_measured(test):
    text = test.run("speed", "-o", "a.json", "--sample", "0.001", "--repeat", "2", *NO_CLOCKS)
    record = test.load("a.json")
    expect({m["kernel"] for m in record["measurements"]} == KERNELS, record["measurements"])
    expect({m["cores"] for m in record["measurements"]} == {1, CORES} and record["cores"] == CORES, record)
    expect(all(len(m["seconds_per_unit"]) == 2 and min(m["seconds_per_unit"]) > 0 for m in record["measurements"]), record)
    expect(record["provenance"]["host"] and record["provenance"]["cpu"] and "speed" in record["provenance"]["command"], record)
    expect(any("clocks cannot be set: none/cpu" in note for note in record["notes"]) and "note: at the freq" in text, text)
    expect("speed written to a.json" in text, text)
    seconds = {(m["kernel"], m["bytes"]): min(m["seconds_per_unit"]) for m in record["measurements"] if m["cores"] == 1}
    steps = [seconds[kernel, size] for kernel, size in sorted(seconds) if kernel == "chase"]
    expect(steps[-1] > 2 * steps[0], f"a step to memory takes no longer than one in the first cache: {steps}")
    expect("triad 96 MiB" in test.run("speed", "a.json"), "the table of a record")
    text = test.run("check", "a.json", code=1)
    expect("speed calibration of" in text and "rest on few samples" in text, text)
    text = test.run("speed", "--against", "a.json", *QUICK, *NO_CLOCKS)
    expect("R_P: speed of" in text and "--relative-speed" in text, text)


def check_known_power(test):
    """Another node on which compute takes 3 times as long, memory half as long and the rest 1.5 times as long."""
    slower = {"compute": 3.0, "memory": 0.5, "latency": 1.5}
    here = test.load("a.json")
    for m in here["measurements"]:
        exact = min(m["seconds_per_unit"])
        m["seconds_per_unit"] = [exact * (1 + 0.001 * i) for i in range(-7, 8)]
    there = json.loads(json.dumps(here))
    there["provenance"]["host"] = "elsewhere"
    for m in there["measurements"]:
        m["seconds_per_unit"] = [seconds * slower[m["bound"]] for seconds in m["seconds_per_unit"]]
    test.save("here.json", here)
    test.save("there.json", there)
    text = test.run("speed", "here.json", "--against", "there.json")
    whole = (3.0 * 0.5 * 1.5) ** (1 / 3)
    for name, truth in (*slower.items(), ("all", whole)):
        found = numbers_of(text, rf"  mean +{name} ")
        expect(found and all(low <= truth <= high and abs(value / truth - 1) < 1e-3 for value, low, high in found), f"{name}: {found}")
    expect(f"--relative-speed {1 / whole:.4g}:" in text and "cores as those of elsewhere" in text, text)
    expect("Kernels differ: 0.3333 to 2." in text, text)
    text = test.run("speed", "there.json", "--against", "here.json")
    expect(f"--relative-speed {whole:.4g}:" in text, text)
    expect("Nothing speaks against it" in test.run("check", "here.json"), "a quiet record")
    there["kernels"] = "99, another"
    test.save("other.json", there)
    test.refused("speed", "here.json", "--against", "other.json", saying=("other.json", "version 99"))


def check_pipe(test):
    """A record that a shell's <(...) gives, which can be read once only."""
    for words in ("speed", "check"):
        done = subprocess.run(["bash", "-c", f'exec "$0" calibrate {words} <(cat here.json)', test.farcast], cwd=test.work,
                              capture_output=True, text=True, timeout=PATIENCE_S)
        expected = test.run(words, "here.json").replace("here.json", "X")
        expect(done.returncode == 0 and re.sub(r"/dev/fd/\d+", "X", done.stdout) == expected, f"{words}: {done}")


def check_clocks(test):
    clocks = made_cpufreq.Clocks(test.work / "cpu")
    with clocks.watched() as held:
        text = test.run("speed", "-o", "f.json", *QUICK, "--cpufreq", "cpu")
    expect(held >= set(made_cpufreq.TABLE_KHZ), f"held to {held}")
    expect(clocks.are_back(), f"left at {clocks.ranges()}")
    record = test.load("f.json")
    expect({m["frequency_hz"] for m in record["measurements"]} == {khz * 1e3 for khz in made_cpufreq.TABLE_KHZ}, record)
    expect("b is the share" in text and len(record["frequency_laws"]) == len(record["measurements"]) // 3, text)
    test.run("speed", "-o", "g.json", *QUICK, "--cpufreq", "cpu", "--frequencies", "2400MHz,1.2GHz")
    expect({m["frequency_hz"] for m in test.load("g.json")["measurements"]} == {1.2e9, 2.4e9}, "--frequencies")
    test.refused("speed", "--cpufreq", "cpu", "--frequencies", "9GHz", saying=("found 9 GHz", "1.2 GHz, 1.8 GHz, 2.4 GHz"))
    test.refused("speed", "--cpufreq", "cpu", "--frequencies", "fast", saying=("found 'fast'", "1.8GHz"))
    test.refused("speed", *NO_CLOCKS, "--frequencies", "1.2GHz", code=3, saying=("cannot be set", "none"))
    for how, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129), (signal.SIGKILL, -9)):
        process = subprocess.Popen([test.farcast, "calibrate", "speed", "-o", "k.json", "--cpufreq", "cpu", "--repeat", "1000"],
                                   cwd=test.work, stdout=subprocess.DEVNULL)
        expect(clocks.wait_until_set(), "no clock was set")
        process.send_signal(how)
        expect(process.wait(timeout=PATIENCE_S) == code, f"{how.name}: exit code {process.returncode}")
        expect(clocks.are_back(0 if how != signal.SIGKILL else 10), f"{how.name} left {clocks.ranges()}")
        expect(not [name for name in os.listdir(test.work) if "k.json" in name], os.listdir(test.work))
    if os.geteuid() != 0:
        (clocks.cores[0] / "scaling_max_freq").chmod(0o444)
        test.refused("speed", "--cpufreq", "cpu", "--frequencies", "1.2GHz", code=3, saying=("scaling_max_freq", "ermission"))


def check_regions(test):
    test.regions("here.h5", "here", "aa", 0, 6, 3, 1)
    test.regions("there.h5", "there", "aa", 0, 3, 4.5, 1)
    test.regions("built.h5", "there", "bbb", 0, 3, 4.5, 1)
    for other in ("there.h5", "built.h5"):
        text = test.run("speed", "here.h5", "--against", other, "--adjustments", "speed.csv")
        expect(("different builds" in text) == (other == "built.h5"), text)
        for line, alone, full in ((r".* a\.c:10 -> a\.c:20", 0.5, 0.5), (r".* a\.c:20 -> b\.c:30", 1.5, 1.5),
                                  (r".* all of them", 8.5 / 10, 10 / 13)):
            (value, low, high), (together, least, most) = numbers_of(text, line)
            expect(abs(value / alone - 1) < 1e-3 and low < alone < high and high < 1.1 * low, f"{line}: {value} {low} {high}")
            expect(abs(together / full - 1) < 1e-3 and least < full < most, f"{line}: {together} {least} {most}")
        expect("--relative-speed 1.3:" in text and "--relative-speed 1.176:" in text and "--regions speed.csv" in text, text)
        with open(test.work / "speed.csv", newline="") as file:
            ratios = {row[0]: float(row[1]) for row in list(csv.reader(file))[1:]}
        expect({name: round(ratio, 4) for name, ratio in ratios.items()} ==
               {"a.c:10:a.c:20": 2.0, "a.c:20:b.c:30": 0.6667, "b.c:30:a.c:10": 1.0}, ratios)
    shares = {"a.c:10": 0.9, "a.c:20": 0.1, "b.c:30": 0.5}
    for khz in made_cpufreq.TABLE_KHZ:
        times = [2 * (share * made_cpufreq.TABLE_KHZ[-1] / khz + 1 - share) for share in shares.values()]
        test.regions(f"{khz}.h5", "here", "aa", khz * 1000, *times)
        test.regions(f"{khz}-untold.h5", "here", "aa", 0, *times)
    files = [f"{khz}.h5" for khz in made_cpufreq.TABLE_KHZ]
    untold = [f"{khz}-untold.h5" for khz in made_cpufreq.TABLE_KHZ]
    for words in (files, [*untold, "--frequencies", "1.2GHz,1.8GHz,2.4GHz"]):
        text = test.run("speed", *words)
        for place, share in (*shares.items(), ("all of", 0.5)):
            line = next(line for line in text.splitlines() if line.startswith(f"  {place}"))
            value, low, high = map(float, re.search(r" ([\d.]+) +([\d.]+) to ([\d.]+) ", line).groups())
            expect(abs(value - share) < 0.002 and low <= share <= high and high - low < 0.3, line)
    test.refused("speed", *untold, saying=("does not tell a frequency", "--frequencies"))
    test.refused("speed", *untold, "--frequencies", "1.2GHz,1.8GHz", saying=("found 2 for 3 files",))
    test.refused("speed", *files[:2], saying=("fewer than 3 frequencies",))
    test.refused("speed", *files, "--against", "there.h5", saying=("--against",))
    test.refused("speed", "here.h5", "--against", "here.json", saying=("here.json",))


def check_refused(test):
    test.refused("speed", "-o", "nowhere/s.json", saying=("nowhere/s.json",))
    test.refused("speed", "--against", "missing.json", saying=("missing.json",))
    test.refused("speed", "here.json", "there.json", saying=("found 2 records",))
    test.refused("speed", "here.json", "-o", "x.json", saying=("--output",))
    test.refused("speed", "here.json", "--against", "there.json", "--adjustments", "x.csv", saying=("--adjustments",))
    test.refused("speed", "--repeat", "0", saying=("--repeat",))
    (test.work / "rubbish.json").write_text("rubbish")
    test.refused("speed", "rubbish.json", saying=("rubbish.json", "expected a file"))
    test.refused("speed", "here.json", "--against", "rubbish.json", saying=("rubbish.json",))
    test.refused("speed", "here.json", "--against", "here.h5", saying=("here.h5",))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--farcast", required=True)
    parser.add_argument("--make-regions", required=True)
    arguments = parser.parse_args()
    farcast, make_regions = (str(pathlib.Path(path).resolve()) for path in (arguments.farcast, arguments.make_regions))
    with tempfile.TemporaryDirectory(prefix="farcast-speed-") as work:
        try:
            for check in (check_measured, check_known_power, check_pipe, check_clocks, check_regions, check_refused):
                check(Test(farcast, make_regions, pathlib.Path(work)))
        except Failure as failure:
            print(f"calibrate speed: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
