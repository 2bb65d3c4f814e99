// Runs: what there is, and bringing a file.

import { $, ago, badge, bytes, el, fixed, number, percent, plural, say, show, table } from "./dom.js";
import { ask, attempt, post } from "./api.js";

let limit = Infinity;

function bring(file) {
  if (!file) return;
  if (file.size > limit) { say(`${file.name} has ${bytes(file.size)}; at most ${bytes(limit)} can be brought`, true); return; }
  $("progress-line").hidden = false;
  $("upload-name").textContent = file.name;
  const sending = new XMLHttpRequest();
  sending.open("POST", `/api/files?name=${encodeURIComponent(file.name)}`);
  sending.upload.onprogress = (event) => { if (event.lengthComputable) $("upload").value = event.loaded / event.total; };
  sending.onload = () => {
    const answer = JSON.parse(sending.responseText || "{}");
    if (sending.status === 201) location.assign(`/files/${answer.id}/columns`);
    else { $("progress-line").hidden = true; say(answer.error || "the file was not taken", true); }
  };
  sending.onerror = () => { $("progress-line").hidden = true; say("the file could not be sent; try again", true); };
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
  }).finally(() => { $("survey").disabled = false; }));
}

async function listFiles() {
  const files = await ask("/api/files");
  if (!files.length) return;
  const rows = files.map((file) => el("tr", null,
    el("td", null, el("a", { href: `/files/${file.id}/columns` }, file.name)),
    el("td", { "data-label": "size" }, bytes(file.size)),
    el("td", { "data-label": "brought" }, file.brought ? ago(file.brought) : "lies in the folder"),
    el("td", null, file.brought ? el("button", {
      type: "button", class: "link", "aria-label": `Remove ${file.name}`,
      onclick: () => attempt(async () => { await ask(`/api/files/${file.id}`, "DELETE"); location.reload(); }),
    }, "Remove") : "")));
  show("files", el("h3", null, "Files at hand"), table(["file", "size", "brought", "."], rows, { class: "stack" }));
  $("files").querySelector("th:last-child").replaceChildren(el("span", { class: "hidden" }, "actions"));
}

function row(run) {
  const best = run.best;
  const far = run.state === "waiting" ? `place ${run.place} in the queue` : percent(100 * run.share);
  return el("tr", null,
    el("td", null, el("a", { href: `/runs/${encodeURIComponent(run.name)}/search` }, run.name),
      run.reason ? el("div", { class: "small trouble" }, run.reason) : ""),
    el("td", { "data-label": "file" }, run.file),
    el("td", { "data-label": "state" }, badge(run.state)),
    el("td", { class: "number", "data-label": "share done" }, far),
    el("td", { class: "number", "data-label": "files tried" }, number(run.tried)),
    el("td", { class: "number", "data-label": "best point" }, best ? `loss ${fixed(best.loss)}, risk ${fixed(best.risk)}` : "–"),
    el("td", { "data-label": "changed" }, ago(run.changed)));
}

let shown = "";
async function listRuns() {
  const runs = await ask("/api/runs");
  const now = JSON.stringify(runs);
  if (now === shown) return;
  shown = now;
  if (!runs.length) { show("runs", el("p", { class: "muted" }, "There are none yet. Bring a file, or try the bundled survey.")); return; }
  show("runs", el("p", { class: "muted small" }, `${plural(runs.length, "run")}. Loss and risk in percent, lower is better, 0 to 100; the best point is the released or the suggested one.`),
    table(["run", "file", "state", "#share done", "#files tried", "#best point", "changed"], runs.map(row), { class: "stack" }));
}

prepareDrop();
attempt(async () => {
  const about = await ask("/api/about");
  limit = about.upload;
  $("folder").textContent = about.folder;
});
attempt(listFiles);
attempt(listRuns);
setInterval(() => listRuns().catch(() => {}), 2000);
