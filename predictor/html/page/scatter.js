// Runs and platforms beside each other: verdict, table, energy against time.

// A run's program, and its files where others are of the same one.
function runName(doc, r) {
  const name = shortProgram(doc.runs[r].program);
  const twins = doc.runs.filter(run => shortProgram(run.program) === name).length;
  return twins > 1 ? `${name} (${doc.runs[r].files.map(shortName).join(", ")})` : name;
}

// One row per run and platform, and per run what was measured.
function pointsOf(doc) {
  const out = [];
  doc.runs.forEach((run, r) => {
    const label = runName(doc, r);
    run.predictions.forEach((p, i) => out.push({ run, r, p: i, prediction: p, label, platform: p.platform, time: p.time_s, energy: p.energy_j, power: p.average_power_w,
      edp: p.edp_js, nodes: p.nodes, ranks: run.ranks, cost: costOf(p.energy_j, doc.price), complete: p.complete }));
    out.push({ run, r, p: null, label, platform: "really measured", time: run.measured.wall_s, energy: null, power: null, edp: null,
      nodes: Object.keys(run.measured.ranks_on).length, ranks: run.ranks, cost: null, complete: run.complete });
  });
  return out;
}

// What the realisations of an ordered transport differ in.
function uncertainty(prediction) {
  const sure = prediction.confidence, r = prediction.realisations;
  if (sure && sure.time_s) {
    const [low, high] = sure.time_s, off = Math.max(prediction.time_s - low, high - prediction.time_s) / prediction.time_s;
    const parts = [["computation", sure.variance_shares.computation], ["calibration", sure.variance_shares.calibration], ["chance on the network", sure.variance_shares.chance], ["the models' own error", sure.variance_shares.model]]
      .filter(([, x]) => x >= 0.005).sort((a, b) => b[1] - a[1]);
    return `±${figure.share(off)}: 9 of 10 runs take ${figure.time(low)} to ${figure.time(high)}` + (sure.energy_j ? `, ${figure.energy(sure.energy_j[0])} to ${figure.energy(sure.energy_j[1])}` : "") +
      (parts.length ? `; of the variance ${parts.map(([name, x]) => `${(100 * x).toFixed(0)} % ${name}`).join(", ")}` : "");
  }
  const dear = sure && sure.too_dear ? "no ±: it takes 20 predictions with other draws (--ensemble 20)" : null;
  if (!r) return dear;
  const mean = r.known_to === null ? "" : `, the mean known to ${figure.share(r.known_to)}`;
  return `${r.count} realisation${r.count === 1 ? "" : "s"}: ${figure.time(r.time_s.least)} to ${figure.time(r.time_s.most)}${mean}${dear ? `; ${dear}` : ""}`;
}

function shareBar(prediction) {
  const totals = ACTIVITIES.map(a => sum(prediction.ranks[a.key + "_s"])), all = sum(totals) || 1;
  return el("div", {}, el("div", { class: "split" }, totals.map((t, i) => (t > 0 ? el("span", { style: `flex-grow:${t / all};background:var(--activity-${ACTIVITIES[i].key})`,
    title: `${ACTIVITIES[i].name} ${figure.share(t / all)}` }) : null))),
  el("p", { class: "shares" }, totals.map((t, i) => [t / all, ACTIVITIES[i]]).sort((a, b) => b[0] - a[0]).slice(0, 4).filter(([x]) => x >= 0.0005)
    .map(([x, a]) => el("span", {}, el("i", { class: "swatch", style: `background:var(--activity-${a.key})` }), `${a.name} ${figure.share(x)}`))));
}

function headline(run, price) {
  const whole = run.predictions.filter(p => p.complete);
  if (!whole.length) return "No prediction gets to its end: see what is wrong below.";
  const fastest = whole.reduce((a, b) => (b.time_s < a.time_s ? b : a));
  const withEnergy = whole.filter(p => p.energy_j !== null);
  const frugal = withEnergy.length ? withEnergy.reduce((a, b) => (b.energy_j < a.energy_j ? b : a)) : null;
  const among = whole.length > 1 ? ` of ${whole.length} platforms` : "";
  let text = `${shortProgram(run.program)} takes ${figure.time(fastest.time_s)}`;
  if (fastest.energy_j !== null) text += ` and ${figure.energy(fastest.energy_j)}`;
  text += ` on ${shortName(fastest.platform)}`;
  if (price && fastest.energy_j !== null) text += `, at a price of ${money(costOf(fastest.energy_j, price), price)}`;
  if (frugal === fastest && among) text += `: the fastest and the one with least energy${among}`;
  else if (among) text += `: the fastest${among}` + (frugal ? `; ${shortName(frugal.platform)} takes least energy, ${figure.energy(frugal.energy_j)}` : "");
  return text + ".";
}

