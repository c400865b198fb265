#!/usr/bin/env python3
"""farcast whatif --model blocks: labelled groups of processes by Proficz16's formulas in Python; what is refused.

    blocks.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not.
"""
import csv
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

# Table 3, in microseconds; the built-in platforms have the same figures in their files.
TABLE = {
    "galera+": {"cores": 12, "threads": 24, "nodes": 192, "time": (0.00165, 0.00194, 3.29e-4, 7.96e-5), "p2p": (3.7, 0.00063),
                "broadcast": (1.7, 0.00188), "scatter": (5.0, 0.00340), "gather": (8.1, 0.00346), "all_to_all": (7.5, 0.00012),
                "barrier": (1.4, 7.5), "read": (5200, 0.00253), "write": (1200, 0.00474), "power": True},
    "galera": {"cores": 8, "threads": 0, "nodes": 672, "time": (0.0019, 0, 1.16e-4, 2.35e-4), "p2p": (1.3, 0.00132),
               "broadcast": (-1.1, 0.00199), "scatter": (1.1, 0.00820), "gather": (16.4, 0.00100), "all_to_all": (18.3, 0.00012),
               "barrier": (-1.2, 20.6), "read": (1390, 0.0324), "write": (270, 0.0066), "power": False},
    "kask": {"cores": 4, "threads": 8, "nodes": 10, "time": (0.0033, 0.0034, 2.06e-4, 4.14e-4), "p2p": (1.3, 0.00181),
             "broadcast": (-1.04, 0.0580), "scatter": (2.9, 0.00880), "gather": (10.0, 0.00990), "all_to_all": (10.1, 0.00048),
             "barrier": (-1.8, 22.6), "read": (7600, 0.0290), "write": (1100, 0.0093), "power": False}}
LAMBDA = 5.03372e-10
WORK = 2e10
ROUNDS = 50
PROGRAM = {
    "format": "farcast-blocks/1",
    "groups": {"master": {"processes": 1, "per_node": 1}, "slave": {"processes": 24}},
    "blocks": [{"read": "master", "bytes": 1e8}, {"scatter": ["master", "slave"], "bytes": 1e8},
               {"repeat": ROUNDS, "blocks": [{"compute": "slave", "instructions": WORK, "divided": True},
                                             {"all_to_all": ["slave"], "bytes": 5000}, {"barrier": ["slave"]}]},
               {"gather": ["slave", "master"], "bytes": 3e6}, {"send": ["master", "slave"], "bytes": 9000},
               {"compute": "master", "instructions": 1e6}, {"write": "master", "bytes": 1e6}]}
QUESTION = ["--model", "blocks", "--parameters", "app.json"]


