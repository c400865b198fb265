"""Coupled programs: nobody answers any more, nothing goes on, all ranks wait for one another."""

import contextlib
import os
import signal
import subprocess
import threading

from harness import check, wait_until


def under(bench, *options):
    return [bench.farcast, "exec", "--coupled", "--platform", "taurus", "--json", "report.json", *options, "--"]


def native(bench, program="coupled_open.c"):
    return bench.run([*bench.launcher(), bench.compile(program)])


def at_gate(bench, *options, arguments=(), program="coupled_open.c"):
    """The program stands at its gate. Returns: it."""
    running = bench.start([*bench.launcher(), *under(bench, *options), bench.compile(program), *arguments])
    running.wait_ready()
    return running


def kill_predictor(running):
    predictors = running.predictors()
    check(len(predictors) == 1, f"predictors: {predictors}")
    os.kill(predictors[0], signal.SIGKILL)


def said(bench, outcome, text):
    check(any(text in line for line in bench.said(outcome)), f"expected a line with '{text}'", outcome)


def case_coupled_predictor_killed(bench, program="coupled_open.c"):
    """What is open is completed as it comes on this machine."""
    expected = native(bench, program)
    running = at_gate(bench, program=program)
    kill_predictor(running)
    running.open_gate()
    outcome = running.finish()
    bench.same(expected, outcome)
    said(bench, outcome, "the predictor is gone; the program goes on with the outcomes and the time of this machine")
    running.check_nothing_left()


def case_coupled_predictor_killed_in_fence(bench):
    """Who waits for an answer sees that none will come, although another rank waits for it in a call on a window."""
    case_coupled_predictor_killed(bench, "coupled_fence.c")


def case_coupled_predictor_killed_between_messages(bench):
    """Who only waits for messages that come soon sees it, too, and its clock goes on."""
    case_coupled_predictor_killed(bench, "coupled_exchange.c")


def case_coupled_predictor_killed_between_messages_ends(bench):
    outcome = case_coupled_predictor_killed_ends(bench, "coupled_exchange.c")
    check("exchanged" not in outcome.out, "the program was not ended before its next question", outcome)


def case_coupled_predictor_killed_ends(bench, program="coupled_open.c"):
    running = at_gate(bench, "--on-fault", "end", program=program)
    kill_predictor(running)
    running.open_gate()
    outcome = running.finish()
    check(outcome.code != 0, "the program came to its end", outcome)
    said(bench, outcome, "the predictor is gone; the program ends (--coupled)")
    running.check_nothing_left()
    return outcome


def case_coupled_predictor_killed_before_finalize(bench):
    """Behind MPI_Finalize nothing hangs on an answer: a program that has done its work comes to its end, whatever it was to do else."""
    expected = native(bench, "coupled_last.c")
    running = at_gate(bench, "--on-fault", "end", program="coupled_last.c")
    kill_predictor(running)
    running.open_gate()
    bench.same(expected, running.finish())
    running.check_nothing_left()


@contextlib.contextmanager
def other_jobs(bench):
    """Jobs of the same user that come and go: their predictors look who else is there."""
    folder = bench.work / "others"
    folder.mkdir(exist_ok=True)
    command = [*bench.launcher(1), *bench.under(), bench.compile("versions.c")]
    over = threading.Event()

    def run():
        while not over.is_set():
            subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
            over.wait(1)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def case_coupled_rank_elsewhere(bench):
    """A rank that does not run under farcast is noticed, and nobody waits for it, whatever else goes on on the machine."""
    program = bench.compile("coupled_open.c")
    launcher = bench.launcher(1)
    with other_jobs(bench):
        outcome = bench.run([*launcher, *under(bench), program, ":", *launcher[-2:], program])
    bench.same(native(bench), outcome)
    said(bench, outcome, "not all ranks of the job run under farcast; the program goes on with the outcomes and the time of this machine")


