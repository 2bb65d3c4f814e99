// Elements, number formats and texts shared by all pages.

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

// Show an error beside its element; an empty text removes it.
export function complain(id, text = "") {
  const node = $(id);
  node.textContent = text;
  node.hidden = !text;
}

// Definitions of loss and risk, shown wherever the numbers are.
export const LOSS = "information loss";
export const RISK = "disclosure risk: share of individuals disclosed to the strongest intruder";
export const twoNumbers = () => el("dl", { class: "two" },
  el("dt", null, "loss"), el("dd", null, `${LOSS}, compared with the original file.`),
  el("dt", null, "risk"), el("dd", null, `${RISK}, because they are in the file.`),
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
  "identifier": ["I", "direct identifier; never released"],
  "quasi-identifier": ["Q", "known to an intruder; masked"],
  "confidential": ["C", "sensitive; an intruder must not learn it"],
  "other": ["O", "released unchanged"],
  "weight": ["W", "survey weight"],
  "stratum": ["S", "each stratum is masked separately"],
  "household": ["H", "household number; never released"],
  "person": ["P", "number that the records of a person share; never released"],
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

// On a narrow screen the steps scroll sideways to the current one.
const steps = document.querySelector(".steps");
const here = steps?.querySelector("[aria-current]");
const centre = () => { if (here) steps.scrollLeft = here.offsetLeft - steps.clientWidth / 3; };
centre();
addEventListener("resize", centre);

const PARTS = { reidentification: "re-identification", attribute_disclosure: "attribute disclosure of masked attributes", confidential: "attribute disclosure of confidential attributes" };

// The components of the risk of a point in words, and the scenario that determines it.
export function riskParts({ parts }) {
  if (!parts) return "";
  const known = Object.keys(PARTS).filter((name) => parts[name] !== null && parts[name] !== undefined);
  const text = known.map((name) => `${PARTS[name]} ${percent(parts[name])}`).join(", ");
  return `${text[0].toUpperCase()}${text.slice(1)}${parts.scenario ? `; scenario: ${parts.scenario}` : ""}.`;
}
