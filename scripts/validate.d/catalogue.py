"""The programs of `scripts/validate programs`: the repository's own (tests/programs) and Debian's, with the sizes they run at.

Own programs compute on 2 hosts, where each rank has a core; on more hosts their computation is a sleep, for the machine has not as
many cores. Sizes are such that a run takes about a second on the networks of a bottle.
"""

import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "programs"))
import build  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
DEBIAN_INPUTS = ROOT / "scripts" / "real_programs.d"

# name -> steps, units of work on 2 hosts (--work), seconds of sleep on more (--sleep). Without a size: the program's default.
OWN = {
    "bodies": (12, 6000, 0.012),
    "cg": (2, 2500, 0.006),
    "cube": (40, 4000, 0.010),
    "ft": (10, 7000, 0.020),
    "hybrid": (30, 4000, 0.012),
    "is": (4, 12000, 0.040),
    "mg": (10, 1500, 0.008),
    "overlap": (30, 200, 0.015),
    "panels": (24, 9000, 0.020),
    "particles": (30, 2500, 0.010),
    "reductions": (30, 4000, 0.012),
    "tasks": (40, 5000, 0.020),
    "wavefront": (10, 250, 0.003),
}
# name here -> its description in real_programs.d, other input, what is replaced in the command
DEBIAN = {
    "hpcc": ("hpcc", None),
    "lmp-melt": ("lmp", "in.melt"),
    "lmp-salt": ("lmp", "in.salt"),
    "pw.x": ("pw.x", None),
    "nwchem": ("nwchem", None),
    "xdllt": ("xdllt", None),
}
# What makes a run a few seconds long on this machine itself, where no network slows it down: own programs' steps, and what is
# replaced in Debian's inputs. In less, a few hundredths of a second of start-up are more than what is to be judged.
LONGER_STEPS = 6
LONGER = {
    "hpcc": [("800          N\n", "1600         N\n")],
    "lmp-melt": [("run             400", "run             3000")],
    "lmp-salt": [("run             60", "run             600")],
    "pw.x": [("ecutwfc = 36.0", "ecutwfc = 60.0"), ("3 3 3 1 1 1", "6 6 6 1 1 1")],
    "nwchem": [("6-31g*", "cc-pvqz")],
    "xdllt": [("2               how many matrix sizes\n300 500 ", "16              how many matrix sizes\n" + "600 " * 16)],
}
BURNING_HOSTS = 2  # the machine's cores


class Program:
    """name; hosts: numbers of hosts that it can run on; command(hosts): words; files: copied to where it runs; changes: what is
    replaced in them, (old, new); prepare: run before."""

    def __init__(self, name):
        self.name = name
        self.own = name in OWN
        self.files, self.prepare, self.stdin = [], [], None
        self.steps_factor, self.changes = 1, []
        if not self.own:
            self._describe(*DEBIAN[name])

    def _describe(self, description, other_input):
        found = json.loads((DEBIAN_INPUTS / f"{description}.json").read_text())
        self._command = list(found["command"])
        self.files = [DEBIAN_INPUTS / name for name in found.get("files", [])]
        if other_input:
            self._command[-1] = other_input
            self.files = [next(folder / other_input for folder in (DEBIAN_INPUTS, HERE / "inputs") if (folder / other_input).exists())]
        self.prepare, self.stdin, self.package = found.get("prepare", []), found.get("stdin"), found["package"]

    def lengthen(self):
        self.steps_factor, self.changes = LONGER_STEPS, LONGER.get(self.name, [])
        return self

    def runs_on(self, hosts):
        return self.own or hosts == BURNING_HOSTS

    def burns(self, hosts):
        """Whether its computation is real work."""
        return not self.own or hosts <= BURNING_HOSTS

    def missing(self):
        """Returns: why it cannot run here; empty when it can."""
        if self.own:
            compiler = build.compiler(build.sources()[self.name], "openmpi")
            return "" if shutil.which(compiler) else f"no {compiler}"
        return "" if shutil.which(self._command[0]) else f"{self._command[0]} is not installed (package {self.package})"

    def command(self, hosts, built, quick):
        """built: folder of the compiled programs."""
        if not self.own:
            return self._command
        steps, work, sleep_s = OWN[self.name]
        steps = max(1, steps // 4) if quick else steps * self.steps_factor
        return [built / self.name, "--steps", steps, *(["--work", work] if self.burns(hosts) else ["--sleep", sleep_s])]


def chosen(names):
    """Returns: programs, by name, those of the default: the repository's own. `debian` is all of Debian's. None for an unknown name."""
    if not names:
        return [Program(name) for name in OWN]
    wanted = [one for name in names for one in ({"own": list(OWN), "debian": list(DEBIAN)}.get(name, [name]))]
    unknown = [name for name in wanted if name not in OWN and name not in DEBIAN]
    return [Program(name) for name in wanted] if not unknown else None


def known():
    return [*OWN, *DEBIAN]
