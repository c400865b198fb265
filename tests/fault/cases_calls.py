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
