// What ranks do over time, predicted and measured, one above the other at one scale.

// The segments of a line, decoded when they are first wanted.
class Line {
  constructor(data) {
    this.name = data.name;
    this.end = data.end_s;
    this.first = data.first;
    this.ranks = data.first.length - 1;
    this.hosts = data.hosts;
    this.places = data.places;
    this.profile = data.profile;
    this.shortest = data.shortest_s;
    this.intervals = data.intervals;
    this.ends = new Uint32Array(bytesOf(data.ends).buffer);
    this.kinds = bytesOf(data.kinds);
    this.placeOf = new Uint16Array(bytesOf(data.place_of).buffer);
    this.mixed = bytesOf(data.mixed);
    this.scale = data.end_s / 4294967295;
    this.mixedAt = new Int32Array(this.kinds.length);
    let next = 0;
    for (let i = 0; i < this.kinds.length; ++i) this.mixedAt[i] = this.kinds[i] & 0x80 ? next++ : -1;
  }
  static of(data) {
    if (!data) return null;
    if (!data.decoded) Object.defineProperty(data, "decoded", { value: new Line(data) });
    return data.decoded;
  }
  // The segment of a rank at a time.
  at(rank, time) {
    let low = this.first[rank], high = this.first[rank + 1] - 1;
    if (high < low || time < 0 || time > this.end) return -1;
    const target = time / this.scale;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle] < target) low = middle + 1; else high = middle;
    }
    return low;
  }
  begin(rank, segment) { return segment === this.first[rank] ? 0 : this.ends[segment - 1] * this.scale; }
  finish(segment) { return this.ends[segment] * this.scale; }
  // [activity, share] of a segment, most first.
  shares(segment) {
    const kind = this.kinds[segment] & 0x7f, at = this.mixedAt[segment] * 5;
    if (at < 0) return [[kind, 1]];
    return [[kind, this.mixed[at] / 255], [this.mixed[at + 1], this.mixed[at + 2] / 255]];
  }
  together(segment) {
    const at = this.mixedAt[segment] * 5;
    return at < 0 ? 1 : this.mixed[at + 3] | (this.mixed[at + 4] << 8);
  }
  place(segment) { return this.placeOf[segment] === 0xffff ? "" : this.places[this.placeOf[segment]]; }
}

const MARGIN = { left: 66, right: 12 };
const KINDS = 7;

// Adds one rank's time in each pixel column to acc[column * KINDS + activity], as shares of a column.
function accumulate(line, rank, from, to, columns, acc) {
  const perSecond = columns / (to - from);
  let segment = line.at(rank, Math.max(0, from));
  if (segment < 0) return;
  const last = line.first[rank + 1];
  for (; segment < last; ++segment) {
    const begin = line.begin(rank, segment);
    if (begin >= to) break;
    const x0 = Math.max(0, (begin - from) * perSecond), x1 = Math.min(columns, (line.finish(segment) - from) * perSecond);
    if (x1 <= x0) continue;
    const kind = line.kinds[segment] & 0x7f, mixed = line.mixedAt[segment] * 5;
    const a = mixed < 0 ? 1 : line.mixed[mixed] / 255, other = mixed < 0 ? 0 : line.mixed[mixed + 1];
    const b = mixed < 0 ? 0 : line.mixed[mixed + 2] / 255;
    for (let column = x0 | 0; column < x1; ++column) {
      const part = Math.min(x1, column + 1) - Math.max(x0, column);
      acc[column * KINDS + kind] += part * a;
      if (b > 0) acc[column * KINDS + other] += part * b;
    }
  }
}

