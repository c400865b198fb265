#!/usr/bin/env python3
"""predict --bottlenecks: the critical path is as long as the prediction, wait states are the waiting, and both name the lines of the
program that are to blame. whatif --gains: what the list says is what asking for it gives.

    run.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

RANKS = 4
# Rank 2 sleeps before it sends and before the reduction: all others wait for it.
PROGRAM = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, value = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    if (rank == 2) usleep(20000);
    if (rank == 2) MPI_Send(&value, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
    if (rank == 3) MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) usleep(10000);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
"""


class Job(FarcastRuns):
    def __init__(self, arguments):
        super().__init__(arguments)
        (self.work / "late.c").write_text(PROGRAM)
        self.compile("late.c")
        self.record("run.h5", "./late", ranks=RANKS)

    def predicted(self, *options):
        """Returns: the first prediction of the JSON report, and the text report."""
        text, _ = self.run("predict", "run.h5", *options, "--json", "report.json")
        return json.loads((self.work / "report.json").read_text())["predictions"][0], text


def near(found, expected, what, limit=1e-9):
    expect(abs(found - expected) <= limit, f"{what}: {found!r}, expected {expected!r}")


def check_sums(job):
    for options in (["--p2p", "smpi"], ["--p2p", "channel", "--seed", "3"], ["--p2p", "channel", "--realisations", "3"]):
        prediction, _ = job.predicted("-p", "taurus", "--ppn", "1", "--bottlenecks", *options)
        found = prediction["bottlenecks"]
        near(sum(part["time_s"] for part in found["path"]), prediction["time_s"], f"{options}: the path's length")
        states = found["wait_states"]
        for rank, waits in zip(prediction["ranks"], states["ranks"]):
            near(waits["late_sender_s"] + waits["late_receiver_s"] + waits["other_s"], rank["waiting_s"], f"{options}: {rank['rank']}")
            expect(waits["collective_s"] <= rank["collective_s"] + 1e-9, f"{options}: {waits} {rank}")
        for state in states["ranks"][0]:
            whole = sum(waits[state] for waits in states["ranks"])
            near(sum(waits[state] for waits in states["sites"]), whole, f"{options}: {state} by site")
            near(sum(waits[state] for waits in states["regions"]), whole, f"{options}: {state} by region")


def check_blame(job):
    """What rank 2 does alone is the path; rank 3 waits for its sender, and all for it in the reduction."""
    prediction, text = job.predicted("-p", "taurus", "--ppn", "1", "--bottlenecks")
    found = prediction["bottlenecks"]
    slow = [part for part in found["path"] if part["part"] == "compute" and part["time_s"] > 0.01]
    expect(sum(part["time_s"] for part in slow) > 0.95 * prediction["time_s"], str(found["path"]))
    expect(found["path_on_rank_s"][2] > 0.95 * prediction["time_s"], str(found["path_on_rank_s"]))
    states = found["wait_states"]["ranks"]
    expect(states[3]["late_sender_s"] > 0.09 and states[2]["late_sender_s"] < 0.01, str(states))
    expect(all(states[rank]["collective_s"] > 0.04 for rank in (0, 1, 3)) and states[2]["collective_s"] < 0.01, str(states))
    for words in ("Critical Path on taurus", "Wait States on taurus", "Imbalance on taurus", "MPI_Recv late.c:11", "is 2:"):
        expect(words in text, f"no '{words}' in\n{text}")


def check_gains(job):
    """Each gain is what whatif gives for the option that the list names."""
    for options in (["--p2p", "smpi"], ["--p2p", "channel", "--seed", "3"], ["--p2p", "channel", "--realisations", "2"]):
        where = ["-p", "taurus", "--ppn", "1", *options]
        text, _ = job.run("whatif", "run.h5", *where, "--gains", "20", "--json", "gains.json")
        document = json.loads((job.work / "gains.json").read_text())
        point = document["points"][0]
        times = [gain["time_s"] for gain in point["gains"]]
        expect(times == sorted(times) and len(document["points"]) == 1 and len(times) >= 6, f"{times}\n{text}")
        expect("--bandwidth x1.2" in text and "--latency x0.8" in text and "late.c:10=1.2" in text, text)
        for gain in point["gains"]:
            job.run("whatif", "run.h5", *where, *gain["option"].split(), "--json", "again.json")
            again = json.loads((job.work / "again.json").read_text())["points"]
            again = [one for one in again if one.get("even", "--balance even" == gain["option"]) == ("--balance even" == gain["option"])]
            expect(len(again) == 1 and again[0]["time_s"] == gain["time_s"], f"{options} {gain}: {again}")
            near(point["time_s"] - gain["time_s"], gain["gain_s"], str(gain), 0)
        members = 0 if "--seed" in options else point["members"]
        expect(members == 0 or members >= 20 and "+-" in text, f"{point['members']} members\n{text}")
        for gain in point["gains"]:
            if members:
                expect(gain["ninety_s"][0] <= gain["gain_s"] <= gain["ninety_s"][1], str(gain))
        limits = [gain["what"] for gain in point["gains"] if gain["limit"]]
        expect(sorted(limits) == ["perfect balance, as a limit", "the ideal network, as a limit"], str(limits))
        even = next(gain for gain in point["gains"] if "balance" in gain["what"])
        expect(even["gain_s"] > 0.2 * point["time_s"], f"rank 2 computes for all: {even}")
        sites = [gain for gain in point["gains"] if "speedup" in gain["option"]]
        expect(sites[0]["gain_s"] > 0.04 * point["time_s"], f"rank 2's sleep is not found: {text}")


def check_gains_refused(job):
    for arguments, words in ((["--gains", "0"], ["--gains"]), (["--gains", "x"], ["--gains"]),
                             (["--gains", "10", "--speedup", "late.c:10=2"], ["--gains", "--speedup"]),
                             (["--gains", "10", "--csv", "x"], ["--gains", "--csv"]),
                             (["--gains", "10", "-p", "none.xml"], ["none.xml"])):
        _, error = job.run("whatif", "run.h5", *arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")


def check_neutral(job):
    """Without the option nothing of it is there, and with it every other figure is the same."""
    plain, text = job.predicted("-p", "taurus")
    asked, _ = job.predicted("-p", "taurus", "--bottlenecks")
    asked.pop("bottlenecks")
    expect(plain == asked and "Critical Path" not in text, "the report is another with --bottlenecks")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_sums, check_blame, check_gains, check_gains_refused, check_neutral), __doc__))
