"""Whole programs: recorded natively, predicted from a calibration of the bottle's network, and measured in the bottle, in one go.

  scripts/validate programs [--network RATE_MBIT:LATENCY_US ...] [--hosts 2,4,8] [--programs NAME,...|own|debian] [--out FOLDER]
                            [--coupled] [--quick] [--again | --predict-again] [--repeat N] [--patience SECONDS] [--build FOLDER]

Per network `farcast calibrate network` runs on two of the bottle's hosts. Each program is recorded twice by `farcast exec -o` under
mpirun on this machine; `farcast predict` plays both recordings on the calibrated platform; then the program runs in the bottle several times. Measured and predicted is the time
between MPI_Init and MPI_Finalize. SMPI: the program, compiled with smpicc, in smpirun on the same platform file. --coupled: each program
also runs once in virtual time, by `farcast exec --coupled` under mpirun on this machine, also of rows that are there already.

The repository's programs (tests/programs) compute in earnest on 2 hosts; on more their computation is a sleep, since the machine has
not as many cores. Where they compute, the table says how far the predicted computation is off from that in the bottle (time outside MPI
calls, recorded there), and how much of the row's error that is, in percent of the measured time. Debian's programs run on 2 hosts,
where they are installed.

A row is judged unless the predictions from its two recordings differ by more than 5 %, the ranks of 4 and 8 hosts stood ready for more
than 5 % of the time while another of them had the core that they share (as on no cluster), the switch was busy for more than 30 %, or a hypervisor had cores for more than 1 %. Rows are kept in --out: a second run measures only those that are missing, or all with --again.
With --predict-again those that are there are only predicted anew, from their recordings and platforms: what a change of the models is worth.
Exit codes: 0 median error at most 3 % and none above 10 %, 1 not, 2 wrong usage, 77 where there can be no bottle.
"""

import argparse
import contextlib
import json
import os
import pathlib
import sys
import time

import catalogue
import machine
import options
import recording
import rows
import truth
from machine import Stop

NETWORKS = ["100:1000", "250:300"]
HOSTS = [2, 4, 8]
REPEAT, QUICK_REPEAT = 5, 2
KNOWN_TO = 0.01  # standard error of a measured mean; programs whose runs differ are run more often,
MOST_RUNS = 4    # but not more than so many times as often as the others
RECORDINGS = 2


def compile_all(programs, work, libraries):
    """The repository's own, each into work/LIBRARY. What SMPI cannot compile is left out there."""
    for mpi in libraries:
        folder = work / mpi
        folder.mkdir(exist_ok=True)
        for program in programs:
            if program.own:
                source = catalogue.build.sources()[program.name]
                with contextlib.suppress(*([FileNotFoundError, catalogue.build.Failure] if mpi == "smpi" else [])):
                    catalogue.build.build(source, mpi, folder)


