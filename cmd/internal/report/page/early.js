// How right and how early the class is that is told before a recording ends.

function renderEarly(report) {
  const early = report.result && report.result.early;
  $("early").hidden = !early;
  if (!early) return;
  const rule = early.rule, looks = rule.looks.length;
  $("early-chart").hidden = $("early-details").hidden = !looks;
  $("early-text").textContent = looks ? earlyText(rule) : "Nothing is decided before a recording ends: cut anywhere, held-out training recordings are predicted no better than by the shares of the classes.";
  const rows = [["held out", rule.chosen]];
  if (early.test) rows.unshift(["test", early.test]);
  if (looks && rule.by !== "mean") rows.push(["held out, --early=mean", rule.best]);
  fillTable($("early-table"), ["recordings", "number", "right", "at the end", "seen", "harmonic mean"],
    rows.map(([name, f]) => [name, whole(f.samples), percent(f.accuracy), percent(f.at_end), percent(f.seen, 0), number(f.harmonic_mean)]), { names: true });
  if (!looks) return;
  $("early-chart").replaceChildren(el("figure", {}, el("figcaption", {}, el("b", { text: "Right predictions by the share seen" }), el("span", { text: " – the line: held-out recordings, if all were decided at one time; the dots: by the rule, each at its own" })), earlyPicture(rule, early.test)));
  fillTable($("early-curve"), ["seen", "right if all are decided then"], rule.curve.map((p) => [percent(p.seen), percent(p.accuracy)]));
}

// earlyText says how a class is decided.
function earlyText(rule) {
  return `A recording is looked at ${count(rule.looks.length, "time")} before its end, from ${count(rule.looks[0], "time point")} on; each look knows what came until then, by a classifier of training recordings that were cut there. The class is decided once ${rule.agree > 1 ? `${rule.agree} looks in a row give` : "a look gives"} it enough probability, and else at the end. How much is enough was chosen by held-out training recordings: ${rule.by === "mean" ? "for the largest harmonic mean" : `as early as loses at most ${plain(100 * rule.loss)} points of accuracy`}. Beside the share right then stand the share that is right at the end, and how much of a recording was seen when it was decided, in the mean; the harmonic mean is that of the share right and the share not seen.`;
}

// earlyPicture draws the curve of a rule, and its decisions on held-out and on test recordings. It begins at the half or at
// 0, so that points of accuracy show.
function earlyPicture(rule, test) {
  const dots = [["held-out", rule.chosen, "var(--s1)"]];
  if (test) dots.push(["test", test, "var(--s2)"]);
  const least = Math.min(...rule.curve.map((p) => p.accuracy), ...dots.map((d) => d[1].accuracy)) < 0.5 ? 0 : 0.5;
  const wide = 260, high = 220, left = 42, top = 24, bottom = 36, px = (v) => left + v * wide, py = (v) => top + (1 - v) / (1 - least) * high;
  const words = rule.curve.map((p) => `${percent(p.seen, 0)} seen, ${percent(p.accuracy)} right`).join("; ");
  const picture = svg("svg", { viewBox: `0 0 ${left + wide + 24} ${top + high + bottom}`, class: "chart", role: "img", "aria-label": `Right predictions by the share of the recording that is seen: ${words}` });
  for (const v of [0, 0.25, 0.5, 0.75, 1]) {
    const right = least + v * (1 - least);
    picture.append(svg("line", { x1: px(0), x2: px(1), y1: py(right), y2: py(right), stroke: "var(--grid)" }),
      svg("text", { x: left - 7, y: py(right) + 4, "text-anchor": "end", text: percent(right, least && v % 0.5 ? 1 : 0) }),
      svg("text", { x: px(v), y: py(least) + 16, "text-anchor": "middle", text: percent(v, 0) }));
  }
  picture.append(svg("polyline", { points: rule.curve.map((p) => `${px(p.seen)},${py(p.accuracy)}`).join(" "), fill: "none", stroke: "var(--s1)", "stroke-width": 2 }),
    svg("text", { x: px(0.5), y: py(least) + 32, "text-anchor": "middle", text: "share of the recording that is seen" }));
  dots.sort((a, b) => b[1].accuracy - a[1].accuracy); // of two the upper has its name above, so that names keep apart
  dots.forEach(([name, f, colour], i) => picture.append(svg("circle", { cx: px(f.seen), cy: py(f.accuracy), r: 5, fill: colour }),
    svg("text", { x: px(f.seen), y: py(f.accuracy) + (i < dots.length - 1 ? -9 : 20), "text-anchor": f.seen > 0.85 ? "end" : "middle", text: name })));
  return picture;
}
