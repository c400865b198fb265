#!/usr/bin/env python3
"""Two programs through `scripts/validate programs`, quickly: rows with plausible figures, and a second call that measures nothing again."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

CANNOT = 77
PROGRAMS = ["wavefront", "tasks"]


def expect(condition, what, text=""):
    if not condition:
        print(f"failed: {what}\n{text}")
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--validate", required=True)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()
    there = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout if pathlib.Path("/sbin/ip").exists() else ""
    if any(line.startswith("bottle") for line in there.splitlines()):
        print("skipped: somebody's bottle is up")
        return CANNOT
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-B", arguments.validate, "programs", "--quick", "--network", "100:1000", "--hosts", "2,4", "--programs",
                 ",".join(PROGRAMS), "--patience", "1", "--out", folder, "--build", arguments.build]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        if done.returncode == CANNOT:
            print(f"skipped: {done.stderr.strip()}")
            return CANNOT
        expect(done.returncode in (0, 1), f"it runs: exit code {done.returncode}", done.stdout + done.stderr)
        path = pathlib.Path(folder) / "quick" / "rows.json"
        rows = json.loads(path.read_text())
        found = sorted((row["program"], row["hosts"]) for row in rows)
        expect(found == sorted((name, hosts) for name in PROGRAMS for hosts in (2, 4)), f"a row each: {found}", done.stdout + done.stderr)
        for row in rows:
            ratio = row["predicted_s"] / row["measured"]["median_s"]
            expect(0.5 < ratio < 2 or row["not_judged"], f"{row['program']} on {row['hosts']} hosts: predicted / measured is {ratio:.2f}",
                   done.stdout)
            expect(row["measured"]["least_s"] <= row["measured"]["median_s"] <= row["measured"]["most_s"], "the median lies between")
            expect(("computation" in row) == (row["hosts"] == 2), "computation is told where it is real")
        text = (path.parent / "table.md").read_text()
        expect(all(text.count(f"| {name} |") == 2 for name in PROGRAMS), "all rows are in the table", text)
        before = time.monotonic()
        again = subprocess.run(words, capture_output=True, text=True, timeout=300)
        expect("4 of 4 rows are there" in again.stdout and json.loads(path.read_text()) == rows, "rows are kept", again.stdout + again.stderr)
        print(f"{len(rows)} rows; kept: {time.monotonic() - before:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
