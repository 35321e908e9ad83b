// Draws the run that /status and /events tell of. Curves are kept as the server keeps them: when it makes one point of
// two, all are fetched again.
"use strict";

const query = location.search;  // the token, where there is one
const byId = (id) => document.getElementById(id);
const known = (x) => typeof x === "number";
const percent = (x) => !known(x) ? "–" : x.toFixed(x > 0 && x < 0.00995 ? 4 : Math.abs(x) < 9.995 ? 2 : 1);
const rate = (x) => !known(x) ? "–" : x >= 100 ? Math.round(x).toLocaleString("en") : x.toFixed(1);
const loss = (x) => !known(x) ? "–" : Math.abs(x) >= 0.001 || x === 0 ? x.toFixed(4) : x.toExponential(3);
const bytes = (x) => {
  if (!known(x)) return "–";
  let unit = 0;
  for (; x >= 1024 && unit < 4; ++unit) x /= 1024;
  return unit === 0 ? `${x} B` : `${x.toFixed(2)} ${["KB", "MB", "GB", "TB"][unit - 1]}`;
};
const byte_rate = (x) => !known(x) ? "–" : `${bytes(Math.round(x))}/s`;
const duration = (seconds) => {
  const s = Math.max(0, Math.floor(seconds)), two = (n) => String(n).padStart(2, "0");
  return s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}`
    : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
};
const colors = ["#1769aa", "#c2571a", "#2e7d32", "#8e24aa", "#00838f", "#ad1457", "#6d4c41", "#546e7a"];

let run = null;     // the last status
let points = [];    // of its curves
let heard = 0;      // when

function cells(row, texts) {
  for (const text of texts) row.insertCell().textContent = text;
}

function fill(body, rows) {
  body.replaceChildren();
  for (const texts of rows) cells(body.insertRow(), texts);
}

function state() {
  if (run.state === "failed") return ["bad", `failed: ${run.failure}`];
  if (["ended", "interrupted"].includes(run.state)) return ["over", run.state];
  if (performance.now() - heard > 5000) return ["doubtful", "silent: the process is stopped, gone or starved"];
  const since = run.time - Math.max(run.last_step_time, run.begin_time);
  if (since > 30) return ["doubtful", `no step for ${duration(since)}`];
  return ["well", run.state];
}

function draw_numbers() {
  const numbers = [["loss", loss(run.loss)], ["step", run.steps.toLocaleString("en")],
    ["epoch", `${run.epoch + 1}/${run.epochs}`], ["steps/s", rate(run.steps_per_second)],
    ["samples/s", rate(run.samples_per_second)], ["compiled", String(run.compilations)],
    ["compiled again", String(run.recompilations)]];
  byId("numbers").replaceChildren(...numbers.map(([name, text]) => {
    const box = document.createElement("div"), number = document.createElement("b");
    number.textContent = text;
    number.dataset.name = name;
    box.append(name, number);
    return box;
  }));
}

// One line a core, or one of the run; `values(point)` is a list of as many.
function figure(name, text, values) {
  const lines = points.length === 0 ? [] : values(points[points.length - 1]).map(() => []);
  let low = Infinity, high = -Infinity;
  for (const point of points) values(point).forEach((value, i) => {
    if (!known(value) || lines[i] === undefined) return;
    lines[i].push([point.time, value]);
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  const result = document.createElement("figure"), caption = document.createElement("figcaption");
  const label = document.createElement("span"), range = document.createElement("span");
  label.textContent = name;
  range.textContent = low <= high ? `${text(low)} to ${text(high)}` : "";
  caption.append(label, range);
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  const start = points.length ? points[0].time : 0, end = points.length ? points[points.length - 1].time : 1;
  lines.forEach((line, i) => {
    const drawn = document.createElementNS(space, "polyline");
    drawn.style.stroke = colors[i % colors.length];
    drawn.setAttribute("points", line.map(([time, value]) =>
      `${(100 * (time - start) / (end - start || 1)).toFixed(2)},${(98 - 96 * (value - low) / (high - low || 1)).toFixed(2)}`)
      .join(" "));
    svg.append(drawn);
  });
  result.append(caption, svg);
  return result;
}

function draw_curves() {
  byId("curves").replaceChildren(
    figure("loss", loss, (p) => [p.loss]),
    figure("steps/s", rate, (p) => [p.steps_per_second]),
    figure("MXU %", percent, (p) => p.mxu_percent),
    figure("input %", percent, (p) => p.input_wait_percent),
    figure("idle %", percent, (p) => p.idle_percent),
    figure("memory", bytes, (p) => p.memory_bytes));
}

function draw_state() {
  if (run === null) return;
  const [kind, text] = state();
  byId("state").textContent = text;
  byId("state").className = `state ${kind}`;
  byId("duration").textContent = duration((run.end_time || run.time) - run.begin_time);
}

function draw() {
  const title = `${run.program} · ${run.name} on ${run.platform} ${run.device_kind}, ${run.all_cores} cores`;
  byId("title").textContent = title;
  document.title = `${run.name} · Systolic`;
  draw_state();
  draw_numbers();
  const steps = run.steps_per_epoch > 0 ? run.steps_per_epoch : run.step_in_epoch + 1;
  byId("progress").value = run.step_in_epoch / steps;
  fill(byId("cores"), run.cores.map((core) => [core.number, percent(core.mxu_percent),
    percent(core.padded_mxu_percent), percent(core.busy_percent), percent(core.input_wait_percent),
    percent(core.idle_percent), byte_rate(core.collective_bytes_per_second), bytes(core.memory_bytes), bytes(core.peak_memory_bytes),
    bytes(core.memory_limit_bytes)]));
  fill(byId("device"), run.device_metrics.map((one) => [one.name, one.device, one.value]));
  byId("device").parentElement.hidden = run.device_metrics.length === 0;
  fill(byId("logs"), Object.entries(run.logs).map(([name, value]) => [name, loss(value)]));
  fill(byId("events"), run.happenings.slice().reverse().map((one) =>
    [new Date(1000 * one.time).toLocaleTimeString("en-GB"), one.kind, one.text]));
  draw_curves();
}

async function fetch_all() {
  const answer = await fetch(`status${query}`);
  if (!answer.ok) return;
  const whole = await answer.json();
  points = whole.points;
  run = whole;
  draw();
}

function hear(message) {
  const status = JSON.parse(message.data);
  const same = run !== null && status.run === run.run && status.process === run.process &&
    status.point_seconds === run.point_seconds;
  heard = performance.now();
  run = status;
  if (!same) return fetch_all();
  const last = points[points.length - 1];
  for (const point of status.points) {
    if (last === undefined || point.time > last.time) points.push(point);
  }
  if (!document.hidden) draw();
}

heard = performance.now();
fetch_all();
new EventSource(`events${query}`).onmessage = hear;
setInterval(draw_state, 1000);
document.addEventListener("visibilitychange", () => { if (!document.hidden && run !== null) draw(); });
