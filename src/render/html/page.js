// Filters and sorting for tables and the map. The page says everything without it.
"use strict";
(() => {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const field = (words, control) => make("label", {}, words, control);
  const later = (task) => {
    let timer = 0;
    return () => { clearTimeout(timer); timer = setTimeout(task, 120); };
  };
  const select = (choices) => make("select", {}, ...choices.map(([value, words]) => make("option", { value }, words)));

  // "4", "2 to 4", "50 %", "–"
  const number = (text) => { const value = parseFloat(text.replace(/[^0-9.+-].*$/, "")); return Number.isNaN(value) ? -Infinity : value; };
  const textOf = (cell) => cell.textContent.trim();

  const sortable = (table) => {
    const body = table.tBodies[0];
    if (body.rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const numeric = head.classList.contains("num");
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") === "ascending" || (numeric && head.getAttribute("aria-sort") === "none");
        const order = up ? -1 : 1;
        const keyed = [...body.rows].map((row, index) => {
          const text = textOf(row.cells[column]);
          return { row, index, key: numeric ? number(text) : text };
        });
        const collator = new Intl.Collator("en", { numeric: true });
        keyed.sort((a, b) => {
          const less = numeric ? (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) : collator.compare(a.key, b.key);
          return order * less || a.index - b.index;
        });
        body.append(...keyed.map((entry) => entry.row));
        for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", up ? "descending" : "ascending");
      });
    });
  };

  const filterable = (table) => {
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
    const search = make("input", { type: "search" });
    const count = make("output");
    const tools = make("div", { className: "tools" }, field("Find in this table", search));
    const picks = [];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!("pick" in head.dataset)) return;
      const values = [...new Set(rows.map(({ row }) => textOf(row.cells[column])))].sort();
      if (values.length < 2 || values.length > 200) return;
      const pick = select([["", "all"], ...values.map((value) => [value, value.length > 60 ? value.slice(0, 59) + "…" : value || "(none)"])]);
      picks.push({ column, pick });
      tools.append(field(textOf(head), pick));
    });
    tools.append(count);
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { row, text } of rows) {
        const hit = words.every((word) => text.includes(word)) &&
          picks.every(({ column, pick }) => pick.selectedIndex === 0 || textOf(row.cells[column]) === pick.value);
        row.hidden = !hit;
        shown += hit ? 1 : 0;
      }
      count.value = `${shown} of ${rows.length} rows`;
    };
    search.addEventListener("input", later(apply));
    for (const { pick } of picks) pick.addEventListener("change", apply);
    table.closest(".scroll").before(tools);
    apply();
  };

  const mapTools = (map) => {
    const nodes = [...map.querySelectorAll(".node")].map((node) => ({ node, text: node.textContent.toLowerCase(), states: ` ${node.dataset.s} ` }));
    if (nodes.length > 1) {
      const search = make("input", { type: "search" });
      const known = [["", "all nodes"], ["room", "with room"], ["full", "full"], ["empty", "all GPUs free"], ["shared", "time-sliced"], ["mig", "with MIG"], ["cordoned", "cordoned"]];
      const state = select(known.filter(([value]) => value === "" || nodes.some((entry) => entry.states.includes(` ${value} `))));
      const count = make("output");
      const apply = () => {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const { node, text, states } of nodes) {
          const hit = words.every((word) => text.includes(word)) && (state.value === "" || states.includes(` ${state.value} `));
          node.hidden = !hit;
          shown += hit ? 1 : 0;
        }
        for (const group of map.querySelectorAll(".group")) group.hidden = !group.querySelector(".node:not([hidden])");
        count.value = `${shown} of ${nodes.length} nodes`;
      };
      search.addEventListener("input", later(apply));
      state.addEventListener("change", apply);
      map.before(make("div", { className: "tools" }, field("Find a node, model or pod", search), field("Show", state), count));
      apply();
    }
    let lit = null;
    const light = (pod) => {
      if (pod === lit) return;
      lit = pod;
      for (const cell of map.querySelectorAll(".on")) cell.classList.remove("on");
      map.classList.toggle("lit", pod !== null);
      if (pod !== null) for (const cell of map.querySelectorAll(`[data-p="${CSS.escape(pod)}"]`)) cell.classList.add("on");
    };
    map.addEventListener("pointerover", (event) => { const cell = event.target.closest("[data-p]"); light(cell ? cell.dataset.p : null); });
    map.addEventListener("pointerleave", () => light(null));
    const section = map.closest("section");
    for (const row of section.querySelectorAll("tr[data-p]")) {
      const name = row.cells[0];
      const button = make("button", { type: "button", title: "Show on the map" }, ...name.childNodes);
      name.append(button);
      row.addEventListener("pointerenter", () => light(row.dataset.p));
      row.addEventListener("pointerleave", () => light(null));
      button.addEventListener("focus", () => light(row.dataset.p));
      button.addEventListener("blur", () => light(null));
      button.addEventListener("click", () => {
        light(row.dataset.p);
        const cell = map.querySelector(".on");
        if (!cell) return;
        const group = cell.closest(".group");
        if (group) group.open = true;
        cell.closest(".node").scrollIntoView({ block: "center" });
      });
    }
  };

  for (const table of document.querySelectorAll("table.data")) {
    if ("filter" in table.dataset) filterable(table);
    sortable(table);
  }
  for (const map of document.querySelectorAll("[data-map]")) mapTools(map);

  // On paper everything is open, unless that would be a book.
  let opened = [];
  addEventListener("beforeprint", () => {
    const closed = [...document.querySelectorAll("details:not([open])")];
    opened = closed.length <= 300 ? closed : [];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });
})();
