// What each rank's time goes into, and what the time of the run hangs on.

function ranksSection(run, prediction) {
  const ranks = prediction.ranks, count = run.ranks, box = el("div", { class: "card" });
  const series = ACTIVITIES.map(a => ranks[a.key + "_s"]);
  const used = series.map(list => list.some(v => v > 0));
  const orders = { rank: d3.range(count), compute: d3.range(count).sort((a, b) => series[0][b] - series[0][a] || a - b),
    waiting: d3.range(count).sort((a, b) => series[4][b] - series[4][a] || a - b) };
  let order = orders.rank;
  const place = el("div", {});
  box.append(el("div", { class: "tools" }, el("span", {}, "order"), choice("order", [["rank", "rank"], ["compute", "computing"], ["waiting", "waiting"]], "rank",
    value => { order = orders[value]; chart.render(); }), activityLegend(used)), place);
  const left = MARGIN.left, bottom = 24;
  const chart = canvasChart(place, 240, (context, width, height) => {
    const colours = activityColours(), plot = height - bottom - 6, wide = width - left - MARGIN.right;
    const y = d3.scaleLinear([0, prediction.time_s || 1], [plot + 6, 6]);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of y.ticks(4)) {
      context.fillStyle = colour("line");
      context.fillRect(left, y(tick), wide, 1);
      context.fillStyle = colour("muted");
      context.fillText(plain(figure.time(tick)), left - 6, y(tick));
    }
    const step = Math.min(wide / count, 120), gap = step >= 4 ? Math.min(4, step * 0.2) : 0;
    order.forEach((rank, i) => {
      let reached = 0;
      for (let a = 0; a < KINDS; ++a) {
        const seconds = series[a][rank];
        if (!(seconds > 0)) continue;
        context.fillStyle = colours[a];
        const top = y(reached + seconds);
        context.fillRect(left + i * step, top, Math.max(step - gap, 0.5), y(reached) - top);
        reached += seconds;
      }
    });
    context.fillStyle = colour("muted");
    context.textAlign = "center";
    context.textBaseline = "top";
    const every = Math.max(1, Math.ceil(34 / step));
    for (let i = 0; i < count; i += every) context.fillText(order[i], left + (i + 0.5) * step, plot + 11);
  });
  chart.canvas.addEventListener("pointermove", event => {
    const at = chart.canvas.getBoundingClientRect(), step = Math.min((at.width - left - MARGIN.right) / count, 120);
    const rank = order[Math.floor((event.clientX - at.left - left) / step)];
    if (rank === undefined || event.clientX - at.left < left) return tooltip.hide();
    tooltip.show(event, [`rank ${rank}` + (prediction.line.hosts[rank] ? " on " + prediction.line.hosts[rank] : ""),
      ...ACTIVITIES.map((a, i) => (series[i][rank] > 0 ? `${a.name} ${figure.time(series[i][rank])} (${figure.share(series[i][rank] / prediction.time_s)})` : null)),
      ranks.energy_j[rank] === null ? null : figure.energy(ranks.energy_j[rank]), `${figure.bytes(ranks.sent_bytes[rank])} sent in ${figure.count(ranks.messages[rank])} messages`]);
  });
  chart.canvas.addEventListener("pointerleave", () => tooltip.hide());
  box.append(sortable([
    { name: "", of: a => a.name, text: a => [el("i", { class: "swatch", style: `background:var(--activity-${a.key})` }), a.name] },
    { name: "share", of: a => a.total, text: a => figure.share(a.total / (prediction.time_s * count)), right: true, bar: a => a.total },
    { name: "least", of: a => a.min, text: a => figure.time(a.min), right: true },
    { name: "mean", of: a => a.total, text: a => figure.time(a.total / count), right: true },
    { name: "most", of: a => a.max, text: a => figure.time(a.max), right: true },
    { name: "of rank", of: a => a.worst, text: a => String(a.worst), right: true },
  ], ACTIVITIES.map((a, i) => ({ ...a, total: sum(series[i]), min: d3.min(series[i]), max: d3.max(series[i]), worst: series[i].indexOf(d3.max(series[i])) })).filter((a, i) => used[i]),
  { id: "ranks-table" }));
  return section("ranks", "Ranks", `How each rank spends the ${figure.time(prediction.time_s)} on ${shortName(prediction.platform)}.`, box);
}

