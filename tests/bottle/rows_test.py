#!/usr/bin/env python3
"""How scripts/validate judges rows and repeats what was disturbed: by made figures, without a bottle."""

import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "validate.d"))
import catalogue  # noqa: E402
import machine  # noqa: E402
import patterns  # noqa: E402
import rows  # noqa: E402
import truth  # noqa: E402


def measured(mean=1.0, cpu_s=0.05, ready_s=0.01, switch=0.05, stolen_s=0.0):
    return {"mean_s": mean, "median_s": 0.99 * mean, "least_s": 0.98 * mean, "most_s": 1.03 * mean,
            "all_s": [0.98 * mean, 0.99 * mean, 1.03 * mean], "cpu_s": cpu_s, "ready_s": ready_s, "switch": switch, "stolen_s": stolen_s}


def row(hosts=4, predicted=((1.02, 1.04), (1.03, 1.03)), smpi_s=1.2, computation=None, **of_measured):
    recordings = [{"s": sum(times) / len(times), "least_s": min(times), "most_s": max(times), "realisations": len(times),
                   "computation_s": [0.3] * hosts} for times in predicted]
    return rows.make(catalogue.Program("cg"), "100:1000", hosts, measured(**of_measured), recordings, smpi_s, computation, {})


def pattern_row(kind="collective", measured_s=(0.98, 1.0, 1.02), predicted_s=(1.0, 1.04), smpi_off=0.2, **of_row):
    off = sum(predicted_s) / len(predicted_s) / (sum(measured_s) / len(measured_s)) - 1
    return {"network": "100:1000", "kind": kind, "pattern": "bcast 8 B", "hosts": 4, "measured_s": list(measured_s), "predicted_s": list(predicted_s),
            "off": off, "smpi_off": smpi_off, "ready": 0.01, "switch": 0.1, "within": abs(off) <= patterns.LIMITS[kind], "not_judged": "",
            "whole": row(), **of_row}


class Patterns(unittest.TestCase):
    def test_collectives_have_a_limit_each_and_one_in_the_median(self):
        good, far = pattern_row(), pattern_row(predicted_s=(1.1,))
        self.assertTrue(patterns.within_limits([good, good, far]))
        self.assertFalse(patterns.within_limits([good, far, far]))
        self.assertFalse(patterns.within_limits([good, good, pattern_row(predicted_s=(1.3,))]))
        self.assertTrue(patterns.within_limits([good, pattern_row(predicted_s=(1.3,), not_judged="beyond the test bed")]))
        self.assertFalse(patterns.within_limits([pattern_row(not_judged="beyond the test bed")]))

    def test_why_a_row_does_not_count(self):
        self.assertEqual(patterns.why_not(0.04, 0.05, 0.3), "")
        self.assertEqual(patterns.why_not(0.06, 0.2, 0.3), "recordings differ by 6%")
        self.assertEqual(patterns.why_not(0.04, 0.06, 0.3), "beyond the test bed")

    def test_what_the_tables_say(self):
        found = [pattern_row(), pattern_row(predicted_s=(1.3,)), pattern_row(not_judged="beyond the test bed")]
        self.assertEqual(list(patterns.summary(found)), [["100:1000", "collective", "2", "16.0 %", "30.0 %", "20.0 %", "20.0 %"]])
        self.assertEqual([patterns.cells(row)[-1] for row in found], ["", "miss", "beyond the test bed"])
        table = patterns.markdown(found, "command")
        self.assertIn("| bcast 8 B | 4 | 1000 (980 - 1020) |", table)
        self.assertIn("Whole programs: 3 of 3 rows are judged. farcast: median 3.0 %, worst 3.0 % of 3 rows.", table)


