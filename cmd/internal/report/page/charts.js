// Line charts in SVG.

const series = ["--s1", "--s2", "--s3", "--s4", "--s5", "--s6"];
const dashes = ["", "6 4", "2 3", "9 3 2 3", "12 3", "4 2 1 2"];

// plain is a round number without needless digits.
const plain = (v) => String(+v.toPrecision(3)).replace("-", "−");

// ticks are round numbers from low to high, about n of them.
function ticks(low, high, n) {
  if (!(high > low)) return [low];
  const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999);
  const all = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step) all.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return all;
}

// chart draws lines [{name, values}] over the epochs x. options: format of a value, marker: an epoch to mark, low, high: of the axis.
function chart(title, x, lines, options = {}) {
  const format = options.format || ((v, tick) => (tick ? plain(v) : number(v)));
  const width = 320, height = 190, left = 42, right = 10, top = 10, bottom = 22;
  const seen = lines.flatMap((line) => line.values).filter(Number.isFinite);
  let low = options.low ?? Math.min(...seen), high = options.high ?? Math.max(...seen);
  if (!seen.length) [low, high] = [0, 1];
  if (high - low < 1e-12) [low, high] = [low - Math.max(1e-3, Math.abs(low) / 10), high + Math.max(1e-3, Math.abs(high) / 10)];
  const yTicks = ticks(low, high, 4);
  const first = x[0], last = x[x.length - 1];
  const px = (v) => (last === first ? (left + width - right) / 2 : left + ((v - first) / (last - first)) * (width - left - right));
  const py = (v) => top + ((high - v) / (high - low)) * (height - top - bottom);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": describe(title, x, lines, format) });
  for (const v of yTicks) {
    picture.append(svg("line", { x1: left, x2: width - right, y1: py(v), y2: py(v), stroke: "var(--grid)" }),
      svg("text", { x: left - 7, y: py(v) + 4, "text-anchor": "end", text: format(v, true) }));
  }
  for (const v of ticks(first, last, 5).filter((v) => Number.isInteger(v))) {
    picture.append(svg("text", { x: px(v), y: height - bottom + 16, "text-anchor": "middle", text: v }));
  }
  picture.append(svg("text", { x: left - 7, y: height - bottom + 16, "text-anchor": "end", text: "epoch" }));
  if (options.marker >= first && options.marker <= last) {
    picture.append(svg("line", { x1: px(options.marker), x2: px(options.marker), y1: top, y2: height - bottom, stroke: "var(--soft)", "stroke-dasharray": "1 3" }));
  }
  lines.forEach((line, s) => {
    const points = line.values.map((v, i) => [px(x[i]), py(v)]).filter(([, y]) => Number.isFinite(y));
    const stroke = `var(${series[s % series.length]})`;
    if (points.length > 1) {
      picture.append(svg("polyline", { points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), fill: "none", stroke, "stroke-width": 2,
        "stroke-linejoin": "round", "stroke-dasharray": dashes[s % dashes.length] }));
    } else {
      for (const [cx, cy] of points) picture.append(svg("circle", { cx, cy, r: 4, fill: stroke }));
    }
  });
  const cursor = svg("line", { y1: top, y2: height - bottom, stroke: "var(--text)", visibility: "hidden" });
  picture.append(cursor);
  const values = el("p", { class: "values", "aria-hidden": "true" });
  const at = (i) => {
    cursor.setAttribute("x1", px(x[i]));
    cursor.setAttribute("x2", px(x[i]));
    cursor.setAttribute("visibility", "visible");
    values.textContent = `epoch ${x[i]}: ` + lines.map((line) => `${line.name} ${format(line.values[i])}`).join(", ");
  };
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect(), wanted = ((event.clientX - box.left) / box.width) * width;
    let best = 0;
    x.forEach((v, i) => { if (Math.abs(px(v) - wanted) < Math.abs(px(x[best]) - wanted)) best = i; });
    at(best);
  });
  picture.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    values.textContent = "";
  });
  const keys = lines.map((line, s) => el("span", { class: "key" },
    svg("svg", { viewBox: "0 0 20 8", "aria-hidden": "true" }, svg("line", { x1: 0, x2: 20, y1: 4, y2: 4, "stroke-width": 2.5, stroke: `var(${series[s % series.length]})`, "stroke-dasharray": dashes[s % dashes.length] })), line.name));
  return el("figure", {}, el("figcaption", {}, el("b", { text: title }), el("span", { class: "keys" }, ...keys)), picture, values);
}

// describe is a chart in words, for readers who do not see it. The table has all numbers.
function describe(title, x, lines, format) {
  const last = x.length - 1;
  return `${title}, epochs ${x[0]} to ${x[last]}: ` + lines.map((line) => `${line.name} from ${format(line.values[0])} to ${format(line.values[last])}`).join("; ");
}

// renderCurves shows the learning curves.
function renderCurves(report) {
  $("curves").hidden = !report.network; // a ridge classifier is fitted at once
  if (!report.network) return;
  const history = report.history || [];
  const charts = $("curves-charts");
  $("curves-details").hidden = history.length === 0;
  if (!history.length) {
    $("curves-text").textContent = "The run kept no learning curves.";
    charts.replaceChildren();
    return;
  }
  const best = bestEpoch(report), x = history.map((e) => e.epoch);
  const validated = history.every((e) => e.validation);
  $("curves-text").textContent = `${count(history.length, "epoch")} of ${report.epochs}` + (best ? `; epoch ${best} is the best in validation, marked by the dotted line.` : ".") +
    " Training figures are means over the batches of an epoch, with dropout and augmentation." +
    (report.predicted_by === "the network" ? "" : ` They are of the network alone; predictions are made by ${report.predicted_by}.`);
  const lines = (what) => (validated ? ["train", "validation"] : ["train"]).map((split) => ({ name: split === "train" ? (report.predicted_by === "the network" ? "training" : "training, network alone") : split, values: history.map((e) => e[split][what]) }));
  const drawn = [
    chart("Loss", x, lines("loss"), { marker: best }),
    chart("Accuracy", x, lines("accuracy"),
      { marker: best, format: (v, tick) => percent(v, tick ? (v * 100) % 1 > 1e-9 ? 1 : 0 : 2) }),
  ];
  const levels = (history[0].objective || []).length;
  if (levels) {
    drawn.push(chart("C", x, Array.from({ length: levels }, (_, l) => ({ name: `level ${l + 1}`, values: history.map((e) => e.objective[l]) })), { marker: best }));
  }
  charts.replaceChildren(...drawn);
  fillTable($("curves-table"), ["epoch", "training loss", "training accuracy", ...(validated ? ["validation loss", "validation accuracy"] : []), ...Array.from({ length: levels }, (_, l) => `C of level ${l + 1}`), "seconds"],
    history.map((e) => [e.epoch, number(e.train.loss), percent(e.train.accuracy, 2), ...(validated ? [number(e.validation.loss), percent(e.validation.accuracy, 2)] : []), ...(e.objective || []).map(number), e.seconds.toFixed(1)]),
    { best: history.findIndex((e) => e.epoch === best) });
}
