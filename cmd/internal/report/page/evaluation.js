// The confusion matrix and the classes' scores.

function renderEvaluation(report) {
  const e = report.evaluation;
  $("confusion").hidden = !e || !e.confusion;
  if (!e) return;
  const names = report.spec.class_names;
  if (e.confusion) renderConfusion(e, names);
  fillTable($("classes-table"), ["class", "samples", "accuracy", "precision", "F1"],
    e.per_class.map((c) => [c.class, whole(c.samples), bar(c.recall), c.precision.toFixed(3), c.f1.toFixed(3)]), { names: true, bars: 2 });
}

// renderConfusion draws the confusion matrix; an evaluation of very many classes has none.
function renderConfusion(e, names) {
  $("confusion-text").textContent = `Each row is a true class and each column a predicted one, of ${count(e.samples, "test sample")}. Right predictions are on the diagonal, in blue; mistakes are orange. A darker cell is a larger share of its row.`;
  const long = names.some((name) => name.length > 3);
  const shade = (n, total, right) => (n === 0 ? "zero" : `${right ? "d" : "e"}${n / total > 0.8 ? 5 : n / total > 0.5 ? 4 : n / total > 0.25 ? 3 : n / total > 0.08 ? 2 : 1}`);
  $("confusion-table").replaceChildren(
    el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "true \\ predicted" }), ...names.map((name) => el("th", { scope: "col" }, el("span", { class: long ? "turned" : undefined, text: name }))))),
    el("tbody", {}, ...e.confusion.map((row, k) => {
      const total = row.reduce((a, b) => a + b, 0);
      return el("tr", {}, el("th", { scope: "row", text: names[k] }), ...row.map((n, j) => el("td", { class: shade(n, total, j === k), text: n === 0 ? "·" : n, title: `${names[k]} taken for ${names[j]}: ${n}` })));
    })));
}
