"use strict";
// What a reader can do with a page beside reading it: choose the baseline of a chart, sort and filter
// tables, copy both. Nothing here is needed to read it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };

  // Figures are printed as Go prints them: three significant digits, and more where a bound would
  // else seem to be exactly 1.
  const unbounded = 1 / 0;
  const grouped = (v, n) => v === unbounded ? "∞" :
    v.toFixed(n).replace(/^\d+/, d => d.replace(/\B(?=(\d{3})+$)/g, ","));
  const decimals = v => Math.max(0, 2 - Math.floor(Math.log10(+v.toPrecision(3)) + 1e-12));
  const unknown = r => r.lo === 0 && r.hi === unbounded; // too few epochs for an interval
  function ratioText(r) {
    let n = decimals(r.at);
    if (unknown(r)) return grouped(r.at, n);
    const seemsOne = v => v !== 1 && Math.abs(v - 1) < 0.5 * 10 ** -n;
    while (n < 4 && (seemsOne(r.lo) || seemsOne(r.hi))) n++;
    const bound = v => v === 0 ? "0" : grouped(v, n);
    return `${grouped(r.at, n)} (${bound(r.lo)}–${bound(r.hi)})`;
  }

  // ratio is bar i over bar k of a chart, or null.
  function ratio(chart, i, k) {
    if (i === k) return { at: 1, lo: 1, hi: 1 };
    const n = chart.names.length, a = Math.min(i, k), b = Math.max(i, k);
    const [at, lo, hi] = chart.ratios[a * n - a * (a + 1) / 2 + b - a - 1];
    if (!at) return null;
    const r = { at, lo, hi: hi || unbounded };
    return i < k ? r : { at: 1 / at, lo: 1 / r.hi, hi: lo ? 1 / lo : unbounded };
  }

  const reach = r => unknown(r) ? r.at : r.hi > 1.5 * r.at ? 1.2 * r.at : r.hi;

  // rebase draws a chart anew with another bar as its baseline.
  function rebase(bars, name) {
    const chart = data[bars.dataset.chart], base = chart.names.indexOf(name);
    const rows = all(".row", bars).filter(row => row.querySelector(".bar"));
    const of = rows.map(row => ratio(chart, +row.dataset.i, base));
    if (base < 0 || of.every((r, i) => !r || +rows[i].dataset.i === base)) return;
    const most = Math.max(...of.filter(Boolean).flatMap(r => [r.at, reach(r)]));
    const x0 = +bars.dataset.x0, x1 = +bars.dataset.x1;
    const x = v => x0 + (x1 - x0) * Math.min(v / most, 1);
    rows.forEach((row, i) => {
      const r = of[i], bar = row.querySelector(".bar"), whisker = row.querySelector(".whisker");
      const mid = +bar.getAttribute("y") + bar.getAttribute("height") / 2;
      const lo = r && x(r.lo).toFixed(1), hi = r && x(reach(r)).toFixed(1), open = r && reach(r) < r.hi;
      bar.setAttribute("width", r ? Math.max(x(r.at) - x0, 1).toFixed(1) : 0);
      whisker.setAttribute("class", open ? "whisker open" : "whisker");
      whisker.setAttribute("d", !r || r.hi <= r.lo || unknown(r) ? "" :
        `M${lo} ${mid - 4}V${mid + 4}M${lo} ${mid}H${hi}` + (open ? "" : `M${hi} ${mid - 4}V${mid + 4}`));
      row.querySelector(".value").setAttribute("x", (r ? Math.max(x(r.at), x(reach(r))) + 7 : x0).toFixed(1));
      row.querySelector(".side").textContent = !r ? "–" : +row.dataset.i === base ? "1" : ratioText(r);
      row.classList.toggle("base", +row.dataset.i === base);
    });
    const one = bars.querySelector(".one"), head = bars.querySelector(".base.tick");
    one.setAttribute("x1", x(1).toFixed(1));
    one.setAttribute("x2", x(1).toFixed(1));
    if (head) head.textContent = "× " + name;
  }

  const charts = all("g.bars").filter(bars => data[bars.dataset.chart]);
  const choose = name => charts.forEach(bars => rebase(bars, name));
  for (const bars of charts) {
    for (const row of all(".row", bars).filter(row => row.querySelector(".bar"))) {
      const name = data[bars.dataset.chart].names[row.dataset.i];
      row.classList.toggle("base", name === data[bars.dataset.chart].base);
      row.setAttribute("tabindex", 0);
      row.setAttribute("role", "button");
      row.setAttribute("aria-label", "compare all with " + name);
      row.addEventListener("click", () => choose(name));
      row.addEventListener("keydown", e => {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); choose(name); }
      });
    }
  }

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
    all("[tabindex]", copy).forEach(e => ["tabindex", "role", "aria-label"].forEach(a => e.removeAttribute(a)));
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
    if (bars && data[bars.dataset.chart]) {
      tools.append(make("span", { textContent: "Click a contestant to compare all with it." }));
    }
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
