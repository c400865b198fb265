#!/usr/bin/env python3
"""calibrate power end to end, with counters and a meter that this test plays: what is written, what is refused, what is left behind.

    run.py --farcast BUILD/bin/farcast
"""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE_S = 120
STEP_S = "0.5"


class Failed(Exception):
    pass


def expect(truth, what):
    if not truth:
        raise Failed(what)


@contextlib.contextmanager
def repeated(action):
    stop = threading.Event()

    def run():
        while not stop.is_set():
            action()
            time.sleep(0.02)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def counters(work):
    """A package and its memory, 40 and 10 W; the sum of both belongs to the node, their core domain does not count again."""
    for number, (name, watts) in enumerate((("package-0", 40), ("core", 1000), ("dram", 10))):
        zone = work / "powercap" / f"intel-rapl:{number}"
        zone.mkdir(parents=True)
        (zone / "name").write_text(name + "\n")
        (zone / "max_energy_range_uj").write_text("1000000000000\n")
        (zone / "watts").write_text(str(watts))
    start = time.time()

    def advance():
        for zone in (work / "powercap").iterdir():
            joules = int((zone / "watts").read_text()) * (time.time() - start)
            (zone / "new").write_text(f"{int(joules * 1e6)}\n")
            os.replace(zone / "new", zone / "energy_uj")
    advance()
    return advance


def check(farcast, work):
    def run(*words):
        return subprocess.run([farcast, "calibrate", *words], cwd=work, capture_output=True, text=True, timeout=PATIENCE_S)

    (work / "empty").mkdir()
    done = run("power", "-o", "p.json", "--powercap", "empty")
    expect(done.returncode == 3 and "no power can be measured here" in done.stderr and "--meter" in done.stderr, done)
    expect(len(done.stderr.splitlines()) == 1 and not (work / "p.json").exists(), done)
    done = run("power", "-o", "nowhere/p.json", "--powercap", "empty")
    expect(done.returncode == 2 and "nowhere/p.json" in done.stderr, done)
    done = run("power", "-o", "p.json", "--meter", "missing.csv")
    expect(done.returncode == 2 and "missing.csv" in done.stderr, done)
    (work / "bad.csv").write_text("1,2\nrubbish\n3,4\n")
    done = run("power", "-o", "p.json", "--meter", "bad.csv", "--step", "0.2")
    expect(done.returncode == 2 and "bad.csv:2: found 'rubbish'" in done.stderr and not (work / "p.json").exists(), done)

    with repeated(counters(work)):
        done = run("power", "-o", "p.json", "--powercap", "powercap", "--step", STEP_S)
    expect(done.returncode == 0, done)
    file = json.loads((work / "p.json").read_text())
    expect({step["workload"] for step in file["steps"]} >= {"idle", "compute", "memory"}, file["steps"])
    expect(all(step["watts"] > 0 and step["readings"] > 0 for step in file["steps"]), file["steps"])
    expect("2 energy counters" in file["source"], file["source"])
    expect("for a <cluster>" in done.stdout and file["properties"]["wattage_per_state"].count(":") == 2, done)
    expect(run("check", "p.json").returncode in (0, 1), "check")

    with open(work / "meter.csv", "w", buffering=1) as log:
        log.write("time,watts\n")
        with repeated(lambda: log.write(f"{time.time() - 1000:.3f},75\n")):
            done = run("power", "-o", "m.json", "--meter", "meter.csv", "--meter-offset", "1000", "--step", STEP_S)
    expect(done.returncode == 0, done)
    steps = json.loads((work / "m.json").read_text())["steps"]
    expect(all(abs(step["watts"] - 75) < 1e-6 for step in steps), steps)

    (work / "k.csv").write_text("1,2\n")
    process = subprocess.Popen([farcast, "calibrate", "power", "-o", "k.json", "--meter", "k.csv"], cwd=work, stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    expect(not (work / "k.json").exists() and not [n for n in os.listdir(work) if "k.json" in n], os.listdir(work))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--farcast", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="farcast-power-") as work:
        try:
            check(str(pathlib.Path(arguments.farcast).resolve()), pathlib.Path(work))
        except Failed as failed:
            print(f"calibrate power: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
