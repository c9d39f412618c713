// Bootstrap replicates laid over a network, one after the other: the rows each of them repeats and leaves out, the edges it loses
// and adds, and how many edges it has beside the graph of the data. Nothing is asked of the server.

const STEP = 260, FEW = 10; // milliseconds from one replicate to the next; replicates that one button draws
const CELL = 7, ACROSS = 50, DOT = 2.6, STRIP = [360, 74]; // pixels
const several = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

// the numbers of a graph's pairs, four bits in each hexadecimal digit
const unpacked = (bits) => [...bits].flatMap((digit, n) => [0, 1, 2, 3].filter((k) => (parseInt(digit, 16) >> k) & 1).map((k) => 4 * n + k));

function redrawn({ data, root, before, kept, line }) {
  const { pairs, rows } = data, methods = data.methods.map((one) => ({ ...one, graphs: one.graphs.map(unpacked) })), learned = new Set(data.learned), truth = data.known ? new Set(data.true) : null;
  const total = methods[0].graphs.length;
  const of = `${data.learned}|${rows}`;
  if (kept.redraws?.of !== of) kept.redraws = { of, drawn: 0, method: 0, shares: false, both: false };
  const now = kept.redraws;
  now.drawn = Math.min(now.drawn, total);
  let layer = null, marks = new Map(), groups = new Map();

  const { play, pause, plays } = player(now, show);
  const until = (drawn) => play(Math.min(drawn, total), 1, drawn - now.drawn > FEW ? STEP / 4 : STEP);

  const panel = element("div", { class: "redraws" });
  root.insertBefore(panel, before);
  const buttons = element("div", { class: "controls" }, panel);
  const one = button(buttons, "Draw one replicate", () => until(now.drawn + 1), { title: "Draw the rows of the table again, with replacement, and learn their graph" });
  const few = button(buttons, "Ten more", () => until(now.drawn + FEW));
  const all = button(buttons, "Play all", () => { if (!plays()) return until(total); pause(); show(); });
  const again = button(buttons, "Start over", () => { pause(); Object.assign(now, { drawn: 0, shares: false }); show(); });
  const tick = (text, checked, act) => {
    const label = element("label", {}, buttons);
    const box = element("input", { type: "checkbox" }, label);
    box.checked = checked;
    element("span", {}, label, text);
    box.addEventListener("change", () => { act(box.checked); show(); });
    return box;
  };
  if (methods.length > 1) tick("Correct the bias", now.method === 1, (on) => { now.method = on ? 1 : 0; now.both = true; });
  const sharing = tick("Shares so far", now.shares, (on) => { now.shares = on; });
  const words = element("p", { class: "count", "aria-live": "polite" }, panel);
  const strips = element("div", { class: "strips" }, panel);
  const cells = rowCells(), dots = element("svg", { class: "dots", viewBox: `0 0 ${STRIP.join(" ")}`, role: "img" }, strips);

  function rowCells() {
    const n = rows[0].length;
    if (!n) return [];
    const holder = element("div", {}, strips), high = Math.ceil(n / ACROSS) * CELL;
    const about = "The rows of the table: faint if the replicate leaves them out, darker the oftener it repeats them";
    const svg = element("svg", { class: "rows", viewBox: `0 0 ${ACROSS * CELL} ${high}`, role: "img", "aria-label": about }, holder);
    const of = n < data.n_rows ? `the first ${n} of ${data.n_rows.toLocaleString("en")} rows` : several(n, "row");
    element("div", { class: "small" }, holder, `${of}: dark if drawn twice or more, faint if left out`);
    return Array.from({ length: n }, (_, k) => element("rect", {
      x: (k % ACROSS) * CELL, y: Math.floor(k / ACROSS) * CELL, width: CELL - 1, height: CELL - 1, rx: 1.5,
    }, svg));
  }

  function shares() { // of the replicates drawn so far that have each pair
    const counts = new Map();
    methods[now.method].graphs.slice(0, now.drawn).forEach((graph) => graph.forEach((k) => counts.set(k, (counts.get(k) ?? 0) + 1)));
    return new Map([...counts].map(([k, count]) => [k, count / now.drawn]));
  }

  function show() {
    const graph = now.drawn ? methods[now.method].graphs[now.drawn - 1] : [...learned], has = new Set(graph);
    const seen = now.shares && now.drawn ? shares() : new Map(graph.map((k) => [k, 1]));
    groups.forEach((group, k) => {
      group.querySelector(".shown").style.opacity = now.drawn ? Math.max(seen.get(k) ?? 0, 0.08) : "";
    });
    const wanted = now.drawn ? [...seen.keys()].filter((k) => !learned.has(k) && Math.min(...pairs[k]) >= 0) : [];
    const stays = new Set(wanted);
    marks.forEach((mark, k) => { if (!stays.has(k)) { mark.remove(); marks.delete(k); } });
    wanted.forEach((k) => {
      if (!marks.has(k)) marks.set(k, element("path", { class: truth && !truth.has(k) ? "new false" : "new", d: line(...pairs[k]) }, layer));
      marks.get(k).style.stroke = methods[now.method].color;
      marks.get(k).style.opacity = seen.get(k);
    });
    cells.forEach((cell, k) => cell.setAttribute("class", now.drawn ? `r${Math.min(Number(rows[now.drawn - 1][k]), 3)}` : "r1"));
    words.textContent = sentence(has);
    one.disabled = few.disabled = all.disabled = now.drawn >= total;
    again.hidden = !now.drawn;
    all.textContent = plays() ? "Pause" : `Play all ${total}`;
    sharing.disabled = now.drawn < 2;
    count();
  }

  function sentence(has) {
    const own = `The graph of the data has ${several(learned.size, "edge")}.`;
    if (!now.drawn) return `${own} How many will the graph of a replicate have, drawn from the same rows?`;
    const sizes = methods[now.method].graphs.slice(0, now.drawn).map((graph) => graph.length);
    const mean = (sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toFixed(1);
    const fresh = [...has].filter((k) => !learned.has(k)), lost = learned.size - (has.size - fresh.length);
    const wrong = truth ? ` (${fresh.filter((k) => !truth.has(k)).length} of them not in ${data.known})` : "";
    const by = now.method ? ", with the bias corrected" : "";
    return `${own} Replicate ${now.drawn} of ${total}${by}: ${several(has.size, "edge")}; ${fresh.length} added${wrong}, ` +
      `${lost} lost.${now.drawn > 1 ? ` Mean of the ${now.drawn} drawn: ${mean} edges.` : ""}`;
  }

  function count() { // one dot per replicate, at its number of edges; a line at the data's
    const [wide, high] = STRIP, sizes = methods.map((method) => method.graphs.map((graph) => graph.length));
    const every = [...sizes.flat(), learned.size], low = Math.min(...every), span = Math.max(Math.max(...every) - low, 1);
    const at = (size) => 12 + ((size - low) / span) * (wide - 24), floor = high - 20;
    dots.replaceChildren();
    dots.setAttribute("aria-label", `Number of edges of each replicate drawn so far; the graph of the data has ${learned.size}`);
    const stacks = sizes.map((own, m) => stacked(m === now.method || now.both ? own.slice(0, now.drawn) : []));
    const tallest = 1 + Math.max(...sizes.flatMap((own) => stacked(own).map(([, level]) => level)));
    const lift = Math.min(2 * DOT, (floor - 14) / tallest);
    stacks.forEach((stack, m) => stack.forEach(([size, level], k) => {
      const last = m === now.method && k === now.drawn - 1;
      element("circle", { cx: at(size), cy: floor - 3 - level * lift, r: last ? DOT + 1.6 : DOT, fill: methods[m].color,
        opacity: m === now.method ? 0.85 : 0.2 }, dots);
    }));
    element("line", { x1: at(learned.size), x2: at(learned.size), y1: 12, y2: floor, class: "own" }, dots);
    const text = (x, y, words, anchor) => element("text", { x, y, "text-anchor": anchor }, dots, words);
    text(at(learned.size), 9, `the data ${learned.size}`, at(learned.size) > wide / 2 ? "end" : "start");
    element("line", { x1: 4, x2: wide - 4, y1: floor, y2: floor, class: "axis" }, dots);
    text(at(low), high - 6, low, "start");
    text(at(low + span), high - 6, `${low + span} edges`, "end");
  }

  function stacked(sizes) {
    const levels = new Map();
    return sizes.map((size) => {
      const level = levels.get(size) ?? 0;
      levels.set(size, level + 1);
      return [size, level];
    });
  }

  return {
    paint(scene, edges, ends) { // after the network was drawn again: below its nodes, above its edges
      layer = element("g", { class: "added" });
      scene.insertBefore(layer, scene.querySelector(".node"));
      marks = new Map();
      const place = new Map(pairs.map((pair, k) => [[...pair].sort((a, b) => a - b).join(), k]));
      groups = new Map(edges.map((group, k) => [place.get([...ends[k]].sort((a, b) => a - b).join()), group]));
      show();
    },
    end: pause,
  };
}