class Rows(unittest.TestCase):
    def test_errors_are_of_means(self):
        one = row()
        self.assertAlmostEqual(one["off"], 0.03)
        self.assertAlmostEqual(one["smpi_off"], 0.2)
        self.assertEqual((one["predicted_least_s"], one["predicted_most_s"]), (1.02, 1.04))
        self.assertEqual(one["not_judged"], "")

    def test_how_well_the_mean_is_known(self):
        self.assertAlmostEqual(truth.mean_error([0.9, 1.0, 1.1]), 0.1 / 3 ** 0.5)
        self.assertEqual(truth.mean_error([1.0]), 1.0)
        self.assertIn("1.0000 +-1.5%", rows.cells(row()))

    def test_recordings_that_differ_are_not_judged(self):
        self.assertEqual(row(predicted=((1.0,), (1.049,)))["not_judged"], "")
        self.assertIn("recordings differ by 6%", row(predicted=((1.0,), (1.06,)))["not_judged"])

    def test_shared_cores_are_beyond_the_test_bed_unless_the_program_computes(self):
        self.assertIn("ranks stood ready for 6%", row(hosts=4, ready_s=0.06)["not_judged"])
        self.assertEqual(row(hosts=2, ready_s=0.06)["not_judged"], "")
        self.assertIn("switch", row(hosts=2, switch=0.31)["not_judged"])

    def test_what_a_hypervisor_disturbs_is_not_judged(self):
        self.assertEqual(row(stolen_s=0.01)["not_judged"], "")
        self.assertIn("hypervisor had cores for 0.02 s", row(stolen_s=0.02)["not_judged"])

    def test_other_rows_stay_when_some_are_measured_again(self):
        kept = rows.others([row(hosts=2), row(hosts=4)], [catalogue.Program("cg"), catalogue.Program("ft")], ["100:1000"], [4, 8])
        self.assertEqual([one["hosts"] for one in kept], [2])
        self.assertEqual(len(rows.others(kept, [catalogue.Program("cg")], ["50:500"], [2])), 1)

    def test_computation_is_a_share_of_the_error(self):
        one = row(hosts=2, computation=[0.25, 0.25])["computation"]
        self.assertAlmostEqual(one["off"], 0.2)
        self.assertAlmostEqual(one["of_error"], 0.05)

    def test_figures_are_of_judged_rows_and_smpi_is_compared_on_the_same(self):
        some = [row(predicted=((1.01,), (1.01,))), row(predicted=((0.8,), (0.8,)), smpi_s=None), row(predicted=((1.0,), (2.0,)))]
        text = " ".join(rows.figures(some))
        self.assertIn("2 of 3 rows are judged", text)
        self.assertIn("farcast: median 10.5%, worst 20.0% of 2 rows", text)
        self.assertIn("farcast, where SMPI can predict: median 1.0%, worst 1.0% of 1 rows", text)
        self.assertIn("SMPI: median 20.0%, worst 20.0% of 1 rows", text)
        self.assertFalse(rows.within_limits(some))
        self.assertTrue(rows.within_limits(some[:1]))
        self.assertFalse(rows.within_limits(some[2:]))

    def test_runs_in_the_interval_are_counted(self):
        sure = {"time_s": [0.97, 1.04], "variance_shares": {"computation": 1.0, "calibration": 0.0, "chance": 0.0}}
        recordings = [{"s": 1.0, "least_s": 1.0, "most_s": 1.0, "realisations": 1, "computation_s": [0.3], "confidence": sure}] * 2
        runs = {**measured(), "all_s": [0.96, 0.98, 1.0, 1.04]}
        one = rows.make(catalogue.Program("cg"), "100:1000", 4, runs, recordings, None, None, {})
        self.assertEqual((one["interval_s"], one["covered"]), ([0.97, 1.04], 0.75))
        self.assertIn("75% of the runs of 1 rows lie in them; half of an interval is 3.5% in the median", " ".join(rows.figures([one])))

    def test_a_coupled_run_has_its_own_error(self):
        one, other = row() | {"coupled_s": 1.01, "coupled_off": 0.01}, row()
        self.assertIn("farcast --coupled: median 1.0%, worst 1.0% of 1 rows.", rows.figures([one, other]))
        self.assertNotIn("coupled", " ".join(rows.figures([other])))
        self.assertIn("| +3.0 % | +1.0 % | +20.0 % |", rows.markdown([one], "command"))

    def test_tables_have_as_many_cells_in_each_line(self):
        other = {**row(hosts=2, computation=[0.25, 0.25]), "network": "50:500"}
        text = rows.markdown([row(), row(smpi_s=None), other], "command")
        tables = [[line for line in table.splitlines() if line.startswith("|")] for table in text.split("###")]
        self.assertEqual([len(table) for table in tables], [5, 3, 4])  # the networks and all; each: slow ones first
        for table in tables:
            self.assertEqual(len({line.count("|") for line in table}), 1, table)
        self.assertIn("| 50 Mbit/s, 500 us | 1 | **3.0 %** |", text)
        self.assertIn("| cg | 2 | 1.000 (0.980 - 1.030) | 1.030 (1.020 - 1.040) | +3.0 % | - | +20.0 % | +20.0 % | 1.0 % |", text)


