// The hierarchy explorer: what is chosen, and by which key, pointer or slider.

class Explorer {
  constructor() {
    this.map = new MapView($("map"));
    this.state = { level: 1, epoch: 0, cluster: null, node: null };
    this.hovered = null; // node under the pointer
    this.pending = false;
    this.listen();
  }

  setReport(report) {
    const usable = report.hierarchy && report.layout;
    $("explorer").hidden = !usable;
    if (!usable) return;
    const s = this.state;
    this.data = new HierarchyData(report);
    s.level = 1 + Math.max(0, this.data.levels.findIndex((l) => l.clusters <= 50 && l.clusters > 1));
    s.epoch = this.data.shown;
    $("level").max = this.data.levels.length;
    $("level").disabled = this.data.levels.length < 2;
    $("epoch").max = this.data.epochs.length - 1;
    $("epoch-control").hidden = this.data.epochs.length < 2;
    this.map.setData(this.data);
    this.controls();
    this.schedule();
  }

  listen() {
    const map = $("map");
    $("level").addEventListener("input", () => this.choose({ level: Number($("level").value) }));
    $("epoch").addEventListener("input", () => this.choose({ epoch: Number($("epoch").value) }));
    $("cluster").addEventListener("input", () => this.typed());
    $("clear").addEventListener("click", () => this.choose({ cluster: null, node: null }));
    map.addEventListener("pointermove", (event) => {
      const hovered = event.pointerType === "touch" ? null : this.under(event);
      if (hovered !== this.hovered) {
        this.hovered = hovered;
        this.schedule();
      }
    });
    map.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.schedule();
    });
    map.addEventListener("click", (event) => {
      const node = this.under(event);
      if (node === null) this.choose({ cluster: null, node: null });
      else this.choose({ node, cluster: this.data.path(this.state.epoch, this.state.level)[node] });
    });
    map.addEventListener("keydown", (event) => this.key(event));
    for (const name of ["focus", "blur"]) map.addEventListener(name, () => this.schedule());  }

  under(event) { return this.data ? this.map.nodeAt(event) : null; }

  key(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const { level, node, epoch } = this.state;
    if (event.altKey || event.ctrlKey || event.metaKey || !this.data) return;
    if (event.key in arrows) {
      const next = node === null ? this.centre() : this.map.next(node, ...arrows[event.key]);
      this.choose({ node: next, cluster: this.data.path(epoch, level)[next] });
    } else if (event.key === "PageUp" || event.key === "PageDown") {
      this.choose({ level: Math.max(1, Math.min(this.data.levels.length, level + (event.key === "PageUp" ? 1 : -1))) });
    } else if (event.key === "Escape") {
      this.choose({ cluster: null, node: null });
    } else {
      return;
    }
    event.preventDefault();
  }

  // centre is the node that the keyboard begins at: of the chosen cluster, else the first.
  centre() {
    const { epoch, level, cluster } = this.state;
    return cluster === null ? 0 : Math.max(0, this.data.path(epoch, level).indexOf(cluster));
  }

  typed() {
    const input = $("cluster"), most = this.data.levels[this.state.level - 1].clusters - 1, value = Number(input.value);
    if (input.value === "" && !input.validity.badInput) {
      this.choose({ cluster: null, node: null }, input);
    } else if (input.validity.badInput || !Number.isInteger(value) || value < 0 || value > most) {
      input.setAttribute("aria-invalid", "true");
      $("announcement").textContent = $("map-status").textContent = `The clusters of level ${this.state.level} have the numbers 0 to ${most}.`;
    } else {
      this.choose({ cluster: value, node: null }, input);
    }
  }

  // choose changes the state. With another level, the choice goes along with its node; `from` is the control that must not be written.
  choose(change, from) {
    const s = this.state, level = s.level;
    Object.assign(s, change);
    if (s.level !== level && !("cluster" in change) && s.cluster !== null) {
      if (s.node === null) { // one of the cluster's, at the level before
        const node = this.data.path(s.epoch, level).indexOf(s.cluster);
        s.node = node < 0 ? null : node;
      }
      s.cluster = s.node === null ? null : this.data.path(s.epoch, s.level)[s.node];
    } else if ("epoch" in change && s.cluster !== null && s.node !== null && this.data.path(s.epoch, s.level)[s.node] !== s.cluster) {
      s.node = null; // the cluster is kept, the node is another's now
    }
    this.hovered = null;
    this.controls(from);
    this.schedule();
    $("announcement").textContent = s.cluster === null ? this.where() : clusterWords(this.data, s);
  }

  where() {
    const { level, epoch } = this.state, l = this.data.levels[level - 1];
    return `Level ${level}: ${count(l.clusters, "cluster")}` + (this.data.epochs.length > 1 ? `, epoch ${this.data.epochs[epoch].epoch}.` : ".");
  }

  // controls brings the inputs in line with the state.
  controls(from) {
    const { level, epoch, cluster } = this.state, l = this.data.levels[level - 1], e = this.data.epochs[epoch].epoch;
    const set = (id, value) => { if ($(id) !== from && $(id).value !== String(value)) $(id).value = value; };
    set("level", level);
    set("epoch", epoch);
    set("cluster", cluster === null ? "" : cluster);
    $("cluster").max = l.clusters - 1;
    $("cluster").removeAttribute("aria-invalid");
    const best = e === this.data.best ? ", the best" : "";
    $("level-value").textContent = `${level} of ${this.data.levels.length}: ${count(l.clusters, "cluster")}`;
    $("epoch-value").textContent = `${e}${best}`;
    $("level").setAttribute("aria-valuetext", $("level-value").textContent);
    $("epoch").setAttribute("aria-valuetext", `epoch ${e}${best}`);
  }

  // schedule redraws before the next frame, once.
  schedule() {
    if (this.pending || !this.data) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.redraw();
    });
  }

  redraw() {
    const s = this.state, path = this.data.path(s.epoch, s.level);
    const cluster = this.hovered === null ? s.cluster : path[this.hovered];
    const cursor = document.activeElement === $("map") ? s.node : null;
    this.map.draw({ epoch: s.epoch, level: s.level, shown: cluster, cursor });
    const node = this.hovered ?? s.node;
    const words = cluster === null ? this.where() : clusterWords(this.data, { ...s, cluster, node });
    if (!$("cluster").hasAttribute("aria-invalid")) $("map-status").textContent = words;
    const key = `${s.epoch}/${s.level}/${cluster}`;
    if (key !== this.panelKey || this.panelData !== this.data) {
      [this.panelKey, this.panelData] = [key, this.data];
      renderPanel($("panel"), this.data, { epoch: s.epoch, level: s.level, cluster }, (level, k) => this.goTo(level, k));
    }
  }

  // goTo chooses a cluster from the panel, whose buttons are made anew: the focus goes to the panel.
  goTo(level, cluster) {
    this.choose({ level, cluster, node: null });
    $("panel").focus();
    $("panel").scrollTop = 0;
  }

  // text is what stands beside the map.
  text(report) {
    if (!this.data) return;
    const { layout, palette, known, epochs, frozen } = this.data;
    const where = { grid: "at its place in the image", time: "in a row for its sensor and a column for its frame", points: layout.by_graph ? "near the nodes that it is linked to" : "at its coordinates" }[layout.kind];
    let text = `Each of the ${count(report.spec.nodes, "input node")} is drawn ${where}. Its colour is its cluster at the chosen level; a node follows its largest membership. Clusters that touch have different colours.${report.hierarchy.levels.some((l) => l.clusters > palette.length) ? ` There are ${palette.length} colours, so several clusters can share one.` : ""}`;
    if (frozen) text += " The hierarchy was made before the training and did not change.";
    else if (known > epochs.length) text += ` The page has ${epochs.length} of the ${known} epochs.`;
    else if (epochs.length === 1) text += " The run kept only this epoch’s hierarchy.";
    $("explorer-text").textContent = text;
  }
}
