// Baseline risk page: disclosure risk of the original file.

import { $, el, filePath, fixed, meter, number, percent, show } from "./dom.js";
import { ask, finished, post } from "./api.js";
import { bars } from "./charts.js";

const tile = (value, title, text) => el("div", { class: "card" }, el("h2", null, title), el("div", { class: "big" }, value), el("p", { class: "muted" }, text));

function verdict(found) {
  const share = (100 * found.uniques) / Math.max(1, found.records);
  const words = share > 20 ? "High re-identification risk." : share > 1 ? "Some records are unique." : "Few records are unique.";
  return el("div", { class: `banner ${share > 1 ? "bad" : "warn"}` }, el("p", null, el("strong", null, words),
    ` ${number(found.uniques)} of ${number(found.records)} records (${percent(share)}) are sample uniques on ${found.quasi_identifiers.join(", ")}. An intruder who knows these values re-identifies the record and learns the rest.`));
}

function tiles(found) {
  const risk = found.record_risk;
  return el("div", { class: "tiles" },
    tile(`k = ${found.k}`, "k-anonymity", "Records in the smallest equivalence class. Higher is better."),
    found.l === null || found.l === undefined ? "" : tile(`l = ${found.l}`, "l-diversity", found.l > 1 ? `Every equivalence class has at least ${found.l} confidential values. Higher is better.` : "Some equivalence class has a single confidential value, which is disclosed. Higher is better."),
    found.t === null || found.t === undefined ? "" : tile(`t = ${fixed(found.t, 2)}`, "t-closeness", "Largest distance of the confidential values in a class from the whole file. Lower is better, 0 to 1."),
    tile(percent(risk.average), "Re-identification risk", `Average over the records${risk.weight ? ", estimated with the survey weights" : ""}; about ${number(Math.round(risk.expected))} re-identifications are expected. Lower is better.`));
}

function details(found) {
  const parts = [];
  const cells = found.record_risk.cells;
  parts.push(el("section", { class: "card" }, el("h2", null, "Record-level risk"),
    bars("Records by re-identification risk, in percent", cells.map((cell) => `${cell.low} to ${cell.high} %`), [{ name: "records", values: cells.map((cell) => cell.records), place: 1 }], "")));
  const special = found.special_uniques;
  if (special && special.contributions) {
    const rows = Object.entries(special.contributions).sort((a, b) => b[1] - a[1]).slice(0, 10);
    parts.push(el("section", { class: "card" }, el("h2", null, "Special uniques"),
      el("p", { class: "muted" }, `${number(special.records)} records are unique on a few columns (SUDA2). Contribution of each column, in percent.`),
      rows.map(([name, part]) => meter(name, part, percent(part)))));
  }
  return el("div", { class: "halves" }, parts);
}

function attacks(found) {
  const rows = Object.entries(found.attacks || {});
  if (!rows.length) return el("p", { class: "muted" }, "The attacks have not been run yet.");
  return [el("p", { class: "muted" }, "Share of successful attacks, and the baseline of guessing. In percent, 0 to 100, lower is better."),
    rows.map(([, attack]) => el("div", null, meter(attack.title, attack.value, `${percent(attack.value)} (guessing ${percent(attack.baseline)})`, "warn"),
      el("p", { class: "muted small" }, attack.meaning)))];
}

function render(found) {
  show("risk", verdict(found), tiles(found), details(found));
  show("attacks", attacks(found));
  const attacked = Object.keys(found.attacks || {}).length > 0;
  $("attack").hidden = attacked;
}

async function find(attack) {
  $("attack").disabled = true;
  if (attack) show("attacks", el("p", { class: "muted", role: "status" }, "Running the attacks…"), el("progress", { "aria-label": "Running the attacks" }));
  try {
    await post(`${filePath}/risk?attack=${attack}`);
    render(await finished(() => ask(`${filePath}/risk`)));
  } catch (error) {
    show(attack ? "attacks" : "risk", el("div", { class: "banner bad", role: "alert" }, el("p", null, error.message)));
  }
  $("attack").disabled = false;
}

$("attack").addEventListener("click", () => find(true));
ask(`${filePath}/risk`).then((work) => {
  if (work.state === "done") render(work.result);
  else find(false);
}).catch((error) => show("risk", el("div", { class: "banner bad" }, el("p", null, error.message))));