function verdictSection(run, doc, selected, pick) {
  const best = key => { const v = run.predictions.filter(p => p.complete && p[key] !== null).map(p => p[key]); return v.length > 1 ? Math.min(...v) : NaN; };
  const fastest = best("time_s"), frugal = best("energy_j");
  const figureRow = (name, text) => el("div", {}, el("dt", {}, name), el("dd", {}, text));
  const cards = run.predictions.map((p, i) => el("button", { type: "button", class: "verdict" + (i === selected ? " selected" : ""), "aria-pressed": i === selected ? "true" : "false", onclick: () => pick(i) },
    el("div", { class: "name" }, shortName(p.platform), el("span", { class: "badges" }, p.time_s === fastest ? el("b", {}, "fastest") : null, p.energy_j !== null && p.energy_j === frugal ? el("b", { class: "green" }, "least energy") : null,
      p.complete ? null : el("b", { class: "red" }, "incomplete"))),
    el("div", { class: "big" }, figure.time(p.time_s)),
    uncertainty(p) ? el("div", { class: "interval" }, uncertainty(p)) : null,
    el("dl", {}, figureRow("energy", figure.energy(p.energy_j)), figureRow("power", figure.power(p.average_power_w)), figureRow("EDP", figure.product(p.edp_js)),
      figureRow("nodes", `${p.nodes} for ${run.ranks} rank${run.ranks === 1 ? "" : "s"}`), doc.price ? figureRow("price", money(costOf(p.energy_j, doc.price), doc.price)) : null),
    shareBar(p), p.cautions.length ? el("div", { class: "caution" }, `${p.cautions.length} caution${p.cautions.length > 1 ? "s" : ""}: ${p.cautions[0]}`) : null,
    el("p", { class: "weak" }, run.weaknesses.filter(w => w.platforms.includes(i)).map(w => el("span", {}, w.phrase)))));
  const m = run.measured;
  cards.push(el("div", { class: "verdict measured" }, el("div", { class: "name" }, "really measured"), el("div", { class: "big" }, figure.time(m.wall_s)),
    el("dl", {}, figureRow("on", Object.entries(m.ranks_on).slice(0, 3).map(([host, ranks]) => `${host} (${ranks} rank${ranks === 1 ? "" : "s"})`).join(", ") + (Object.keys(m.ranks_on).length > 3 ? " …" : "")),
      figureRow("in MPI", figure.share(m.mpi_s / m.app_s)), figureRow("library", run.mpi.library), figureRow("recorded", dateText(run.start))),
    run.complete ? null : el("div", { class: "caution" }, "the recording is not whole: see the notes at the end"),
    el("p", { class: "weak" }, run.weaknesses.filter(w => !w.platforms.length).map(w => el("span", {}, w.phrase)))));
  return section("verdict", "Verdict", headline(run, doc.price), el("div", { class: "verdicts" }, cards),
    el("p", { class: "note" }, run.basis + ".", run.weaknesses.length ? " What weakens the figures stands on yellow; the whole sentences are " : " More of it is ", el("a", { href: "#basis" }, "at the end"), "."));
}

function compareSection(doc, state, pick) {
  const points = pointsOf(doc), box = el("div", { class: "card" });
  const several = doc.runs.length > 1;
  const columns = [
    several ? { name: "run", of: p => `${p.label} ${p.r}`, text: p => p.label } : null,
    { name: "platform", of: p => p.platform, text: p => (p.p === null ? el("em", {}, p.platform) : el("button", { type: "button", class: "link", title: "show it", onclick: () => pick(p.r, p.p) }, shortName(p.platform))) },
    { name: "time", of: p => p.time, text: p => [figure.time(p.time), p.complete ? "" : " (incomplete)"], right: true, bar: p => p.time },
    { name: "energy", of: p => p.energy, text: p => figure.energy(p.energy), right: true, bar: p => p.energy },
    { name: "avg. power", of: p => p.power, text: p => figure.power(p.power), right: true },
    { name: "EDP", of: p => p.edp, text: p => figure.product(p.edp), right: true, title: "energy x time" },
    { name: "nodes", of: p => p.nodes, text: p => figure.count(p.nodes), right: true },
    { name: "ranks", of: p => p.ranks, text: p => figure.count(p.ranks), right: true },
    doc.price ? { name: "price", of: p => p.cost, text: p => money(p.cost, doc.price), right: true } : null,
  ].filter(Boolean);
  box.append(sortable(columns, points, { sort: several ? 2 : 1, up: true, rows: 30, id: "runs-table", mark: p => p.r === state.run && p.p === state.platform,
    search: p => `${p.label} ${p.platform} ${p.run.files.join(" ")}` }));
  if (doc.price) box.append(el("p", { class: "note" }, `Price of the energy of the used nodes at ${doc.price.per_kwh}${doc.price.currency ? " " + doc.price.currency : ""}/kWh.`));
  return section("runs", several ? "Runs and platforms" : "Platforms", "All of this report in one table.", box);
}

