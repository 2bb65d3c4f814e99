// Compare page: up to four points side by side.

import { el, fixed, number, percent, place, plural, runPath, show, twoNumbers } from "./dom.js";
import { ask, finished, post } from "./api.js";
import { bars, heat, keys } from "./charts.js";

const MOST = 4;
const wanted = (new URLSearchParams(location.search).get("files") || "").split(",").filter(Boolean).map(Number).slice(0, MOST);
const letters = (i) => String.fromCharCode(65 + i);

function picks(run, points) {
  const boxes = Array.from({ length: MOST }, (_, i) => el("label", { class: "row" }, letters(i), el("select", {
    "aria-label": `Point ${letters(i)}`, onchange: change,
  }, el("option", { value: "" }, "none"), run.front.map((p) => el("option", { value: p.file, selected: p.file === points[i] }, `${p.point}: loss ${percent(p.loss)}, risk ${percent(p.risk)}`)))));
  show("picks", boxes);
}

function change() {
  const chosen = [...document.querySelectorAll("#picks select")].map((select) => select.value).filter(Boolean);
  location.assign(`${location.pathname}?files=${[...new Set(chosen)].join(",")}`);
}

function best(values, higher) {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length > 1 ? (higher ? Math.max(...known) : Math.min(...known)) : null;
}

function line(title, help, values, { text = (value) => fixed(value, 2), higher = false } = {}) {
  if (values.every((value) => value === null || value === undefined)) return null;
  const winner = best(values, higher);
  return el("tr", null, el("th", { scope: "row" }, title, el("div", { class: "help" }, help)),
    values.map((value) => el("td", { class: "number" }, value === null || value === undefined ? "–"
      : [value === winner ? el("strong", null, text(value)) : text(value), value === winner ? el("span", { class: "hidden" }, " best") : ""])));
}

function group(title, columns, rows) {
  const shown = rows.filter(Boolean);
  if (!shown.length) return null;
  return el("section", { class: "card" }, el("h2", null, title), el("div", { class: "scroll whole", tabindex: "0", role: "region", "aria-label": title }, el("table", null,
    el("thead", null, el("tr", null, el("td", null, el("span", { class: "hidden" }, "measure")), columns.map((name) => el("th", { scope: "col", class: "number" }, name)))),
    el("tbody", null, shown))));
}

// Loss and risk as on the front: the evaluation for the comparison may give other estimates.
const asOnTheFront = (record, seen) => (seen ? { ...record, points: { ...record.points, chosen: { ...record.points.chosen, point: seen.point, loss: seen.loss, risk: seen.risk } } } : record);

function heads(records) {
  return el("div", { class: "points" }, records.map((record, i) => {
    const { chosen } = record.points;
    return el("section", { class: "card" }, el("h2", null, el("span", { class: `swatch s${i + 1}` }), ` ${letters(i)}: point ${chosen.point}`),
      el("p", { class: "row" }, el("span", { class: "big" }, fixed(chosen.loss)), el("span", { class: "muted" }, "% loss"), el("span", { class: "big" }, fixed(chosen.risk)), el("span", { class: "muted" }, "% risk")),
      el("p", { class: "small" }, record.method.join(" ")),
      el("p", { class: "row" }, el("a", { class: "button", href: `/runs/${encodeURIComponent(place.run)}/release?file=${chosen.file}` }, `Release ${letters(i)}…`)));
  }));
}

const LOSS_PARTS = {
  accuracy: "distance of masked values from their originals; %",
  distributions: "records that would have to change to restore the distributions; %",
  relations: "share of the dependence between attributes that is lost; %",
};

// Risk of every scenario: what an intruder with certain knowledge finds and infers.
function scenarios(records, columns) {
  const of = (record) => (record.points.chosen.parts ? record.points.chosen.parts.scenarios : []);
  const known = [...new Map(records.flatMap(of).map((one) => [one.name, one])).values()];
  const rows = known.flatMap((one) => {
    const values = (get) => records.map((record) => { const found = of(record).find((other) => other.name === one.name); return found ? get(found) : null; });
    return [
      line(`${one.name}: re-identification`, `${one.intruder}; %`, values((s) => s.reidentification)),
      line(`${one.name}: attribute disclosure, masked attributes`, "beyond a control group; %", values((s) => s.attribute_disclosure)),
      line(`${one.name}: attribute disclosure${one.attribute ? ` of ${one.attribute}` : ", confidential attributes"}`, "beyond a control group; %", values((s) => s.confidential)),
      line(`${one.name}: people at risk`, "people who are re-identified with a chance above 0.2; %", values((s) => s.at_risk[0])),
    ];
  });
  return group("Disclosure risk by scenario", columns, rows);
}

