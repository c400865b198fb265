"""Memory and disks that are full, small, read-only or absent."""

import contextlib
import os
import pathlib
import signal
import time
import uuid

from harness import Skip, all_accounted_for, check, mounted, pause_predictor_between_gates

PHASES = ["20", "many=30000"]  # some megabytes of records per rank


def shared_memory(bench, prefix):
    """MPI itself may need /dev/shm: it is told to do without, and the native run happens in the same conditions."""
    program = bench.compile("phases.c")
    options = ["--mca", "btl", "tcp,self"] if bench.mpi == "openmpi" else []
    environment = {} if bench.mpi == "openmpi" else {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "UCX_LOG_LEVEL": "fatal"}
    watched = bench.both([program, *PHASES], prefix=prefix, launcher_options=options, environment=environment)
    if watched.code != 0:
        raise Skip(f"{bench.mpi} does not run without /dev/shm here (exit code {watched.code}, with farcast the same)")
    bench.silent(watched)
    bench.report(watched, MPI_Allreduce=2 * 41, MPI_Comm_rank=2 * 30001)


def case_shm_full(bench):
    shared_memory(bench, mounted("1m", then="head -c 1m /dev/zero > /dev/shm/full 2>/dev/null || :"))


def case_shm_64k(bench):
    shared_memory(bench, mounted("64k"))


def case_shm_read_only(bench):
    shared_memory(bench, mounted("1m", ",ro"))


def case_shm_absent(bench):
    # Another /dev in front of it, with only what programs need.
    shared_memory(bench, mounted(then="mkdir -p /tmp/farcast-dev.$$ && mount --bind /dev /tmp/farcast-dev.$$"
                                      " && mount -t tmpfs farcast-test /dev && for n in"
                                      " null zero random urandom tty ptmx fd stdin stdout stderr pts; do"
                                      " cp -a /tmp/farcast-dev.$$/$n /dev/ 2>/dev/null || :; done"
                                      " && mkdir -p /dev/pts && mount --bind /tmp/farcast-dev.$$/pts /dev/pts"
                                      " && umount /tmp/farcast-dev.$$ && rmdir /tmp/farcast-dev.$$"))