class Asked(FarcastRuns):
    """Asks the program of the file app.json."""

    def write(self, program):
        (self.work / "app.json").write_text(json.dumps(program))

    def run(self, *arguments, code=0):
        return super().run("whatif", *arguments, code=code)

    def points(self, *arguments):
        """Returns: the text, the points of the JSON file, the rows of the CSV file."""
        text, _ = self.run(*QUESTION, *arguments, "--csv", "a.csv", "--json", "a.json")
        with open(self.work / "a.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return text, json.loads((self.work / "a.json").read_text())["points"], rows


def wanted(table, slaves, per_node):
    """Returns: time, the slaves' last call, energy, nodes, by Table 1."""
    def block(name, data=0, factor=1.0):
        start, per_byte = table[name]
        return max(0.0, start + per_byte * (1 if name == "barrier" else math.ceil(data / 2048) * 2048) * factor) * 1e-6

    def instruction(threads):
        low, middle, high, each = table["time"]
        time = low if threads <= table["cores"] else middle if threads <= table["threads"] else high + each * threads
        return time * 1e-6

    def power(threads):
        return 78 + 4.84 * threads if threads <= 12 else min(151, 109 + 1.9 * threads) if threads <= 24 else 151

    nodes = math.ceil(slaves / per_node)
    fullest = min(slaves, per_node)
    both = nodes + 1
    time = block("read", 1e8) + block("scatter", 1e8, math.log10(both) / both)
    time += ROUNDS * (WORK / slaves * instruction(fullest) + block("all_to_all", 5000, nodes) + block("barrier", 0, math.log10(nodes)))
    time += block("gather", 3e6, math.log10(both) / both) + slaves * block("p2p", 9000)
    slaves_end = time
    time += 1e6 * instruction(1) + block("write", 1e6)
    full, left = divmod(slaves, per_node)
    watts = full * power(per_node) + (power(left) if left else 0)
    energy = power(1) * time + watts * slaves_end + 78 * nodes * (time - slaves_end)
    return time, slaves_end, energy, both


def close(value, right, what):
    expect(abs(value - right) <= 1e-9 * abs(right), f"{what}: found {value}, expected {right}")


def check_figures(asked):
    asked.write(PROGRAM)
    text, points, rows = asked.points("-p", "galera+", "-p", "galera", "-p", "kask", "--processes", "slave=1,7,24,100", "--ppn", "1,12,30",
                                      "--best", "edp")
    expect(len(points) == 3 * 4 * 3 == len(rows), f"{len(points)} points")
    impossible = 0
    for point, row in zip(points, rows):
        slaves, per_node, table = point["processes_of"]["slave"], point["ppn"], TABLE[point["platform"]]
        what = f"{point['platform']}, {slaves} slaves, {per_node} per node"
        expect(float(row["processes_slave"]) == slaves and row["platform"] == point["platform"], f"{row} is not {point}")
        if math.ceil(slaves / per_node) + 1 > table["nodes"]:
            expect(f"has {table['nodes']} nodes" in point["impossible"] and row["impossible"], f"{what}: {point}")
            impossible += 1
            continue
        time, slaves_end, energy, nodes = wanted(table, slaves, per_node)
        close(point["time_s"], time, f"{what}: time")
        close(point["groups"][1]["end_s"], slaves_end, f"{what}: slaves")
        expect(point["nodes"] == nodes and float(row["time_s"]) == point["time_s"], what)
        expect((point["energy_j"] is not None) == table["power"], what)
        if table["power"]:
            close(point["energy_j"], energy, f"{what}: energy")
            close(point["edp_js"], energy * time, f"{what}: EDP")
            close(point["success"], math.exp(-LAMBDA * time * nodes), f"{what}: odds")
            close(point["with_restarts_s"], math.expm1(LAMBDA * nodes * time) / (LAMBDA * nodes), f"{what}: with restarts")
    expect(impossible == 2, f"{impossible} points are impossible")
    ours = [point["edp_js"] for point in points if point.get("edp_js")]
    expect(len(ours) == 12 and ours == sorted(ours), "not sorted by EDP")
    for word in ("galera+", "slave 100", "is best in EDP: against", "Proficz16", "impossible: ", "success"):
        expect(word in text, text)


def check_defaults(asked):
    """Without --ppn a group has as many processes on a node as it has cores, unless the file says it."""
    asked.write(PROGRAM)
    for platform, table in TABLE.items():
        _, points, _ = asked.points("-p", platform)
        expect(len(points) == 1 and points[0]["ppn"] == table["cores"], f"{points}")
        close(points[0]["time_s"], wanted(table, 24, table["cores"])[0], platform)
    _, points, _ = asked.points("-p", "galera+", "--processes", "slave=1000000000", "--ppn", "10000000")
    expect(points[0]["nodes"] == 101, f"{points[0]['nodes']} nodes")


WRONG_FILES = (
    ({"groups": {}}, ["groups", "0 groups", "1 to 32"]), ({"groups": {"a": 3}}, ["groups.'a'", "'3'", "object"]),
    ({"groups": {"a": {"processes": 0}}}, ["groups.'a'.processes", "'0'", "whole number"]),
    ({"groups": {"a": {"processes": 1.5}}}, ["groups.'a'.processes", "1.5", "whole number"]),
    ({"groups": {"a": {"processes": 2, "pernode": 1}}}, ["'pernode'", "per_node"]),
    ({"groups": {"a=b": {"processes": 2}}}, ["'a=b'", "label"]),
    ({"blocks": []}, ["blocks", "empty list"]), ({"blocks": {}}, ["blocks", "an object", "list"]), ({"blocks": [3]}, ["blocks[0]", "'3'"]),
    ({"blocks": [{"comput": "slave"}]}, ["blocks[0]", "'comput'", "did you mean compute"]),
    ({"blocks": [{"compute": "slaves", "instructions": 1}]}, ["blocks[0].compute", "slaves", "master, slave"]),
    ({"blocks": [{"compute": ["slave"], "instructions": 1}]}, ["blocks[0].compute", "a list", "a group"]),
    ({"blocks": [{"compute": "slave"}]}, ["blocks[0]", "instructions"]),
    ({"blocks": [{"compute": "slave", "instructions": -1}]}, ["blocks[0].instructions", "'-1'", "not negative"]),
    ({"blocks": [{"compute": "slave", "instructions": 1, "divided": 1}]}, ["blocks[0].divided", "'1'", "true or false"]),
    ({"blocks": [{"compute": "slave", "bytes": 1}]}, ["'bytes'", "instructions"]),
    ({"blocks": [{"send": ["slave"], "bytes": 1}]}, ["blocks[0].send", "1 groups", "from"]),
    ({"blocks": [{"send": "slave", "bytes": 1}]}, ["blocks[0].send", "'\"slave\"'", "from"]),
    ({"blocks": [{"broadcast": [], "bytes": 1}]}, ["blocks[0].broadcast", "0 groups", "at least one"]),
    ({"blocks": [{"scatter": ["slave"], "bytes": 1, "divided": True}]}, ["'divided'"]),
    ({"blocks": [{"barrier": ["slave"], "bytes": 1}]}, ["'bytes'", "barrier"]),
    ({"blocks": [{"repeat": -1, "blocks": [{"barrier": ["slave"]}]}]}, ["blocks[0].repeat", "'-1'"]),
    ({"blocks": [{"repeat": 2}]}, ["blocks[0]", "blocks"]),
    ({"blocks": [{"repeat": 2, "blocks": [{"barrier": ["slav"]}]}]}, ["blocks[0].blocks[0].barrier", "slav"]),
    ({"format": "farcast-stencil/1"}, ["format", "farcast-blocks/1"]), ({"blokcs": []}, ["'blokcs'", "did you mean blocks"]))


def check_sentences(asked):
    asked.write(PROGRAM)
    on = [*QUESTION, "-p", "galera+"]
    for arguments, words in ((["--model", "blocks", "-p", "kask"], ["--parameters"]), (QUESTION, ["--platform"]),
                             ([*on, "run.h5"], ["run.h5", "--model"]), ([*on, "--frequency", "2"], ["--frequency", "--model blocks"]),
                             ([*on, "--K", "2"], ["--K", "--model blocks"]), ([*on, "--processes", "slave"], ["'slave'", "slave=12,24"]),
                             ([*on, "--processes", "slave=0"], ["'slave=0'"]), ([*on, "--processes", "slave=1.5"], ["'slave=1.5'"]),
                             ([*on, "--processes", "worker=2"], ["'worker'", "master, slave"]),
                             ([*on, "--processes", "slave=2", "--processes", "slave=3"], ["slave twice"]),
                             ([*on, "--ppn", "0"], ["--ppn", "'0'"]), ([*on, "--processes", "slave=100000", "--ppn", "12"], ["192 nodes"]),
                             ([*QUESTION, "-p", "taurus"], ["taurus", "farcast:block_"]), ([*QUESTION, "-p", "galera-"], ["galera-"]),
                             (["run.h5", "--processes", "slave=2"], ["--processes", "--model blocks"]),
                             (["--model", "blocks", "--parameters", "none.json", "-p", "kask"], ["none.json"])):
        _, error = asked.run(*arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
    for changes, words in WRONG_FILES:
        asked.write({**PROGRAM, **changes})
        _, error = asked.run(*on, code=2)
        expect(error.count("\n") == 1 and "app.json: " in error and all(word in error for word in words), f"{changes}: {error}")
    fixed = {"groups": {name: {"processes": 2, "per_node": 1} for name in ("master", "slave")}}
    asked.write({**PROGRAM, **fixed})
    _, error = asked.run(*on, "--ppn", "2", code=2)
    expect("--ppn" in error and "per_node" in error, error)
    (asked.work / "app.json").write_text("{" * 100000)
    _, error = asked.run(*on, code=2)
    expect("no JSON" in error and error.count("\n") == 1, error)


if __name__ == "__main__":
    sys.exit(run_checks(Asked, (check_figures, check_defaults, check_sentences), __doc__))
