// How often predictions are right by how sure they are.

function renderReliability(report) {
  const e = report.evaluation;
  $("reliability").hidden = !e;
  if (!e) return;
  const r = e.reliability, bins = r.bins.map((b, i) => ({ ...b, from: i / r.bins.length, to: (i + 1) / r.bins.length })).filter((b) => b.samples);
  const text = (b) => `sure by ${percent(b.from, 0)} to ${percent(b.to, 0)}: ${count(b.samples, "sample")}, by ${percent(b.confidence)} in the mean, ${percent(b.accuracy)} right`;
  $("reliability-text").textContent = `The expected calibration error is ${percent(r.error, 2)}: the mean distance between how sure predictions are and how often they are right, over ${r.bins.length} bins of the predictions' probabilities. Bars on the line are as sure as right; above it they could be surer. ` +
    (report.calibration ? `The probabilities are those at temperature ${plain(report.calibration.temperature)}, which gave the least loss on the ${count(report.calibration.samples, "sample")} held out. With it the test loss is ${number(r.loss)}, without ${number(e.loss)}.`
      : "No samples were held out of the training, so that no temperature makes the probabilities sharper or softer; ccp train --validation 0.1 would.");
  const size = 240, left = 42, top = 10, bottom = 36, px = (v) => left + v * size, py = (v) => top + (1 - v) * size;
  const picture = svg("svg", { viewBox: `0 0 ${left + size + 12} ${top + size + bottom}`, class: "chart", role: "img", "aria-label": `Share of right predictions by their probability. Predictions ${bins.map(text).join("; ")}` });
  for (const v of [0, 0.25, 0.5, 0.75, 1]) {
    picture.append(svg("line", { x1: px(0), x2: px(1), y1: py(v), y2: py(v), stroke: "var(--grid)" }),
      svg("text", { x: left - 7, y: py(v) + 4, "text-anchor": "end", text: percent(v, 0) }),
      svg("text", { x: px(v), y: py(0) + 16, "text-anchor": "middle", text: percent(v, 0) }));
  }
  const most = Math.max(...bins.map((b) => b.samples));
  for (const b of bins) { // stronger colours are more samples
    picture.append(svg("rect", { x: px(b.from) + 1, width: size / r.bins.length - 2, y: py(b.accuracy), height: py(0) - py(b.accuracy), fill: "var(--s1)", "fill-opacity": 0.25 + 0.75 * Math.sqrt(b.samples / most) },
      svg("title", { text: `Predictions ${text(b)}` })));
  }
  picture.append(svg("line", { x1: px(0), y1: py(0), x2: px(1), y2: py(1), stroke: "var(--s2)", "stroke-width": 2, "stroke-dasharray": "6 4" }),
    svg("text", { x: px(0.5), y: py(0) + 32, "text-anchor": "middle", text: "probability of the prediction" }));
  $("reliability-chart").replaceChildren(el("figure", {}, el("figcaption", {}, el("b", { text: "Share of right predictions" })), picture));
  fillTable($("reliability-table"), ["probability", "samples", "mean probability", "right"], bins.map((b) => [`${percent(b.from, 0)} to ${percent(b.to, 0)}`, whole(b.samples), percent(b.confidence), percent(b.accuracy)]));
}
