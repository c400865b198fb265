#!/usr/bin/env python3
"""Coupled mode: a program that takes another path on another network takes the path of the platform.

    run.py --mpi openmpi|mpich --farcast FILE --work FOLDER

choices.c on two platforms: a megabyte takes 1 ms on one and 1 s on the other, and rank 2 sleeps 200 ms. What comes first, and the
program's own clock, follow from that; the prediction is the time that the program saw.
Exit code: 0 as required, 1 not, 77 a compiler or a launcher is missing.
"""
import argparse
import contextlib
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
from checks import Failure, expect, need, run_checks  # noqa: E402

RANKS = 4
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config><prop id="smpi/bw-factor" value="0:1"/><prop id="smpi/lat-factor" value="0:1"/><prop id="network/crosstraffic" value="0"/>
  <prop id="smpi/test" value="0.000002"/><prop id="smpi/iprobe" value="0.000002"/></config>
  <cluster id="c" prefix="n" suffix="" radical="0-4" speed="1Gf" bw="{bandwidth}" lat="1us"/>
</platform>
"""
NETWORKS = {"quick": ("1GBps", 1), "slow": ("1MBps", 2)}
MEGABYTE_S = {"quick": 1e-3, "slow": 1}
NAMES = ["waitany", "testany", "waitsome", "test", "iprobe", "any_source", "deferred", "mprobe"]


class Job:
    def __init__(self, arguments):
        self.rounds = int(os.environ.get("FARCAST_TEST_ROUNDS", "2"))  # of each fixed-clock case
        self.mpi, self.farcast, self.work = arguments.mpi, pathlib.Path(arguments.farcast).resolve(), arguments.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        for name, (bandwidth, _) in NETWORKS.items():
            (self.work / f"{name}.xml").write_text(PLATFORM.format(bandwidth=bandwidth))
        self.run(need(f"mpicc.{self.mpi}"), "-O2", "-rdynamic", "-o", "choices", HERE / "choices.c")

    def run(self, *words, code=0, **variables):
        done = subprocess.run([str(word) for word in words], cwd=self.work, capture_output=True, text=True, timeout=200,
                              env={**os.environ, **variables})
        expect(done.returncode == code, f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def launch(self, *options, program="./choices", ranks=RANKS, plain=False, words=(), **more):
        launcher = [need(f"mpirun.{self.mpi}"), "-np", ranks]
        if self.mpi == "openmpi":
            launcher += ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
        watched = [] if plain else [self.farcast, "exec", *options, "--"]
        return self.run(*launcher, *watched, program, *words, **more)

    def refuse(self, *options):
        """Without a launcher: MPICH's dies of SIGPIPE at times when what it starts ends at once."""
        return self.run(self.farcast, "exec", *options, "--", "./choices", code=2)

    def report(self, name):
        return json.loads((self.work / f"{name}.json").read_text())["predictions"][0]


def cases(text):
    """The program's own lines -> [(case, which came first, seconds)]."""
    lines = [line.split() for line in text.splitlines() if line.split()[:1] and line.split()[0] in NAMES]
    return [(name, int(first), float(seconds)) for name, first, seconds in lines]


@contextlib.contextmanager
def busy_cores():
    """Something else wants each core, twice: what ranks lose to it while they wait for an answer is no computation of theirs."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def check_paths(job):
    for network, (_, first) in NETWORKS.items():
        with busy_cores():
            out, _ = job.launch("--coupled", "--platform", f"{network}.xml", "--json", f"{network}.json", "-o", f"{network}.h5")
        found = cases(out)
        expect([name for name, _, _ in found] == NAMES, out)
        for name, came, seconds in found:
            expect(came == first, f"{network}: {name} took rank {came} first, expected {first}\n{out}")
            expected = 1.0 if network == "slow" else 0.4 if name == "test" else 0.2
            expect(expected - 0.02 < seconds < expected + 0.1, f"{network}: {name} took {seconds} s, expected {expected}")
        predicted = job.report(network)["time_s"]
        total = sum(seconds for _, _, seconds in found)
        expect(abs(predicted - total) < 0.05 * total, f"{network}: predicted {predicted} s, the program saw {total} s")


POLL = 2e-6  # PLATFORM


def by_hand(network):
    """{case: seconds}, from the platform's figures: no two messages are on one link at a time."""
    bandwidth = {"quick": 1e9, "slow": 1e6}[network]

    def message(size):  # two links of 1 us, and an envelope of 16 bytes
        return 2e-6 + (size + 16) / bandwidth

    large, small, barrier = message(1_000_000), message(1), 2 * message(0)
    first, last = min(large, 0.2), max(large, 0.2)
    turns = math.ceil((first + small - POLL) / (0.01 + POLL))
    ends = {  # of rank 0
        "waitany": last + small,
        "testany": max(POLL + turns * (0.01 + POLL), last + small),
        "waitsome": last + small,
        "test": max(0.4 + POLL, last + small),
        "iprobe": last + small if network == "slow" else max(0.2, 0.1 + POLL + small) + small,
        "any_source": last + small,
        "mprobe": last + small,
    }
    out = {name: max(end, last + 0.001) + barrier for name, end in ends.items()}
    out["deferred"] = last + 0.001 + barrier + max(small, 0.001) + barrier  # rank 2 pauses again behind its second message
    return out, barrier


