#!/usr/bin/env python3
"""farcast whatif --checkpoint on a recorded ring: odds, best interval, expected time and energy, by Daly's formulas in Python.

    failures.py --mpi openmpi|mpich --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import math
import sys

import run
from checks import expect, run_checks

RATE, IDLE = 0.25, 60.0  # of a node: failures per second, watts of run.PLATFORM in its first state
WRITING, RESTART = 2e-3, 5e-3


def expected_run(solve, tau, rate):
    """Returns: (time, computing, writing and restarting) as model/checkpoints.h has them, written down from Daly06."""
    mean = 1 / rate
    time = mean * math.exp(RESTART / mean) * (math.exp((tau + WRITING) / mean) - 1) * solve / tau
    computing = solve / tau * math.exp(WRITING / mean) * mean * (math.exp(tau / mean) - 1)
    return time, computing, time - computing


def close(value, wanted, what):
    expect(abs(value - wanted) <= 1e-9 * abs(wanted), f"{what}: found {value}, expected {wanted}")


def failing_platform(job):
    text = (job.work / "p.xml").read_text()
    (job.work / "failing.xml").write_text(text.replace("</cluster>", f'<prop id="farcast:failure_rate" value="{RATE}"/></cluster>'))


def check_figures(job):
    """Short times between failures, so that a run of milliseconds has several checkpoints."""
    options = ["--ppn", "1,2,4", "--checkpoint", "2ms", "--restart", "5ms", "--failure-rate", "25", "--best", "energy"]
    text, asked, rows = job.asked("-p", "p.xml", *options)
    points = asked["points"]
    expect(asked["checkpoints"] == {"writing_s": WRITING, "restart_s": RESTART, "interval_s": None, "node_failures_per_s": 25},
           str(asked["checkpoints"]))
    for point, row in zip(points, rows):
        run.same_figures(point, job.predicted("-p", "p.xml", "--ppn", str(point["ppn"])), f"ppn {point['ppn']}")
        found, rate, solve = point["failures"], 25 * point["nodes"], point["time_s"]
        x = WRITING * rate / 2
        tau = math.sqrt(2 * WRITING / rate) * (1 + math.sqrt(x) / 3 + x / 9) - WRITING
        time, computing, rest = expected_run(solve, min(tau, solve), rate)
        close(found["failures_per_s"], rate, "rate")
        close(found["success"], math.exp(-rate * solve), "odds")
        close(found["best_interval_s"], tau, "interval")
        close(found["expected_time_s"], time, "time")
        close(found["expected_energy_j"], point["energy_j"] / solve * computing + IDLE * point["nodes"] * rest, "energy")
        for figure in found:
            expect(float(row[figure]) == found[figure], f"{figure}: {row[figure]} in CSV, {found[figure]} in JSON")
    energies = [point["failures"]["expected_energy_j"] for point in points]
    expect(len(points) == 3 and energies == sorted(energies) and "energy" in points[0]["best"], f"not sorted: {energies}")
    for word in ("success", "best interval", "exp. time", "Daly's best interval", "no core active"):
        expect(word in text, f"no '{word}' in\n{text}")


def check_options(job):
    """The platform's own rate, a given interval, and restarting as long as writing where nobody says."""
    _, asked, _ = job.asked("-p", "failing.xml", "--checkpoint", "2ms", "--checkpoint-interval", "1ms")
    point = asked["points"][0]
    found, rate = point["failures"], RATE * point["nodes"]
    close(found["failures_per_s"], rate, "rate of the platform")
    mean, tau = 1 / rate, min(1e-3, point["time_s"])
    close(found["expected_time_s"],
          mean * math.exp(WRITING / mean) * (math.exp((tau + WRITING) / mean) - 1) * point["time_s"] / tau, "given interval")
    _, asked, rows = job.asked("-p", "p.xml", "--failure-rate", "0", "--checkpoint", "2ms")
    found = asked["points"][0]["failures"]
    expect(found["success"] == 1 and found["best_interval_s"] is None and rows[0]["best_interval_s"] == "", str(found))
    close(found["expected_time_s"], asked["points"][0]["time_s"] + WRITING, "no failures: one checkpoint at the end")
    _, plain, rows = job.asked("-p", "failing.xml")
    expect("checkpoints" not in plain and "failures" not in plain["points"][0] and "success" not in rows[0], "not asked for")


def check_sentences(job):
    for arguments, words in ((["--checkpoint", "60s"], ["p.xml", "n0", "farcast:failure_rate", "--failure-rate"]),
                             (["--checkpoint", "0s"], ["--checkpoint", "'0s'", "above 0"]),
                             (["--checkpoint", "1s,2s"], ["--checkpoint", "1s,2s"]),
                             (["--checkpoint", "-1s"], ["--checkpoint", "'-1s'"]),
                             (["--checkpoint", "60q"], ["--checkpoint", "60q", "unit"]),
                             (["--checkpoint", "60s", "--restart", "soon"], ["--restart", "'soon'"]),
                             (["--checkpoint", "60s", "--checkpoint-interval", "0"], ["--checkpoint-interval", "above 0"]),
                             (["--checkpoint", "60s", "--failure-rate", "-1"], ["--failure-rate", "'-1'"]),
                             (["--restart", "60s"], ["--restart", "--checkpoint"]),
                             (["--failure-rate", "1"], ["--failure-rate", "--checkpoint"])):
        _, error = job.run("whatif", "run.h5", "-p", "p.xml", *arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
    text, asked, _ = job.asked("-p", "p.xml", "--checkpoint", "2ms", "--failure-rate", "1e9")
    expect("never ends" in text and asked["points"][0]["failures"]["expected_time_s"] is None, text)


if __name__ == "__main__":
    sys.exit(run_checks(run.Job, (failing_platform, check_figures, check_options, check_sentences), __doc__, mpi=True))
