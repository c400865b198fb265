#!/usr/bin/env python3
"""Brings a bottle of two hosts up, runs patterns in it, and takes it down: everything must be delivered, and nothing left behind."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

CANNOT = 77


class Bottle:
    def __init__(self, arguments, state):
        self.words = [sys.executable, "-B", arguments.bottle, "--build", arguments.build]
        self.environment = dict(os.environ, BOTTLE_STATE=state)

    def __call__(self, *words, environment=None):
        return subprocess.run([*self.words, *map(str, words)], capture_output=True, text=True, timeout=60,
                              env=environment or self.environment)


def expect(condition, what, done=None):
    if condition:
        return
    print(f"failed: {what}")
    if done is not None:
        print(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    sys.exit(1)


def hosts():
    done = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True)
    return [line.split()[0] for line in done.stdout.splitlines() if line.startswith("bottle")]


def check_refusals(bottle):
    for words in (["up", 1, 1000, 100], ["up", 2, 0, 100], ["up", 2, 1000, -5], ["run", 2], ["turn"]):
        done = bottle(*words)
        expect(done.returncode == 2, f"`bottle {' '.join(map(str, words))}` is refused", done)
    done = bottle("run", 2, "--", "true")
    expect(done.returncode == 1 and "no bottle" in done.stderr, "`run` without a bottle says so", done)


def check_failure_cleans_up(bottle, arguments):
    """A switch that does not come up must leave no host behind."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bottle"))
        broken = os.path.join(folder, "bottle", "farcast_bottle_switch")
        with open(broken, "w") as file:
            file.write("#!/bin/sh\necho broken >&2\nexit 1\n")
        os.chmod(broken, 0o755)
        words = [sys.executable, "-B", arguments.bottle, "--build", folder, "up", "2", "1000", "100"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=bottle.environment)
        expect(done.returncode == 1 and "broken" in done.stderr, "a switch that fails is reported", done)
        expect(not hosts(), f"no host is left after a failure: {hosts()}")
        expect(not os.path.exists(bottle.environment["BOTTLE_STATE"]), "no state is left after a failure")


def check_patterns(bottle, probe):
    for pattern, repetitions, size, messages in (("ping_pong", 20, 1, 1), ("ping_pong", 3, 300000, 1), ("both_ways", 2, 1000000, 1),
                                                 ("in_flight", 3, 1024, 64), ("halo", 2, 65536, 3), ("allreduce", 3, 8, 5)):
        done = bottle("run", 2, "--", probe, pattern, repetitions, size, messages)
        expect(done.returncode == 0, f"{pattern} of {size} bytes runs", done)
        result = json.loads(done.stdout)
        expect(0 < result["switch"] and 0 < result["cores"], f"{pattern} says how busy the cores were", done)
        expect(result["delivered"] is True and result["bytes"] == size and len(result["seconds"]) == 2, f"{pattern} delivers", done)
    # Latency is never shorter than asked for: that much of timing holds on any machine.
    done = bottle("run", 2, "--", probe, "ping_pong", 20, 1)
    expect(json.loads(done.stdout)["seconds"][0] >= 100e-6, "a way takes the latency", done)


def check_cores(bottle):
    """The switch has a core of its own, where there is more than one."""
    done = bottle("run", 2, "--", sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))")
    with open(os.path.join(bottle.environment["BOTTLE_STATE"], "bottle.json")) as file:
        switch = json.load(file)["switch"]
    cores = sorted(os.sched_getaffinity(0))
    expect(os.sched_getaffinity(switch) == {cores[-1]}, f"the switch has the last core: {os.sched_getaffinity(switch)}")
    expect(done.stdout.splitlines() == 2 * [str(cores[:-1] or cores)], "ranks have the others", done)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bottle", required=True)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()
    probe = os.path.join(arguments.build, "bottle", "farcast_bottle_probe")
    with tempfile.TemporaryDirectory() as folder:
        bottle = Bottle(arguments, os.path.join(folder, "state"))
        if hosts():
            print(f"skipped: somebody's bottle is up: {', '.join(hosts())}")
            return CANNOT
        check_refusals(bottle)
        done = bottle("up", 2, 1000, 100)
        if done.returncode == CANNOT:
            print(f"skipped: {done.stderr.strip()}")
            return CANNOT
        expect(done.returncode == 0, "a bottle comes up", done)
        try:
            expect(sorted(hosts()) == ["bottle0", "bottle1"], f"two hosts: {hosts()}")
            done = bottle("up", 2, 1000, 100)
            expect(done.returncode == 1 and "already" in done.stderr, "a second bottle is refused", done)
            check_patterns(bottle, probe)
            check_cores(bottle)
            done = bottle("run", 2, "--", "sh", "-c", "exit 3")
            expect(done.returncode == 3, "the program's exit code comes through", done)
            done = bottle("stat")
            expect(done.returncode == 0 and json.loads(done.stdout)["frames"] > 100, "the switch counts frames", done)
            carried = json.loads(done.stdout)
            expect(carried["taking_s"] > 0 and carried["giving_s"] > 0, "the switch times frames", done)
        finally:
            done = bottle("down")
        expect(done.returncode == 0 and not hosts(), f"nothing is left: {hosts()}", done)
        check_failure_cleans_up(bottle, arguments)
        expect(bottle("down").returncode == 0, "`down` without a bottle does nothing")
    print("delivered, and nothing left behind")
    return 0


if __name__ == "__main__":
    sys.exit(main())
