// Release page: choose a point, sign, verify, download.

import { $, el, fixed, number, percent, place, plural, riskParts, runPath, say, show, twoNumbers } from "./dom.js";
import { ask, attempt, finished, post } from "./api.js";

const requested = Number(new URLSearchParams(location.search).get("file") || NaN);
const FORMATS = { "": "as the original", csv: "CSV", parquet: "Parquet", sav: "SPSS", dta: "Stata" };
const SAID = ["by", "date", "purpose", "review", "reason", "recipients", "legal_basis", "safeguards", "earlier"];
let [run, release] = [null, null];

const beyond = (point) => [["risk", point.risk, release.limit], ["loss", point.loss, release.most_loss]].filter(([, value, limit]) => value > limit);

function choosing() {
  const current = release.point ? release.point.point : null;
  const asked = run.front.find((p) => p.file === requested);
  const selected = asked ? asked.point : current ?? run.suggested;
  const select = el("select", { id: "point", onchange: warn }, run.front.map((p) => el("option", { value: p.point, selected: p.point === selected },
    `${p.point}: loss ${fixed(p.loss)} %, risk ${fixed(p.risk)} %${p.point === current ? " (released)" : p.point === run.suggested ? " (suggested)" : ""}`)));
  return el("section", { class: "card", "aria-labelledby": "choose-title" }, el("h2", { id: "choose-title" }, "Choose"),
    el("p", { class: "row" }, el("label", { for: "point" }, "point of the Pareto front"), select),
    el("p", { id: "how" }), twoNumbers(), el("div", { id: "warning" }),
    el("p", { class: "row" }, el("button", { id: "choose", type: "button", class: "primary", onclick: choose }, "Release this point")),
    el("div", { id: "choosing", role: "status" }));
}

function warn() {
  const point = run.front.find((p) => p.point === Number($("point").value));
  if (!point) return;
  $("how").textContent = `${point.method}. Loss ${percent(point.loss)}, risk ${percent(point.risk)}. ${riskParts(point)}`;
  const current = release.point && release.point.point === point.point;
  $("choose").textContent = current ? "Release this point again, in a new record order" : "Release this point";
  const above = beyond(point);
  show("warning", above.length ? el("div", { class: "banner bad" },
    above.map(([name, value, limit]) => el("p", null, el("strong", null, `The ${name} is ${percent(value)}, above the limit of ${limit} %.`),
      name === "risk" ? ` The strongest intruder discloses about ${fixed(value, 0)} of 100 individuals.` : " Users of the file will get other results than from the original.")),
    el("p", { class: "row" }, el("label", { for: "confirm" }, `To release it anyway, type ${above.map(([, value]) => fixed(value)).join(" ")}`), el("input", { id: "confirm", size: 6, autocomplete: "off" }))) : "");
}

async function choose() {
  const point = Number($("point").value);
  const confirm = $("confirm") ? $("confirm").value : "";
  $("choose").disabled = true;
  try {
    await post(`${runPath}/choose`, { point, confirm });
    await wait();
    history.replaceState(null, "", location.pathname);
    say(`point ${point} is released`);
    await load();
  } catch (error) {
    show("choosing", el("p", { class: "trouble", role: "alert" }, error.message));
  }
  if ($("choose")) $("choose").disabled = false;
}

async function wait() {
  show("choosing", el("p", null, "Writing and verifying the file, writing the reports…"), el("progress", { "aria-label": "Releasing" }));
  await finished(async () => (await ask(`${runPath}/release`)).choosing);
}

