"""Records programs natively, as a user does: `farcast exec` under mpirun on this node; and predicts them, by farcast and by SMPI."""

import json
import os
import re
import shutil

import machine
from machine import Stop, call

# One thread per rank: the machine has no more cores than ranks.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
NATIVE = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]


def made_folder(folder, program):
    """A fresh folder with the program's input in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in program.files:
        text = path.read_text()
        for old, new in program.changes:
            if old not in text:
                raise Stop(f"{path}: found no '{old.strip()}' to be replaced")
            text = text.replace(old, new)
        (folder / path.name).write_text(text)
    for words in program.prepare:
        call(words, folder=folder)
    return folder


def fed(program, words):
    """The words, with the program's stdin: mpirun hands it to rank 0."""
    quoted = " ".join(f"'{word}'" for word in words)
    return ["sh", "-c", f"{quoted} < {program.stdin or '/dev/null'}"]


def record(farcast, program, hosts, words, folder, patience_s):
    """Runs it natively once. Returns: the run file, and how many cores others kept busy before."""
    busy = machine.wait_until_quiet(patience_s)
    made_folder(folder, program)
    call(fed(program, [*NATIVE, "-np", hosts, farcast, "exec", "--no-predict", "--no-progress", "-o", folder / "run.h5", "--report",
                       folder / "report.txt", "--json", folder / "report.json", "--", *words]), folder=folder)
    report = json.loads((folder / "report.json").read_text())
    if not report["complete"] or report["records"]["refused"]:
        raise Stop(f"{program.name}: the recording is incomplete: {report['notes']}")
    return folder / "run.h5", busy


def coupled(farcast, program, hosts, words, platform, folder, patience_s):
    """Runs it natively in the platform's virtual time. Returns: predicted seconds."""
    machine.wait_until_quiet(patience_s)
    made_folder(folder, program)
    call(fed(program, [*NATIVE, "-np", hosts, farcast, "exec", "--coupled", "--platform", platform, "--ppn", "1", "--no-progress",
                       "--on-fault", "end", "--report", folder / "report.txt", "--json", folder / "report.json", "--", *words]), folder=folder)
    [prediction] = json.loads((folder / "report.json").read_text())["predictions"]
    if not prediction["complete"]:
        raise Stop(f"{program.name}, coupled: the prediction is incomplete: {prediction['problems']}")
    return prediction["time_s"]


def predict(farcast, run, platform, ppn=1):
    """Predicts a recorded run. Returns: seconds; the least and the most of its realisations, and how many there are; what it says how far
    it may be off (None: nothing); seconds of computation per rank."""
    answer = run.with_suffix(".json")
    call([farcast, "predict", run, "--platform", platform, "--ppn", ppn, "--json", answer])
    [prediction] = json.loads(answer.read_text())["predictions"]
    if not prediction["complete"]:
        raise Stop(f"{run}: the prediction is incomplete: {prediction['problems']}")
    chance = prediction.get("realisations", {"count": 1, "time_s": dict.fromkeys(("least", "most"), prediction["time_s"])})
    return {"s": prediction["time_s"], "least_s": chance["time_s"]["least"], "most_s": chance["time_s"]["most"],
            "realisations": chance["count"], "confidence": prediction.get("confidence"), "computation_s": [rank["compute_s"] for rank in prediction["ranks"]]}


def smpi(program, hosts, words, platform, folder):
    """Runs the program, compiled for it, in SimGrid's SMPI on the same platform file. Returns: seconds, None where it dies."""
    made_folder(folder, program)
    (folder / "hosts").write_text("".join(f"node-{host}\n" for host in range(hosts)))
    try:
        text = call(["sh", "-c", '"$@" 2>&1', "sh", "smpirun", "-np", hosts, "-platform", platform, "-hostfile", "hosts",
                     "--cfg=smpi/host-speed:1Gf", "--cfg=smpi/coll-selector:ompi", "--cfg=smpi/display-timing:yes", *words], folder=folder)
    except Stop as stop:
        print(f"    smpirun: {str(stop)[-300:]}")
        return None
    found = re.findall(r"Simulated time: (\S+) seconds", text)
    return float(found[-1]) if found else None


def set_environment():
    os.environ.update(ENVIRONMENT)