// Fills one row of pixels from acc: its activities as layers where there is room, else the one with most.
function paint(acc, columns, top, bottom, image, palette) {
  const tall = bottom - top, pixels = image.data32, width = image.width;
  for (let column = 0; column < columns; ++column) {
    const base = column * KINDS;
    let total = 0, best = 0;
    for (let k = 0; k < KINDS; ++k) {
      total += acc[base + k];
      if (acc[base + k] > acc[base + best]) best = k;
    }
    if (total < 0.02) continue;
    if (tall < 6 || acc[base + best] > 0.97 * total) {
      for (let y = top; y < bottom; ++y) pixels[y * width + column] = palette[best];
      continue;
    }
    let y = bottom, k = 0, reached = acc[base];
    for (let i = 0; i < tall; ++i) {
      const wanted = ((i + 0.5) / tall) * total;
      while (reached < wanted && k < KINDS - 1) reached += acc[base + ++k];
      pixels[--y * width + column] = palette[k];
    }
  }
}

function raster(line, view, columns, rows, colours) {
  const data = new ImageData(columns, rows);
  const image = { width: columns, data32: new Uint32Array(data.data.buffer) };
  const palette = colours.map(c => { const [r, g, b] = rgbOf(c); return (255 << 24) | (b << 16) | (g << 8) | r; });
  const shown = view.lastRank - view.firstRank, acc = new Float32Array(columns * KINDS);
  let y = 0;
  for (let rank = view.firstRank; rank < view.lastRank;) {
    let next = rank + 1, bottom = Math.round((next - view.firstRank) * rows / shown);
    while (bottom === y && next < view.lastRank) bottom = Math.round((++next - view.firstRank) * rows / shown);
    acc.fill(0);
    for (; rank < next; ++rank) accumulate(line, rank, view.from, view.to, columns, acc);
    const gap = bottom - y >= 5 ? (bottom - y >= 16 ? 2 : 1) : 0;
    paint(acc, columns, y, bottom - gap, image, palette);
    y = bottom;
  }
  return data;
}

// Names inside of segments that have room for them.
function writeNames(context, line, view, width, height) {
  const shown = view.lastRank - view.firstRank, row = height / shown;
  if (row < 15) return;
  const perSecond = width / (view.to - view.from);
  context.save();
  context.textBaseline = "middle";
  context.font = "11px " + colour("font");
  const ink = activityColours().map(c => (d3.lab(c).l > 60 ? "#111" : "#fff")), edge = colour("panel");
  let written = 0;
  for (let rank = view.firstRank; rank < view.lastRank && written < 600; ++rank) {
    for (let s = line.at(rank, Math.max(0, view.from)); s >= 0 && s < line.first[rank + 1]; ++s) {
      const begin = line.begin(rank, s);
      if (begin >= view.to) break;
      const x0 = Math.max(0, (begin - view.from) * perSecond), x1 = Math.min(width, (line.finish(s) - view.from) * perSecond);
      if (x1 - x0 < 7) continue;
      const y = (rank - view.firstRank) * row;
      context.fillStyle = edge;
      context.fillRect(x1 - 0.5, y, 1, row - 1);
      const text = line.place(s);
      if (x1 - x0 < 46 || !text) continue;
      context.fillStyle = ink[line.kinds[s] & 0x7f];
      context.save();
      context.beginPath();
      context.rect(x0 + 3, y, x1 - x0 - 6, row);
      context.clip();
      context.fillText(text, x0 + 4, y + row / 2 - 0.5);
      context.restore();
      ++written;
    }
  }
  context.restore();
}

function describe(line, rank, time) {
  const segment = line.at(rank, time);
  if (segment < 0) return null;
  const begin = line.begin(rank, segment), end = line.finish(segment), many = line.together(segment);
  const host = line.hosts[rank] ? " on " + line.hosts[rank] : "";
  const shares = line.shares(segment);
  const what = many === 1 ? ACTIVITIES[shares[0][0]].name
    : `${many === 65535 ? "at least 65 535" : figure.count(many)} short ones together: ` +
      shares.filter(([, x]) => x > 0.005).map(([a, x]) => `${figure.share(x)} ${ACTIVITIES[a].name}`).join(", ");
  return [`rank ${rank}${host}`, line.place(segment), what, `${figure.time(end - begin)}, from ${begin.toPrecision(6)} s on`];
}
