// What all views share: the document, figures as text, elements, colours.
// Texts of programs and files reach the page as text nodes alone, never as markup.
"use strict";

const documentOf = id => JSON.parse(document.getElementById(id).textContent);

// The activities of a rank, in the order of sim::Activity.
const ACTIVITIES = [
  { key: "compute", name: "computing", about: "between MPI calls" },
  { key: "point_to_point", name: "messages", about: "in sends and receives, partner ready" },
  { key: "collective", name: "collectives", about: "in collective calls, the waiting in them included" },
  { key: "completion", name: "completing", about: "in Wait and Test, data under way" },
  { key: "waiting", name: "waiting", about: "the partner was not ready" },
  { key: "local", name: "local calls", about: "MPI calls that talk to nobody, and fruitless polls" },
  { key: "ended", name: "ended", about: "after this rank's MPI_Finalize" },
];

// Four significant digits with a fitting prefix, as the text report has them.
function withPrefix(value, unit, prefixes, none) {
  if (value === null || value === undefined || !Number.isFinite(value)) return none || "–";
  if (value === 0) return "0 " + unit;
  const size = Math.abs(value);
  let best = prefixes[prefixes.length - 1];
  for (const one of prefixes) if (size >= one[0] * 0.99995) { best = one; break; }
  const scaled = value / best[0];
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(scaled)) + 1e-9));
  return (Math.abs(scaled) >= 1e5 || digits > 6 ? scaled.toExponential(3) : scaled.toFixed(Math.min(digits, 6))) + " " + best[1] + unit;
}
const DOWN = [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
const UP = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];
const BYTES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const figure = {
  time: seconds => withPrefix(seconds, "s", DOWN),
  energy: joules => withPrefix(joules, "J", UP),
  power: watts => withPrefix(watts, "W", UP),
  product: js => withPrefix(js, "J s", UP),
  bytes: bytes => (Number.isInteger(bytes) && Math.abs(bytes) < 1000 ? bytes + " B" : withPrefix(bytes, "B", BYTES)),
  rate: rate => withPrefix(rate, "B/s", BYTES),
  count: n => (n === null || n === undefined ? "–" : n.toLocaleString("en-US")),
  share: x => (!Number.isFinite(x) ? "–" : x > 0 && x < 0.00005 ? "< 0.01 %" : (100 * x).toFixed(x !== 0 && Math.abs(x) < 0.01 ? 2 : 1) + " %"),
  ratio: x => (!Number.isFinite(x) ? "–" : x.toFixed(x < 10 ? 2 : 1) + " ×"),
};
// What a run's energy costs. Returns: null without a price or without energy.
function costOf(joules, price) {
  return price && joules !== null && joules !== undefined ? (joules / 3.6e6) * price.per_kwh : null;
}
function money(cost, price) {
  if (cost === null || cost === undefined) return "–";
  const text = cost === 0 ? "0" : cost >= 0.001 ? cost.toFixed(cost < 10 ? 4 : 2) : cost.toExponential(2);
  const raised = digits => [...digits].map(d => (d === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])).join("");
  return text.replace(/e\+?(-?\d+)/, (all, power) => "·10" + raised(power)) + (price.currency ? " " + price.currency : "");
}

// An element with attributes, listeners (onX functions) and children: texts and elements.
function el(tag, attributes, ...children) {
  const out = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) out.addEventListener(key.slice(2), value);
    else out.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    out.append(child instanceof Node ? child : String(child));
  }
  return out;
}

// Colours come from the style sheet, so that they follow the theme.
function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
function activityColours() { return ACTIVITIES.map(a => colour("activity-" + a.key)); }
function rgbOf(text) {
  const c = d3.color(text).rgb();
  return [c.r, c.g, c.b];
}

// The numbers of a base64 column.
function bytesOf(text) {
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) out[i] = binary.charCodeAt(i);
  return out;
}

// A platform as a person names it: of a path its last part.
function shortName(name) { return name.includes("/") ? name.slice(name.lastIndexOf("/") + 1) : name; }
function shortProgram(program) {
  const words = program.split(" ");
  return [shortName(words[0]) || words[0], ...words.slice(1)].join(" ");
}

// "2026-11-23 14:15 UTC"; what is no date stays as it is.
function dateText(iso) {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?(Z?)/.exec(iso);
  return match ? `${match[1]} ${match[2]}${match[5] ? " UTC" : ""}` : iso;
}

function sum(list) { return list.reduce((a, b) => a + b, 0); }

// A figure without zeros at its end: "1.500 kW" is "1.5 kW".
function plain(text) { return text.replace(/\.(\d*?)0+ /, ".$1 ").replace(/\. /, " "); }
function sizeText(bytes) { return plain(figure.bytes(bytes)); }
