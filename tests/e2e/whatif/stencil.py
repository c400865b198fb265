#!/usr/bin/env python3
"""farcast whatif --model stencil: times, energies and ideal supertiles by Balladini13's equations in Python; what is refused.

    stencil.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not.
"""
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

# Tile, link and watts are those of Balladini13 Table 1, scenario A at 3.19 GHz; the scenarios' factors are C's and B's against A's.
SAMPLE = {"format": "farcast-stencil/1", "description": "heat transfer", "dimensions": 2, "side_tiles": 500, "iterations": 1000,
          "efficiency": 0.9, "internal_tile": {"at_1ghz_s": 4.785e-8}, "edge_tile": {"at_1ghz_s": 6e-8, "exponent": -0.8},
          "link_s": 3.18e-6, "watts": {"edge": [95, 20, 7.5], "overlap": 235.2, "waiting": [90, 30]}, "cores_per_node": 6,
          "frequencies_ghz": [3.19, 2.79, 1.59],
          "scenarios": {"one VM": {"computation": 1.37, "communication": 1.13, "power": 1.0004},
                        "VM per core": {"computation": 1.48, "communication": 2.12, "power": 1.012}}}


class Asked(FarcastRuns):
    patience_s = 60

    def __init__(self, arguments):
        super().__init__(arguments)
        self.write(SAMPLE)

    def write(self, parameters):
        (self.work / "heat.json").write_text(json.dumps(parameters))

    def run(self, *arguments, code=0):
        return super().run("whatif", *arguments, code=code)

    def points(self, *arguments):
        text, _ = self.run("--model", "stencil", "--parameters", "heat.json", "--csv", "a.csv", "--json", "a.json", *arguments)
        with open(self.work / "a.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return text, json.loads((self.work / "a.json").read_text())["points"], rows


def watts(terms, ghz):
    return sum(term * ghz ** power for power, term in enumerate(terms if isinstance(terms, list) else [terms]))


def wanted(parameters, name, ghz, tiles):
    """Returns: (time, energy) by eq. (3) to (11)."""
    factor = {"computation": 1, "communication": 1, "power": 1, **parameters["scenarios"].get(name, {})}
    tile = {which: parameters[which]["at_1ghz_s"] * ghz ** parameters[which].get("exponent", -1) * factor["computation"]
            for which in ("internal_tile", "edge_tile")}
    n, inner = parameters["dimensions"], max(0, tiles - 2)
    edge = (tiles ** n - inner ** n) * tile["edge_tile"]
    inside = inner ** n * tile["internal_tile"]
    link = tiles ** (n - 1) * parameters["link_s"] * factor["communication"]
    power = {phase: watts(terms, ghz) * factor["power"] / parameters["cores_per_node"] for phase, terms in parameters["watts"].items()}
    energy = power["edge"] * edge + power["overlap"] * min(inside, link)
    energy += power["waiting"] * (link - inside) if link > inside else power["edge"] * (inside - link)
    iterations = parameters["iterations"]
    return iterations * (edge + max(inside, link)), iterations * energy * (parameters["side_tiles"] / tiles) ** n


def close(value, right, what):
    expect(abs(value - right) <= 1e-9 * abs(right), f"{what}: found {value}, expected {right}")


def check_point(parameters, point):
    what = f"{point['scenario']}, {point['frequency_hz'] / 1e9} GHz, K {point['tiles']}"
    time, energy = wanted(parameters, point["scenario"], point["frequency_hz"] / 1e9, point["tiles"])
    close(point["time_s"], time, f"{what}: time")
    close(point["energy_j"], energy, f"{what}: energy")
    close(point["edp_js"], time * energy, f"{what}: EDP")
    close(point["cores"], (parameters["side_tiles"] / point["tiles"]) ** parameters["dimensions"], f"{what}: cores")


def check_figures(asked):
    for changes in ({}, {"dimensions": 3, "side_tiles": 200}, {"dimensions": 1, "side_tiles": 1e5}):
        parameters = {**SAMPLE, **changes}
        asked.write(parameters)
        text, points, rows = asked.points("--K", "10,50.5", "--cores", "16,100", "--best", "edp")
        expect(len(points) == 3 * 3 * 4 == len(rows), f"{len(points)} points")
        for point, row in zip(points, rows):
            check_point(parameters, point)
            expect(float(row["time_s"]) == point["time_s"] and row["scenario"] == point["scenario"], f"{row} is not {point}")
        for name in ("real", *SAMPLE["scenarios"]):
            ours = [point for point in points if point["scenario"] == name]
            expect([p["edp_js"] for p in ours] == sorted(p["edp_js"] for p in ours), f"{name} is not sorted by EDP")
            for kind, figure in (("time", "time_s"), ("energy", "energy_j"), ("EDP", "edp_js")):
                best = [point for point in ours if kind in point["best"]]
                expect(len(best) == 1 and best[0][figure] == min(point[figure] for point in ours), f"{name}: {kind}")
        expect([point["scenario"] for point in points[::12]] == ["real", *SAMPLE["scenarios"]], "scenarios are not in the file's order")
        for word in ("VM per core", "3.19 GHz", "overlapped", "Balladini13"):
            expect(word in text, text)


def check_ideal(asked):
    """K^(n-1) lambda = (K-2)^n / effic: the largest supertile whose communication inner tiles hide, but for the efficiency."""
    asked.write(SAMPLE)
    text, points, _ = asked.points()
    expect(len(points) == 9 and "eq. (7)" in text, text)
    for point in points:
        check_point(SAMPLE, point)
        spent, tiles = point["iteration_s"], point["tiles"]
        ratio = spent["communication"] / tiles / (spent["internal"] / (tiles - 2) ** 2)
        close(tiles * ratio, (tiles - 2) ** 2 / SAMPLE["efficiency"], "eq. (7)")
    _, points, _ = asked.points("--frequency", "2.5,2")
    expect({point["frequency_hz"] for point in points} == {2.5e9, 2e9}, "--frequency is not in place of the file's")


def check_sentences(asked):
    model = ["--model", "stencil", "--parameters", "heat.json"]
    for arguments, words in (([], ["files"]), (["--model", "stencil"], ["--parameters"]), (["--model", "tree"], ["tree", "stencil"]),
                             ([*model, "run.h5"], ["run.h5", "--model"]), ([*model, "--ppn", "2"], ["--ppn", "--model stencil"]),
                             ([*model, "-p", "taurus"], ["--platform"]), ([*model, "--balance"], ["--balance"]),
                             (["run.h5", "--K", "2"], ["--K", "--model stencil"]), ([*model, "--K", "0"], ["--K", "'0'"]),
                             ([*model, "--K", "501"], ["--K", "501", "500"]), ([*model, "--cores", "1e6"], ["--cores", "250000"]),
                             ([*model, "--frequency", "0"], ["--frequency", "'0'"]),
                             (["--model", "stencil", "--parameters", "none.json"], ["none.json"])):
        _, error = asked.run(*arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
    for changes, words in (({"watts": {"edge": -1, "overlap": 1, "waiting": 1}}, ["watts.edge", "'-1'", "not negative"]),
                           ({"link_s": "3us"}, ["link_s", "3us", "above 0"]), ({"speed": 1}, ["'speed'"]),
                           ({"watts": {"edge": 1, "overlap": 1, "waiting": [90, -60]}}, ["waiting", "3.19 GHz", "not negative"])):
        asked.write({**SAMPLE, **changes})
        _, error = asked.run(*model, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{changes}: {error}")
    (asked.work / "heat.json").write_text("no JSON")
    _, error = asked.run(*model, code=2)
    expect("heat.json" in error and "JSON" in error, error)


if __name__ == "__main__":
    sys.exit(run_checks(Asked, (check_figures, check_ideal, check_sentences), __doc__))
