"""How MPI and farcast come into a program: dlopen, static linking, no MPI, the wrong library, other tools."""

import subprocess

from cases_surroundings import ALONE
from harness import PROGRAMS, Bench, Skip, check, need

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}


def both_preloaded(bench, program, mpi=None, ranks=1):
    """Natively and with plain LD_PRELOAD for the ranks."""
    library = bench.interposer(mpi)
    native = bench.run([*bench.launcher(ranks), *program])
    variables = {"LD_PRELOAD": library, "FARCAST_JSON": "report.json", "FARCAST_PREDICT": "0"}
    options = [word for name, value in variables.items() for word in bench.export(name, value)]
    watched = bench.run([*bench.launcher(ranks, *options), *program])
    bench.same(native, watched)
    return watched


def dlopened(bench, scope):
    program = bench.compile("by_dlopen.c", "-ldl", compiler="cc")
    return bench.both([program, LIBRARIES[bench.mpi], scope], ranks=1)


def case_dlopen_global(bench):
    watched = dlopened(bench, "default")
    check(watched.code == 5, "the program did not run", watched)
    bench.silent(watched)
    bench.report(watched, MPI_Init=1, MPI_Initialized=10, MPI_Finalize=1)


def case_dlopen_handle(bench):
    """Functions looked up in the library's own handle cannot be seen: the program works, one line says that there is nothing."""
    watched = dlopened(bench, "handle")
    check(watched.code == 5, "the program did not run", watched)
    bench.one_line(watched, "without a call to MPI")


def early_calls(bench, *flags):
    """A C++ program by plain mpicxx, with MPI calls in constructors of its own and of a library."""
    library = bench.compile("early_calls.cpp", "-DEARLY_LIBRARY", *flags, "-shared", "-fPIC", name="libearly.so")
    program = bench.compile("early_calls.cpp", library, f"-Wl,-rpath,{bench.work}")
    watched = bench.both([program], ranks=2)
    check(watched.code == 3 and "sum 1 of 2" in watched.out, "the program did not run", watched)
    bench.silent(watched)
    return bench.report(watched, MPI_Allreduce=20, MPI_Finalize=2, MPI_Init=2)


def case_calls_in_constructors(bench):
    report = early_calls(bench)
    check(report["calls"].get("MPI_Initialized", 0) >= 4, f"calls before main are missing: {report['calls']}")


def case_init_in_constructor(bench):
    early_calls(bench, "-DEARLY_INIT")


def case_small_stacks(bench):
    """Threads of 32 KB, with and without MPI: our static TLS must not take their stacks."""
    program = bench.compile("small_stack.c", "-DSTACK=32768", compiler="gcc")
    native = bench.run([program])
    check(native.code == 0, "a thread of 32 KB cannot be made here", native)
    for off in ("0", "1"):
        bench.same(native, bench.run([program], {"LD_PRELOAD": bench.interposer(), "FARCAST_OFF": off}))
    program = bench.compile("small_stack.c", "-DSTACK=524288", "-DWITH_MPI", name="small_stack_mpi")
    watched = bench.both([program], ranks=2)
    bench.report(watched, MPI_Allreduce=10)


def case_many_sites(bench):
    """Call sites in a library: no walk through its symbols, as dladdr does it, for each of them."""
    library = bench.compile("many_sites.c", "-DSITES_LIBRARY", "-shared", "-fPIC", name="libsites.so")
    program = bench.compile("many_sites.c", library, f"-Wl,-rpath,{bench.work}")
    counter = bench.compile("many_sites.c", "-DCOUNTER", "-shared", "-fPIC", "-ldl", name="libcounter.so")
    file = bench.work / "asked.txt"
    native = bench.run([*bench.launcher(1), program])
    variables = [f"LD_PRELOAD={counter}:{bench.interposer()}", f"COUNTER_FILE={file}", "FARCAST_JSON=report.json", "FARCAST_PREDICT=0"]
    watched = bench.run([*bench.launcher(1), "env", *variables, program])
    bench.same(native, watched)
    bench.report(watched, MPI_Comm_rank=200)
    asked = sum(map(int, file.read_text().split())) if file.exists() else 0
    check(asked < 50, f"dladdr was asked {asked} times", watched)


def case_mpi4py(bench):
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import mpi4py"], capture_output=True, check=False).returncode != 0:
        raise Skip("python3-mpi4py is not installed")
    script = "from mpi4py import MPI; [MPI.COMM_WORLD.Barrier() for _ in range(10)]; MPI.COMM_WORLD.rank or print('through', flush=True)"
    watched = bench.both([python, "-c", script])
    bench.report(watched, MPI_Barrier=20, MPI_Finalize=2)


case_mpi4py.for_mpi = ["openmpi"]


def case_preload_no_mpi(bench):
    """On programs without MPI, with every symbol resolved at the start."""
    library = bench.interposer()
    python = [need("python3"), "-c", "print('three'); raise SystemExit(4)"]
    for command in (["/bin/true"], ["bash", "-c", "echo one; (echo two); exit 3"], python):
        native = bench.run(command)
        watched = bench.run(command, {"LD_PRELOAD": library, "LD_BIND_NOW": "1"})
        bench.same(native, watched)
        check(watched.err == native.err == "", "something on stderr", watched)


def case_static_program(bench):
    """MPI inside the program."""
    program = bench.compile("own_mpi.c", "-static", compiler="gcc")
    watched = bench.both([program], ranks=1)
    check(watched.code == 9, "the program did not run", watched)
    bench.one_line(watched, "statically linked with its MPI library inside.*runs unwatched")


