// What the page says of a chosen cluster.

const mostChips = 24;

// clusterWords is a cluster in one sentence, for the live region.
function clusterWords(data, { epoch, level, cluster, node }) {
  const size = data.sizes(epoch, level)[cluster], parts = [`Level ${level}, cluster ${cluster}: ${size} of ${count(data.nodes, "input node")}`];
  if (node !== null) parts.unshift(data.nodeName(node));
  const above = data.above(epoch, level, cluster)[0];
  if (above) parts.push(`in cluster ${above.cluster} of level ${above.level}`);
  if (data.epochs.length > 1) parts.push(`epoch ${data.epochs[epoch].epoch}`);
  return parts.join("; ") + ".";
}

// renderPanel shows a cluster, or how to choose one. go(level, cluster) chooses another.
function renderPanel(panel, data, { epoch, level, cluster }, go) {
  if (cluster === null) {
    panel.replaceChildren(el("h3", { text: "No cluster is chosen" }), el("p", { text: `Level ${level} has ${count(data.levels[level - 1].clusters, "cluster")}. Choose one on the map, or by its number.` }));
    return;
  }
  const size = data.sizes(epoch, level)[cluster], l = data.levels[level - 1], describes = epoch === data.shown;
  const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.background = css(data.palette[l.colours[cluster]]);
  const mass = describes && l.mass ? `; its mass, the sum of memberships, is ${number(l.mass[cluster])}` : "";
  panel.replaceChildren(
    el("h3", {}, swatch, `Cluster ${cluster} of level ${level}`),
    el("p", { id: "panel-size", text: size ? `${whole(size)} of ${count(data.nodes, "input node")} belong to it${mass}.` : `No input node belongs to it${mass}.` }));
  const central = data.central(level, cluster), of = data.frozen ? "" : `, in epoch ${data.epochs[data.shown].epoch}`;
  if (central.length) {
    panel.append(el("h4", { text: `Most central nodes${of}` }), el("ul", { class: "chips", id: "panel-central" }, ...central.map((node) => el("li", { class: "plain", text: data.nodeName(node) }))));
  }
  panel.append(el("h4", { text: "At every level" }), everyLevel(data, epoch, level, cluster, go));
  if (!l.neighbourhoods) return;
  const table = el("table", { id: "panel-neighbourhood" });
  fillTable(table, ["slot", level === 1 ? "node" : `cluster of level ${level - 1}`, "rank", "gate"], data.neighbourhood(level, cluster).map(({ node, rank, gate }, slot) => [slot,
    level === 1 ? data.nodeName(node) : el("button", { type: "button", text: node, onclick: () => go(level - 1, node), "aria-label": `cluster ${node} of level ${level - 1}` }), number(rank), gate.toFixed(3)]));
  panel.append(el("h4", { text: `What its ${count(l.filters, "filter")} see${l.filters === 1 ? "s" : ""}: its neighbourhood${of}${level === 1 && describes ? ", the dots on the map" : ""}` }), el("div", { class: "plainscroll" }, table));
}

// everyLevel lists the parts of a cluster at each level below, and the clusters above that it is in.
function everyLevel(data, epoch, level, cluster, go) {
  const chip = (l, k) => el("li", {}, el("button", { type: "button", text: k, "aria-label": `cluster ${k} of level ${l}`, onclick: () => go(l, k) }));
  const chips = (l, all) => el("ul", { class: "chips" }, ...all.slice(0, mostChips).map((k) => chip(l, k)), all.length > mostChips ? el("li", { class: "plain", text: `and ${whole(all.length - mostChips)} more` }) : null);
  const list = el("dl", { class: "terms", id: "panel-levels" });
  const row = (name, ...content) => list.append(el("dt", { text: name }), el("dd", {}, ...content));
  for (const part of data.below(epoch, level, cluster).reverse()) {
    if (part.level === 0) row("input", count(part.nodes.length, "node"));
    else row(`level ${part.level}`, part.nodes.length ? chips(part.level, part.nodes.sort((a, b) => a - b)) : "none of its clusters");
  }
  row(`level ${level}`, `cluster ${cluster}, this one`);
  for (const part of data.above(epoch, level, cluster)) row(`level ${part.level}`, el("ul", { class: "chips" }, chip(part.level, part.cluster)));
  return list;
}
