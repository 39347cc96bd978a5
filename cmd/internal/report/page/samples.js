// Test samples, drawn by the program, with what contributed to their predictions.

// drawing is a sample with its contributions, in one or two pictures; or its words.
function drawing(layout, sample) {
  if (sample.words) return wordList(sample);
  const name = `sample ${sample.name}, its signal and the contributions of its nodes, the largest ${number(sample.most)}`;
  return pictures(layout, (sample.pictures || []).map((src, i) => el("img", { src, alt: i === 0 ? name : "" })));
}

// pictures stand side by side; those over time stand below each other.
const pictures = (layout, images) => el("div", { class: layout && layout.kind === "time" ? "drawing wide" : "drawing" }, ...images);

// wordList is a sample's words with a bar for each contribution, to the right if it speaks for the class.
function wordList(sample) {
  if (!sample.words.length) return el("p", { text: "None of its nodes contributed." });
  const most = Math.max(...sample.words.map((w) => Math.abs(w.mean)));
  return el("ul", { class: "words" }, ...sample.words.map((w) => {
    const width = Math.max(0.5, (50 * Math.abs(w.mean)) / most);
    return el("li", {}, el("span", { class: "word", text: w.name, title: w.name }),
      svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { x: 49.5, y: 0, width: 1, height: 10, fill: "var(--line)" }),
        svg("rect", { x: w.mean < 0 ? 50 - width : 50, y: 1, width, height: 8, fill: `var(${w.mean < 0 ? "--negative" : "--positive"})` })),
      el("span", { class: "number", text: (w.mean > 0 ? "+" : "−") + Math.abs(w.mean).toFixed(2) }));
  }));
}

// caption is what stands below a sample, in pieces that stay whole.
const caption = (...pieces) => el("p", { class: "caption" }, ...pieces.map((text) => el("span", { text })));

const methods = {
  integrated: "integrated gradients",
  gradient: "gradient times input",
  occlusion: "how far it falls when a part of the signal goes back to the baseline (occlusion), shared out over the part",
};

function renderSamples(report) {
  const mistakes = report.mistakes || [], gallery = report.gallery || [], means = report.means || [], names = report.spec.class_names;
  const words = gallery.some((s) => s.words), time = report.layout && report.layout.kind === "time";
  const width = words ? "15rem" : time ? "21rem" : "15rem";
  $("mistakes").hidden = !report.evaluation;
  if (report.evaluation) {
    const wrong = report.evaluation.samples - Math.round(report.evaluation.accuracy * report.evaluation.samples);
    $("mistakes-text").textContent = wrong === 0 ? `All ${count(report.evaluation.samples, "test sample")} are classified correctly.`
      : `Wrong predictions: ${count(wrong, "test sample")}. ${wrong === mistakes.length ? "The most confident come first." : `These are the ${mistakes.length} most confident.`}` +
        " Each is shown with what contributed most to the class predicted.";
  }
  const cards = (id, items) => {
    $(id).parentElement.hidden = items.length === 0;
    $(id).style.setProperty("--card-width", width);
    $(id).replaceChildren(...items.map((parts) => el("li", {}, ...parts)));
  };
  cards("mistakes-list", mistakes.map((s) => [el("h3", {}, `${names[s.truth]} `, el("span", { class: "wrong", text: `taken for ${names[s.predicted]}` })), drawing(report.layout, s),
    caption(`${names[s.predicted]}: ${percent(s.probability)}`, `${names[s.truth]}: ${percent(s.truth_share)}`, `sample ${s.name}`)]));
  $("gallery").hidden = gallery.length === 0;
  if (!gallery.length) return;
  $("gallery-text").textContent = "What each value contributed to the class predicted, in units of the logit: " + methods[report.method] + `. ${whole(report.explained)} of ${count(report.evaluation.samples, "test sample")} are explained` + (report.explained < report.evaluation.samples ? "; ccp report --samples takes more or fewer" : "") + ". Each sample has its own scale" +
    (words ? "; a bar to the right speaks for the class, one to the left against it." : time ? ". A curve has its contributions in its colour." : ".");
  $("gallery-scale").replaceChildren(...(words ? [] : [el("div", { class: "scale" }, "against", el("span", { class: "gradient", "aria-hidden": "true" }), "for the class")]));
  $("means-title").hidden = $("means-text").hidden = means.length === 0;
  $("means-text").textContent = `The mean over the samples of each class predicted, of ${count(means.reduce((sum, m) => sum + m.samples, 0), "test sample")}. Bars are sums: of a sensor at its right, of a frame above it; red speaks for the class and blue against it.`;
  cards("means-list", means.map((m) => [el("h3", { text: names[m.class] }), pictures(report.layout, [el("img", { src: m.picture, alt: `mean contributions to ${names[m.class]}, by sensor and frame` })]), caption(`mean of ${count(m.samples, "sample")}`)]));
  cards("gallery-list", gallery.map((s) => [el("h3", {}, names[s.truth], s.predicted === s.truth ? null : el("span", { class: "wrong", text: ` taken for ${names[s.predicted]}` })), drawing(report.layout, s),
    caption(`${names[s.predicted]}: ${percent(s.probability)}`, `sample ${s.name}`)]));
}
