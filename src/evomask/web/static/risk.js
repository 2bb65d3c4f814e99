// Risk today: what the file gives away as it is, in plain words.

import { $, el, filePath, fixed, meter, number, percent, show } from "./dom.js";
import { ask, finished, post } from "./api.js";
import { bars } from "./charts.js";

const tile = (value, title, text) => el("div", { class: "card" }, el("h2", null, title), el("div", { class: "big" }, value), el("p", { class: "muted" }, text));

function verdict(found) {
  const share = (100 * found.uniques) / Math.max(1, found.records);
  const words = share > 20 ? "Most that an intruder needs is in this file." : share > 1 ? "Some people stand out in this file." : "Few people stand out in this file.";
  return el("div", { class: `banner ${share > 1 ? "bad" : "warn"}` }, el("p", null, el("strong", null, words),
    ` ${number(found.uniques)} of ${number(found.records)} people (${percent(share)}) are the only one with their values in ${found.quasi_identifiers.join(", ")}. Whoever knows these of a person finds the record, and reads the rest.`));
}

function tiles(found) {
  const risk = found.record_risk;
  return el("div", { class: "tiles" },
    tile(`k = ${found.k}`, "Smallest group", `The person who stands out most looks like ${found.k > 1 ? `${number(found.k - 1)} others` : "nobody else"}. Higher is better.`),
    found.l === null || found.l === undefined ? "" : tile(`l = ${found.l}`, "Confidential values", found.l > 1 ? `Among look-alikes there are at least ${found.l} different ones. Higher is better.` : "Somewhere all look-alikes share one: who finds the group knows it. Higher is better."),
    found.t === null || found.t === undefined ? "" : tile(`t = ${fixed(found.t, 2)}`, "Told by a group", "How far a group's confidential values differ from the whole file's. Lower is better, 0 to 1."),
    tile(percent(risk.average), "Chance of a record", `On average a record is identified with this chance${risk.weight ? ", by the survey's weights" : ""}; about ${number(Math.round(risk.expected))} people are expected to be found. Lower is better.`));
}

function details(found) {
  const parts = [];
  const cells = found.record_risk.cells;
  parts.push(el("section", { class: "card" }, el("h2", null, "Records by their risk"),
    bars("Chance of being identified, in percent", cells.map((cell) => `${cell.low} to ${cell.high} %`), [{ name: "records", values: cells.map((cell) => cell.records), place: 1 }], "")));
  const special = found.special_uniques;
  if (special && special.contributions) {
    const rows = Object.entries(special.contributions).sort((a, b) => b[1] - a[1]).slice(0, 10);
    parts.push(el("section", { class: "card" }, el("h2", null, "What makes people unique"),
      el("p", { class: "muted" }, `${number(special.records)} people are unique on a few columns already (SUDA). The part of each column, in percent.`),
      rows.map(([name, part]) => meter(name, part, percent(part)))));
  }
  return el("div", { class: "halves" }, parts);
}

function attacks(found) {
  const rows = Object.entries(found.attacks || {});
  if (!rows.length) return el("p", { class: "muted" }, "Nobody attacked the file yet.");
  return [el("p", { class: "muted" }, "The share of people whom each attacker gets right, and what plain guessing achieves. In percent, lower is better, 0 to 100."),
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
  if (attack) show("attacks", el("p", { class: "muted", role: "status" }, "Attackers are at work…"), el("progress", { "aria-label": "Attackers at work" }));
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
