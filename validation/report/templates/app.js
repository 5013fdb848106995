"use strict";
// Search, copying and keys. Without this script every page reads the same; only the search box does nothing.
(() => {
  const up = document.body.dataset.up || "";
  const box = document.getElementById("find");
  const list = document.getElementById("found");

  // The index is a script, since a page on disk cannot fetch a file; it is loaded when somebody is about to search.
  let loading = null;
  const load = () =>
    (loading ??= new Promise((done) => {
      if (window.FEDVERDICT) return done();
      const script = document.createElement("script");
      script.src = up + "assets/search.js";
      script.onload = done;
      document.head.append(script);
    }));

  function ranked(asked) {
    const phrase = asked.toLowerCase().replace(/[«»"“”]/g, " ").trim().replace(/\s+/g, " ");
    const words = phrase.split(" ").filter(Boolean);
    if (!words.length) return [];
    const { papers, claims } = window.FEDVERDICT;
    // «theorem 1» is not «theorem 12»: what ends in a digit must not go on with one.
    const whole = (w) => new RegExp(w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + (/\d$/.test(w) ? "(?![\\d.]*\\d)" : ""));
    const tests = words.map(whole);
    const found = [];
    claims.forEach((row, i) => {
      const [, id, paper, source, title, verdict, , text] = row;
      const all = [id, source, title, papers[paper], paper, verdict, text].join(" ").toLowerCase();
      if (!tests.every((t) => t.test(all))) return;
      const near = source.toLowerCase();
      let score = 0;
      if (id.toLowerCase() === phrase) score += 100;
      if (id.toLowerCase().startsWith(phrase)) score += 30;
      const inSource = words.filter((w, k) => tests[k].test(near)).length;
      if (near.startsWith(words.slice(0, 2).join(" ")) && whole(words.slice(0, 2).join(" ")).test(near)) score += 40;
      score += 6 * inSource;
      score += 4 * words.filter((w, k) => tests[k].test((title + " " + papers[paper]).toLowerCase())).length;
      found.push([score, i, row]);
    });
    return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map((f) => f[2]);
  }

  let at = -1;
  function choose(next) {
    const items = [...list.children];
    at = items.length ? (next + items.length) % items.length : -1;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) {
      items[at].scrollIntoView({ block: "nearest" });
      box.setAttribute("aria-activedescendant", items[at].id);
    } else box.removeAttribute("aria-activedescendant");
  }

  function open(shown) {
    list.hidden = !shown;
    box.setAttribute("aria-expanded", String(shown));
  }

  async function search() {
    await load();
    const rows = ranked(box.value);
    list.replaceChildren(
      ...rows.slice(0, 30).map(([anchor, id, paper, source, title, verdict, sign], i) => {
        const item = document.createElement("li");
        item.id = "found-" + i;
        item.setAttribute("role", "option");
        const link = document.createElement("a");
        link.href = up + "claims/" + encodeURIComponent(anchor) + ".html";
        link.tabIndex = -1;
        const mark = document.createElement("span");
        mark.className = "sign v-" + verdict;
        mark.textContent = sign;
        mark.title = verdict;
        const name = document.createElement("b");
        name.textContent = title;
        const where = document.createElement("span");
        where.className = "where";
        where.textContent = [source, window.FEDVERDICT.papers[paper].split(":")[0], id].filter(Boolean).join(" · ");
        link.append(mark, name, where);
        item.append(link);
        return item;
      }),
    );
    if (!rows.length && box.value.trim()) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No claim matches.";
      list.append(none);
    }
    open(Boolean(box.value.trim()));
    choose(rows.length ? 0 : -1);
  }

  if (box) {
    box.addEventListener("focus", load);
    box.addEventListener("input", search);
    box.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        choose(at + (event.key === "ArrowDown" ? 1 : -1));
      } else if (event.key === "Enter" && at >= 0) {
        const link = list.children[at].querySelector("a");
        if (link) location.href = link.href;
      } else if (event.key === "Escape") {
        open(false);
        box.blur();
      }
    });
    document.addEventListener("click", (event) => event.target.closest(".finder") || open(false));
    document.addEventListener("keydown", (event) => {
      const writing = event.target.closest("input, textarea, select");
      if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        box.focus();
        box.select();
      }
    });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) {
      box.value = asked;
      search();
    }
  }

  function copy(button) {
    const source = button.closest(".source");
    const content = "copySource" in button.dataset ? source.querySelector("pre").textContent : button.dataset.copy;
    const label = button.textContent;
    const done = () => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = label), 1500);
    };
    const byHand = () => {
      const area = document.createElement("textarea");
      area.value = content;
      document.body.append(area);
      area.select();
      if (document.execCommand("copy")) done();
      area.remove();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(content).then(done, byHand);
    else byHand();
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
  });

  // What is wider than its place can be scrolled by keys; what is not is no stop of the tabulator.
  const boxes = [...document.querySelectorAll(".scroll:not([role])")];
  function reach() {
    for (const box of boxes) {
      const wide = box.scrollWidth > box.clientWidth;
      box.toggleAttribute("tabindex", wide);
      if (wide) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", box.querySelector("caption")?.textContent.trim() || "a wide table");
      } else for (const name of ["role", "aria-label"]) box.removeAttribute(name);
    }
  }
  reach();
  window.addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);

  // In a graph, what the pointed statement rests on and what rests on it stands out.
  for (const graph of document.querySelectorAll("svg.graph")) {
    const light = (event) => {
      const node = event.target.closest(".node");
      const id = node && node.dataset.id;
      graph.classList.toggle("lit", Boolean(node));
      for (const edge of graph.querySelectorAll(".edge")) {
        edge.classList.toggle("lit", Boolean(node) && (edge.dataset.from === id || edge.dataset.to === id));
      }
    };
    for (const name of ["pointerover", "focusin", "pointerleave"]) graph.addEventListener(name, light);
  }
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
})();
