// Small charts: grouped bars, a step line, a heat map as a table.

import { el, svg, fixed, number } from "./dom.js";

const short = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

// Grouped horizontal bars, one bar for each series.
export function bars(title, names, series, unit = "%") {
  const thick = series.length > 2 ? 6 : 9;
  const row = series.length * thick + 9;
  const high = names.length * row + 6;
  const most = Math.max(1e-9, ...series.flatMap((s) => s.values));
  const drawn = names.flatMap((name, i) => [
    svg("text", { class: "soft", x: 118, y: i * row + (series.length * thick) / 2 + 8, "text-anchor": "end" }, short(name, 18)),
    ...series.map((s, j) => svg("rect", {
      class: `b${s.place ?? j}`, x: 124, y: 4 + i * row + j * thick, rx: 1.5,
      width: Math.max(0.5, (200 * s.values[i]) / most), height: thick - 1.5,
    })),
    svg("text", { class: "soft", x: 330, y: i * row + (series.length * thick) / 2 + 8 }, unit === "%" ? `${fixed(series[series.length - 1].values[i], most < 10 ? 1 : 0)} %` : number(series[series.length - 1].values[i])),
  ]);
  const values = el("details", null, el("summary", null, "Numbers"), el("table", null,
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "values"), series.map((s) => el("th", { scope: "col", class: "number" }, s.name)))),
    el("tbody", null, names.map((name, i) => el("tr", null, el("th", { scope: "row" }, name), series.map((s) => el("td", { class: "number" }, unit === "%" ? `${fixed(s.values[i])} %` : number(s.values[i]))))))));
  return el("figure", { class: "figure" }, el("figcaption", null, el("strong", null, title)),
    svg("svg", { class: "chart", viewBox: `0 0 376 ${high}`, "aria-hidden": "true" }, drawn), values);
}

export const keys = (series) => el("ul", { class: "key" }, series.map((name, i) =>
  el("li", null, el("span", { class: `swatch s${i}` }), name)));

export function tiny(cells) {
  const most = Math.max(...cells.map(([, share]) => share), 1e-9);
  const wide = 96 / Math.max(1, cells.length);
  return svg("svg", { class: "tiny", viewBox: "0 0 96 28", "aria-hidden": "true" }, cells.map(([, share], i) =>
    svg("rect", { x: i * wide + 0.5, width: Math.max(1, wide - 1), y: 28 - (27 * share) / most, height: (27 * share) / most })));
}

// Best score by number of candidates, as a step line.
export function course(points, tried) {
  if (!points.length) return el("p", { class: "muted" }, "No candidates yet.");
  const end = Math.max(tried, points[points.length - 1][0], 1);
  const most = Math.max(...points.map(([, best]) => best), 1);
  const [x, y] = [(files) => 34 + (300 * files) / end, (best) => 12 + 110 - (110 * best) / most];
  let path = `M${x(points[0][0])} ${y(points[0][1])}`;
  for (const [files, best] of points.slice(1)) path += ` H${x(files)} V${y(best)}`;
  const marks = [0, most / 2, most].flatMap((value) => [
    svg("line", { class: "axis", x1: 34, x2: 334, y1: y(value), y2: y(value) }),
    svg("text", { class: "soft", x: 29, y: y(value) + 4, "text-anchor": "end" }, fixed(value, 0)),
  ]);
  const last = points[points.length - 1];
  const change = points.length > 1 ? `fell from ${fixed(points[0][1])} to ${fixed(last[1])} %` : `is ${fixed(last[1])} % so far`;
  return el("figure", { class: "figure" },
    svg("svg", { class: "chart", viewBox: "0 0 350 150", "aria-hidden": "true" }, marks,
      svg("path", { class: "step", d: `${path} H${x(end)}` }),
      svg("circle", { class: "front-dot", cx: x(last[0]), cy: y(last[1]), r: 4 }),
      svg("text", { class: "soft", x: 184, y: 146, "text-anchor": "middle" }, "candidates"),
      svg("text", { class: "soft", x: 334, y: 136, "text-anchor": "end" }, `${end}`)),
    el("figcaption", { class: "muted small" }, `Best score (maximum of loss and risk) ${change}. Lower is better.`));
}

// Changes of associations as a coloured table.
export function heat(names, before, after) {
  const head = el("tr", null, el("td"), names.map((name) => el("th", { scope: "col", class: "number", title: name }, short(name, 6))));
  const rows = names.map((name, i) => el("tr", null, el("th", { scope: "row" }, short(name, 16)), names.map((_, j) => {
    const change = after[i][j] - before[i][j];
    const cell = el("td", { class: "number" }, j < i ? fixed(change, 2).replace("-", "−") : "");
    if (j < i) cell.style.background = `color-mix(in srgb, var(--${change < 0 ? "bar-2" : "bar-1"}) ${Math.round(Math.min(1, Math.abs(change) / 0.5) * 55)}%, transparent)`;
    return cell;
  })));
  return el("table", { class: "small" }, el("thead", null, head), el("tbody", null, rows));
}
