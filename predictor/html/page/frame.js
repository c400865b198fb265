// What the page is made of: sections, charts that are drawn again when size, theme or window change,
// the tooltip.

const charts = new Set(); // functions that draw
function redrawAll() { for (const draw of charts) draw(); }

function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  redrawAll();
}

// Paper is white: charts are drawn in the light theme, and drawn back afterwards.
let themeBefore;
window.addEventListener("beforeprint", () => {
  themeBefore = document.documentElement.dataset.theme;
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.dataset.closed = "";
    details.open = true;
  }
  applyTheme("light");
});
window.addEventListener("afterprint", () => {
  for (const details of document.querySelectorAll("details[data-closed]")) {
    details.open = false;
    delete details.dataset.closed;
  }
  applyTheme(themeBefore);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);

function section(id, title, about, ...children) {
  return el("section", { id }, el("header", {}, el("h2", {}, title), about ? el("p", { class: "about" }, about) : null), ...children);
}

// A canvas as wide as its place. `draw(context, width, height)` in CSS pixels; `height` may be a function of the width.
function canvasChart(place, height, draw) {
  const canvas = el("canvas", {});
  place.append(canvas);
  const render = () => {
    const width = place.clientWidth;
    if (!width || !place.isConnected) return;
    const tall = typeof height === "function" ? height(width) : height;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(tall * scale);
    canvas.style.width = width + "px";
    canvas.style.height = tall + "px";
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, tall);
    context.font = "12px " + colour("font");
    draw(context, width, tall, scale);
  };
  follow(place, render);
  return { canvas, render };
}

// An SVG as wide as its place. `draw(svg selection, width, height)`.
function svgChart(place, height, draw) {
  const svg = d3.select(place).append("svg").attr("role", "img");
  const render = () => {
    const width = place.clientWidth;
    if (!width || !place.isConnected) return;
    const tall = typeof height === "function" ? height(width) : height;
    svg.attr("width", width).attr("height", tall).attr("viewBox", `0 0 ${width} ${tall}`);
    svg.selectAll("*").remove();
    draw(svg, width, tall);
  };
  follow(place, render);
  return { svg, render };
}

// Draws when the place gets another width, and with all others.
function follow(place, render) {
  let last = 0;
  const observer = new ResizeObserver(() => {
    if (!place.isConnected) { observer.disconnect(); charts.delete(render); return; }
    if (place.clientWidth !== last) { last = place.clientWidth; render(); }
  });
  observer.observe(place);
  charts.add(render);
}

const tooltip = {
  box: null,
  show(event, lines) {
    if (!this.box) { this.box = el("div", { id: "tooltip", role: "status" }); document.body.append(this.box); }
    this.box.replaceChildren(...lines.filter(Boolean).map((line, i) => el("div", { class: i === 0 ? "first" : null }, line)));
    this.box.style.display = "block";
    const width = this.box.offsetWidth, height = this.box.offsetHeight;
    const left = event.clientX + 14 + width > innerWidth ? event.clientX - 14 - width : event.clientX + 14;
    const top = event.clientY + 16 + height > innerHeight ? event.clientY - 10 - height : event.clientY + 16;
    this.box.style.left = Math.max(4, left) + "px";
    this.box.style.top = Math.max(4, top) + "px";
  },
  hide() { if (this.box) this.box.style.display = "none"; },
};

function legend(entries) {
  return el("ul", { class: "legend" }, entries.map(([name, background, about]) =>
    el("li", { title: about }, el("i", { style: "background:" + background }), name)));
}
function activityLegend(used) {
  return legend(ACTIVITIES.filter((a, i) => !used || used[i]).map(a => [a.name, `var(--activity-${a.key})`, a.about]));
}

// Buttons of which one is pressed. `choices`: [value, text].
function choice(name, choices, value, onpick) {
  const buttons = choices.map(([own, text, title]) => el("button", {
    type: "button", title, "aria-pressed": own === value ? "true" : "false", "data-value": own,
    onclick: () => {
      for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.value === String(own) ? "true" : "false");
      onpick(own);
    },
  }, text));
  return el("div", { class: "choice", role: "group", "aria-label": name }, buttons);
}

// Copies a text; where the browser does not let us (pages from files), the text is selected to be copied by hand.
function copyButton(text) {
  const button = el("button", { type: "button", class: "copy", title: "copy" }, "copy");
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch (error) {
      const range = document.createRange();
      range.selectNodeContents(button.previousSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = "selected";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  return button;
}
