"use strict";
// The picture of who links to whom: everything comes from the page itself, nothing is asked of any server.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const svg = document.getElementById("map"), scene = document.getElementById("scene");
  const body = document.getElementById("rows"), told = document.getElementById("told");
  const search = document.getElementById("search"), shownText = document.getElementById("shown");
  const NS = "http://www.w3.org/2000/svg", SHOWN_MAX = 2000;
  const nodes = data.nodes, bonds = data.bonds;
  nodes.forEach((node, i) => { node.i = i; node.shown = i < data.begin; node.bonds = []; });
  bonds.forEach(bond => { nodes[bond[0]].bonds.push(bond); nodes[bond[1]].bonds.push(bond); });
  const make = (name, at, parent) => {
    const element = document.createElementNS(NS, name);
    for (const key in at) element.setAttribute(key, at[key]);
    if (parent) parent.appendChild(element);
    return element;
  };
  const number = value => value.toLocaleString("en-GB");
  const other = (bond, node) => nodes[bond[0] === node.i ? bond[1] : bond[0]];
  let chosen = null, order = { key: "score", down: true }, words = "";
  let view = { x: 0, y: 0, k: 1 };

  function place() {
    scene.setAttribute("transform", `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.k.toFixed(4)})`);
    svg.style.setProperty("--zoom", view.k);
    labels();
  }
  const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  function labels() {
    // Names that would lie over each other or over points say nothing: the more important one stays, on whichever side there is room.
    const taken = [], dots = nodes.filter(node => node.shown), k = view.k;
    const boxes = dots.map(node => [node.x - node.r, node.y - node.r, node.x + node.r, node.y + node.r]);
    const near = chosen && new Set([chosen, ...chosen.bonds.map(bond => other(bond, chosen))]);
    const first = chosen ? [chosen, ...ranked.filter(node => node !== chosen && near.has(node))] : ranked;
    for (const node of ranked) if (node.label) node.label.style.display = "none";
    const most = data.names * Math.max(1, k * k);
    for (const node of first) {
      if (!node.label || taken.length >= most) continue;
      const half = 7 / k, wide = node.short.length * 6.4 / k, away = node.r + 4 / k;
      const sides = [[node.x + away, node.y], [node.x - away - wide, node.y], [node.x - wide / 2, node.y - away - half], [node.x - wide / 2, node.y + away + half]];
      const box = sides.map(([x, y]) => [x, y - half, x + wide, y + half])
        .find(box => box[0] * k + view.x > 2 && box[2] * k + view.x < data.width - 2 && !taken.some(one => meet(one, box)) && !boxes.some((one, i) => dots[i] !== node && meet(one, box)));
      if (!box && node !== chosen) continue;
      const at = box || [sides[0][0], sides[0][1] - half, sides[0][0] + wide, sides[0][1] + half];
      taken.push(at);
      node.label.style.display = "";
      node.label.setAttribute("x", at[0]);
      node.label.setAttribute("y", at[1] + 11 / k);
      node.label.style.fontSize = 11.5 / k + "px";
      node.label.style.strokeWidth = 3 / k + "px";
    }
  }
  const ranked = [...nodes].sort((a, b) => b.score - a.score || a.i - b.i);

  function draw() {
    scene.replaceChildren();
    const lines = make("g", {}, scene), dots = make("g", {}, scene), names = make("g", {}, scene);
    for (const bond of bonds) {
      const a = nodes[bond[0]], b = nodes[bond[1]];
      bond.line = null;
      if (!a.shown || !b.shown) continue;
      // Weaker bonds are there for whoever chooses one of their ends.
      bond.line = make("path", { class: "bond", d: curve(a, b), "stroke-width": bond[3].toFixed(2), "stroke-opacity": bond[4].toFixed(2) }, lines);
    }
    for (const node of [...ranked].reverse()) {
      node.group = node.label = null;
      if (!node.shown) continue;
      const group = node.group = make("g", {}, dots);
      if (node.state && node.state !== "SAM") make("circle", { class: "ring " + node.state, cx: node.x, cy: node.y, r: node.r + 2.5 }, group);
      node.dot = make("circle", { class: "node k" + node.colour, cx: node.x, cy: node.y, r: node.r }, group);
      if (!node.state && data.states) node.dot.setAttribute("fill-opacity", ".45");
      make("title", {}, group).textContent = node.name;
      group.addEventListener("click", () => { if (!moved) choose(node, true); });
      node.label = make("text", { class: "label" }, names);
      node.label.textContent = node.short;
    }
    light();
    place();
    const count = nodes.filter(node => node.shown).length;
    shownText.textContent = `${number(count)} of ${number(data.all)} ${data.what} shown`;
  }
  function curve(a, b) {
    const dx = b.x - a.x, dy = b.y - a.y, bend = .12;
    return `M${a.x} ${a.y}Q${((a.x + b.x) / 2 - dy * bend).toFixed(1)} ${((a.y + b.y) / 2 + dx * bend).toFixed(1)} ${b.x} ${b.y}`;
  }
  function light() {
    const near = new Set(chosen ? [chosen, ...chosen.bonds.map(bond => other(bond, chosen))] : []);
    for (const node of nodes) {
      if (!node.group) continue;
      node.group.classList.toggle("far", chosen !== null && !near.has(node));
      node.dot.classList.toggle("chosen", node === chosen);
    }
    for (const bond of bonds) {
      if (!bond.line) continue;
      const lit = chosen !== null && (nodes[bond[0]] === chosen || nodes[bond[1]] === chosen);
      bond.line.style.display = bond[5] || lit ? "" : "none";
      bond.line.classList.toggle("far", chosen !== null && !lit);
      bond.line.classList.toggle("lit", lit);
    }
  }
  function choose(node, follow) {
    chosen = node;
    let grew = 0;
    if (node) {
      let count = nodes.filter(one => one.shown).length;
      const wanted = [node, ...[...node.bonds].sort((a, b) => b[2] - a[2]).map(bond => other(bond, node))];
      for (const one of wanted) {
        if (!one.shown && count < SHOWN_MAX) { one.shown = true; grew += 1; count += 1; }
      }
    }
    if (grew) { draw(); rows(); } else { light(); labels(); }
    tell(node, grew);
    for (const row of body.rows) row.classList.toggle("on", node !== null && Number(row.dataset.i) === node.i);
    if (node && follow) {
      const row = [...body.rows].find(one => Number(one.dataset.i) === node.i);
      if (row) row.scrollIntoView({ block: "nearest" });
    }
  }
  function tell(node, grew) {
    told.replaceChildren();
    const add = (name, text, parent) => { const e = document.createElement(name); e.textContent = text; (parent || told).appendChild(e); return e; };
    if (!node) { add("p", "Choose a point or a row: its bonds are lit up and its neighbours that were not shown appear.").className = "soft"; return; }
    add("h3", node.title || node.name).style.cssText = "margin:0;font-size:1rem";
    add("p", `${node.title ? node.name + " · " : ""}${number(node.in)} linking here, ${number(node.out)} linked to, rank ${node.place} of ${number(data.all)}${node.state ? ", " + node.state : data.states ? ", only linked to" : ""}${grew ? `; ${grew} neighbours added` : ""}`).className = "soft small";
    if (node.inside && node.inside.length) {
      const list = document.createElement("ul"); list.className = "small";
      for (const line of node.inside) add("li", line, list);
      add("p", "Its highest ranked pages:").className = "small";
      told.appendChild(list);
    } else {
      const best = [...node.bonds].sort((a, b) => b[2] - a[2]).slice(0, 8);
      const list = document.createElement("ul"); list.className = "small";
      for (const bond of best) add("li", `${other(bond, node).name} (${number(bond[2])})`, list);
      if (best.length) { add("p", "Its strongest bonds:").className = "small"; told.appendChild(list); }
    }
  }
  function rows() {
    const found = nodes.filter(node => node.shown && (!words || (node.name + " " + (node.title || "")).toLowerCase().includes(words)));
    const key = order.key, sign = order.down ? -1 : 1;
    found.sort((a, b) => sign * (typeof a[key] === "string" ? a[key].localeCompare(b[key]) : a[key] - b[key]) || a.i - b.i);
    body.replaceChildren(...found.map(row));
    document.getElementById("found").textContent = words ? `${number(found.length)} found` : "";
  }
  function row(node) {
    const tr = document.createElement("tr");
    tr.dataset.i = node.i;
    tr.classList.toggle("on", node === chosen);
    const cell = (text, kind) => { const td = document.createElement("td"); td.className = kind; td.textContent = text; tr.appendChild(td); return td; };
    const first = cell("", "");
    const dot = document.createElement("span");
    dot.className = "dot"; dot.style.background = `var(--k${node.colour})`; dot.setAttribute("aria-hidden", "true");
    const button = document.createElement("button");
    button.type = "button"; button.textContent = node.name.replace(/^[a-z]+:\/\//, "");
    button.addEventListener("click", () => choose(node, false));
    const both = document.createElement("div");
    both.className = "nm"; both.append(dot, button); first.append(both);
    cell(node.place, "n"); cell(number(node.in), "n"); cell(number(node.out), "n"); cell(node.group_name, "n");
    cell(node.state || "–", "state " + (node.state || ""));
    return tr;
  }
  // Moving and zooming.
  let held = null, moved = false;
  const at = event => {
    const box = svg.getBoundingClientRect();
    const fit = Math.min(box.width / data.width, box.height / data.height) || 1;
    return [(event.clientX - box.left - (box.width - data.width * fit) / 2) / fit, (event.clientY - box.top - (box.height - data.height * fit) / 2) / fit];
  };
  svg.addEventListener("pointerdown", event => { held = { from: at(event), x: view.x, y: view.y }; moved = false; });
  window.addEventListener("pointermove", event => {
    if (!held) return;
    const [x, y] = at(event), dx = x - held.from[0], dy = y - held.from[1];
    if (Math.abs(dx) + Math.abs(dy) > 4) { moved = true; svg.classList.add("held"); }
    view.x = held.x + dx; view.y = held.y + dy;
    place();
  });
  window.addEventListener("pointerup", () => { held = null; svg.classList.remove("held"); });
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    const [x, y] = at(event);
    zoom(Math.exp(-event.deltaY * .0015), x, y);
  }, { passive: false });
  svg.addEventListener("click", event => { if (event.target === svg && !moved) choose(null); });
  function zoom(by, x, y) {
    const k = Math.min(12, Math.max(.3, view.k * by)), real = k / view.k;
    view.x = x - (x - view.x) * real; view.y = y - (y - view.y) * real; view.k = k;
    place();
  }
  document.getElementById("closer").addEventListener("click", () => zoom(1.4, data.width / 2, data.height / 2));
  document.getElementById("farther").addEventListener("click", () => zoom(1 / 1.4, data.width / 2, data.height / 2));
  document.getElementById("again").addEventListener("click", () => {
    nodes.forEach((node, i) => { node.shown = i < data.begin; });
    view = { x: 0, y: 0, k: 1 }; search.value = words = "";
    chosen = null; draw(); rows(); tell(null);
  });
  search.addEventListener("input", () => {
    words = search.value.trim().toLowerCase();
    if (words) {
      let count = nodes.filter(node => node.shown).length, grew = false;
      for (const node of nodes) {
        if (!node.shown && count < SHOWN_MAX && (node.name + " " + (node.title || "")).toLowerCase().includes(words)) { node.shown = grew = true; count += 1; }
      }
      if (grew) draw();
    }
    rows();
  });
  search.addEventListener("keydown", event => { if (event.key === "Enter" && body.rows.length) choose(nodes[Number(body.rows[0].dataset.i)], true); });
  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const key = button.dataset.key;
      order = { key, down: order.key === key ? !order.down : button.dataset.down === "1" };
      for (const head of document.querySelectorAll("thead th")) head.removeAttribute("aria-sort");
      button.closest("th").setAttribute("aria-sort", order.down ? "descending" : "ascending");
      rows();
    });
  }
  document.addEventListener("keydown", event => { if (event.key === "Escape") choose(null); });
  document.body.classList.add("live");
  draw(); rows(); tell(null);
})();
