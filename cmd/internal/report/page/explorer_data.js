// A hierarchy, and what follows from it.

class HierarchyData {
  constructor(report) {
    const h = report.hierarchy;
    this.layout = report.layout;
    this.map = report.map;
    this.names = report.names;
    this.nodes = report.spec.nodes;
    this.frozen = h.frozen;
    this.known = h.epochs.length;
    this.best = bestEpoch(report);
    this.snapshot = report.snapshot;
    this.palette = h.palette.map((c) => [c.R, c.G, c.B]);
    this.levels = h.levels;
    this.epochs = h.epochs.filter((e) => e.clusters).map((e) => ({ epoch: e.epoch, clusters: e.clusters, paths: [] }));
    this.shown = this.epochs.findIndex((e) => e.epoch === h.epochs[h.shown].epoch);
  }

  // path is the cluster of each input node at a level, counted from 1; at level 0, the node itself.
  path(epoch, level) {
    const paths = this.epochs[epoch].paths;
    if (!paths[level]) {
      if (level === 0) {
        paths[0] = Uint32Array.from({ length: this.nodes }, (_, i) => i);
      } else {
        const below = this.path(epoch, level - 1), clusters = this.epochs[epoch].clusters[level - 1];
        paths[level] = Uint32Array.from(below, (k) => clusters[k]);
      }
    }
    return paths[level];
  }

  // sizes counts the input nodes of each cluster of a level.
  sizes(epoch, level) {
    const all = (this.epochs[epoch].sizes ||= []);
    if (!all[level]) {
      all[level] = new Uint32Array(level === 0 ? this.nodes : this.levels[level - 1].clusters);
      for (const k of this.path(epoch, level)) all[level][k]++;
    }
    return all[level];
  }

  // children are the nodes of the level below that are in a cluster: input nodes for the first level, else clusters.
  children(epoch, level, cluster) {
    const found = [];
    this.epochs[epoch].clusters[level - 1].forEach((k, i) => { if (k === cluster) found.push(i); });
    return found;
  }

  // below lists, for each level from `level` − 1 down to 0, what of it comes to a cluster.
  below(epoch, level, cluster) {
    let inside = new Set([cluster]);
    const found = [];
    for (let l = level; l >= 1; l--) {
      const next = new Set();
      this.epochs[epoch].clusters[l - 1].forEach((k, i) => { if (inside.has(k)) next.add(i); });
      found.push({ level: l - 1, nodes: [...next] });
      inside = next;
    }
    return found;
  }

  // above lists the clusters of the higher levels that a cluster is in.
  above(epoch, level, cluster) {
    const found = [];
    for (let l = level; l < this.levels.length; l++) {
      cluster = this.epochs[epoch].clusters[l][cluster];
      found.push({ level: l + 1, cluster });
    }
    return found;
  }

  central(level, cluster) {
    return (this.levels[level - 1].central || [])[cluster] || [];
  }

  neighbourhood(level, cluster) {
    const l = this.levels[level - 1];
    if (!l.neighbourhoods) return [];
    return l.neighbourhoods[cluster].map((node, slot) => ({ node, rank: l.ranks[cluster][slot], gate: l.gates[cluster][slot] }));
  }

  // nodeName is an input node in words.
  nodeName(node) {
    const { kind, columns } = this.layout;
    if (kind === "points") return this.names ? this.names[node] : `node ${node}`;
    if (kind === "time") return this.names ? this.names[node].replace(/@(?=\d+$)/, ", frame ") : `sensor ${node % this.layout.rows}, frame ${Math.floor(node / this.layout.rows)}`;
    return `row ${Math.floor(node / columns) + 1}, column ${(node % columns) + 1}`;
  }
}
