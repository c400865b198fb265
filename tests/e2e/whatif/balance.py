#!/usr/bin/env python3
"""farcast whatif --balance: divisions over hosts of unequal speed take the time that arithmetic in Python gives.

    balance.py --mpi openmpi|mpich --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import sys

import run
from checks import expect, run_checks

BYTES, BANDWIDTH = 4e6, 20e6  # of the message (uneven.c), of the link
SPEEDS = {"fast": 3.0, "slow": 1.0}
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="smpi/bw-factor" value="0:1"/> <prop id="smpi/lat-factor" value="0:1"/> <prop id="network/TCP-gamma" value="0"/>
    <prop id="network/crosstraffic" value="no"/> <prop id="smpi/host-speed" value="1Gf"/>
  </config>
  <zone id="z" routing="Full">
    <host id="fast" speed="3Gf"/> <host id="slow" speed="1Gf"/> <link id="l" bandwidth="20MBps" latency="1us"/>
    <route src="fast" dst="slow"><link_ctn id="l"/></route>
  </zone>
</platform>
"""
PARTS = [step / 8 for step in range(9)]


def record_uneven(job):
    job.compile(run.HERE / "uneven.c")
    job.record("uneven.h5", "./uneven", ranks=2)
    (job.work / "mixed.xml").write_text(PLATFORM)


def computed(job):
    """Returns: [rank] seconds of computation as recorded: on hosts that are as fast as this machine."""
    prediction = job.predicted("-p", "mixed.xml", "--relative-speed", "1", run_file="uneven.h5")
    return [rank["compute_s"] for rank in prediction["ranks"]]


def check_times(job):
    seconds, speeds = computed(job), list(SPEEDS.values())
    even = job.predicted("-p", "mixed.xml", run_file="uneven.h5")
    per_speed = sum(seconds) / sum(c * r for c, r in zip(seconds, speeds))
    for what in ("computation", "data"):
        text, asked, rows = job.asked("-p", "mixed.xml", "--balance", what, run_file="uneven.h5")
        points = {point["balance"]["part"]: point for point in asked["points"]}
        expect(sorted(points) == PARTS and {float(row["balance"]) for row in rows} == set(PARTS), str(rows))
        run.same_figures(points[0], even, f"{what}, as recorded")
        wanted = {}
        for part, point in points.items():
            factors = [1 + part * (speed * per_speed - 1) for speed in speeds]
            computing = max(c * f / r for c, f, r in zip(seconds, factors, speeds))
            wanted[part] = computing + BYTES * (factors[0] if what == "data" else 1) / BANDWIDTH
            expect(abs(point["time_s"] / wanted[part] - 1) < 0.01, f"{what}, part {part}: {point['time_s']} s, expected {wanted[part]} s")
            for host, speed, c, f in zip(SPEEDS, speeds, seconds, factors):
                kind = next(one for one in point["balance"]["hosts"] if one["first"] == host)
                expect((kind["nodes"], kind["ranks"], kind["speed"]) == (1, 1, speed), str(kind))
                expect(abs(kind["share"] - c * f / sum(seconds)) < 1e-6, f"{what}, part {part}: {kind}")
        best = asked["balance"]["divisions"]
        expect(len(best) == 1 and asked["points"][best[0]["recorded_point"]]["balance"]["part"] == 0, str(best))
        found = asked["points"][best[0]["best_point"]]
        expect(found["time_s"] == min(point["time_s"] for point in points.values()), str(best))
        expect(abs(best[0]["gain"] - even["time_s"] / found["time_s"]) < 1e-12 and abs(best[0]["computation_gain"] - 2) < 1e-12, str(best))
        expect("balance: " in text and "fast " in text and ("payloads" in text) == (what == "data"), text)


def check_neutral(job):
    """Equal hosts: every division is the recorded one."""
    base = job.predicted("-p", "p.xml")
    for what in ([], ["data"]):
        text, asked, _ = job.asked("-p", "p.xml", "--balance", *what)
        expect(len(asked["points"]) == len(PARTS), str(asked["points"]))
        for point in asked["points"]:
            run.same_figures(point, base, f"equal hosts, part {point['balance']['part']}")
        expect(asked["no_effect"] == ["balance"] and "no effect: balance" in text, text)
    _, plain, rows = job.asked("-p", "p.xml")
    expect("balance" not in plain and "balance" not in plain["points"][0] and "balance" not in rows[0], "not asked for")


def check_axes(job):
    """With another axis, each of its values has a best division of its own; the frequency's law is in the speeds."""
    _, asked, _ = job.asked("-p", "mixed.xml", "--bandwidth", "x1,x1000", "--balance", run_file="uneven.h5")
    best = asked["balance"]["divisions"]
    expect(len(asked["points"]) == 18 and len(best) == 2, str(best))
    for one in best:
        points = [asked["points"][one[which]] for which in ("best_point", "recorded_point")]
        expect(points[0]["bandwidth"] == points[1]["bandwidth"] and points[1]["balance"]["part"] == 0, str(points))


def check_sentences(job):
    for arguments in (["--balance", "everything"], ["--balance", "data", "--balance", "data"]):
        _, error = job.run("whatif", "run.h5", "-p", "p.xml", *arguments, code=2)
        expect(error.count("\n") == 1 and "--balance" in error, error)
    text, _ = job.run("whatif", "--balance", "run.h5")
    expect("all hosts are equally fast" in text, text)


if __name__ == "__main__":
    sys.exit(run_checks(run.Job, (record_uneven, check_times, check_neutral, check_axes, check_sentences), __doc__, mpi=True))