function pathSection(run, prediction) {
  const found = prediction.bottlenecks, title = "Critical path and waiting";
  if (!found || !found.path.length) return section("path", title, null, el("p", { class: "none" }, "The prediction does not get to its end: there is no critical path."));
  const box = el("div", { class: "card" }), whole = prediction.time_s;
  const kinds = { compute: ["computing", "compute"], call: ["in MPI calls", "point_to_point"], message: ["messages under way", "collective"] };
  const totals = Object.fromEntries(Object.keys(kinds).map(kind => [kind, sum(found.path.filter(p => p.part === kind).map(p => p.time_s))]));
  const rank = found.path_on_rank_s.indexOf(d3.max(found.path_on_rank_s));
  box.append(el("p", {}, `The chain of computation, calls and messages that the ${figure.time(whole)} hang on. Most of it, ${figure.share(found.path_on_rank_s[rank] / whole)}, lies on rank ${rank}.`),
    el("div", { class: "split" }, Object.entries(kinds).map(([kind, [name, key]]) => (totals[kind] > 0 ? el("span", {
      style: `flex-grow:${Math.max(totals[kind] / whole, 0.001)};background:var(--activity-${key})`, title: `${name} ${figure.share(totals[kind] / whole)}` }) : null))),
    legend(Object.entries(kinds).map(([kind, [name, key]]) => [`${name} ${figure.share(totals[kind] / whole)}`, `var(--activity-${key})`])));
  box.append(sortable([
    { name: "part", of: p => p.part, text: p => [el("i", { class: "swatch", style: `background:var(--activity-${kinds[p.part][1]})` }), kinds[p.part][0]] },
    { name: "where", of: p => p.place, text: p => el("span", { class: "place" }, p.place) },
    { name: "time", of: p => p.time_s, text: p => figure.time(p.time_s), right: true },
    { name: "of the path", of: p => p.time_s, text: p => figure.share(p.time_s / whole), right: true, bar: p => p.time_s },
  ], found.path, { sort: 2, rows: 10, id: "path-table", search: p => `${p.place} ${p.text}` }));
  if (found.wait_sites.length) box.append(el("h3", {}, "Waiting, of all ranks"), sortable([
    { name: "call", of: w => w.place, text: w => el("span", { class: "place" }, w.place) },
    { name: "late sender", of: w => w.late_sender_s, text: w => figure.time(w.late_sender_s), right: true, title: "a receive was there before its send" },
    { name: "late receiver", of: w => w.late_receiver_s, text: w => figure.time(w.late_receiver_s), right: true, title: "a send was there before its receive" },
    { name: "at collectives", of: w => w.collective_s, text: w => figure.time(w.collective_s), right: true, title: "before those had entered whose data is needed" },
    { name: "other", of: w => w.other_s, text: w => figure.time(w.other_s), right: true },
    { name: "all", of: w => w.sum_s, text: w => figure.time(w.sum_s), right: true, bar: w => w.sum_s },
  ], found.wait_sites.filter(w => w.sum_s > 0), { sort: 5, rows: 8 }));
  const uneven = found.imbalance.filter(r => r.above_s > 0);
  if (uneven.length) box.append(el("h3", {}, "Imbalance of computation"), sortable([
    { name: "region", of: r => r.place, text: r => el("span", { class: "place" }, r.place) },
    { name: "slowest rank", of: r => r.most_s, text: r => figure.time(r.most_s), right: true },
    { name: "mean", of: r => r.mean_s, text: r => figure.time(r.mean_s), right: true },
    { name: "above the mean", of: r => r.above_s, text: r => figure.time(r.above_s), right: true, bar: r => r.above_s },
  ], uneven, { sort: 3, rows: 6 }));
  return section("path", title, "What the time hangs on: make this shorter, and the run gets shorter.", box);
}
