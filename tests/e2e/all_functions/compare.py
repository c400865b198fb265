#!/usr/bin/env python3
"""Compares the calls that farcast recorded with those that the generator knows.

    compare.py EXPECTED.json FARCAST.json      FARCAST.json: farcast's report, its `calls` is {function: count over all ranks}

Prints a line per function whose counts differ, functions that only one side has among them. Exit code 0: no difference; 1: some;
2: a file cannot be read.
"""
import json
import sys


def differences(expected, recorded):
    """Returns: [(function, expected count, recorded count)] of those that differ."""
    names = sorted(set(expected) | set(recorded))
    rows = [(name, expected.get(name, 0), recorded.get(name, 0)) for name in names]
    return [row for row in rows if row[1] != row[2]]


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(arguments[0]) as file:
            expected = json.load(file)
        with open(arguments[1]) as file:
            recorded = json.load(file)["calls"]
    except (OSError, ValueError, KeyError) as error:
        print(f"compare.py: {arguments[0]}, {arguments[1]}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    found = differences(expected, recorded)
    for name, wanted, seen in found:
        print(f"{name}: {wanted} calls were made, {seen} are recorded")
    print(f"{len(expected)} functions, {sum(expected.values())} calls, {len(found)} functions differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