function summary() {
  if (!release.released) return el("div", { class: "banner warn" }, el("p", null, "Nothing is released yet."));
  const { point, achieved } = release;
  const guarantees = Object.entries(achieved).map(([name, value]) => `${name} = ${name === "t" ? fixed(value, 2) : number(value)}`).join(", ");
  return el("div", { class: `banner ${release.above ? "bad" : "good"}` },
    el("p", null, el("strong", null, `Released: point ${point.point}`), `, loss ${percent(point.loss)}, risk ${percent(point.risk)}, ${guarantees}.`),
    el("p", null, `${release.file}: ${plural(release.records, "record")} in random order${release.suppressed ? `, ${number(release.suppressed)} suppressed` : ""}. Reason: ${release.reason}.`),
    release.above ? el("p", null, el("strong", null, `Its risk is above the limit of ${release.limit} %.`)) : "");
}

const going = () => el("div", { class: "banner" }, el("p", null, "The search is running. A point can be released when it has ended or is paused. "),
  el("p", null, el("a", { class: "button", href: `/runs/${encodeURIComponent(place.run)}/search` }, "To the search")));

function statement() {
  const today = new Date().toISOString().slice(0, 10);
  const said = release.statement;
  const field = (name, title, help, value, kind = "text") => el("label", null, title, el("input", { name, type: kind, value, maxlength: 2000, autocomplete: "off", required: name === "by" }), el("span", { class: "help" }, help));
  return el("section", { class: "card", "aria-labelledby": "sign-title" }, el("h2", { id: "sign-title" }, "Sign"),
    el("p", { class: "muted" }, "The statement is added to the record and the reports."),
    el("form", { id: "statement", onsubmit: sign }, el("div", { class: "fields" },
      field("by", "decided by", "name or office", said.by), field("date", "date", "date of the decision", said.date || today, "date"),
      field("purpose", "purpose", "purpose of the release", said.purpose), field("review", "review", "date of the next review", said.review, "date")),
    el("p", null, el("label", { for: "reason" }, el("strong", null, "reason for this point")), el("textarea", { id: "reason", name: "reason", rows: 3, maxlength: 2000 }, said.reason)),
    el("details", null, el("summary", null, "For a data protection assessment"), el("div", { class: "fields" },
      field("recipients", "recipients", "recipients of the file", said.recipients), field("legal_basis", "legal basis", "legal basis of the release", said.legal_basis),
      field("safeguards", "safeguards", "obligations of the recipients", said.safeguards), field("earlier", "earlier releases", "earlier releases about the same individuals", said.earlier))),
    el("p", { id: "sign-said", class: "trouble", role: "alert", hidden: true }),
    el("p", { class: "row" }, el("button", { class: "primary" }, run.signed ? "Sign again" : "Sign the release"), run.signed ? el("span", { class: "badge finished" }, `signed by ${run.signed}, ${said.date}`) : "")));
}

function sign(event) {
  event.preventDefault();
  const fields = Object.fromEntries(SAID.map((name) => [name, event.target.elements[name].value]));
  attempt(async () => {
    say("writing record and reports again…");
    release = await post(`${runPath}/statement`, fields);
    say("signed; record and reports are written again");
    await load();
  }, "sign-said");
}

