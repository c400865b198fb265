#!/usr/bin/env python3
"""predict and whatif --power and --speed: the same figures as a platform file that says what the records measured.

    run.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="20Gf,15Gf,5Gf" core="2" bw="100MBps" lat="20us">
    <prop id="farcast:frequencies" value="2,1.5,0.5"/>
    {more}
  </cluster>
</platform>
"""
SAID = ('<prop id="wattage_per_state" value="60:80:120,45:60:90,1:1:1"/><prop id="farcast:polling_watts" value="104,78,1"/>'
        '<prop id="farcast:probing_watts" value="100,75,1"/><prop id="farcast:memory_watts" value="114,85.5,1"/><prop id="farcast:clock_share" value="0.5"/>')
RANKS = 4
SHARES = {"compute": 0.9, "memory": 0.1}
HEAD = {"version": 1, "provenance": {"host": "alpha", "cpu": "a CPU", "date": "2026-01-02T03:04:05Z"}, "notes": []}


def power_record():
    """Idle 60 W, static 80 W and per core 20, 12, 10 W more at 2 GHz; half of all that at 1 GHz."""
    steps = [(workload, cores, ghz, (60 if cores == 0 else 80 + each * cores) * ghz / 2) for ghz in (2, 1)
             for workload, each in (("idle", 0), ("compute", 20), ("memory", 17), ("polling", 12), ("probing", 10))
             for cores in ((0,) if workload == "idle" else (1, 2))]
    return {"farcast_calibration": "power", **HEAD, "source": "a wattmeter", "models": [], "best": "", "properties": {},
            "steps": [{"workload": workload, "active_cores": cores, "frequency_hz": ghz * 1e9, "watts": watts, "deviation_w": 0,
                       "readings": 9} for workload, cores, ghz, watts in steps]}


def speed_record():
    return {"farcast_calibration": "speed", **HEAD, "kernels": "1, a compiler", "cores": 2, "frequency_laws": [],
            "measurements": [{"kernel": bound, "bound": bound, "bytes": 0, "cores": cores, "frequency_hz": ghz * 1e9,
                              "seconds_per_unit": [1e-9 * (1 + share * (2 / ghz - 1))] * 5}
                             for bound, share in SHARES.items() for cores in (1, 2) for ghz in (2, 1.5, 1)]}


class Job(FarcastRuns):
    def __init__(self, arguments):
        super().__init__(arguments)
        (self.work / "plain.xml").write_text(PLATFORM.format(more=""))
        (self.work / "said.xml").write_text(PLATFORM.format(more=SAID))
        (self.work / "nameless.xml").write_text(PLATFORM.format(more="").replace("farcast:frequencies", "colour"))
        (self.work / "wide.xml").write_text(PLATFORM.format(more="").replace('core="2"', 'core="4"'))
        (self.work / "power.json").write_text(json.dumps(power_record()))
        (self.work / "here.json").write_text(json.dumps(speed_record()))
        (self.work / "broken.json").write_text('{"farcast_calibration": "power", "version"')
        self.compile(HERE.parent / "ring" / "ring.c")
        self.record("run.h5", "./ring", ranks=RANKS)

    def run(self, *arguments, code=0, command="predict"):
        return super().run(command, "run.h5", *arguments, code=code)

    def predicted(self, *arguments):
        text, _ = self.run(*arguments, "--full", "--json", "out.json")
        return json.loads((self.work / "out.json").read_text())["predictions"][0], " ".join(text.split())


