// The window of time that the charts over time share, and the view of time lines that sets it.

// Listeners are drawn again when the window changes. Times are those of the prediction.
class Window {
  constructor(end) { this.end = end; this.from = 0; this.to = end; this.firstRank = 0; this.lastRank = 1; this.listeners = []; }
  set(from, to) {
    const shortest = this.end * 1e-7;
    let length = Math.min(this.end, Math.max(shortest, to - from));
    from = Math.max(0, Math.min(this.end - length, from));
    this.from = from;
    this.to = from + length;
    for (const listener of this.listeners) listener();
  }
  zoom(factor, around) {
    const centre = around === undefined ? (this.from + this.to) / 2 : around;
    this.set(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
  }
  pan(share) { const by = share * (this.to - this.from); this.set(this.from + by, this.to + by); }
  scale(width) { return d3.scaleLinear([this.from, this.to], [MARGIN.left, width - MARGIN.right]); }
}

const rankRows = ranks => Math.max(120, Math.min(420, ranks * 20));

function timeAxis(selection, scale, y, width) {
  const [from, to] = scale.domain(), step = (to - from) / 8;
  const unit = DOWN.find(([size]) => to >= size) || DOWN[3];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit[0]))));
  selection.append("g").attr("class", "axis").attr("transform", `translate(0,${y})`)
    .call(d3.axisBottom(scale).ticks(Math.max(3, Math.min(10, width / 110))).tickFormat(t => (t / unit[0]).toFixed(digits) + " " + unit[1] + "s"));
}

// All ranks together, the whole time; what is brushed is the window.
function overview(place, line, window) {
  const height = 56;
  let brush;
  const host = el("div", { class: "overview" });
  place.append(host);
  const drawn = svgChart(host, height + 20, (svg, width) => {
    const x = d3.scaleLinear([0, window.end], [MARGIN.left, width - MARGIN.right]);
    const slices = line.profile[0].length, colours = activityColours();
    const lower = new Float64Array(slices);
    line.profile.forEach((shares, activity) => {
      const points = shares.map((share, i) => [i, lower[i], (lower[i] += share)]);
      if (!shares.some(s => s > 0)) return;
      const area = d3.area().x(d => x(d[0] * line.end / slices)).y0(d => height * (1 - d[1])).y1(d => height * (1 - d[2])).curve(d3.curveStepAfter);
      svg.append("path").attr("fill", colours[activity]).attr("d", area([...points, [slices, points[slices - 1][1], points[slices - 1][2]]]));
    });
    timeAxis(svg, x, height, width);
    brush = d3.brushX().extent([[MARGIN.left, 0], [width - MARGIN.right, height]]).on("brush end", () => {
      if (!d3.event.sourceEvent) return;
      if (!d3.event.selection) window.set(0, window.end);
      else window.set(...d3.event.selection.map(x.invert));
    });
    const group = svg.append("g").attr("class", "brush").call(brush);
    const show = () => {
      const whole = window.from <= 0 && window.to >= window.end * (1 - 1e-12);
      group.call(brush.move, whole ? null : [x(window.from), Math.max(x(window.to), x(window.from) + 1)]);
    };
    host.show = show;
    show();
  });
  window.listeners.push(() => { if (host.isConnected && host.show) host.show(); });
  return drawn;
}

