// The step's timeline: a lane for the device's cores and one for each thread, from /timeline. A click on a span says what it
// is; the wheel zooms, dragging moves.
"use strict";

const kinds = { step: "--faint", program: "--program", op: "--c0", wait: "--c1", input: "--c2", host: "--c3" };
const row = 16;              // pixels
let timeline = null;         // as it was fetched
let shown = [0, 1];          // the part of it that is drawn, in microseconds
let hits = [];               // what was drawn: [x, y, width, text]

function describe(span) {
  const work = timeline.works[span[2]];
  const step = span[4] >= 0 ? ` ${span[4]}` : "";
  return [`${work.name}${step}`, `${(span[1] / 1000).toFixed(3)} ms`, work.layer, work.source].filter(Boolean).join(" · ");
}

// Rows of a track: as many as its spans are deep.
const rows_of = (track) => track.spans.reduce((most, span) => Math.max(most, span[3] + 1), 1);

// The colors of the style sheet, as a canvas takes them.
function styled_kinds() {
  const style = getComputedStyle(document.documentElement);
  const text = getComputedStyle(document.body).color, on = style.getPropertyValue("--on");
  return Object.fromEntries(Object.entries(kinds).map(([kind, name]) => [kind,
    { fill: style.getPropertyValue(name), text: ["step", "program"].includes(kind) ? text : on }]));
}

function draw_track(context, track, top, width, styles) {
  const scale = width / (shown[1] - shown[0]);
  for (const span of track.spans) {
    const x = (span[0] - shown[0]) * scale, w = Math.max(span[1] * scale, 0.5);
    if (x + w < 0 || x > width) continue;
    const y = top + row * (1 + span[3]);
    const style = styles[timeline.works[span[2]].kind];
    context.fillStyle = style.fill;
    context.fillRect(x, y, w, row - 2);
    hits.push([x, y, w, span]);
    if (w < 40) continue;
    context.save();
    context.beginPath();
    context.rect(x, y, w, row);
    context.clip();
    context.fillStyle = style.text;
    context.fillText(describe(span), Math.max(x, 0) + 3, y + row - 5);
    context.restore();
  }
}

function draw_timeline() {
  if (timeline === null) return;
  const canvas = byId("lanes"), width = canvas.clientWidth, ratio = devicePixelRatio || 1;
  const height = timeline.tracks.reduce((sum, track) => sum + row * (1 + rows_of(track)) + 6, 0);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "11px system-ui, sans-serif";
  hits = [];
  const styles = styled_kinds();
  let top = 0;
  for (const track of timeline.tracks) {
    context.fillStyle = getComputedStyle(document.body).color;
    context.fillText(track.name, 3, top + row - 4);
    draw_track(context, track, top, width, styles);
    top += row * (1 + rows_of(track)) + 6;
  }
}

// At first one step is shown, the second, as the first may have begun before the recording.
function whole_step() {
  const spans = timeline.tracks.flatMap((track) => track.spans.filter((span) => span[4] >= 0));
  const step = spans.sort((a, b) => a[4] - b[4])[1] || spans[0];
  return step ? [step[0] - 0.05 * step[1], step[0] + 1.05 * step[1]] : [0, timeline.duration];
}

async function record() {
  byId("recorded").textContent = "…";
  const answer = await fetch(`timeline${query}`);
  if (!answer.ok) {
    byId("recorded").textContent = await answer.text() || "this run cannot be recorded";
    return;
  }
  timeline = await answer.json();
  shown = whole_step();
  const steps = new Set(timeline.tracks.flatMap((track) => track.spans.map((span) => span[4]))).size - 1;
  byId("recorded").textContent = `${(timeline.duration / 1000).toFixed(0)} ms, ${steps} whole steps` +
    (timeline.lost > 0 ? `, ${timeline.lost} spans left out` : "") + "; wheel and drag to look around, click to read";
  draw_timeline();
}

function zoom(event) {
  if (timeline === null) return;
  event.preventDefault();
  const at = shown[0] + (event.offsetX / byId("lanes").clientWidth) * (shown[1] - shown[0]);
  const factor = event.deltaY > 0 ? 1.25 : 0.8;
  shown = shown.map((edge) => at + (edge - at) * factor);
  draw_timeline();
}

function drag(event) {
  if (timeline === null || event.buttons !== 1) return;
  const by = (event.movementX / byId("lanes").clientWidth) * (shown[1] - shown[0]);
  shown = shown.map((edge) => edge - by);
  draw_timeline();
}

function read(event) {
  const hit = hits.filter(([x, y, w]) => event.offsetX >= x && event.offsetX <= x + w &&
    event.offsetY >= y && event.offsetY < y + row).pop();
  if (hit) byId("recorded").textContent = describe(hit[3]);
}

byId("record").addEventListener("click", record);
byId("lanes").addEventListener("wheel", zoom, { passive: false });
byId("lanes").addEventListener("pointermove", drag);
byId("lanes").addEventListener("click", read);
addEventListener("resize", draw_timeline);
if (location.hash === "#timeline") record();  // a link that shows one at once
