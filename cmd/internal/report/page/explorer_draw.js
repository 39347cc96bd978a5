// The map of the input nodes: the program's picture, in which the clusters of a level are coloured here.

class MapView {
  constructor(map) {
    this.map = map;
    this.clusters = svg("g");
    this.axes = svg("g");
    this.marks = svg("g");
    map.replaceChildren(this.clusters, this.axes, this.marks);
  }

  setData(data) {
    const { width, height, line, axes } = data.map;
    this.data = data;
    this.map.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.clusters.setAttribute("stroke-width", line);
    this.axes.innerHTML = axes;
  }

  // nodeAt is the node under the pointer, or null.
  nodeAt({ clientX, clientY }) {
    const { x, y, reach } = this.data.map, at = new DOMPoint(clientX, clientY).matrixTransform(this.map.getScreenCTM().inverse());
    let best = null, nearest = Infinity;
    for (let i = 0; i < x.length; i++) {
      const dx = Math.abs(x[i] - at.x), dy = Math.abs(y[i] - at.y);
      if (dx <= reach[0] && dy <= reach[1] && dx * dx + dy * dy < nearest) [best, nearest] = [i, dx * dx + dy * dy];
    }
    return best;
  }

  // next is the node that an arrow key leads to.
  next(node, dx, dy) {
    const { x, y } = this.data.map;
    let best = node, nearest = Infinity;
    for (let i = 0; i < x.length; i++) {
      const along = (x[i] - x[node]) * dx + (y[i] - y[node]) * dy, aside = Math.abs((x[i] - x[node]) * dy) + Math.abs((y[i] - y[node]) * dx);
      if (along > 1e-3 && along >= aside && along + 2 * aside < nearest) [best, nearest] = [i, along + 2 * aside];
    }
    return best;
  }

  // draw shows the clusters of a level in an epoch, one of them (if not null) before the others, and a node marked (if not null).
  draw({ epoch, level, shown, cursor }) {
    const { x, y, shape, dot, ring } = this.data.map, key = `${epoch}/${level}`;
    if (key !== this.key) {
      const { colours, clusters } = this.data.levels[level - 1], outlines = Array(clusters).fill("");
      this.data.path(epoch, level).forEach((k, i) => { outlines[k] += `M${x[i]} ${y[i]}${shape}`; });
      this.paths = outlines.map((d, k) => svg("path", { d, fill: css(this.data.palette[colours[k]]) }));
      this.clusters.replaceChildren(...this.paths);
      this.key = key;
    }
    this.map.classList.toggle("chosen", shown !== null);
    if (this.shown) this.shown.classList.remove("shown");
    if ((this.shown = this.paths[shown])) {
      this.shown.classList.add("shown");
      this.clusters.append(this.shown); // above the others
    }
    const mark = (name, node, r) => svg("circle", { class: name, cx: x[node], cy: y[node], r });
    const seen = shown !== null && level === 1 && epoch === this.data.shown ? this.data.neighbourhood(1, shown) : [];
    this.marks.replaceChildren(...seen.map(({ node }) => mark("dot", node, dot)), ...(cursor === null ? [] : [mark("halo", cursor, ring), mark("ring", cursor, ring)]));
  }
}