def near(a, b):
    return abs(a - b) <= 1e-9 * b


def check_by_hand(job):
    """By a clock that only pauses move, each case takes what follows from the platform, run by run, in C and through mpi_f08."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-c", "-o", "pause_for.o", HERE / "pause_for.c")
    job.run(need(f"mpifort.{job.mpi}"), "-O2", "-rdynamic", "-o", "choices_f08", HERE / "choices.f90", "pause_for.o")
    for network, program in itertools.product(NETWORKS, ("./choices", "./choices_f08")):
        first = NETWORKS[network][1]
        expected, barrier = by_hand(network)
        for _ in range(job.rounds):
            out, said = job.launch("--coupled", "--platform", f"{network}.xml", "--collectives", "barrier=recursive_doubling", "--json",
                                   "hand.json", program=program, FARCAST_FIXED_CLOCK="2000")
            found = cases(out)
            expect([name for name, _, _ in found] == NAMES, out)
            for name, came, seconds in found:
                expect(came == first, f"{network}, {program}: {name} took rank {came} first, expected {first}\n{out}")
                expect(near(seconds, expected[name]), f"{network}, {program}: {name} took {seconds!r} s, by hand {expected[name]!r}\n{out}")
            predicted, total = job.report("hand")["time_s"], sum(expected.values()) + len(NAMES) * barrier
            expect(near(predicted, total), f"{network}, {program}: predicted {predicted!r} s, by hand {total!r} s")
            expect("the clock was the program's own" in json.dumps(json.loads((job.work / "hand.json").read_text())), said)


def in_smpi(job, source, platform, *words):
    """What the program prints, recompiled for SimGrid's SMPI, on that platform."""
    program = f"{source}.smpi"
    if not (job.work / program).exists():
        job.run("smpicc", "-O2", "-o", program, HERE / f"{source}.c")
    done = subprocess.run(["smpirun", "-np", str(RANKS), "-platform", f"{platform}.xml", "--cfg=smpi/simulate-computation:no",
                           "--cfg=smpi/grow-injected-times:no", "--log=root.thresh:warning", f"./{program}", *words],
                          cwd=job.work, capture_output=True, text=True, timeout=100)
    return done.stdout