def near(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


def check_same(job):
    for options in ([], ["--frequency", "1.5"]):
        said, _ = job.predicted("-p", "said.xml", *options)
        found, text = job.predicted("-p", "plain.xml", "--power", "power.json", "--speed", "here.json", *options)
        for figure in ("time_s", "energy_j", "average_power_w"):
            expect(near(found[figure], said[figure]), f"{options}: {figure} {found[figure]}, expected {said[figure]}")
        for words in ("watts of the nodes are those of power.json, measured on alpha (a CPU), 2026-01-02T03:04:05Z, by a wattmeter, "
                      "from 1 to 2 GHz", "b = 0.500, from 0.100 to 0.900", "kernels bound by compute, memory in here.json"):
            expect(words in text and any(words in " ".join(line.split()) for line in found["assumptions"]), f"no '{words}' in {text}")
        slower = "1.167 times as long as at the highest, from 1.033 to 1.3 times" if options else "1 times as long as at the highest"
        expect(slower in text, text)
        expect("follows the clock wholly" not in text and "polling" in text, text)
    plain, _ = job.predicted("-p", "plain.xml", "--frequency", "1.5")
    expect(plain["energy_j"] is None and plain["time_s"] > found["time_s"], "the records change nothing")
    nameless, _ = job.predicted("-p", "nameless.xml", "--power", "power.json")
    highest, _ = job.predicted("-p", "plain.xml", "--power", "power.json")
    expect(near(nameless["energy_j"], highest["energy_j"]), "a platform without frequencies does not take the highest one's watts")


def check_memory_bound(job):
    """Computation at a call site draws the memory steps' watts, from the record as from the platform, in predict and whatif."""
    job.run("-p", "said.xml", "--json", "out.json")
    sites = json.loads((job.work / "out.json").read_text())["sites"]
    call = next(site["text"] for site in sites if site["call"] == "MPI_Waitall")
    plain, _ = job.predicted("-p", "said.xml")
    said, text = job.predicted("-p", "said.xml", "--memory-bound", call)
    found, _ = job.predicted("-p", "plain.xml", "--power", "power.json", "--speed", "here.json", "--memory-bound", call)
    expect(said["time_s"] == plain["time_s"] and near(found["energy_j"], said["energy_j"]), f"{found['energy_j']} is not {said['energy_j']}")
    # All 4 ranks' computation behind and before that call draws 17 in place of 20 W.
    bound = sum(region["predicted_s"] for region in plain["regions"] if call in region["name"])
    expect(bound > 0 and near(plain["energy_j"] - said["energy_j"], 3 * bound), f"{plain['energy_j']}, {said['energy_j']}, {bound} s")
    expect(any("--memory-bound" in one and call in one for one in said["assumptions"]) and "--memory-bound" in text, text)
    job.run("-p", "said.xml", "--memory-bound", call, "--json", "asked.json", command="whatif")
    asked = json.loads((job.work / "asked.json").read_text())
    expect(asked["points"][0]["energy_j"] == said["energy_j"], str(asked["points"]))
    expect(any("--memory-bound" in one["sentence"] for one in asked["assumptions"]), str(asked["assumptions"]))
    for command in ("predict", "whatif"):
        for arguments, words in ((["-p", "plain.xml", "--memory-bound", call], ["--memory-bound", "plain.xml", "n0", "farcast:memory_watts"]),
                                 (["-p", "said.xml", "--memory-bound", "ring.c:9999"], ["--memory-bound", "ring.c:9999", "did you mean"])):
            _, error = job.run(*arguments, code=2, command=command)
            expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")


def check_sweep(job):
    """The points of whatif have the figures of predict; at a clock that was not measured there are no watts."""
    job.run("-p", "plain.xml", "--power", "power.json", "--speed", "here.json", "--frequency", "2,1.5,0.5", "--json", "asked.json",
            command="whatif")
    points = {point["frequency_hz"] / 1e9: point for point in json.loads((job.work / "asked.json").read_text())["points"]}
    for ghz in (2, 1.5):
        one, _ = job.predicted("-p", "plain.xml", "--power", "power.json", "--speed", "here.json", "--frequency", str(ghz))
        expect((points[ghz]["time_s"], points[ghz]["energy_j"]) == (one["time_s"], one["energy_j"]), f"{points[ghz]} is not {one}")
    expect(points[0.5]["energy_j"] is None and points[0.5]["time_s"] > points[1.5]["time_s"], str(points[0.5]))


def check_refusals(job):
    for arguments, words in ((["--power", "broken.json"], ["broken.json"]), (["--power", "here.json"], ["here.json", "'speed'"]),
                             (["--speed", "power.json"], ["power.json", "'power'"]), (["--power", "none.json"], ["none.json"]),
                             (["--power", "power.json", "-p", "wide.xml"], ["power.json", "wide.xml", "2 cores", "4", "n0"]),
                             (["--power", "power.json", "--frequency", "0.5"], ["power.json", "0.5 GHz", "from 1 to 2 GHz"])):
        _, error = job.run(*([] if "-p" in arguments else ["-p", "plain.xml"]), *arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_same, check_memory_bound, check_sweep, check_refusals), __doc__))
