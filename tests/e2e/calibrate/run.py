#!/usr/bin/env python3
"""Calibration end to end: what is written is read back, bad options are refused by one sentence, a killed run leaves nothing.

    run.py --mpi openmpi|mpich --farcast BUILD/bin/farcast
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import SKIPPED, Failure, expect  # noqa: E402

PATIENCE_S = 90
RING = "".join(f"{rank} init\n" for rank in range(2)) + "0 send 1 0 70000\n1 recv 0 0 70000\n0 finalize\n1 finalize\n"
BLOCKS = {"p2p", "broadcast", "scat", "gather", "a2a", "rdisk", "wdisk"}
SLEEPING = """#include <mpi.h>
#include <time.h>
static void doze(void) { nanosleep(&(struct timespec){0, 10000}, NULL); }
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  doze();
  return PMPI_Iprobe(source, tag, comm, flag, status);
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  doze();
  return PMPI_Test(request, flag, status);
}
"""
# options behind `calibrate network`, ranks, what the sentence must contain
REFUSED = [(["-o", "nowhere/net.xml"], 2, ["nowhere/net.xml"]),
           (["-o", "net.svg"], 2, ["net.svg", "one name"]),
           (["-o", "net.xml", "--max-bytes", "5"], 2, ["--max-bytes"]),
           (["-o", "net.xml", "--mpi", "lam"], 2, ["lam"]),
           (["-o", "net.xml", "--quick", "--duration", "3"], 2, ["--quick"]),
           (["-o", "net.xml"], 1, ["1 rank", "mpirun -np 2"]),
           ([], 2, ["--output"])]


class Test:
    def __init__(self, farcast, mpi, work):
        self.farcast, self.work = farcast, work
        self.launcher = shutil.which(f"mpirun.{mpi}") or shutil.which(f"mpiexec.{mpi}")
        self.mpi, self.options = mpi, []
        self.said = {}  # file -> stderr of the measurement that wrote it
        if mpi == "openmpi":
            self.options = ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])

    def words(self, ranks, *arguments):
        return [self.launcher, *self.options, "-np", str(ranks), self.farcast, "calibrate", *arguments]

    def mpirun(self, ranks, *arguments, **environment):
        return subprocess.run(self.words(ranks, *arguments), cwd=self.work, capture_output=True, text=True, timeout=PATIENCE_S,
                              env={**os.environ, **environment})

    def alone(self, *arguments):
        return subprocess.run([self.farcast, *arguments], cwd=self.work, capture_output=True, text=True, timeout=PATIENCE_S)

    def files(self):
        return sorted(os.listdir(self.work))

    def clear(self):
        for path in self.work.iterdir():
            path.unlink()


def network(test):
    done = test.mpirun(2, "network", "-o", "net.xml", "--quick", "--seed", "7", "--nodes", "2")
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    expect(test.files() == ["net.svg", "net.xml"], f"files: {test.files()}")
    test.said["net.xml"] = done.stderr
    for word in ("one-way", "R^2", "samples", "MPI_Iprobe", "net.xml"):
        expect(word in done.stdout, f"no {word} in:\n{done.stdout}")
    expect(xml.etree.ElementTree.parse(test.work / "net.svg").getroot().tag.endswith("svg"), "the picture is no SVG")
    properties = {p.get("id"): p.get("value") for p in xml.etree.ElementTree.parse(test.work / "net.xml").iter("prop")}
    for name in ("smpi/bw-factor", "smpi/lat-factor", "smpi/send-is-detached-thresh", "smpi/async-small-thresh", "smpi/iprobe",
                 "smpi/test", "farcast:self_message", "farcast:eager_limit", "farcast:transport", "farcast:provenance:host",
                 "farcast:provenance:mpi", "farcast:provenance:section:0"):
        expect(name in properties, f"no {name} in {sorted(properties)}")
    expect(properties["farcast:provenance:seed"] == "7", "the seed is not told")
    expect("self " in properties["farcast:provenance:samples"], "a rank was not measured with itself")
    cluster = next(xml.etree.ElementTree.parse(test.work / "net.xml").iter("cluster"))
    expect(cluster.get("loopback_bw") and cluster.get("loopback_lat"), "two ranks of one node, and no loopback")
    (test.work / "ring.ti").write_text(RING)
    done = test.alone("replay", "ring.ti", "--platform", "net.xml", "--ppn", "1", "--json", "ring.json")
    expect(done.returncode == 0, f"the platform is not read back: {done.stderr}")
    expect("not modelled" not in done.stderr, done.stderr)


def says_faults(test, name, checked):
    """Whoever measured the file was told how many faults `calibrate check` finds in it, whose run is `checked`."""
    faults = sum(line.startswith("fault: ") for line in checked.stdout.splitlines())
    told = re.findall(rf"^farcast: {name}: (\d+) faults?: ", test.said[name], re.MULTILINE)
    expect(told == ([str(faults)] if faults else []), f"{name} has {faults} faults: {test.said[name]}\n{checked.stdout}")


def check(test):
    """On the file that `network` left. How good it is depends on the machine: 0 or 1."""
    done = test.alone("calibrate", "check", "net.xml")
    expect(done.returncode in (0, 1), f"exit code {done.returncode}: {done.stderr}")
    expect("network calibration of" in done.stdout, done.stdout)
    expect((done.returncode == 1) == ("fault: " in done.stdout), f"exit code {done.returncode} and\n{done.stdout}")
    says_faults(test, "net.xml", done)
    text = (test.work / "net.xml").read_text()
    (test.work / "other.xml").write_text(text.replace('farcast:provenance:mpi" value="', 'farcast:provenance:mpi" value="Un'))
    done = test.alone("calibrate", "check", "other.xml")
    expect(done.returncode == 1 and "fault: it was measured with Un" in done.stdout, f"{done.returncode}: {done.stdout}")
    (test.work / "cut.xml").write_text(text[:len(text) // 2])
    for name in ("cut.xml", "ring.ti", "missing.xml"):
        done = test.alone("calibrate", "check", name)
        expect(done.returncode == 2 and name in done.stderr, f"{name}: {done.returncode}: {done.stderr}")


def samples(test):
    """A second run adds to the first one's samples; those of another job are refused."""
    kept = []
    for seed in ("1", "2"):
        done = test.mpirun(2, "network", "-o", "net.xml", "--duration", "0.5", "--samples", "net.samples", "--seed", seed)
        if "eager_limit" in done.stderr and done.returncode == 2:
            return  # a busy machine found another limit: that is refused, rightly
        expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
        kept.append([line for line in (test.work / "net.samples").read_text().splitlines() if line.startswith("sample ")])
    first, both = kept
    expect(first and both[:len(first)] == first, "the first run's samples are not the first ones of both")
    expect(len(both) > len(first), f"samples: {len(first)}, then {len(both)}")
    (test.work / "net.samples").write_text("sampled\n")
    done = test.mpirun(2, "network", "-o", "net.xml", "--duration", "0.5", "--samples", "net.samples")
    expect(done.returncode == 2 and "net.samples" in done.stderr, f"{done.returncode}: {done.stderr}")


