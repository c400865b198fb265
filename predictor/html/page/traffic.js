// Who sends how much to whom.

function trafficSection(run, prediction) {
  const data = prediction.traffic, title = "Communication";
  if (!data.from.length) return section("traffic", title, null, el("p", { class: "none" }, "No messages were sent."));
  const box = el("div", { class: "card" }), place = el("div", { class: "matrix" });
  let what = "bytes", whose = "all";
  const value = i => {
    const all = data[what][i], inside = data["inside_" + what][i];
    return whose === "all" ? all : whose === "inside" ? inside : all - inside;
  };
  const text = v => (what === "bytes" ? figure.bytes(v) : figure.count(v) + " messages");
  const index = new Map(data.from.map((from, i) => [from * data.rows + data.to[i], i]));
  const name = row => (data.ranks_per_row === 1 ? `rank ${row}` : `ranks ${row * data.ranks_per_row} to ${Math.min(run.ranks, (row + 1) * data.ranks_per_row) - 1}`);
  const left = 52, top = 30;
  const sideOf = width => Math.min(width - left - 150, 520);
  const scaleOf = () => {
    const values = data.from.map((_, i) => value(i)).filter(v => v > 0);
    const most = d3.max(values) || 1, least = d3.min(values) || 1;
    return { most, least, colours: d3.scaleSequentialLog([Math.min(least, most / 1.0001), most], d3.interpolateRgbBasis([colour("heat-0"), colour("heat-1"), colour("heat-2"), colour("heat-3")])) };
  };
  const chart = canvasChart(place, width => sideOf(width) + top + 8, (context, width) => {
    const side = sideOf(width), cell = side / data.rows, { most, least, colours } = scaleOf();
    context.fillStyle = colour("empty");
    context.fillRect(left, top, side, side);
    for (let i = 0; i < data.from.length; ++i) {
      const v = value(i);
      if (!(v > 0)) continue;
      context.fillStyle = colours(v);
      const x = left + data.to[i] * cell, y = top + data.from[i] * cell, gap = cell > 5 ? 1 : 0;
      context.fillRect(x, y, Math.max(cell - gap, cell > 1 ? 0.8 : 1), Math.max(cell - gap, cell > 1 ? 0.8 : 1));
    }
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    const every = Math.max(1, Math.ceil(26 / cell)), step = [1, 2, 4, 8, 16, 32, 64, 128].find(s => s >= every) || every;
    for (let row = 0; row < data.rows; row += step) {
      context.textAlign = "right";
      context.fillText(row * data.ranks_per_row, left - 6, top + (row + 0.5) * cell);
      context.textAlign = "center";
      context.fillText(row * data.ranks_per_row, left + (row + 0.5) * cell, top - 8);
    }
    context.textAlign = "left";
    context.fillText("to rank →", left, top - 22);
    context.save();
    context.translate(10, top + side);
    context.rotate(-Math.PI / 2);
    context.fillText("← from rank", Math.max(0, side - 72), 0);
    context.restore();
    const at = left + side + 22, tall = Math.min(200, side);
    for (let i = 0; i < tall; ++i) {
      context.fillStyle = colours(Math.exp(Math.log(most) - (i / tall) * (Math.log(most) - Math.log(Math.min(least, most / 1.0001)))));
      context.fillRect(at, top + i, 14, 1);
    }
    context.fillStyle = colour("muted");
    context.fillText(text(most), at + 20, top + 6);
    if (least < most) context.fillText(text(least), at + 20, top + tall - 6);
  });
  chart.canvas.addEventListener("pointermove", event => {
    const at = chart.canvas.getBoundingClientRect(), cell = sideOf(at.width) / data.rows;
    const to = Math.floor((event.clientX - at.left - left) / cell), from = Math.floor((event.clientY - at.top - top) / cell);
    if (to < 0 || from < 0 || to >= data.rows || from >= data.rows) return tooltip.hide();
    const i = index.get(from * data.rows + to);
    tooltip.show(event, [`${name(from)} → ${name(to)}`, i === undefined ? "nothing" : `${figure.bytes(data.bytes[i])} in ${figure.count(data.messages[i])} messages`,
      i !== undefined && data.inside_messages[i] ? `of these inside collectives: ${figure.bytes(data.inside_bytes[i])} in ${figure.count(data.inside_messages[i])}` : null]);
  });
  chart.canvas.addEventListener("pointerleave", () => tooltip.hide());
  const bytes = sum(data.bytes), messages = sum(data.messages), inside = sum(data.inside_bytes);
  const beside = el("div", { class: "beside" });
  box.append(el("p", {}, `${figure.count(messages)} messages with ${figure.bytes(bytes)}, of these ${figure.bytes(inside)} (${figure.share(bytes ? inside / bytes : 0)}) inside collectives.`),
    el("div", { class: "tools" }, choice("what", [["bytes", "bytes"], ["messages", "messages"]], "bytes", v => { what = v; chart.render(); }),
      choice("whose", [["all", "all"], ["own", "the program's own"], ["inside", "inside collectives"]], "all", v => { whose = v; chart.render(); })), beside);
  beside.append(place);
  const pairs = data.from.map((from, i) => ({ from, to: data.to[i], bytes: data.bytes[i], messages: data.messages[i] })).sort((a, b) => b.bytes - a.bytes).slice(0, 200);
  place.after(sortable([
    { name: "from", of: p => p.from, text: p => name(p.from) },
    { name: "to", of: p => p.to, text: p => name(p.to) },
    { name: "bytes", of: p => p.bytes, text: p => figure.bytes(p.bytes), right: true, bar: p => p.bytes },
    { name: "messages", of: p => p.messages, text: p => figure.count(p.messages), right: true },
  ], pairs, { sort: 2, rows: 10, id: "pairs-table" }));
  if (data.ranks_per_row > 1) box.append(el("p", { class: "note" }, `A row stands for ${data.ranks_per_row} ranks.`));
  return section("traffic", title, "Payload from rank to rank; colours go by the logarithm.", box);
}
