"""A row of the table of programs: judged or not and why, its errors; the table as text, Markdown and the figures over all rows."""

import os
import statistics

import truth

MOST_DIFFERENT = 0.05  # between the predictions from two recordings
MOST_BUSY = 0.30       # of the switch's core
MOST_READY = 0.05      # of the time: ranks that stand ready while another has the core that they share, as on no cluster
MOST_STOLEN = 0.01     # of the time: a hypervisor has cores of the machine
MEDIAN, WORST = 0.03, 0.10


def make(program, network, hosts, measured, predicted, smpi_s, computation, conditions):
    """predicted: as recording.predict() says, of two recordings. What is predicted is an expectation: the error is against the mean of
    the runs."""
    means = [one["s"] for one in predicted]
    ours = statistics.mean(means)
    truth = measured["mean_s"]
    row = {"program": program.name, "network": network, "hosts": hosts, "burns": program.burns(hosts), "measured": measured,
           "predicted_s": ours, "predicted_least_s": min(one["least_s"] for one in predicted),
           "predicted_most_s": max(one["most_s"] for one in predicted), "recordings_s": means,
           "realisations": [one["realisations"] for one in predicted], "differ": max(means) / min(means) - 1, "off": ours / truth - 1,
           "smpi_s": smpi_s, "smpi_off": smpi_s / truth - 1 if smpi_s else None, **conditions}
    intervals = [one["confidence"]["time_s"] for one in predicted if one.get("confidence") and one["confidence"]["time_s"]]
    if intervals:  # that of a single run
        row["interval_s"] = [statistics.mean(ends) for ends in zip(*intervals)]
        row["covered"] = statistics.mean(row["interval_s"][0] <= run <= row["interval_s"][1] for run in measured["all_s"])
        row["variance_shares"] = predicted[0]["confidence"]["variance_shares"]
    row["within_range"] = measured["least_s"] <= ours <= measured["most_s"]
    row["cores"] = measured["cpu_s"] / truth / max(1, (os.cpu_count() or 1) - 1)
    if computation:  # of the recordings the mean; of the ranks the sum
        theirs = statistics.mean(sum(one["computation_s"]) for one in predicted)
        row["computation"] = {"predicted_s": [rank for one in predicted for rank in one["computation_s"]], "measured_s": computation,
                              "off": theirs / sum(computation) - 1, "of_error": (theirs - sum(computation)) / len(computation) / truth}
    row["not_judged"] = why_not(row)
    return row


def why_not(row):
    """Returns: why a row does not count; empty when it does."""
    if row["differ"] > MOST_DIFFERENT:
        return f"recordings differ by {row['differ']:.0%}"
    ready = row["measured"]["ready_s"] / row["measured"]["mean_s"]
    if not row["burns"] and ready > MOST_READY:
        return f"beyond the test bed: ranks stood ready for {ready:.0%}, for another had their core"
    if row["measured"]["switch"] > MOST_BUSY:
        return f"beyond the test bed: the switch was busy for {row['measured']['switch']:.0%}"
    if row["measured"].get("stolen_s", 0) > MOST_STOLEN * row["measured"]["mean_s"]:
        return f"disturbed: a hypervisor had cores for {row['measured']['stolen_s']:.2f} s of a run"
    return ""


def percent(value):
    return "-" if value is None else f"{value:+.1%}"


COLUMNS = ["program", "network", "hosts", "measured s", "median", "least - most", "predicted s", "90 % of runs", "off", "coupled s", "coupled off", "SMPI s",
           "SMPI off", "computation off", "of the error", "ready, not running", ""]


def cells(row):
    measured, computation = row["measured"], row.get("computation")
    mark = row["not_judged"] or ("miss" if abs(row["off"]) > WORST else "")
    low, high = row.get("interval_s", (row["predicted_least_s"], row["predicted_most_s"]))
    mean = f"{measured['mean_s']:.4f} +-{truth.mean_error(measured['all_s']):.1%}"
    return [row["program"], row["network"], str(row["hosts"]), mean, f"{measured['median_s']:.4f}",
            f"{measured['least_s']:.4f} - {measured['most_s']:.4f}", f"{row['predicted_s']:.4f}",
            f"{low:.4f} - {high:.4f}", percent(row["off"]),
            f"{row['coupled_s']:.4f}" if "coupled_s" in row else "-", percent(row.get("coupled_off")),
            f"{row['smpi_s']:.4f}" if row["smpi_s"] else "-", percent(row["smpi_off"]),
            percent(computation["off"]) if computation else "-", percent(computation["of_error"]) if computation else "-",
            f"{measured['ready_s'] / measured['mean_s']:.1%}", mark]


WIDTHS = [11, 9, 5, 14, 8, 17, 11, 17, 7, 9, 11, 8, 8, 15, 12, 18, 0]


def aligned(texts, widths, left):
    """A line of a table on a terminal. left: columns that begin at their left."""
    return "  " + " ".join(text.ljust(width) if number in left else text.rjust(width)
                           for number, (text, width) in enumerate(zip(texts, widths))).rstrip()


