// A network in an SVG. Python gives the positions (data.layouts, the narrow one first), the edges' curves and styles;
// here they are fitted to the width at hand, moved, zoomed and clicked, and a node can be dragged elsewhere; its edges
// are then straight. Texts are only ever set as text.

const FONT = 12; // pixels of a label at scale 1
const growth = () => (window.innerWidth < 1600 ? 1.35 : 1.8); // the most a picture grows
const LOWEST = 120, MARGIN = 10; // pixels; of the picture, whatever stands in the line under it
const AROUND = 354, LEAST = 490; // pixels of what stands around a picture on a page; of a picture. A lecture has its own.
const GAP = 2, HEAD = [7, 5.5], BAR = [5, 15]; // between box and edge; an arrowhead's length and width; a bar's margin and height
const memory = new WeakMap(); // what one view keeps while its data change

export default function network({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".network");
  const kept = memory.get(parentElement) ?? { move: null, shape: null, chosen: null, dragged: {}, of: null };
  memory.set(parentElement, kept);
  if (data.clickable) kept.chosen = data.chosen;
  root.replaceChildren();
  const frame = element("div", { class: "frame" }, root);
  const picture = element("svg", { class: "picture", role: data.pairs ? "group" : "img", "aria-label": data.alt }, frame);
  const scene = element("g", {}, picture);
  const tip = element("div", { class: "tip", hidden: "" }, frame);
  const bar = element("div", { class: "bar" }, root);
  picture.classList.toggle("clickable", data.clickable || data.pairs);
  let layout = null, edges = [], nodes = [];
  const straight = (i, j) => `M${border(centre(i), centre(j), layout.boxes[i][2])}L${border(centre(j), centre(i), layout.boxes[j][2])}`;
  const replicates = data.redraws ? redrawn({ data: data.redraws, root, before: frame, kept, line: straight }) : null;
  const arranged = JSON.stringify(data.layouts.map((one) => one.boxes));
  if (kept.of !== arranged) { kept.of = arranged; kept.dragged = {}; }

  // --- drawing

  function fitted(candidate, width, height) {
    const [w, h] = candidate.size;
    return Math.min(width / w, height / h);
  }

  const styled = (name, first) => Number(getComputedStyle(root).getPropertyValue(name)) || first;
  const highest = () => Math.min(Math.max(styled("--least", LEAST), window.innerHeight - styled("--around", AROUND)), 800);
  const largest = () => styled("--largest", growth());
  root.classList.toggle("wide", Boolean(replicates) && styled("--largest", 0) > 0);

  function room() {
    const full = parentElement.fullscreenElement === root;
    const height = full ? window.innerHeight - 24 - bar.offsetHeight : highest();
    return [Math.max(frame.clientWidth - 2 * MARGIN, 50), height - 2 * MARGIN, full];
  }

  function arrange(again) {
    const [width, height, full] = room();
    const merits = (candidate) => { // how readable it is: height is easier to scroll than width; then its scale, then how low
      const [w, h] = candidate.size, scale = Math.min(fitted(candidate, width, height), largest());
      return [Math.min(1, width / w) * Math.sqrt(Math.min(1, height / h)), scale, -h];
    };
    const better = (one, other) => {
      const difference = merits(one).map((merit, k) => merit - merits(other)[k]).find((gain) => Math.abs(gain) > 1e-9);
      return (difference ?? 0) > 0;
    };
    const best = data.layouts.reduce((chosen, one) => (better(one, chosen) ? one : chosen));
    if (best !== layout) { layout = best; paint(); }
    const most = full ? 2.2 : largest();
    const scale = Math.min(fitted(layout, width, height), most);
    const shown = Math.max(Math.min(height, layout.size[1] * scale), full ? height : LOWEST - 2 * MARGIN);
    frame.style.height = `${shown + 2 * MARGIN}px`;
    const shape = [layout.size, frame.clientWidth, full].join();
    if (again || kept.shape !== shape || !kept.move) home(scale, width, shown);
    kept.shape = shape;
    place();
  }

  // --- nodes that were dragged, by layout and node; forgotten when the layout changes

  const own = () => (kept.dragged[data.layouts.indexOf(layout)] ??= {});

  function centre(v) {
    const [x, y] = layout.boxes[v], [dx, dy] = own()[v] ?? [0, 0];
    return [x + dx, y + dy];
  }

  function border([x, y], [u, v], width) { // where the line to another centre leaves a box
    const [dx, dy] = [u - x, v - y];
    const out = Math.min(1, Math.min((width / 2 + GAP) / Math.abs(dx), (layout.box / 2 + GAP) / Math.abs(dy)));
    return [x + out * dx, y + out * dy];
  }

  function route(k) { // the edge's curve and arrowhead
    const [i, j] = data.edges[k].ends;
    if (!own()[i] && !own()[j]) return [layout.paths[k], layout.heads[k]];
    const from = border(centre(i), centre(j), layout.boxes[i][2]), to = border(centre(j), centre(i), layout.boxes[j][2]);
    const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1, grow = 1 + 0.14 * data.edges[k].width;
    const [ux, uy] = [(to[0] - from[0]) / long, (to[1] - from[1]) / long];
    if (!layout.heads[k]) return [`M${from}L${to}`, ""];
    const neck = [to[0] - HEAD[0] * grow * ux, to[1] - HEAD[0] * grow * uy], half = (HEAD[1] * grow) / 2;
    return [`M${from}L${neck}`, `M${to}L${[neck[0] - half * uy, neck[1] + half * ux]}L${[neck[0] + half * uy, neck[1] - half * ux]}Z`];
  }

  function drag(v, dx, dy) {
    const [x, y] = own()[v] ?? [0, 0];
    own()[v] = [x + dx / kept.move.scale, y + dy / kept.move.scale];
    nodes[v].setAttribute("transform", `translate(${own()[v]})`);
    edges.forEach((group, k) => {
      if (!data.edges[k].ends.includes(v)) return;
      const [line, head] = route(k);
      group.querySelectorAll(".line, .near").forEach((path) => path.setAttribute("d", line));
      group.querySelector(".head")?.setAttribute("d", head);
    });
  }

  function home(scale, width, height) {
    const [w, h] = layout.size;
    kept.move = { scale, x: (width - w * scale) / 2 + MARGIN, y: (height - h * scale) / 2 + MARGIN };
  }

  function place() {
    const { scale, x, y } = kept.move;
    scene.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  function paint() {
    scene.replaceChildren();
    const joined = new Set(data.edges.flatMap((edge) => edge.ends));
    edges = data.edges.map((edge, k) => {
      const group = element("g", { class: "edge", "data-edge": k, color: edge.color }, scene);
      const [path, head] = route(k);
      const line = { class: "line", d: path, stroke: edge.color, "stroke-width": edge.width };
      if (DASHES[edge.dash]) line["stroke-dasharray"] = DASHES[edge.dash];
      const shown = element("g", { class: "shown", opacity: edge.opacity }, group);
      element("path", line, shown);
      if (head) element("path", { class: "head", d: head, fill: edge.color, style: `fill:${edge.color}` }, shown);
      element("path", { class: "near", d: path }, group);
      return group;
    });
    nodes = data.nodes.map((node, v) => {
      const [x, y, w] = layout.boxes[v], high = layout.box;
      const group = element("g", { class: `node${joined.has(v) ? "" : " alone"}${v === data.centre || node.observed ? " centre" : ""}`, "data-node": v }, scene);
      element("rect", { class: "box", x: x - w / 2, y: y - high / 2, width: w, height: high, rx: 4 }, group);
      element("text", { x, y: node.bar ? y - high / 2 + 12 : y }, group, node.label);
      let from = x - w / 2 + BAR[0];
      node.bar?.forEach(({ share, color }, k) => {
        const width = share * (w - 2 * BAR[0]);
        element("rect", { class: "share", "data-state": k, x: from, y: y + high / 2 - BAR[0] - BAR[1], width, height: BAR[1], fill: color }, group);
        from += width;
      });
      if (own()[v]) group.setAttribute("transform", `translate(${own()[v]})`);
      if (!data.pairs) return group;
      const about = { tabindex: v === (kept.focus ?? 0) ? 0 : -1, role: "button", "aria-label": node.text.join(", ") };
      for (const [name, value] of Object.entries(about)) group.setAttribute(name, value);
      group.addEventListener("keydown", (event) => press(event, v));
      return group;
    });
    mark();
    replicates?.paint(scene, edges, data.edges.map((edge) => edge.ends));
  }

  // --- what stands out

  function mark() {
    const chosen = kept.chosen, some = chosen !== null && chosen !== undefined;
    const near = new Set(), close = new Set();
    if (Array.isArray(chosen)) chosen.forEach((v) => near.add(v));
    else if (some && !data.pairs) {
      const children = new Set(data.edges.filter((edge) => edge.ends[0] === chosen).map((edge) => edge.ends[1]));
      data.edges.forEach(({ ends: [parent, child] }, k) => {
        if (parent !== chosen && child !== chosen && !children.has(child)) return;
        close.add(k); near.add(parent); near.add(child); // the Markov blanket
      });
    }
    picture.classList.toggle("some", some && !data.pairs);
    edges.forEach((group, k) => {
      const picked = Array.isArray(chosen) && data.edges[k].ends.join() === chosen.join();
      group.classList.toggle("picked", picked);
      group.classList.toggle("close", close.has(k));
      group.querySelector(".shown").setAttribute("opacity", picked ? 1 : data.edges[k].opacity);
      group.querySelector(".line").setAttribute("stroke-width", data.edges[k].width + (picked ? 2 : 0));
    });
    nodes.forEach((group, v) => {
      group.classList.toggle("picked", v === chosen);
      group.classList.toggle("close", near.has(v) && v !== chosen);
    });
  }

  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

  function press(event, v) { // one stop of the Tab key for all nodes, among which the arrow keys move
    if (event.key === "Escape") return choose(null);
    if (!STEPS[event.key] && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    kept.focus = STEPS[event.key] ? (v + STEPS[event.key] + nodes.length) % nodes.length : v;
    kept.keyed = true; // what is chosen may draw the picture anew
    if (!STEPS[event.key]) return pair(v);
    nodes.forEach((node, k) => node.setAttribute("tabindex", k === kept.focus ? 0 : -1));
    nodes[kept.focus].focus();
  }

  function pair(found) { // two nodes one after the other, or an edge's ends
    const both = Array.isArray(found) ? found : kept.chosen === null || kept.chosen === found ? null : [kept.chosen, found];
    choose(both || kept.chosen === found ? null : found);
    if (both) setTriggerValue("pair", both.map((v) => data.nodes[v].name));
  }

  function choose(chosen) {
    kept.chosen = chosen;
    mark();
    if (!data.clickable) return;
    const name = (v) => data.nodes[v].name;
    setStateValue("picked", chosen === null ? null : Array.isArray(chosen) ? chosen.map(name) : [name(chosen)]);
  }

  // --- pointer

  const part = (event) => {
    const group = event.target.closest?.("[data-edge],[data-node]");
    if (!group) return null;
    return group.dataset.node !== undefined ? Number(group.dataset.node) : data.edges[group.dataset.edge].ends;
  };
  let held = null, moved = false, node = null; // the node under the pointer when it was pressed
  picture.addEventListener("pointerdown", (event) => {
    moved = false;
    const pressed = part(event);
    node = typeof pressed === "number" ? pressed : null;
    if (event.pointerType !== "touch" && event.button === 0) held = [event.clientX, event.clientY];
  });
  picture.addEventListener("pointermove", (event) => {
    if (!held) return hover(event);
    const [dx, dy] = [event.clientX - held[0], event.clientY - held[1]];
    if (!moved && Math.hypot(dx, dy) < 4) return;
    if (!moved) { moved = true; picture.setPointerCapture(event.pointerId); picture.classList.add("moving"); }
    held = [event.clientX, event.clientY];
    if (node === null) shift(dx, dy); else drag(node, dx, dy);
  });
  const release = () => { held = null; picture.classList.remove("moving"); };
  picture.addEventListener("pointerup", release);
  picture.addEventListener("pointercancel", release);
  picture.addEventListener("pointerleave", () => { tip.hidden = true; });
  picture.addEventListener("click", (event) => {
    if (moved) return;
    const state = event.target.dataset?.state;
    if (state !== undefined) {
      const { name, bar } = data.nodes[part(event)];
      setTriggerValue("state", [name, bar[state].state]);
      return;
    }
    kept.keyed = false;
    if (data.pairs && part(event) !== null) return pair(part(event));
    const found = part(event), same = JSON.stringify(found) === JSON.stringify(kept.chosen);
    if (found !== null || kept.chosen !== null) choose(same ? null : found);
  });

  function hover(event) {
    const found = event.pointerType === "touch" ? null : part(event);
    tip.hidden = found === null;
    if (found === null) return;
    const group = event.target.closest("[data-edge],[data-node]");
    const state = event.target.dataset.state, node = data.nodes[group.dataset.node];
    const text = state !== undefined ? node.bar[state].text : node ? node.text : data.edges[group.dataset.edge].text;
    tip.replaceChildren();
    text.forEach((line, k) => element(k ? "div" : "b", {}, tip, line));
    const box = frame.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    tip.style.left = `${Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 16 + tip.offsetHeight > box.height ? Math.max(0, y - tip.offsetHeight - 10) : y + 16}px`;
  }

  function shift(dx, dy) {
    kept.move.x += dx; kept.move.y += dy;
    place();
  }

  function zoom(factor, x, y) {
    const to = Math.min(Math.max(kept.move.scale * factor, 0.15), 6), by = to / kept.move.scale;
    kept.move = { scale: to, x: x - (x - kept.move.x) * by, y: y - (y - kept.move.y) * by };
    place();
  }

  picture.addEventListener("wheel", (event) => { // without a key, the wheel scrolls the page
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = picture.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.004), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  let fingers = null;
  const spread = (touches) => {
    const box = picture.getBoundingClientRect();
    const at = [...touches].map((touch) => [touch.clientX - box.left, touch.clientY - box.top]);
    if (at.length === 1) return { x: at[0][0], y: at[0][1], wide: 0, n: 1 };
    const [[x, y], [u, v]] = at;
    return { x: (x + u) / 2, y: (y + v) / 2, wide: Math.hypot(x - u, y - v), n: 2 };
  };
  picture.addEventListener("touchstart", (event) => { fingers = spread(event.touches); }, { passive: true });
  picture.addEventListener("touchmove", (event) => { // two fingers move and zoom; one scrolls the page up and down
    const now = spread(event.touches), full = parentElement.fullscreenElement === root;
    if (!fingers || fingers.n !== now.n) { fingers = now; return; }
    if (now.n === 2 || full) event.preventDefault();
    shift(now.x - fingers.x, now.n === 2 || full ? now.y - fingers.y : 0);
    if (now.n === 2 && fingers.wide > 0) zoom(now.wide / fingers.wide, now.x, now.y);
    fingers = now;
  }, { passive: false });

  // --- the line under the picture

  for (const entry of data.legend) {
    const item = element("span", { class: "key" }, bar);
    sample(entry, item);
    element("span", {}, item, entry.text);
  }
  const buttons = element("span", { class: "buttons" }, bar);
  const named = (text, about, act) => button(buttons, text, act, { "aria-label": about, title: about });
  const middle = () => [picture.clientWidth / 2, picture.clientHeight / 2];
  named("−", "Zoom out", () => zoom(1 / 1.25, ...middle()));
  named("+", "Zoom in", () => zoom(1.25, ...middle()));
  named("Fit", "Show the whole network", () => {
    const [width] = room(), height = frame.clientHeight - 2 * MARGIN;
    kept.dragged = {};
    paint();
    home(Math.min(fitted(layout, width, height), largest()), width, height);
    place();
  });
  if (root.requestFullscreen) {
    const corners = named(null, "Full screen", () => {
      if (parentElement.fullscreenElement === root) document.exitFullscreen(); else root.requestFullscreen();
    });
    const icon = element("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, corners);
    element("path", { d: "M1 5V1H5M9 1H13V5M13 9V13H9M5 13H1V9", fill: "none", stroke: "currentColor", "stroke-width": 1.6 }, icon);
  }

  arrange(false);
  if (data.pairs && kept.keyed) nodes[kept.focus]?.focus({ preventScroll: true });
  const observer = new ResizeObserver(() => arrange(false));
  observer.observe(root);
  return () => { observer.disconnect(); replicates?.end(); };
}
