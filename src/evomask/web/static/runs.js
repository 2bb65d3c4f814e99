// Runs page: list of runs, and upload of files.

import { $, ago, badge, bytes, complain, el, fixed, number, percent, plural, say, show, table, twoNumbers } from "./dom.js";
import { ask, attempt, post } from "./api.js";

let limit = Infinity;

function failed(sentence) {
  $("progress-line").hidden = true;
  $("chosen").value = "";
  complain("bring-said", sentence);
}

function bring(file) {
  if (!file) return;
  complain("bring-said");
  if (file.size > limit) { complain("bring-said", `${file.name} has ${bytes(file.size)}; at most ${bytes(limit)} can be uploaded. Use evomask serve --largest for more.`); return; }
  $("progress-line").hidden = false;
  $("upload-name").textContent = file.name;
  const sending = new XMLHttpRequest();
  sending.open("POST", `/api/files?name=${encodeURIComponent(file.name)}`);
  sending.upload.onprogress = (event) => { if (event.lengthComputable) $("upload").value = event.loaded / event.total; };
  sending.onload = () => {
    const answer = JSON.parse(sending.responseText || "{}");
    if (sending.status === 201) location.assign(`/files/${answer.id}/columns`);
    else failed(answer.error || "the file was not accepted; try again");
  };
  sending.onerror = () => failed("the file could not be sent; try again");
  sending.send(file);
}

function prepareDrop() {
  const drop = $("drop");
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); bring(event.dataTransfer.files[0]); });
  $("chosen").addEventListener("change", (event) => bring(event.target.files[0]));
  $("survey").addEventListener("click", () => attempt(async () => {
    $("survey").disabled = true;
    const file = await post("/api/files/survey");
    location.assign(`/files/${file.id}/columns`);
  }, "bring-said").finally(() => { $("survey").disabled = false; }));
}

// Deleting needs a second click; the button says what is deleted.
function remover(file) {
  const button = el("button", { type: "button", class: "link", "aria-label": `Remove ${file.name}` }, "Remove");
  button.addEventListener("click", () => {
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      button.textContent = "Remove copy and schema?";
      button.setAttribute("aria-label", `Remove copy and schema? ${file.name} is deleted; its runs are not`);
      setTimeout(() => button.replaceWith(remover(file)), 6000);
    } else attempt(async () => { await ask(`/api/files/${file.id}`, "DELETE"); await listFiles(); }, "bring-said");
  });
  return button;
}

async function listFiles() {
  const files = await ask("/api/files");
  if (!files.length) { show("files"); return; }
  const rows = files.map((file) => el("tr", null,
    el("td", null, el("a", { href: `/files/${file.id}/columns` }, file.name)),
    el("td", { "data-label": "size" }, bytes(file.size)),
    el("td", { "data-label": "uploaded" }, file.brought ? ago(file.brought) : "in the folder"),
    el("td", { class: "number" }, file.brought ? remover(file) : "")));
  show("files", el("h3", null, "Files"), table(["file", "size", "uploaded", "."], rows, { class: "stack" }));
  $("files").querySelector("th:last-child").replaceChildren(el("span", { class: "hidden" }, "actions"));
}

const path = (run, screen) => `/runs/${encodeURIComponent(run.name)}/${screen}`;

// The next step of a run.
function next(run) {
  if (run.state === "finished") return run.signed ? ["Open the release", "release"] : ["Choose and sign", "search"];
  if (run.state === "stopped" || run.state === "broken off") return ["Continue", "search"];
  return run.state === "failed" ? ["See why", "search"] : ["Watch", "search"];
}

function row(run) {
  const best = run.best;
  const far = run.state === "waiting" ? `place ${run.place} in the queue` : percent(100 * run.share, 0);
  const [todo, screen] = next(run);
  return el("tr", null,
    el("td", null, el("a", { href: path(run, "search") }, run.name), el("div", { class: "small muted" }, run.file),
      run.reason ? el("div", { class: "small trouble" }, run.reason) : ""),
    el("td", { "data-label": "state" }, el("span", null, badge(run.state), run.signed ? el("div", { class: "small muted" }, `signed by ${run.signed}`) : "")),
    el("td", { class: "number", "data-label": "done" }, far),
    el("td", { class: "number", "data-label": "candidates" }, number(run.tried)),
    el("td", { class: "number", "data-label": "loss" }, best ? percent(best.loss) : "–"),
    el("td", { class: "number", "data-label": "risk" }, best ? percent(best.risk) : "–"),
    el("td", { "data-label": "changed" }, ago(run.changed)),
    el("td", { "data-label": "next" }, el("a", { href: path(run, screen), "aria-label": `${todo}: ${run.name}` }, todo)));
}

const way = () => [el("p", null, "There are no runs yet. The steps:"), el("ol", { class: "way" },
  ["Upload a microdata file, or try the bundled synthetic survey.",
    "Confirm which columns are identifiers, quasi-identifiers and confidential.",
    "Search for masked versions; each candidate is a point on a map of loss and risk.",
    "Compare points of the Pareto front, release one, sign it, and download it with its reports."].map((step) => el("li", null, step))),
twoNumbers()];

let shown = "";
async function listRuns() {
  const runs = await ask("/api/runs");
  const now = JSON.stringify([runs, runs.map((run) => ago(run.changed))]);
  if (now === shown) return;
  shown = now;
  if (!runs.length) { show("runs", way()); return; }
  const focused = document.activeElement?.closest("#runs") && document.activeElement.getAttribute("aria-label");
  show("runs", table(["run", "state", "#done", "#candidates", "#loss", "#risk", "changed", "next"], runs.map(row), { class: "stack" }),
    el("p", { class: "muted small" }, `${plural(runs.length, "run")}. Loss and risk are those of the released point, or of the suggested one.`), twoNumbers());
  if (focused) document.querySelector(`#runs [aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

let lost = false;
async function look() {
  try {
    await listRuns();
    if (lost) say("connected again");
    lost = false;
  } catch (error) {
    if (!lost) say(error.message, true, true);
    lost = true;
  }
}

prepareDrop();
attempt(async () => {
  const about = await ask("/api/about");
  limit = about.upload;
  $("folder").textContent = about.folder;
  $("most").textContent = `, up to ${bytes(limit)}`;
});
attempt(listFiles);
look();
setInterval(look, 2000);
