#!/usr/bin/env python3
"""One-sided epochs between groups, and files, from a real program to the figures of a prediction.

    run.py --mpi openmpi|mpich --farcast BUILD/bin/farcast --work FOLDER

epochs_files.c on 2 ranks, predicted on nodes with slow disks: its times follow from the platform's figures.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "epochs_files.c"
BYTES, ROUNDS = 1 << 20, 3
BANDWIDTH, READ, WRITE = 100e6, 10e6, 1e6
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config><prop id="smpi/bw-factor" value="0:1"/><prop id="smpi/lat-factor" value="0:1"/><prop id="network/crosstraffic" value="0"/></config>
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="100MBps" lat="1us">{}</cluster>
</platform>
"""
DISKS = '<prop id="farcast:disk_read_bw" value="10MBps"/><prop id="farcast:disk_write_bw" value="1MBps"/>'


class Failure(Exception):
    """What did not hold."""


def run(work, *command):
    done = subprocess.run(list(map(str, command)), cwd=work, capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}")


def near(found, expected, what):
    if abs(found - expected) > 0.02 * expected:
        raise Failure(f"{what}: {found}, expected {expected} within 2 %")


def check(mpi, farcast, work):
    (work / "disks.xml").write_text(PLATFORM.format(DISKS))
    (work / "none.xml").write_text(PLATFORM.format(""))
    run(work, shutil.which(f"mpicc.{mpi}"), "-o", "program", SOURCE)
    root = ["--allow-run-as-root", "--oversubscribe"] if mpi == "openmpi" else []
    run(work, shutil.which(f"mpirun.{mpi}"), *root, "-np", 2, farcast, "exec", "--no-predict", "-o", "run.h5", "--", "./program", "data")
    if (work / "data").exists():
        raise Failure("the program left its file behind")
    predicted = {}
    for name in ("disks", "none"):
        run(work, farcast, "predict", "run.h5", "-p", f"{name}.xml", "--p2p", "smpi", "--json", f"{name}.json")
        report = json.loads((work / f"{name}.json").read_text())
        if report["unmodelled"]:
            raise Failure(f"not modelled: {report['unmodelled']}")
        predicted[name] = report["predictions"][0]
    for rank in predicted["disks"]["ranks"]:
        near(rank["local_s"], BYTES / WRITE, "the collective write")
        near(rank["completion_s"], ROUNDS * BYTES / BANDWIDTH + BYTES / READ, "the epochs and the wait for the read")
    as_measured = [text for text in predicted["none"]["assumptions"] if text.startswith("files:")]
    if not as_measured or any(text.startswith("files:") for text in predicted["disks"]["assumptions"]):
        raise Failure(f"assumptions: {predicted['none']['assumptions']}, {predicted['disks']['assumptions']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--farcast", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    try:
        check(options.mpi, options.farcast.resolve(), options.work)
    except Failure as failure:
        print(f"epochs_files: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