def case_coupled_slow_init(bench):
    """A rank that leaves MPI_Init long after the others is waited for: of many ranks on few cores most do."""
    slow = bench.compile("slow_init.c", "-shared", "-fPIC", "-ldl", name="libslow_init.so")
    command = [*bench.launcher(), "env", f"LD_PRELOAD={slow}", *under(bench), bench.compile("coupled_open.c")]
    running = bench.start(command)
    running.wait_ready()
    running.open_gate()
    outcome = running.finish()
    bench.same(native(bench), outcome)
    check(not any("goes on with" in line for line in bench.said(outcome)), "the program was left alone", outcome)
    check(bench.report(outcome)["coupled_to"] == "taurus", "the report says nothing of the coupling", outcome)
    running.check_nothing_left()


def case_coupled_threads(bench):
    """Programs of which several threads may call MPI go on by themselves, from the start."""
    words = [bench.compile("threads.c"), "2", "2", "5"]
    outcome = bench.run([*bench.launcher(), *under(bench), *words])
    bench.same(bench.run([*bench.launcher(), *words]), outcome)
    said(bench, outcome, "several threads may call MPI; outcomes are those of this machine (--coupled --one-thread: only one does)")
    notes = bench.report(outcome)["notes"]
    check(any("several threads may call MPI (--one-thread: only one does)" in note for note in notes), f"notes: {notes}", outcome)


def case_coupled_threads_after_all(bench):
    """--one-thread is not true: a call that other ranks may wait for ends the program, which nobody could answer."""
    outcome = bench.run([*bench.launcher(), *under(bench, "--one-thread"), bench.compile("threads.c"), "2", "2", "5"])
    check(outcome.code not in (0, 77), "the program came to its end", outcome)
    said(bench, outcome, "several threads of a rank call MPI, and --one-thread says that one does; the program ends (--coupled)")


def case_coupled_threads_ask(bench):
    """--one-thread: whatever thread level was asked for, and whatever other threads ask of MPI itself."""
    words = [bench.compile("threads.c"), "2", "2", "5", "local"]
    outcome = bench.run([*bench.launcher(), *under(bench, "--one-thread"), *words])
    bench.same(bench.run([*bench.launcher(), *words]), outcome)
    check(bench.report(outcome)["coupled_to"] == "taurus", "the report says nothing of the coupling", outcome)


def told_of_standstill(running):
    text = running.text("stderr")
    return "(--patience)" in text and all(f"rank {rank} was last seen in its MPI_Barrier at coupled_open.c:" in text for rank in (0, 1))


def case_coupled_patience(bench):
    """Nothing goes on: what each rank is in is printed, and the run goes on."""
    expected = native(bench)
    running = at_gate(bench, "--patience", "1")
    wait_until("the state of all ranks", lambda: told_of_standstill(running))
    running.open_gate()
    outcome = running.finish()
    bench.same(expected, outcome)
    running.check_nothing_left()


def case_coupled_patience_ends(bench):
    running = at_gate(bench, "--patience", "1", "--on-fault", "end")
    outcome = running.finish()  # nobody opens the gate
    check(outcome.code != 0, "the program came to its end", outcome)
    check("(--patience)" in outcome.err, "nothing was said", outcome)
    running.check_nothing_left()


def case_coupled_deadlock(bench):
    """All ranks wait for one another: each one's call site and what it waits for, and nobody hangs."""
    running = at_gate(bench, arguments=["forever"])
    running.open_gate()
    outcome = running.finish()
    check(outcome.code != 0, "the program came to its end", outcome)
    said(bench, outcome, "deadlock at ")
    for rank in (0, 1):
        check(any(f"rank {rank} is blocked in" in line and "MPI_Recv at coupled_open.c:" in line for line in bench.said(outcome)),
              f"rank {rank}'s call site is missing", outcome)
    said(bench, outcome, "all ranks wait for one another")
    running.check_nothing_left()