// One line's ranks over the window. `stretch()`: how much longer its seconds are than the window's.
// `overlay(context, view, width, height)`: draws over the ranks; may be null.
function panel(place, line, window, title, stretch, overlay) {
  const box = el("div", { class: "panel", tabindex: "0", "aria-label": title });
  place.append(el("h3", {}, title), box);
  const tall = () => rankRows(line.ranks);
  const chart = canvasChart(box, () => tall() + 22, (context, width, height, scale) => {
    const plot = width - MARGIN.left - MARGIN.right, rows = height - 22;
    const by = stretch(), view = { from: window.from * by, to: window.to * by, firstRank: window.firstRank, lastRank: window.lastRank };
    const image = raster(line, view, Math.round(plot * scale), Math.round(rows * scale), activityColours());
    context.putImageData(image, Math.round(MARGIN.left * scale), 0);
    context.save();
    context.translate(MARGIN.left, 0);
    writeNames(context, line, view, plot, rows);
    if (overlay) overlay(context, view, plot, rows);
    context.restore();
    context.fillStyle = colour("muted");
    context.textAlign = "right";
    context.textBaseline = "middle";
    const shown = window.lastRank - window.firstRank, every = Math.max(1, Math.ceil(shown / Math.floor(rows / 16)));
    const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384].find(s => s >= every) || every;
    for (let rank = Math.ceil(window.firstRank / step) * step; rank < window.lastRank; rank += step)
      context.fillText("rank " + rank, MARGIN.left - 6, Math.max(7, (rank - window.firstRank + 0.5) * rows / shown));
    const x = window.scale(width).domain([view.from, view.to]);
    context.textAlign = "center";
    context.textBaseline = "top";
    const unit = DOWN.find(([size]) => view.to >= size) || DOWN[3];
    const ticks = x.ticks(Math.max(3, Math.min(10, width / 120)));
    const digits = ticks.length > 1 ? Math.max(0, Math.min(9, Math.ceil(-Math.log10((ticks[1] - ticks[0]) / unit[0]) - 1e-9))) : 3;
    for (const tick of ticks) {
      context.fillStyle = colour("line");
      context.fillRect(x(tick), rows, 1, 5);
      context.fillStyle = colour("muted");
      const text = (tick / unit[0]).toFixed(digits) + " " + unit[1] + "s", half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(width - half, Math.max(half, x(tick))), rows + 7);
    }
  });
  interact(box, chart.canvas, line, window, tall, stretch);
  window.listeners.push(() => { if (box.isConnected) later(chart.render); });
}

// Draws at most once per frame.
const waiting = new Set();
function later(render) {
  if (waiting.size === 0) requestAnimationFrame(() => { const all = [...waiting]; waiting.clear(); for (const one of all) one(); });
  waiting.add(render);
}

