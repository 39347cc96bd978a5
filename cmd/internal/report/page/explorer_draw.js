// The map of the input nodes. Nodes are written as pixels into one buffer, so that ten thousand of them are drawn in milliseconds.

const labelWidth = 112, axisHeight = 22;

class MapView {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.cells = document.createElement("canvas"); // a grid, a pixel for each cell
    this.redraws = 0;
  }

  setData(data) {
    this.data = data;
    this.borders = new Map();
    const { kind, cells } = data.layout;
    if (kind === "points") {
    } else {
      this.rows = data.layout.rows;
      this.columns = data.layout.columns;
      this.nodeOf = cells;
      this.cellOf = new Uint32Array(data.nodes);
      this.nodeOf.forEach((node, cell) => { this.cellOf[node] = cell; });
    }
    this.resize();
  }

  // resize fits the canvas to its place on the page.
  resize() {
    if (!this.data) return;
    const scale = Math.min(2, window.devicePixelRatio || 1), width = Math.max(160, this.canvas.parentElement.clientWidth);
    this.scale = scale;
    let height;
    if (this.data.layout.kind === "points") {
      height = Math.min(width, 640);
      this.margin = 12;
      this.box = { left: (width - (height - 2 * this.margin)) / 2, top: this.margin, side: height - 2 * this.margin };
    } else {
      const labels = this.data.layout.kind === "time";
      const longest = Math.max(6, ...(this.data.layout.row_names || []).map((name) => name.length));
      const left = labels ? Math.min(labelWidth, width / 3, 16 + 7 * longest) : 0, bottom = labels ? axisHeight : 0;
      this.cellWidth = (width - left) / this.columns;
      this.cellHeight = Math.min(640 / this.rows, labels ? 36 : this.cellWidth);
      if (!labels) this.cellWidth = this.cellHeight = Math.min(this.cellWidth, this.cellHeight);
      this.box = { left: labels ? left : (width - this.cellWidth * this.columns) / 2, top: 0 };
      height = this.cellHeight * this.rows + bottom;
    }
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    this.borders.clear();
    if (this.data.layout.kind === "points") this.place();
  }

  // place finds the pixel of each point, and sorts points into squares to find the one under the pointer.
  place() {
    const { left, top, side } = this.box, n = this.data.nodes;
    this.px = Float32Array.from(this.data.layout.x, (v) => left + v * side);
    this.py = Float32Array.from(this.data.layout.y, (v) => top + (1 - v) * side);
    this.radius = Math.max(1.6, Math.min(9, (0.36 * side) / Math.sqrt(n)));
    this.square = 24;
    this.squares = new Map();
    for (let i = 0; i < n; i++) {
      const key = this.key(this.px[i], this.py[i]);
      if (!this.squares.has(key)) this.squares.set(key, []);
      this.squares.get(key).push(i);
    }
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  key(x, y) { return Math.floor(x / this.square) * 4096 + Math.floor(y / this.square); }

  // nodeAt is the node at a place in CSS pixels of the canvas, or -1.
  nodeAt(x, y) {
    if (this.data.layout.kind !== "points") {
      const column = Math.floor((x - this.box.left) / this.cellWidth), row = Math.floor(y / this.cellHeight);
      return column >= 0 && column < this.columns && row >= 0 && row < this.rows ? this.nodeOf[row * this.columns + column] : -1;
    }
    let best = -1, nearest = this.square ** 2;
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (const i of this.squares.get(this.key(x + dx * this.square, y + dy * this.square)) || []) {
          const d = (this.px[i] - x) ** 2 + (this.py[i] - y) ** 2;
          if (d < nearest) [best, nearest] = [i, d];
        }
      }
    }
    return best;
  }

  // next is the node that an arrow key leads to.
  next(node, dx, dy) {
    if (this.data.layout.kind !== "points") {
      const cell = this.cellOf[node];
      const row = Math.max(0, Math.min(this.rows - 1, Math.floor(cell / this.columns) + dy));
      const column = Math.max(0, Math.min(this.columns - 1, (cell % this.columns) + dx));
      return this.nodeOf[row * this.columns + column];
    }
    let best = node, nearest = Infinity;
    for (let i = 0; i < this.data.nodes; i++) {
      const x = this.px[i] - this.px[node], y = this.py[i] - this.py[node];
      const along = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 1e-3 && along >= aside && along + 2 * aside < nearest) [best, nearest] = [i, along + 2 * aside];
    }
    return best;
  }

  // draw shows the clusters of a level in an epoch, one of them (if not null) before the others, and a node marked (if not null).
  draw({ epoch, level, shown, cursor }) {
    const path = this.data.path(epoch, level), { colours } = this.data.levels[level - 1];
    const back = colour("--back"), text = colour("--text");
    const full = this.data.palette.map((c) => c), dim = this.data.palette.map((c) => mixed(c, back, 0.74));
    const look = (node) => (shown === null || path[node] === shown ? full : dim)[colours[path[node]]];
    const c = this.context;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = css(back);
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.data.layout.kind === "points") this.drawPoints(path, look, shown, back, text);
    else this.drawCells(path, look, shown, epoch, level, back, text);
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    if (shown !== null && level === 1 && epoch === this.data.shown) {
      for (const { node } of this.data.neighbourhood(1, shown)) this.dot(node, text, back);
    }
    if (cursor !== null) this.mark(cursor, text, back);
    this.canvas.dataset.redraws = ++this.redraws;
  }

  drawCells(path, look, shown, epoch, level, back, text) {
    const { rows, columns, cells } = this, c = this.context;
    if (cells.width !== columns || cells.height !== rows) [cells.width, cells.height] = [columns, rows];
    const image = new ImageData(columns, rows);
    this.nodeOf.forEach((node, cell) => image.data.set([...look(node), 255], 4 * cell));
    cells.getContext("2d").putImageData(image, 0, 0);
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.imageSmoothingEnabled = false;
    c.drawImage(cells, this.box.left, 0, columns * this.cellWidth, rows * this.cellHeight);
    const key = `${epoch}/${level}`;
    if (!this.borders.has(key)) this.borders.set(key, this.outline(path, null));
    c.strokeStyle = css(shown === null ? [30, 34, 40] : mixed([110, 116, 124], back, 0.35));
    c.lineWidth = Math.min(1.2, this.cellHeight / 4);
    c.stroke(this.borders.get(key));
    if (shown !== null) {
      const around = this.outline(path, shown);
      c.lineJoin = c.lineCap = "round";
      for (const [width, line] of [[5, back], [2.5, text]]) {
        c.lineWidth = width;
        c.strokeStyle = css(line);
        c.stroke(around);
      }
    }
    if (this.data.layout.kind === "time") this.drawAxes(text, back);
  }

  // outline is the lines between cells of different clusters; around one cluster only if it is given.
  outline(path, cluster) {
    const lines = new Path2D(), { rows, columns, cellWidth: w, cellHeight: h, box: { left } } = this;
    const of = (row, column) => (row < 0 || column < 0 || row >= rows || column >= columns ? -1 : path[this.nodeOf[row * columns + column]]);
    const between = (a, b) => a !== b && (cluster === null ? a >= 0 && b >= 0 : a === cluster || b === cluster);
    const inside = (v, most) => Math.max(1, Math.min(most - 1, v));
    const right = left + columns * w, bottom = rows * h;
    for (let row = 0; row <= rows; row++) {
      for (let column = 0; column <= columns; column++) {
        const here = of(row, column), x = Math.max(left + 1, Math.min(right - 1, left + column * w)), y = inside(row * h, bottom);
        if (row < rows && between(here, of(row, column - 1))) {
          lines.moveTo(x, y);
          lines.lineTo(x, inside((row + 1) * h, bottom));
        }
        if (column < columns && between(here, of(row - 1, column))) {
          lines.moveTo(x, y);
          lines.lineTo(Math.min(right - 1, left + (column + 1) * w), y);
        }
      }
    }
    return lines;
  }

  // drawAxes names the sensors, as far as there is room, and numbers the frames.
  drawAxes(text, back) {
    const c = this.context, { left } = this.box, names = this.data.layout.row_names || [];
    c.fillStyle = css(mixed(text, back, 0.2));
    c.font = `${Math.max(9, Math.min(12, this.cellHeight - 2))}px system-ui, sans-serif`;
    const each = Math.ceil(10 / this.cellHeight);
    c.textBaseline = "middle";
    c.textAlign = "right";
    names.forEach((name, row) => row % each || c.fillText(name, left - 6, (row + 0.55) * this.cellHeight, left - 10));
    c.textAlign = "center";
    c.font = "12px system-ui, sans-serif";
    for (const frame of ticks(0, this.columns - 1, 6)) {
      if (Number.isInteger(frame)) c.fillText(frame, left + (frame + 0.5) * this.cellWidth, this.rows * this.cellHeight + 11);
    }
    c.fillText("frame", left / 2, this.rows * this.cellHeight + 11);
    c.strokeStyle = css(back);
    c.lineWidth = 2.5;
    c.beginPath();
    for (const row of this.data.layout.rules || []) {
      if (row > 0 && row < this.rows) {
        c.moveTo(left, row * this.cellHeight);
        c.lineTo(left + this.columns * this.cellWidth, row * this.cellHeight);
      }
    }
    c.stroke();
  }

  drawPoints(path, look, shown, back, text) {
    const { width, height } = this.canvas, packed = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;
    this.pixels.fill(packed(back));
    const stamp = (radius, i, value) => {
      const x0 = this.px[i] * this.scale, y0 = this.py[i] * this.scale, square = radius * radius;
      for (let y = Math.max(0, Math.ceil(y0 - radius)); y <= Math.min(height - 1, y0 + radius); y++) {
        const half = Math.sqrt(square - (y - y0) ** 2);
        this.pixels.fill(value, y * width + Math.max(0, Math.ceil(x0 - half)), y * width + Math.min(width, Math.floor(x0 + half) + 1));
      }
    };
    const radius = this.radius * this.scale, n = this.data.nodes, rim = packed(mixed(text, back, 0.25));
    for (let i = 0; i < n; i++) {
      if (shown === null || path[i] !== shown) {
        if (shown === null && radius > 4) stamp(radius + 0.8 * this.scale, i, rim);
        stamp(radius, i, packed(look(i)));
      }
    }
    if (shown !== null) {
      for (let i = 0; i < n; i++) if (path[i] === shown) stamp(radius + 1.8 * this.scale, i, packed(text));
      for (let i = 0; i < n; i++) if (path[i] === shown) stamp(radius + 0.4 * this.scale, i, packed(look(i)));
    }
    this.context.putImageData(this.image, 0, 0);
  }

  // centre is the middle of a node, and how far it reaches.
  centre(node) {
    if (this.data.layout.kind === "points") return [this.px[node], this.py[node], this.radius];
    const cell = this.cellOf[node];
    return [this.box.left + ((cell % this.columns) + 0.5) * this.cellWidth, (Math.floor(cell / this.columns) + 0.5) * this.cellHeight, Math.min(this.cellWidth, this.cellHeight) / 2];
  }

  // dot marks a node that a neighbourhood holds.
  dot(node, text, back) {
    const c = this.context, [x, y, reach] = this.centre(node);
    for (const [radius, fill] of [[1.6, back], [1, text]]) {
      c.fillStyle = css(fill);
      c.beginPath();
      c.arc(x, y, radius * Math.max(1, Math.min(4, reach * 0.35)), 0, 2 * Math.PI);
      c.fill();
    }
  }

  // mark draws a ring at a node.
  mark(node, text, back) {
    const c = this.context, [x, y, reach] = this.centre(node);
    const radius = this.data.layout.kind === "points" ? reach + 5 : Math.max(3, Math.min(9, reach * 0.7));
    for (const [width, line] of [[5, back], [2, text]]) {
      c.lineWidth = width;
      c.strokeStyle = css(line);
      c.beginPath();
      c.arc(x, y, radius, 0, 2 * Math.PI);
      c.stroke();
    }
  }
}
