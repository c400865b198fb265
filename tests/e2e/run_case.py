#!/usr/bin/env python3
"""Runs one case of tests/e2e in three modes: without farcast, recorded, recorded and predicted.

  run_case.py CASE_FOLDER --mpi openmpi|mpich|none --work FOLDER [--farcast BUILD/bin/farcast]

A case is a folder with a case.json (its fields: tests/e2e/README.md) and what it names. Exit code, stdout and the files that
the program writes must be the same in all modes, after masking the fields that the case's mask file names; each mask must be
seen to vary between native runs, so that none hides more than time (a comment "may be equal" lets those below it off). The JSON
report must have what the case expects.
Without --farcast only the native mode runs. Exit code: 0 as expected, 1 not, 77 a program that the case needs is not installed.
"""

import argparse
import collections
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

SKIPPED = 77
MASK_RUNS = 6  # native runs in which every masked field has to vary
COMPILERS = {
    "openmpi": {".c": "mpicc.openmpi", ".cpp": "mpicxx.openmpi", ".f90": "mpifort.openmpi", ".f": "mpifort.openmpi"},
    "mpich": {".c": "mpicc.mpich", ".cpp": "mpicxx.mpich", ".f90": "mpifort.mpich", ".f": "mpifort.mpich"},
    "none": {".c": "cc", ".cpp": "c++"},
}
FIELDS = {"about", "mpi", "source", "program", "files", "variants", "ranks", "environment", "options", "timeout_s",
          "exit_code", "stdout", "outputs", "mask", "report"}
REPORT_FIELDS = {"calls", "only_these_calls", "complete", "stacks", "counters"}

Outcome = collections.namedtuple("Outcome", "exit_code texts errors report_path")  # texts: {"stdout" or file name: text}


class Failure(Exception):
    """The case does not hold; the text says why."""


class Skip(Exception):
    """Something that the case needs is not installed."""


