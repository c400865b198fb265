// Power and links over time, in the window of the time lines.

function powerSection(prediction, window) {
  const power = prediction.power;
  if (!power || !power.watts.length)
    return section("power", "Power over time", null, el("p", { class: "none" }, "The platform has no power figures for these hosts."));
  const box = el("div", { class: "card" });
  const line = el("div", {}), heat = el("div", {});
  box.append(el("h3", {}, `${power.all_nodes === 1 ? "One node" : power.all_nodes + " nodes together"}: ${figure.energy(prediction.energy_j)}, ${figure.power(prediction.average_power_w)} in the mean`), line);
  const at = d3.bisector(d => d).right;
  const chart = svgChart(line, 190, (svg, width, height) => {
    const x = window.scale(width), bottom = height - 24;
    const y = d3.scaleLinear([0, d3.max(power.watts) * 1.08 || 1], [bottom, 8]).nice(4);
    svg.append("defs").append("clipPath").attr("id", "power-clip").append("rect").attr("x", MARGIN.left).attr("y", 0)
      .attr("width", Math.max(0, width - MARGIN.left - MARGIN.right)).attr("height", bottom);
    svg.append("g").attr("class", "axis grid").attr("transform", `translate(${MARGIN.left},0)`)
      .call(d3.axisLeft(y).ticks(4).tickSize(-(width - MARGIN.left - MARGIN.right)).tickFormat(w => plain(figure.power(w))));
    const points = power.begin_s.map((t, i) => [t, power.watts[i]]);
    points.push([power.end_s, power.watts[power.watts.length - 1]]);
    const clipped = svg.append("g").attr("clip-path", "url(#power-clip)");
    clipped.append("path").attr("class", "fill").attr("d", d3.area().x(d => x(d[0])).y0(bottom).y1(d => y(d[1])).curve(d3.curveStepAfter)(points));
    clipped.append("path").attr("class", "stroke").attr("d", d3.line().x(d => x(d[0])).y(d => y(d[1])).curve(d3.curveStepAfter)(points));
    if (prediction.average_power_w)
      clipped.append("line").attr("class", "mean").attr("x1", MARGIN.left).attr("x2", Math.max(MARGIN.left, x(power.end_s))).attr("y1", y(prediction.average_power_w)).attr("y2", y(prediction.average_power_w));
    timeAxis(svg, x, bottom, width);
    svg.on("mousemove", () => {
      const time = x.invert(d3.mouse(svg.node())[0]);
      if (time < 0 || time > power.end_s) return tooltip.hide();
      tooltip.show(d3.event, [figure.power(power.watts[Math.max(0, at(power.begin_s, time) - 1)]), `at ${time.toPrecision(5)} s`]);
    }).on("mouseleave", () => tooltip.hide());
  });
  window.listeners.push(() => { if (line.isConnected) later(chart.render); });
  if (power.nodes.length > 1) {
    box.append(el("h3", {}, power.nodes.length < power.all_nodes ? `The first ${power.nodes.length} of ${power.all_nodes} nodes` : "Node by node"), heat);
    const most = d3.max(power.nodes, n => d3.max(n.watts)), least = d3.min(power.nodes, n => d3.min(n.watts));
    heatRows(heat, window, power.end_s, power.nodes.map(n => ({ name: n.host, values: n.watts })), [Math.min(least, most * 0.999), most],
      (row, value) => [row.name, figure.power(value)], figure.power);
  }
  return section("power", "Power over time", `What the nodes draw on ${shortName(prediction.platform)}.`, box);
}