def sleeping_polls(test):
    """A library whose fruitless polls sleep has no price of one: the file says nothing of them."""
    (test.work / "sleeping.c").write_text(SLEEPING)
    subprocess.run([f"mpicc.{test.mpi}", "-shared", "-fPIC", "-o", "sleeping.so", "sleeping.c"], cwd=test.work, check=True)
    done = test.mpirun(2, "network", "-o", "net.xml", "--duration", "0.5", LD_PRELOAD=str(test.work / "sleeping.so"))
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    properties = {p.get("id") for p in xml.etree.ElementTree.parse(test.work / "net.xml").iter("prop")}
    for name in ("smpi/iprobe", "smpi/test", "farcast:provenance:interval:iprobe", "farcast:provenance:interval:test"):
        expect(name not in properties, f"{name} in {sorted(properties)}")
    expect("fruitless polls were not measured" in done.stdout, done.stdout)


def round_trips(test):
    """Over TCP the kernels tell how long a byte takes without any process: not longer, at its usual, than messages of one do."""
    if test.mpi != "openmpi":
        return
    done = test.mpirun(2, "network", "-o", "net.xml", "--duration", "1", "--samples", "net.samples", OMPI_MCA_btl="tcp,self",
                       OMPI_MCA_btl_tcp_if_include="lo")
    expect(done.returncode == 0 and "latency by the kernel's round-trip time" in done.stdout, f"{done.returncode}: {done.stdout}\n{done.stderr}")
    rows = [line.split() for line in (test.work / "net.samples").read_text().splitlines() if line.startswith("sample ")]
    seconds = {kind: sorted(float(row[5]) for row in rows if row[1] == kind and float(row[3]) < 100) for kind in ("round-trip", "one-way")}
    expect(len(seconds["round-trip"]) >= 16 and seconds["round-trip"][0] > 0, f"round trips: {seconds['round-trip']}")
    usual = {kind: values[len(values) // 4] for kind, values in seconds.items()}
    expect(usual["round-trip"] < 2 * usual["one-way"], f"usual: {usual}")


def three_ranks(test):
    done = test.mpirun(3, "network", "-o", "net.xml", "--duration", "0.5", "--max-bytes", str(1 << 20))
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    properties = {p.get("id"): p.get("value") for p in xml.etree.ElementTree.parse(test.work / "net.xml").iter("prop")}
    for word in ("many-to-one", "one-to-many"):
        expect(f"{word} " in properties["farcast:provenance:samples"], properties["farcast:provenance:samples"])


def collectives(test):
    done = test.mpirun(2, "collectives", "-o", "blocks.json", "--duration", "1", "--max-bytes", "65536")
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    expect(test.files() == ["blocks.json"], f"files: {test.files()}")
    test.said["blocks.json"] = done.stderr
    found = json.loads((test.work / "blocks.json").read_text())
    expect({block["block"] for block in found["blocks"]} == BLOCKS, found["blocks"])
    expect(any("bar was not fitted" in note for note in found["notes"]), "two ranks cannot tell T and K of a barrier apart")
    expect(all(block["samples"] > 0 for block in found["blocks"]), found["blocks"])
    done = test.alone("calibrate", "check", "blocks.json")
    expect(done.returncode in (0, 1) and "collectives calibration of" in done.stdout, f"{done.returncode}: {done.stdout}{done.stderr}")
    says_faults(test, "blocks.json", done)


def refused(test):
    for options, ranks, words in REFUSED:
        done = test.mpirun(ranks, "network", *options)
        expect(done.returncode == 2, f"{options}: exit code {done.returncode}: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if line.startswith("farcast: ")]
        expect(len(lines) == 1, f"{options}: one sentence, found {lines}")
        expect(all(word in lines[0] for word in words), f"{options}: {lines[0]}")
        expect(not test.files(), f"{options}: left {test.files()}")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "PMIX"))}
    done = subprocess.run([test.farcast, "calibrate", "network", "-o", "net.xml"], cwd=test.work, env=environment,
                          capture_output=True, text=True, timeout=PATIENCE_S)
    expect(done.returncode == 2 and "no MPI launcher" in done.stderr, done.stderr)


