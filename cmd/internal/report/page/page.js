// The page as a whole: its head, its end, and how it follows a training.

const explorer = new Explorer();
const pollEvery = 2000; // milliseconds
let report = JSON.parse($("report").textContent);

function renderHead() {
  if (!report.spec.nodes) { // before the training begins
    $("title").textContent = report.data;
    $("about").textContent = "The data is being prepared.";
    return;
  }
  const test = report.evaluation || (report.result && { ...report.result.test });
  $("title").textContent = `${report.data} · ${report.spec.model}`;
  $("about").textContent = `${report.about[0].toUpperCase()}${report.about.slice(1)}, on a graph of ${count(report.spec.nodes, "node")} and ${count(report.edges, "edge")}, ${count(report.spec.channels, "channel")}, ${report.class_names.length} classes.`;
  const fact = (name, value, note, small) => el("div", {}, el("dt", { text: name }), el("dd", { class: small ? "small" : undefined }, value, note ? el("span", { text: note }) : null));
  const last = report.history && report.history.length ? report.history[report.history.length - 1] : null;
  const facts = [], levels = report.spec.levels || [], hidden = report.spec.hidden || [];
  if (test) facts.push(fact("Test accuracy", percent(test.accuracy, 2), `${report.evaluation ? `n = ${whole(report.evaluation.samples)}, ` : ""}loss ${number(test.loss)}`));
  if (report.result && report.result.validation) facts.push(fact("Validation accuracy", percent(report.result.validation.accuracy, 2), `in epoch ${report.best_epoch} of ${report.result.epochs}` + (report.config.keep === "last" ? "" : ", the best")));
  else if (last && last.validation) facts.push(fact("Validation accuracy", percent(last.validation.accuracy, 2), `in epoch ${last.epoch} of ${report.epochs}`));
  if (report.parameters) facts.push(fact("Parameters", whole(report.parameters), "trainable"));
  if (levels.length) facts.push(fact("Levels", el("div", { text: levels.map((l) => `${l.clusters}×${l.filters}/${l.neighbours}`).join(", ") }), "clusters × filters / L" + (hidden.length ? `; hidden ${hidden.join(", ")}` : ""), true));
  facts.push(fact("Training", report.result ? duration(report.result.seconds) : last ? `epoch ${last.epoch}` : "begins", `seed ${report.config.seed}, ${report.backend}`));
  $("facts").replaceChildren(...facts);
  $("notices").replaceChildren(...(report.notices || []).map((text) => el("p", { class: "notice", text })));
}

function duration(seconds) {
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function renderRerun() {
  $("rerun").hidden = !report.spec.nodes;
  if (!report.spec.nodes) return;
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
  const list = $("contents");
  if (list.children.length === links.length) return; // not made anew under the focus
  list.replaceChildren(...links.map(([id, text]) => el("li", {}, el("a", { href: `#${id}`, text }))));
}

function render() {
  renderHead();
  renderCurves(report);
  renderHealth(report);
  explorer.setReport(report);
  explorer.text(report);
  renderEvaluation(report);
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

themeQuery.addEventListener("change", () => explorer.schedule());

// state shows in the head how the training stands.
function state(text, on) {
  $("live").hidden = false;
  if ($("live").textContent !== text) $("live").textContent = text;
  $("live").classList.toggle("on", on);
}

// follow asks for newer data until the training has ended.
async function follow() {
  let tag = null;
  for (let failures = 0; failures < 3; ) {
    if (report.ended) return state("training has ended", false);
    state("live, training", true);
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
    try {
      const answer = await fetch("report.json", { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      failures = 0;
      if (answer.status === 304) continue;
      if (!answer.ok) throw new Error(String(answer.status));
      tag = answer.headers.get("ETag");
      report = await answer.json();
      render();
    } catch {
      failures++;
    }
  }
  state("the training’s process is gone; this is its last report", false);
}

render();
if (report.live) follow();
