"""What the fault cases share: compile a program, run it natively and under farcast, compare, look for what is left behind."""

import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PATIENCE_S = 90   # of one run; ctest's limit is 120
NATIVE_PATIENCE_S = 30
GRACE_S = 20      # until a process that stays behind is an error: a predictor may still be writing its report
# farcast speaks in lines that begin so; the report's title and the list of written files are none of our business here.
OWN_LINE = re.compile(r"^farcast: (?!.* written to |no (?:JSON report|run file|text report): |/(?!.* is statically linked))(.*)$",
                      re.MULTILINE)

Outcome = collections.namedtuple("Outcome", "code out err folder")


class Failure(Exception):
    """The case does not hold; the text says why."""


class NotFinished(Failure):
    """A run that stood still."""


class Skip(Exception):
    """Something that the case needs is not there."""


def check(condition, text, outcome=None):
    if not condition:
        raise Failure(text + (f"\nstdout:\n{outcome.out[-2000:]}\nstderr:\n{outcome.err[-4000:]}" if outcome else ""))


def need(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


def wait_until(what, holds, limit=PATIENCE_S):
    end = time.monotonic() + limit
    while True:
        value = holds()
        if value:
            return value
        check(time.monotonic() < end, f"waited {limit} s in vain for {what}")
        time.sleep(0.02)


class Running:
    """A program that runs; finish() waits for it."""

    def __init__(self, bench, process, folder, mark):
        self.bench, self.process, self.folder, self.mark, self.gates = bench, process, folder, mark, 0

    def processes(self):
        """(pid, command line) of all processes of this run, the predictor among them."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                here = os.readlink(entry / "cwd") == str(self.folder)
                if here or self.mark.encode() in (entry / "environ").read_bytes():
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                    found.append((int(entry.name), command))
            except OSError:
                continue  # ended meanwhile, or not ours
        return found

    def predictors(self):
        return [pid for pid, command in self.processes() if command.startswith("farcast predictor ")]

    def ranks(self, program):
        """Processes that run `program` itself, not the launcher that has it among its arguments."""
        return [pid for pid, command in self.processes() if pathlib.Path(command.split(" ")[0]).name == program]

    def wait_ready(self):
        """The program stands at its next gate (phases.c)."""
        self.gates += 1
        def ready():
            check(self.process.poll() is None, f"the program ended before its gate:\n{self.text('stderr')}")
            return (self.folder / f"ready{self.gates}").exists()
        wait_until("the program's gate", ready)

    def open_gate(self):
        (self.folder / f"go{self.gates}").touch()

    def kill_all(self):
        for pid, _ in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def finish(self, patience=PATIENCE_S):
        try:
            self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            left = self.processes()
            self.kill_all()
            self.process.wait()
            text = self.text("stderr")[-4000:]
            raise NotFinished(f"not finished after {patience} s; processes {left}\nstderr:\n{text}") from None
        return Outcome(self.process.returncode, self.text("stdout"), self.text("stderr"), self.folder)

    def text(self, name):
        return (self.folder / name).read_text(errors="replace")

    def check_nothing_left(self):
        end = time.monotonic() + GRACE_S
        while self.processes():
            if time.monotonic() > end:
                left = self.processes()
                self.kill_all()
                raise Failure(f"left behind: {left}")
            time.sleep(0.05)


class Bench:
    """One case with one MPI library, in a folder of its own."""

    def __init__(self, mpi, farcast, work):
        self.mpi, self.farcast, self.work = mpi, str(farcast), pathlib.Path(work)
        self.shared_before = set(os.listdir("/dev/shm"))
        self.count = 0

    # --- programs ---
    def compile(self, source, *flags, compiler=None, name=None):
        source = PROGRAMS / source
        program = self.work / (name or source.stem)
        if compiler is None:
            compiler = f"mpicxx.{self.mpi}" if source.suffix == ".cpp" else f"mpicc.{self.mpi}"
        command = [need(compiler), "-g", "-O1", "-pthread", str(source), *flags]
        made = self.made_before(command)
        if not (made and made.exists()):
            done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True)
            check(done.returncode == 0, f"{source.name} does not compile:\n{done.stderr}")
            if made:
                made.parent.mkdir(exist_ok=True)
                new = made.with_suffix(f".{os.getpid()}")
                shutil.copy(program, new)
                new.rename(made)
        else:
            shutil.copy(made, program)
        return str(program)

    def made_before(self, command):
        """Where a program that this command made from the folder's sources as they are is kept for other cases. None: it has other
        input too."""
        if any(pathlib.Path(word).is_file() for word in command[5:]):
            return None
        content = hashlib.sha256("\0".join(command).encode())
        for file in sorted(PROGRAMS.iterdir()):
            content.update(file.read_bytes())
        return self.work.parent / "compiled" / content.hexdigest()

    def interposer(self, mpi=None):
        path = pathlib.Path(self.farcast).parent.parent / "lib" / f"libfarcast-{mpi or self.mpi}.so"
        if not path.exists():
            raise Skip(f"{path.name} was not built")
        return str(path)

    def launcher(self, ranks=2, *options):
        if self.mpi == "openmpi":
            root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
            # When a rank's exit code is not 0 mpirun waits 2 s until it kills the others. One rank has none.
            alone = ["--mca", "odls_base_sigkill_timeout", "0"] if ranks == 1 else []
            return [need("mpirun.openmpi"), *root, *alone, "--oversubscribe", "--bind-to", "none", *options, "-np", str(ranks)]
        return [need("mpiexec.mpich"), *options, "-np", str(ranks)]

    def under(self, *options, json="report.json"):
        """farcast exec, its report in report.json."""
        return [self.farcast, "exec", "--no-predict", "--json", str(json), *options, "--"]

    def export(self, name, value):
        """Launcher options that set a variable for the ranks alone."""
        return ["-x", f"{name}={value}"] if self.mpi == "openmpi" else ["-env", name, value]

    # --- runs ---
    def start(self, command, environment=None, gates_open=False):
        self.count += 1
        folder = self.work / f"run{self.count}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for gate in range(1, 4 if gates_open else 1):
            (folder / f"go{gate}").touch()
        mark = f"FAULT_MARK={uuid.uuid4()}"
        variables = {k: v for k, v in os.environ.items() if not k.startswith("FARCAST_")}
        variables.update(environment or {})
        variables["FAULT_MARK"] = mark.split("=")[1]
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            process = subprocess.Popen(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       start_new_session=True)
        return Running(self, process, folder, mark)

    def run(self, command, environment=None, patience=PATIENCE_S):
        running = self.start(command, environment, gates_open=True)
        outcome = running.finish(patience)
        running.check_nothing_left()
        self.check_shared_memory()
        return outcome

    def check_shared_memory(self):
        def left():
            return {name for name in set(os.listdir("/dev/shm")) - self.shared_before if "farcast" in name}
        end = time.monotonic() + (0 if has_own_shared_memory() else GRACE_S)  # else another job's may be seen
        while left() and time.monotonic() < end:
            time.sleep(0.05)
        check(not left(), f"left in /dev/shm: {left()}")

    def both(self, program, ranks=2, prefix=(), launcher_options=(), options=(), environment=None):
        """Runs `program` (list) natively and under farcast in the same conditions: same outcome. Returns: the watched one."""
        launcher = [*prefix, *self.launcher(ranks, *launcher_options)]
        try:
            native = self.run([*launcher, *program], environment, NATIVE_PATIENCE_S)
        except NotFinished as hung:  # MPICH over UCX stands still now and then, also without farcast
            print(f"{self.mpi} without farcast: {hung}; once more", file=sys.stderr)
            native = self.run([*launcher, *program], environment, NATIVE_PATIENCE_S)
        watched = self.run([*launcher, *self.under(*options), *program], environment)
        self.same(native, watched)
        return watched

    # --- checks ---
    @staticmethod
    def same(native, watched):
        check(native.code == watched.code, f"exit code {watched.code}, natively {native.code}", watched)
        check(native.out == watched.out, f"stdout differs; natively:\n{native.out}", watched)

    @staticmethod
    def said(outcome):
        """farcast's own lines on stderr, without the report."""
        return [found.group(1) for found in OWN_LINE.finditer(outcome.err)]

    def one_line(self, outcome, pattern):
        lines = self.said(outcome)
        check(len(lines) == 1 and re.search(pattern, lines[0]), f"expected one line like '{pattern}', found {lines}", outcome)

    def silent(self, outcome):
        check(self.said(outcome) == [], f"farcast said {self.said(outcome)}", outcome)

    @staticmethod
    def report(outcome, complete=True, **calls):
        """Reads the JSON report. `calls`: function = number, or a range where it depends on time."""
        path = outcome.folder / "report.json"
        wait_until("report.json", path.exists, GRACE_S) if not path.exists() else None
        report = json.loads(path.read_text())
        check(report["complete"] == complete, f"complete: {report['complete']}, notes {report['notes']}", outcome)
        for name, count in calls.items():
            found = report["calls"].get(name, 0)
            expected = count if isinstance(count, range) else range(count, count + 1)
            check(found in expected, f"{name}: {found} calls in the report, expected {expected}", outcome)
        return report


def mounted(size=None, options="", then=":"):
    """Command prefix: a mount namespace of its own with another /dev/shm (tmpfs of `size`), after which `then` runs."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        raise Skip("needs root and mount namespaces")
    mount = f"mount -t tmpfs -o size={size}{options} farcast-test /dev/shm && " if size else ""
    return ["unshare", "-m", "sh", "-c", f'{mount}{then} && exec "$@"', "sh"]


def has_own_shared_memory():
    return "TESTS_APART" in os.environ  # tests/apart


def pause_predictor_between_gates(running):
    """Stops the predictor while the program goes from its first gate to its second. Returns: the outcome."""
    running.wait_ready()
    predictor = running.predictors()
    check(len(predictor) == 1, f"predictors: {predictor}")
    os.kill(predictor[0], signal.SIGSTOP)
    running.open_gate()
    running.wait_ready()
    os.kill(predictor[0], signal.SIGCONT)
    running.open_gate()
    outcome = running.finish()
    running.check_nothing_left()
    return outcome


def all_accounted_for(bench, outcome, reason, issued):
    """Recording stopped on every rank for `reason`, and each of the `issued` calls was recorded or counted as refused."""
    lines = bench.said(outcome)
    check(1 <= len(lines) <= 2 and all("recording stopped" in line and reason in line for line in lines),
          f"expected one line per rank with '{reason}', found {lines}", outcome)
    report = bench.report(outcome, complete=False)
    records = report["records"]
    check(records["refused"] > 0, f"nothing refused: {records}", outcome)
    check(records["recorded"] + records["refused"] == issued, f"{records}, issued {issued}", outcome)
