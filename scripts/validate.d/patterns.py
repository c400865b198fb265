"""Communication patterns: each as a program of its own (patterns.c), as benchmarks of MPI libraries time it, by a user's own commands.

  scripts/validate patterns [--network RATE_MBIT:LATENCY_US ...] [--hosts 4,8] [--only PATTERN,...] [--quick] [--again | --predict-again]
                            [--repeat N] [--out FOLDER] [--build FOLDER]

Per network `farcast calibrate network` runs on two of the bottle's hosts. The program (a barrier, then the pattern, again and again) is recorded
by `farcast exec` under mpirun on this machine, and `farcast predict` plays it on the calibrated platform, in realisations (--seed) of what chance
decides, from two recordings. Then it runs in the bottle. The figure is the time per repetition of the rank for which it takes longest: as the program says in the
bottle and in SMPI, as the sites of the pattern's function say in the prediction; the means over runs and over realisations. The whole
program's time, between MPI_Init and MPI_Finalize, is predicted with its 90 % interval, and how many of the runs lie in it is said below the table.

Ranks leave a barrier up to some latencies apart, so that long exchanges go out of step, as in programs. A row is judged unless the
predictions from its two recordings differ by more than 5 %, ranks stood ready for more than 5 % of the time while another had the core that they
share (as on no cluster), or the switch was busy for more than 30 %.
Limits: flows 1 % or within the range of the runs, both directions, messages in flight and halos 5 %, collectives 5 % in the median, 20 % each.
With --predict-again those that are there are only predicted anew, from their recordings and platforms.
Exit codes: 0 within all limits, 1 not, 2 wrong usage, 77 where there can be no bottle.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import sys

import machine
import options
import recording
import rows as programs_rows
import truth
from machine import Stop, call

HERE = pathlib.Path(__file__).resolve().parent
NETWORKS, HOSTS = ["100:1000", "250:300"], [4, 8]
COLLECTIVES = ["bcast", "allreduce", "alltoall", "allgather", "reduce", "gather"]
SIZES, QUICK_SIZES = [8, 1024, 16384, 131072, 1048576], [8, 131072]
REPEAT, MOST_RUNS, KNOWN_TO = 3, 4, 0.01
RECORDINGS, REALISATIONS = 2, 15
REPETITIONS, FEW, LONG = 20, 8, 1 << 19  # per run; of long ones
LIMITS = {"flow": 0.01, "both_ways": 0.05, "in_flight": 0.05, "halo": 0.05, "collective": 0.20}
COLLECTIVE_MEDIAN = 0.05
COLUMNS = ["pattern", "hosts", "measured ms (least - most)", "predicted ms (least - most)", "off", "SMPI off", "ready", "switch", ""]
WIDTHS = [26, 5, 34, 34, 7, 8, 6, 6, 0]


class Case:
    """kind: as in LIMITS."""

    def __init__(self, kind, pattern, ranks, size, messages=1):
        self.kind, self.pattern, self.ranks, self.size, self.messages = kind, pattern, ranks, size, messages
        self.repetitions = FEW if size * messages >= LONG else REPETITIONS
        self.name = f"{pattern} {size} B" + (f" x {messages}" if messages > 1 else "")
        self.files, self.changes, self.prepare, self.stdin = [], [], [], None  # as catalogue.Program, for recording and truth

    def burns(self, _):
        return False

    def words(self, program):
        return [program, self.pattern, self.size, self.messages, self.repetitions]

    def folder(self, work):
        return work / f"{self.pattern}-{self.size}-{self.messages}-{self.ranks}"


def cases(hosts, quick):
    chosen = [Case("both_ways", "both_ways", 2, 4 << 20), Case("in_flight", "in_flight", 2, 1024, 64)]
    for ranks in hosts:
        chosen += [Case("halo", "halo", ranks, 65536, messages) for messages in (1, 10)]
        chosen += [Case("flow", pattern, ranks, 1 << 20) for pattern in ("many_to_one", "one_to_many", "pairs")]
        chosen += [Case("collective", pattern, ranks, size) for pattern in COLLECTIVES for size in (QUICK_SIZES if quick else SIZES)]
    return chosen


class Comparison:
    def __init__(self, arguments):
        self.arguments, self.work = arguments, arguments.out.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.bottle = truth.Bottle(arguments.build.resolve())
        self.farcast = self.bottle.farcast
        self.watch = machine.Watch(arguments.quick)
        self.rows = []
        self.program = {"mpicc.openmpi": self.work / "patterns", "smpicc": self.work / "patterns.smpi"}
        for compiler, program in self.program.items():
            call([compiler, "-g", "-O1", "-o", program, HERE / "patterns.c"])

    def recorded(self, case, number):
        run = case.folder(self.work) / str(number) / "run.h5"
        if not run.exists() or self.arguments.again:
            recording.record(self.farcast, case, case.ranks, case.words(self.program["mpicc.openmpi"]), run.parent, 0)
        return run

    def predicted(self, case, run, platform):
        """Returns: s per repetition, of each realisation."""
        answer, times = self.work / "answer.json", []
        for seed in range(1, REALISATIONS + 1):
            call([self.farcast, "predict", run, "--platform", platform, "--ppn", 1, "--seed", seed, "--realisations", 1, "--ensemble", 0, "--json", answer])
            report = json.loads(answer.read_text())
            [prediction] = report["predictions"]
            if not prediction["complete"]:
                raise Stop(f"{case.name}: the prediction is incomplete: {prediction['problems']}")
            of_pattern = {site["site"] for site in report["sites"] if site["function"] == case.pattern}
            totals = [site["time_s"]["total"] for site in prediction["sites"] if site["site"] in of_pattern]
            times.append(max(map(sum, zip(*totals))) / case.repetitions)
        return times

    def smpi(self, case, platform):
        """Returns: s per repetition, None where SMPI dies."""
        folder = recording.made_folder(self.work / "scratch", case)
        (folder / "hosts").write_text("".join(f"node-{host}\n" for host in range(case.ranks)))
        try:
            text = call(["smpirun", "-np", case.ranks, "-platform", platform, "-hostfile", "hosts", "--cfg=smpi/host-speed:1Gf",
                         "--cfg=smpi/coll-selector:ompi", *case.words(self.program["smpicc"])], folder=folder)
        except Stop as stop:
            print(f"    smpirun: {str(stop)[-300:]}")
            return None
        return next((float(line.split()[1]) for line in text.splitlines() if line.startswith("time ")), None)

    def measured(self, case):
        runs = []
        while len(runs) < self.arguments.repeat or (not self.arguments.quick and len(runs) < MOST_RUNS * self.arguments.repeat
                                                    and truth.mean_error([run["own_s"] for run in runs]) > KNOWN_TO):
            runs.append(machine.undisturbed(self.watch, lambda: self.bottle.measure(
                case, case.ranks, case.words(self.program["mpicc.openmpi"]), self.work / "scratch")))
        return runs

    def row(self, case, network, platform):
        predictions = self.predictions(case, platform)
        smpi_s, runs = self.smpi(case, platform), self.measured(case)
        times = [run["own_s"] for run in runs]
        share = {name: statistics.median(run[name] / whole(run) for run in runs) for name, whole in (("ready_s", lambda run: run["s"]),
                                                                                                     ("switch", lambda run: 1))}
        seen = {"measured_s": times, "smpi_off": smpi_s / statistics.mean(times) - 1 if smpi_s else None,
                "ready": share["ready_s"], "switch": share["switch"]}
        return made(case, network, predictions, seen, truth.summary(runs))

    def predictions(self, case, platform):
        """Returns: of each recording, s per repetition of each realisation, and what is predicted of the whole program."""
        runs = [self.recorded(case, number) for number in range(RECORDINGS)]
        return [self.predicted(case, run, platform) for run in runs], [recording.predict(self.farcast, run, platform) for run in runs]

    def platform(self, network):
        return self.work / ("net-" + network.replace(":", "-") + ".xml")

    def predict_again(self, network, chosen):
        """New predictions for the rows that are there."""
        print(line(COLUMNS), flush=True)
        for index, row in enumerate(self.rows):
            case = next((case for case in chosen if (case.name, case.ranks) == (row["pattern"], row["hosts"])), None)
            if case is None or row["network"] != network:
                continue
            seen = {key: row[key] for key in ("measured_s", "smpi_off", "ready", "switch")}
            self.rows[index] = made(case, network, self.predictions(case, self.platform(network)), seen, row["whole"]["measured"])
            print(line(cells(self.rows[index])), flush=True)
        self.write()

    def read_rows(self):
        try:
            self.rows = json.loads((self.work / "rows.json").read_text())
        except (OSError, ValueError) as error:
            raise Stop(f"{self.work / 'rows.json'}: {error}") from error

    def write(self):
        (self.work / "rows.json").write_text(json.dumps(self.rows, indent=1) + "\n")

    def compare(self, network, chosen):
        rate_mbit, latency_us = (float(part) for part in network.split(":"))
        print(f"\n{rate_mbit:g} Mbit/s, {latency_us:g} us\n{line(COLUMNS)}", flush=True)
        self.bottle.up(max(case.ranks for case in chosen), rate_mbit, latency_us)
        try:
            platform = self.platform(network)
            if not platform.exists() or self.arguments.again:
                machine.undisturbed(self.watch, lambda: self.bottle.calibrate(platform, self.arguments.quick, max(HOSTS)))
            for case in chosen:
                self.rows.append(self.row(case, network, platform))
                print(line(cells(self.rows[-1])), flush=True)
                self.write()
        finally:
            self.bottle.down()


def made(case, network, predictions, seen, measured):
    """A row. predictions: as of Comparison.predictions(); measured: of the whole program, as truth.summary() has it."""
    of_recordings, whole = predictions
    ours, means, times = sum(of_recordings, []), [statistics.mean(times) for times in of_recordings], seen["measured_s"]
    expected, differ = statistics.mean(ours), max(means) / min(means) - 1
    off = expected / statistics.mean(times) - 1
    within = abs(off) <= LIMITS[case.kind] or (case.kind == "flow" and min(times) <= expected <= max(times))
    return {"network": network, "kind": case.kind, "pattern": case.name, "hosts": case.ranks, "predicted_s": ours, "off": off, **seen,
            "within": within, "not_judged": why_not(differ, seen["ready"], seen["switch"]),
            "whole": programs_rows.make(case, network, case.ranks, measured, whole, None, None, {})}


def why_not(differ, ready, switch):
    """Returns: why a row does not count; empty when it does."""
    if differ > programs_rows.MOST_DIFFERENT:
        return f"recordings differ by {differ:.0%}"
    return "beyond the test bed" if ready > programs_rows.MOST_READY or switch > programs_rows.MOST_BUSY else ""


def cells(row):
    ms = (lambda times: f"{1e3 * statistics.mean(times):.4g} ({1e3 * min(times):.4g} - {1e3 * max(times):.4g})")
    mark = row["not_judged"] or ("" if row["within"] else "miss")
    return [row["pattern"], str(row["hosts"]), ms(row["measured_s"]), ms(row["predicted_s"]), programs_rows.percent(row["off"]), programs_rows.percent(row["smpi_off"]),
            f"{row['ready']:.1%}", f"{row['switch']:.0%}", mark]


def line(texts):
    return programs_rows.aligned(texts, WIDTHS, (0, 8))


def judged(rows, kind=None):
    return [row for row in rows if not row["not_judged"] and kind in (None, row["kind"])]


def errors(rows, which="off"):
    return [abs(row[which]) for row in rows if row[which] is not None]


def within_limits(rows):
    collectives = errors(judged(rows, "collective"))
    return bool(judged(rows)) and all(row["within"] for row in judged(rows)) and (
        not collectives or statistics.median(collectives) <= COLLECTIVE_MEDIAN)


def summary(rows):
    """Lines: a kind of pattern on a network each; all collectives last."""
    for network in dict.fromkeys(row["network"] for row in rows):
        for kind in LIMITS:
            found = [row for row in judged(rows, kind) if row["network"] == network]
            if found:
                ours, theirs = errors(found), errors(found, "smpi_off")
                yield [network, kind.replace("_", " "), str(len(found)), *(programs_rows.shown(of(errors_of)) if errors_of else "-"
                       for errors_of in (ours, theirs) for of in (statistics.median, max))]


def whole_programs(rows):
    """A line on the time between MPI_Init and MPI_Finalize."""
    return programs_rows.apart("Whole programs: " + " ".join(programs_rows.figures([row["whole"] for row in rows])))


def markdown(rows, command):
    table = programs_rows.spaced
    heads = ["network", "patterns", "rows", "farcast: median error", "worst", "SMPI: median error", "worst"]
    lines = [f"    {command}", "", table(heads), "|---|---|" + "---:|" * (len(heads) - 2), *map(table, summary(rows)), "", whole_programs(rows), ""]
    for network in dict.fromkeys(row["network"] for row in rows):
        lines += ["### {} Mbit/s, {} us".format(*network.split(":")), "", table(COLUMNS), "|---|" + "---:|" * (len(COLUMNS) - 2) + "---|"]
        lines += [table(cells(row)) for row in rows if row["network"] == network] + [""]
    return "\n".join(lines)


def parse(words):
    parser = argparse.ArgumentParser(prog="validate patterns", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = sorted({case.pattern for case in cases(HOSTS, False)})

    parser.add_argument("--network", action="append", help="RATE_MBIT:LATENCY_US (default: " + ", ".join(NETWORKS) + ")")
    parser.add_argument("--hosts", type=lambda text: [int(part) for part in options.listed(text)], default=HOSTS, help="default: 4,8")
    parser.add_argument("--only", type=options.listed, help="of: " + ", ".join(known))
    parser.add_argument("--quick", action="store_true", help="short calibration, few sizes, few runs")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--again", action="store_true", help="calibrate and record what is there once more")
    again.add_argument("--predict-again", action="store_true", help="only predict rows that are there once more")
    parser.add_argument("--repeat", type=int, default=REPEAT, help=f"runs per row (default: %(default)s); where their mean is then not known to "
                        f"{KNOWN_TO:.0%}%, up to {MOST_RUNS} times as many")
    options.add_places(parser, "validate-patterns", "rows, tables, platforms, recordings")
    arguments = parser.parse_args(words)
    if not set(arguments.hosts) <= {1 << power for power in range(1, 6)}:
        parser.error("--hosts: powers of two, from 2 on")
    chosen = [case for case in cases(arguments.hosts, arguments.quick) if not arguments.only or case.pattern in arguments.only]
    if not chosen or (arguments.only and not set(arguments.only) <= set(known)):
        parser.error("--only: there are " + ", ".join(known))
    return arguments, chosen


def main(words, check_network):
    """check_network: stops at a network that is beyond the test bed."""
    arguments, chosen = parse(words)
    networks = arguments.network or NETWORKS
    try:
        for network in networks:
            check_network(network)
        recording.set_environment()
        comparison = Comparison(arguments)
        if arguments.predict_again:
            comparison.read_rows()
            for network in networks:
                comparison.predict_again(network, chosen)
        else:
            with contextlib.nullcontext() if arguments.quick else machine.memory_kept():
                for network in networks:
                    comparison.compare(network, chosen)
    except Stop as stop:
        print(f"validate: {stop}", file=sys.stderr)
        return stop.code
    except OSError as error:
        print(f"validate: {error}", file=sys.stderr)
        return 1
    table = comparison.work / "table.md"
    table.write_text(markdown(comparison.rows, " ".join(["scripts/validate patterns", *words])))
    print("\n" + "\n".join(["  " + "  ".join(text.rjust(10) for text in texts) for texts in summary(comparison.rows)] + [whole_programs(comparison.rows)])
          + f"\nrows: {comparison.work / 'rows.json'}, table: {table}")
    return 0 if within_limits(comparison.rows) else 1
