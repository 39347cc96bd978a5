// How right the class is that is told before a recording ends, by how much of the recording was seen.

function renderEarly(report) {
  const early = report.result && report.result.early;
  $("early").hidden = !early;
  if (!early) return;
  const rule = early.rule, chosen = rule.chosen, test = early.test;
  const decided = (f) => `${percent(f.accuracy)} right after ${percent(f.seen, 0)} of a recording in the mean, ${percent(f.at_end)} at the end, harmonic mean ${number(f.harmonic_mean)}`;
  const aim = rule.by === "mean" ? "the largest harmonic mean of the accuracy and the share that is not seen"
    : `the earliest decisions that lose at most ${plain(100 * rule.loss)} points of accuracy; the largest harmonic mean is ${number(rule.best.harmonic_mean)}, by ${percent(rule.best.accuracy)} right after ${percent(rule.best.seen, 0)}`;
  $("early-text").textContent = `The curve is how right ${count(chosen.samples, "held-out training recording")} are if all are decided at one time. The dots are decisions by the rule, each recording as soon as ${count(rule.agree, "look")} in a row agree with enough probability. Held-out recordings: ${decided(chosen)}; the rule is ${aim}.` +
    (test ? ` Test recordings: ${decided(test)}.` : "");
  const wide = 260, high = 220, left = 42, top = 10, bottom = 36, px = (v) => left + v * wide, py = (v) => top + (1 - v) * high;
  const words = rule.curve.map((p) => `${percent(p.seen, 0)} seen, ${percent(p.accuracy)} right`).join("; ");
  const picture = svg("svg", { viewBox: `0 0 ${left + wide + 12} ${top + high + bottom}`, class: "chart", role: "img", "aria-label": `Accuracy by the share of the recording that is seen: ${words}` });
  for (const v of [0, 0.25, 0.5, 0.75, 1]) {
    picture.append(svg("line", { x1: px(0), x2: px(1), y1: py(v), y2: py(v), stroke: "var(--grid)" }),
      svg("text", { x: left - 7, y: py(v) + 4, "text-anchor": "end", text: percent(v, 0) }),
      svg("text", { x: px(v), y: py(0) + 16, "text-anchor": "middle", text: percent(v, 0) }));
  }
  picture.append(svg("polyline", { points: rule.curve.map((p) => `${px(p.seen)},${py(p.accuracy)}`).join(" "), fill: "none", stroke: "var(--s1)", "stroke-width": 2 }),
    svg("text", { x: px(0.5), y: py(0) + 32, "text-anchor": "middle", text: "share of the recording that is seen" }));
  for (const [name, f, colour] of [["held-out", chosen, "var(--s1)"], ["test", test, "var(--s2)"]]) {
    if (!f) continue;
    picture.append(svg("circle", { cx: px(f.seen), cy: py(f.accuracy), r: 5, fill: colour }, svg("title", { text: `${name}: ${decided(f)}` })));
  }
  $("early-chart").replaceChildren(el("figure", {}, el("figcaption", {}, el("b", { text: "Accuracy by the share seen" }), el("span", { text: test ? " – dots: the rule on held-out and on test recordings (second colour)" : " – dot: the rule on held-out recordings" })), picture));
  fillTable($("early-table"), ["seen", "right"], rule.curve.map((p) => [percent(p.seen), percent(p.accuracy)]));
}
