// Map of loss and risk: candidates on a canvas, the front and other points above it as SVG.

import { el, svg, fixed } from "./dom.js";

const ROOM = { left: 52, right: 18, top: 14, bottom: 44 };
const NEAR = 14;

export class RiskMap {
  constructor(figure, { pick, hover }) {
    this.figure = figure;
    this.pick = pick;
    this.hover = hover;
    this.tried = [];
    this.points = { front: [], simple: [], original: null, chosen: null, max_risk: null, max_loss: null };
    this.pins = [];
    this.at = null;
    this.whole = false;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.svg = svg("svg", { "aria-hidden": "true" });
    this.tip = el("div", { class: "tip", hidden: true });
    this.plot = el("div", {
      class: "plot", tabindex: "0", role: "group",
      "aria-label": "Map of loss and risk. Left and right arrows move along the front, Enter pins a point; the table below has the same points.",
      onkeydown: (event) => this.key(event), onpointermove: (event) => this.move(event),
      onpointerleave: () => this.highlight(null), onclick: (event) => this.click(event),
    }, this.canvas, this.svg, this.tip);
    this.caption = el("figcaption", null, "No candidates yet.");
    figure.replaceChildren(this.plot, this.key_list(), this.caption);
    this.waiting = false;
    new ResizeObserver(() => this.draw()).observe(this.plot);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  key_list() {
    const shapes = [["tried", "candidates"], ["front-dot", "Pareto front"], ["simple", "single methods"], ["original", "original"], ["chosen", "released"], ["pin", "pinned"]];
    return el("ul", { class: "key", "aria-label": "Legend" }, shapes.map(([kind, name]) =>
      el("li", null, svg("svg", { viewBox: "-9 -9 18 18", "aria-hidden": "true" }, shape(kind, 0, 0)), name)));
  }

  // Schedule a redraw, at most four times a second.
  update() {
    if (this.waiting) return;
    this.waiting = true;
    const since = performance.now() - (this.drawn || 0);
    setTimeout(() => { this.waiting = false; requestAnimationFrame(() => this.draw()); }, Math.max(0, 250 - since));
  }

  scale() {
    const { width, height } = this.plot.getBoundingClientRect();
    let [across, up] = [100, 100];
    if (!this.whole && this.points.front.length) {
      const shown = [...this.points.front, ...this.points.simple, this.points.chosen].filter(Boolean);
      across = Math.max(...shown.map((p) => p.loss), (this.points.max_loss || 0) * 1.05);
      up = Math.max(...shown.map((p) => p.risk), (this.points.max_risk || 0) * 1.05);
      [across, up] = [rounded(across * 1.08), rounded(up * 1.08)];
    }
    const wide = width - ROOM.left - ROOM.right;
    const high = height - ROOM.top - ROOM.bottom;
    return {
      width, height, across, up, wide, high,
      x: (loss) => ROOM.left + (wide * loss) / across,
      y: (risk) => ROOM.top + high - (high * risk) / up,
    };
  }

  draw() {
    const started = performance.now();
    this.s = this.scale();
    if (this.s.wide < 20) return;
    this.dots();
    this.shapes();
    this.describe();
    this.drawn = performance.now();
    this.figure.dataset.redraw = fixed(this.drawn - started, 1);
    this.figure.dataset.tried = this.tried.length;
    this.figure.dataset.front = this.points.front.length;
    if (this.points.front.length && !this.seen) this.recordSeen();
  }

  // Record when the first points were on the screen, in milliseconds since navigation.
  recordSeen() {
    this.seen = true;
    requestAnimationFrame(() => setTimeout(() => { this.figure.dataset.seen = fixed(performance.now(), 0); }));
  }

  dots() {
    const { width, height, x, y, across, up } = this.s;
    const fine = window.devicePixelRatio || 1;
    this.canvas.width = width * fine;
    this.canvas.height = height * fine;
    const pen = this.canvas.getContext("2d");
    pen.scale(fine, fine);
    pen.fillStyle = getComputedStyle(this.plot).getPropertyValue("--tried");
    pen.globalAlpha = this.tried.length > 2000 ? 0.35 : 0.6;
    for (const [loss, risk] of this.tried) {
      if (loss <= across && risk <= up) pen.fillRect(x(loss) - 1.6, y(risk) - 1.6, 3.2, 3.2);
    }
  }

  shapes() {
    const { x, y, across, up } = this.s;
    const { front, simple, original, chosen, max_risk, max_loss } = this.points;
    const inside = (p) => p && p.loss <= across && p.risk <= up;
    const drawn = [...this.axes(), ...this.limits(max_risk, max_loss)];
    if (front.length > 1) drawn.push(svg("path", { class: "front-line", d: stairs(front, x, y) }));
    simple.filter(inside).forEach((p) => drawn.push(shape("simple", x(p.loss), y(p.risk))));
    front.filter(inside).forEach((p) => drawn.push(shape("front-dot", x(p.loss), y(p.risk))));
    if (inside(original)) drawn.push(shape("original", x(original.loss), y(original.risk)));
    if (inside(chosen)) drawn.push(shape("chosen", x(chosen.loss), y(chosen.risk)));
    this.pins.map((pin) => front.find((p) => p.file === pin)).filter(inside).forEach((p, i) => {
      drawn.push(shape("pin", x(p.loss), y(p.risk)));
      drawn.push(svg("text", { x: x(p.loss) + 10, y: y(p.risk) - 8, "font-weight": 700 }, String.fromCharCode(65 + i)));
    });
    if (inside(this.at)) drawn.push(svg("circle", { class: "at", cx: x(this.at.loss), cy: y(this.at.risk), r: 9 }));
    this.svg.replaceChildren(...drawn);
  }

  axes() {
    const { x, y, across, up, width, height } = this.s;
    const lines = [];
    for (const value of ticks(across)) {
      lines.push(svg("line", { class: "axis", x1: x(value), x2: x(value), y1: y(0), y2: y(up) }));
      lines.push(svg("text", { class: "soft", x: x(value), y: y(0) + 16, "text-anchor": "middle" }, `${value}`));
    }
    for (const value of ticks(up)) {
      lines.push(svg("line", { class: "axis", x1: x(0), x2: x(across), y1: y(value), y2: y(value) }));
      lines.push(svg("text", { class: "soft", x: x(0) - 7, y: y(value) + 4, "text-anchor": "end" }, `${value}`));
    }
    const middle = (y(0) + y(up)) / 2;
    lines.push(svg("text", { x: (x(0) + x(across)) / 2, y: height - 6, "text-anchor": "middle" },
      width < 480 ? "information loss in %" : "information loss in %, lower is better"));
    lines.push(svg("text", { x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` },
      "disclosure risk in %, lower is better"));
    return lines;
  }

  limits(risk, loss) {
    const { x, y, across, up } = this.s;
    const lines = [];
    const [top, right] = [Math.min(risk ?? up, up), Math.min(loss ?? across, across)];
    if (risk !== null || loss !== null) {
      lines.push(svg("rect", { class: "within", x: x(0), y: y(top), width: x(right) - x(0), height: y(0) - y(top) }));
    }
    if (risk !== null && risk <= up) {
      lines.push(svg("line", { class: "limit", x1: x(0), x2: x(across), y1: y(risk), y2: y(risk) }));
      lines.push(svg("text", { x: x(0) + 6, y: y(risk) - 6 }, `maximum risk ${risk} %`));
    }
    if (loss !== null && loss <= across) {
      lines.push(svg("line", { class: "limit", x1: x(loss), x2: x(loss), y1: y(0), y2: y(up) }));
      lines.push(svg("text", { x: x(loss) + 5, y: y(up) + 12 }, `maximum loss ${loss} %`));
    }
    return lines;
  }

  describe() {
    const { front, original } = this.points;
    if (!front.length) return;
    const before = original ? ` The original has a risk of ${fixed(original.risk)} %.` : "";
    const [first, last] = [front[0], front[front.length - 1]];
    const text = `The Pareto front has ${front.length} of ${this.tried.length || front.length} candidates: from a loss of ${fixed(first.loss)} % at a risk of ${fixed(first.risk)} % to a loss of ${fixed(last.loss)} % at ${fixed(last.risk)} %.${before}`;
    if (this.caption.textContent !== text) this.caption.textContent = text;
  }

  nearest(event) {
    const box = this.plot.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const named = [...this.points.front, ...this.points.simple, this.points.original, this.points.chosen].filter(Boolean);
    let [best, distance] = [null, NEAR * NEAR];
    for (const p of named) {
      const away = (this.s.x(p.loss) - px) ** 2 + (this.s.y(p.risk) - py) ** 2;
      if (away < distance) [best, distance] = [p, away];
    }
    return best;
  }

  move(event) { if (this.s) this.highlight(this.nearest(event)); }

  click(event) {
    const point = this.s && this.nearest(event);
    if (point && this.points.front.some((p) => p.file === point.file && p.loss === point.loss)) this.pick(point);
  }

  key(event) {
    const { front } = this.points;
    const place = front.findIndex((p) => this.at && p.file === this.at.file);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step && front.length) {
      const next = place < 0 ? 0 : Math.max(0, Math.min(front.length - 1, place + step));
      this.highlight(front[next]);
    } else if ((event.key === "Enter" || event.key === " ") && place >= 0) this.pick(front[place]);
    else return;
    event.preventDefault();
  }

  // Highlight a point and show its tooltip.
  highlight(point) {
    if (point === this.at) return;
    this.at = point;
    this.tip.hidden = !point;
    if (point && this.s) {
      this.tip.textContent = `${point.method}: loss ${fixed(point.loss)} %, risk ${fixed(point.risk)} %`;
      const right = this.s.x(point.loss) > this.s.width / 2;
      this.tip.style.left = right ? "" : `${this.s.x(point.loss) + 14}px`;
      this.tip.style.right = right ? `${this.s.width - this.s.x(point.loss) + 14}px` : "";
      this.tip.style.top = `${Math.max(0, this.s.y(point.risk) - 12)}px`;
    }
    if (point) this.hover(point);
    if (this.s) this.shapes();
  }
}

function shape(kind, x, y) {
  if (kind === "tried") return svg("rect", { class: kind, x: x - 2, y: y - 2, width: 4, height: 4 });
  if (kind === "front-dot") return svg("circle", { class: kind, cx: x, cy: y, r: 5 });
  if (kind === "simple") return svg("path", { class: kind, d: `M${x - 5} ${y + 4} L${x} ${y - 5} L${x + 5} ${y + 4} Z` });
  if (kind === "original") return svg("path", { class: kind, d: `M${x - 5} ${y - 5} L${x + 5} ${y + 5} M${x + 5} ${y - 5} L${x - 5} ${y + 5}` });
  if (kind === "chosen") return svg("rect", { class: kind, x: x - 8, y: y - 8, width: 16, height: 16, rx: 2 });
  return svg("path", { class: "pin", d: `M${x} ${y - 8} L${x + 8} ${y} L${x} ${y + 8} L${x - 8} ${y} Z` });
}

function stairs(front, x, y) {
  let path = `M${x(front[0].loss)} ${y(front[0].risk)}`;
  for (let i = 1; i < front.length; i += 1) path += ` H${x(front[i].loss)} V${y(front[i].risk)}`;
  return path;
}

const rounded = (value) => Math.min(100, Math.max(5, Math.ceil(value / 5) * 5));

function ticks(end) {
  const step = [1, 2, 5, 10, 20, 25].find((width) => end / width <= 6) || 50;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}