function checks(work) {
  if (work.state !== "done") return "";
  const marks = { true: ["finished", "✓ holds"], false: ["failed", "✕ fails"], null: ["", "– not checked"] };
  const found = work.result.findings || work.result.checks || [];
  return [el("div", { class: `banner ${work.result.holds ? "good" : "bad"}` }, el("p", null, el("strong", null, work.result.holds ? "The release is valid." : "The release is not valid."))),
    el("ul", { class: "checks-list" }, found.map((f) => el("li", null, el("span", null, el("span", { class: `badge ${marks[f.holds][0]}` }, marks[f.holds][1])), el("strong", null, f.check), el("span", null, f.text.replace(/(^|\s)\/\S*\//g, "$1")))))];
}

function verification() {
  return el("section", { class: "card", "aria-labelledby": "verify-title" }, el("h2", { id: "verify-title" }, "Verify"),
    el("p", { class: "muted" }, "Reads the released file back and checks it, its guarantees, the reports and the log."),
    el("p", { class: "row" }, el("button", { id: "verify", type: "button", onclick: verify }, "Verify the release")),
    el("div", { id: "verified", role: "status" }, checks(release.verified)));
}

async function verify() {
  $("verify").disabled = true;
  show("verified", el("progress", { "aria-label": "Verifying" }));
  try {
    await post(`${runPath}/verify`);
    await finished(async () => (await ask(`${runPath}/release`)).verified);
    release = await ask(`${runPath}/release`);
    show("verified", checks(release.verified));
  } catch (error) {
    show("verified", el("p", { class: "trouble", role: "alert" }, error.message));
  }
  $("verify").disabled = false;
}

const link = (what, title, query = "") => el("a", { class: "button", href: `${runPath}/downloads/${what}${query}` }, title);
const view = (what, title) => el("a", { class: "button", href: `${runPath}/downloads/${what}?view=true`, target: "_blank", rel: "noopener" }, title);

function downloads() {
  const format = el("select", { id: "format", onchange: () => { $("take").href = `${runPath}/downloads/masked${$("format").value ? `?format=${$("format").value}` : ""}`; } },
    Object.entries(FORMATS).map(([name, title]) => el("option", { value: name }, title)));
  const masked = link("masked", "Masked file");
  masked.id = "take";
  masked.classList.add("primary");
  return el("section", { class: "card", "aria-labelledby": "take-title" }, el("h2", { id: "take-title" }, "Download"),
    el("p", { class: "row" }, masked, el("label", { class: "row", for: "format" }, "format"), format),
    el("h3", null, "To publish with the file"), el("p", { class: "downloads" }, view("public", "Read the public report"), link("public", "Public report"), link("record-public", "Public record (JSON)")),
    el("h3", null, "Confidential"), el("p", { class: "muted small" }, "They contain the seed and the risks, which can undo part of the masking."),
    el("p", { class: "downloads" }, view("internal", "Read the internal report"), link("internal", "Internal report"), link("record", "Record (JSON)"), link("plan", "Plan (TOML)")),
    el("details", { id: "preview-box" }, el("summary", null, "Preview of ten released records"), el("p", { class: "muted small" }, "They are masked and in random order; they are not stored."),
      el("button", { type: "button", onclick: preview }, "Show them"), el("div", { id: "preview", class: "scroll", tabindex: "0", role: "region", "aria-label": "Ten released records" })));
}

function preview() {
  attempt(async () => {
    const found = await ask(`${runPath}/preview`);
    show("preview", el("table", { class: "small" }, el("thead", null, el("tr", null, found.columns.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, found.rows.map((row) => el("tr", null, row.map((cell) => el("td", null, cell)))))));
  });
}

function repeating() {
  const code = (title, text) => el("details", null, el("summary", null, title), el("pre", { tabindex: "0" }, text),
    el("button", { type: "button", onclick: () => attempt(async () => { await navigator.clipboard.writeText(text); say("copied"); }) }, "Copy"));
  return el("section", { class: "card", "aria-labelledby": "repeat-title" }, el("h2", { id: "repeat-title" }, "Repeat"),
    el("p", { class: "muted" }, "The same run from the command line or Python. The seed is in the plan; keep it confidential."),
    code("Command line", release.command), code("Python", release.python));
}

function render() {
  const rest = release.released ? [statement(), verification(), downloads()] : [];
  const busy = ["waiting", "starting", "running"].includes(run.state);
  const first = busy ? going() : run.front.length ? choosing() : "";
  show("release", summary(), first, rest, repeating());
  if ($("choose")) warn();
  document.body.dataset.released = release.point ? release.point.point : "";
}

async function load() {
  [run, release] = [await ask(runPath), await ask(`${runPath}/release`)];
  render();
  if (release.choosing.state === "working") { await wait(); await load(); }
}

load().catch((error) => show("release", el("div", { class: "banner bad", role: "alert" }, el("p", null, error.message))));