class Watched:
    """In place of machine.Watch: it stood still in the first tries."""
    def __init__(self, still):
        self.longest_s, self.still, self.tries, self.most_tries = 0.0, still, 0, machine.MOST_TRIES

    def act(self):
        self.longest_s = 5.0 if self.tries < self.still else 0.1
        self.tries += 1
        return self.tries


class StandingStill(unittest.TestCase):
    def measured(self, watch):
        with contextlib.redirect_stdout(io.StringIO()):
            return machine.undisturbed(watch, watch.act)

    def test_what_was_measured_meanwhile_is_measured_once_more(self):
        self.assertEqual(self.measured(Watched(0)), 1)
        self.assertEqual(self.measured(Watched(2)), 3)

    def test_it_gives_up(self):
        with self.assertRaises(machine.Stop):
            self.measured(Watched(1000))

    def test_short_runs_are_free_of_a_hypervisor_and_long_ones_nearly(self):
        watch = Watched(0)
        runs = [{"s": 1.0, "stolen_s": 0.2}, {"s": 1.0, "stolen_s": 0.01}, {"s": 1.0, "stolen_s": 0.0}, {"s": 10.0, "stolen_s": 0.2}]
        for given, expected in ((runs[:3], runs[2]), (runs[3:], runs[3]), ([runs[0], runs[1]] + [runs[0]] * machine.MOST_TRIES, runs[1])):
            left = iter(given)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(machine.undisturbed(watch, lambda left=left: next(left)), expected)

    def test_a_command_that_takes_too_long_ends_with_its_children(self):
        with self.assertRaises(machine.Stop):
            machine.call(["sh", "-c", "sleep 1000 & wait"], timeout=0.2)
        with self.assertRaisesRegex(machine.Stop, "why"):
            machine.call(["sh", "-c", "echo why >&2; exit 3"])


class Programs(unittest.TestCase):
    def test_every_own_program_has_sizes_and_a_source(self):
        self.assertEqual(sorted(catalogue.OWN), sorted(catalogue.build.sources()))
        self.assertGreaterEqual(len(catalogue.OWN), 10)

    def test_computation_is_a_sleep_on_more_hosts_than_cores(self):
        program = catalogue.Program("is")
        self.assertIn("--work", program.command(2, pathlib.Path("x"), False))
        self.assertIn("--sleep", program.command(4, pathlib.Path("x"), False))

    def test_debians_run_on_two_hosts_with_their_input(self):
        for name in catalogue.DEBIAN:
            program = catalogue.Program(name)
            self.assertEqual([hosts for hosts in (2, 4, 8) if program.runs_on(hosts)], [2])
            self.assertTrue(all(path.exists() for path in program.files), name)

    def test_longer_inputs_replace_what_is_there(self):
        for name in catalogue.known():
            program = catalogue.Program(name).lengthen()
            for old, new in program.changes:
                self.assertTrue(all(old in path.read_text() for path in program.files), f"{name}: {old}")
                self.assertNotEqual(old, new)
        steps = [catalogue.Program("is").command(2, pathlib.Path("x"), False), catalogue.Program("is").lengthen().command(2, pathlib.Path("x"), False)]
        self.assertEqual(steps[0][2] * catalogue.LONGER_STEPS, steps[1][2])


if __name__ == "__main__":
    unittest.main()
