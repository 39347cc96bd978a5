// The page as a whole: its head and its end.

const explorer = new Explorer();
const report = JSON.parse($("report").textContent);

function renderHead() {
  const test = report.evaluation || (report.result && { ...report.result.test });
  $("title").textContent = `${report.data} · ${report.network ? report.spec.model : report.predicted_by}`;
  $("eyebrow").hidden = !report.network;
  $("about").textContent = !report.network ? `Predicted by ${report.predicted_by}, fitted to ${report.spec.class_names.length} classes, without a network.${reason()}${heldOut()}` : `${report.about[0].toUpperCase()}${report.about.slice(1)}, on a graph of ${count(report.spec.nodes, "node")} and ${count(report.edges, "edge")}, ${count(report.spec.channels, "channel")}, ${report.spec.class_names.length} classes.`;
  const fact = (name, value, note, small) => el("div", {}, el("dt", { text: name }), el("dd", { class: small ? "small" : undefined }, value, note ? el("span", { text: note }) : null));
  const last = report.history && report.history.length ? report.history[report.history.length - 1] : null;
  const facts = [], levels = report.spec.levels || [], hidden = report.spec.hidden || [];
  if (test) facts.push(fact("Test accuracy", percent(test.accuracy, 2), `${report.evaluation ? `n = ${whole(report.evaluation.samples)}, ` : ""}loss ${number(test.loss)}`));
  facts.push(fact("Predicted by", report.predicted_by, "", true));
  if (report.result && report.result.validation) facts.push(fact("Validation accuracy", percent(report.result.validation.accuracy, 2), !report.network ? "" : `in epoch ${report.best_epoch} of ${report.result.epochs}` + (report.config.keep === "last" ? "" : ", the best")));
  else if (last && last.validation) facts.push(fact("Validation accuracy", percent(last.validation.accuracy, 2), `in epoch ${last.epoch} of ${report.epochs}`));
  if (report.network && report.parameters) facts.push(fact("Parameters", whole(report.parameters), "trainable"));
  if (report.network && levels.length) facts.push(fact("Levels", el("div", { text: levels.map((l) => `${l.clusters}×${l.filters}/${l.neighbours}`).join(", ") }), "clusters × filters / L" + (hidden.length ? `; hidden ${hidden.join(", ")}` : ""), true));
  facts.push(fact("Training", report.result ? duration(report.result.seconds) : last ? `epoch ${last.epoch}` : "begins", (report.result && report.result.prepare_seconds >= 0.05 ? `${duration(report.result.prepare_seconds)} of it before the first step, ` : "") + `seed ${report.config.seed}, ${report.backend}`));
  $("facts").replaceChildren(...facts);
  $("notices").replaceChildren(...(report.notices || []).map((text) => el("p", { class: "notice", text })));
}

// reason says why no network predicts, which results of earlier versions do not.
function reason() {
  const text = report.result && report.result.no_network;
  return text ? ` ${text[0].toUpperCase()}${text.slice(1)}.` : "";
}

// heldOut says how the transforms that predict alone did on held-out samples, or that there were none. Earlier versions did not count them.
function heldOut() {
  const { train, members } = report.result || {};
  if (train && train.samples) return ` Of ${ofSamples(train)} held out of the training they have ${percent(train.accuracy)} right, at a log-loss of ${number(train.loss)}.`;
  return members && members.every((m) => !m.loss) ? " No samples could be held out to tell how well they predict." : "";
}

// ofSamples names the samples that a score is of.
function ofSamples(score) {
  return count(score.samples, "sample") + (score.groups ? ` of ${count(score.groups, "group")}` : "");
}

