#!/usr/bin/env python3
"""calibrate power end to end, with counters, clocks, PAPI and a meter that this test plays: what is written, refused, left behind.

    run.py --farcast BUILD/bin/farcast --papi FOLDER_OF_THE_STAND_IN
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import made_cpufreq  # noqa: E402
from checks import Failure, expect  # noqa: E402

PATIENCE_S = 120
STEP_S = "0.5"


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


def counters(work, range_j=1000000):
    """A package and its memory, 40 and 10 W; the sum of both belongs to the node, their core domain does not count again, nor does the
    package by its other interface. Each begins anew at `range_j` joules."""
    shutil.rmtree(work / "powercap", ignore_errors=True)
    zones = ("intel-rapl:0", "package-0", 40), ("intel-rapl:0:0", "core", 1000), ("intel-rapl:0:1", "dram", 10), ("intel-rapl-mmio:0", "package-0", 40)
    for folder, name, watts in zones:
        zone = work / "powercap" / folder
        zone.mkdir(parents=True)
        (zone / "name").write_text(name + "\n")
        (zone / "max_energy_range_uj").write_text(f"{int(range_j * 1e6)}\n")
        (zone / "watts").write_text(str(watts))
    start = time.time()

    def advance():
        for zone in (work / "powercap").iterdir():
            joules = int((zone / "watts").read_text()) * (time.time() - start) % range_j
            (zone / "new").write_text(f"{int(joules * 1e6)}\n")
            os.replace(zone / "new", zone / "energy_uj")
    advance()
    return advance


def close_to(watts, steps, share):
    """Steps as they should be on the whole: a busy machine lets single ones be off."""
    found = sorted(step["watts"] for step in steps)
    return abs(found[len(found) // 2] / watts - 1) < share and found[0] > 0.5 * watts and found[-1] < 2 * watts


def check_counters(farcast, work):
    """Wrapping, vanishing, at several frequencies, and all clocks as before whatever ends it."""
    def words(step_s, *clocks):
        return [farcast, "calibrate", "power", "-o", "c.json", "--powercap", "powercap", "--step", step_s, *clocks]
    with repeated(counters(work, range_j=12)):  # of the package each 0.3 s
        done = subprocess.run(words(STEP_S, "--cpufreq", "none"), cwd=work, capture_output=True, text=True, timeout=PATIENCE_S)
    expect(done.returncode == 0, done)
    file = json.loads((work / "c.json").read_text())
    expect(close_to(50, file["steps"], 0.1), f"wrapping counters: {file['steps']}")
    expect(any("frequencies that the system chose" in note for note in file["notes"]), file["notes"])
    expect(len({step["frequency_hz"] for step in file["steps"]}) == 1, file["steps"])
    (work / "c.json").unlink()

    clocks = made_cpufreq.Clocks(work / "cpu")
    with repeated(counters(work)), clocks.watched() as held:
        done = subprocess.run(words(STEP_S, "--cpufreq", "cpu", "--frequencies", "1.2GHz,2.4GHz"), cwd=work, capture_output=True, text=True,
                              timeout=PATIENCE_S)
    expect(done.returncode == 0 and held == {1200000, 2400000} and clocks.are_back(), f"{held} {clocks.ranges()} {done}")
    steps = json.loads((work / "c.json").read_text())["steps"]
    for frequency in (1.2e9, 2.4e9):
        expect({"idle", "compute", "memory"} <= {step["workload"] for step in steps if step["frequency_hz"] == frequency}, steps)
    expect("more than a tenth" in done.stdout, done.stdout)  # the kernel says 1.8 GHz all the time here
    (work / "c.json").unlink()

    def children(pid):
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    def runs(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False
    for how, code, send in ((signal.SIGINT, 130, os.killpg), (signal.SIGTERM, 143, os.kill), (signal.SIGHUP, 129, os.killpg),
                            (signal.SIGKILL, -9, os.kill), (signal.SIGKILL, -9, os.killpg)):
        with repeated(counters(work)):
            process = subprocess.Popen(words("1", "--cpufreq", "cpu"), cwd=work, stdout=subprocess.DEVNULL, start_new_session=True)
            expect(clocks.wait_until_set(), "no clock was set")
            end = time.monotonic() + PATIENCE_S
            while len(loads := children(process.pid)) < 2 and time.monotonic() < end:  # whoever keeps the clocks, and a load
                time.sleep(0.02)
            send(process.pid, how)
            expect(process.wait(timeout=PATIENCE_S) == code, f"{how.name}: exit code {process.returncode}")
            expect(clocks.are_back(0 if how != signal.SIGKILL else 10), f"{how.name} left {clocks.ranges()}")
        end = time.monotonic() + 10
        while any(map(runs, loads)) and time.monotonic() < end:
            time.sleep(0.02)
        expect(len(loads) > 1 and not any(map(runs, loads)), f"{how.name} left processes of {loads}")
        expect(not [name for name in os.listdir(work) if "c.json" in name], f"{how.name} left a file")

    advance = counters(work)
    gone = threading.Timer(1.0, lambda: (work / "powercap" / "intel-rapl:0:1").rename(work / "gone"))
    gone.start()
    began = time.monotonic()
    with contextlib.suppress(FileNotFoundError), repeated(lambda: quietly(advance)):
        done = subprocess.run(words("20", "--cpufreq", "cpu"), cwd=work, capture_output=True, text=True, timeout=PATIENCE_S)
    gone.join()
    expect(done.returncode == 3 and "intel-rapl:0:1/energy_uj could not be read any more" in done.stderr, done)
    expect(len(done.stderr.splitlines()) == 1 and time.monotonic() - began < 15, done)
    expect(clocks.are_back() and not (work / "c.json").exists(), f"{clocks.ranges()}")


def quietly(action):
    with contextlib.suppress(OSError):
        action()


def check_papi(farcast, work, papi):
    command = [farcast, "calibrate", "power", "-o", "papi.json", "--powercap", "empty", "--step", STEP_S, "--cpufreq", "none"]

    def run(failing):
        environment = dict(os.environ, LD_LIBRARY_PATH=papi, PAPI_STAND_IN=failing)
        return subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    for failing, reason in (("add", "rapl:::PACKAGE_ENERGY:PACKAGE0: no such event"), ("start", "PAPI_start: some error"),
                            ("zero", "counts no energy"), ("later", "PAPI's rapl component: some error")):
        done = run(failing)
        expect(done.returncode == 3 and reason in done.stderr and len(done.stderr.splitlines()) == 1, f"{failing}: {done}")
        expect(not (work / "papi.json").exists(), f"{failing} left a file")
    done = run("")
    expect(done.returncode == 0, done)
    file = json.loads((work / "papi.json").read_text())
    expect(close_to(35, file["steps"], 0.02) and "2 energy counters of the processor through PAPI" in file["source"], file)


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
    parser.add_argument("--papi", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="farcast-power-") as work:
        try:
            farcast = str(pathlib.Path(arguments.farcast).resolve())
            check(farcast, pathlib.Path(work))
            check_counters(farcast, pathlib.Path(work))
            check_papi(farcast, pathlib.Path(work), str(pathlib.Path(arguments.papi).resolve()))
        except Failure as failure:
            print(f"calibrate power: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
