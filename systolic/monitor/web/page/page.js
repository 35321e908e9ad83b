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
const color = (i) => `var(--c${i % 8})`;

let run = null;     // the last status
let points = [];    // of its curves
let epochs = [];    // and of those of its epochs
let heard = 0;      // when
let fetched = 0;    // when all of it was asked for

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
  if (known(run.sent_bytes)) numbers.push(["sent to processes", byte_rate(run.sent_bytes_per_second)]);
  byId("numbers").replaceChildren(...numbers.map(([name, text]) => {
    const box = document.createElement("div"), number = document.createElement("b");
    number.textContent = text;
    number.dataset.name = name;
    box.append(name, number);
    return box;
  }));
}

// `lines`: [{ color, points: [[x, y], ...] }]; what is not known is left out. `told`: what stands beside the name.
function chart(name, told, lines) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  let low = Infinity, high = -Infinity, first = Infinity, last = -Infinity;
  for (const line of lines) for (const [x, y] of line.points) {
    if (!known(y)) continue;
    low = Math.min(low, y);
    high = Math.max(high, y);
    first = Math.min(first, x);
    last = Math.max(last, x);
  }
  const place = ([x, y]) =>
    `${(100 * (x - first) / (last - first || 1)).toFixed(2)},${(98 - 96 * (y - low) / (high - low || 1)).toFixed(2)}`;
  for (const line of lines) {
    const drawn = document.createElementNS(space, "polyline");
    drawn.style.stroke = line.color;
    drawn.setAttribute("points", line.points.filter((point) => known(point[1])).map(place).join(" "));
    svg.append(drawn);
  }
  const result = document.createElement("figure"), caption = document.createElement("figcaption");
  for (const text of [name, told(low, high)]) {
    const part = document.createElement("span");
    part.textContent = text;
    caption.append(part);
  }
  result.dataset.name = name;
  result.append(caption, svg);
  return result;
}

const range = (text) => (low, high) => low <= high ? `${text(low)} to ${text(high)}` : "";

// One line a core, or one of the run; `values(point)` is a list of as many.
function figure(name, text, values) {
  const lines = points.length === 0 ? [] : values(points[points.length - 1]).map((_, i) =>
    ({ color: color(i), points: points.map((point) => [point.time, values(point)[i]]) }));
  return chart(name, range(text), lines);
}

// A metric by epochs: of training, and its val_ twin.
function metric_figure(name) {
  const lines = [];
  const last = [];
  for (const one of [name, `val_${name}`]) {
    const place = run.metric_names.indexOf(one);
    if (place < 0) continue;
    const line = epochs.map((point) => [point.epoch, point.values[place]]).filter((point) => known(point[1]));
    lines.push({ color: color(one === name ? 0 : 1), points: line });
    if (line.length > 0) last.push(loss(line[line.length - 1][1]));
  }
  return chart(name, () => last.join(" · "), lines);
}

function draw_curves() {
  byId("curves").replaceChildren(
    figure("loss", loss, (p) => [p.loss]),
    figure("steps/s", rate, (p) => [p.steps_per_second]),
    figure("MXU %", percent, (p) => p.mxu_percent),
    figure("input %", percent, (p) => p.input_wait_percent),
    figure("idle %", percent, (p) => p.idle_percent),
    figure("memory", bytes, (p) => p.memory_bytes));
  const names = new Set(run.metric_names.map((name) => name.replace(/^val_/, "")));
  byId("metrics").hidden = names.size === 0;
  byId("epochs").replaceChildren(...[...names].map(metric_figure));
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
  fetched = performance.now();
  const answer = await fetch(`status${query}`);
  if (!answer.ok) return;
  const whole = await answer.json();
  points = whole.points;
  epochs = whole.epoch_points;
  run = whole;
  draw();
}

function hear(message) {
  const status = JSON.parse(message.data);
  heard = performance.now();
  const same_run = run !== null && status.run === run.run && status.process === run.process;
  if (same_run && status.time < run.time) return;  // it waited while all was fetched
  const same = same_run && status.point_seconds === run.point_seconds && status.epochs_per_point === run.epochs_per_point;
  run = status;
  if (!same) return fetch_all();
  add_points(status);
  // A page that was slow, or asleep, has missed some.
  if (points.length !== status.point_count && heard - fetched > 5000) return fetch_all();
  if (!document.hidden) draw();
}

function add_points(status) {
  const last = points[points.length - 1];
  for (const point of status.points) {
    if (last === undefined || point.time > last.time) points.push(point);
  }
  const epoch = epochs[epochs.length - 1];
  for (const point of status.epoch_points) {
    if (epoch === undefined || point.epoch > epoch.epoch) epochs.push(point);
  }
}

// Where as many pages wait as the run serves, it asks again for a place, and shows what it is now.
function listen() {
  const events = new EventSource(`events${query}`);
  events.onmessage = hear;
  events.onerror = () => {
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, 10000);
    fetch_all().then(() => { heard = performance.now(); }).catch(() => {});
  };
}

heard = performance.now();
listen();
setInterval(draw_state, 1000);
document.addEventListener("visibilitychange", () => { if (!document.hidden && run !== null) draw(); });
