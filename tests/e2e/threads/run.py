#!/usr/bin/env python3
"""Threads of ranks that call no MPI: they are seen, they get cores, and the energy counts the cores that they kept busy.

    run.py --mpi openmpi|mpich --farcast FILE --work FOLDER

Two ranks of tests/programs/hybrid.c with 1 and 2 threads each. How well threads really ran beside each other hangs on the machine;
asked for is what does not: how many there were, which cores they might use, what follows from the seconds that were measured.
Exit code: 0 as required, 1 not, 77 a compiler, a launcher or a second core is missing.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "programs")]
import build  # noqa: E402
from checks import SKIPPED, Failure, expect, need  # noqa: E402

CORES = os.sched_getaffinity(0)
WORDS = ["--steps", 8, "--work", 60000]  # some 15 ms of computation between calls
CORE_WATTS = (214 - 92) / 12  # of a core of taurus that computes
CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" core="2" bw="1GBps" lat="10us"/>
</platform>
"""


class Test:
    def __init__(self, arguments):
        self.mpi, self.farcast, self.work = arguments.mpi, arguments.farcast.resolve(), arguments.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        for hosts in (1, 2):
            (self.work / f"hosts{hosts}.xml").write_text(CLUSTER.format(last=hosts - 1))
        self.program = build.build(build.sources()["hybrid"], self.mpi, self.work)

    def run(self, *words, cores=CORES, **variables):
        return subprocess.run([str(word) for word in words], cwd=self.work, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **variables}, preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def record(self, name, threads, *options, cores=CORES, program=None):
        """Returns: the report, and its text. program: another one than hybrid.c."""
        launcher = [need(f"mpirun.{self.mpi}"), "-np", 2]
        if self.mpi == "openmpi":
            launcher += ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
        done = self.run(*launcher, self.farcast, "exec", "--full", "--ensemble", 20, "--json", f"{name}.json", "-o", f"{name}.h5", *options, "--",
                        *([program] if program else [self.program, *WORDS]), cores=cores, OMP_NUM_THREADS=str(threads))
        expect(done.returncode == 0 and ": right" in done.stdout, done)
        return json.loads((self.work / f"{name}.json").read_text()), done.stderr

    def predict(self, name, *options):
        done = self.run(self.farcast, "predict", f"{name}.h5", "--ensemble", 20, "--json", "again.json", *options)
        expect(done.returncode == 0, done)
        return json.loads((self.work / "again.json").read_text())["predictions"][0]

    def refuse(self, name, *options):
        done = self.run(self.farcast, "predict", f"{name}.h5", *options)
        expect(done.returncode == 2 and done.stderr.startswith("farcast: "), done)
        return done.stderr


def busy(report):
    return [rank["busy_cores"] for rank in report["measured"]["ranks"]]


def check_seen(report, threads, cores):
    for rank in report["measured"]["ranks"]:
        expect(rank["threads"] == threads and rank["computing_threads"] == threads, rank)
        expect(rank["allowed_cores"] == cores, rank)


def check_energy(test, name, live, threads):
    """live: the prediction that was made while the program ran. Returns: seconds of cores that other threads used."""
    prediction = test.predict(name)
    expect(prediction == live, f"{name}: predicted again it is {prediction}, it was {live}")
    expect(prediction["cpus_per_rank"] == threads and prediction["nodes"] == 1, prediction)
    one_core = test.predict(name, "--cpus-per-rank", 1)
    expect(one_core["time_s"] == prediction["time_s"] and "other_threads_core_s" not in one_core, one_core)
    told = [sentence for sentence in one_core["assumptions"] if sentence.startswith("the threads of a rank used")]
    expect(len(told) == threads - 1, told)
    others = sum(prediction.get("other_threads_core_s", []))
    more = prediction["energy_parts_j"]["computing"] - one_core["energy_parts_j"]["computing"]
    expect(abs(more - others * CORE_WATTS) < 1e-6, f"{name}: {more} J for {others} s of cores")
    return others