def check_beside_simgrid(job):
    """SimGrid's SMPI, which runs recompiled programs in virtual time, sends them the same ways in the same time."""
    if not shutil.which("smpicc") or not shutil.which("smpirun"):
        return
    for network in NETWORKS:
        expected = cases(in_smpi(job, "choices", network))
        expect([name for name, _, _ in expected] == NAMES[:-1], f"SMPI: {expected}")  # it has no MPI_Mprobe
        out, _ = job.launch("--coupled", "--platform", f"{network}.xml", FARCAST_FIXED_CLOCK="2000")
        for (name, first, seconds), (_, smpi_first, smpi_seconds) in zip(cases(out), expected):
            same = first == smpi_first and abs(seconds - smpi_seconds) < 0.01 * smpi_seconds
            expect(same, f"{network}, {name}: {first} after {seconds} s, in SMPI {smpi_first} after {smpi_seconds} s")
    # Polls cost next to nothing: in SimGrid 3.32 a second fruitless MPI_Testany in a row takes twice the time of the first, whatever
    # smpi/grow-injected-times says.
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "dynamic", HERE / "dynamic.c")
    for network, (bandwidth, _) in NETWORKS.items():
        cheap = f"cheap_{network}"
        (job.work / f"{cheap}.xml").write_text(PLATFORM.format(bandwidth=bandwidth).replace("0.000002", "1e-9"))
        for which in ("workers", "stealers", "updates"):
            *expected, smpi_time = in_smpi(job, "dynamic", cheap, which).splitlines()
            out, _ = job.launch("--coupled", "--platform", f"{cheap}.xml", program="./dynamic", words=(which,), FARCAST_FIXED_CLOCK="2000")
            *found, time = [line for line in out.splitlines() if line.startswith(("rank ", "time "))]
            expect(len(expected) == RANKS and found == expected, f"{network}, {which}: in SMPI\n{expected}\nhere\n{found}")
            seconds, smpi_seconds = float(time.split()[1]), float(smpi_time.split()[1])
            expect(abs(seconds - smpi_seconds) < 0.01 * smpi_seconds, f"{network}, {which}: {seconds} s, in SMPI {smpi_seconds} s")


ROUNDS = 20  # together.c
FAR = 100e-6  # of a message, on a network where ranks that poll get on together for a while


def together_by_hand(ranks):
    """[(polls of each round, seconds)] of together.c: each rank's next round from where the left one's message finds it."""
    begins, polls = [0.0] * ranks, [[] for _ in range(ranks)]
    latency = FAR + 17 / 1e9  # one byte, and an envelope of 16

    def play(rank, number, arrives):
        now, sent, found, step, count = begins[rank], None, False, 0, 0
        sends = 20 + (rank * 13 + number * 7) % 50
        while step <= sends or not found:
            now += (3 + rank) * 1e-6
            if step == sends:
                sent = now
            if not found:
                count, now = count + 1, now + POLL
                found = arrives <= now
            step += 1
            if step > 10000:
                break
        return now, sent, count

    for number in range(ROUNDS):
        arrives = [math.inf] * ranks
        while True:
            played = [play(rank, number, arrives[rank]) for rank in range(ranks)]
            found = [played[rank - 1][1] + latency for rank in range(ranks)]
            if found == arrives:
                break
            arrives = found
        begins = [now for now, _, _ in played]
        for rank in range(ranks):
            polls[rank].append(played[rank][2])
    return list(zip(polls, begins))


def check_together(job):
    """Ranks that poll in step find what they would by hand, however far each gets on by itself."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "together", HERE / "together.c")
    far = PLATFORM.format(bandwidth="1GBps").replace('lat="1us"', f'lat="{FAR / 2 * 1e6:g}us"')
    (job.work / "far.xml").write_text(far)
    for ranks in (2, 4):
        expected = together_by_hand(ranks)
        for _ in range(job.rounds):
            out, _ = job.launch("--coupled", "--platform", "far.xml", program="./together", ranks=ranks, FARCAST_FIXED_CLOCK="2000")
            lines = sorted((line.split()[1:] for line in out.splitlines() if line.startswith("rank ")), key=lambda words: int(words[0]))
            expect(len(lines) == ranks, out)
            for rank, (polls, seconds) in enumerate(expected):
                expect([int(word) for word in lines[rank][1:-1]] == polls, f"rank {rank} of {ranks}: polls by hand {polls}\n{out}")
                # Each call takes a picosecond of the fixed clock.
                expect(abs(float(lines[rank][-1]) - seconds) < 1e-8, f"rank {rank} of {ranks}: {seconds!r} s by hand\n{out}")


def check_polling(job):
    """What comes is found by the first poll behind it: on cores of another speed, beside polls for something else, behind polls of nothing."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "polling", HERE / "polling.c")
    costless = re.sub('<prop id="smpi/(test|iprobe)"[^>]*/>', "", PLATFORM)
    (job.work / "costless.xml").write_text(costless.format(bandwidth="1GBps"))
    (job.work / "distant.xml").write_text(PLATFORM.format(bandwidth="1GBps").replace('lat="1us"', 'lat="50us"'))

    def found(which, word, platform, clock, *options):
        out, _ = job.launch("--coupled", "--platform", f"{platform}.xml", *options, program="./polling", words=(which,), ranks=2,
                            FARCAST_FIXED_CLOCK=clock)
        return next(float(line.split()[1]) for line in out.splitlines() if line.startswith(f"{word} "))

    for speed in (0.5, 1, 2):
        seen = found("tests", "done", "costless", "2000", "--relative-speed", speed)
        expect(0.1 / speed < seen < 0.1 / speed + 10e-6, f"cores {speed} times as fast: found after {seen} s, sent after {0.1 / speed} s")
    seen = found("mixed", "found", "distant", "2000")
    expect(1e-3 <= seen < 1e-3 + 10e-6, f"a probe beside tests found after {seen} s what was sent after 0.001 s")
    seen = found("sweep", "done", "quick", "100")
    expect(10e-3 < seen < 10e-3 + 450e-6, f"tests of a hundred requests found after {seen} s what was sent after 0.01 s")


