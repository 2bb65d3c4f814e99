// Search page: live map, Pareto front as a table, status, pinned points.

import { $, badge, el, lasting, meter, percent, place, plural, riskParts, runPath, say, show, table, twoNumbers } from "./dom.js";
import { attempt, post } from "./api.js";
import { course } from "./charts.js";
import { RiskMap } from "./map.js";

const MOST = 4;
const { title } = document;
const state = { run: null, front: [], version: 0, pins: (new URLSearchParams(location.search).get("pin") || "").split(",").filter(Boolean).map(Number) };
const compareAddress = () => `/runs/${encodeURIComponent(place.run)}/compare${state.pins.length ? `?files=${state.pins.join(",")}` : ""}`;
const releaseAddress = (point) => `/runs/${encodeURIComponent(place.run)}/release?file=${point.file}`;

const map = new RiskMap($("map"), { pick: pin, hover: showPoint });

function pin({ point, file }) {
  if (state.pins.includes(file)) state.pins = state.pins.filter((other) => other !== file);
  else if (state.pins.length < MOST) state.pins = [...state.pins, file];
  else { say("four points are pinned; unpin one first", true); return; }
  const query = state.pins.length ? `?pin=${state.pins.join(",")}` : "";
  history.replaceState(null, "", location.pathname + query);
  const compare = document.querySelector("[data-step=compare]");
  if (compare) compare.href = compareAddress();
  say(state.pins.includes(file) ? `point ${point} is pinned` : `point ${point} is no longer pinned`);
  render();
}

function showPoint(point) {
  state.shown = point.file;
  const onFront = state.front.some((p) => p.file === point.file && p.loss === point.loss);
  show("point", el("p", null, el("strong", null, onFront ? `Point ${point.point}: ` : ""), point.method),
    meter("loss", point.loss, percent(point.loss)), meter("risk", point.risk, percent(point.risk), "warn"),
    el("p", { class: "help" }, riskParts(point)),
    onFront ? el("div", { class: "row" },
      el("button", { type: "button", onclick: () => pin(point) }, state.pins.includes(point.file) ? "Unpin" : "Pin"),
      el("a", { class: "button", href: releaseAddress(point) }, "Release…")) : "");
}

function showPins() {
  const known = state.pins.map((pinned) => state.front.find((p) => p.file === pinned)).filter(Boolean);
  show("pins", known.length ? known.map((p, i) => el("div", { class: "pin-item" },
    el("span", null, el("strong", null, String.fromCharCode(65 + i)), ` point ${p.point}: loss ${percent(p.loss)}, risk ${percent(p.risk)}`),
    el("button", { type: "button", class: "link", onclick: () => pin(p), "aria-label": `Unpin point ${p.point}` }, "Unpin")))
    : el("p", { class: "muted" }, "Pin up to four points to compare them: click on the map, or use the table."),
  known.length ? el("a", { class: "button primary", href: compareAddress() }, `Compare ${plural(known.length, "point")}`) : "");
}

const pinning = (point) => (state.pins.includes(point.file) ? "Unpin" : "Pin");

// The table is rebuilt only if something in it changed.
let tabled = "";
function showFront() {
  const suggested = state.run.released ?? state.run.suggested;
  const now = [state.version, suggested, state.run.released, state.pins].join("|");
  if (now === tabled) return;
  tabled = now;
  const rows = state.front.map((p) => el("tr", { class: `${p.point === suggested ? "suggested" : ""} ${state.pins.includes(p.file) ? "pinned" : ""}` },
    el("td", { class: "number", "data-label": "point" }, p.point), el("td", { class: "number", "data-label": "loss" }, percent(p.loss, 2)), el("td", { class: "number", "data-label": "risk" }, percent(p.risk, 2)),
    el("td", { class: "done" }, el("span", { class: "clamp", title: p.method }, p.method), p.point === suggested ? el("span", { class: "badge finished" }, state.run.released === null ? "suggested" : "released") : ""),
    el("td", { class: "by" }, p.search),
    el("td", { class: "act" }, el("button", { type: "button", "data-file": p.file, "aria-label": `${pinning(p)} point ${p.point}`, onclick: () => pin(p) }, pinning(p)))));
  const focused = document.activeElement?.dataset.file;
  const scrolled = $("front").scrollTop;
  show("front", rows.length ? table(["#point", "#loss", "#risk", "method", "search", "pin"], rows, { class: "front" }) : el("p", { class: "muted" }, "No candidates yet. The first ones appear some seconds after the search begins."));
  $("front").scrollTop = scrolled;
  if (focused) document.querySelector(`[data-file="${focused}"]`)?.focus({ preventScroll: true });
}

const PHASES = { loading: "Reading the file", compiling: "Compiling (once on this machine)", searching: "Searching", auditing: "Auditing the front", releasing: "Writing file and reports" };

// The reason why nothing was released.
const unmet = (run) => (run.reason ? `: ${run.reason.split(": ")[0]}` : "");