class Comparison:
    """All of one call: what is built, what was recorded, and the rows that are there."""

    def __init__(self, arguments, programs):
        self.arguments, self.out = arguments, arguments.out.resolve()
        self.work = self.out / ("quick" if arguments.quick else "full")
        self.work.mkdir(parents=True, exist_ok=True)
        self.bottle = truth.Bottle(arguments.build.resolve())
        self.farcast = self.bottle.farcast
        self.results = self.work / "rows.json"
        self.rows = json.loads(self.results.read_text()) if self.results.exists() else []
        if arguments.again:
            self.rows = rows.others(self.rows, programs, arguments.network, arguments.hosts)
        self.recorded = {}
        self.watch = machine.Watch(arguments.quick)

    def row_of(self, program, network, hosts):
        return next((row for row in self.rows if (row["program"], row["network"], row["hosts"]) == (program.name, network, hosts)), None)

    def keep(self, row):
        self.rows.append(row)
        self.write()

    def write(self):
        aside = self.results.with_suffix(".new")
        aside.write_text(json.dumps(self.rows, indent=1) + "\n")
        aside.rename(self.results)

    def undisturbed(self, action, *arguments):
        return machine.undisturbed(self.watch, lambda: action(*arguments))

    def recordings(self, program, hosts):
        """Two of them, natively. They know no network, so that all networks take the same."""
        key = (program.name, hosts)
        if key not in self.recorded:
            words = program.command(hosts, self.work / "openmpi", self.arguments.quick)
            folder = self.work / f"{program.name}-{hosts}"
            self.recorded[key] = [self.undisturbed(recording.record, self.farcast, program, hosts, words, folder / str(number),
                                                   self.arguments.patience) for number in range(RECORDINGS)]
        return self.recorded[key]

    def platform_path(self, network):
        return self.work / ("net-" + network.replace(":", "-") + ".xml")

    def platform(self, network):
        path = self.platform_path(network)
        if self.arguments.again or not path.exists():
            machine.wait_until_quiet(self.arguments.patience)
            self.undisturbed(self.bottle.calibrate, path, self.arguments.quick, max(HOSTS))
        return path

    def row(self, program, network, hosts, platform):
        quick = self.arguments.quick
        recorded = self.recordings(program, hosts)
        predicted = [recording.predict(self.farcast, run, platform) for run, _ in recorded]
        scratch = self.work / "scratch"
        smpi_s = None
        if (self.work / "smpi" / program.name).exists():
            smpi_s = recording.smpi(program, hosts, program.command(hosts, self.work / "smpi", quick), platform, scratch)
        words = program.command(hosts, self.work / "openmpi", quick)
        busy = machine.wait_until_quiet(self.arguments.patience)
        runs = []
        while len(runs) < self.arguments.repeat or (not quick and len(runs) < MOST_RUNS * self.arguments.repeat
                                                    and truth.mean_error([run["s"] for run in runs]) > KNOWN_TO):
            runs.append(self.undisturbed(self.bottle.measure, program, hosts, words, scratch))
        computation = self.undisturbed(self.bottle.computation, program, hosts, words, scratch) if program.burns(hosts) else None
        conditions = {"busy_before_recordings": [cores for _, cores in recorded], "busy_before_measuring": busy,
                      "load": os.getloadavg()[0], "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        return rows.make(program, network, hosts, truth.summary(runs), predicted, smpi_s, computation, conditions)

    def predict_again(self, programs, network):
        """New predictions for the rows that are there."""
        print(rows.header(), flush=True)
        for index, row in enumerate(self.rows):
            program = next((one for one in programs if one.name == row["program"]), None)
            if program is None or row["network"] != network or row["hosts"] not in self.arguments.hosts:
                continue
            folder = self.work / f"{program.name}-{row['hosts']}"
            predicted = [recording.predict(self.farcast, folder / str(number) / "run.h5", self.platform_path(network))
                         for number in range(RECORDINGS)]
            conditions = {key: row[key] for key in ("busy_before_recordings", "busy_before_measuring", "load", "at", "coupled_s", "coupled_off")
                          if key in row}
            self.rows[index] = rows.make(program, network, row["hosts"], row["measured"], predicted, row["smpi_s"],
                                         row.get("computation", {}).get("measured_s"), conditions)
            print(rows.line(rows.cells(self.rows[index])), flush=True)
        self.write()

    def add_coupled(self, row, program, network, hosts):
        """Of a row that has it not: what a coupled run predicts."""
        words = program.command(hosts, self.work / "openmpi", self.arguments.quick)
        seconds = self.undisturbed(recording.coupled, self.farcast, program, hosts, words, self.platform_path(network), self.work / "scratch",
                                   self.arguments.patience)
        row |= {"coupled_s": seconds, "coupled_off": seconds / row["measured"]["mean_s"] - 1}
        self.write()

    def compare(self, programs, network):
        rate_mbit, latency_us = (float(part) for part in network.split(":"))
        wanted = [(program, hosts) for hosts in self.arguments.hosts for program in programs if program.runs_on(hosts)]
        waiting = [one for one in wanted if self.row_of(one[0], network, one[1]) is None]
        print(f"\n{rate_mbit:g} Mbit/s, {latency_us:g} us; {len(wanted) - len(waiting)} of {len(wanted)} rows are there\n{rows.header()}",
              flush=True)
        if waiting:
            self.bottle.up(max(self.arguments.hosts), rate_mbit, latency_us)
        try:
            platform = self.platform(network) if waiting else None
            for program, hosts in wanted:
                row = self.row_of(program, network, hosts)
                try:
                    if row is None:
                        row = self.row(program, network, hosts, platform)
                        self.keep(row)
                    if self.arguments.coupled and "coupled_s" not in row:
                        self.add_coupled(row, program, network, hosts)
                except Stop as stop:
                    print(f"  {program.name} on {hosts} hosts: {(str(stop).splitlines() or ['?'])[0][:160]}", flush=True)
                    continue
                print(rows.line(rows.cells(row)), flush=True)
        finally:
            if waiting:
                self.bottle.down()


def parse(words):
    parser = argparse.ArgumentParser(prog="validate programs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    parser.add_argument("--network", action="append", help="RATE_MBIT:LATENCY_US (default: " + ", ".join(NETWORKS) + ")")
    parser.add_argument("--hosts", type=lambda text: [int(part) for part in options.listed(text)], default=HOSTS, help="default: 2,4,8")
    options.add_programs(parser)
    parser.add_argument("--quick", action="store_true", help="short calibration, a quarter of the steps, few runs")
    parser.add_argument("--coupled", action="store_true", help="predict by a coupled run, too")
    anew = parser.add_mutually_exclusive_group()
    anew.add_argument("--again", action="store_true", help="measure rows that are there once more")
    anew.add_argument("--predict-again", action="store_true", help="only predict rows that are there once more")
    parser.add_argument("--repeat", type=int, help=f"runs in the bottle per row (default: {REPEAT}); where the mean is then not known to "
                        f"{KNOWN_TO:.0%}%, up to {MOST_RUNS} times as many")
    options.add_patience(parser)
    options.add_places(parser, "validate-programs", "rows, tables, platforms, recordings")
    arguments = parser.parse_args(words)
    arguments.repeat = arguments.repeat or (QUICK_REPEAT if arguments.quick else REPEAT)
    arguments.network = arguments.network or NETWORKS
    programs = options.chosen_programs(parser, arguments)
    if not set(arguments.hosts) <= {1 << power for power in range(1, 6)}:
        parser.error("--hosts: powers of two, from 2 on")
    return arguments, programs


def main(words, check_network):
    """check_network: stops at a network that is beyond the test bed."""
    arguments, programs = parse(words)
    try:
        for network in arguments.network:
            check_network(network)
        recording.set_environment()
        skipped = [(program, program.missing()) for program in programs]
        for program, why in skipped:
            if why:
                print(f"skipped: {program.name}: {why}")
        programs = [program for program, why in skipped if not why]
        comparison = Comparison(arguments, programs)
        if arguments.predict_again:
            for network in arguments.network:
                comparison.predict_again(programs, network)
        else:
            with contextlib.nullcontext() if arguments.quick else machine.memory_kept():
                compile_all(programs, comparison.work, ["openmpi", "smpi"])
                for network in arguments.network:
                    comparison.compare(programs, network)
    except Stop as stop:
        print(f"validate: {stop}", file=sys.stderr)
        return stop.code
    except (OSError, catalogue.build.Failure) as error:
        print(f"validate: {error}", file=sys.stderr)
        return 1
    table = rows.markdown(comparison.rows, "scripts/validate programs " + " ".join(words))
    (comparison.work / "table.md").write_text(table)
    print("\n" + "\n".join(rows.figures(comparison.rows)) + f"\nrows: {comparison.results}, table: {comparison.work / 'table.md'}")
    return 0 if rows.within_limits(comparison.rows) else 1
