#!/usr/bin/env python3
"""farcast report: the page of recorded runs has every view with the figures of the prediction, answers clicks, and asks nobody.

    run.py --farcast BUILD/bin/farcast --work FOLDER

Exit code: 0 as expected, 1 not, 77 a compiler, a launcher or Chromium is not installed.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from browser import Browser  # noqa: E402
from checks import FarcastRuns, expect, need, run_checks  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="2" bw="100MBps" lat="20us">
    <prop id="wattage_per_state" value="95.0:120.0:200.0"/>
  </cluster>
</platform>
"""
RANKS = 4
EVIL = "r<b class=evil>&\"'"  # what the program is called
ARGUMENT = b"</script></title><!--<script><b class=evil>\xff<i>"  # not UTF-8
VIEWS = ["verdict", "timeline", "ranks", "path", "regions", "traffic", "power", "links", "pareto", "runs", "platform", "basis"]


class Job(FarcastRuns):
    def __init__(self, arguments):
        for program in ("chromium", "chromedriver"):
            need(program)
        super().__init__(arguments)
        (self.work / "p.xml").write_text(PLATFORM)
        self.compile(HERE.parent / "ring" / "ring.c")
        (self.work / EVIL).symlink_to("ring")
        for file, program in (("run.h5", [b"./ring"]), ("evil.h5", [b"./" + EVIL.encode(), ARGUMENT])):
            self.record(file, *program, ranks=RANKS)

    def page(self, *arguments):
        """Returns: the path of the page."""
        self.run("report", *arguments, "--html", "page.html")
        return self.work / "page.html"

    def predicted(self, *arguments):
        self.run("predict", *arguments, "--bottlenecks", "--json", "report.json")
        return json.loads((self.work / "report.json").read_text())