def check_one_and_two_threads(test):
    single, _ = test.record("single", 1)
    check_seen(single, 1, len(CORES))
    expect(max(busy(single)) < 1.05, busy(single))
    expect(check_energy(test, "single", single["predictions"][0], 1) == 0, single["predictions"][0])
    for attempt in range(3):  # a machine that is busy with something else may let threads run in turn
        double, text = test.record("double", 2)
        if min(busy(double)) > 1.2:
            break
        print(f"attempt {attempt + 1}: ranks of two threads kept {busy(double)} cores busy")
    check_seen(double, 2, len(CORES))
    expect(min(busy(double)) > 1.2, busy(double))
    others = check_energy(test, "double", double["predictions"][0], 2)
    expect(others > 0, double["predictions"][0])
    watts = [report["predictions"][0]["average_power_w"] for report in (single, double)]
    expect(watts[0] < watts[1], f"one thread each: {watts[0]} W, two threads: {watts[1]} W")
    expect("of 2 cores each" in text and "Ranks computed with up to 2 threads." in text, text)
    crowded = double["measured"]["crowded_threads"]
    expect(len(crowded) == (1 if len(CORES) < 4 else 0), crowded)
    expect(not crowded or crowded[0].startswith("the 4 threads of 2 ranks had"), crowded)


def check_placement(test):
    """Hosts of two cores."""
    expect(test.predict("single", "--platform", "hosts1.xml")["nodes"] == 1, "ranks of one thread fit on one host")
    placed = test.predict("double", "--platform", "hosts2.xml")
    expect(placed["nodes"] == 2 and placed["cpus_per_rank"] == 2, placed["placement"])
    (test.work / "hosts").write_text("n0 slots=2\n")
    for options in (("hosts1.xml",), ("hosts2.xml", "--ppn", 2), ("hosts2.xml", "--hostfile", "hosts")):
        tight = test.predict("double", "--platform", *options)
        expect(tight["nodes"] == 1 and tight["cpus_per_rank"] == 1, tight["placement"])
        expect("(their threads used 2 cores, for which there is no room)" in tight["placement"], tight["placement"])
    said = test.refuse("double", "--platform", "hosts1.xml", "--cpus-per-rank", 2)
    expect("found room for 1 ranks of 2 cores each on 1 host of platform" in said, said)
    said = test.refuse("double", "--platform", "hosts2.xml", "--hostfile", "hosts", "--cpus-per-rank", 2)
    expect("hosts:1: found 2 slots of 2 cores each for host 'n0', expected at most its 2 cores" in said, said)
    done = test.run(test.farcast, "convert", "double.h5", "--to", "ti", "-o", "double.ti")
    expect(done.returncode == 0 and "--cpus-per-rank 2`" in done.stdout, done)
    shared = test.predict("double", "--platform", "hosts2.xml", "--ppn", 2, "--cpus-per-rank", 1)
    expect(shared["nodes"] == 1 and shared["cpus_per_rank"] == 1, shared["placement"])
    done = test.run(test.farcast, "exec", "--cpus-per-rank", 13, "--", test.program)
    expect(done.returncode == 2 and "found room for 0 ranks of 13 cores each" in done.stderr and not done.stdout, done)


def check_crowded(test):
    report, text = test.record("crowded", 2, "--platform", "taurus", cores={min(CORES)})
    check_seen(report, 2, 1)
    crowded = report["measured"]["crowded_threads"]
    expect(crowded and crowded[0].startswith("2 ranks (the worst is rank 0) computed with 2 threads on 1 core"), crowded)
    expect("CROWDED THREADS: 2 ranks" in text and "2 threads of a rank shared 1 core while recording" in " ".join(text.split()), text)
    expect(report["predictions"][0]["cpus_per_rank"] == 1, report["predictions"][0]["placement"])
    wished, _ = test.record("wished", 2, "--cpus-per-rank", 3)
    expect(wished["predictions"][0]["cpus_per_rank"] == 3, wished["predictions"][0])
    expect(test.predict("wished", "--cpus-per-rank", 3) == wished["predictions"][0], "live and again")


def check_threads_of_the_library(test):
    """The thread that reads and writes for MPI_File_iread and iwrite computes (it copies), and is not the program's."""
    done = test.run(need(f"mpicc.{test.mpi}"), "-O2", "-o", "files", HERE / "files.c")
    expect(done.returncode == 0, done)
    report, _ = test.record("files", 1, program="./files")
    check_seen(report, 1, len(CORES))
    expect(report["predictions"][0]["cpus_per_rank"] == 1, report["predictions"][0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--farcast", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    need(f"mpicc.{arguments.mpi}")
    if len(CORES) < 2:
        print("one core only")
        return SKIPPED
    try:
        test = Test(arguments)
        check_one_and_two_threads(test)
        check_placement(test)
        check_crowded(test)
        check_threads_of_the_library(test)
    except (Failure, build.Failure) as failure:
        print(failure)
        return 1
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
