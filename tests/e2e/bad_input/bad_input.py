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