// renderMembers tells how well each transform and member predicts held-out training samples, with the graph and without.
function renderMembers() {
  const all = (report.result && report.result.members) || [], random = all.find((m) => m.name === "network on a random graph"), network = all.find((m) => m.name === "network");
  const of = (graph, but) => all.filter((m) => m.graph === graph && m.name !== "all" && m !== random && m !== but && m.loss).sort((a, b) => a.loss - b.loss)[0];
  $("members").hidden = !all.length;
  if (!all.length) return;
  const judged = all.filter((m) => m.loss);
  const best = (m) => `${m.name}, ${percent(m.accuracy)} right at a log-loss of ${number(m.loss)}`, [with_, without] = [of(true), of(false)];
  $("members-text").textContent = !judged.length ? "No training samples could be held out to judge these by." : "How training samples are predicted that were held out, by members that are fitted to the others. " +
    (!with_ && !without ? "" : with_ && without ? `The best that goes by links or pairs of sensors is ${best(with_)}; the best that does not is ${best(without)}.` : with_ ? "" : "None goes by links or pairs of sensors.") +
    (random ? ` On a random graph of sensors and time points with as many edges the network has ${percent(random.accuracy)} right, on the data’s ${percent(network.accuracy)}: its links are worth ${(100 * (network.accuracy - random.accuracy)).toFixed(1)} points to it.` : "");
  renderWorth([["other transforms", of(false)], ["transforms by links or pairs", of(true, network)], ["network", network], ["network on a random graph", random]].filter(([, m]) => m), network);
  fillTable($("members-table"), ["member", "held-out accuracy", "log-loss", "of", "by links or pairs", "weight"], all.map((m) => [m.name === "all" ? "all transforms" : m.name, m.loss ? bar(m.accuracy) : "not measured", m.loss ? number(m.loss) : "–", m.samples ? ofSamples(m) : "", ...(m.name === "all" ? ["", ""] : [m.graph ? "yes" : "no", percent(m.weight, 0)])]), { names: true, bars: 1 });
}

// renderWorth draws the held-out accuracies of the best of each kind [[kind, member]], if there is a network among them.
function renderWorth(kinds, network) {
  $("members-chart").hidden = !network || !network.loss;
  if (!network || !network.loss) return;
  drawBars($("members-chart"), "Held-out accuracy, the best of each kind", kinds.map(([kind, m]) => [kind.startsWith("transforms") ? `${kind}: ${m.name}` : kind, m.accuracy, kind.includes("random") ? 2 : 1]));
}

// drawBars draws a bar for each accuracy [[text, accuracy, colour]], under a caption.
function drawBars(into, caption, bars) {
  const width = 250, step = 38;
  const picture = svg("svg", { viewBox: `0 0 ${width + 50} ${step * bars.length}`, class: "chart", role: "img", "aria-label": `${caption}: ${bars.map(([text, accuracy]) => `${text} ${percent(accuracy)}`).join(", ")}` });
  bars.forEach(([text, accuracy, colour], i) => picture.append(svg("text", { x: 0, y: i * step + 14, text }),
    svg("rect", { x: 0, width: Math.max(1, width * accuracy), y: i * step + 19, height: 13, fill: `var(--s${colour})` }),
    svg("text", { x: width * accuracy + 6, y: i * step + 30, text: percent(accuracy) })));
  into.replaceChildren(el("figure", {}, el("figcaption", {}, el("b", { text: caption })), picture));
}

function duration(seconds) {
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function renderRerun() {
  const r = report, rows = [["Checkpoint", r.checkpoint], ["Snapshot", r.snapshot], ["Seed", r.config.seed], ["Backend of the training", r.backend], ["Data", r.provenance],
    ["Versions", Object.entries(r.versions || {}).filter(([name]) => name !== "backend").map(([name, version]) => `${name} ${version}`).join(", ")],
    ["Report made on", [r.machine.cpu, count(r.machine.cores, "core"), r.machine.memory_bytes ? `${Math.round(r.machine.memory_bytes / 2 ** 30)} GiB` : "", r.machine.platform].filter(Boolean).join(", ")]];
  $("command").textContent = r.command || "The checkpoint does not say which command made it.";
  $("rerun-facts").replaceChildren(...rows.filter(([, value]) => value !== undefined && value !== "").flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })]));
  $("config").textContent = JSON.stringify(r.config, null, 2);
}

// renderContents links the sections that are there.
function renderContents() {
  const links = [...document.querySelectorAll("main > section")].filter((s) => !s.hidden).map((s) => [s.id, s.querySelector("h2").textContent]);
  $("contents").replaceChildren(...links.map(([id, text]) => el("li", {}, el("a", { href: `#${id}`, text }))));
}

function render() {
  renderHead();
  renderCurves(report);
  renderHealth(report);
  explorer.setReport(report);
  explorer.text(report);
  renderDoubts();
  renderMembers();
  renderEvaluation(report);
  renderReliability(report);
  renderEarly(report);
  renderSamples(report);
  renderRerun();
  renderContents();
}

$("copy").addEventListener("click", async () => {
  let done = true;
  try {
    await navigator.clipboard.writeText($("command").textContent);
  } catch {
    getSelection().selectAllChildren($("command"));
    done = document.execCommand("copy");
  }
  $("copied").textContent = done ? "The command is copied." : "It could not be copied.";
  $("copy").textContent = done ? "Copied" : "Copy";
  setTimeout(() => { $("copy").textContent = "Copy"; }, 2000);
});

render();
