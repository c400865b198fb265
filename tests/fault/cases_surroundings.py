"""Descriptors, signals, folders, variables and platform files that are not as one expects them."""

import shutil

from harness import PROGRAMS, Skip, all_accounted_for, check, pause_predictor_between_gates

PHASES = ["20", "many=3000"]
# Open MPI without a launcher would start one, by PATH; UCX (MPICH) would open sockets.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "UCX_TLS": "self", "UCX_LOG_LEVEL": "fatal"}


def in_shell(bench, script):
    """`script` ends in exec "$@": it runs between the launcher and the program."""
    program = bench.compile("phases.c")
    shell = ["sh", "-c", script, "sh"]
    native = bench.run([*bench.launcher(), *shell, program, *PHASES])
    watched = bench.run([*bench.launcher(), *shell, *bench.under(), program, *PHASES])
    bench.same(native, watched)
    check(native.err == "" or native.err == watched.err or "farcast" in watched.err, "stderr", watched)
    bench.report(watched, MPI_Allreduce=2 * 41, MPI_Comm_rank=2 * 3001)
    return watched


def case_stderr_closed(bench):
    watched = in_shell(bench, 'exec "$@" 2>&-')
    check("farcast" not in watched.err, "something on a closed stderr", watched)


def case_stderr_closed_later(bench):
    """By the program itself: the report goes where the launcher writes, and is there when the program has ended."""
    program = bench.compile("phases.c")
    watched = bench.both([program, "20", "close-stderr"])
    check(watched.err.count("Most of the ranks' time") == 1, "no report", watched)
    bench.report(watched, MPI_Allreduce=2 * 41)


def case_stdout_closed(bench):
    in_shell(bench, 'exec "$@" >&-')


def case_all_closed(bench):
    in_shell(bench, 'exec "$@" <&- >&- 2>&-')


def case_descriptors_closed(bench):
    """The program closes the descriptors that it does not know, as closefrom(3) does; MPI's own stay open here."""
    program = bench.compile("phases.c")
    watched = bench.both([program, "20", "close-foreign", "many=3000"])
    bench.silent(watched)
    bench.report(watched, MPI_Allreduce=2 * 41, MPI_Comm_rank=2 * 3001)


def case_descriptors_closed_later_growth(bench):
    """The same, and then more records than there is room for: what cannot be recorded is counted."""
    program = bench.compile("phases.c")
    phases = ["20", "close-foreign", "gate", "many=60000", "gate"]
    native = bench.run([*bench.launcher(), program, *phases])
    watched = pause_predictor_between_gates(bench.start([*bench.launcher(), *bench.under(), program, *phases]))
    bench.same(native, watched)
    all_accounted_for(bench, watched, "the program closed the descriptor of the buffer", issued=2 * (1 + 2 + 41 + 4 + 60000 + 1))


def case_closefrom(bench):
    """All of them, in a program that has no launcher which would be cut off too."""
    program = bench.compile("phases.c")
    native = bench.run([program, "20", "closefrom", "many=3000"], ALONE)
    watched = bench.run([*bench.under(), program, "20", "closefrom", "many=3000"], ALONE)
    bench.same(native, watched)
    bench.report(watched, MPI_Allreduce=41, MPI_Comm_rank=3001)


case_closefrom.for_mpi = ["mpich"]  # Open MPI hangs after it, with or without farcast


def case_change_folder(bench):
    """Relative names of output files mean the folder where the run started."""
    program = bench.compile("phases.c")
    watched = bench.both([program, "20", "chdir"], options=("-o", "run.h5"))
    bench.report(watched, MPI_Allreduce=2 * 41)
    check((watched.folder / "run.h5").exists(), "no run.h5", watched)


def case_errno(bench):
    program = bench.compile("phases.c")
    watched = bench.both([program, "20", "early", "errno"])
    check("initialized 0, errno 77" in watched.out and "errno changed 0 times" in watched.out, "errno changed", watched)
    bench.report(watched, MPI_Comm_rank=2 * 20001)


def case_signals_blocked(bench):
    program = bench.compile("phases.c")
    watched = bench.both([program, "20", "block-signals", "many=3000"])
    bench.report(watched, MPI_Allreduce=2 * 41)


