"use strict";
// What a reader can do with a page beside reading it: sort and filter tables, copy these and charts. Nothing
// here is needed to read it.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };

  // copier is a button that copies what text returns.
  function copier(label, text) {
    const b = make("button", { type: "button", textContent: label });
    b.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text());
        b.textContent = "copied";
      } catch {
        b.textContent = "this browser forbids it";
      }
      setTimeout(() => { b.textContent = label; }, 1500);
    });
    return b;
  }

  const cell = s => s.trim().replace(/\s+/g, " ").replace(/[\\|*_`<[\]#~]/g, "\\$&");
  const markdown = rows => rows.map(r => `| ${r.map(cell).join(" | ")} |`)
    .toSpliced(1, 0, "|" + " --- |".repeat(rows[0].length)).join("\n") + "\n";

  function picture(svg) {
    const copy = svg.cloneNode(true), style = document.createElementNS(svg.namespaceURI, "style");
    const [x, y, w, h] = copy.getAttribute("viewBox").split(" ").map(Number), edge = 20;
    copy.setAttribute("xmlns", svg.namespaceURI);
    copy.setAttribute("viewBox", [x - edge, y - edge, w + 2 * edge, h + 2 * edge].join(" "));
    copy.setAttribute("width", w + 2 * edge);
    copy.setAttribute("height", h + 2 * edge);
    style.textContent = document.getElementById("chart").textContent + "svg{background:var(--paper)}";
    copy.prepend(style);
    return new XMLSerializer().serializeToString(copy) + "\n";
  }

  // One selector in place of a label for each option.
  for (const choice of all(".choice")) {
    const inputs = all(":scope > input", choice), select = make("select", { ariaLabel: choice.querySelector("legend").textContent });
    select.append(...inputs.map(i => make("option", { textContent: i.labels[0].textContent, selected: i.checked })));
    select.addEventListener("change", () => { inputs[select.selectedIndex].checked = true; });
    choice.classList.add("one");
    choice.append(make("label", { className: "pick" }, "Chart of ", select));
  }

  // A link to a folded section opens it.
  const unfold = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    all("details", target || make("div")).slice(0, 1).forEach(d => { d.open = true; });
  };
  addEventListener("hashchange", unfold);
  unfold();

  for (const figure of all("figure")) {
    const svg = figure.querySelector("svg.chart");
    if (!svg) continue;
    const bars = svg.querySelector("g.bars"), tools = make("div", { className: "tools" });
    if (bars) {
      const text = (row, part) => row.querySelector(part)?.textContent ?? "";
      const names = row => all(".name", row).map(t => t.textContent).join(" ");
      tools.append(copier("copy as Markdown", () => markdown([
        ["contestant", svg.querySelector(".tick").textContent, svg.querySelector(".tick.base")?.textContent ?? ""],
        ...all(".row", bars).map(row => [names(row), text(row, ".value") || text(row, ".reason"), text(row, ".side")]),
      ])));
    }
    tools.append(copier("copy as SVG", () => picture(svg)));
    figure.append(tools);
  }

  // A row of a table goes with the notes below it.
  const bundles = body => {
    const list = [];
    for (const row of body.rows) {
      if (row.classList.contains("notes")) list.at(-1).push(row);
      else list.push([row]);
    }
    return list;
  };
  const number = s => {
    const m = s.replace(/,/g, "").match(/[−-]?\d+(\.\d+)?/);
    return m ? +m[0].replace("−", "-") : null;
  };

  for (const table of all(".scroll > table")) {
    const body = table.tBodies[0], head = table.tHead.rows[0], original = bundles(body);
    const rows = original.filter(([row]) => !row.classList.contains("group"));
    const tools = make("div", { className: "tools" });
    if (rows.length > 1) [...head.cells].forEach((th, column) => {
      const numeric = th.classList.contains("num"), button = make("button", { type: "button", className: "sort", title: "sort" });
      let way = 0;
      button.setAttribute("aria-label", "sort by " + th.textContent);
      button.addEventListener("click", () => {
        way = way === 0 ? (numeric ? -1 : 1) : way === (numeric ? -1 : 1) ? -way : 0;
        [...head.cells].forEach(c => c.removeAttribute("aria-sort"));
        if (!way) return body.append(...original.flat());
        th.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        const value = ([row]) => (row.cells[column]?.textContent ?? "").trim();
        const compare = (a, b) => {
          if (!numeric) return way * value(a).localeCompare(value(b), "en", { numeric: true });
          const x = number(value(a)), y = number(value(b));
          return (x === null) - (y === null) || way * (x - y); // what has no figure comes last
        };
        original.flat().forEach(row => row.remove());
        body.append(...[...rows].sort(compare).flat());
      });
      th.append(button);
    });
    if (rows.length >= 6) {
      const search = make("input", { type: "search", placeholder: "filter rows" });
      search.setAttribute("aria-label", "show only rows with this text");
      search.addEventListener("input", () => {
        const wanted = search.value.trim().toLowerCase();
        for (const bundle of original) {
          const hide = wanted !== "" && !bundle.some(row => row.textContent.toLowerCase().includes(wanted));
          bundle.forEach(row => { row.hidden = hide; });
        }
      });
      tools.append(search);
    }
    tools.append(copier("copy as Markdown", () => markdown([
      [...head.cells].map(th => [...th.childNodes].map(n => n.textContent).join(" ")),
      ...[...body.rows].filter(row => !row.hidden && !row.matches(".notes, .group"))
        .map(row => [...row.cells].flatMap(c => [
          [...c.childNodes].map(n => n.textContent).join(" "), ...Array(c.colSpan - 1).fill("")])),
    ])));
    table.parentElement.before(tools);
    for (const row of body.rows) {
      if (!row.matches(".notes, .group, .excluded")) {
        [...row.cells].forEach((c, i) => { if (c.tagName === "TD" && c.textContent) c.dataset.head = head.cells[i]?.firstChild.textContent ?? ""; });
      }
    }
    const fit = () => {
      table.classList.remove("stack");
      table.classList.toggle("stack", table.parentElement.scrollWidth > table.parentElement.clientWidth + 1);
    };
    new ResizeObserver(fit).observe(table.parentElement);
  }
})();