function figures(records) {
  const columns = records.map((record, i) => `${letters(i)} · ${record.points.chosen.point}`);
  const of = (get) => records.map(get);
  const part = (name) => of((r) => r.points.chosen.parts && r.points.chosen.parts[name]);
  const models = group("Loss, risk and privacy models", columns, [
    line("loss", "in percent, lower is better, 0 to 100", of((r) => r.points.chosen.loss)),
    line("risk", "in percent, lower is better, 0 to 100", of((r) => r.points.chosen.risk)),
    line("re-identification", "people whose record is found by an intruder; %", part("reidentification")),
    line("attribute disclosure, masked attributes", "values of masked attributes inferred from similar records, beyond a control group; %", part("attribute_disclosure")),
    line("attribute disclosure, confidential attributes", "confidential values inferred from similar records, beyond a control group; %", part("confidential")),
    line("scenario", "the scenario that determines the risk", part("scenario"), { text: String }),
    ...["accuracy", "distributions", "relations"].map((name) => line(`loss of ${name}`, LOSS_PARTS[name], of((r) => r.loss_parts && r.loss_parts[name]))),
    line("k", "smallest equivalence class; higher is better", of((r) => r.after.k), { text: number, higher: true }),
    line("l", "fewest confidential values in a class; higher is better", of((r) => r.after.l), { text: number, higher: true }),
    line("t", "largest distance of a class from the file; lower is better, 0 to 1", of((r) => r.after.t)),
    line("sample uniques", "classes of one record; lower is better", of((r) => r.after.uniques), { text: number }),
    line("record risk", "mean re-identification risk of a record; %", of((r) => r.after.record_risk)),
    line("suppressed records", "lower is better", of((r) => r.suppressed_records), { text: number }),
  ]);
  const named = (key) => [...new Map(records.flatMap((r) => r[key].map((m) => [m.name, m]))).values()];
  const value = (record, key, name) => { const found = record[key].find((m) => m.name === name); return found ? found.value : null; };
  const measures = named("measures").map((m) => line(m.title, `${m.meaning}; ${m.direction}`, of((r) => value(r, "measures", m.name)), { higher: m.direction.startsWith("higher") }));
  const attacks = named("attacks").map((a) => line(a.title, `${a.meaning}; baseline ${percent(a.baseline)}, on the original ${percent(a.unmasked)}`, of((r) => value(r, "attacks", a.name))));
  return [models, scenarios(records, columns), group("Held-out attacks", columns, attacks), group("All measures, in percent", columns, measures)];
}

function attributes(records) {
  const names = [...new Set(records.flatMap((r) => r.spreads.map((s) => s.attribute)))];
  const legend = ["before", ...records.map((r, i) => `${letters(i)} (point ${r.points.chosen.point})`)];
  const charts = names.map((name) => {
    const spreads = records.map((r) => r.spreads.find((s) => s.attribute === name));
    const first = spreads.find(Boolean);
    const cells = [...new Set(spreads.flatMap((s) => (s ? s.cells : [])))];
    const shares = (s, values) => cells.map((cell) => values[s.cells.indexOf(cell)] ?? 0);
    const series = [{ name: "before", values: shares(first, first.before), place: 0 }];
    spreads.forEach((s, i) => { if (s) series.push({ name: letters(i), values: shares(s, s.after), place: i + 1 }); });
    return el("div", null, bars(`${name}, percent of the records`, cells, series));
  });
  return el("section", { class: "card" }, el("h2", null, "Each attribute before and after"), keys(legend), el("div", { class: "small-charts" }, charts));
}

function largestChange({ attributes: names, before, after }) {
  const pairs = names.flatMap((name, i) => names.slice(0, i).map((other, j) => [other, name, before[i][j], after[i][j]]));
  return pairs.reduce((most, pair) => (Math.abs(pair[3] - pair[2]) > Math.abs(most[3] - most[2]) ? pair : most));
}

function extras(records) {
  const riskCells = (r) => r.after.cells;
  const risk = records.map((r, i) => el("div", null, bars(`${letters(i)}: records by re-identification risk`, riskCells(r).map((c) => `${c.low} to ${c.high} %`), [{ name: "records", values: riskCells(r).map((c) => c.records), place: i + 1 }], "")));
  const relations = records.map((r) => r.loss_parts && r.loss_parts.pairs[0]).map((pair, i) => (pair
    ? el("p", null, `${letters(i)}: the relation of ${pair.first} and ${pair.second} loses most: ${fixed(pair.lost, 0)} % of its dependence (${fixed(pair.association, 2)} in the original).`) : null));
  const ties = records.filter((r) => r.associations).map((r) => el("details", null, el("summary", null, `${letters(records.indexOf(r))}: change of every association`),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Change of associations" }, heat(r.associations.attributes, r.associations.before, r.associations.after))));
  const largest = records.filter((r) => r.associations).map((r) => {
    const [a, b, before, after] = largestChange(r.associations);
    return el("p", null, `${letters(records.indexOf(r))}: the largest change is between ${a} and ${b}, from ${fixed(before, 2)} to ${fixed(after, 2)}.`);
  });
  return [el("section", { class: "card" }, el("h2", null, "Record-level risk"), el("div", { class: "small-charts" }, risk)),
    ties.length ? el("section", { class: "card" }, el("h2", null, "Relations between attributes"), relations, el("p", { class: "muted" }, "Associations after minus before, from −2 to 2; 0 is best."), largest, ties) : null];
}

async function start() {
  const run = await ask(runPath);
  const suggested = run.front.find((p) => p.point === (run.released ?? run.suggested));
  const points = wanted.length ? wanted : suggested ? [suggested.file] : [];
  picks(run, points);
  if (!points.length) { show("comparison", el("p", { class: "muted" }, "There are no points yet. Wait for the search.")); return; }
  show("comparison", el("p", { role: "status" }, `Evaluating ${plural(points.length, "point")}…`), el("progress", { "aria-label": "Evaluating" }));
  await post(`${runPath}/compare`, { files: points });
  const found = await finished(() => ask(`${runPath}/compare?files=${points.join(",")}`));
  const records = found.points.map((record, i) => asOnTheFront(record, run.front.find((p) => p.file === points[i])));
  show("comparison", twoNumbers(), heads(records), figures(records), attributes(records), extras(records));
  document.body.dataset.compared = String(records.length);
}

start().catch((error) => show("comparison", el("div", { class: "banner bad", role: "alert" }, el("p", null, error.message))));