LATE = ["persistent_receive", "persistent_send", "broadcast", "scatterv", "gatherv", "scans"]


def clock_by_hand():
    """{rank: (turns, polls, seconds)} of `clock steps` on the quick network."""
    turns, early = math.ceil(0.050005 / 10e-6), math.ceil(0.020001 / 7e-6)
    there, polls = turns * 10e-6 + 2e-6 + 17 / 1e9, 0  # one byte, and an envelope of 16
    now = early * 7e-6
    while now < there:
        polls, now = polls + 1, now + 7e-6 + POLL
    return {0: (turns, 0, turns * 10e-6), 1: (early, polls, now)}


def check_clock(job):
    """A program that looks at the clock all the time sees virtual time, and does not wait for each look to be answered."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "clock", HERE / "clock.c")
    for _ in range(job.rounds):
        out, _ = job.launch("--coupled", "--platform", "quick.xml", program="./clock", ranks=2, FARCAST_FIXED_CLOCK="2000")
        found = {int(line.split()[1]): line.split()[2:] for line in out.splitlines() if line.startswith("rank ")}
        for rank, (turns, polls, seconds) in clock_by_hand().items():
            expect([int(word) for word in found[rank][:2]] == [turns, polls], f"rank {rank}: {turns} turns, {polls} polls by hand\n{out}")
            # Each call takes a picosecond of the fixed clock.
            expect(abs(float(found[rank][2]) - seconds) < 3e-8, f"rank {rank}: {seconds!r} s by hand\n{out}")
    out, _ = job.launch("--coupled", "--platform", "quick.xml", "--json", "spin.json", "-o", "spin.h5", program="./clock", words=["spin"], ranks=2)
    spun = next(line.split() for line in out.splitlines() if line.startswith("spun "))
    expect(1 <= float(spun[1]) < 1.01 and spun[3] == "0", out)
    expect(abs(job.report("spin")["time_s"] - 1) < 0.02, f"predicted {job.report('spin')['time_s']} s, the program saw 1 s")
    looks, size = int(spun[5]), (job.work / "spin.h5").stat().st_size
    expect(size < looks * 4, f"{looks} looks at the clock left {size} bytes: questions, which take a hundred each")


def check_late(job):
    """Nobody waits in the real library for who comes later on the virtual cluster, and all get the right data."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "late", HERE / "late.c")
    for network, (_, first) in NETWORKS.items():
        out, _ = job.launch("--coupled", "--platform", f"{network}.xml", program="./late")
        found = [line.split() for line in out.splitlines() if line.split()[:1] and line.split()[0] in LATE]
        expected = [[name, str(first if name == "persistent_receive" else 1)] for name in LATE]
        expect(found == expected, f"{network}: {found}, expected {expected}\n{out}")


AGREEMENTS = ["group", "window", "fence", "file", "disconnect", "intercomm", "epochs", "locks", "generalized", "synchronous", "issend"]
EARLY = ["started", "restarted", "refused", "reduced", "matched", "freed", "ahead", "empty", "stepped"]


