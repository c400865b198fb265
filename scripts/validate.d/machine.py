"""What both parts of scripts/validate need of the machine: commands that must succeed, memory that stays, how busy it is."""

import contextlib
import math
import mmap
import os
import pathlib
import signal
import subprocess
import threading
import time

CANNOT = 77
STANDSTILL_S, MOST_TRIES, QUICK_TRIES = 0.25, 16, 3
SHORT_S, STOLEN_SHARE = 3, 0.03  # by the hypervisor, of what was measured: more is a disturbance, and anything of what is that short
TOUCHED_SHARE = 0.97
BLOCK = 1 << 20  # less than goes back
COMPACTION = pathlib.Path("/proc/sys/vm/compaction_proactiveness")


class Stop(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def call(words, timeout=600, folder=None):
    """Returns: what the command prints. Stops where it fails or takes longer; whatever ends us, the command ends with all it started."""
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                               start_new_session=True)
    try:
        out, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Stop(f"not finished after {timeout} s: {' '.join(map(str, words))}") from None
    finally:
        end_group(process)
    if process.returncode != 0:
        raise Stop((errors or out).strip(), process.returncode if process.returncode == CANNOT else 1)
    return out


def end_group(process):
    """Ends a process that still runs: first it is asked, since mpirun and the bottle end their ranks."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)


@contextlib.contextmanager
def setting(path, value):
    """A setting of the kernel, where it is there and may be changed; put back whatever happens."""
    try:
        before = path.read_text()
        path.write_text(value)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        path.write_text(before)


@contextlib.contextmanager
def memory_kept():
    """A virtual machine gets its memory when it first touches it, and waits for it, 10 us a page, in the midst of a copy; whole blocks of
    pages that it has freed may go back to the host within seconds. Touches nearly all that is free (the kernel takes its buffers from the
    largest blocks, which are those that were not touched), and keeps a page of every block. Linux must not move those pages together
    meanwhile, as it does within minutes: it would have whole blocks again."""
    free = next(int(line.split()[1]) * 1024 for line in open("/proc/meminfo") if line.startswith("MemFree"))
    blocks = max(1, int(free * TOUCHED_SHARE) // BLOCK)
    with setting(COMPACTION, "0"), mmap.mmap(-1, blocks * BLOCK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for block in range(blocks):
            memory.write(bytes(BLOCK))
        for block in range(blocks):
            memory.madvise(mmap.MADV_DONTNEED, block * BLOCK + mmap.PAGESIZE, BLOCK - mmap.PAGESIZE)
        yield


class Watch(threading.Thread):
    """Wakes every few milliseconds. Who was stopped, or whose machine was, sees it by the longest time between two wakes."""
    TICK_S = 0.02

    def __init__(self, quick=False):
        super().__init__(daemon=True)
        self.longest_s, self.most_tries = 0.0, QUICK_TRIES if quick else MOST_TRIES
        self.start()

    def run(self):
        before = time.monotonic()
        while True:
            time.sleep(self.TICK_S)
            now = time.monotonic()
            self.longest_s = max(self.longest_s, now - before)
            before = now


def cpu_s():
    """Returns: s since the machine began of all its cores, by what they were spent for, in the order of /proc/stat; the hypervisor's are last."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    return [int(field) / os.sysconf("SC_CLK_TCK") for field in fields]


def stolen_s():
    return cpu_s()[7]


def undisturbed(watch, action):
    """Does something that is measured, and once more where the machine or we stood still meanwhile. Returns: what it returns (if a dict, then
    with the `s` that count and the `stolen_s` that the hypervisor had of them), where the hypervisor leaves no peace the least disturbed."""
    least_stolen, best = math.inf, None
    for _ in range(watch.most_tries):
        watch.longest_s = 0.0
        began, stolen_before = time.monotonic(), stolen_s()
        found = action()
        stolen, seconds = stolen_s() - stolen_before, time.monotonic() - began
        if isinstance(found, dict):
            stolen, seconds = found["stolen_s"], found["s"]
        if watch.longest_s > STANDSTILL_S:
            print(f"    everything stood still for {watch.longest_s:.1f} s: measured once more", flush=True)
        elif stolen > (STOLEN_SHARE * seconds if seconds > SHORT_S else 0):
            print(f"    the hypervisor took cores away for {stolen:.2f} s: measured once more", flush=True)
            if stolen < least_stolen:
                least_stolen, best = stolen, found
        else:
            return found
    if best is not None:
        return best
    raise Stop(f"disturbed {watch.most_tries} times while something was measured")


def busy_cores(seconds):
    """Returns: how many cores others kept busy just now, but for what is nice: a bottle's idle cores are."""
    def used():
        spent = cpu_s()
        return sum(spent) - spent[1] - spent[3] - spent[4]  # without nice, idle and iowait
    before = used()
    time.sleep(seconds)
    return (used() - before) / seconds


def wait_until_quiet(patience_s, most_cores=0.2):
    """Waits for other processes to leave the cores alone, at most so long. Returns: how many cores they kept busy at the end."""
    until = time.monotonic() + patience_s
    while (busy := busy_cores(0.5)) > most_cores and time.monotonic() < until:
        time.sleep(min(2.0, patience_s / 10))
    return busy