def line(texts):
    return aligned(texts, WIDTHS, (0, 1, 16))


def header():
    return line(COLUMNS)


def others(rows, programs, networks, hosts):
    """Returns: rows that are of none of these."""
    names = {program.name for program in programs}
    return [row for row in rows if not (row["program"] in names and row["network"] in networks and row["hosts"] in hosts)]


def judged(rows):
    return [row for row in rows if not row["not_judged"]]


def errors(rows, which):
    return [abs(row[which]) for row in judged(rows) if row.get(which) is not None]


def figures(rows):
    """Sentences on all judged rows: median and worst, of ours, coupled and not, and of SMPI's, on the same rows too."""
    sentences = [f"{len(judged(rows))} of {len(rows)} rows are judged."]
    both = [row for row in rows if row["smpi_off"] is not None]
    for name, of, which in (("farcast", rows, "off"), ("farcast --coupled", rows, "coupled_off"),
                            ("farcast, where SMPI can predict", both, "off"), ("SMPI", both, "smpi_off")):
        found = errors(of, which)
        if found:
            sentences.append(f"{name}: median {statistics.median(found):.1%}, worst {max(found):.1%} of {len(found)} rows.")
    sure = [row for row in judged(rows) if "interval_s" in row]
    if sure:
        half = statistics.median((row["interval_s"][1] - row["interval_s"][0]) / 2 / row["predicted_s"] for row in sure)
        sentences.append(f"90 % intervals: {statistics.mean(row['covered'] for row in sure):.0%} of the runs of {len(sure)} rows lie in them; "
                         f"half of an interval is {half:.1%} in the median.")
    return sentences


def within_limits(rows):
    found = errors(rows, "off")
    return bool(found) and statistics.median(found) <= MEDIAN and max(found) <= WORST


def shown(value, form=".1%"):
    return "-" if value is None else format(value, form).replace("%", " %")


def table_line(texts):
    return "| " + " | ".join(texts) + " |"


def apart(text):
    """With a space before each %."""
    return text.replace("%", " %").replace("  %", " %")


def spaced(texts):
    return table_line(map(apart, texts))


SUMMARY = ["network", "rows", "farcast: median error", "worst", "SMPI: median error", "worst", "runs within the 90 % interval",
           "half of an interval, median"]


def summary_cells(name, rows):
    ours, theirs = errors(rows, "off"), errors(rows, "smpi_off")
    sure = [row for row in judged(rows) if "interval_s" in row]
    middle, most = (lambda found: shown(statistics.median(found) if found else None)), (lambda found: shown(max(found, default=None)))
    half = [(row["interval_s"][1] - row["interval_s"][0]) / 2 / row["predicted_s"] for row in sure]
    return [name, str(len(ours)), f"**{middle(ours)}**", f"**{most(ours)}**", middle(theirs), most(theirs),
            shown(statistics.mean(row["covered"] for row in sure), ".0%") if sure else "-", middle(half)]


PAGE = ["program", "hosts", "measured s (least - most)", "predicted s (90 % of runs)", "off", "coupled off", "SMPI off", "computation off", "ready"]


def page_cells(row):
    measured, computation, why = row["measured"], row.get("computation"), row["not_judged"]
    low, high = row.get("interval_s", (row["predicted_least_s"], row["predicted_most_s"]))
    off = shown(row["off"], "+.1%")
    off = f"{off} ({why.split(':')[0]})" if why else f"**{off}**" if abs(row["off"]) > WORST else off
    return [row["program"], str(row["hosts"]), f"{measured['mean_s']:.3f} ({measured['least_s']:.3f} - {measured['most_s']:.3f})",
            f"{row['predicted_s']:.3f} ({low:.3f} - {high:.3f})", off, shown(row.get("coupled_off"), "+.1%"), shown(row["smpi_off"], "+.1%"),
            shown(computation["off"] if computation else None, "+.1%"), shown(measured["ready_s"] / measured["mean_s"])]


def markdown(rows, command):
    """The tables of calib/VALIDATION.md: all networks on a page, then each."""
    name_of = {network: "{} Mbit/s, {} us".format(*network.split(":")) for network in
               sorted({row["network"] for row in rows}, key=lambda network: [float(part) for part in network.split(":")])}
    lines = [f"    {command}", "", table_line(SUMMARY), "|---|" + "---:|" * (len(SUMMARY) - 1)]
    lines += [table_line(summary_cells(name, [row for row in rows if row["network"] == network])) for network, name in name_of.items()]
    lines += [table_line(summary_cells("all", rows)), ""]
    for network, name in name_of.items():
        of = sorted((row for row in rows if row["network"] == network), key=lambda row: (row["hosts"], row["program"]))
        lines += [f"### {name}", "", table_line(PAGE), "|---|" + "---:|" * (len(PAGE) - 1)]
        lines += [table_line(page_cells(row)) for row in of] + [""]
    return "\n".join(lines)
