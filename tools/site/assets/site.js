// Search, copy buttons, light and dark, and the list of pages on a phone. Nothing is fetched from elsewhere.
(function () {
  "use strict";
  const root = document.body.dataset.root;
  const find = document.getElementById("search");
  const results = document.getElementById("results");

  // --- light and dark ---
  document.querySelector(".theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";
    const chosen = dark ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    try { localStorage.setItem("systolic-theme", chosen); } catch (error) { /* kept for this page only */ }
  });

  // --- the list of pages, on narrow screens ---
  const menu = document.querySelector(".menu");
  const side = document.getElementById("side");
  function openSide(open) {
    document.body.classList.toggle("side-open", open);
    menu.setAttribute("aria-expanded", String(open));
  }
  menu.addEventListener("click", () => openSide(!document.body.classList.contains("side-open")));
  document.querySelector(".columns").addEventListener("click", (event) => {
    if (document.body.classList.contains("side-open") && !side.contains(event.target)) openSide(false);
  });
  const current = side.querySelector("[aria-current]");
  if (current && current.offsetTop > side.clientHeight) side.scrollTop = current.offsetTop - side.clientHeight / 2;

  // --- copy buttons ---
  for (const block of document.querySelectorAll(".code[data-language]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = block.querySelector("code").textContent;
      button.textContent = (await copied(text)) ? "Copied" : "Press Ctrl-C";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) { // a page from the disk has no clipboard in some browsers
      const area = document.createElement("textarea");
      area.value = text;
      area.style.position = "fixed";
      area.style.opacity = "0";
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  // --- the section that is being read, in the contents ---
  const links = [...document.querySelectorAll(".contents a")];
  if (links.length && "IntersectionObserver" in window) {
    const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    const mark = () => {
      let at = 0;
      sections.forEach((section, k) => { if (section && section.getBoundingClientRect().top < 120) at = k; });
      links.forEach((link, k) => link.classList.toggle("here", k === at));
    };
    addEventListener("scroll", mark, { passive: true });
    mark();
  }

  // --- search ---
  let index = null;
  let wanted = null;
  function load() {
    if (wanted) return wanted;
    wanted = new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = root + "search_index.js";
      script.onload = () => {
        index = window.systolicSearch.map(([kind, title, heading, place, text]) => ({
          kind, title, heading, place, text,
          name: (heading || title).toLowerCase(), all: (title + " " + heading).toLowerCase(), low: text.toLowerCase(),
        }));
        resolve();
      };
      document.head.append(script);
    });
    return wanted;
  }

  const weight = { Reference: 3, "Python name": 4, Guide: 5, Source: -3 };
  function score(entry, words, whole) {
    let sum = weight[entry.kind] || 0;
    if (entry.name === whole) sum += 60;
    else if (entry.name.endsWith("." + whole) || entry.name.endsWith("::" + whole)) sum += 50;
    else if (entry.name.startsWith(whole)) sum += 25;
    for (const word of words) {
      const at = entry.all.indexOf(word);
      if (at >= 0) sum += at === 0 || /[^a-z0-9]/.test(entry.all[at - 1]) ? 16 : 8;
      else {
        const place = entry.low.indexOf(word);
        if (place < 0) return 0;
        sum += place === 0 || /[^a-z0-9]/.test(entry.low[place - 1]) ? 4 : 1;
      }
    }
    return entry.heading ? sum : sum + 1;
  }

  function escaped(text) {
    return text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  }
  function marked(text, words) {
    const parts = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp("(" + parts.join("|") + ")", "gi");
    return text.split(pattern).map((part, k) => (k % 2 ? `<mark>${escaped(part)}</mark>` : escaped(part))).join("");
  }
  function excerpt(entry, words) {
    const at = Math.min(...words.map((word) => entry.low.indexOf(word)).filter((place) => place >= 0), 1e9);
    const start = at === 1e9 ? 0 : Math.max(0, at - 40);
    return (start ? "…" : "") + entry.text.slice(start, start + 130) + (entry.text.length > start + 130 ? "…" : "");
  }

  let chosen = -1;
  function show() {
    const whole = find.value.trim().toLowerCase();
    const words = whole.split(/\s+/).filter(Boolean);
    chosen = -1;
    if (!words.length || !index) return hide();
    const found = index.map((entry) => [score(entry, words, whole), entry]).filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, 14);
    results.innerHTML = found.map(([, entry], k) =>
      `<a role="option" id="result${k}" href="${root}${escaped(entry.place)}"><span class="kind">${entry.kind}</span>` +
      `<strong>${marked(entry.heading || entry.title, words)}</strong>` +
      (entry.heading ? `<span class="of">${escaped(entry.title)}</span>` : "") +
      `<span class="text">${marked(excerpt(entry, words), words)}</span></a>`).join("") ||
      `<p>Nothing has “${escaped(find.value.trim())}” in it.</p>`;
    results.hidden = false;
    find.setAttribute("aria-expanded", "true");
  }
  function hide() {
    results.hidden = true;
    find.setAttribute("aria-expanded", "false");
  }
  function choose(step) {
    const options = [...results.querySelectorAll("a")];
    if (!options.length) return;
    chosen = (chosen + step + options.length) % options.length;
    options.forEach((option, k) => option.classList.toggle("chosen", k === chosen));
    options[chosen].scrollIntoView({ block: "nearest" });
    find.setAttribute("aria-activedescendant", options[chosen].id);
  }
  find.addEventListener("focus", () => load().then(show));
  find.addEventListener("input", () => load().then(show));
  find.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      const options = results.querySelectorAll("a");
      if (options.length) options[Math.max(chosen, 0)].click();
    } else if (event.key === "Escape") {
      find.blur();
      hide();
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if ((event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      find.focus();
    }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".find")) hide(); });
  // page.html?q=words opens with the results.
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    find.value = asked;
    load().then(show);
  }
})();
