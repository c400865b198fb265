"""The predictor is killed, stopped, missing, or ends at once; the buffer is tiny."""

import os
import signal

from harness import all_accounted_for, check, pause_predictor_between_gates

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


def case_buffer_tiny(bench):
    """1 MB of records while the predictor is stopped: recording latches off, nothing is lost without being counted."""
    program = bench.compile("phases.c")
    phases = ["20", "gate", "many=60000", "gate"]
    native = bench.run([*bench.launcher(), program, *phases])
    watched = pause_predictor_between_gates(bench.start([*bench.launcher(), *bench.under("--buffer", "1"), program, *phases]))
    bench.same(native, watched)
    all_accounted_for(bench, watched, "the buffer is full", issued=2 * (1 + 2 + 41 + 4 + 60000 + 1))
