// Elements, numbers and colours.

const $ = (id) => document.getElementById(id);

// el makes an element: attributes by name, "text" for its text, on… for listeners; then its children.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const whole = (n) => Number(n).toLocaleString("en-US");
const count = (n, noun) => `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)}%`;
// number shows three or four digits that matter.
function number(x) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(2).replace("e+", "e").replace("-", "−");
  return x.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4).replace("-", "−");
}

// fillTable puts a head and rows into a table. A row's first cell heads it; cells are texts or nodes.
function fillTable(table, head, rows, options = {}) {
  const cell = (tag, value, attributes) => {
    const node = el(tag, attributes);
    node.append(value instanceof Node ? value : String(value));
    return node;
  };
  const name = options.names ? "name" : undefined;
  table.replaceChildren(
    el("thead", {}, el("tr", {}, ...head.map((text, i) => cell("th", text, { scope: "col", class: i === 0 ? name : undefined })))),
    el("tbody", {}, ...rows.map((row, r) => el("tr", { class: options.best === r ? "best" : undefined },
      ...row.map((value, i) => (i === 0 ? cell("th", value, { scope: "row", class: name }) : cell("td", value, { class: value instanceof Node && options.bars === i ? "bars" : undefined })))))));
}

// bestEpoch is the epoch whose weights were kept for its validation, or null where the last ones are kept.
const bestEpoch = (report) => (report.config.keep === "last" ? null : report.best_epoch);

const css = (rgb) => `rgb(${rgb.join(",")})`;
const className = (report, k) => report.spec.class_names[k];

// bar is a share, as a number and as a bar.
const bar = (share) => {
  const node = el("span", { class: "bar", "aria-hidden": "true" });
  node.style.width = `${Math.max(0.2, 7 * share)}rem`;
  return el("span", {}, el("span", { class: "figure", text: percent(share) }), node);
};
