// Test samples, drawn by the program, with what contributed to their predictions.

// figures draws a skeleton at some moments, side by side, each where it stands, in one scale.
function figures(sample, layout, label) {
  const poses = sample.poses;
  const all = poses.flatMap((p) => Array.from(p.y)), y0 = Math.min(...all), y1 = Math.max(...all);
  const middle = poses.map((p) => (Math.min(...p.x) + Math.max(...p.x)) / 2);
  const widest = Math.max(...poses.map((p) => Math.max(...p.x) - Math.min(...p.x)));
  const step = 96, height = 150, scale = Math.min((step - 12) / Math.max(1e-6, widest), (height - 32) / Math.max(1e-6, y1 - y0));
  const picture = svg("svg", { viewBox: `0 0 ${step * poses.length} ${height}`, class: "chart", role: "img", "aria-label": label });
  poses.forEach((pose, at) => {
    const px = (j) => (at + 0.5) * step + (pose.x[j] - middle[at]) * scale; // seen from the front, its left is to the right
    const py = (j) => 6 + (y1 - pose.y[j]) * scale;
    for (const [a, b] of layout.bones) picture.append(svg("line", { x1: px(a), y1: py(a), x2: px(b), y2: py(b), stroke: "var(--s1)", "stroke-width": 3, "stroke-linecap": "round" }));
    pose.x.forEach((_, j) => picture.append(svg("circle", { cx: px(j), cy: py(j), r: 2.6, fill: "var(--text)" })));
    picture.append(svg("text", { x: (at + 0.5) * step, y: height - 4, "text-anchor": "middle", text: `frame ${pose.frame}` }));
  });
  return picture;
}

// drawing is a sample, and beside it its contributions if there are any; or its words.
function drawing(layout, sample) {
  if (sample.words) return wordList(sample);
  const name = `sample ${sample.index}`, picture = (src, alt) => (src ? el("img", { src, alt }) : null);
  return el("div", { class: sample.poses ? "drawing wide" : "drawing" }, sample.poses ? figures(sample, layout, `${name}, moments of the recording`) : picture(sample.signal, name),
    picture(sample.contributions, `${name}, contributions, the largest ${number(sample.most)}`));
}

// wordList is a sample's words with a bar for each contribution, to the right if it speaks for the class.
function wordList(sample) {
  if (!sample.words.length) return el("p", { text: "None of its nodes contributed." });
  const most = Math.max(...sample.words.map((w) => Math.abs(w.contribution)));
  return el("ul", { class: "words" }, ...sample.words.map((w) => {
    const width = Math.max(0.5, (50 * Math.abs(w.contribution)) / most);
    return el("li", {}, el("span", { class: "word", text: w.name, title: w.name }),
      svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { x: 49.5, y: 0, width: 1, height: 10, fill: "var(--line)" }),
        svg("rect", { x: w.contribution < 0 ? 50 - width : 50, y: 1, width, height: 8, fill: `var(${w.contribution < 0 ? "--negative" : "--positive"})` })),
      el("span", { class: "number", text: (w.contribution > 0 ? "+" : "−") + Math.abs(w.contribution).toFixed(2) }));
  }));
}

// caption is what stands below a sample, in pieces that stay whole.
const caption = (...pieces) => el("p", { class: "caption" }, ...pieces.map((text) => el("span", { text })));

function renderSamples(report) {
  const mistakes = report.mistakes || [], gallery = report.gallery || [], names = report.class_names;
  const words = gallery.some((s) => s.words), poses = gallery.some((s) => s.poses);
  const wide = words ? "15rem" : poses ? "19rem" : null;
  $("mistakes").hidden = !report.evaluation;
  if (report.evaluation) {
    const wrong = report.evaluation.confusion.flat().reduce((a, b) => a + b, 0) - report.evaluation.confusion.reduce((sum, row, k) => sum + row[k], 0);
    $("mistakes-text").textContent = wrong === 0 ? `All ${count(report.evaluation.samples, "test sample")} are classified correctly.`
      : `Wrong answers: ${count(wrong, "test sample")}. ${wrong === mistakes.length ? "The most confident come first." : `These are the ${mistakes.length} most confident.`}` +
        (words ? " Each has its words with the largest contributions to the class predicted." : "");
  }
  $("mistakes-list").style.setProperty("--card-width", words || poses ? wide : "8.5rem");
  $("mistakes-list").replaceChildren(...mistakes.map((s) => el("li", {}, el("h3", {}, `${names[s.truth]} `, el("span", { class: "wrong", text: `taken for ${names[s.predicted]}` })), drawing(report.layout, s),
    caption(`${names[s.predicted]}: ${percent(s.probability)}`, `${names[s.truth]}: ${percent(s.truth_share)}`, `sample ${s.index}`))));
  $("gallery").hidden = gallery.length === 0;
  if (!gallery.length) return;
  $("gallery-text").textContent = (words ? "The words with the largest contributions to the class predicted" : "Test samples, and the contribution of each node to the class predicted") +
    ": integrated gradients, in units of the logit. Each sample has its own scale" + (poses ? "; joints are in rows and frames in columns, as in the explorer." : words ? "; a bar to the right speaks for the class, one to the left against it." : ".");
  $("gallery-scale").replaceChildren(...(words ? [] : [el("div", { class: "scale" }, "against", el("span", { class: "gradient", "aria-hidden": "true" }), "for the class")]));
  $("gallery-list").style.setProperty("--card-width", wide || "15rem");
  $("gallery-list").replaceChildren(...gallery.map((s) => el("li", {}, el("h3", {}, names[s.truth], s.predicted === s.truth ? null : el("span", { class: "wrong", text: ` taken for ${names[s.predicted]}` })), drawing(report.layout, s),
    caption(`${names[s.predicted]}: ${percent(s.probability)}`, `sample ${s.index}`))));
}
