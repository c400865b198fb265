"""Programs that start other processes: the children are not watched, and their output is their own."""

from harness import check


def children(bench, how, environment=None, rounds=4):
    program = bench.compile("phases.c")
    watched = bench.both([program, str(rounds), f"child={how}"], environment=environment)
    bench.silent(watched)
    bench.report(watched, MPI_Allreduce=2 * (2 * rounds + 1))
    return watched


def bound_now(bench, how):
    """The children inherit LD_PRELOAD, and resolve every symbol at their start."""
    children(bench, how, {"LD_BIND_NOW": "1"})


def case_fork_exit(bench):
    watched = children(bench, "fork-exit", rounds=5)  # an exit code of the program's own, beside the child's
    check("hello from the child\nchild ended with 7\n" in watched.out, "the child's output", watched)


def case_fork__exit(bench):
    watched = children(bench, "fork-_exit")
    check("hello from the child\nchild ended with 8\n" in watched.out, "the child's output", watched)


def case_vfork_exec(bench):
    children(bench, "vfork")


def case_vfork_exec_bind_now(bench):
    bound_now(bench, "vfork")


def case_system(bench):
    children(bench, "system")


def case_system_bind_now(bench):
    bound_now(bench, "system")


def case_popen(bench):
    children(bench, "popen")


def case_posix_spawn(bench):
    children(bench, "spawn")


def case_posix_spawn_bind_now(bench):
    bound_now(bench, "spawn")