def four_digits(value, unit):
    """A figure as pages and the text report print it."""
    for scale, prefix in ((1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")):
        if value >= scale * 0.99995:
            break
    scaled = value / scale
    return f"{scaled:.{max(0, 3 - len(str(int(scaled))) + (scaled >= 1))}f} {prefix}{unit}"


def quiet(browser):
    """No figure is missing in words that nobody wrote, nothing was said on the console, and nothing was asked for beside the file itself."""
    text = browser.run("return document.body.innerText")
    for word in ("null", "undefined", "NaN", "Infinity", "[object"):
        expect(word not in text, f"the page says {word}: {text[max(0, text.find(word) - 60):][:120]}")
    expect(not (said := browser.complaints()), f"the console says {said}")
    asked = [url for url in browser.requests() if not url.startswith("data:")]
    expect(len(asked) == 1 and asked[0].startswith("file://") and asked[0].endswith("page.html"), f"the page asks for {asked}")


def check_figures(job):
    """Every view is there; what they show is what `farcast predict` says."""
    report = job.predicted("run.h5", "-p", "p.xml", "-p", "taurus")
    with Browser() as browser:
        browser.open(job.page("run.h5", "-p", "p.xml", "-p", "taurus", "--price", "0.25EUR/kWh"))
        expect(browser.run("return [...document.querySelectorAll('section')].map(s => s.id)") == VIEWS, "the views")
        big = browser.run("return [...document.querySelectorAll('.verdict .big')].map(e => e.textContent)")
        times = [one["time_s"] for one in report["predictions"]] + [report["measured"]["wall_s"]]
        expect(big == [four_digits(time, "s") for time in times], f"the cards say {big}, expected {times}")
        for index, one in enumerate(report["predictions"]):
            shown = browser.run("return doc.runs[0].predictions[arguments[0]]", index)
            for field in ("time_s", "energy_j", "edp_js", "nodes", "placement", "assumptions"):
                expect(shown[field] == one[field], f"{field}: {shown[field]}, expected {one[field]}")
            for region in shown["regions"]:
                same = [other for other in one["regions"] if other["region"] == region["region"]][0]
                expect(region["predicted_s"] == same["predicted_s"] and region["name"] == same["name"], str(region))
            sent = sum(rank["sent_bytes"] for rank in one["ranks"])
            expect(sum(shown["traffic"]["bytes"]) == sent, f"the matrix has {sum(shown['traffic']['bytes'])} bytes, expected {sent}")
            joules = sum(watts * (end - begin) for watts, begin, end in zip(
                shown["power"]["watts"], shown["power"]["begin_s"], [*shown["power"]["begin_s"][1:], shown["power"]["end_s"]]))
            expect(abs(joules - one["energy_j"]) < 1e-5 * one["energy_j"], f"power over time: {joules} J, expected {one['energy_j']}")
            path = sum(part["time_s"] for part in shown["bottlenecks"]["path"])
            expect(abs(path - one["time_s"]) < 1e-9, f"critical path: {path}, expected {one['time_s']}")
            seconds = browser.run("""const line = Line.of(doc.runs[0].predictions[arguments[0]].line), out = [];
                for (let rank = 0; rank < line.ranks; ++rank) {
                  const sums = Array(7).fill(0);
                  for (let s = line.first[rank]; s < line.first[rank + 1]; ++s)
                    for (const [a, share] of line.shares(s)) sums[a] += share * (line.finish(s) - line.begin(rank, s));
                  out.push(sums);
                }
                return out;""", index)
            names = browser.run("return ACTIVITIES.map(a => a.key + '_s')")
            for rank in range(RANKS):
                for name, found in zip(names, seconds[rank]):
                    expect(abs(found - one["ranks"][rank][name]) < 1e-6 * one["time_s"], f"time line, rank {rank}: {name} {found}, {one['ranks'][rank]}")
        text = browser.run("return document.getElementById('regions-table').innerText")
        expect("main, ring.c:" in text and "MPI_Waitall ring.c:" in text, text)
        expect(browser.run("return document.getElementById('messages-table').rows.length") == 4, "ways of messages")
        path = browser.run("return document.getElementById('path-table').innerText")
        expect("main, ring.c:" in path, path)
        phrases = browser.run("return [...document.querySelectorAll('#verdict .weak span')].map(e => e.textContent)")
        expect("network not calibrated" in phrases, f"what weakens the figures: {phrases}")
        price = browser.run("return doc.runs[0].predictions.map(p => costOf(p.energy_j, doc.price))")
        for found, one in zip(price, report["predictions"]):
            expect(abs(found - one["energy_j"] / 3.6e6 * 0.25) < 1e-15, f"price {found}")
        quiet(browser)


PIXELS = """const c = document.querySelectorAll(arguments[0])[arguments[1]], o = document.createElement('canvas'), seen = new Set();
    [o.width, o.height] = [c.width, c.height];
    const x = o.getContext('2d', {willReadFrequently: true});
    x.drawImage(c, 0, 0);
    const d = x.getImageData(0, 0, c.width, c.height).data;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]);
    return [c.width, c.height, seen.size];"""


def check_drawn(job):
    """Canvases are not empty, in both themes, and follow the theme."""
    with Browser() as browser:
        browser.open(job.page("run.h5", "-p", "p.xml", "--ppn", "1"))
        pictures = {}
        for theme in ("light", "dark"):
            browser.click(f"[aria-label=theme] [data-value={theme}]")
            for place in ("#timeline canvas", "#ranks canvas", "#traffic canvas", "#power canvas", "#links canvas"):
                wide, tall, colours = browser.run(PIXELS, place, 0)
                expect(wide > 400 and tall > 90 and colours >= 3, f"{theme}: {place} is {wide} x {tall} with {colours} colours")
            pictures[theme] = browser.run("return [getComputedStyle(document.body).backgroundColor, document.querySelector('#timeline canvas').toDataURL()]")
        expect(pictures["light"][0] != pictures["dark"][0] and pictures["light"][1] != pictures["dark"][1], "the theme changes nothing")
        expect(browser.run("return document.querySelectorAll('#power svg path.stroke').length") == 1, "no power over time")
        expect(browser.run("return document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window")
        quiet(browser)


def check_clicks(job):
    """Zooming, sorting, searching, and picking another platform."""
    with Browser() as browser:
        browser.open(job.page("run.h5", "-p", "p.xml", "-p", "taurus", "-p", "nehalem-ib"))
        readout = "return document.querySelector('.readout').textContent"
        picture = "return document.querySelector('#timeline canvas').toDataURL()"
        expect(browser.run(readout) == "all of it", browser.run(readout))
        whole = browser.run(picture)
        note, arrows = "return document.getElementById('arrows-note').textContent", browser.run("return doc.runs[0].predictions[0].arrows")
        expect(0 < arrows["kept"] == arrows["all"] and "messages from their sending" in browser.run(note), f"{arrows} {browser.run(note)}")
        choose = "const i = [...document.querySelectorAll('#timeline label, #timeline button')].find(e => e.textContent === '{}'); i.click();"
        browser.run(choose.replace("{}", "none"))
        expect(browser.run(note) == "" and browser.run(picture) != whole, "arrows are there although nobody wants them")
        browser.run(choose.replace("{}", "messages"))
        expect(browser.run(picture) == whole, "arrows do not come back")
        browser.click("#timeline [title='zoom in']")
        expect("from" in browser.run(readout) and browser.run(picture) != whole, "a click on + shows nothing nearer")
        browser.click("#timeline [title='the whole time and all ranks']")
        expect(browser.run(readout) == "all of it" and browser.run(picture) == whole, "all is not all again")
        left, top, width = browser.run("const c = document.querySelector('#timeline canvas'); c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect(); return [r.x, r.y, r.width];")
        browser.drag((left + width * 0.5, top + 20), (left + width * 0.6, top + 25))
        expect("from" in browser.run(readout) and browser.run(picture) != whole, "dragging does not zoom")
        cells = "return [...document.querySelectorAll('#runs-table tbody tr')].map(r => r.cells[0].innerText)"
        times = browser.run("return [...doc.runs[0].predictions.map(p => [p.time_s, shortName(p.platform)]), [doc.runs[0].measured.wall_s, 'really measured']]")
        rising = [name for _, name in sorted(times)]
        expect(browser.run(cells) == rising, f"{browser.run(cells)}, expected {rising}")
        browser.click("#runs-table thead th:nth-child(2) button")
        expect(browser.run(cells) == rising[::-1], f"sorted by time: {browser.run(cells)}, expected {rising[::-1]}")
        rows = "return document.querySelectorAll('#sites-table tbody tr').length"
        if browser.run("return !!document.querySelector('#sites-table input')"):
            browser.run("const i = document.querySelector('#sites-table input'); i.value = 'waitall'; i.dispatchEvent(new Event('input'));")
            expect(0 < browser.run(rows) == browser.run("return doc.runs[0].predictions[0].sites.filter(s => s.at.call === 'MPI_Waitall').length"), "search")
        browser.click(".verdict:nth-child(2)")
        expect("predicted on taurus" in browser.run("return document.querySelector('#timeline h3').textContent"), "the second platform is not shown")
        expect(browser.run("return document.querySelectorAll('.verdict.selected .name')[0].textContent").startswith("taurus"), "it is not marked")
        quiet(browser)


def check_names(job):
    """What programs are called stays text."""
    with Browser() as browser:
        browser.open(job.page("evil.h5", "-p", "p.xml"))
        expect(browser.run("return document.querySelectorAll('b.evil, i:not([class]):not([style])').length") == 0, "a name became markup")
        expect(browser.run("return document.querySelectorAll('script').length") == 3, "a name became a script")
        title = browser.run("return document.title")
        told = f"./{EVIL} {ARGUMENT.decode(errors='replace')}"
        expect(title == f"farcast: {told}", title)
        expect(told in browser.run("return document.querySelector('#basis').innerText"), "the name is not told")
        quiet(browser)


def check_several(job):
    """Several runs, and the points of a sweep."""
    job.run("whatif", "run.h5", "-p", "p.xml", "--bandwidth", "x1,x2", "--latency", "x1,x4", "--json", "sweep.json")
    job.run("whatif", "run.h5", "-p", "p.xml", "--gains", "10", "--json", "gains.json")
    points = json.loads((job.work / "sweep.json").read_text())["points"]
    with Browser() as browser:
        browser.open(job.page("run.h5", "evil.h5", "run.h5", "-p", "p.xml", "-p", "taurus", "--sweep", "sweep.json", "--gains", "gains.json"))
        expect(browser.run("return doc.runs.length") == 3, "runs")
        expect(browser.run("return document.querySelectorAll('#runs-table tbody tr').length") == 9, "rows of runs and platforms")
        expect(browser.run("return document.querySelectorAll('#pareto circle').length") == len(points) + 6, "points")
        front = browser.run("return [...document.querySelectorAll('#sweep-table tbody tr')].map(r => r.cells[0].innerText).filter(t => t.includes('bandwidth x2'))")
        expect(len(front) == 2, str(front))
        gains = json.loads((job.work / "gains.json").read_text())["points"][0]["gains"]
        rows = browser.run("return [...document.querySelectorAll('#gains-table tbody tr')].map(r => [r.cells[0].innerText, r.cells[3].innerText])")
        expect([what for what, _ in rows] == [gain["what"] for gain in gains] and all("%" in off for _, off in rows), f"{rows}\n{gains}")
        browser.run("const s = document.querySelector('select[aria-label=run]'); s.value = '1'; s.dispatchEvent(new Event('change'));")
        expect("evil" in browser.run("return document.querySelector('h1').textContent"), "the second run is not shown")
        quiet(browser)


def check_refusals(job):
    (job.work / "old.html").write_text("old")
    before = sorted(os.listdir(job.work))
    cases = ((["none.h5"], ["none.h5"]), (["p.xml"], ["p.xml", "HDF5"]), (["run.h5", "-p", "none.xml"], ["none.xml"]),
             (["run.h5", "--price", "much"], ["--price", "much"]), (["run.h5", "--sweep", "p.xml"], ["--sweep", "p.xml", "whatif"]),
             (["run.h5", "--gains", "p.xml"], ["--gains", "p.xml", "whatif --gains"]),
             (["run.h5", "--html", "none/x.html"], ["none/x.html"]), (["run.h5", "--html", "."], ["directory"]))
    for arguments, words in cases:
        output = [] if "--html" in arguments else ["--html", "old.html"]
        _, error = job.run("report", *arguments, *output, code=2)
        expect(error.count("\n") == 1 and all(word in error for word in words), f"{arguments}: {error}")
    text, error = job.run("report", "run.h5", "-p", "p.xml", "--html", "/dev/stdout")
    expect(text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n") and "1 run, 1 platform" in error, text[-200:] + error)
    _, error = job.run("report", "run.h5", code=2)
    expect("--html" in error, error)
    expect((job.work / "old.html").read_text() == "old" and sorted(os.listdir(job.work)) == before, f"left behind: {os.listdir(job.work)}")


def undated(page):
    """Returns: the page without the second in which it was made."""
    return re.sub(rb'"created":"[^"]*"', b"", page)


def check_interrupted(job):
    """Ctrl-C at any moment leaves the whole page or nothing; what has ended as it should has left the whole one."""
    arguments = ["run.h5", "-p", "p.xml"]
    whole = undated(job.page(*arguments).read_bytes())
    (job.work / "page.html").unlink()
    before = sorted(os.listdir(job.work))
    for delay in (0.0, 0.01, 0.03, 0.06):
        process = subprocess.Popen([job.farcast, "report", *arguments, "--html", "page.html"], cwd=job.work,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        # It may come between the page's last step, getting its name, and the end of the process: then the page is whole.
        if (job.work / "page.html").exists():
            expect(undated((job.work / "page.html").read_bytes()) == whole, f"after {delay} s: half a page")
            (job.work / "page.html").unlink()
        else:
            expect(process.returncode != 0, f"after {delay} s: code 0 and no page")
        expect(sorted(os.listdir(job.work)) == before, f"left behind: {os.listdir(job.work)}")


if __name__ == "__main__":
    sys.exit(run_checks(Job, (check_figures, check_drawn, check_clicks, check_names, check_several, check_refusals, check_interrupted), __doc__))
