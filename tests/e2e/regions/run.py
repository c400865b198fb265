#!/usr/bin/env python3
"""farcast calibrate regions, --regions and --isolate: what they do, whatever the machine's speed.

    run.py --mpi openmpi|mpich --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed. The figures are tests/bench/bench_regions.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import made_cpufreq  # noqa: E402
from checks import Failure, expect, need  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" core="2" bw="10GBps" lat="1us"/>
</platform>
"""


class Job:
    def __init__(self, arguments):
        self.farcast, self.mpi, self.work = arguments.farcast, arguments.mpi, arguments.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.temporary = self.work / "tmp"
        self.temporary.mkdir(parents=True)
        self.environment = dict(os.environ, TMPDIR=str(self.temporary))
        need(f"mpirun.{self.mpi}")
        self.platform = str(self.work / "node.xml")
        pathlib.Path(self.platform).write_text(PLATFORM)
        self.compile("three_regions.c", "three_regions")
        # Only the build-id tells it from the first.
        self.compile("three_regions.c", "other/three_regions", "-Wl,--build-id=0x1234567890123456789012345678901234567890")

    def compile(self, source, program, *options):
        (self.work / program).parent.mkdir(exist_ok=True)
        subprocess.run([need(f"mpicc.{self.mpi}"), "-g", "-O1", *options, "-o", program, HERE / source], cwd=self.work, check=True)

    def run(self, *arguments, code=0):
        """Returns: (stdout, stderr) of farcast, which must end with `code`."""
        done = subprocess.run([self.farcast, *arguments], cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=100,
                              stdin=subprocess.DEVNULL)
        expect(done.returncode == code, f"farcast {' '.join(arguments)}: exit code {done.returncode}, expected {code}\n"
                                        f"{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def json(self, name):
        return json.loads((self.work / name).read_text())

    def expect_nothing_left(self, what):
        expect(not list(self.temporary.glob("farcast-calibrate-*")), f"{what} left {os.listdir(self.temporary)}")
        deadline = time.monotonic() + 10
        while True:
            found = [command for command in map(command_of, filter(str.isdigit, os.listdir("/proc"))) if str(self.work) in command]
            if not found:
                return
            expect(time.monotonic() < deadline, f"{what} left processes: {found}")
            time.sleep(0.1)


def command_of(pid):
    """Command line and folder of a process, as far as it is a rank or a farcast of this test."""
    try:
        command = pathlib.Path("/proc", pid, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"{os.readlink(f'/proc/{pid}/cwd')} {command}" if "three_regions" in command and int(pid) != os.getpid() else ""
    except OSError:
        return ""


def check_isolation(job):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    stdout, _ = job.run("run", "-np", "2", "--no-predict", "--isolate", "1", "--json", "alone.json", "--", "./three_regions", "10", "20")
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    expect(stdout == "at most 1 computed at a time\n", f"isolated, but: {stdout}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expect(spent < 1.5 * wall, f"two ranks, one at a time, used {spent:.2f} s of processor time in {wall:.2f} s: somebody burnt a core")
    report = job.json("alone.json")
    expect(report["complete"] and not report["notes"], f"notes: {report['notes']}")
    stdout, _ = job.run("run", "-np", "3", "--no-predict", "--isolate", "2", "--", "./three_regions", "3", "5")
    expect(int(re.search(r"at most (\d) computed", stdout).group(1)) <= 2, stdout)
    print(f"isolated: one at a time, {spent / wall:.2f} cores used")


def check_killed_holder(job):
    if job.mpi != "mpich":
        return  # Open MPI's mpirun ends the other ranks
    job.compile("killed_holder.c", "killed_holder")
    # The launcher ends the other ranks when one that it started dies: a shell stands between.
    rank = f"{job.farcast} exec --no-predict --isolate 1 --json killed.json -- ./killed_holder; sleep 4; exit 0"
    subprocess.run([need("mpirun.mpich"), "-disable-auto-cleanup", "-np", "2", "sh", "-c", rank], cwd=job.work, env=job.environment,
                   capture_output=True, timeout=60, check=False)
    expect((job.work / "survived").exists(), "rank 1 waits for a dead rank's token")
    deadline = time.monotonic() + 20
    while not (job.work / "killed.json").exists():
        expect(time.monotonic() < deadline, "no report")
        time.sleep(0.1)
    expect(not any("let through" in note for note in job.json("killed.json")["notes"]), "the token came by patience only")
    print("a dead rank's token goes on")


def check_calibration(job):
    stdout, _ = job.run("calibrate", "regions", "-np", "2", "--repeat", "1", "-o", "regions.h5", "--adjustments", "regions.csv", "--",
                        "./three_regions", "10", "5")
    expect("three_regions.c" in stdout and "2 co-runners" in stdout and "written to regions.h5" in stdout, stdout)
    growing = re.search(r"^ +20 +\S+ \S+ +(\d\.\d+) \+- .*(three_regions\.c:\d+ -> \S+)$", stdout, re.M)
    expect(growing is not None, f"no region with 20 visits and a slowdown:\n{stdout}")
    lines = (job.work / "regions.csv").read_text().splitlines()
    expect(lines[0] == '"start:stop","ratio"' and len(lines) > 5, f"regions.csv: {lines}")
    expect(all(re.fullmatch(r'"three_regions\.c:\d+:three_regions\.c:\d+",[\d.e-]+', line) for line in lines[1:]), f"regions.csv: {lines}")
    job.expect_nothing_left("a calibration")
    print("calibrated")


def check_prediction(job):
    for file in ("regions.h5", "regions.csv"):
        _, text = job.run("run", "-np", "2", "-p", job.platform, "--regions", file, "--full", "--ensemble", "20", "--json", "live.json", "-o", "run.h5", "--",
                          "./three_regions", "5", "5")
        expect(f"co-runner slowdowns of {job.work}/{file}" in re.sub(r"\s*\n\s*", " ", text), f"the report does not name {file}:\n{text}")
        job.run("predict", "run.h5", "-p", job.platform, "--regions", str(job.work / file), "--ensemble", "20", "--json", "again.json")
        live, again = job.json("live.json")["predictions"][0], job.json("again.json")["predictions"][0]
        use = live["slowdowns"]
        measured = sum(region["measured_s"] for region in live["regions"])
        named = sum(use[key] for key in ("exact_s", "neighbour_s", "same_file_s", "none_s"))
        expect(abs(named - measured) <= 0.02 * measured, f"{file}: {named} of {measured} s of computation: {use}")
        expect(use["exact_s"] >= 0.99 * named, f"{file}: {use}")
        expect(live == again, f"{file}: the prediction from the run file differs from the live one")
        expect(any("each run was repeated 1 times only" in caution for caution in live["cautions"]) == (file == "regions.h5"),
               f"{file}: {live['cautions']}")
    job.run("predict", "run.h5", "-p", job.platform, "--json", "plain.json")
    plain = job.json("plain.json")["predictions"][0]
    expect("slowdowns" not in plain and plain["cautions"] == [], "slowdowns without --regions")
    expect(any("contention for memory is not modelled: up to 2 ranks" in text for text in plain["assumptions"]), plain["assumptions"])
    print("applied, live and from the run file")


def check_stacks(job):
    """Regions that are told by callers are recorded and found by them."""
    program = ["./three_regions", "5", "5"]
    stdout, _ = job.run("calibrate", "regions", "-np", "2", "--repeat", "1", "--stack", "2", "-o", "stacks.h5", "--", *program)
    expect(re.search(r"three_regions\.c:\d+ < \S+", stdout), stdout)
    job.run("run", "-np", "2", "-p", job.platform, "--regions", "stacks.h5", "--ensemble", "0", "--json", "stacks.json", "-o", "stacks_run.h5", "--", *program)
    live = job.json("stacks.json")
    use = live["predictions"][0]["slowdowns"]
    expect(use["exact_s"] >= 0.99 * sum(use[key] for key in ("exact_s", "neighbour_s", "same_file_s", "none_s")), use)
    job.run("predict", "stacks_run.h5", "-p", job.platform, "--regions", str(job.work / "stacks.h5"), "--ensemble", "0", "--json", "again.json")
    expect(job.json("again.json")["predictions"] == live["predictions"], "stacks: live and again")
    job.run("predict", "run.h5", "-p", job.platform, "--regions", "stacks.h5", "--json", "bare.json")  # recorded without callers
    use = job.json("bare.json")["predictions"][0]["slowdowns"]
    expect(use["exact_s"] > 0 and use["none_s"] == 0, use)
    _, text = job.run("calibrate", "regions", "-np", "2", "--stack", "2", "--adjustments", "a.csv", "--", *program, code=2)
    expect("--adjustments: SimGrid's comp-adjustment-file tells regions by their calls alone" in text, text)
    print("told by callers")


def check_refusals(job):
    other = "./other/three_regions"
    _, text = job.run("run", "-np", "2", "--no-predict", "-o", "other.h5", "--", other, "1", "1")
    _, text = job.run("predict", "other.h5", "-p", job.platform, "--regions", "regions.h5", code=2)
    expect("regions.h5: it was measured on another build of three_regions" in text, text)
    stdout, text = job.run("exec", "-p", job.platform, "--regions", "regions.h5", "--", other, code=2)
    expect("another build of three_regions" in text and not stdout, f"{stdout}\n{text}")
    _, text = job.run("calibrate", "regions", "-np", "2", "-o", "none.h5", "--", "sh", "-c", "echo so sad; exit 3", code=1)
    expect("ended with code" in text and "so sad" in text, text)
    _, text = job.run("calibrate", "regions", "-np", "2", "-o", "none.h5", "--co-runners", "3", "--", "./three_regions", code=2)
    expect("--co-runners 3" in text, text)
    expect(not (job.work / "none.h5").exists(), "a failed calibration left a file")
    print("refused: another build, a program that fails, too many co-runners")


def check_frequencies(job):
    clocks = made_cpufreq.Clocks(job.work / "cpu")
    measure = ["calibrate", "regions", "-np", "2", "--repeat", "1", "--co-runners", "1", "--cpufreq", "cpu"]
    with clocks.watched() as held:
        stdout, _ = job.run(*measure, "--frequencies", "1.2GHz,1.8GHz,2.4GHz", "-o", "clock.h5", "--", "./three_regions", "2", "2")
    files = [f"clock-{ghz}GHz.h5" for ghz in ("1.2", "1.8", "2.4")]
    expect(held == set(made_cpufreq.TABLE_KHZ) and clocks.are_back(), f"held to {held}, left at {clocks.ranges()}")
    expect(f"farcast calibrate speed {' '.join(files)}\n" in stdout, stdout)
    # Measured alone only, used where two share a node.
    _, text = job.run("predict", "run.h5", "-p", job.platform, "--regions", files[0], "--json", "few.json")
    few = " ".join(job.json("few.json")["predictions"][0]["cautions"])
    expect("up to 2 ranks computing on its node, and its slowdowns were measured with at most 1" in few, few)
    stdout, _ = job.run("calibrate", "speed", *files)
    expect("b is the share of the time" in stdout and "three_regions.c" in stdout and "1.2 GHz" in stdout, stdout)
    _, text = job.run(*measure, "--frequencies", "7GHz", "-o", "clock.h5", "--", "./three_regions", "2", "2", code=2)
    expect("found 7 GHz" in text and not (job.work / "clock.h5").exists(), text)
    process = subprocess.Popen([job.farcast, *measure, "--frequencies", "1.2GHz", "-o", "killed.h5", "--", "./three_regions", "500", "20"],
                               cwd=job.work, env=job.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    expect(clocks.wait_until_set(), "no clock was set")
    process.send_signal(signal.SIGINT)
    expect(process.wait(timeout=60) == 128 + signal.SIGINT and clocks.are_back(), f"{process.returncode}, {clocks.ranges()}")
    job.expect_nothing_left("a calibration at a frequency")
    print("measured at three frequencies")


def check_killed(job):
    command = [job.farcast, "calibrate", "regions", "-np", "2", "-o", "killed.h5", "--", "./three_regions", "500", "20"]
    for how, code in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, 128 + signal.SIGINT)):
        process = subprocess.Popen(command, cwd=job.work, env=job.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not any(map(command_of, filter(str.isdigit, os.listdir("/proc")))) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.0)
        process.send_signal(how)
        expect(process.wait(timeout=60) == code, f"{how.name}: exit code {process.returncode}")
        expect(not (job.work / "killed.h5").exists(), "a killed calibration left a file")
        job.expect_nothing_left(f"a calibration ended by {how.name}")
    left = job.temporary / f"farcast-calibrate-{socket.gethostname()}-999999999-abcdef"  # no process has this number
    left.mkdir()
    (left / "run.h5").write_text("half")
    job.run("calibrate", "regions", "-np", "2", "--repeat", "1", "-o", "killed.h5", "--", "./three_regions", "2", "1")
    job.expect_nothing_left("a rerun")
    print("killed: nothing is left, a rerun starts clean")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--farcast", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    job = Job(parser.parse_args())
    for check in (check_isolation, check_killed_holder, check_calibration, check_prediction, check_stacks, check_refusals, check_frequencies,
                  check_killed):
        check(job)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
