"""Other users of the machine, and ranks that mean harm: they take a job's names, knock at its socket, lie, talk, fall silent."""

import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import uuid

from harness import Skip, check, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PHASES = ["20", "gate"]
ALL_REDUCED = 2 * 41


def user(name):
    """A second user: the case needs root to become it."""
    if os.geteuid() != 0:
        raise Skip("needs root, to be two users")
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        raise Skip(f"no user {name}") from None


def has_folders_taken(bench, victim):
    """The stranger's own folder in /dev/shm is none of farcast's."""
    bench.shared_before.add(f"farcast-{victim}")


def stranger_program(bench):
    return bench.compile("stranger.cpp", "-std=c++20", f"-I{SOURCE}",
                         str(SOURCE / "libinterpose/stream/meeting_place.cpp"), compiler="g++")


@contextlib.contextmanager
def stranger(bench, victim, attacker, job, what):
    """`attacker` does `what` to the job of `victim` (programs/stranger.cpp), from here to the end of the block."""
    program = stranger_program(bench)
    with subprocess.Popen([program, str(victim), str(attacker), job, what], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            check(process.stdout.readline() == b"ready\n", f"the stranger could not do its harm: {what}")
            yield
        finally:
            process.stdin.close()
            process.wait()


def as_user(uid, job):
    """Launcher prefix and environment of that user's job."""
    variables = {"FARCAST_JOB": job, "HOME": "/nonexistent", "XDG_RUNTIME_DIR": ""}
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"], variables


def run_as(bench, uid, job):
    bench.work.chmod(0o777)
    for parent in bench.work.parents:
        if parent.stat().st_mode & 1 == 0:
            raise Skip(f"{parent} is closed to other users")
    program = bench.compile("phases.c")
    prefix, variables = as_user(uid, job)
    # The folder of the run is made by us: open it to that user.
    open_folder = ["sh", "-c", 'chmod 777 . && exec "$@"', "sh"]
    return bench.both([program, "20"], prefix=[*open_folder, *prefix], environment=variables)


def new_job():
    return f"fault-{uuid.uuid4()}"


def nothing_left(bench, job_user, job):
    """No socket of this job; other jobs of the user may run beside it."""
    uid = str(job_user)
    left = subprocess.run([stranger_program(bench), uid, uid, job, "places"], capture_output=True, text=True, check=True).stdout
    check(left == "", f"stayed behind: {left}")


def case_names_taken(bench):
    """Folders and half of the abstract names are a stranger's, whose queues are full: the next ones are used."""
    victim, job = user("games"), new_job()
    has_folders_taken(bench, victim)
    with stranger(bench, victim, user("nobody"), job, "hold-some"):
        watched = run_as(bench, victim, job)
    bench.silent(watched)
    bench.report(watched, MPI_Allreduce=ALL_REDUCED)
    nothing_left(bench, victim, job)


def case_all_names_taken(bench):
    """Nothing is left to meet at: the program runs, unwatched, and does not wait for it."""
    victim, job = user("games"), new_job()
    has_folders_taken(bench, victim)
    with stranger(bench, victim, user("nobody"), job, "hold-all"):
        watched = run_as(bench, victim, job)
    bench.one_line(watched, "no predictor: another user's processes hold the names of its socket; the program runs unwatched")
    nothing_left(bench, victim, job)


def case_user_without_folders(bench):
    """An ordinary user, nobody in the way: the socket is in a folder, and goes with the predictor."""
    victim, job = user("games"), new_job()
    watched = run_as(bench, victim, job)
    bench.silent(watched)
    bench.report(watched, MPI_Allreduce=ALL_REDUCED)
    nothing_left(bench, victim, job)


def case_left_over_socket(bench):
    """A predictor that was killed leaves a socket: the next job takes it away."""
    program, job = bench.compile("phases.c"), new_job()
    running = bench.start([*bench.launcher(), *bench.under(), program, *PHASES], {"FARCAST_JOB": job})
    running.wait_ready()
    for pid in running.predictors():
        os.kill(pid, 9)
    running.open_gate()
    bench.one_line(running.finish(), "the predictor is gone or stopped: no report")
    running.check_nothing_left()
    again = bench.run([*bench.launcher(), *bench.under(), program, "20"], {"FARCAST_JOB": job})
    bench.report(again, MPI_Allreduce=ALL_REDUCED)
    nothing_left(bench, os.geteuid(), job)


def harmed(bench, attacker, what, launcher=None):
    """The program stands at its gate while `attacker` does `what`. Returns: the outcome, which is as it would have been."""
    program, job = bench.compile("phases.c"), new_job()
    command = launcher(program) if launcher else [*bench.launcher(), *bench.under(), program, *PHASES]
    running = bench.start(command, {"FARCAST_JOB": job})
    running.wait_ready()
    with stranger(bench, os.geteuid(), attacker, job, what):
        running.open_gate()
        outcome = running.finish()
    check(outcome.code == 0, f"exit code {outcome.code}", outcome)
    bench.silent(outcome)
    running.check_nothing_left()
    return outcome


def case_stranger_at_roots_job(bench):
    """Another user hands root's predictor a file, and shrinks it under its hands."""
    bench.report(harmed(bench, user("nobody"), "unsealed"), MPI_Allreduce=ALL_REDUCED)


def case_rank_unsealed(bench):
    """The same from a process of the same user."""
    bench.report(harmed(bench, os.geteuid(), "unsealed"), MPI_Allreduce=ALL_REDUCED)


def case_rank_floods(bench):
    """A process of the job that never stops talking."""
    bench.report(harmed(bench, os.geteuid(), "flood"), MPI_Allreduce=ALL_REDUCED)


def case_rank_silent(bench):
    """One that connects and says nothing, in a job of which not all ranks are watched: it keeps nobody waiting."""
    def half(program):
        if bench.mpi == "openmpi":
            return [*bench.launcher(1), *bench.under(), program, *PHASES, ":", "-np", "1", program, *PHASES]
        return [shutil.which("mpiexec.mpich"), "-np", "1", *bench.under(), program, *PHASES, ":", "-np", "1", program, *PHASES]
    outcome = harmed(bench, os.geteuid(), "silent", launcher=half)
    check(list(outcome.folder.glob("report.*.json")), "no report of the rank that was watched", outcome)


def case_rank_lies_first(bench):
    """The first to come says that it is rank 5 of 7: the others are more, and know better."""
    program, job = bench.compile("phases.c"), new_job()
    name = f"farcast-{os.geteuid()}-{job}"
    environment = {"FARCAST_JOB": job, "FARCAST_JSON": "report.json", "FARCAST_PREDICT": "0"}
    predictor = bench.start([bench.farcast, "predictor", name], environment)
    wait_until("the predictor", lambda: any(name in line for line in pathlib.Path("/proc/net/unix").read_text().splitlines())
               or list(pathlib.Path("/").glob(f"run/farcast-{os.geteuid()}/*")))
    with stranger(bench, os.geteuid(), os.geteuid(), job, "claim"):
        outcome = bench.start([*bench.launcher(), *bench.under(), program, "20"], {"FARCAST_JOB": job}).finish()
    check(outcome.code == 0, f"exit code {outcome.code}", outcome)
    predictor.finish()
    bench.report(outcome._replace(folder=predictor.folder), complete=True, MPI_Allreduce=ALL_REDUCED)
