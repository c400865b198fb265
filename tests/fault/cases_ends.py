"""Programs that do not reach MPI_Finalize: the launcher's outcome stays, and the report covers what was done."""

import os
import re
import signal

from cases_surroundings import ALONE
from harness import check, wait_until


LAUNCHER_LINES = ("=", "YOUR APPLICATION", "This typically", "Please see")


def same_end(bench, native, watched):
    """MPICH's mpiexec tells about dead ranks on stdout; which of them it names, and so its exit code, varies natively too."""
    if bench.mpi == "mpich":
        def own(outcome):
            return [line for line in outcome.out.splitlines() if line and not line.startswith(LAUNCHER_LINES)]
        check(own(native) == own(watched), f"stdout differs; natively:\n{native.out}", watched)
        check((native.code == 0) == (watched.code == 0), f"exit code {watched.code}, natively {native.code}", watched)
    else:
        bench.same(native, watched)


def ends(bench, how, note=None, **calls):
    program = bench.compile("phases.c")
    native = bench.run([*bench.launcher(), program, "5", f"die={how}"])
    watched = bench.run([*bench.launcher(), *bench.under(), program, "5", f"die={how}"])
    same_end(bench, native, watched)
    check(watched.code != 0, "the program was to fail", watched)
    report = bench.report(watched, complete=False, **{"MPI_Allreduce": range(10, 12), **calls})
    # The launcher writes more into the same file behind it: the report stays whole where it is there, and else is a file.
    files = list(watched.folder.glob("farcast-report-*.txt"))
    told = (watched.folder / "stderr").read_text(errors="replace")  # which it may still have been writing when the program ended
    check(len(files) == 1 or ("farcast: " in told and "(really measured)" in told and "Most of the ranks" in told),
          f"the report is not whole:\n{told}", watched)
    text = " ".join(report["notes"])
    check(note is None or note in text, f"the notes do not say '{note}': {report['notes']}", watched)
    check(len(bench.said(watched)) <= 1, f"farcast said {bench.said(watched)}", watched)


def case_rank_killed(bench):
    ends(bench, "kill-1", "rank 1")


def case_rank_segfault(bench):
    ends(bench, "segfault-1", "rank 1")


def case_abort(bench):
    ends(bench, "abort-1", MPI_Abort=1)


def case_exit_without_finalize(bench):
    ends(bench, "exit-all", "rank 0", MPI_Allreduce=10)


def case_nobody_to_tell(bench):
    """A program in the background that dies, no terminal, no standard error: its report is a file in the working directory."""
    program = bench.compile("phases.c")
    background = ["sh", "-c", '(exec "$@" <&- >&- 2>&- &)', "sh"]
    watched = bench.run([*background, *bench.under(), program, "5", "die=exit-all"], ALONE)
    bench.report(watched, complete=False, MPI_Allreduce=5)
    found = [file for file in watched.folder.iterdir() if re.fullmatch(r"farcast-report-\d+\.txt", file.name)]
    check(len(found) == 1, f"in the folder: {sorted(file.name for file in watched.folder.iterdir())}", watched)
    text = found[0].read_text()
    check("rank 0 ended without MPI_Finalize" in text, text)
    check("@--- Callsites: 5" in text and "@--- End of Report" in text, f"not the whole report:\n{text}")


def case_interrupt(bench):
    """SIGINT to the launcher, as Ctrl-C sends it."""
    program = bench.compile("phases.c")

    def interrupted(under):
        running = bench.start([*bench.launcher(), *under, program, "5", "gate"])
        running.wait_ready()
        running.process.send_signal(signal.SIGINT)
        outcome = running.finish()
        running.check_nothing_left()
        return outcome

    native, watched = interrupted([]), interrupted(bench.under())
    if bench.mpi == "openmpi":
        bench.same(native, watched)
    else:  # natively too, mpiexec's exit code and words depend on which rank's end it sees first
        codes = (0, 2, 11)
        check(watched.code in codes and native.code in codes, f"exit code {watched.code}, natively {native.code}", watched)
    bench.report(watched, complete=False, MPI_Allreduce=2 * 5, MPI_Barrier=range(2, 4))


def case_outside_kill(bench):
    """kill -9 of rank 0, which the others wait for, from outside."""
    program = bench.compile("phases.c")

    def killed(under):
        running = bench.start([*bench.launcher(), *under, program, "5", "gate"])
        running.wait_ready()
        ranks = wait_until("two ranks", lambda: [pid for pid in running.ranks("phases")])
        os.kill(min(ranks), signal.SIGKILL)
        outcome = running.finish()
        running.check_nothing_left()
        return outcome

    native, watched = killed([]), killed(bench.under())
    same_end(bench, native, watched)
    bench.report(watched, complete=False, MPI_Allreduce=2 * 5, MPI_Barrier=range(2, 4))


def case_long_prediction(bench):
    """What is played for long after the program's end is announced, with how many of the predictions are made."""
    program = bench.compile("phases.c")
    members = 10_000  # of some 40,000 calls each, minutes: nobody waits for their end
    options = ["exec", "--ensemble", str(members), "--"]
    running = bench.start([*bench.launcher(), bench.farcast, *options, program, "200", "many=20000"], gates_open=True)
    line = re.compile(r"^farcast: the program is at its end, ([1-9]\d*) of (\d+) predictions are made$", re.MULTILINE)
    found = wait_until("a line on the predictions", lambda: line.search(running.text("stderr")))
    for pid in running.predictors():
        os.kill(pid, signal.SIGKILL)
    outcome = running.finish()
    running.check_nothing_left()
    bench.check_shared_memory()
    check(outcome.code == 0, f"exit code {outcome.code}", outcome)
    check(members <= int(found.group(2)) and int(found.group(1)) < int(found.group(2)), found.group(0), outcome)