def file_size_limit(bench, kilobytes):
    """Command between launcher and program; MPICH itself makes memory files of many megabytes for ranks on one node."""
    if bench.mpi == "mpich":
        variables = ["MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self", "UCX_LOG_LEVEL=fatal"]
    else:
        variables = ["OMPI_MCA_btl=tcp,self"]
    return ["bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "bash", "env", *variables]


def case_file_size_limit(bench):
    """RLIMIT_FSIZE leaves no room for a memory file at all."""
    program, limit = bench.compile("phases.c"), file_size_limit(bench, 1024)
    native = bench.run([*bench.launcher(), *limit, program, *PHASES])
    watched = bench.run([*bench.launcher(), *limit, *bench.under(), program, *PHASES])
    if native.code > 128:
        raise Skip(f"{bench.mpi} itself cannot live with this limit")
    bench.same(native, watched)
    bench.one_line(watched, "no memory for recording; the program runs unwatched")
    check(not (watched.folder / "report.json").exists(), "a report without a record", watched)


def case_file_size_limit_later(bench):
    """The memory file cannot grow while nobody drains it: recording stops, nothing is lost without being counted."""
    program, limit = bench.compile("phases.c"), file_size_limit(bench, 3072)
    phases = ["20", "gate", "many=60000", "gate"]
    native = bench.run([*bench.launcher(), *limit, program, *phases])
    running = bench.start([*bench.launcher(), *limit, *bench.under(), program, *phases])
    watched = pause_predictor_between_gates(running)
    bench.same(native, watched)
    all_accounted_for(bench, watched, "the system gives no more memory", issued=2 * (1 + 2 + 41 + 4 + 60000 + 1))


@contextlib.contextmanager
def memory_group(megabytes):
    """A control group of its own, version 1 or 2. Gives: a command prefix that enters it, and the group's folder."""
    first, second = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")
    mount, limit = (first, "memory.limit_in_bytes") if (first / "tasks").exists() else (second, "memory.max")
    folder = mount / f"farcast-test-{uuid.uuid4()}"
    try:
        folder.mkdir()
        (folder / limit).write_text(str(megabytes << 20))
        with contextlib.suppress(OSError):
            (folder / "memory.swappiness").write_text("0")
    except OSError as reason:
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise Skip(f"no memory control group can be made: {reason}") from None
    try:
        yield ["sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh"], folder
    finally:
        for _ in range(500):  # until the last process is gone
            with contextlib.suppress(OSError):
                for process in (folder / "cgroup.procs").read_text().split():  # of a case that failed
                    os.kill(int(process), signal.SIGKILL)
                folder.rmdir()
            if not folder.exists():
                break
            time.sleep(0.02)


def killed_in(folder):
    """Processes that the group's limit has killed, as far as the kernel counts them."""
    for name in ("memory.oom_control", "memory.events"):
        with contextlib.suppress(OSError):
            words = dict(line.split() for line in (folder / name).read_text().splitlines())
            return int(words.get("oom_kill", 0))
    return 0


def case_memory_group(bench):
    """A control group of 400 MB, two ranks of some megabytes, half a gigabyte of records, and nobody who drains them."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    program = bench.compile("phases.c")
    phases = ["20", "gate", "many=4000000", "gate"]
    with memory_group(400) as (enter, folder):
        native = bench.run([*enter, *bench.launcher(), program, *phases])
        running = bench.start([*enter, *bench.launcher(), *bench.under(), program, *phases])
        watched = pause_predictor_between_gates(running)
        killed = killed_in(folder)
    bench.same(native, watched)
    check(killed == 0, f"{killed} processes were killed", watched)
    all_accounted_for(bench, watched, "the system gives no more memory", issued=2 * (1 + 2 + 41 + 4 + 4000000 + 1))


case_memory_group.alone = True  # as much memory as the machine has free is another bound


def full_disk(folder):
    """Command prefix: a full tmpfs of its own on `folder`."""
    return mounted(then=f"mkdir -p {folder} && mount -t tmpfs -o size=16k farcast-test {folder}"
                        f" && (head -c 64k /dev/zero > {folder}/full 2>/dev/null || :)")


def small_disk(bench, folder, *options, **json):
    program = bench.compile("phases.c")
    launcher = [*full_disk(folder), *bench.launcher(2)]
    native = bench.run([*launcher, program, *PHASES])
    watched = bench.run([*launcher, *bench.under(*options, **json), program, *PHASES])
    bench.same(native, watched)
    return watched


def case_disk_full_json(bench):
    folder = bench.work / "full"
    watched = small_disk(bench, folder, json=folder / "r.json")
    check("no JSON report: cannot write" in watched.err and "No space left" in watched.err, "the full disk is not named", watched)


def case_disk_full_run_file(bench):
    folder = bench.work / "full"
    watched = small_disk(bench, folder, "-o", f"{folder}/run.h5")
    check("no run file: " in watched.err and f"{folder}/run.h5" in watched.err, "the full disk is not named", watched)
    bench.report(watched, MPI_Allreduce=2 * 41)


def case_disk_full_tmpdir(bench):
    """TMPDIR full, where recordings larger than memory go: MPI must run there too, so TMPDIR is set for the ranks alone."""
    folder = bench.work / "full"
    program = bench.compile("phases.c")
    launcher = [*full_disk(folder), *bench.launcher(2)]
    local = ["env", f"TMPDIR={folder}"]
    native = bench.run([*launcher, *local, program, *PHASES])
    watched = bench.run([*launcher, *local, *bench.under(), program, *PHASES])
    bench.same(native, watched)
    if watched.code == 0:
        bench.report(watched, MPI_Allreduce=2 * 41, MPI_Comm_rank=2 * 30001)
