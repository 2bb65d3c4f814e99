// Scenarios page: what each intruder knows, and whom they single out, live.

import { $, el, filePath, number, percent, say, show } from "./dom.js";
import { ask, attempt, post, put } from "./api.js";

const WAIT = 250;
let columns = [];
let drafts = [];

const asRequest = ({ name, knows, knows_about, any, of, takes_part, sure, unit, require, source }) => ({ name, knows, knows_about, any, of, takes_part, sure, unit, require, source });
const isKnown = (draft, name) => (draft.knows.includes(name) || draft.of.includes(name) ? "exactly" : name in draft.knows_about ? "roughly" : "no");
const without = (names, name) => names.filter((one) => one !== name);

function counted(draft) {
  const { uniques, records, minimum, trouble } = draft;
  if (trouble) return el("p", { class: "trouble", role: "alert" }, `${trouble}.`);
  const small = uniques === null;
  const share = small ? "" : ` (${percent((100 * uniques) / Math.max(1, records))})`;
  return [el("p", null, el("span", { class: "big" }, small ? `below ${minimum}` : number(uniques)), el("br"), `of ${number(records)} ${draft.unit ? "units" : "records"} are sample uniques${share}.`),
    el("p", { class: "muted small" }, `${draft.intruder[0].toUpperCase()}${draft.intruder.slice(1)}.`)];
}

// Counts follow every change; of several answers only the last one is shown.
function count(draft) {
  clearTimeout(draft.waiting);
  draft.asked = (draft.asked || 0) + 1;
  const turn = draft.asked;
  $("save").disabled = false;
  draft.waiting = setTimeout(async () => {
    try {
      const found = await post(`${filePath}/scenarios/uniques`, asRequest(draft));
      if (turn === draft.asked) Object.assign(draft, found, { trouble: "" });
    } catch (error) {
      if (turn === draft.asked) draft.trouble = error.message;
    }
    if (turn === draft.asked) draft.counts.replaceChildren(...[counted(draft)].flat());
  }, WAIT);
}

function setKnown(draft, column, how, within) {
  const { name } = column;
  draft.knows = without(draft.knows, name);
  draft.of = without(draft.of, name);
  delete draft.knows_about[name];
  if (how === "roughly") draft.knows_about[name] = within;
  if (how === "exactly") (draft.any ? draft.of : draft.knows).push(name);
  count(draft);
}

function columnRow(draft, column) {
  const { name, kind } = column;
  const within = el("input", { "aria-label": `Precision of ${name}`, size: 6, value: draft.knows_about[name] || "20 %", hidden: isKnown(draft, name) !== "roughly" });
  const options = kind === "continuous" ? ["no", "exactly", "roughly"] : ["no", "exactly"];
  const select = el("select", { "aria-label": `Known of ${name} by ${draft.name}` }, options.map((how) => el("option", { value: how, selected: how === isKnown(draft, name) }, how)));
  const change = () => { within.hidden = select.value !== "roughly"; setKnown(draft, column, select.value, within.value.trim()); };
  select.addEventListener("change", change);
  within.addEventListener("input", change);
  return el("label", { class: "row" }, select, within, name);
}

function choice(draft) {
  const box = el("input", { type: "number", min: 0, max: columns.length, size: 3, value: draft.any, "aria-label": `Number of columns that ${draft.name} knows` });
  box.addEventListener("input", () => {
    const any = Math.max(0, Math.round(Number(box.value) || 0));
    const exactly = [...draft.knows, ...draft.of];
    Object.assign(draft, { any, knows: any ? [] : exactly, of: any ? exactly : [] });
    count(draft);
  });
  return el("label", { class: "row" }, "any", box, "of those known exactly (0: all of them)");
}

function field(draft, key, title, placeholder) {
  const box = el("input", { value: draft[key], placeholder, maxlength: 200, oninput: (event) => { draft[key] = event.target.value.trim(); count(draft); } });
  return el("label", { class: "row" }, title, box);
}

function tick(draft, key, title) {
  return el("label", { class: "row" }, el("input", { type: "checkbox", checked: draft[key], onchange: (event) => { draft[key] = event.target.checked; count(draft); } }), title);
}

function card(draft) {
  draft.counts = el("div", { "aria-live": "polite" }, counted(draft));
  return el("section", { class: "card", "data-scenario": draft.name },
    el("div", { class: "bar" }, el("h2", null, tick(draft, "used", draft.name)), el("span", { class: "badge" }, draft.origin === "schema" ? "in the schema" : "proposed")),
    draft.reason ? el("p", null, draft.reason) : "",
    el("div", { class: "with-aside" },
      el("details", { open: draft.used }, el("summary", null, "What they know"),
        el("div", { class: "checks" }, columns.map((column) => columnRow(draft, column))),
        choice(draft), tick(draft, "takes_part", "knows that a person is in the file"),
        field(draft, "require", "require", "as the goal, or k=5,l=2"), field(draft, "unit", "k counts", "records, or household, person"), field(draft, "source", "source of the knowledge", "population register")),
      draft.counts),
    draft.beyond.length ? el("p", { class: "muted small" }, `May also know, and never masked: ${draft.beyond.join(", ")}.`) : "");
}

function render(found) {
  columns = found.columns;
  drafts = found.scenarios.map((one) => ({ ...one, used: one.origin === "schema" }));
  refresh();
  $("unknown").textContent = found.known_to_nobody.length ? `Quasi-identifiers that no scenario knows: ${found.known_to_nobody.join(", ")}.` : "";
  $("undo").disabled = !found.can_undo;
  $("save").disabled = true;
}

const refresh = () => show("scenarios", drafts.length ? drafts.map(card) : el("p", { class: "muted" }, "No scenario of the library suits the columns; add yours."));

$("add").addEventListener("click", () => {
  const name = (prompt("Name of the scenario, such as former partner") || "").trim();
  if (!name) return;
  drafts.push({ name, knows: columns.slice(0, 1).map((column) => column.name), knows_about: {}, any: 0, of: [], takes_part: true, sure: 0.5, unit: "", require: "", source: "", reason: "", beyond: [], origin: "schema", used: true, uniques: 0, records: 0, intruder: "an intruder" });
  refresh();
  count(drafts[drafts.length - 1]);
});
$("save").addEventListener("click", () => attempt(async () => {
  render(await put(`${filePath}/scenarios`, { scenarios: drafts.filter((draft) => draft.used).map(asRequest) }));
  say("scenarios saved");
}, "scenarios-said"));
$("undo").addEventListener("click", () => attempt(async () => { await post(`${filePath}/schema/undo`); render(await ask(`${filePath}/scenarios`)); say("undone"); }, "scenarios-said"));
ask(`${filePath}/scenarios`).then(render)
  .catch((error) => show("scenarios", el("div", { class: "banner bad", role: "alert" }, el("p", null, el("strong", null, "The file cannot be read. "), error.message))));