function interact(box, canvas, line, window, tall, stretch) {
  const rubber = el("div", { class: "rubber" });
  box.append(rubber);
  const where = event => {
    const at = canvas.getBoundingClientRect(), x = event.clientX - at.left, y = event.clientY - at.top;
    const rows = tall(), shown = window.lastRank - window.firstRank;
    return { x, y, time: window.scale(at.width).invert(x), rank: window.firstRank + Math.floor(y * shown / rows), inside: y < rows && x >= MARGIN.left };
  };
  let start = null;
  const twoWays = end => line.ranks > 16 && Math.abs(end.y - start.y) > 30;
  canvas.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    start = where(event);
    canvas.setPointerCapture(event.pointerId);
    tooltip.hide();
  });
  canvas.addEventListener("pointermove", event => {
    const at = where(event);
    if (start) {
      const both = twoWays(at);
      Object.assign(rubber.style, { display: "block", left: Math.min(start.x, at.x) + "px", width: Math.abs(at.x - start.x) + "px",
        top: (both ? Math.min(start.y, at.y) : 0) + "px", height: (both ? Math.abs(at.y - start.y) : tall()) + "px" });
      return;
    }
    const lines = at.inside && at.rank < line.ranks ? describe(line, at.rank, at.time * stretch()) : null;
    if (lines) tooltip.show(event, lines); else tooltip.hide();
  });
  canvas.addEventListener("pointerup", event => {
    if (!start) return;
    const end = where(event), begin = start;
    if (Math.abs(end.x - begin.x) > 4) {
      if (twoWays(end)) {
        window.firstRank = Math.max(0, Math.min(begin.rank, end.rank));
        window.lastRank = Math.min(line.ranks, Math.max(begin.rank, end.rank) + 1);
      }
      window.set(Math.min(begin.time, end.time), Math.max(begin.time, end.time));
    }
    start = null;
    rubber.style.display = "none";
  });
  canvas.addEventListener("pointerleave", () => tooltip.hide());
  canvas.addEventListener("dblclick", () => reset(window, line.ranks));
  canvas.addEventListener("wheel", event => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      window.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.004), where(event).time);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      window.pan(event.deltaX / box.clientWidth);
    }
  }, { passive: false });
  box.addEventListener("keydown", event => {
    const action = { ArrowLeft: () => window.pan(-0.2), ArrowRight: () => window.pan(0.2), "+": () => window.zoom(0.5), "=": () => window.zoom(0.5),
      "-": () => window.zoom(2), 0: () => reset(window, line.ranks), Escape: () => reset(window, line.ranks) }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
}

function reset(window, ranks) {
  window.firstRank = 0;
  window.lastRank = ranks;
  window.set(0, window.end);
}

function timeLineSection(run, prediction, window) {
  const predicted = Line.of(prediction.line), measured = Line.of(run.line);
  const ranks = predicted.ranks;
  window.lastRank = ranks;
  const box = el("div", { class: "card timelines" });
  const factor = measured && predicted.end > 0 ? measured.end / predicted.end : 1;
  let own = factor > 3 || factor < 1 / 3; // each has a scale of its own
  const scaleOf = () => { window.end = (own || !measured ? predicted.end : Math.max(predicted.end, measured.end)) || 1; };
  scaleOf();
  window.set(0, window.end);
  const readout = el("span", { class: "readout" });
  const tell = () => {
    const whole = window.from <= 0 && window.to >= window.end * (1 - 1e-12) && window.lastRank - window.firstRank === ranks;
    readout.textContent = whole ? "all of it" :
      `${figure.time(window.to - window.from)} from ${figure.time(window.from)} on` +
      (window.lastRank - window.firstRank < ranks ? `, ranks ${window.firstRank} to ${window.lastRank - 1}` : "");
  };
  window.listeners.push(tell);
  tell();
  const button = (text, title, action) => el("button", { type: "button", title, "aria-label": title, onclick: action }, text);
  box.append(el("div", { class: "tools" },
    button("−", "zoom out", () => window.zoom(2)), button("+", "zoom in", () => window.zoom(0.5)),
    button("←", "earlier", () => window.pan(-0.3)), button("→", "later", () => window.pan(0.3)),
    button("all", "the whole time and all ranks", () => reset(window, ranks)), readout,
    measured ? choice("scale of time", [["one", "one scale"], ["own", "both as long", "each time line over the whole width"]], own ? "own" : "one", value => {
      own = value === "own";
      scaleOf();
      reset(window, ranks);
      redrawAll();
    }) : null,
    el("span", { class: "hint" }, "drag to zoom in, Ctrl + wheel, double click for all")), activityLegend());
  overview(box, predicted, window);
  const arrows = ArrowSet.of(prediction.arrows, predicted.end), counted = el("p", { class: "note", id: "arrows-note" });
  let withArrows = ranks <= 32;
  const overlay = arrows && ((context, view, width, height) => {
    if (!withArrows) { counted.textContent = ""; return; }
    const { drawn, found } = drawArrows(context, arrows, view, width, height);
    counted.textContent = `Arrows: messages from their sending to their arrival, ${drawn === found ? figure.count(drawn) : `the ${figure.count(drawn)} that were on the way longest of ${figure.count(found)}`} here` +
      (arrows.kept < arrows.all ? `, of the ${figure.count(arrows.kept)} longest of ${figure.count(arrows.all)}` : "") + ".";
  });
  if (arrows) box.append(el("div", { class: "tools below" }, choice("messages", [["on", "messages"], ["off", "none"]], withArrows ? "on" : "off", value => {
    withArrows = value === "on";
    redrawAll();
  })));
  panel(box, predicted, window, `${predicted.name}: ${figure.time(predicted.end)}`, () => 1, overlay);
  if (arrows) box.append(counted);
  if (measured) panel(box, measured, window, `really measured, on ${new Set(measured.hosts).size === 1 ? measured.hosts[0] : new Set(measured.hosts).size + " hosts"}: ${figure.time(measured.end)}`, () => (own ? factor : 1));
  const cuts = [predicted, measured].filter(line => line && line.shortest > 0);
  if (cuts.length) box.append(el("p", { class: "note" }, "To keep this page small, what is shorter than " +
    cuts.map(line => `${figure.time(line.shortest)} (${line === measured ? "measured" : "predicted"}, ${figure.count(line.intervals)} intervals)`).join(" or ") +
    " is taken together with its neighbours; their shares are kept."));
  box.append(el("p", { class: "note" }, "Measured calls show no waiting: how long a call waited for its partner is not recorded."));
  return section("timeline", "Time line", "What each rank does: predicted above, measured below.", box);
}
