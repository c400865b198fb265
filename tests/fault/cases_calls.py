"""Threads, and calls that are left by longjmp or an exception: each call is recorded or counted as refused."""

from harness import Skip, check


def threads(bench, waves, width, calls, *more):
    """Returns: the report, after checking that every call is accounted for."""
    program = bench.compile("threads.c")
    watched = bench.both([program, str(waves), str(width), str(calls), *more])
    if watched.code == 77:
        raise Skip(f"{bench.mpi} has no MPI_THREAD_MULTIPLE here")
    report = bench.report(watched)
    polling = waves - 1 if more else waves
    issued = 2 * (1 + 1 + waves * width * calls + polling * width * 3 + 1 + 1)
    records = report["records"]
    check(records["recorded"] + records["refused"] == issued, f"{records}, issued {issued}", watched)
    return report


def case_threads(bench):
    """Threads that end, and end with fruitless polls."""
    report = threads(bench, 4, 3, 51)
    check(report["records"]["refused"] == 0, f"refused: {report['records']}")
    check(report["calls"]["MPI_Send"] == 2 * 12 * 26, f"calls: {report['calls']}")
    check(report["calls"]["MPI_Iprobe"] == 2 * 12 * (25 + 3), f"calls: {report['calls']}")


def case_threads_stay(bench):
    """Threads that are alive when the main thread finalizes: their last calls count too."""
    report = threads(bench, 1, 4, 25, "stay")
    check(report["records"]["refused"] == 0, f"refused: {report['records']}")
    check(report["calls"]["MPI_Send"] == 2 * 4 * 13, f"calls: {report['calls']}")


def case_threads_too_many(bench):
    """More than the 128 that have a place in the stream."""
    report = threads(bench, 20, 8, 10)
    check(report["records"]["refused"] == 2 * (160 - 127) * 13, f"refused: {report['records']}")


def case_longjmp(bench):
    program = bench.compile("jumps.c")
    watched = bench.both([program], ranks=1)
    check("landed 6 times" in watched.out, "the program did not jump", watched)
    bench.report(watched, MPI_Send=3, MPI_Reduce_local=3, MPI_Comm_rank=7, MPI_Finalize=1)


def case_exception(bench):
    program = bench.compile("throws.cpp")
    watched = bench.both([program], ranks=1)
    check("caught 3 times" in watched.out, "the program did not catch", watched)
    bench.report(watched, MPI_Reduce_local=3, MPI_Comm_rank=3, MPI_Finalize=1)


def sessions(bench, *words):
    program = bench.compile("sessions.c")
    watched = bench.both([program, *words])
    check(watched.code == 4 and "result" in watched.out, "the program did not run", watched)
    return watched


def case_session_self(bench):
    """Sessions alone: nothing may be asked about MPI_COMM_WORLD, and one line says that nothing is recorded."""
    bench.one_line(sessions(bench, "mpi://self"), "sessions .*never calls MPI_Init; such a job is not recorded")


def case_session_world(bench):
    bench.one_line(sessions(bench, "mpi://world"), "sessions .*never calls MPI_Init; such a job is not recorded")


def case_session_beside_world(bench):
    """Both models: the record is that of the World model; what a session's communicators do keeps its measured time."""
    for process_set in ("mpi://self", "mpi://world"):
        watched = sessions(bench, process_set, "world")
        bench.silent(watched)
        report = bench.report(watched, MPI_Allreduce=4, MPI_Comm_dup=4, MPI_Finalize=2)
        named = {entry["function"]: entry["count"] for entry in report["unmodelled"]}
        check(named.get("MPI_Allreduce") == 2 and named.get("MPI_Isend") == 2, f"not modelled: {named}", watched)


def case_session_asks(bench):
    """A session that only asks, opened before MPI_Init."""
    watched = sessions(bench, "mpi://self", "ask")
    bench.silent(watched)
    bench.report(watched, MPI_Allreduce=2, MPI_Session_init=2)


def case_session_left_open(bench):
    """A session that goes on behind MPI_Finalize: the report says that what it does there is missing."""
    watched = sessions(bench, "mpi://self", "open")
    bench.silent(watched)
    report = bench.report(watched, MPI_Allreduce=4, MPI_Finalize=2)
    check([note for note in report["notes"] if "sessions were still open at MPI_Finalize" in note], f"notes: {report['notes']}", watched)


for case in (case_session_self, case_session_world, case_session_beside_world, case_session_asks, case_session_left_open):
    case.for_mpi = ["mpich"]
del case


def case_no_init(bench):
    """MPI is asked for its version and never started."""
    program = bench.compile("versions.c")
    watched = bench.both([program], ranks=1)
    check(watched.code == 3, "the program did not run", watched)
    bench.one_line(watched, "the program ended without a call to MPI_Init; nothing to predict")
