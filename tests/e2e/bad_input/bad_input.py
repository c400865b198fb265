#!/usr/bin/env python3
"""Bad input: each command line is refused with one sentence that names what was found, exit code 2, and no file left behind.

    bad_input.py FARCAST
"""
import os
import pathlib
import subprocess
import sys
import tempfile

CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="{radical}" speed="{speed}" core="2" bw="1GBps" lat="10us"/>
</platform>
"""
FILES = {
    "good.xml": CLUSTER.format(radical="0-3", speed="1Gf"),
    "speed.xml": CLUSTER.format(radical="0-3", speed="fast"),
    "cut.xml": CLUSTER.format(radical="0-3", speed="1Gf")[:150],
    "torus.xml": CLUSTER.format(radical="0-3", speed="1Gf").replace("core=", 'topology="TORUS" topo_parameters="2,2,1" core='),
    "empty.xml": "",
    "hosts": "n0\nn9\n",
    "slots": "n0 slots=many\n",
    "text.h5": "this is no HDF5 file\n",
    "empty.h5": "",
    # TI traces, all ranks in one file
    "deadlock.ti": "0 init\n1 init\n0 recv 1 0 8\n1 recv 0 0 8\n0 finalize\n1 finalize\n",
    "mismatch.ti": "0 init\n1 init\n0 barrier\n1 bcast 8\n0 finalize\n1 finalize\n",
    "short.ti": "0 init\n1 init\n0 finalize\n1 compute 5\n",
    "unknown.ti": "0 init\n0 dance 1\n0 finalize\n",
    "rank.ti": "0 init\n0 send 7 0 8\n0 finalize\n",
}
# (arguments, exit code, what the sentence must contain)
CASES = [
    (["exec", "--platfrom", "taurus", "--", "true"], 2, ["--platfrom"]),
    (["frobnicate"], 2, ["frobnicate", "predict"]),
    ([], 2, ["subcommand"]),
    (["exec"], 2, ["program"]),
    (["exec", "--stack", "none", "--", "true"], 2, ["none"]),
    (["exec", "--stack", "99", "--", "true"], 2, ["99"]),
    (["exec", "--map-by", "socket", "--", "true"], 2, ["socket"]),
    (["exec", "--relative-speed", "-1", "--", "true"], 2, ["-1", "above 0"]),
    (["exec", "--platform", "tarus", "--", "true"], 2, ["tarus", "taurus"]),
    (["exec", "--platform", "missing.xml", "--", "true"], 2, ["missing.xml"]),
    (["exec", "--platform", "speed.xml", "--", "true"], 2, ["speed.xml", "fast", "speed"]),
    (["exec", "--platform", "cut.xml", "--", "true"], 2, ["cut.xml"]),
    (["exec", "--platform", "torus.xml", "--", "true"], 2, ["torus.xml", "TORUS"]),
    (["exec", "--platform", "empty.xml", "--", "true"], 2, ["empty.xml"]),
    (["exec", "--platform", "good.xml", "--hostfile", "hosts", "--", "true"], 2, ["hosts", "n9"]),
    (["exec", "--platform", "good.xml", "--hostfile", "slots", "--", "true"], 2, ["slots", "many"]),
    (["exec", "--platform", "good.xml", "--hostfile", "nowhere", "--", "true"], 2, ["nowhere"]),
    (["exec", "--json", "nowhere/r.json", "--", "true"], 2, ["nowhere"]),
    (["exec", "-o", "nowhere/r.h5", "--", "true"], 2, ["nowhere"]),
    (["exec", "--", "./no-such-program"], 127, ["no-such-program"]),
    (["run", "-np", "0", "--", "true"], 2, ["0"]),
    (["run", "-np", "9", "--platform", "good.xml", "--", "true"], 2, ["8 cores", "9"]),
    (["run", "-np", "2", "--launcher", "no-such-mpirun", "--", "true"], 2, ["no-such-mpirun"]),
    (["predict", "nowhere.h5"], 2, ["nowhere.h5"]),
    (["predict", "text.h5"], 2, ["text.h5", "HDF5"]),
    (["predict", "empty.h5"], 2, ["empty.h5"]),
    (["predict", "text.h5", "--json", "out.json"], 2, ["text.h5"]),
    (["predict", "text.h5", "--collectives", "openmpy"], 2, ["openmpy", "openmpi"]),
    (["collectives", "--np", "8", "--op", "allreduse"], 2, ["allreduse", "allreduce"]),
    (["replay", "nowhere.ti"], 2, ["nowhere.ti"]),
    (["replay", "deadlock.ti"], 2, ["deadlock", "rank 0 stands at deadlock.ti:3", "rank 1 stands at deadlock.ti:4"]),
    (["replay", "mismatch.ti"], 2, ["MPI_Bcast", "does not match", "rank 0 stands at mismatch.ti:3"]),
    (["replay", "short.ti"], 2, ["short.ti:4: rank 1", "cut short"]),
    (["replay", "unknown.ti"], 2, ["unknown.ti:2: rank 0", "dance"]),
    (["replay", "rank.ti", "--json", "out.json"], 2, ["rank.ti:2: rank 0", "7"]),
]


def main(farcast):
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, text in FILES.items():
            (work / name).write_text(text)
        before = sorted(os.listdir(work))
        for arguments, code, words in CASES:
            done = subprocess.run([farcast, *arguments], cwd=work, capture_output=True, text=True, timeout=60)
            lacks = [word for word in words if word not in done.stderr]
            ok = done.returncode == code and not lacks and not done.stdout and sorted(os.listdir(work)) == before
            print(f"{'ok' if ok else 'FAILED'}: farcast {' '.join(arguments)} -> {done.returncode}: {done.stderr.strip()}")
            if not ok:
                faults += 1
                print(f"  expected exit code {code}, a sentence with {words}, nothing on stdout, no new file; stdout: {done.stdout!r}")
    print(f"{len(CASES) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
