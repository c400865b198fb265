"""What scripts that check a run of their own share: how they fail, and how they do without what is not installed."""
import shutil
import sys

SKIPPED = 77  # the exit code that ctest is told to take for "not run"


class Failure(Exception):
    """The text says what did not hold."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def need(name):
    """Returns: where the program is; ends the test as skipped where it is not installed."""
    path = shutil.which(name)
    if not path:
        print(f"{name} is not installed")
        sys.exit(SKIPPED)
    return path