def need(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


def load_case(folder, mpi):
    case = json.loads((folder / "case.json").read_text())
    unknown = (set(case) - FIELDS) | (set(case.get("report") or {}) - REPORT_FIELDS)
    if unknown:
        raise Failure(f"{folder}/case.json: unknown fields {sorted(unknown)}")
    if mpi not in case["mpi"]:
        raise Failure(f"{folder}/case.json: the case is not for {mpi} but for {case['mpi']}")
    return case


def command_of(case, folder, mpi, work):
    """The program with its fixed arguments, compiled if it is a source."""
    if "source" in case:
        source = folder / case["source"]
        program = work / source.stem
        done = subprocess.run([need(COMPILERS[mpi][source.suffix]), "-g", "-O1", "-o", str(program), str(source)],
                              cwd=work, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{source} does not compile:\n{done.stderr}")
        return [str(program)]
    program = case["program"]
    program = program[mpi] if isinstance(program, dict) else program
    return [need(program[0]), *program[1:]]


def launcher_of(case, mpi):
    ranks = str(case.get("ranks", 1))
    if mpi == "openmpi":
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return [need("mpirun.openmpi"), *root, "--oversubscribe", "--bind-to", "none", "-np", ranks]
    if mpi == "mpich":
        return [need("mpiexec.mpich"), "-np", ranks]
    return []


def processes_with(mark):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes():
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append((int(entry.name), command))
        except OSError:
            continue  # ended meanwhile, or not ours
    return found


def segments():
    return {name for name in os.listdir("/dev/shm") if "farcast" in name}


def check_leftovers(mark, segments_before, grace, mode):
    """Nothing may stay behind: a predictor that still writes its report gets `grace` seconds."""
    end = time.monotonic() + grace
    while True:
        processes, left = processes_with(mark), segments() - segments_before
        if not processes and not left:
            return
        if time.monotonic() > end:
            for process, _ in processes:
                os.kill(process, signal.SIGKILL)
            raise Failure(f"{mode}: left behind: processes {processes}, shared memory {sorted(left)}")
        time.sleep(0.1)


def run_program(case, folder, launcher, command, mode, work):
    """Runs launcher + command in a fresh folder, and Returns: its Outcome."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name in case.get("files", []):
        shutil.copy(folder / name, work / name)
    mark = f"E2E_MARK={uuid.uuid4()}"
    environment = dict(os.environ, **case.get("environment", {}))
    environment["E2E_MARK"] = mark.split("=")[1]
    before = segments()
    with open(work / "stdout", "wb") as out, open(work / "stderr", "wb") as err:
        process = subprocess.Popen([*launcher, *command], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, start_new_session=True)
        try:
            code = process.wait(timeout=case.get("timeout_s", 60))
        except subprocess.TimeoutExpired:
            for found, _ in processes_with(mark.encode()):
                os.kill(found, signal.SIGKILL)
            process.wait()
            text = (work / "stderr").read_text(errors="replace")[-4000:]
            raise Failure(f"{mode}: not finished after {case.get('timeout_s', 60)} s: {launcher + command}\nstderr:\n{text}")
    check_leftovers(mark.encode(), before, case["grace_s"], mode)
    texts = {}
    for name in ["stdout", *case.get("outputs", [])]:
        if not (work / name).exists():
            raise Failure(f"{mode}: the program wrote no {name}")
        texts[name] = (work / name).read_text(errors="replace")
    if case.get("stdout") == "lines":  # printed by several ranks: any order
        texts["stdout"] = "\n".join(sorted(texts["stdout"].splitlines()))
    return Outcome(code, texts, (work / "stderr").read_text(errors="replace"), work / "report.json")


def load_mask(case, folder):
    """Returns: the patterns, and which of them may stay the same (below a comment that says "may be equal")."""
    if "mask" not in case:
        return [], set()
    mask, steady, comment = [], set(), ""
    for line in (folder / case["mask"]).read_text().splitlines():
        if line.startswith("#"):
            comment = line
        elif line.strip():
            if "may be equal" in comment:
                steady.add(len(mask))
            mask.append(re.compile(line, re.MULTILINE))
    return mask, steady


def masked(text, mask):
    for pattern in mask:
        text = pattern.sub("#", text)
    return text


def check_same(first, second, mask, mode):
    if first.exit_code != second.exit_code:
        raise Failure(f"{mode}: exit code {second.exit_code}, without farcast {first.exit_code}\n"
                      f"stderr:\n{second.errors[-4000:]}")
    for name, text in first.texts.items():
        wanted, found = masked(text, mask).splitlines(), masked(second.texts[name], mask).splitlines()
        for number in range(max(len(wanted), len(found))):
            want = wanted[number] if number < len(wanted) else "(end)"
            have = found[number] if number < len(found) else "(end)"
            if want != have:
                raise Failure(f"{mode}: {name}:{number + 1}: found\n  {have}\nwithout farcast\n  {want}")


def run_native(case, folder, launcher, command, mask, may_be_equal, work):
    """Runs natively until each mask has been seen to vary; Returns: the first Outcome."""
    first = run_program(case, folder, launcher, command, "native", work / "native")
    if "exit_code" in case and first.exit_code != case["exit_code"]:
        raise Failure(f"native: exit code {first.exit_code}, the case expects {case['exit_code']}\n"
                      f"stderr:\n{first.errors[-4000:]}")
    def matches(outcome):
        return [[pattern.findall(text) for text in outcome.texts.values()] for pattern in mask]
    steady = set(range(len(mask))) - may_be_equal
    seen = matches(first)
    for _ in range(MASK_RUNS - 1):
        if not steady:
            break
        again = run_program(case, folder, launcher, command, "native, again", work / "native-again")
        check_same(first, again, mask, "native, again")
        steady -= {index for index, found in enumerate(matches(again)) if found != seen[index]}
    if steady:
        lines = "\n  ".join(mask[index].pattern for index in sorted(steady))
        raise Failure(f"masks that never vary between {MASK_RUNS} native runs:\n  {lines}")
    return first


def count_matches(expected, count):
    """expected: a number, or ">= number" where the count depends on time."""
    if isinstance(expected, str):
        return count >= int(expected.removeprefix(">="))
    return count == expected


def wrong_stacks(stacks, report, text):
    """stacks: MPI function -> list of stacks, each a list of [function, line], the call itself first."""
    wrong = []
    for call, expected in stacks.items():
        found = [[[level["function"], level["line"]] for level in site["stack"]] for site in report["sites"] if site["call"] == call]
        if sorted(found) != sorted(expected):
            wrong.append(f"stacks of {call}: {found}, expected {expected}")
        for function, line, level in {(*frame, level) for stack in expected for level, frame in enumerate(stack)}:
            last = f" +{call.removeprefix('MPI_')}" if level == 0 else ""
            if not re.search(rf"^ *\d+ +{level} \S+ +{line} {function}{last}$", text, re.MULTILINE):
                wrong.append(f"the text report has no level {level} in {function}, line {line}, for {call}")
    return wrong


def wrong_counters(events, report, text):
    """Measured in some region, or unavailable in all with a reason that both reports give; both are right."""
    counters, sums = report.get("counters") or {}, [region.get("counters") for region in report["regions"]]
    if counters.get("events") != events:
        return [f"counters: {counters}, expected {events}"]
    reason = counters["unavailable"]
    if reason is None:
        measured = any(entry and list(entry) == events and all(count > 0 for count in entry.values()) for entry in sums)
        return [] if measured and "@--- Counters per Region (" in text else [f"counters: no region has any: {sums}"]
    good = reason and not any(sums) and f"unavailable: {reason}"[:60] in text
    return [] if good else [f"counters: unavailable ({reason}), regions have {sums}"]


def check_report(case, outcome, predicted, mode):
    expected = case.get("report")
    if expected is None:
        return None
    if not outcome.report_path.exists():
        raise Failure(f"{mode}: no JSON report\nstderr:\n{outcome.errors[-4000:]}")
    report = json.loads(outcome.report_path.read_text())
    for field in ("schema", "program", "ranks", "mpi", "complete", "measured", "calls", "regions", "unmodelled", "predictions"):
        if field not in report:
            raise Failure(f"{mode}: the report lacks '{field}'")
    wrong = []
    if report["ranks"] != case["ranks"]:
        wrong.append(f"ranks: {report['ranks']}, expected {case['ranks']}")
    if report["complete"] != expected.get("complete", True):
        wrong.append(f"complete: {report['complete']}, notes {report.get('notes')}")
    calls = report["calls"]
    for name, count in expected.get("calls", {}).items():
        if not count_matches(count, calls.get(name, 0)):
            wrong.append(f"calls of {name}: {calls.get(name, 0)}, expected {count}")
    if expected.get("only_these_calls"):
        wrong += [f"calls of {name}: {count}, expected none" for name, count in calls.items() if name not in expected["calls"]]
    if report["complete"] and not report["measured"]["wall_s"] > 0:
        wrong.append(f"measured.wall_s: {report['measured']['wall_s']}")
    text_path = outcome.report_path.with_suffix(".txt")
    text = text_path.read_text() if text_path.exists() else ""
    wrong += wrong_stacks(expected.get("stacks", {}), report, text)
    if "counters" in expected:
        wrong += wrong_counters(expected["counters"], report, text)
    predictions = report["predictions"]
    if not predicted and predictions:
        wrong.append("predictions, in spite of --no-predict")
    if predicted:
        if [p["platform"] for p in predictions] != ["taurus"]:
            wrong.append(f"platforms: {[p['platform'] for p in predictions]}, expected taurus")
        elif expected.get("complete", True) and not (predictions[0]["time_s"] > 0 and predictions[0]["energy_j"] > 0):
            wrong.append(f"taurus: time {predictions[0]['time_s']}, energy {predictions[0]['energy_j']}")
        elif expected.get("complete", True):
            wrong += [f"taurus: {problem}" for problem in predictions[0]["problems"]]
    if wrong:
        raise Failure(f"{mode}: the report is wrong:\n  " + "\n  ".join(wrong))
    return predictions


MEMBERS = "20"  # of the ensemble; without the option a live run has fewer, for somebody waits for its end


def check_repeated(farcast, work, predictions):
    """`farcast predict` on the run file gives what the live prediction gave."""
    done = subprocess.run([farcast, "predict", "run.h5", "--platform", "taurus", "--ensemble", MEMBERS, "--json", "again.json"], cwd=work,
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise Failure(f"farcast predict: exit code {done.returncode}\n{done.stderr}")
    live, again = (json.loads((work / name).read_text()) for name in ("report.json", "again.json"))
    if json.dumps(again["predictions"]) != json.dumps(predictions):
        raise Failure(f"farcast predict differs from the live prediction:\n  {again['predictions']}\nlive\n  {predictions}")
    for part in ("counters", "regions", "sites"):
        if json.dumps(again.get(part)) != json.dumps(live.get(part)):
            raise Failure(f"farcast predict: '{part}' differs from the live report:\n  {again.get(part)}\nlive\n  {live.get(part)}")


def run_variant(case, folder, mpi, farcast, command, work):
    launcher = launcher_of(case, mpi)
    mask, may_be_equal = load_mask(case, folder)
    native = run_native(case, folder, launcher, command, mask, may_be_equal, work)
    print("native: exit code", native.exit_code)
    if not farcast:
        return
    modes = {"recorded": ["--no-predict", "--json", "report.json", "--report", "report.txt"],
             "predicted": ["--platform", "taurus", "--ensemble", MEMBERS, "--json", "report.json", "--report", "report.txt", "-o", "run.h5"]}
    for mode, options in modes.items():
        under = [*launcher, farcast, "exec", *options, *case.get("options", []), "--"]
        outcome = run_program(case, folder, under, command, mode, work / mode)
        check_same(native, outcome, mask, mode)
        predictions = check_report(case, outcome, mode == "predicted", mode)
        if predictions and case["report"].get("complete", True):
            check_repeated(farcast, work / mode, predictions)
        print(f"{mode}: same exit code and output" + (", report as expected" if "report" in case else ""))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("case", type=pathlib.Path)
    options.add_argument("--mpi", choices=sorted(COMPILERS), required=True)
    options.add_argument("--farcast", help="the farcast program; without it only the native mode runs")
    options.add_argument("--work", type=pathlib.Path, required=True, help="folder to work in")
    options.add_argument("--grace", type=float, default=10, help="seconds until what is left behind is an error (%(default)s)")
    arguments = options.parse_args()
    folder, work = arguments.case.resolve(), arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        case = load_case(folder, arguments.mpi) | {"grace_s": arguments.grace}
        command = command_of(case, folder, arguments.mpi, work)
        for number, extra in enumerate(case.get("variants", [[]])):
            if extra:
                print("variant", " ".join(extra))
            run_variant(case, folder, arguments.mpi, arguments.farcast, [*command, *extra], work / str(number))
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failure as reason:
        print(f"FAILED: {folder.name}, {arguments.mpi}: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
