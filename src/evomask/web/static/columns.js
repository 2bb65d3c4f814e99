// Columns page: kinds and roles, hierarchies, edit rules, uniqueness.

import { $, ROLES, el, filePath, letter, meter, number, plural, say, show, table } from "./dom.js";
import { ask, attempt, post, put } from "./api.js";
import { tiny } from "./charts.js";

const KINDS = { continuous: "continuous", ordinal: "ordinal", nominal: "nominal" };
let file = null;
const refused = {};
let shownRules = null;

const choice = (options, value, label, onchange) => el("select", { "aria-label": label, onchange, value: undefined },
  Object.entries(options).map(([name, text]) => el("option", { value: name, selected: name === value }, text)));

// Changes are saved one after another, each based on the result of the previous one.
let saving = Promise.resolve();
function save(said, change, edits) {
  const turn = saving.catch(() => {}).then(async () => {
    const columns = file.columns.map(({ name, kind, role }) => ({ name, kind, role }));
    change(columns);
    file = await put(`${filePath}/schema`, { columns, edits: edits ?? file.edits });
    say(said);
    return true;
  });
  saving = turn;
  return turn;
}

// A change that the records contradict is refused; the error is shown in the row of the column.
const set = (name, field, said) => (event) => {
  const { value } = event.target;
  delete refused[name];
  save(said, (columns) => { columns.find((column) => column.name === name)[field] = value; })
    .catch((error) => { refused[name] = error.message; }).then(refresh);
};

function row(column) {
  const roles = Object.fromEntries(Object.keys(ROLES).map((role) => [role, role === column.proposed && role !== column.role ? `${role} (proposed)` : role]));
  const unneeded = ["identifier", "household", "person"].includes(column.role);
  const steps = column.levels.length ? plural(column.levels.length - 1, "level") : "create";
  const tree = unneeded ? el("span", { class: "muted small" }, "not released") : column.kind === "continuous" ? el("span", { class: "muted small" }, "automatic")
    : el("button", { type: "button", class: "link", onclick: () => openTree(column), "aria-label": `${steps}: hierarchy of ${column.name}` }, steps);
  const remarks = column.why.filter(Boolean);
  return el("tr", null,
    el("td", null, el("div", { class: "name" }, letter(column.role), el("div", null, el("strong", null, column.name),
      column.label ? el("span", { class: "muted" }, ` ${column.label}`) : "",
      el("div", { class: "why" }, remarks[0], remarks.length > 1 ? el("details", null, el("summary", null, "more"), remarks.slice(1).map((why) => el("div", null, why))) : ""),
      column.trouble ? el("div", { class: "trouble small" }, column.trouble) : "",
      refused[column.name] ? el("p", { class: "trouble small", role: "alert" }, `Not changed: ${refused[column.name]}.`) : ""))),
    el("td", { "data-label": "role" }, choice(roles, column.role, `Role of ${column.name}`, set(column.name, "role", `${column.name} saved`))),
    el("td", { "data-label": "kind" }, choice(KINDS, column.kind, `Kind of ${column.name}`, set(column.name, "kind", `${column.name} saved`))),
    el("td", { class: "number", "data-label": "distinct" }, number(column.distinct)),
    el("td", { class: "number", "data-label": "missing" }, number(column.missing)),
    el("td", { "data-label": "distribution" }, column.cells.length ? tiny(column.cells) : el("span", { class: "muted small" }, "small groups")),
    el("td", { "data-label": "hierarchy" }, tree));
}

function refresh() {
  if (!file) return;
  const focused = document.activeElement && document.activeElement.getAttribute("aria-label");
  const open = document.documentElement.scrollTop;
  show("columns", el("p", { class: "muted" }, `${plural(file.records, "record")}, ${plural(file.columns.length, "column")}.`, file.notes.map((note) => ` ${note}.`)),
    el("div", { class: "card tight" }, table(["column", "role", "kind", "#distinct", "#missing", "distribution", "hierarchy"], file.columns.map(row), { class: "columns stack" })));
  const kept = file.edits.join("\n");
  if ($("rules").value === (shownRules ?? "")) $("rules").value = kept;
  shownRules = kept;
  $("undo").disabled = !file.can_undo;
  if (focused) document.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  document.documentElement.scrollTop = open;
  countUniques();
}