// A point of a sweep in words: what of it is not usual.
function sweepText(point) {
  const words = [shortName(point.platform || "")];
  if (point.ppn) words.push(`${point.ppn} ranks per node`);
  if (point.frequency_hz) words.push(`${(point.frequency_hz / 1e9).toPrecision(3)} GHz`);
  if (point.bandwidth && point.bandwidth !== 1) words.push(`bandwidth x${point.bandwidth}`);
  if (point.latency && point.latency !== 1) words.push(`latency x${point.latency}`);
  if (point.mpi_wait && point.mpi_wait !== "poll") words.push(`waits ${point.mpi_wait}`);
  if (point.policy && point.policy !== "none") words.push(`policy ${point.policy}`);
  for (const [site, factor] of Object.entries(point.speedups || {})) if (factor !== 1) words.push(`${site} x${factor}`);
  return words.join(", ");
}

// Marks points than which no other of the same work (`set`) is at least as good in time and energy, and better in one of them.
function markFront(points) {
  for (const set of new Set(points.map(p => p.set))) markFrontOf(points.filter(p => p.set === set));
  return points;
}

function markFrontOf(points) {
  const order = points.sort((a, b) => a.time - b.time || a.energy - b.energy);
  let least = Infinity, last = null;
  for (const p of order) {
    p.front = p.energy < least || (last && p.energy === last.energy && p.time === last.time);
    if (p.energy < least) { least = p.energy; last = p; }
  }
}

// Names beside points, where they cover neither another name nor a point; others have the tooltip.
function writeLabels(svg, labels, width, points) {
  const taken = points.map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
  const free = box => box[0] > 70 && box[2] < width && taken.every(t => box[2] < t[0] || box[0] > t[2] || box[3] < t[1] || box[1] > t[3]);
  for (const label of labels) {
    const text = svg.append("text").attr("class", "label").text(label.text), long = text.node().getComputedTextLength();
    const places = [[label.x + 11, label.y - 6], [label.x + 11, label.y + 16], [label.x - 11 - long, label.y - 6], [label.x - 11 - long, label.y + 16], [label.x - long / 2, label.y - 14], [label.x - long / 2, label.y + 24]];
    const at = places.find(([left, base]) => free([left, base - 11, left + long, base + 3]));
    if (!at) { text.remove(); continue; }
    text.attr("x", at[0]).attr("y", at[1]);
    taken.push([at[0], at[1] - 11, at[0] + long, at[1] + 3]);
  }
}

