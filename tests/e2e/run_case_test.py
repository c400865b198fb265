#!/usr/bin/env python3
"""Checks that run_case.py finds what it has to find: cases without MPI, under good and harmful stand-ins for farcast."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
REPORT = {"schema": "farcast-report/1", "program": "p", "ranks": 1, "mpi": {}, "complete": True, "measured": {"wall_s": 1.0},
          "calls": {"MPI_Init": 1}, "regions": [], "unmodelled": [], "predictions": []}
PREDICTIONS = [{"platform": "taurus", "time_s": 1.0, "energy_j": 2.0, "problems": []}]
# exec: writes the report and runs the program. HARM and CHANGE are replaced by what a test wants.
STAND_IN = """#!/usr/bin/env python3
import json, os, subprocess, sys
report = json.loads(REPORT)
if "--no-predict" not in sys.argv:
    report["predictions"] = json.loads(PREDICTIONS)
again = sys.argv[1] == "predict"
CHANGE
with open("again.json" if again else "report.json", "w") as file:
    json.dump(report, file)
if again:
    sys.exit(0)
HARM
os.execv(sys.argv[sys.argv.index("--") + 1], sys.argv[sys.argv.index("--") + 1:])
"""


class RunCase(unittest.TestCase):
    def run_case(self, harm="", change="", case=None, program="echo out; exit 3", native_only=False, mask=None):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fields = {"about": "", "mpi": ["none"], "program": ["/bin/sh", "-c", program], "ranks": 1, "exit_code": 3,
                      "report": {"calls": {"MPI_Init": 1}}}
            fields.update(case or {})
            (folder / "case.json").write_text(json.dumps(fields))
            (folder / "mask.txt").write_text(mask or "")
            text = STAND_IN.replace("REPORT", repr(json.dumps(REPORT)), 1)
            text = text.replace("PREDICTIONS", repr(json.dumps(PREDICTIONS)), 1)
            (folder / "farcast").write_text(text.replace("HARM", harm).replace("CHANGE", change))
            (folder / "farcast").chmod(0o755)
            command = [sys.executable, str(HERE / "run_case.py"), str(folder), "--mpi", "none", "--work",
                       str(folder / "work"), "--grace", "1"]
            done = subprocess.run(command + ([] if native_only else ["--farcast", str(folder / "farcast")]),
                                  capture_output=True, text=True, timeout=100)
            return done.returncode, done.stderr

    def fails(self, words, **arguments):
        code, errors = self.run_case(**arguments)
        self.assertEqual(code, 1, errors)
        self.assertIn(words, errors)

    def test_a_good_case_passes(self):
        self.assertEqual(self.run_case(), (0, ""))

    def test_native_alone_needs_no_farcast(self):
        self.assertEqual(self.run_case(native_only=True), (0, ""))

    def test_a_changed_exit_code_is_found(self):
        self.fails("recorded: exit code 4, without farcast 3", harm="sys.exit(4)")

    def test_changed_output_is_found(self):
        self.fails("recorded: stdout:1: found", harm="print('farcast says hello', flush=True)")

    def test_missing_output_is_found(self):
        self.fails("(end)", harm="sys.exit(3)")

    def test_an_expected_exit_code_is_held_natively(self):
        self.fails("native: exit code 3, the case expects 0", case={"exit_code": 0})

    def test_a_program_that_hangs_is_stopped(self):
        self.fails("not finished after 1 s", case={"timeout_s": 1}, harm="import time; time.sleep(50)")

    def test_a_process_left_behind_is_found(self):
        self.fails("left behind", harm="subprocess.Popen(['sleep', '60'], start_new_session=True)")

    def test_shared_memory_left_behind_is_found(self):
        path = f"/dev/shm/farcast-run-case-test-{id(self)}"
        try:
            self.fails("left behind", harm=f"open('{path}', 'w').close()")
        finally:
            pathlib.Path(path).unlink(missing_ok=True)

    def test_wrong_counts_are_found(self):
        self.fails("calls of MPI_Init: 2, expected 1", change="report['calls']['MPI_Init'] = 2")
        self.fails("calls of MPI_Send: 1, expected none", change="report['calls']['MPI_Send'] = 1",
                   case={"report": {"calls": {"MPI_Init": 1}, "only_these_calls": True}})
        self.fails("calls of MPI_Init: 1, expected >= 2", case={"report": {"calls": {"MPI_Init": ">= 2"}}})

    def test_a_missing_report_or_field_is_found(self):
        self.fails("no JSON report", harm="os.remove('report.json')")
        self.fails("lacks 'regions'", change="del report['regions']")
        self.fails("complete: False", change="report['complete'] = False")

    def test_predictions_are_checked(self):
        self.fails("in spite of --no-predict", change="report['predictions'] = [1]")
        self.fails("taurus: deadlock", change="for p in report['predictions']: p['problems'] = ['deadlock']")
        self.fails("differs from the live prediction",
                   change="if again: report['predictions'][0]['time_s'] = 1.0000000000000002")

    def test_masks(self):
        clock = "date +%N; exit 3"
        self.fails("recorded: stdout:1", program=clock)
        self.fails("native, again: stdout:1", program=clock, case={"mask": "mask.txt"}, mask="^never$\n")
        self.assertEqual(self.run_case(program=clock, case={"mask": "mask.txt"}, mask="# time\n^\\d+$\n"), (0, ""))
        self.fails("masks that never vary", case={"mask": "mask.txt"}, mask="^out$\n")

    def test_unknown_fields_are_found(self):
        self.fails("unknown fields ['exitcode']", case={"exitcode": 3})

    def test_a_missing_program_skips(self):
        code, _ = self.run_case(case={"program": ["/nonexistent/program"]})
        self.assertEqual(code, 77)


if __name__ == "__main__":
    unittest.main()
