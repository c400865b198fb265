// Messages as arrows between the ranks of a time line.

const MOST_ARROWS = 400; // drawn at once: more would cover what they are to explain

class ArrowSet {
  constructor(data, end) {
    const column = name => new Uint32Array(bytesOf(data[name]).buffer);
    this.all = data.all;
    this.kept = data.kept;
    this.from = column("from");
    this.to = column("to");
    this.posted = column("posted");
    this.arrived = column("arrived");
    this.scale = end / 4294967295;
  }
  static of(data, end) {
    if (!data || !data.kept) return null;
    if (!data.decoded) Object.defineProperty(data, "decoded", { value: new ArrowSet(data, end) });
    return data.decoded;
  }
  // Those that are on the way at some time of the view, between ranks that are shown; the longest where there are many.
  within(view) {
    const from = view.from / this.scale, to = view.to / this.scale, found = [];
    const shown = rank => rank >= view.firstRank && rank < view.lastRank;
    for (let i = 0; i < this.kept && this.posted[i] <= to; ++i)
      if (this.arrived[i] >= from && shown(this.from[i]) && shown(this.to[i])) found.push(i);
    const length = i => this.arrived[i] - this.posted[i];
    if (found.length > MOST_ARROWS) found.sort((a, b) => length(b) - length(a) || a - b);
    return { drawn: found.slice(0, MOST_ARROWS), found: found.length };
  }
}

// Returns: how many are drawn, and how many there are in the view.
function drawArrows(context, arrows, view, width, height) {
  const { drawn, found } = arrows.within(view), row = height / (view.lastRank - view.firstRank);
  const x = ticks => (ticks * arrows.scale - view.from) * width / (view.to - view.from), y = rank => (rank - view.firstRank + 0.5) * row;
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  context.strokeStyle = context.fillStyle = colour("ink");
  context.globalAlpha = drawn.length > 100 ? 0.45 : 0.75;
  context.lineWidth = 1;
  for (const i of drawn) {
    const x0 = x(arrows.posted[i]), y0 = y(arrows.from[i]), x1 = x(arrows.arrived[i]), y1 = y(arrows.to[i]);
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    const angle = Math.atan2(y1 - y0, x1 - x0), size = 6;
    context.beginPath();
    context.moveTo(x1, y1);
    for (const side of [-0.4, 0.4]) context.lineTo(x1 - size * Math.cos(angle + side), y1 - size * Math.sin(angle + side));
    context.fill();
  }
  context.restore();
  return { drawn: drawn.length, found };
}
