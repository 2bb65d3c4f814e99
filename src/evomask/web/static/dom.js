// Elements, numbers and words that all screens share.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

export const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
export const $ = (id) => document.getElementById(id);

export const place = { file: document.body.dataset.file, run: document.body.dataset.run };
export const runPath = `/api/runs/${encodeURIComponent(place.run)}`;
export const filePath = `/api/files/${place.file}`;

export function show(id, ...children) {
  const node = $(id);
  node.replaceChildren(...children.flat(Infinity).filter(Boolean));
  node.removeAttribute("aria-busy");
  return node;
}

let fading;
export function say(text, bad = false, stays = false) {
  const status = $("status");
  status.textContent = text;
  status.classList.toggle("bad", bad);
  clearTimeout(fading);
  if (text && !stays) fading = setTimeout(() => { status.textContent = ""; }, bad ? 9000 : 3500);
}

// What went wrong, beside what it is about; nothing where it went well.
export function complain(id, text = "") {
  const node = $(id);
  node.textContent = text;
  node.hidden = !text;
}

// The two numbers in plain words, wherever they are shown.
export const LOSS = "how much of what the file could tell is gone";
export const RISK = "the share of people whom the most successful attacker gets right";
export const twoNumbers = () => el("dl", { class: "two" },
  el("dt", null, "loss"), el("dd", null, `${LOSS}; 0 % is the original file.`),
  el("dt", null, "risk"), el("dd", null, `${RISK}, beyond guessing.`),
  el("dd", { class: "both" }, "Both in percent, 0 to 100; lower is better."));

export const number = (value) => Number(value).toLocaleString("en");
export const fixed = (value, digits = 1) => Number(value).toFixed(digits);
export const percent = (value, digits = 1) => `${fixed(value, digits)} %`;
export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export function lasting(seconds) {
  const whole = Math.round(seconds);
  if (whole < 90) return `${whole} s`;
  if (whole < 5400) return `${Math.round(whole / 60)} min`;
  return `${fixed(whole / 3600)} h`;
}

export function bytes(count) {
  if (count < 1e6) return `${fixed(count / 1e3)} kB`;
  return count < 1e9 ? `${fixed(count / 1e6)} MB` : `${fixed(count / 1e9)} GB`;
}

export function ago(seconds) {
  const past = Date.now() / 1000 - seconds;
  if (past < 60) return "just now";
  if (past < 5400) return `${Math.round(past / 60)} min ago`;
  if (past < 129600) return `${Math.round(past / 3600)} h ago`;
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

const WORDS = {
  waiting: "waiting", starting: "starting", running: "searching", finished: "finished",
  stopped: "paused", failed: "failed", "broken off": "broken off",
};
const MARKS = { waiting: "◔", starting: "◔", running: "▶", finished: "✓", stopped: "❚❚", failed: "✕", "broken off": "✕" };

export const badge = (state) => el("span", { class: `badge ${state.split(" ")[0]}` },
  el("span", { "aria-hidden": "true" }, MARKS[state]), WORDS[state]);

export const ROLES = {
  "identifier": ["I", "names a person by itself; never released"],
  "quasi-identifier": ["Q", "others may know it of a person; it is masked"],
  "confidential": ["C", "what an intruder would like to learn"],
  "other": ["O", "released as it is"],
  "weight": ["W", "how many people a record stands for"],
  "stratum": ["S", "masked within each of its groups on its own"],
  "household": ["H", "tells who lives together; never released"],
};
export const letter = (role) => el("span", { class: `letter ${ROLES[role][0]}`, "aria-hidden": "true" }, ROLES[role][0]);

export function meter(label, share, text, kind = "") {
  const fill = el("div", { class: `fill ${kind}` });
  fill.style.width = `${Math.max(0, Math.min(100, share))}%`;
  return el("div", { class: "meter" }, el("span", { class: "label" }, label), el("div", { class: "track" }, fill), el("span", null, text));
}

export function table(heads, rows, attributes = {}) {
  const head = heads.map((name) => el("th", { scope: "col", class: name.startsWith("#") ? "number" : "" }, name.replace("#", "")));
  return el("table", attributes, el("thead", null, el("tr", null, head)), el("tbody", null, rows));
}

// On a narrow screen the steps scroll sideways: the one we are at is shown.
const steps = document.querySelector(".steps");
const here = steps?.querySelector("[aria-current]");
const centre = () => { if (here) steps.scrollLeft = here.offsetLeft - steps.clientWidth / 3; };
centre();
addEventListener("resize", centre);