def check_came_first(job, program, names, seconds):
    """Each case of came_first.h is right, and the run takes that long, now and predicted again. Windows and files keep what making them
    took on this machine, which may be busy."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", program, HERE / f"{program}.c")
    out, _ = job.launch("--coupled", "--platform", "quick.xml", "--json", f"{program}.json", "-o", f"{program}.h5", program=f"./{program}",
                        ranks=3)
    expect(out.split() == [word for name in names for word in (name, "2", "1")], out)
    job.run(job.farcast, "predict", f"{program}.h5", "-p", "quick.xml", "--json", "again.json")
    sites = json.loads((job.work / f"{program}.json").read_text())["sites"]
    making = ("MPI_Win_create", "MPI_Win_allocate_shared", "MPI_File_open", "MPI_File_close")
    kept = sum(max(site["time_s"]["total"]) for site in sites if site["call"] in making)
    for name in (program, "again"):
        predicted = job.report(name)["time_s"]
        expect(job.report(name)["complete"], f"{name}: {job.report(name)['problems']}")
        expect(seconds < predicted < seconds + 0.1 + kept,
               f"{name}: predicted {predicted} s, of which {seconds} s are pauses and large messages, {kept} s windows and files")


def check_agreements(job):
    """Nobody waits in the library for who has not come yet on the virtual cluster where all leave together, either."""
    check_came_first(job, "agreements", AGREEMENTS, 22 * 0.01)


def check_early(job):
    """Nor for who comes after a rank is done: non-blocking collectives, messages that a probe took, receives whose communicator is freed."""
    more = ["exchanged"] if job.mpi == "mpich" else []
    check_came_first(job, "early", EARLY + more, (12 + len(more)) * 0.01 + 0.3 + 0.42)  # 400 MB at 1 GB/s


def check_spawned(job):
    """Nor where processes are started. (Debian 12's MPICH starts none, with or without farcast.)"""
    if job.mpi == "mpich":
        return
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "spawned", HERE / "spawned.c")
    out, _ = job.launch("--coupled", "--platform", "quick.xml", "--json", "spawned.json", program="./spawned", ranks=3)
    expect(out.split() == ["2", "1"], out)
    report = json.loads((job.work / "spawned.json").read_text())
    sites = {site["site"] for site in report["sites"] if site["call"] == "MPI_Comm_spawn"}
    measured, predicted = (sum(site["time_s"]["total"][0] for site in table if site["site"] in sites)
                           for table in (report["sites"], report["predictions"][0]["sites"]))
    expect(0 < measured <= predicted < measured + 0.02, f"MPI_Comm_spawn: {measured} s, predicted {predicted} s")


def check_away(job):
    """Who waits for another rank in a call that nobody models keeps nobody waiting, and what it finds there is the library's."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "away", HERE / "away.c")
    out, _ = job.launch("--coupled", "--platform", "quick.xml", "--json", "away.json", "-o", "away.h5", program="./away", ranks=3)
    expect(out.split() == ["accepted" if job.mpi == "openmpi" else "grouped", "2", "1"], out)
    job.run(job.farcast, "predict", "away.h5", "-p", "quick.xml", "--json", "again.json")
    for name in ("away", "again"):
        expect(job.report(name)["complete"], f"{name}: {job.report(name)['problems']}")
    expect(job.report("away")["time_s"] > 0.01, f"predicted {job.report('away')['time_s']} s, of which 0.01 s are a pause")


def check_ahead(job):
    """Ranks compute side by side where nothing hangs on what comes first. (A run that keeps one of them does not end.)"""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "ahead", HERE / "ahead.c")
    for options in ((), ("--isolate", "2")):
        for left in job.work.glob("computes.*"):
            left.unlink()
        out, _ = job.launch("--coupled", "--platform", "slow.xml", "--json", "ahead.json", *options, program="./ahead", ranks=2)
        expect(out.split() == ["4", "1"], out)
        expect(job.report("ahead")["complete"], f"{job.report('ahead')['problems']}")


def check_turns(job):
    """--isolate 1: whoever waits gives its turn back, so that none is ever lent."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "turns", HERE / "turns.c")
    out, _ = job.launch("--coupled", "--platform", "quick.xml", "--json", "turns.json", "--isolate", "1", program="./turns", ranks=3)
    expect(out.split() == ["190", "7"], out)
    expect("was let through" not in (job.work / "turns.json").read_text(), "a rank has waited for its turn for ten seconds")


