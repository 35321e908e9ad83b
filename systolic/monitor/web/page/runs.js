// Runs of a logs folder beside each other: a curve for each scalar, with a line for each run, from /runs.
"use strict";

const refresh = 10000;  // milliseconds

async function compare() {
  const answer = await fetch(`runs${query}`);
  if (answer.status === 204) return;  // it has none
  setTimeout(compare, refresh);
  if (!answer.ok) return;
  const runs = (await answer.json()).runs.map((one, i) => ({ ...one, color: color(i) }));
  byId("compared").hidden = false;
  byId("legend").replaceChildren(...runs.map((one) => {
    const name = document.createElement("span");
    name.textContent = one.name;
    name.style.borderColor = one.color;
    return name;
  }));
  const tags = [...new Set(runs.flatMap((one) => Object.keys(one.scalars)))].sort();
  byId("scalars").replaceChildren(...tags.map((tag) => chart(tag, range(loss), runs.filter((one) => tag in one.scalars)
    .map((one) => ({ color: one.color, points: one.scalars[tag] })))));
}

compare();
