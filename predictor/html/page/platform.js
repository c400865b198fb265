// What the platform's figures come to, and what all of this rests on.

function platformSection(prediction) {
  const box = el("div", { class: "card" }), { bytes, ways } = prediction.messages;
  box.append(el("h3", {}, "One message, until its receive returns"),
    el("div", { class: "scroll" }, el("table", { id: "messages-table" }, el("thead", {}, el("tr", {}, el("th", {}, ""), bytes.map(b => el("th", { class: "right" }, sizeText(b))), el("th", { class: "right" }, "bandwidth at 1 MB"))),
      el("tbody", {}, ways.map(way => el("tr", {}, el("td", {}, way.where, el("span", { class: "function" }, way.from === way.to ? ` ${way.from}` : ` ${way.from} → ${way.to}`)),
        way.seconds.map(s => el("td", { class: "right" }, figure.time(s))), el("td", { class: "right" }, figure.rate(bytes[bytes.length - 1] / way.seconds[way.seconds.length - 1]))))))),
    el("p", { class: "note" }, "Both ranks are ready at once, nothing else is under way, connections are open."));
  if (prediction.collectives.length) {
    box.append(el("h3", {}, "Algorithms of collective calls"), el("div", { class: "algorithms", id: "algorithms" }, prediction.collectives.map(c => el("div", {}, el("h4", {}, c.call,
      c.counts ? el("span", { class: "function" }, ` by the bytes ${c.counts}`) : null), el("ul", {}, c.ranges.map((range, i) => {
      const next = c.ranges[i + 1];
      const size = c.ranges.length === 1 ? "any size" : next ? (range.from_bytes <= 1 ? `below ${sizeText(next.from_bytes)}` : `${sizeText(range.from_bytes)} to ${sizeText(next.from_bytes - 1)}`) : `from ${sizeText(range.from_bytes)} on`;
      return el("li", {}, el("span", { class: "place" }, range.algorithm), ` ${size}`);
    }))))), el("p", { class: "note" }, "As the MPI library chooses for a communicator of all ranks; of those calls that the program makes."));
  }
  box.append(el("h3", {}, "What the platform file asks for and is not modelled"),
    prediction.not_modelled.length ? el("ul", { id: "not-modelled" }, prediction.not_modelled.map(s => el("li", {}, s))) : el("p", { id: "not-modelled" }, "Nothing: all that it says is used."));
  return section("platform", "Effective parameters", `What the figures of ${shortName(prediction.platform)} come to.`, box);
}

function sentences(title, list, kind) {
  return list && list.length ? [el("h3", {}, title), el("ul", { class: kind }, list.map(s => el("li", {}, s)))] : null;
}

function basisSection(doc, run, prediction) {
  const box = el("div", { class: "card" });
  const rows = [["placement", prediction.placement], ["computation", prediction.compute_speed], ["messages", "transport model " + prediction.transport],
    ["cores per rank", prediction.cpus_per_rank]];
  if (prediction.energy_parts_j) rows.push(["energy", Object.entries({ "idle and static": "baseline", computing: "computing", "polling in MPI": "polling", probing: "probing" })
    .map(([name, key]) => `${name} ${figure.energy(prediction.energy_parts_j[key])}`).join(", ")]);
  if (prediction.slowdowns) rows.push(["slowdowns", prediction.slowdowns.source]);
  if (run.measured.pushed_aside) rows.push(["taken out", `${figure.share(run.measured.pushed_aside.share)} of the ranks' time, when they could have run and something else had their core`]);
  if (run.measured.overhead_share !== null) rows.push(["recording", `made the run ${figure.share(run.measured.overhead_share)} longer`]);
  if (run.time_dependent_decisions) rows.push(["outcomes", `${figure.count(run.time_dependent_decisions)} that depend on timing were taken as they happened${run.coupled_to ? " on " + run.coupled_to : ""}`]);
  const facts = list => el("table", { class: "facts" }, el("tbody", {}, list.map(([name, text]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, text)))));
  box.append(facts(rows), ...[sentences("Why these figures may be far off", prediction.cautions, "cautions"), sentences("What went wrong", prediction.problems, "cautions"), sentences("Assumed", prediction.assumptions),
    sentences("Notes on the recording", [...run.notes, ...run.measured.crowded_threads])].flat().filter(Boolean));
  if (run.unmodelled.length) box.append(el("h3", {}, "Calls taken at their measured time"), sortable([
    { name: "function", of: u => u.function, text: u => u.function },
    { name: "calls", of: u => u.count, text: u => figure.count(u.count), right: true },
    { name: "time", of: u => u.total_s, text: u => figure.time(u.total_s), right: true },
  ], run.unmodelled, { sort: 2, rows: 8 }));
  const command = text => el("div", { class: "command" }, el("code", {}, text), copyButton(text));
  box.append(el("h3", {}, "Where it comes from"), facts([["program", run.program], ["executable", run.executable], ["recorded", dateText(run.start)], ["with", `${run.mpi.library}: ${run.mpi.version}`],
    ["run files", run.files.join(", ")], ["calls", `${figure.count(run.records.recorded)} recorded, ${figure.count(run.records.refused)} refused`], ["recorded by", "farcast " + run.recorded_by],
    ["this page", `farcast ${doc.farcast}, ${dateText(doc.created)}`]]), el("h3", {}, "The command that made this page"), command(doc.command));
  return section("basis", "What it rests on", "These are predictions from models, not measurements.", box);
}
