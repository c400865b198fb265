#!/usr/bin/env python3
"""farcast compare: of two versions of a program, whose lines have moved, what was made slower is found, and what is the same is not.

    run.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler or launcher is not installed.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import FarcastRuns, expect, run_checks  # noqa: E402

PROGRAM = r"""#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int sum = 0, one = 1;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20; ++i) {
    usleep(2000);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(SLEEP);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
#ifdef MORE
  MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
  MPI_Finalize();
  return 0;
}
"""


class Job(FarcastRuns):
    def __init__(self, arguments):
        super().__init__(arguments)
        for name, options, above in (("before", ["-DSLEEP=1000"], ""), ("after", ["-DSLEEP=4000", "-DMORE"], "\n\n\n")):
            (self.work / name).mkdir()
            (self.work / name / "app.c").write_text(above + PROGRAM)
            self.compile("app.c", *options, folder=name)
            self.record(f"{name}.h5", "./app", ranks=2, folder=name)

    def predicted(self, run, platform):
        self.run("predict", run, "-p", platform, "--p2p", "smpi", "--json", "report.json")
        return json.loads((self.work / "report.json").read_text())["predictions"][0]


def check_change(job):
    text, _ = job.run("compare", "before.h5", "after.h5", "-p", "taurus", "-p", "nehalem-ib", "--p2p", "smpi", "--json", "c.json")
    documents = json.loads((job.work / "c.json").read_text())
    expect([one["platform"] for one in documents] == ["taurus", "nehalem-ib"], str(documents)[:300])
    for document in documents:
        for side, file in (("before", "before.h5"), ("after", "after.h5")):
            prediction = job.predicted(file, document["platform"])
            expect(document[side]["time_s"] == prediction["time_s"], f"{document[side]}: {prediction['time_s']}")
            regions = sum(part[f"{side}_s"] or 0 for part in document["regions"])
            expect(abs(regions - sum(region["predicted_s"] for region in prediction["regions"])) < 1e-12, f"{side}: {regions}")
        slower = document["regions"][0]
        expect(slower["name"] == "app.c:11 -> app.c:13" and 0.1 < slower["change_s"] < 0.2 and slower["within_noise"] is False,
               str(slower))
        same = [part for part in document["regions"] if part["name"] == "app.c:13 -> app.c:11"]
        expect(same and same[0]["before_s"] and abs(same[0]["change_s"]) < 0.03 and same[0]["ninety_s"][0] < same[0]["ninety_s"][1], str(same))
        expect(document["members"] >= 20 and document["ninety_s"][0] <= document["change_s"] <= document["ninety_s"][1], str(document)[:400])
        expect(document["within_noise"] is False and 0.05 < document["ninety_s"][0], str(document["ninety_s"]))
        new = [part for part in document["calls"] if part["before_s"] is None]
        expect([part["name"] for part in new] == ["MPI_Bcast app.c:16"], str(new))
    expect("it is not noise" in text and "in 9 of 10 cases" in text, text)
    text_without, _ = job.run("compare", "before.h5", "after.h5", "-p", "taurus", "--ensemble", "0", "--json", "c.json")
    document = json.loads((job.work / "c.json").read_text())[0]
    expect(document["members"] == 0 and document["ninety_s"] is None and "in 9 of 10 cases" not in text_without, text_without)
    expect(document["regions"][0]["ninety_s"][0] > 0.1, str(document["regions"][0]))  # from the spread of its visits
    expect("slower" not in text and "+" in text and "(new)" in text and "MPI_Bcast app.c:16" in text, text)


def check_same(job):
    text, _ = job.run("compare", "before.h5", "before.h5", "-p", "taurus", "--full", "--json", "c.json")
    document = json.loads((job.work / "c.json").read_text())[0]
    expect(all(part["change_s"] == 0 for part in document["regions"] + document["calls"]), str(document))
    expect("(+0.00 %)" in text and "(new)" not in text and "(gone)" not in text, text)


def check_refusals(job):
    for arguments, words in ((["before.h5"], ["found 1 run file, expected two"]), (["before.h5", "none.h5"], ["none.h5"]),
                             (["before.h5", "before/app.c"], ["before/app.c", "HDF5"]),
                             (["before.h5", "after.h5", "-p", "none.xml"], ["none.xml"])):
        _, error = job.run("compare", *arguments, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_change, check_same, check_refusals), __doc__))
