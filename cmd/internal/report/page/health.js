// The table of `ccp clusters`, and its course by epoch.

function renderHealth(report) {
  const levels = report.health || [];
  $("health").hidden = levels.length === 0;
  if (!levels.length) return;
  const warnings = levels.flatMap((l) => l.warnings || []);
  const which = `The snapshot that was evaluated, of epoch ${report.best_epoch},`;
  $("health-text").textContent = warnings.length ? `${which} has ${count(warnings.length, "warning")}:` : `${which} has no collapsed level.`;
  $("health-warnings").replaceChildren(...warnings.map((text) => el("li", { text })));
  const head = ["level", "nodes", "clusters", "in use", "L", "unselected", "overlap", "entropy", "C", "at most", "gates"];
  const row = (l) => [l.level, whole(l.nodes), whole(l.clusters), whole(l.in_use), l.neighbours, percent(l.unselected), l.overlap.toFixed(2), l.entropy.toFixed(2), l.objective.toFixed(2), plain(l.clusters / 2),
    `${l.gate_low.toFixed(2)}–${l.gate_high.toFixed(2)}`];
  fillTable($("health-table"), head, levels.map(row));

  const courses = report.hierarchy ? report.hierarchy.epochs : [];
  $("health-courses").hidden = courses.length < 2;
  if (courses.length < 2) {
    if (report.hierarchy && report.hierarchy.frozen) $("health-text").textContent += " The hierarchy was made before the training and did not change.";
    return;
  }
  const x = courses.map((c) => c.epoch);
  const lines = (value) => levels.map((l, i) => ({ name: `level ${l.level}`, values: courses.map((c) => value(c.health[i])) }));
  const shares = (v, tick) => percent(v, tick ? 0 : 1);
  const marker = bestEpoch(report);
  $("health-charts").replaceChildren(
    chart("Clusters in use", x, lines((l) => l.in_use / l.clusters), { format: shares, low: 0, high: 1, marker }),
    chart("Nodes unselected", x, lines((l) => l.unselected), { format: shares, low: 0, high: 1, marker }),
    chart("Entropy of memberships", x, lines((l) => l.entropy), { format: (v, tick) => tick ? plain(v) : v.toFixed(2), low: 0, high: 1, marker }),
    chart("C, as a share of what is possible", x, lines((l) => (2 * l.objective) / l.clusters), { format: shares, low: 0, high: 1, marker }));
  fillTable($("courses-table"), ["epoch", ...head], courses.flatMap((c) => c.health.map((l) => [c.epoch, ...row(l)])));
}
