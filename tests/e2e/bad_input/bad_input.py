#!/usr/bin/env python3
"""Bad input: each command line is refused with one sentence that names what was found, exit code 2, and no file left behind.

    bad_input.py FARCAST
"""
import os
import pathlib
import subprocess
import sys
import tempfile

CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="{radical}" speed="{speed}" core="2" bw="1GBps" lat="10us"/>
</platform>
"""
FILES = {
    "good.xml": CLUSTER.format(radical="0-3", speed="1Gf"),
    "speed.xml": CLUSTER.format(radical="0-3", speed="fast"),
    "cut.xml": CLUSTER.format(radical="0-3", speed="1Gf")[:150],
    "torus.xml": CLUSTER.format(radical="0-3", speed="1Gf").replace("core=", 'topology="TORUS" topo_parameters="2,2,2" core='),
    "empty.xml": "",
    "hosts": "n0\nn9\n",
    "slots": "n0 slots=many\n",
    "text.h5": "this is no HDF5 file\n",
    "empty.h5": "",
    # TI traces, all ranks in one file
    "deadlock.ti": "0 init\n1 init\n0 recv 1 0 8\n1 recv 0 0 8\n0 finalize\n1 finalize\n",
    "mismatch.ti": "0 init\n1 init\n0 barrier\n1 bcast 8\n0 finalize\n1 finalize\n",
    "short.ti": "0 init\n1 init\n0 finalize\n1 compute 5\n",
    "unknown.ti": "0 init\n0 dance 1\n0 finalize\n",
    "rank.ti": "0 init\n0 send 7 0 8\n0 finalize\n",
    "root.ti": "0 init\n1 init\n0 bcast 8 0\n1 bcast 8 1\n0 finalize\n1 finalize\n",
    "sited.ti": "0 init\n1 init\n0 location ring.c 12\n0 recv 1 0 8\n1 finalize\n0 finalize\n",
    "half.ti": "0 init\n1 init\n0 barrier\n1 finalize\n0 finalize\n",
    "comm.ti": "0 init\n0 barrier@2\n0 finalize\n",
    "request.ti": "0 init\n0 wait#4\n0 finalize\n",
    "modifier.ti": "0 init\n0 barrier@x\n0 finalize\n",
    "number.ti": "0 init\n0 compute lots\n0 finalize\n",
    # TI traces with a file per rank
    "two": "r0.ti\nr1.ti\n",
    "r0.ti": "0 init\n0 barrier\n0 reduce 8 0 0\n0 finalize\n",
    "r1.ti": "1 init\n# a comment\n1 barrier\n1 allreduce 8 0\n1 finalize\n",
    "cut": "r0.ti\nc1.ti\n",
    "c1.ti": "1 init\n1 barr",
    "behind.ti": "0 init\n0 finalize\n0 compute 5\n",
    "twice.ti": "0 init\n0 init\n0 finalize\n",
    "latency.xml": CLUSTER.format(radical="0-3", speed="1Gf").replace("10us", "1e308"),
    "bandwidth.xml": CLUSTER.format(radical="0-3", speed="1Gf").replace("1GBps", "1e-300"),
    "plain": "no program\n",
    "kask": "a file that is called like a built-in platform\n",
    "a,b.xml": CLUSTER.format(radical="0-3", speed="1Gf"),
    "like_a_run.h5": b"\x89HDF\r\n\x1a\n and no more",
    "devices": "/dev/zero\n",
    "lost": "r0.ti\nnowhere.ti\n",
    # slowdowns of regions
    "bad.csv": '"start:stop","ratio"\n"a.c:1:a.c:2",fast\n',
    "zero.csv": '"a.c:1:a.c:2",0\n',
    "header.csv": '"start:stop","ratio"\n',
    "cut.csv": '"start:stop","ratio"\n"a.c:1:a.c',
}
# (arguments, exit code, what the sentence must contain)
CASES = [
    (["exec", "--platfrom", "taurus", "--", "true"], 2, ["--platfrom"]),
    (["frobnicate"], 2, ["frobnicate", "predict"]),
    ([], 2, ["Usage: farcast", "Examples:", "farcast whatif run.h5"]),
    (["pradict"], 2, ["found 'farcast pradict'", "did you mean predict?"]),
    (["help", "pradict"], 2, ["did you mean predict?"]),
    (["platform", "shw", "taurus"], 2, ["found 'farcast platform shw'", "did you mean show?"]),
    (["calibrate", "netwrk"], 2, ["did you mean network?"]),
    (["predict", "text.h5", "--botlenecks"], 2, ["found '--botlenecks'", "did you mean --bottlenecks?"]),
    (["trace", "text.h5", "--to", "perfeto", "-o", "x"], 2, ["found 'perfeto', expected one of ti, goal,", "did you mean perfetto?"]),
    (["predict", "txt.h5"], 2, ["cannot read 'txt.h5': No such file or directory; did you mean text.h5?"]),
    (["predict", "nowhere/text.h5"], 2, ["there is no folder 'nowhere'"]),
    (["exec", "--hostfile", "hots", "--", "true"], 2, ["hots: No such file or directory; did you mean hosts?"]),
    (["exec", "--platform", "god.xml", "--", "true"], 2, ["god.xml", "did you mean good.xml?"]),
    (["predict", "text.h5", "--json", "nowhere/r.json"], 2, ["cannot write 'nowhere/r.json': there is no folder"]),
    (["predict", "text.h5", "--report", "nowhere/r"], 2, ["cannot write 'nowhere/r': there is no folder"]),
    (["run", "-np", "1", "-o", "nowhere/r.h5", "--", "true"], 2, ["cannot write 'nowhere/r.h5': there is no folder"]),
    (["whatif", "text.h5", "--csv", "nowhere/r.csv"], 2, ["cannot write 'nowhere/r.csv': there is no folder"]),
    (["replay", "like_a_run.h5"], 2, ["like_a_run.h5 is a recorded run", "farcast predict like_a_run.h5", "farcast convert"]),
    (["platform", "new", "--nodes", "4", "--cores", "2", "--bandwidth", "1GBps", "--latency", "soon", "-o", "new.xml"], 2, ["--latency", "soon"]),
    (["platform", "new", "--nodes", "4", "--cores", "2", "--bandwidth", "1GBps", "--latency", "1ns", "-o", "new.xml"], 2,
     ["--latency: found 1.000 ns, expected at least the 16.00 ns"]),
    (["platform", "new", "--nodes", "4", "--cores", "2", "--bandwidth", "1GBps", "--latency", "1us", "-o", "good.xml"], 2, ["good.xml is there already"]),
    (["platform", "new", "--nodes", "4", "--cores", "2", "--bandwidth", "1GBps", "--latency", "1us", "--watts", "9,5", "-o", "new.xml"], 2, ["--watts", "9,5"]),
    (["platform", "new", "--nodes", "4", "--cores", "2", "--bandwidth", "1GBps", "--latency", "1us", "--watts", "95:220", "-o", "new.xml"], 2,
     ["--watts: found '95:220', expected IDLE,COMPUTING"]),
    (["platform", "new", "--cores", "2"], 2, ["--nodes is required", "(farcast platform new --help)"]),
    (["compare", "text.h5"], 2, ["found 1 run file, expected two: farcast compare BEFORE.h5 AFTER.h5"]),
    (["compare", "text.h5", "a.h5", "b.h5"], 2, ["found 3 run files, expected two"]),
    (["exec"], 2, ["program"]),
    (["exec", "-o", "runs/", "--", "true"], 2, ["cannot write '", "runs/': it names a directory"]),
    (["exec", "--json", "/tmp", "--", "true"], 2, ["cannot write '/tmp': it names a directory"]),
    (["exec", "--platform", "kask", "--", "true"], 0, []),
    (["exec", "--platform", "a,b.xml", "--", "true"], 2, ["a,b.xml", "found a comma"]),
    (["exec", "--stack", "none", "--", "true"], 2, ["none"]),
    (["exec", "--stack", "99", "--", "true"], 2, ["99"]),
    (["exec", "--map-by", "socket", "--", "true"], 2, ["socket"]),
    (["exec", "--relative-speed", "-1", "--", "true"], 2, ["-1", "above 0"]),
    (["exec", "--host-speed", "fast", "--", "true"], 2, ["--host-speed", "fast", "18.4Gf"]),
    (["exec", "--frequency", "0", "--", "true"], 2, ["--frequency", "above 0"]),
    (["exec", "--frequency", "2.8", "--", "true"], 2, ["--frequency", "2.8 GHz", "taurus", "2.3, 2.2"]),
    (["exec", "--platform", "tarus", "--", "true"], 2, ["tarus", "taurus"]),
    (["exec", "--platform", "missing.xml", "--", "true"], 2, ["missing.xml"]),
    (["exec", "--platform", "speed.xml", "--", "true"], 2, ["speed.xml", "fast", "speed"]),
    (["exec", "--platform", "cut.xml", "--", "true"], 2, ["cut.xml"]),
    (["exec", "--platform", "torus.xml", "--", "true"], 2, ["torus.xml:4", "topo_parameters", "8 hosts, expected 4"]),
    (["exec", "--platform", "empty.xml", "--", "true"], 2, ["empty.xml"]),
    (["exec", "--platform", "good.xml", "--hostfile", "hosts", "--", "true"], 2, ["hosts", "n9"]),
    (["exec", "--platform", "good.xml", "--hostfile", "slots", "--", "true"], 2, ["slots", "many"]),
    (["exec", "--platform", "good.xml", "--hostfile", "nowhere", "--", "true"], 2, ["nowhere"]),
    (["exec", "--json", "nowhere/r.json", "--", "true"], 2, ["nowhere"]),
    (["exec", "-o", "nowhere/r.h5", "--", "true"], 2, ["nowhere"]),
    (["exec", "--", "./no-such-program"], 127, ["no-such-program"]),
    (["exec", "--", "./plan"], 127, ["./plan: no such program; did you mean ./plain?"]),
    (["run", "-np", "1", "--", "./plan"], 127, ["./plan: no such program; did you mean ./plain?"]),
    (["run", "-np", "0", "--", "true"], 2, ["0"]),
    (["run", "-np", "9", "--platform", "good.xml", "--", "true"], 2, ["8 cores", "9"]),
    (["run", "-np", "2", "--launcher", "no-such-mpirun", "--", "true"], 2, ["no-such-mpirun"]),
    (["predict", "nowhere.h5"], 2, ["nowhere.h5"]),
    (["predict", "text.h5"], 2, ["text.h5", "HDF5"]),
    (["predict", "empty.h5"], 2, ["empty.h5"]),
    (["predict", "text.h5", "--json", "out.json"], 2, ["text.h5"]),
    (["predict", "text.h5", "--collectives", "openmpy"], 2, ["openmpy", "openmpi"]),
    (["exec", "--regions", "nowhere.h5", "--", "true"], 2, ["nowhere.h5"]),
    (["exec", "--regions", "bad.csv", "--", "true"], 2, ["bad.csv:2: found", "fast", "ratio above 0"]),
    (["exec", "--regions", "zero.csv", "--", "true"], 2, ["zero.csv:1", "ratio above 0"]),
    (["exec", "--regions", "header.csv", "--", "true"], 2, ["header.csv", "no line"]),
    (["exec", "--regions", "cut.csv", "--", "true"], 2, ["cut.csv:2"]),
    (["exec", "--regions", "empty.h5", "--", "true"], 2, ["empty.h5", "an empty file"]),
    (["exec", "--regions", "text.h5", "--", "true"], 2, ["text.h5:1: found 'this is no HDF5 file'"]),
    (["exec", "--isolate", "0", "--", "true"], 2, ["--isolate", "0"]),
    (["exec", "--isolate", "some", "--", "true"], 2, ["--isolate", "some"]),
    (["calibrate", "regions", "--", "true"], 2, ["--np"]),
    (["calibrate", "regions", "-np", "2"], 2, ["program"]),
    (["calibrate", "regions", "-np", "2", "-o", "nowhere/r.h5", "--", "true"], 2, ["nowhere/r.h5"]),
    (["calibrate", "regions", "-np", "1", "--co-runners", "2", "--", "true"], 2, ["--co-runners 2", "at most 1"]),
    (["calibrate", "regions", "-np", "1", "--companies", "2", "--", "true"], 2, ["--co-runners 2", "at most 1"]),  # the former name
    (["calibrate", "regions", "-np", "2", "--repeat", "0", "--", "true"], 2, ["--repeat", "0"]),
    (["calibrate", "regions", "-np", "2", "--", "./no-such-program"], 127, ["no-such-program"]),
    (["collectives", "--np", "8", "--op", "allreduse"], 2, ["allreduse", "allreduce"]),
    (["replay", "nowhere.ti", "--realisations", "0"], 2, ["--realisations", "0 not in range 1 to"]),
    (["predict", "nowhere.h5", "--realisations", "many"], 2, ["--realisations", "many not in range 1 to"]),
    (["replay", "half.ti", "--p2p", "channel", "--realisations", "3"], 2, ["half.ti:3: deadlock at", "1 of 2 ranks"]),
    (["replay", "deadlock.ti", "-p", "taurus", "-p", "galera"], 2, ["farcast: deadlock.ti:3: deadlock at", "2 of 2 ranks"]),
    (["replay", "mismatch.ti", "-p", "taurus", "-p", "galera"], 2, ["mismatch.ti:4: rank 1: bcast with root 0"]),
    (["replay", "nowhere.ti"], 2, ["nowhere.ti"]),
    (["replay", "deadlock.ti"], 2, ["farcast: deadlock.ti:3: deadlock at", "2 of 2 ranks", "deadlock.ti:3: rank 0 is blocked in a receive from rank 1, tag 0",
                                    "deadlock.ti:4: rank 1 is blocked in a receive from rank 0, tag 0"]),
    (["replay", "half.ti"], 2, ["farcast: half.ti:3: deadlock at", "1 of 2 ranks", "half.ti:3: rank 0 is blocked in a collective"]),
    (["replay", "sited.ti"], 2, ["sited.ti:4: rank 0 is blocked in a receive from rank 1, tag 0", "at call site ring.c:12"]),
    (["replay", "mismatch.ti"], 2, ["mismatch.ti:4: rank 1: bcast with root 0 is collective number 1 of all ranks, but rank 0 calls barrier "
                                    "there (mismatch.ti:3)"]),
    (["replay", "root.ti"], 2, ["root.ti:4: rank 1: bcast with root 1", "rank 0 calls bcast with root 0 there (root.ti:3)"]),
    (["replay", "two"], 2, ["r1.ti:4: rank 1: allreduce is collective number 2", "rank 0 calls reduce with root 0 there (r0.ti:3)"]),
    (["replay", "cut"], 2, ["c1.ti:2: rank 1", "'barr' is unknown"]),
    (["replay", "lost"], 2, ["lost:2: the trace 'nowhere.ti' does not exist", "rank 1"]),
    (["replay", "comm.ti"], 2, ["comm.ti:2: rank 0: barrier is on communicator 2, which this rank has not defined"]),
    (["replay", "request.ti"], 2, ["request.ti:2: rank 0: wait names request 4, which was never started"]),
    (["replay", "modifier.ti"], 2, ["modifier.ti:2: rank 0: found '@x' behind barrier"]),
    (["replay", "number.ti"], 2, ["number.ti:2: rank 0: argument 1 of compute is 'lots', expected a number"]),
    (["replay", "short.ti"], 2, ["short.ti:4: rank 1", "cut short"]),
    (["replay", "unknown.ti"], 2, ["unknown.ti:2: rank 0", "dance"]),
    (["convert", "text.h5", "--to", "ti", "-o", "out"], 2, ["text.h5", "HDF5"]),
    (["convert", "text.h5", "--to", "vampir", "-o", "out"], 2, ["vampir", "goal"]),
    (["convert", "text.h5", "-o", "out"], 2, ["--to"]),
    (["trace", "text.h5", "--to", "csv", "-o", "out"], 2, ["text.h5", "HDF5"]),
    (["trace", "text.h5", "--to", "goal", "--ppn", "2", "-o", "out"], 2, ["--ppn", "perfetto"]),
    (["convert", "text.h5", "--to", "goal", "--plain", "-o", "out"], 2, ["--plain", "GOAL"]),
    (["convert", "text.h5", "--to", "ti", "--host-speed", "quick", "-o", "out"], 2, ["--host-speed", "quick"]),
    (["replay", "behind.ti"], 2, ["behind.ti:3: rank 0: found a line behind finalize"]),
    (["replay", "twice.ti"], 2, ["twice.ti:2: rank 0: init comes a second time"]),
    (["exec", "--platform", "latency.xml", "--", "true"], 2, ["latency.xml:4", "attribute lat", "1e308"]),
    (["exec", "--platform", "bandwidth.xml", "--", "true"], 2, ["bandwidth.xml:4", "attribute bw", "1e-300"]),
    (["exec", "--relative-speed", "1e-300", "--", "true"], 2, ["1e-300", "expected a number above 0"]),
    (["exec", "--", "./plain"], 126, ["farcast: ./plain: is not executable: Permission denied"]),
    (["exec", "--", "./"], 126, ["farcast: ./: is a folder"]),
    (["run", "-np", "1", "--", "./plain"], 126, ["farcast: ./plain: is not executable: Permission denied"]),
    (["calibrate", "regions", "-np", "1", "--", "./plain"], 126, ["farcast: ./plain: is not executable: Permission denied"]),
    # devices, which may never end
    (["replay", "/dev/zero"], 2, ["/dev/zero", "found a device, expected a regular file or a pipe"]),
    (["replay", "devices"], 2, ["devices:1", "/dev/zero", "no regular file"]),
    (["calibrate", "check", "/dev/zero"], 2, ["/dev/zero", "found a device"]),
    (["calibrate", "speed", "/dev/zero"], 2, ["/dev/zero", "found a device"]),
    (["calibrate", "speed", "/dev/zero", "--against", "/dev/zero"], 2, ["/dev/zero", "found a device"]),
    (["exec", "--platform", "/dev/zero", "--", "true"], 2, ["/dev/zero", "found a device"]),
    (["exec", "--hostfile", "/dev/zero", "--", "true"], 2, ["/dev/zero", "found a device"]),
    (["exec", "--regions", "/dev/zero", "--", "true"], 2, ["/dev/zero", "found a device"]),
    (["predict", "/dev/zero"], 2, ["/dev/zero", "not a regular file"]),
    (["replay", "rank.ti", "--json", "out.json"], 2, ["rank.ti:2: rank 0", "7"]),
]

# What `farcast run` has put into the environment of a rank holds for its exec, too: 200 ranks have no room on taurus, the default.
RANK = {"OMPI_COMM_WORLD_SIZE": "200", "OMPI_COMM_WORLD_RANK": "0"}
LAUNCHED = [
    ([], {}, 2, ["found 192 cores on 16 hosts of platform taurus, expected at least 200"]),
    ([], {"FARCAST_PLATFORM": "galera+"}, 0, []),
    ([], {"FARCAST_PLATFORM": "galear+"}, 2, ["galear+", "did you mean galera+"]),
    ([], {"FARCAST_PPN": "many"}, 2, ["the variable FARCAST_PPN"]),
    ([], {"FARCAST_PLATFORM": "galera+", "FARCAST_ON_FAULT": "end"}, 2, ["--on-fault without --coupled"]),
    (["--on-fault", "continue"], {"FARCAST_PLATFORM": "galera+", "FARCAST_ON_FAULT": "end"}, 0, []),
    (["--map-by", "core"], {"FARCAST_PLATFORM": "galera+", "FARCAST_MAP_BY": "socket"}, 0, []),
    ([], {"FARCAST_PPN": "many", "FARCAST_OFF": "1"}, 0, []),
]


def main(farcast):
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, text in FILES.items():
            (work / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        before = sorted(os.listdir(work))
        launched = [(["exec", *options, "--", "true"], code, words, {**RANK, **more}) for options, more, code, words in LAUNCHED]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("FARCAST_")}
        for arguments, code, words, more in [(*case, {}) for case in CASES] + launched:
            done = subprocess.run([farcast, *arguments], cwd=work, capture_output=True, text=True, timeout=60, env={**clean, **more})
            lacks = [word for word in words if word not in done.stderr]
            ok = done.returncode == code and not lacks and not done.stdout and sorted(os.listdir(work)) == before
            name = " ".join([*(f"{name}={value}" for name, value in more.items()), "farcast", *arguments])
            print(f"{'ok' if ok else 'FAILED'}: {name} -> {done.returncode}: {done.stderr.strip()}")
            if not ok:
                faults += 1
                print(f"  expected exit code {code}, a sentence with {words}, nothing on stdout, no new file; stdout: {done.stdout!r}")
        # Where nobody hears what is wrong, the exit code tells, and the program runs; what was asked for and not written is a fault.
        full, closed = "2>/dev/full", "2>&-"
        streams = [(f"predict nope.h5 {full}", 2), (f"predict nope.h5 {closed}", 2), (f"nonsense {full}", 2), ("platforms >/dev/full", 1),
                   ("platforms >&-", 1), (f"exec -- true {full}", 0)]
        for line, code in streams:
            done = subprocess.run(["sh", "-c", f'"$0" {line}', farcast], cwd=work, capture_output=True, text=True, timeout=60, env=clean)
            told = done.returncode == code and (code != 1 or "cannot write to standard output: " in done.stderr)
            faults += not told
            print(f"{'ok' if told else 'FAILED'}: farcast {line} -> {done.returncode}, expected {code}: {done.stderr.strip()}")
    print(f"{len(CASES) + len(LAUNCHED) + len(streams) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
