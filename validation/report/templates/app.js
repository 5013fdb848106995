"use strict";
// Pages: the section named by the fragment is shown, the others wait. Without this script all follow each other.
(() => {
  const pages = [...document.querySelectorAll("main > .page")];
  document.documentElement.classList.add("js");

  function show() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (target && target.id === "main") return;
    const page = (target && target.closest("main > .page")) || pages[0];
    for (const p of pages) p.classList.toggle("current", p === page);
    for (const a of document.querySelectorAll("header nav a")) {
      if (a.getAttribute("href") === "#" + page.id) a.setAttribute("aria-current", "page");
      else a.removeAttribute("aria-current");
    }
    if (target && target !== page) target.scrollIntoView();
    else window.scrollTo(0, 0);
  }

  const text = document.getElementById("filter-text");
  const paper = document.getElementById("filter-paper");
  const verdict = document.getElementById("filter-verdict");
  const rows = [...document.querySelectorAll("tr.claim")].map((row) => [row, row.textContent.toLowerCase()]);

  function filter() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, content] of rows) {
      const fits =
        (!paper.value || row.dataset.paper === paper.value) &&
        (!verdict.value || row.dataset.verdict === verdict.value) &&
        words.every((w) => content.includes(w));
      row.hidden = !fits;
      shown += fits;
    }
    for (const group of document.querySelectorAll("tbody[data-group]")) {
      group.hidden = !group.querySelector("tr.claim:not([hidden])");
    }
    document.getElementById("filter-count").textContent = shown;
    document.getElementById("filter-none").hidden = shown > 0;
  }

  function copy(button) {
    const next = button.nextElementSibling;
    const content = "copyNext" in button.dataset ? next.textContent : button.dataset.copy;
    const done = () => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
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

  for (const control of [text, paper, verdict]) control.addEventListener("input", filter);
  document.querySelector("form.filters").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
    const link = event.target.closest("a[data-paper], a[data-verdict]");
    if (link) {
      text.value = "";
      paper.value = link.dataset.paper || "";
      verdict.value = link.dataset.verdict || "";
      filter();
    }
  });
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
  window.addEventListener("hashchange", show);
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  show();
})();
