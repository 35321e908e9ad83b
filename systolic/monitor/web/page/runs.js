// Runs of a logs folder beside each other: a curve for each scalar, with a line for each run, from /runs.
"use strict";

const refresh = 10000;  // milliseconds

// As figure() draws them, by step instead of time.
function scalar_figure(tag, lines) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  const all = lines.flatMap((line) => line.points).filter((point) => known(point[1]));
  const edges = (i) => [Math.min(...all.map((point) => point[i])), Math.max(...all.map((point) => point[i]))];
  const [first, last] = edges(0), [low, high] = edges(1);
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  for (const line of lines) {
    const drawn = document.createElementNS(space, "polyline");
    drawn.style.stroke = line.color;
    drawn.setAttribute("points", line.points.filter((point) => known(point[1])).map(([step, value]) =>
      `${(100 * (step - first) / (last - first || 1)).toFixed(2)},${(98 - 96 * (value - low) / (high - low || 1)).toFixed(2)}`)
      .join(" "));
    svg.append(drawn);
  }
  const result = document.createElement("figure"), caption = document.createElement("figcaption");
  for (const text of [tag, all.length > 0 ? `${loss(low)} to ${loss(high)}` : ""]) {
    const part = document.createElement("span");
    part.textContent = text;
    caption.append(part);
  }
  result.dataset.tag = tag;
  result.append(caption, svg);
  return result;
}

async function compare() {
  const answer = await fetch(`runs${query}`);
  if (answer.status === 404) return;
  setTimeout(compare, refresh);
  if (!answer.ok) return;
  const runs = (await answer.json()).runs.map((one, i) => ({ ...one, color: colors[i % colors.length] }));
  byId("compared").hidden = false;
  byId("legend").replaceChildren(...runs.map((one) => {
    const name = document.createElement("span");
    name.textContent = one.name;
    name.style.borderColor = one.color;
    return name;
  }));
  const tags = [...new Set(runs.flatMap((one) => Object.keys(one.scalars)))].sort();
  byId("scalars").replaceChildren(...tags.map((tag) => scalar_figure(tag, runs.filter((one) => tag in one.scalars)
    .map((one) => ({ color: one.color, points: one.scalars[tag] })))));
}

compare();