// Rows of a value over time as colours.
function heatRows(place, window, end, rows, [least, most], tell, text) {
  const row = Math.max(7, Math.min(18, Math.floor(420 / rows.length))), label = 150;
  const ramp = () => d3.scaleSequential([least, most], d3.interpolateRgbBasis([colour("heat-0"), colour("heat-1"), colour("heat-2"), colour("heat-3")]));
  const chart = canvasChart(place, () => rows.length * row + 48, (context, width) => {
    const colours = ramp(), x = d3.scaleLinear([window.from, window.to], [label, width - MARGIN.right]);
    rows.forEach((one, i) => {
      const slices = one.values.length;
      context.save();
      context.beginPath();
      context.rect(label, i * row, width - MARGIN.right - label, row - 1);
      context.clip();
      const first = Math.max(0, Math.floor(window.from / end * slices)), last = Math.min(slices, Math.ceil(window.to / end * slices));
      for (let slice = first; slice < last; ++slice) {
        const x0 = Math.floor(x(slice * end / slices)), x1 = Math.ceil(x((slice + 1) * end / slices));
        context.fillStyle = colours(one.values[slice]);
        context.fillRect(x0, i * row, x1 - x0, row - 1);
      }
      context.restore();
      if (row < 11 && i % Math.ceil(11 / row)) return;
      context.fillStyle = colour("muted");
      context.textBaseline = "middle";
      context.textAlign = "right";
      context.fillText(fit(context, one.name, label - 10), label - 6, Math.max(7, i * row + row / 2));
    });
    const under = rows.length * row, [from, to] = x.domain(), unit = DOWN.find(([size]) => to >= size) || DOWN[3];
    const ticks = x.ticks(Math.max(3, Math.min(9, width / 130))), digits = ticks.length > 1 ? Math.max(0, Math.ceil(-Math.log10((ticks[1] - ticks[0]) / unit[0]) - 1e-9)) : 3;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of ticks) {
      context.fillStyle = colour("line");
      context.fillRect(x(tick), under, 1, 4);
      context.fillStyle = colour("muted");
      context.fillText((tick / unit[0]).toFixed(digits) + " " + unit[1] + "s", Math.min(width - 24, x(tick)), under + 6);
    }
    const y = under + 26, wide = Math.min(220, width - label - 160);
    for (let i = 0; i < wide; ++i) {
      context.fillStyle = colours(least + (most - least) * i / wide);
      context.fillRect(label + 70 + i, y + 4, 1, 10);
    }
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText(text(least), label + 64, y + 9);
    context.textAlign = "left";
    context.fillText(text(most), label + 76 + wide, y + 9);
  });
  chart.canvas.addEventListener("pointermove", event => {
    const at = chart.canvas.getBoundingClientRect(), index = Math.floor((event.clientY - at.top) / row);
    const x = d3.scaleLinear([window.from, window.to], [label, at.width - MARGIN.right]), time = x.invert(event.clientX - at.left);
    const one = rows[index];
    if (!one || event.clientX - at.left < label || time < 0 || time >= end) return tooltip.hide();
    tooltip.show(event, [...tell(one, one.values[Math.min(one.values.length - 1, Math.floor(time / end * one.values.length))]), `at ${time.toPrecision(5)} s`]);
  });
  chart.canvas.addEventListener("pointerleave", () => tooltip.hide());
  window.listeners.push(() => { if (place.isConnected) later(chart.render); });
}

// The text cut at its start to so many pixels.
function fit(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  while (text.length > 1 && context.measureText("…" + text).width > width) text = text.slice(1);
  return "…" + text;
}

function linksSection(prediction, window) {
  const { used, links } = prediction.links, end = prediction.line.end_s;
  const title = "Links over time";
  if (!links.length) return section("links", title, null, el("p", { class: "none" }, "No link that messages share was used."));
  const box = el("div", { class: "card" }), heat = el("div", {});
  const most = Math.max(1e-9, d3.max(links, l => d3.max(l.shares)));
  box.append(el("h3", {}, (links.length < used ? `The ${links.length} busiest of ${used} links` : used === 1 ? "One link" : `${used} links`) + ": share of the bandwidth in use"), heat);
  const tops = links.slice(0, 40);
  heatRows(heat, window, end, tops.map(l => ({ name: l.name, values: l.shares, link: l })), [0, Math.min(1, most)],
    (row, value) => [row.name, `${figure.share(value)} of ${figure.rate(row.link.bandwidth_bytes_s)}`], figure.share);
  box.append(sortable([
    { name: "link", of: l => l.name, text: l => l.name },
    { name: "bandwidth", of: l => l.bandwidth_bytes_s, text: l => figure.rate(l.bandwidth_bytes_s), right: true },
    { name: "carried", of: l => l.bytes, text: l => figure.bytes(l.bytes), right: true },
    { name: "in use, mean", of: l => l.share, text: l => figure.share(l.share), right: true, bar: l => l.share },
    { name: "at most, of a slice", of: l => d3.max(l.shares), text: l => figure.share(d3.max(l.shares)), right: true },
  ], links, { sort: 3, rows: 8 }));
  return section("links", title, `What the links of ${shortName(prediction.platform)} carry, headers included.`, box);
}
