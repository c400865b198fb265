#!/usr/bin/env python3
"""A platform whose calibration `farcast calibrate check` faults is said so where the answer is; ranks that share a node are too.

    cautions.py FARCAST
"""
import json
import pathlib
import subprocess
import sys
import tempfile

CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="2" bw="1GBps" lat="10us">
    <prop id="farcast:provenance:kind" value="network"/>
    <prop id="farcast:provenance:host" value="elsewhere"/>
    <prop id="farcast:provenance:mpi" value="MPICH 4.0.2"/>
    <prop id="farcast:provenance:section:1" value="curve=one-way class=other-node samples={samples} outliers=0 above=0 r2=1 p50=0.01"/>
  </cluster>
</platform>
"""
TRACE = "0 init\n1 init\n0 send 1 0 100\n1 recv 0 0 100\n0 finalize\n1 finalize\n"


def expect(holds, text):
    if not holds:
        raise SystemExit(f"FAILED: {text}")


def main(farcast):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "trace").write_text(TRACE)
        for name, samples in (("few.xml", 12), ("good.xml", 200)):
            (work / name).write_text(CLUSTER.format(samples=samples))

        def run(*words):
            return subprocess.run([farcast, *words], cwd=work, capture_output=True, text=True, timeout=60)

        def replay(*words):
            done = run("replay", "trace", "--json", "out.json", *words)
            expect(done.returncode == 0, done)
            return done.stdout, json.loads((work / "out.json").read_text())["predictions"][0]

        checked = run("calibrate", "check", "few.xml")
        fault = "one-way (other-node) rests on 12 samples only"
        expect(checked.returncode == 1 and fault in checked.stdout, checked)
        text, prediction = replay("--platform", "few.xml")
        expect(f"! few.xml: few.xml should be measured again: {fault}" in text, text)
        expect(len(prediction["cautions"]) == 1 and fault in prediction["cautions"][0], prediction["cautions"])
        text, prediction = replay("--platform", "good.xml")
        expect("!" not in text and prediction["cautions"] == [], text)
        # Both ranks stand on the first node, unless they are told not to.
        shared = "contention for memory is not modelled: up to 2 ranks share a node"
        expect(shared in text and any(shared in sentence for sentence in prediction["assumptions"]), text)
        text, prediction = replay("--platform", "good.xml", "--ppn", "1")
        expect("contention" not in text and not prediction["assumptions"], text)
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
