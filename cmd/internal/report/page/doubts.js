// What an audit of the data found: reasons to doubt the accuracy.

// renderDoubts lists the findings, and draws what they have figures of: what families cost, where neighbours stand, and what tells the classes.
function renderDoubts() {
  const findings = (report.result && report.result.findings) || [], costly = findings.find((f) => f.by);
  $("doubts").hidden = !findings.length;
  if (!findings.length) return;
  $("doubts-list").replaceChildren(...findings.map((f) => el("p", {}, el("b", { text: `${f.level}: ` }), f.text)));
  $("doubts-chart").hidden = !costly;
  if (costly) drawBars($("doubts-chart"), `Held-out accuracy: ${costly.by.replace(/ (has|have)$/, "")}`, [["samples held out at random", costly.random, 1], ["whole families held out", costly.whole, 2]]);
  const near = findings.find((f) => f.places);
  $("places").hidden = !near;
  if (near) $("places-chart").replaceChildren(drawPlaces(near.places));
  renderDescriptors(findings.find((f) => f.table));
}

// renderDescriptors shows what says how recordings were made, and how well each of it tells a class of held-out samples.
function renderDescriptors(f) {
  $("descriptors").hidden = !f;
  if (!f) return;
  $("descriptors-text").textContent = "Each line is one number of a recording that says how it was made, with the class that it tells best. Its accuracy is that of a limit learned from other samples, with as many of the class as others: 50% by chance. A property may be what the sensors measured, an artefact cannot." +
    ` All together, by a forest, are right for ${percent(f.accuracy)} with as many samples of each class (${percent(f.chance)} by chance)` + (f.artefacts ? `, and artefacts alone for ${percent(f.artefacts)}.` : ".");
  fillTable($("descriptors-table"), ["descriptor", "held-out accuracy", "class", "of it", "of others", "area", "kind"],
    f.table.map((d) => [d.name, bar(d.accuracy), d.class, percent(d.recall, 0), percent(d.others, 0), number(d.area), d.artefact ? "artefact" : "property"]), { names: true, bars: 1 });
}

// drawPlaces draws the place of samples [[own, nearest]] in the file against that of the nearest sample of the class.
function drawPlaces(places) {
  const title = "Places in the file", size = 300, left = 42, right = 10, top = 10, bottom = 36, last = Math.max(...places.flat());
  const px = (v) => left + (v / last) * (size - left - right), py = (v) => size - bottom - (v / last) * (size - top - bottom);
  const close = places.filter(([a, b]) => Math.abs(a - b) <= last / 20).length / places.length;
  const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "chart", role: "img", "aria-label": `${title} of ${count(places.length, "sample")} and of the nearest sample of the same class: ${percent(close, 0)} stand within a twentieth of the file` });
  for (const v of ticks(0, last, 5).filter(Number.isInteger)) {
    picture.append(svg("line", { x1: left, x2: size - right, y1: py(v), y2: py(v), stroke: "var(--grid)" }), svg("text", { x: left - 7, y: py(v) + 4, "text-anchor": "end", text: v }),
      svg("text", { x: px(v), y: size - bottom + 16, "text-anchor": "middle", text: v }));
  }
  picture.append(svg("text", { x: size - right, y: size - 4, "text-anchor": "end", text: "place of a sample" }));
  for (const [own, nearest] of places) picture.append(svg("circle", { cx: px(own).toFixed(1), cy: py(nearest).toFixed(1), r: 2, fill: "var(--s1)" }));
  return el("figure", {}, el("figcaption", {}, el("b", { text: title }), el("span", { text: " of samples, and upwards of the nearest sample of the same class. By chance the points lie everywhere; on the diagonal neighbours in the file are alike." })), picture);
}