def case_no_environment(bench):
    """env -i: no PATH, no launcher's variables; a run of one rank."""
    program = bench.compile("phases.c")
    bare = ["env", "-i", *(f"{name}={value}" for name, value in ALONE.items())]
    native = bench.run([*bare, program, "20"])
    watched = bench.run([*bare, *bench.under(), program, "20"])
    bench.same(native, watched)
    bench.report(watched, MPI_Allreduce=41)


def platform_file(bench, spoil):
    program = bench.compile("phases.c")
    native = bench.run([*bench.launcher(), program, "20", "gate"])
    file = bench.work / "cluster.xml"
    shutil.copy(PROGRAMS / "cluster.xml", file)
    under = [bench.farcast, "exec", "--platform", str(file), "--json", "report.json", "--"]
    running = bench.start([*bench.launcher(), *under, program, "20", "gate"])
    running.wait_ready()
    spoil(file)
    running.open_gate()
    watched = running.finish()
    running.check_nothing_left()
    bench.same(native, watched)
    return bench.report(watched, MPI_Allreduce=2 * 41)


def case_platform_removed(bench):
    """After the start: the platform was read by then."""
    report = platform_file(bench, lambda file: file.unlink())
    check(len(report["predictions"]) == 1 or any("cluster.xml" in note for note in report["notes"]), f"notes: {report['notes']}")


def case_platform_broken(bench):
    report = platform_file(bench, lambda file: file.write_text("<platform"))
    check(len(report["predictions"]) == 1 or any("cluster.xml" in note for note in report["notes"]), f"notes: {report['notes']}")


def case_platform_unknown(bench):
    """Under plain LD_PRELOAD nothing can be refused before the program starts: the report says why it has no prediction."""
    program = bench.compile("phases.c")
    native = bench.run([*bench.launcher(), program, "20"])
    variables = {"LD_PRELOAD": bench.interposer(), "FARCAST_PLATFORM": "taurusx", "FARCAST_JSON": "report.json"}
    watched = bench.run([*bench.launcher(), "env", *(f"{name}={value}" for name, value in variables.items()), program, "20"])
    bench.same(native, watched)
    report = bench.report(watched, MPI_Allreduce=2 * 41)
    check(report["predictions"] == [], "a prediction of an unknown platform", watched)
    check(any("no prediction" in note and "taurusx" in note for note in report["notes"]), f"notes: {report['notes']}", watched)


def beside_another(bench, *words):
    """One rank that shares its core. Its regions and local calls last as long as they would alone, its sleep among them."""
    program = bench.compile("pushed.c")
    under = [bench.farcast, "exec", "--platform", "taurus", "--json", "report.json", "--"]
    native = bench.run([*bench.launcher(1), program, "60", *words])
    if native.code == 77:
        raise Skip("the kernel tells no run-queue times")
    watched = bench.run([*bench.launcher(1), *under, program, "60", *words])
    bench.same(native, watched)
    report = bench.report(watched)
    region, region_wall, call, call_wall = map(float, (watched.folder / "times").read_text().split())
    check(region_wall > 1.2 * region and call_wall > 1.2 * call, "nothing was beside it", watched)
    found = max(entry["total_s"] for entry in report["regions"])
    local = report["predictions"][0]["ranks"][0]["local_s"]
    for what, is_now, should in (("the region", found, region), ("the local call", local, call)):
        check(abs(is_now - should) < 0.08 * should + 1e-3, f"{what} lasts {is_now} s, expected {should} s", watched)
    aside = report["measured"]["pushed_aside"]
    expected = (region_wall - region + call_wall - call) / report["measured"]["wall_s"]
    check(abs(aside["share"] - expected) < 0.1 * expected and aside["worst_rank"] == 0, f"{aside}, expected {expected}", watched)
    check("other programs had the cores at times" in " ".join(watched.err.split()), "no warning", watched)


def case_core_shared(bench):
    beside_another(bench)


def case_core_shared_sleeping(bench):
    beside_another(bench, "sleep")


for case in (case_core_shared, case_core_shared_sleeping):
    case.alone = True
del case
