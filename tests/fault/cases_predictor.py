"""The predictor is killed, stopped, missing, or ends at once; the buffer is tiny."""

import json
import os
import pathlib
import signal
import time

from harness import Skip, all_accounted_for, check, pause_predictor_between_gates, wait_until

PHASES = ["20", "gate"]


def at_gate(bench, hit, options=(), phases=None):
    """Natively, and with hit(predictor's pid) while the program stands at its gate. Returns: the running program at its end."""
    program = bench.compile("phases.c")
    native = bench.run([*bench.launcher(), program, *(phases or PHASES)])
    running = bench.start([*bench.launcher(), *bench.under(*options), program, *(phases or PHASES)])
    running.wait_ready()
    predictors = running.predictors()
    check(len(predictors) == 1, f"predictors: {predictors}")
    hit(predictors[0])
    running.open_gate()
    outcome = running.finish()
    bench.same(native, outcome)
    bench.one_line(outcome, "the predictor is gone or stopped: no report")
    return running, outcome, predictors[0]


def case_predictor_killed(bench):
    running, outcome, _ = at_gate(bench, lambda pid: os.kill(pid, signal.SIGKILL))
    running.check_nothing_left()
    check(not (outcome.folder / "report.json").exists(), "a report from a dead predictor", outcome)


def case_predictor_stopped(bench):
    running, outcome, predictor = at_gate(bench, lambda pid: os.kill(pid, signal.SIGSTOP))
    left = [pid for pid, _ in running.processes()]
    check(left == [predictor], f"besides the stopped predictor {predictor}: {left}", outcome)
    os.kill(predictor, signal.SIGCONT)  # it finds the program gone, writes its report and ends
    running.check_nothing_left()
    bench.check_shared_memory()
    bench.report(outcome, MPI_Allreduce=2 * 41)


def replaced(bench, predictor, line):
    program = bench.compile("phases.c")
    watched = bench.both([program, "20"], environment={"FARCAST_PREDICTOR": str(predictor)})
    bench.one_line(watched, line)
    check(not (watched.folder / "report.json").exists(), "a report without a predictor", watched)


def case_predictor_missing(bench):
    replaced(bench, "/nonexistent/farcast", "no predictor: .*was not found.*the program runs unwatched")


def case_predictor_not_executable(bench):
    file = bench.work / "not-executable"
    file.write_text("no program\n")
    file.chmod(0o644)
    replaced(bench, file, "no predictor: .*the program runs unwatched")


def case_predictor_no_program(bench):
    """Executable, but execve refuses it."""
    file = bench.work / "garbage"
    file.write_bytes(b"\x7fELF garbage")
    file.chmod(0o755)
    replaced(bench, file, "no predictor: .*the program runs unwatched")


def case_predictor_exits(bench):
    replaced(bench, "/bin/false", "no predictor: .*the program runs unwatched")


def case_report_slow(bench):
    """What is written takes longer than a rank waits without a sign of life: a pipe that nobody reads for so long."""
    program = bench.compile("phases.c")
    native = bench.run([*bench.launcher(), program, "20"])
    pipe = bench.work / "slow.json"
    os.mkfifo(pipe)
    running = bench.start([*bench.launcher(), *bench.under(json=pipe), program, "20"])
    waited = running.folder / "stdout"
    wait_until("the program's end", lambda: waited.read_text() == native.out)
    time.sleep(12)  # kGiveUpSeconds of the stream's protocol.h are 10
    read = json.loads(pipe.read_text())
    outcome = running.finish()
    bench.same(native, outcome)
    bench.silent(outcome)
    check("farcast: JSON report written" in outcome.err, "no report on the terminal", outcome)
    check(read["calls"]["MPI_Allreduce"] == 2 * 41, f"calls in the pipe's report: {read['calls']}", outcome)
    running.check_nothing_left()


def case_buffer_tiny(bench):
    """1 MB of records while the predictor is stopped: recording latches off, nothing is lost without being counted."""
    program = bench.compile("phases.c")
    phases = ["20", "gate", "many=60000", "gate"]
    native = bench.run([*bench.launcher(), program, *phases])
    watched = pause_predictor_between_gates(bench.start([*bench.launcher(), *bench.under("--buffer", "1"), program, *phases]))
    bench.same(native, watched)
    all_accounted_for(bench, watched, "the buffer is full", issued=2 * (1 + 2 + 41 + 4 + 60000 + 1))


def beside_ranks(bench, ranks, at_gate):
    """Predicted, with at_gate(how many threads the predictor has, as a function) once while all calls but the last few are made."""
    program = bench.compile("phases.c")
    phases = ["20", "many=20000", "gate"]
    native = bench.run([*bench.launcher(ranks), program, *phases])
    under = [bench.farcast, "exec", "--platform", "taurus", "--json", "report.json", "--"]
    running = bench.start([*bench.launcher(ranks), *under, program, *phases])
    running.wait_ready()
    predictors = running.predictors()
    check(len(predictors) == 1, f"predictors: {predictors}")
    at_gate(lambda: len(list(pathlib.Path(f"/proc/{predictors[0]}/task").iterdir())))
    running.open_gate()
    watched = running.finish()
    running.check_nothing_left()
    bench.same(native, watched)
    report = bench.report(watched, MPI_Allreduce=ranks * 41)
    check(report["predictions"], "no prediction", watched)
    return watched, report


def case_no_core_idle(bench):
    """Ranks that leave no core idle: the one thread that drains their rings is all there is beside them, and when the last of them
    enters MPI_Finalize not one record has been played."""
    def only_drains(threads):
        check(threads() == 1, f"{threads()} threads of the predictor beside ranks that leave no core idle")
    watched, report = beside_ranks(bench, os.cpu_count(), only_drains)
    overhead, calls = report["overhead"], report["records"]["recorded"]
    check(overhead["predictor_shares_cores"], f"{overhead}", watched)
    check(calls > 20000 * os.cpu_count() and overhead["backlog_records"] >= calls, f"{overhead}, {calls} calls", watched)


def case_core_idle(bench):
    """The other side of it: where a core is idle, threads play beside the ranks."""
    if os.cpu_count() < 2:
        raise Skip("one rank leaves no core idle")
    _, report = beside_ranks(bench, 1, lambda threads: wait_until("threads that play", lambda: threads() > 1))
    check(not report["overhead"]["predictor_shares_cores"], f"{report['overhead']}")


for case in (case_no_core_idle, case_core_idle):
    case.alone = True
del case
