"""Runs programs in the bottle, one rank per host, and calibrates its network as a user does."""

import json
import pathlib
import statistics

import recording
from machine import Stop, call

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CALIBRATION_S, QUICK_CALIBRATION_S = 60, 6  # as long as a user's takes; as short as one may be


def lines_of(span, ranks, program):
    """What scripts/bottle/span.c wrote: a line per rank."""
    lines = [line.split() for line in span.read_text().splitlines()]
    if len(lines) != ranks:
        raise Stop(f"{program.name}: {len(lines)} of {ranks} ranks came to MPI_Finalize")
    return lines


def seconds_between(lines):
    """s between the last rank's MPI_Init and the last one's MPI_Finalize."""
    return (max(int(line[1]) for line in lines) - max(int(line[0]) for line in lines)) * 1e-9


class Bottle:
    def __init__(self, build):
        self.words = [ROOT / "scripts" / "bottle" / "bottle", "--build", build]
        self.farcast = build / "bin" / "farcast"
        for needed in (self.farcast, build / "bottle" / "farcast_bottle_switch", build / "bottle" / "farcast_bottle_span.so"):
            if not needed.exists():
                raise Stop(f"{needed} is not built")

    def up(self, hosts, rate_mbit, latency_us):
        call([*self.words, "up", hosts, f"{rate_mbit:g}", f"{latency_us:g}"])

    def down(self):
        call([*self.words, "down"])

    def calibrate(self, path, quick, nodes):
        seconds = QUICK_CALIBRATION_S if quick else CALIBRATION_S
        call([*self.words, "run", 2, "--", self.farcast, "calibrate", "network", "-o", path, "--nodes", nodes, "--duration", seconds,
              "--svg", path.with_suffix(".svg")])

    def _run(self, program, hosts, words, folder, options=()):
        cores = ["--all-cores"] if program.burns(hosts) else []
        return call(recording.fed(program, [*self.words, "run", hosts, "--no-throttling", *cores, *options, "--", *words]), folder=folder)

    def measure(self, program, hosts, words, folder):
        """One run. Returns: s between the last rank's MPI_Init and the last one's MPI_Finalize; the program's own time; CPU s of its
        ranks together; s that a rank stood ready while another had the core, in the mean; s that a hypervisor had cores of the machine;
        how busy the switch was."""
        recording.made_folder(folder, program)
        span = folder / "span"
        self._switch_s()
        text = self._run(program, hosts, words, folder, ["--span", span])
        switch_s = self._switch_s()
        lines = lines_of(span, hosts, program)
        seconds = seconds_between(lines)
        own = [float(line.split()[1]) for line in text.splitlines() if line.startswith("time ")]
        return {"s": seconds, "own_s": own[-1] if own else None, "skew_s": (max(int(line[0]) for line in lines)
                - min(int(line[0]) for line in lines)) * 1e-9, "cpu_s": sum(float(line[3]) for line in lines),
                "ready_s": statistics.mean(float(line[4]) for line in lines), "stolen_s": max(float(line[5]) for line in lines), "switch": switch_s / seconds}

    def computation(self, program, hosts, words, folder):
        """Records it in the bottle. Returns: s that each rank was outside MPI calls, in the order of hosts."""
        recording.made_folder(folder, program)
        self._run(program, hosts, [self.farcast, "exec", "--no-predict", "--no-progress", "--report", folder / "report.txt", "--json",
                                   folder / "report.json", "--", *words], folder)
        found = []
        for path in sorted(folder.glob("report.*.json")):  # one per host
            found += [rank["app_s"] - rank["mpi_s"] for rank in json.loads(path.read_text())["measured"]["ranks"]]
        if len(found) != hosts:
            raise Stop(f"{program.name}: {len(found)} of {hosts} ranks were recorded in the bottle")
        return found

    def _switch_s(self):
        """Returns: CPU s of the switch since the last time, without those in which it waited actively for what is due."""
        told = json.loads(call([*self.words, "stat"]))
        return told["cpu_s"] - told["waiting_s"]


def mean_error(times):
    """Standard error of the mean of times, as a share of it."""
    return statistics.stdev(times) / len(times) ** 0.5 / statistics.mean(times) if len(times) > 1 else 1.0


def summary(runs):
    times = [run["s"] for run in runs]
    owns = [run["own_s"] for run in runs if run["own_s"] is not None]
    return {"mean_s": statistics.mean(times), "median_s": statistics.median(times), "least_s": min(times), "most_s": max(times), "all_s": times,
            "own_median_s": statistics.median(owns) if owns else None, "skew_s": statistics.median(run["skew_s"] for run in runs),
            **{name: statistics.median(run[name] for run in runs) for name in ("cpu_s", "ready_s", "switch")},
            "stolen_s": statistics.mean(run["stolen_s"] for run in runs)}