function happening(run) {
  if (run.state === "waiting") return `Waiting: position ${run.place} in the queue.`;
  if (run.state === "starting") return "Starting.";
  if (run.state === "running" && run.phase === "searching") return `Searching${run.member ? `: now ${run.member}` : ""}. ${run.text && !run.tried ? `${run.text}.` : ""}`;
  if (run.state === "running" && run.phase === "auditing") return `Auditing the front: ${run.checked[0]} of ${run.checked[1]} points.`;
  if (run.state === "running") return `${PHASES[run.phase] || "Running"}.`;
  if (run.state === "finished") return `The search has finished${unmet(run)}. Choose a point to release.`;
  if (run.state === "stopped") return `Paused${unmet(run)}; all results are saved. Continue, ${run.goal.files === undefined ? "end here and audit the front, or" : "or"} choose a point to release.`;
  return run.reason;
}

const act = (path, body, said) => () => attempt(async () => { await post(`${runPath}/${path}`, body); say(said); }, "buttons-said");

function showNow() {
  const { run } = state;
  const bad = ["failed", "broken off"].includes(run.state);
  show("now", el("p", null, badge(run.state)), el("p", { class: bad ? "trouble" : "" }, happening(run)),
    el("label", { class: "hidden", for: "share" }, "Share of the budget used"), el("progress", { id: "share", max: 1, value: run.share }),
    el("p", { class: "muted" }, `${plural(run.tried, "candidate")}, ${plural(run.points, "point")} on the front, ${lasting(run.seconds)} searched${run.state === "running" && run.phase === "searching" && run.tried ? `, ${lasting(run.left)} left` : ""}.`));
  const busy = ["waiting", "starting", "running"].includes(run.state);
  const timed = run.goal.files === undefined;
  const wanted = [
    busy && run.state === "running" && run.phase === "searching" ? ["Pause", act("stop", undefined, "pausing at the end of the current step")] : null,
    busy && run.state !== "running" ? ["Cancel", act("stop", undefined, "cancelled")] : null,
    ["stopped", "broken off"].includes(run.state) ? ["Continue", act("continue", {}, "continuing")] : null,
    run.state === "stopped" && timed ? ["Stop here", act("continue", { seconds: 0 }, "the search ends; the front is audited")] : null,
  ].filter(Boolean);
  const names = wanted.map(([name]) => name).join();
  if ($("buttons").dataset.names !== names) {
    $("buttons").dataset.names = names;
    show("buttons", wanted.map(([name, onclick], i) => el("button", { type: "button", class: i === 0 ? "primary" : "", onclick }, name)));
  }
  $("more").hidden = busy || !timed || !["finished", "stopped"].includes(run.state);
}

function render() {
  if (!state.run) return;
  map.pins = state.pins;
  map.update();
  showNow();
  showPins();
  showFront();
  show("course", course(state.run.course, state.run.tried));
  const shares = Object.entries(state.run.shares).sort((a, b) => b[1] - a[1]);
  show("shares", shares.length ? shares.map(([name, share]) => meter(name, share, percent(share))) : el("p", { class: "muted" }, "None yet."));
  $("notes-card").hidden = !state.run.notes.length;
  $("notes").replaceChildren(...state.run.notes.map((note) => el("li", null, note)));
  document.body.dataset.state = state.run.state;
  document.title = `${state.run.state === "running" ? percent(100 * state.run.share, 0) : state.run.state} · ${title}`;
}

// Numbers of points change with the front: show the selected point again.
function refreshPoint({ released, suggested }) {
  const shown = state.front.find((p) => p.file === state.shown);
  const point = shown || state.front.find((p) => p.point === (released ?? suggested)) || state.front[0];
  if (point) showPoint(point);
}

// The map is drawn first; slower parts follow.
function take(news) {
  const isFirst = state.run === null;
  state.run = news.run;
  if (news.front) [state.front, state.version] = [news.front, state.version + 1];
  map.tried.length = Math.min(map.tried.length, news.first);
  for (const pair of news.tried) map.tried.push(pair);
  const { original, chosen, simple, goal } = news.run;
  map.points = { front: state.front, simple, original, chosen, max_risk: goal.max_risk ?? null, max_loss: goal.max_loss ?? null };
  if (news.front) refreshPoint(news.run);
  if (!isFirst) { render(); return; }
  map.pins = state.pins;
  map.draw();
  requestAnimationFrame(() => setTimeout(render));
}

function follow() {
  const stream = new EventSource(`${runPath}/events`);
  stream.addEventListener("news", (event) => take(JSON.parse(event.data)));
  stream.addEventListener("open", () => {
    if (state.lost) say("connected again");
    state.lost = false;
  });
  stream.addEventListener("error", () => {
    if (!state.lost) say("the server does not respond; the run continues without it. Start evomask serve again.", true, true);
    state.lost = true;
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  });
  addEventListener("pagehide", () => stream.close());
}

$("whole").checked = map.whole = sessionStorage.getItem("whole") === "yes";
$("whole").addEventListener("change", (event) => {
  map.whole = event.target.checked;
  sessionStorage.setItem("whole", map.whole ? "yes" : "");
  map.update();
});
show("numbers", twoNumbers());
$("more").addEventListener("submit", (event) => {
  event.preventDefault();
  act("continue", { seconds: 60 * Number(event.target.elements.minutes.value) }, "continuing")();
});
if (state.pins.length) { const compare = document.querySelector("[data-step=compare]"); if (compare) compare.href = compareAddress(); }
follow();
