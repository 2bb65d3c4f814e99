// Goal page: privacy models, limits, budget, and the expected number of candidates.

import { $, complain, el, filePath, number, place, show } from "./dom.js";
import { ask, finished, post } from "./api.js";

const form = $("goal");
const memory = `goal-${place.file}`;
const defaultMinutes = Number(form.elements.minutes.defaultValue);
let perFile = null;

const value = (name) => (form.elements[name].value === "" ? null : Number(form.elements[name].value));

function about(files) {
  if (files < 10) return "fewer than 10";
  const unit = 10 ** (String(Math.floor(files)).length - 1);
  return `about ${number(Math.round(files / unit) * unit)}`;
}

function foretell() {
  const seconds = 60 * (value("minutes") || defaultMinutes);
  if (value("files")) { $("outlook").textContent = `Up to ${number(value("files"))} candidates${perFile ? `, in about ${Math.max(1, Math.round((value("files") * perFile) / 60))} min` : ""}.`; return; }
  if (perFile === null) return;
  const files = (0.85 * seconds * (value("workers") || 1)) / perFile;
  $("outlook").textContent = `Expect ${about(files)} candidates in ${value("minutes") || defaultMinutes} minutes; each takes about ${perFile < 0.1 ? "less than 0.1" : perFile.toFixed(1)} s here.`;
}

function showMembers(names) {
  const before = JSON.parse(localStorage.getItem(`${memory}-members`) || "null");
  show("members", names.map((name) => el("label", null, el("input", { type: "checkbox", name: "member", value: name, checked: !before || before.includes(name) }), name)));
}

async function outlook() {
  const path = `${filePath}/outlook`;
  let work = await ask(path);
  if (work.state !== "done") work = await post(path);
  const found = await finished(() => ask(path));
  perFile = found.seconds;
  showMembers(found.members);
  foretell();
}

function remember() {
  const fields = Object.fromEntries(["k", "l", "t", "max_risk", "max_risk_in", "max_loss", "minutes", "workers", "files"].map((name) => [name, form.elements[name].value]));
  localStorage.setItem(memory, JSON.stringify(fields));
}

// Restore the last goal of this file, or else the goal of the run that the page was opened from.
async function recall() {
  const kept = localStorage.getItem(memory);
  const fields = kept ? JSON.parse(kept) : place.run ? fieldsOf((await ask(`/api/runs/${encodeURIComponent(place.run)}`)).goal) : {};
  for (const [name, text] of Object.entries(fields)) form.elements[name].value = text;
}

function fieldsOf({ k, l, t, max_risk, max_risk_in, max_loss, seconds, files, workers }) {
  const limits = Object.entries(max_risk_in || {}).map(([name, limit]) => `${name}=${limit}`).join(", ");
  const fields = { k: k > 1 ? k : "", l: l > 1 ? l : "", t: t < 1 ? t : "", max_risk, max_risk_in: limits, max_loss, minutes: seconds && seconds / 60, files, workers };
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text ?? ""]).filter(([name, text]) => text !== "" || !["minutes", "workers"].includes(name)));
}

// Limits such as "register=5, colleague=10", by scenario.
function limitsByScenario(text) {
  const parts = text.split(",").map((part) => part.trim()).filter(Boolean).map((part) => [part.slice(0, part.lastIndexOf("=")).trim(), Number(part.slice(part.lastIndexOf("=") + 1) || NaN)]);
  if (parts.some(([name, limit]) => !name || Number.isNaN(limit))) throw Object.assign(new Error("write limits by scenario as register=5, colleague=10"), { field: "max_risk_in" });
  return Object.fromEntries(parts);
}

function readGoal() {
  const members = [...form.querySelectorAll("[name=member]")];
  const chosen = members.filter((box) => box.checked).map((box) => box.value);
  localStorage.setItem(`${memory}-members`, JSON.stringify(chosen));
  if (members.length && !chosen.length) throw Object.assign(new Error("select at least one search"), { field: "member" });
  const files = value("files");
  return {
    k: value("k") || 1, l: value("l") || 1, t: value("t") || 1, max_risk: value("max_risk"), max_risk_in: limitsByScenario(form.elements.max_risk_in.value), max_loss: value("max_loss"),
    seconds: files ? null : 60 * (value("minutes") || defaultMinutes), files, workers: value("workers") || 1, cluster: form.elements.cluster.value.trim(),
    searches: chosen.length < members.length ? chosen : [],
  };
}

// Show an error below the form, and mark its field.
function blame(error) {
  complain("goal-said", error.message);
  const field = form.elements[{ seconds: "minutes" }[error.field] || error.field];
  if (!field || !field.setAttribute) return;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", "goal-said");
  field.focus();
}

form.addEventListener("input", (event) => {
  event.target.removeAttribute("aria-invalid");
  complain("goal-said");
  remember();
  foretell();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  complain("goal-said");
  try {
    const run = await post("/api/runs", { file: place.file, goal: readGoal() });
    location.assign(`/runs/${encodeURIComponent(run.name)}/search`);
  } catch (error) {
    blame(error);
  }
});

await recall().catch(() => {});
ask("/api/about").then((found) => {
  $("cores-help").textContent = `number of worker processes; this machine has ${found.cores} cores`;
  if (!localStorage.getItem(memory) && !place.run) form.elements.workers.value = found.cores;
  foretell();
}).catch(() => {});
outlook().catch((error) => { $("outlook").textContent = error.message; $("outlook").className = "trouble"; });
