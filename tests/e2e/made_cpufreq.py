"""A folder that looks like /sys/devices/system/cpu with clocks that can be set, and a look at what is set while something runs."""
import contextlib
import os
import threading
import time

TABLE_KHZ = (1200000, 1800000, 2400000)
BEFORE = ("1300000", "2300000")  # nothing that a measurement would set


class Clocks:
    def __init__(self, folder, table=TABLE_KHZ):
        self.cores = [folder / f"cpu{core}" / "cpufreq" for core in sorted(os.sched_getaffinity(0))]
        for core in self.cores:
            core.mkdir(parents=True)
            (core / "scaling_available_frequencies").write_text(" ".join(map(str, reversed(table))) + " \n")
            (core / "cpuinfo_min_freq").write_text(f"{table[0]}\n")
            (core / "cpuinfo_max_freq").write_text(f"{table[-1]}\n")
            (core / "scaling_cur_freq").write_text("1800000\n")
            (core / "scaling_min_freq").write_text(BEFORE[0])
            (core / "scaling_max_freq").write_text(BEFORE[1])

    def ranges(self):
        return {tuple((core / f"scaling_{end}_freq").read_text().strip() for end in ("min", "max")) for core in self.cores}

    def are_back(self, patience_s=0):
        end = time.monotonic() + patience_s
        while self.ranges() != {BEFORE} and time.monotonic() < end:
            time.sleep(0.02)
        return self.ranges() == {BEFORE}

    @contextlib.contextmanager
    def watched(self):
        """Gives the set of frequencies (kHz) that cores are held to meanwhile."""
        held, stop = set(), threading.Event()

        def look():
            while not stop.is_set():
                held.update(int(low) for low, high in self.ranges() if low == high and low)
                time.sleep(0.002)
        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield held
        finally:
            stop.set()
            thread.join()

    def wait_until_set(self, patience_s=60):
        end = time.monotonic() + patience_s
        while self.ranges() == {BEFORE} and time.monotonic() < end:
            time.sleep(0.01)
        return self.ranges() != {BEFORE}