async function countUniques() {
  const quasi = file.columns.filter((column) => column.role === "quasi-identifier").map((column) => column.name);
  if (!quasi.length) {
    show("uniques", el("p", { class: "muted" }, "No column is a quasi-identifier yet. Mark the columns that an intruder may know."));
    return;
  }
  const found = await attempt(() => post(`${filePath}/uniques`, { columns: quasi }));
  if (!found) return;
  const share = (100 * found.uniques) / Math.max(1, found.records);
  const adds = Object.entries(found.adds).sort((a, b) => b[1] - a[1]).slice(0, 8);
  const most = Math.max(1, ...adds.map(([, count]) => count));
  show("uniques",
    el("p", null, el("span", { class: "big" }, number(found.uniques)), el("br"), `of ${number(found.records)} records are sample uniques on ${plural(quasi.length, "quasi-identifier")} (${share.toFixed(1)} %).`),
    el("h3", null, "Records by size of their equivalence class"),
    Object.entries(found.sizes).map(([size, count]) => meter(size, (100 * count) / Math.max(1, found.records), number(count), size === "1" ? "warn" : "")),
    adds.length ? el("h3", null, "Sample uniques by column") : "",
    adds.length ? el("p", { class: "muted small" }, "Records that would not be unique without the column.") : "",
    adds.map(([name, count]) => meter(name, (100 * count) / most, number(count))));
}

let treeColumn = null;

function openTree(column) {
  treeColumn = column.name;
  $("tree-title").textContent = `Hierarchy of ${column.name}`;
  $("tree-by").value = "suiting";
  $("tree-said").textContent = "";
  $("tree-lines").replaceChildren();
  $("tree-text").value = "";
  adapt();
  $("tree").showModal();
  $("tree-download").hidden = !column.levels.length;
  $("tree-download").href = `${filePath}/tree/download?column=${encodeURIComponent(column.name)}`;
  if (column.levels.length) ask(`${filePath}/tree?column=${encodeURIComponent(column.name)}`).then((tree) => showTree(tree, "Current: ")).catch(() => {});
}

function adapt() {
  const by = $("tree-by").value;
  $("tree-own").hidden = by !== "own";
  $("tree-numbers-label").hidden = !["intervals", "quantiles", "order"].includes(by);
}

function showTree(tree, before = "") {
  $("tree-said").className = "";
  $("tree-said").textContent = `${before}${plural(tree.levels[0], "value")}, then groups: ${tree.levels.slice(1).map(number).join(", ")}. Every value is covered.`;
  $("tree-lines").replaceChildren(table(["value", ...tree.levels.slice(1).map((_, i) => `level ${i + 1}`)],
    tree.lines.map((line) => el("tr", null, line.map((cell) => el("td", null, cell || "(missing)"))))));
}

async function makeTree(keep) {
  const by = $("tree-by").value;
  const numbers = $("tree-numbers-label").hidden ? "" : $("tree-numbers").value.trim();
  const body = { by: by === "own" ? "suiting" : by + (numbers ? `=${numbers}` : ""), text: by === "own" ? $("tree-text").value : "", keep };
  if (by === "own" && !body.text.trim()) { $("tree-said").textContent = "Enter a hierarchy or choose a file first."; return; }
  try {
    showTree(await post(`${filePath}/tree?column=${encodeURIComponent(treeColumn)}`, body));
    if (keep) {
      file = await ask(`${filePath}/columns`);
      $("tree").close();
      say(`hierarchy of ${treeColumn} saved`);
      refresh();
    }
  } catch (error) {
    $("tree-said").className = "trouble";
    $("tree-said").textContent = error.message;
    $("tree-lines").replaceChildren();
  }
}

$("tree-by").addEventListener("change", adapt);
$("tree-look").addEventListener("click", () => makeTree(false));
$("tree-keep").addEventListener("click", () => makeTree(true));
$("tree-file").addEventListener("change", async (event) => { $("tree-text").value = await event.target.files[0].text(); });
$("keep-rules").addEventListener("click", () => {
  const rules = $("rules").value.split("\n").map((line) => line.trim()).filter(Boolean);
  attempt(() => save("rules saved", () => {}, rules), "rules-said").then((kept) => {
    if (kept) shownRules = $("rules").value;
    if (kept) refresh();
  });
});
$("undo").addEventListener("click", () => attempt(async () => { file = await post(`${filePath}/schema/undo`); say("undone"); refresh(); }));
$("roles").replaceChildren(...Object.entries(ROLES).flatMap(([role, [, meaning]]) => [el("dt", null, letter(role)), el("dd", null, el("strong", null, role), ` ${meaning}`)]));
ask(`${filePath}/columns`).then((found) => { file = found; refresh(); })
  .catch((error) => show("columns", el("div", { class: "banner bad", role: "alert" }, el("p", null, el("strong", null, "The file cannot be read. "), error.message))));