function scatterSection(doc) {
  const title = "Energy against time";
  const setOf = (program, ranks) => `${shortProgram(program)}, ${ranks} ranks`;
  const own = pointsOf(doc).filter(p => p.p !== null && p.complete && p.energy !== null)
    .map(p => ({ time: p.time, energy: p.energy, kind: "report", text: `${doc.runs.length > 1 ? p.label + ", " : ""}${shortName(p.platform)}`, nodes: p.nodes, platform: shortName(p.platform), set: setOf(p.run.program, p.ranks) }));
  const swept = doc.sweep ? doc.sweep.points.filter(p => p.time_s !== undefined && p.time_s !== null && p.energy_j !== null && p.energy_j !== undefined && p.complete !== false)
    .map(p => ({ time: p.time_s, energy: p.energy_j, kind: "sweep", text: sweepText(p), nodes: p.nodes, platform: shortName(p.platform || ""), set: setOf(doc.sweep.program, doc.sweep.ranks) })) : [];
  const points = markFront([...swept, ...own]), sets = [...new Set(points.map(p => p.set))];
  for (const p of points) p.group = sets.length > 1 ? p.set : p.platform;
  if (!points.length) return section("pareto", title, null, el("p", { class: "none" }, "No platform has power figures."));
  const box = el("div", { class: "card" }), place = el("div", {}), groups = [...new Set(points.map(p => p.group))];
  const hue = group => `var(--series-${groups.indexOf(group) % 8})`;
  let logarithmic = d3.max(points, p => p.time) / d3.min(points, p => p.time) > 20;
  const chart = svgChart(place, 340, (svg, width, height) => {
    const grow = ([a, b]) => (logarithmic ? [a / 1.15, b * 1.15] : [Math.max(0, a - (b - a || a) * 0.12), b + (b - a || b) * 0.12]);
    const scale = (values, range) => (logarithmic ? d3.scaleLog(grow(d3.extent(values)), range) : d3.scaleLinear(grow(d3.extent(values)), range).nice());
    const x = scale(points.map(p => p.time), [70, width - 24]), y = scale(points.map(p => p.energy), [height - 44, 12]);
    svg.append("g").attr("class", "axis grid").attr("transform", `translate(0,${height - 44})`).call(d3.axisBottom(x).ticks(6).tickSize(-(height - 56)).tickPadding(12).tickFormat(t => plain(figure.time(t))));
    svg.append("g").attr("class", "axis grid").attr("transform", "translate(70,0)").call(d3.axisLeft(y).ticks(5).tickSize(-(width - 94)).tickFormat(t => plain(figure.energy(t))));
    svg.append("text").attr("class", "label").attr("x", width - 24).attr("y", height - 6).attr("text-anchor", "end").text("time →");
    svg.append("text").attr("class", "label").attr("transform", "rotate(-90)").attr("x", -12).attr("y", 14).attr("text-anchor", "end").text("energy →");
    const front = points.filter(p => p.front).sort((a, b) => a.time - b.time);
    for (const one of sets.map(set => front.filter(p => p.set === set))) if (one.length > 1) svg.append("path").attr("class", "front").attr("d", d3.line().x(p => x(p.time)).y(p => y(p.energy)).curve(d3.curveStepAfter)(one));
    svg.append("g").selectAll("circle").data(points).join("circle").attr("class", p => "point" + (p.front ? " on-front" : "")).attr("cx", p => x(p.time)).attr("cy", p => y(p.energy))
      .attr("r", p => (p.kind === "report" ? 7 : 4.5)).style("fill", p => hue(p.group))
      .on("mousemove", p => tooltip.show(d3.event, [p.text, `${figure.time(p.time)}, ${figure.energy(p.energy)}`, p.nodes ? `${p.nodes} nodes` : null, sets.length > 1 && p.kind === "sweep" ? p.set : null, p.front ? "no other is better in both" : null]))
      .on("mouseleave", () => tooltip.hide());
    const named = points.length <= 12 ? points : front.slice(0, 12);
    writeLabels(svg, named.map(p => ({ x: x(p.time), y: y(p.energy), text: p.text })), width, points.map(p => [x(p.time), y(p.energy)]));
  });
  box.append(el("div", { class: "tools" }, choice("scale", [["lin", "linear"], ["log", "logarithmic"]], logarithmic ? "log" : "lin", v => { logarithmic = v === "log"; chart.render(); }),
    legend([...groups.map(g => [g, hue(g)]), ["ringed: no other of the same work is better in time and energy", "var(--ink)"]])), place);
  if (doc.sweep) {
    const left = doc.sweep.all_points - doc.sweep.points.length;
    box.append(el("h3", {}, `The sweep of ${shortProgram(doc.sweep.program)} with ${doc.sweep.ranks} ranks`), sortable([
      { name: "point", of: p => p.text, text: p => p.text },
      { name: "time", of: p => p.time, text: p => figure.time(p.time), right: true, bar: p => p.time },
      { name: "energy", of: p => p.energy, text: p => figure.energy(p.energy), right: true, bar: p => p.energy },
      { name: "EDP", of: p => p.energy * p.time, text: p => figure.product(p.energy * p.time), right: true },
      { name: "nodes", of: p => p.nodes, text: p => figure.count(p.nodes), right: true },
      doc.price ? { name: "price", of: p => p.energy, text: p => money(costOf(p.energy, doc.price), doc.price), right: true } : null,
      { name: "front", of: p => (p.front ? 1 : 0), text: p => (p.front ? "●" : ""), right: true },
    ].filter(Boolean), swept, { sort: 3, up: true, rows: 10, id: "sweep-table", search: p => p.text, mark: p => p.front }),
    el("p", { class: "note" }, left > 0 ? `${left} further points of the sweep are left out.` : "Marked: no other is better in time and energy."));
  }
  return section("pareto", title, doc.sweep ? "The points of the sweep, and of this report." : "Each run on each platform; `farcast whatif --json` and --sweep add more points.", box);
}
