// Tables that are sorted by a click on a column's head, and searched.

// columns: {name, of(row): what is sorted by, text(row): text or node, right, whole (never broken), bar(row): share of the largest, title}.
// options: sort (column), up, rows (shown at first), search (function row -> text), id.
function sortable(columns, rows, options = {}) {
  let by = options.sort, up = options.up || false, shown = options.rows || Infinity, wanted = "";
  const body = el("tbody", {}), more = el("div", { class: "more" });
  const heads = columns.map((column, i) => el("th", { class: column.right ? "right" : null, scope: "col" },
    el("button", { type: "button", title: column.title || "sort by " + column.name, onclick: () => {
      up = by === i ? !up : !column.right;
      by = i;
      fill();
    } }, column.name)));
  const most = columns.map(column => (column.bar ? Math.max(...rows.map(r => column.bar(r) || 0), 1e-300) : 0));
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null || a === undefined || Number.isNaN(a)) return 1;
    if (b === null || b === undefined || Number.isNaN(b)) return -1;
    const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
    return up ? order : -order;
  };
  const fill = () => {
    let list = rows.slice();
    if (wanted) list = list.filter(row => options.search(row).toLowerCase().includes(wanted));
    if (by !== undefined) list.sort((a, b) => compare(columns[by].of(a), columns[by].of(b)));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === by ? (up ? "ascending" : "descending") : "none"));
    body.replaceChildren(...list.slice(0, shown).map(row => el("tr", { class: options.mark && options.mark(row) ? "marked" : null }, columns.map((column, i) => {
      const cell = el("td", { class: column.right ? "right" : column.whole ? "whole" : null }, column.text(row));
      if (column.bar) cell.append(el("span", { class: "share" }, el("i", { style: `width:${Math.max(0, Math.min(100, 100 * (column.bar(row) || 0) / most[i]))}%` })));
      return cell;
    }))));
    more.replaceChildren();
    if (list.length > shown) more.append(el("button", { type: "button", onclick: () => { shown = Infinity; fill(); } }, `show all ${list.length}`));
    else if (!list.length) more.append("nothing found");
  };
  fill();
  const search = options.search && rows.length > 8 ? el("input", { type: "search", placeholder: "search", "aria-label": "search", oninput: event => {
    wanted = event.target.value.trim().toLowerCase();
    if (wanted) shown = Infinity;
    fill();
  } }) : null;
  return el("div", { class: "table", id: options.id }, search, el("div", { class: "scroll" },
    el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), more);
}

function placeText(at) {
  if (!at) return "";
  return [el("span", { class: "place" }, at.text), at.function ? el("span", { class: "function" }, " in " + at.function) : null];
}

function regionsSection(run, prediction) {
  const time = prediction.time_s * run.ranks, box = el("div", { class: "card" });
  const between = r => (r.from && r.to ? `from ${r.from.call} ${r.from.text} to ${r.to.call} ${r.to.text}` : r.name);
  box.append(el("h3", {}, "Computation between calls"));
  box.append(sortable([
    { name: "where", of: r => r.place, text: r => [el("span", { class: "place" }, r.place), el("span", { class: "call" }, between(r))] },
    { name: "visits", of: r => r.visits, text: r => figure.count(r.visits), right: true },
    { name: "measured", of: r => r.measured_s, text: r => figure.time(r.measured_s), right: true, title: "seconds of all ranks, as measured" },
    { name: "predicted", of: r => r.predicted_s, text: r => figure.time(r.predicted_s), right: true, title: "seconds of all ranks, predicted" },
    { name: "of all time", of: r => r.predicted_s, text: r => figure.share(r.predicted_s / time), right: true, bar: r => r.predicted_s },
    { name: "spread", of: r => r.cov, text: r => (r.cov === undefined ? "–" : figure.share(r.cov)), right: true, title: "coefficient of variation over the measured visits" },
    { name: "energy", of: r => r.energy_j, text: r => figure.energy(r.energy_j), right: true },
  ], prediction.regions, { sort: 3, rows: 12, id: "regions-table", search: r => `${r.place} ${r.name} ${r.from ? r.from.function + r.from.call : ""} ${r.to ? r.to.function + r.to.call : ""}` }));
  if (prediction.all_regions > prediction.regions.length)
    box.append(el("p", { class: "note" }, `The ${prediction.regions.length} with most time of ${figure.count(prediction.all_regions)}.`));
  box.append(el("h3", {}, "MPI calls"));
  box.append(sortable([
    { name: "call", of: s => (s.at ? s.at.call : ""), text: s => (s.at ? s.at.call : ""), whole: true },
    { name: "where", of: s => (s.at ? s.at.text : ""), text: s => placeText(s.at) },
    { name: "calls", of: s => s.count, text: s => figure.count(s.count), right: true },
    { name: "sent", of: s => s.sent_bytes, text: s => (s.sent_bytes ? figure.bytes(s.sent_bytes) : "–"), right: true },
    { name: "measured", of: s => s.measured_s, text: s => figure.time(s.measured_s), right: true, title: "seconds of all ranks, as measured" },
    { name: "predicted", of: s => s.predicted_s, text: s => figure.time(s.predicted_s), right: true, title: "seconds of all ranks, predicted" },
    { name: "of all time", of: s => s.predicted_s, text: s => figure.share(s.predicted_s / time), right: true, bar: s => s.predicted_s },
    { name: "slowest rank", of: s => s.slowest_rank_s, text: s => figure.time(s.slowest_rank_s), right: true },
    { name: "energy", of: s => s.energy_j, text: s => figure.energy(s.energy_j), right: true },
  ], prediction.sites, { sort: 5, rows: 12, id: "sites-table", search: s => (s.at ? `${s.at.call} ${s.at.text} ${s.at.function}` : "") }));
  return section("regions", "Regions and calls", "Where in the source the time goes, over all ranks.", box);
}
