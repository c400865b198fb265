// What would help most: the list of `farcast whatif --gains`, with how sure each gain is.

function gainsSection(doc) {
  if (!doc.gains) return null;
  const { program, ranks, percent } = doc.gains, box = el("div", { class: "card" });
  for (const point of doc.gains.points) {
    const share = seconds => figure.share(seconds / point.time_s);
    const rows = point.gains.map((gain, i) => ({ ...gain, order: i, off: gain.ninety_s ? Math.max(gain.ninety_s[1] - gain.gain_s, gain.gain_s - gain.ninety_s[0]) : null }));
    box.append(el("h3", {}, `${point.point}: ${figure.time(point.time_s)}`), sortable([
      { name: "what", of: g => g.what, text: g => g.what },
      { name: "gain", of: g => g.gain_s, text: g => figure.time(g.gain_s), right: true, bar: g => Math.max(0, g.gain_s) },
      { name: "of the time", of: g => g.gain_s, text: g => share(g.gain_s), right: true },
      { name: "± (9 of 10)", of: g => g.off, text: g => (g.off === null ? "–" : share(g.off)), right: true, title: "half of the 90 % interval, by common draws for all" },
      { name: "told apart", of: g => (g.told_apart === null ? null : g.told_apart ? 1 : 0), text: g => (g.told_apart === null ? "–" : g.told_apart ? "yes" : "no"), right: true, title: "from the next one" },
      { name: "asked by", of: g => g.option, text: g => el("code", {}, g.option) },
    ], rows, { sort: 1, id: "gains-table", mark: g => g.limit }));
  }
  box.append(el("p", { class: "note" }, "Marked: limits, which nobody can have."));
  return section("gains", "What would help most", `${shortProgram(program)}, ${ranks} ranks, each thing ${percent} % better alone.`, box);
}