def case_static_mpich(bench):
    """A real one, where the distribution's archives allow it."""
    program = bench.work / "static-phases"
    flags = ["-static", "-pthread", "-o", str(program), str(PROGRAMS / "sends.c")]
    if subprocess.run([need("mpicc.mpich"), *flags], capture_output=True, check=False).returncode != 0:
        raise Skip("MPICH cannot be linked statically here")
    watched = bench.both([str(program)], ranks=1)
    bench.one_line(watched, "statically linked with its MPI library inside.*runs unwatched")


case_static_mpich.for_mpi = ["mpich"]


def case_no_mpi(bench):
    watched = bench.both(["/bin/echo", "hello"], ranks=2)
    bench.one_line(watched, "without a call to MPI")
    script = bench.work / "script.sh"
    script.write_text("#!/bin/sh\necho from a script\nexit 7\n")
    script.chmod(0o755)
    watched = bench.both([str(script)], ranks=1)
    check(watched.code == 7, "the script's exit code", watched)


def case_wrong_library(bench):
    """The other MPI library's interposer in front of the program."""
    program = bench.compile("sends.c")
    other = "mpich" if bench.mpi == "openmpi" else "openmpi"
    watched = both_preloaded(bench, [program], other)
    check(watched.code == 6, "the program did not run", watched)
    bench.one_line(watched, "the program's MPI library is not the one that this libfarcast is for")


def case_other_launcher(bench):
    """Two ranks that the other MPI library's launcher started: each would be a job of its own."""
    other = Bench("mpich" if bench.mpi == "openmpi" else "openmpi", bench.farcast, bench.work)
    program = bench.compile("sends.c")
    names = {"openmpi": "Open MPI", "mpich": "MPICH"}
    said = f"is linked with {names[bench.mpi]}, and the launcher of {names[other.mpi]} started it as 2 ranks"
    refused = bench.run([*other.launcher(2), *bench.under(), program], ALONE)
    check(refused.code == 2, f"exit code {refused.code}", refused)
    check(refused.err.count(f"farcast: {program} {said}") == 1, f"not said once: {said}", refused) # it begins with the program's path
    # Nobody asked farcast before the start: the program runs, and one line says why there is no report.
    variables = {"LD_PRELOAD": bench.interposer(), "FARCAST_JSON": "report.json"}
    options = [word for name, value in variables.items() for word in other.export(name, value)]
    native = bench.run([*other.launcher(2), program], ALONE)
    watched = bench.run([*other.launcher(2, *options), program], ALONE)
    check(watched.code == native.code, f"exit code {watched.code}, natively {native.code}", watched)
    # Two programs of which no launcher knows that they belong together: their lines may meet within one.
    check(sorted(watched.out) == sorted(native.out), f"stdout differs; natively:\n{native.out}", watched)
    bench.one_line(watched, f"2 ranks of an {names[bench.mpi]} program were started by the launcher of {names[other.mpi]}")
    check(not (watched.folder / "report.json").exists(), "a report of one rank of two", watched)
    # One rank is one rank, whoever started it.
    watched = bench.run([*other.launcher(1), *bench.under(), program], ALONE)
    check(watched.code == 6, f"exit code {watched.code}", watched)
    bench.report(watched, MPI_Init=1, MPI_Finalize=1)


def case_no_launcher(bench):
    """Started by hand: as it runs natively, and the report says that it is one rank."""
    program = bench.compile("sends.c")
    native = bench.run([program], ALONE)
    watched = bench.run([*bench.under(), program], ALONE)
    bench.same(native, watched)
    check(bench.report(watched, MPI_Init=1)["ranks"] == 1 and "calls of 1 rank, recorded on 1 node" in watched.err, "1 rank", watched)


def with_tool(bench, order):
    program = bench.compile("sends.c")
    tool = bench.compile("pmpi_tool.c", "-shared", "-fPIC", name="libtool.so")
    library = bench.interposer()
    preload = ":".join({"tool": tool, "farcast": library}[name] for name in order)
    native = bench.run([*bench.launcher(1), program])
    file = bench.work / "tool.txt"
    variables = [f"LD_PRELOAD={preload}", f"TOOL_FILE={file}", "FARCAST_JSON=report.json", "FARCAST_PREDICT=0"]
    watched = bench.run([*bench.launcher(1), "env", *variables, program])
    bench.same(native, watched)
    check(file.read_text() == "25\n", f"the tool counted {file.read_text()}", watched)
    bench.silent(watched)
    bench.report(watched, MPI_Init=1, MPI_Send=25, MPI_Finalize=1)


def case_options_of_run(bench):
    """What was said to `farcast run` holds for the `farcast exec` of each rank: waiting ranks sleep, by a library of their own."""
    for options in (["--isolate", "1"], ["--isolate", "1", "--coupled"], []):
        done = bench.run([bench.farcast, "run", "-np", "2", *options, "--", "/bin/sh", "-c", "echo $LD_PRELOAD"])
        expected = 2 if options else 0
        check(done.code == 0 and done.out.count("libfarcast-idle.so") == expected, f"{options}: {done.code}, {done.out}", done)


case_options_of_run.for_mpi = ["openmpi"]


def case_tool_before(bench):
    with_tool(bench, ["tool", "farcast"])


def case_tool_behind(bench):
    with_tool(bench, ["farcast", "tool"])