def check_virtual_clocks(job):
    """--virtual-clocks: clock_gettime, gettimeofday and their kin tell what MPI_Wtime does, and go on where they were."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "clocks", HERE / "clocks.c")
    _, said = job.refuse("--virtual-clocks")
    expect("--virtual-clocks without --coupled" in said, said)
    _, said = job.refuse("--coupled", "--virtual-clocks", "--real-wtime")
    expect("expected one of them" in said, said)
    job.run(need(f"mpifort.{job.mpi}"), "-O2", "-rdynamic", "-o", "clocks_f", HERE / "clocks.f90")
    for program, network, virtual in (("./clocks", "slow", True), ("./clocks_f", "slow", True), ("./clocks", "slow", False),
                                      ("./clocks", "quick", True)):
        asked = ["--virtual-clocks"] if virtual else []
        out, _ = job.launch("--coupled", *asked, "--platform", f"{network}.xml", "--json", "clocks.json", program=program, ranks=2)
        found = {}
        for kind, *words in map(str.split, out.splitlines()):
            found.setdefault(kind, []).append([float(word) for word in words])
        message_s = MEGABYTE_S[network]
        for by, least, most in found["message"]:
            expect(message_s <= least and (least - 2e-6 <= by <= most + 2e-6 if virtual else by < 0.9), f"{program}, virtual {virtual}:\n{out}")
        # What came behind the last look counts, too.
        expect(all(passed >= (message_s if virtual else 0) for passed, in found["end"]), f"{program}:\n{out}")
        if program != "./clocks":
            continue
        expect(all(ended == 1 and waited >= 0.1 - 2e-6 for ended, waited in found["timedwait"]), f"a wait of 0.1 s:\n{out}")
        expect(all(at_init > 0 for at_init, _ in found["clock"]), f"a clock went back at MPI_Init\n{out}")
        expect(all(passed >= message_s for passed, in found.get("wtime", ())), f"MPI_Wtime did not go on behind MPI_Finalize\n{out}")
        if virtual:
            expect(all(by >= 0.25 - 2e-6 and least - 2e-6 <= by <= most + 2e-6 for by, least, most in found["wait"]), out)
            predicted = job.report("clocks")["time_s"]
            expect(all(whole > predicted - 0.05 for _, whole in found["clock"]), f"predicted {predicted} s\n{out}")
    # A rank that is pushed aside between its look and its wait waits longer by the machine's time.
    with busy_cores():
        out, _ = job.launch("--coupled", "--virtual-clocks", "--platform", "quick.xml", program="./clocks", ranks=2)
    [(_, ended, waited)] = [words for words in map(str.split, out.splitlines()) if words[0] == "timedwait"]
    expect(ended == "1" and float(waited) >= 0.1 - 2e-6, f"a wait of 0.1 s:\n{out}")
    # Where virtual time is slower than the machine's, or stands still while a rank sleeps, waits come to an end as well.
    for options, variables in ((["--relative-speed", "2"], {}), ([], {"FARCAST_CPU_CLOCK": "1"})):
        out, _ = job.launch("--coupled", "--virtual-clocks", *options, "--platform", "quick.xml", program="./clocks", ranks=2, **variables)
        expect([words[1] for words in map(str.split, out.splitlines()) if words[0] == "timedwait"] == ["1"], f"{options} {variables}:\n{out}")


def check_regions(job):
    """--regions: who computed beside a region is known without another rank's next call, which may wait for the answer to this one."""
    (job.work / "regions.csv").write_text('"start:stop","ratio"\n"choices.c:1:choices.c:2",2\n')
    for network, (_, first) in NETWORKS.items():
        for isolated in ([], ["--isolate", "1"]):
            out, _ = job.launch("--coupled", *isolated, "--regions", "regions.csv", "--platform", f"{network}.xml")
            expect([(name, came) for name, came, _ in cases(out)] == [(name, first) for name in NAMES], f"{network} {isolated}:\n{out}")


def check_accessed(job):
    """Who writes into a window gives its core away, uncoupled where cores are few; its target alone looks. (Open MPI's give it away anyway.)"""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "accessed", HERE / "accessed.c")
    out, _ = job.launch("--coupled", "--platform", "quick.xml", program="./accessed")
    written, others, own = map(int, out.split())
    expect(written == 200, out)
    if "libucp" not in job.run("ldd", "./accessed")[0]:
        return
    expect(others == 0, f"the two ranks that wait gave their core away {others} times")
    expect(own > 0, "the rank that waits for its target kept its core")
    _, _, own = map(int, job.launch(program="./accessed")[0].split())
    crowded = RANKS > os.cpu_count()
    expect((own > 0) == crowded, f"{RANKS} ranks on {os.cpu_count()} cores: rank 0 gave its core away {own} times")


