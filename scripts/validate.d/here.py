"""Whole programs on this machine itself: who watches a program here must be able to say how long it takes here.

  scripts/validate here [--programs NAME,...|own|debian] [--repeat N] [--patience SECONDS] [--out FOLDER] [--build FOLDER]

By a user's own commands: `farcast calibrate network` of two ranks on this node, through shared memory; each program is recorded twice by
`farcast exec` under mpirun, on two ranks; `farcast predict --ppn 2` plays the recordings on that platform. Between and after the recordings the
program runs without farcast. Inputs are longer than in the bottle: runs take a few seconds. Predicted is compared with the wall time of the very
run that was recorded (in which farcast took its share of two busy cores), and with that of the runs without farcast: both between the last rank's
MPI_Init and its MPI_Finalize. A row whose runs without farcast differ by more than 10 % among themselves is not judged by them: the machine's
cores were not the same.

Exit codes: 0 all within 5 % of the run that was recorded, 1 not, 2 wrong usage.
"""

import argparse
import json
import pathlib
import statistics
import sys

import catalogue
import machine
import options
import programs
import recording
import rows as tables
import truth
from machine import Stop, call

RANKS = 2
CALIBRATION_S = 15
LIMIT = 0.05
MOST_SCATTER = 0.10
COLUMNS = ["program", "recorded run s", "predicted s", "off", "without farcast s (least - most)", "off", ""]
WIDTHS = [11, 16, 16, 14, 34, 7, 0]


class Node:
    def __init__(self, arguments):
        self.build, self.work, self.patience_s = arguments.build.resolve(), arguments.out.resolve(), arguments.patience
        self.farcast, self.span = self.build / "bin" / "farcast", self.build / "bottle" / "farcast_bottle_span.so"
        for needed in (self.farcast, self.span):
            if not needed.exists():
                raise Stop(f"{needed} is not built")
        self.work.mkdir(parents=True, exist_ok=True)
        self.platform = self.work / "here.xml"
        self.watch = machine.Watch()

    def undisturbed(self, action, *arguments):
        return machine.undisturbed(self.watch, lambda: action(*arguments))

    def calibrate(self):
        machine.wait_until_quiet(self.patience_s)
        self.undisturbed(call, [*recording.NATIVE, "-np", RANKS, self.farcast, "calibrate", "network", "-o", self.platform, "--nodes", RANKS,
                                "--duration", CALIBRATION_S])

    def recorded(self, program, words, number):
        """Returns: wall time of the run that was recorded, and what is predicted of it."""
        run, _ = self.undisturbed(recording.record, self.farcast, program, RANKS, words, self.work / program.name / str(number), self.patience_s)
        report = json.loads((run.parent / "report.json").read_text())
        return report["measured"]["wall_s"], recording.predict(self.farcast, run, self.platform, RANKS)["s"]

    def plain(self, program, words):
        """Returns: wall time of a run without farcast."""
        folder = recording.made_folder(self.work / "scratch", program)
        span = folder / "span"
        call(recording.fed(program, [*recording.NATIVE, "-x", f"LD_PRELOAD={self.span}", "-x", f"BOTTLE_SPAN={span}", "-np", RANKS, *words]), folder=folder)
        return truth.seconds_between(truth.lines_of(span, RANKS, program))

    def row(self, program, repeat):
        words = program.command(RANKS, self.work / "openmpi", False)
        pairs, plain = [], []
        for number in range(programs.RECORDINGS):
            pairs.append(self.recorded(program, words, number))
            plain += [self.undisturbed(self.plain, program, words) for _ in range(max(1, repeat // programs.RECORDINGS))]
        mean = statistics.mean(plain)
        return {"program": program.name, "recorded_s": [wall for wall, _ in pairs], "predicted_s": [ours for _, ours in pairs], "plain_s": plain,
                "off": [ours / wall - 1 for wall, ours in pairs], "plain_off": statistics.mean(ours for _, ours in pairs) / mean - 1,
                "scatter": (max(plain) - min(plain)) / mean}


def cells(row):
    both = (lambda values, form: ", ".join(format(value, form) for value in values))
    plain = row["plain_s"]
    missed = max(map(abs, row["off"])) > LIMIT
    return [row["program"], both(row["recorded_s"], ".4f"), both(row["predicted_s"], ".4f"), both(row["off"], "+.1%"),
            f"{statistics.mean(plain):.4f} ({min(plain):.4f} - {max(plain):.4f})", f"{row['plain_off']:+.1%}",
            " ".join(["miss"] * missed + [f"runs differ by {row['scatter']:.0%}"] * (row["scatter"] > MOST_SCATTER))]


def line(texts):
    return tables.aligned(texts, WIDTHS, (0, 6))


def figures(rows):
    off = [one for row in rows for one in row["off"]]
    plain = [row["plain_off"] for row in rows if row["scatter"] <= MOST_SCATTER]
    sentences = [f"{sum(abs(one) <= LIMIT for one in off)} of {len(off)} recordings are predicted within {LIMIT:.0%} of their own wall time: median "
                 f"{statistics.median(map(abs, off)):.1%}, worst {max(map(abs, off)):.1%}."]
    if plain:
        sentences.append(f"Against runs without farcast, of {len(plain)} programs whose runs agree: median {statistics.median(map(abs, plain)):.1%}, worst "
                         f"{max(map(abs, plain)):.1%}.")
    return sentences


def markdown(rows):
    lines = [tables.spaced(COLUMNS), "|---|" + "---:|" * (len(COLUMNS) - 2) + "---|", *(tables.spaced(cells(row)) for row in rows)]
    return "\n".join(lines) + "\n"


def parse(words):
    parser = argparse.ArgumentParser(prog="validate here", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_programs(parser)
    parser.add_argument("--repeat", type=int, default=4, help="runs without farcast per program (default: %(default)s)")
    options.add_patience(parser)
    options.add_places(parser, "validate-here", "rows, table, platform, recordings")
    arguments = parser.parse_args(words)
    chosen = options.chosen_programs(parser, arguments)
    return arguments, chosen


def main(words):
    arguments, chosen = parse(words)
    rows = []
    try:
        recording.set_environment()
        for program in chosen:
            if program.missing():
                print(f"skipped: {program.name}: {program.missing()}")
        chosen = [program.lengthen() for program in chosen if not program.missing()]
        node = Node(arguments)
        programs.compile_all(chosen, node.work, ["openmpi"])
        node.calibrate()
        print(line(COLUMNS), flush=True)
        for program in chosen:
            rows.append(node.row(program, arguments.repeat))
            print(line(cells(rows[-1])), flush=True)
    except Stop as stop:
        print(f"validate: {stop}", file=sys.stderr)
        return stop.code
    except (OSError, catalogue.build.Failure) as error:
        print(f"validate: {error}", file=sys.stderr)
        return 1
    if not rows:
        return 1
    (node.work / "rows.json").write_text(json.dumps(rows, indent=1) + "\n")
    (node.work / "table.md").write_text(markdown(rows))
    print("\n" + "\n".join(figures(rows)) + f"\nrows: {node.work / 'rows.json'}, table: {node.work / 'table.md'}")
    return 0 if all(abs(one) <= LIMIT for row in rows for one in row["off"]) else 1
