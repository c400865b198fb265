// Puts the page together: the run and the platform that are picked, and the views of both.

const doc = documentOf("document");
const state = { run: 0, platform: 0 };

const SECTIONS = [["verdict", "Verdict"], ["timeline", "Time line"], ["ranks", "Ranks"], ["path", "Critical path"], ["regions", "Regions"], ["traffic", "Communication"],
  ["power", "Power"], ["links", "Links"], ["pareto", "Energy and time"], ...(doc.gains ? [["gains", "Gains"]] : []), ["runs", "Table"], ["platform", "Parameters"], ["basis", "Basis"]];

function pick(run, platform, then) {
  state.run = run;
  state.platform = platform;
  show();
  if (then) document.getElementById(then).scrollIntoView();
}

function selector(name, list, value, onpick) {
  if (list.length < 2) return el("span", { class: "only" }, list[0]);
  return el("label", {}, el("span", { class: "visually-hidden" }, name), el("select", { "aria-label": name, onchange: event => onpick(Number(event.target.value)) },
    list.map((text, i) => el("option", { value: i, selected: i === value }, text))));
}

function topBar(run) {
  const themes = [["", "auto", "as the system has it"], ["light", "light"], ["dark", "dark"]];
  return el("div", { class: "bar" }, el("strong", {}, "farcast"),
    selector("run", doc.runs.map((r, i) => `${runName(doc, i)}, ${r.ranks} ranks`), state.run, i => pick(i, Math.min(state.platform, doc.runs[i].predictions.length - 1))),
    el("span", { class: "on" }, "on"), selector("platform", run.predictions.map(p => shortName(p.platform)), state.platform, i => pick(state.run, i)),
    el("span", { class: "space" }), choice("theme", themes, document.documentElement.dataset.theme || "", applyTheme),
    el("button", { type: "button", onclick: () => print() }, "print"));
}

function show() {
  const run = doc.runs[state.run], prediction = run.predictions[state.platform];
  const window = new Window(prediction.line.end_s || 1);
  const scroll = scrollY;
  tooltip.hide();
  charts.clear();
  const nav = el("nav", { "aria-label": "views" }, SECTIONS.map(([id, name]) => el("a", { href: "#" + id }, name)));
  document.getElementById("app").replaceChildren(el("header", { class: "top" }, topBar(run), nav), el("main", {},
    el("h1", {}, el("span", {}, shortProgram(run.program)), el("small", {}, `${run.ranks} rank${run.ranks === 1 ? "" : "s"}, ${run.mpi.library}, recorded ${dateText(run.start)}`)),
    verdictSection(run, doc, state.platform, i => pick(state.run, i)),
    timeLineSection(run, prediction, window), ranksSection(run, prediction), pathSection(run, prediction), regionsSection(run, prediction), trafficSection(run, prediction),
    powerSection(prediction, window), linksSection(prediction, window), scatterSection(doc), gainsSection(doc), compareSection(doc, state, (r, p) => pick(r, p, "verdict")),
    platformSection(prediction), basisSection(doc, run, prediction)),
  el("footer", {}, `farcast ${doc.farcast} · charts by D3 ${d3.version} (BSD licence, © Mike Bostock)`));
  scrollTo(0, scroll);
}

show();