def check_collectives(job):
    """Every collective, blocking and not, gives the data that it gives without farcast, whoever leaves it early."""
    for name, words in (("collectives", ()), ("started", ("-I", HERE))):
        job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", name, HERE / f"{name}.c", *words)
        for ranks in (4, 5):
            expected, _ = job.launch(program=f"./{name}", ranks=ranks, plain=True)
            expect(len(expected.splitlines()) == 10 * ranks, expected)
            for network in NETWORKS:
                out, _ = job.launch("--coupled", "--platform", f"{network}.xml", program=f"./{name}", ranks=ranks)
                expect(out == expected, f"{name}, {network}, {ranks} ranks: expected\n{expected}\ngot\n{out}")


def check_free_and_coupled(job):
    """Where nothing hangs on time, a coupled run is predicted to the last bit as one that ran freely."""
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-rdynamic", "-o", "halo", HERE / "halo.c")
    seen = set()
    for coupled in ([], *[["--coupled"]] * job.rounds):
        job.launch(*coupled, "--platform", "slow.xml", "--json", "halo.json", program="./halo", FARCAST_FIXED_CLOCK="2000")
        seen.add(json.dumps(job.report("halo"), sort_keys=True))
    expect(len(seen) == 1, f"{len(seen)} predictions differ:\n" + "\n".join(seen))


def check_real_wtime(job):
    """--real-wtime: the program's clock stays the machine's, whatever its messages take on the platform."""
    (job.work / "crawl.xml").write_text(PLATFORM.format(bandwidth="1kBps"))  # a megabyte takes 1,000 s
    out, _ = job.launch("--coupled", "--real-wtime", "--platform", "crawl.xml", "--json", "crawl.json")
    found = cases(out)
    expect(all(first == 2 for _, first, _ in found), out)
    expect(all(seconds < 100 for _, _, seconds in found), out)
    expect(job.report("crawl")["time_s"] > 1000 * len(NAMES), "the platform's time is not the prediction's")
    for option in ("--real-wtime", "--one-thread"):
        _, said = job.refuse(option)
        expect(f"{option} without --coupled" in said, said)


def check_again(job):
    """What was recorded is predicted again, and elsewhere."""
    for network in NETWORKS:
        job.run(job.farcast, "predict", f"{network}.h5", "-p", f"{network}.xml", "--json", "again.json")
        coupled, again = job.report(network)["time_s"], job.report("again")["time_s"]
        expect(abs(coupled - again) < 0.02 * coupled, f"{network}: coupled {coupled} s, predicted again {again} s")


def check_refused_and_ended(job):
    """What cannot be answered is refused; who waits for ever is told so, and nobody hangs."""
    _, said = job.refuse("--coupled", "--no-predict")
    expect("--coupled with --no-predict" in said, said)
    out, _ = job.launch("--platform", "quick.xml", FARCAST_COUPLED="yes")
    expect([first for _, first, _ in cases(out)] == [1] * len(NAMES), out)
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-o", "levels", HERE / "levels.c")
    out, said = job.launch("--coupled", "--platform", "quick.xml", "--full", program="./levels", ranks=2)
    expect(out == "2\n" and "several threads may call MPI" in said, f"{out}\n{said}")
    job.run(need(f"mpicc.{job.mpi}"), "-O2", "-o", "forever", HERE / "forever.c")
    try:
        job.launch("--coupled", "--platform", "quick.xml", program="./forever", ranks=2)
    except Failure as failure:
        expect("all ranks wait for one another" in str(failure), str(failure))
    else:
        raise Failure("a program that waits for ever came to its end")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_paths, check_by_hand, check_beside_simgrid, check_together, check_clock, check_polling, check_late, check_agreements, check_early, check_spawned, check_away, check_ahead, check_turns, check_virtual_clocks, check_regions, check_accessed, check_collectives, check_free_and_coupled, check_real_wtime, check_again, check_refused_and_ended), __doc__, mpi=True))