def descendants(pid):
    """Returns: {pid: command line} of all processes below."""
    parents, commands = {}, {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            commands[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    below, known = {}, {pid}
    while True:
        more = {p for p, parent in parents.items() if parent in known} - known
        if not more:
            return below
        known |= more
        below.update({p: commands.get(p, "") for p in more})


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


SHARED_MEMORY = pathlib.Path("/dev/shm")


def exit_code(launcher):
    """Returns: unset where the launcher stays behind alone, and is killed: Open MPI 4.1.4's, when it is told to end, can wait for ever
    for a lock of PMIx 4.2.2's in its own PMIx_server_finalize."""
    try:
        return launcher.wait(30)
    except subprocess.TimeoutExpired:
        left = [command for pid, command in descendants(launcher.pid).items() if alive(pid)]
        launcher.kill()
        launcher.wait()
        expect(not left, f"the launcher does not end, with {left}")
        return None


def killed(test):
    """Large messages make it long. Once the launcher is ended, once only rank 0's farcast is killed."""
    before = set(SHARED_MEMORY.iterdir())
    for victim in ("launcher", "farcast"):
        job = subprocess.Popen(test.words(2, "network", "-o", "net.xml", "--duration", "600", "--max-bytes", str(1 << 28)),
                               cwd=test.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        below = {}
        while time.monotonic() < until and sum("farcast-network-probe" in c for c in below.values()) < 2:
            time.sleep(0.05)
            below = descendants(job.pid)
        probes = [pid for pid, c in below.items() if "farcast-network-probe" in c]
        first = [pid for pid, c in below.items() if "calibrate network" in c and c.startswith(test.farcast)]
        expect(len(probes) == 2 and len(first) == 1, f"the job did not start: {below}")
        if victim == "launcher":
            job.terminate()
        else:
            os.kill(first[0], signal.SIGKILL)
        code = exit_code(job)
        expect(victim == "launcher" or code != 0, "rank 0 was killed, and mpirun says 0")
        until = time.monotonic() + 20
        while any(alive(pid) for pid in probes + first) and time.monotonic() < until:
            time.sleep(0.05)
        left = [pid for pid in probes + first if alive(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        expect(not left, f"{victim} killed: processes {left} were left")
        expect(not test.files(), f"{victim} killed: left {test.files()}")
    new = set(SHARED_MEMORY.iterdir()) - before
    expect(not [file for file in new if "farcast" in file.name], f"left in shared memory: {new}")
    for file in new:  # MPICH's own, when its processes are killed
        if file.name.startswith(("mpich_shar_tmp", "ucx_shm_posix_")):
            file.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--farcast", required=True)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        test = Test(os.path.realpath(arguments.farcast), arguments.mpi, pathlib.Path(folder))
        if test.launcher is None:
            print(f"no mpirun.{arguments.mpi}")
            return SKIPPED
        for case in (network, check, samples, sleeping_polls, round_trips, three_ranks, collectives, refused, killed):
            if case is not check:
                test.clear()
            started = time.monotonic()
            try:
                case(test)
                print(f"ok: {case.__name__}, {time.monotonic() - started:.1f} s")
            except (Failure, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED: {case.__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
