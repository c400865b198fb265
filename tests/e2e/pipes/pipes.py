#!/usr/bin/env python3
"""Files that come through a pipe, as a shell's <(zcat file.gz) gives them: the same answer as from the file itself, or
a refusal where the file is read more than once.

    pipes.py FARCAST
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROUNDS = 30000  # more than a pipe holds
FILES = {
    "cluster.xml": """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="2" bw="1GBps" lat="10us"/>
</platform>
""",
    "hosts": "n2\nn1\n",
    "trace": "0 init\n1 init\n" + "0 send 1 0 100\n1 recv 0 0 100\n" * ROUNDS + "0 finalize\n1 finalize\n",
    "wrong": "0 init\n0 dance 1\n",
    "slowdowns.csv": '"start:stop","ratio"\n"a.c:1:a.c:2",0.5\n',
}
# (command line, exit code); <FILE> stands for a file, once by its name and once through a pipe
CASES = [
    ("replay <trace> --platform <cluster.xml> --hostfile <hosts>", 0),
    ("replay <wrong>", 2),
    ("platform show <cluster.xml>", 0),
    ("calibrate check <slowdowns.csv>", 0),
]
# What exec and run read again when the program runs: refused before it starts, with this sentence.
REFUSED = ["exec --platform <cluster.xml> -- true", "exec --platform taurus --hostfile <hosts> -- true",
           "run -np 2 --platform <cluster.xml> -- true", "exec --regions <slowdowns.csv> -- true"]
SENTENCE = "found a pipe, expected a file"


def run(farcast, work, line):
    # "$0" is farcast; a report names the file, which the pipe has another name of.
    done = subprocess.run(["bash", "-c", f'exec "$0" {line}', farcast], cwd=work, capture_output=True, text=True, timeout=60)
    return done.returncode, re.sub(r"(/dev/fd/\d+|\b(?:cluster\.xml|hosts|trace|wrong|slowdowns\.csv))(?=[ ,:\n'])\s*", "FILE ",
                                   done.stdout + done.stderr)


def main(farcast):
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, text in FILES.items():
            (work / name).write_text(text)
        for line, code in CASES:
            by_name = run(farcast, work, re.sub(r"<(\S+)>", r"\1", line))
            by_pipe = run(farcast, work, re.sub(r"<(\S+)>", r"<(cat \1)", line))
            ok = by_name == by_pipe and by_name[0] == code
            faults += not ok
            print(f"{'ok' if ok else 'FAILED'}: farcast {line}")
            if not ok:
                print(f"  by its name: {by_name}\n  through a pipe: {by_pipe}")
        for line in REFUSED:
            code, text = run(farcast, work, re.sub(r"<(\S+)>", r"<(cat \1)", line))
            ok = code == 2 and SENTENCE in text
            faults += not ok
            print(f"{'ok' if ok else 'FAILED'}: farcast {line}" + ("" if ok else f": {code}, {text}"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
