// Values that are drawn one, ten, a thousand at a time; each leaves a mark, and the marks pile up. Nothing is asked of the server.

const TICK = 90, FRAMES = 24; // milliseconds between two ticks; ticks in which many values are drawn
const FLOOR = 44, BINS = 75, MARK = 9, LINE = 18, UNDER = 22, AROUND = 560; // pixels; of the window, what is not a pile; a lecture has its own
const kept = new WeakMap(); // how many values were drawn, while the page is drawn again with the same ones

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const written = (value) => String(Number(value.toPrecision(3)));

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".pile"), { piles, marks } = data;
  const total = piles[0].values.length, of = JSON.stringify([piles.map((pile) => pile.values.slice(0, 9)), total]);
  const now = kept.get(parentElement)?.of === of ? kept.get(parentElement) : { of, drawn: 0 };
  kept.set(parentElement, now);
  root.replaceChildren();
  const { play, pause } = player(now, show);

  const bar = element("div", { class: "controls" }, root);
  const more = [[1, "Draw one"], [10, "Ten"], [total, total === 1000 ? "A thousand" : `All ${total}`]]
    .map(([n, text]) => button(bar, text, () => draw(n)));
  const again = button(bar, "Start over", () => { pause(); now.drawn = 0; show(); });
  const words = element("p", { class: "count", "aria-live": "polite" }, root);
  const svg = element("svg", { role: "img", "aria-label": data.alt }, root);
  const top = LINE * marks.length + 4;
  let wide = 0, each = 0;

  const sorted = piles.flatMap((pile) => pile.values).sort((a, b) => a - b); // the outermost in a thousand are at the edge
  const ends = [...marks.map((mark) => mark.value), ...[0.001, 0.999].map((q) => sorted[Math.floor(q * (sorted.length - 1))])];
  const low = Math.min(...ends), span = (Math.max(...ends) - low) * 1.06 || 1;
  const share = (value) => Math.min(Math.max((value - low) / span + 0.03, 0), 0.999), at = (value) => share(value) * wide;
  const bin = (value) => Math.floor(share(value) * BINS);
  const floor = (k) => top + each * (k + 1) - UNDER;
  const tallest = Math.max(...piles.map(({ values }) => Math.max(...values.reduce((n, v) => { n[bin(v)] += 1; return n; }, Array(BINS).fill(0)))));
  const step = 10 ** Math.floor(Math.log10(span / 3)), by = step * [1, 2, 5, 10].find((k) => span / (step * k) < 9);
  const ticks = Array.from({ length: 10 }, (_, k) => Number(((Math.ceil(low / by) + k) * by).toPrecision(12))).filter((value) => share(value) < 0.97);

  function draw(n) {
    const goal = Math.min(now.drawn + n, total);
    play(goal, Math.ceil((goal - now.drawn) / Math.min(n, FRAMES)), TICK);
  }

  function show() {
    wide = svg.clientWidth || 900;
    each = Math.min(Math.max((window.innerHeight - (Number(getComputedStyle(root).getPropertyValue("--around-piles")) || AROUND)) / piles.length, 64), 170);
    const high = top + each * piles.length + FLOOR - UNDER, lift = Math.min(MARK, (each - UNDER - 4) / tallest);
    svg.setAttribute("height", high);
    svg.replaceChildren();
    piles.forEach(({ title, color, values }, k) => {
      const stacks = Array(BINS).fill(0), shown = values.slice(0, now.drawn);
      shown.forEach((value, n) => {
        const place = bin(value), last = n === now.drawn - 1;
        element("rect", { x: place * (wide / BINS) + 1, y: floor(k) - (stacks[place] + 1) * lift, width: wide / BINS - 2,
          height: Math.max(lift - (lift > 3 ? 1 : 0), 0.4), fill: color, class: last ? "last" : "" }, svg);
        stacks[place] += 1;
      });
      element("line", { x1: 0, x2: wide, y1: floor(k), y2: floor(k), class: "axis" }, svg);
      element("text", { x: 4, y: floor(k) + 15, class: "title" }, svg, title);
    });
    [...marks].sort((a, b) => a.value - b.value).forEach(({ name, value, color }, k) => { // each name on a line of its own
      const right = share(value) > 0.6, y = LINE * (k + 1) - 4;
      element("line", { x1: at(value), x2: at(value), y1: y - 10, y2: floor(piles.length - 1), stroke: color, class: "mark" }, svg);
      element("text", { x: at(value) + (right ? -6 : 6), y, "text-anchor": right ? "end" : "start" }, svg, `${name} ${written(value)}`);
    });
    for (const tick of ticks) {
      element("line", { x1: at(tick), x2: at(tick), y1: floor(piles.length - 1), y2: floor(piles.length - 1) + 5, class: "axis" }, svg);
      element("text", { x: at(tick), y: high - 4, "text-anchor": "middle" }, svg, written(tick));
    }
    element("text", { x: wide, y: floor(piles.length - 1) + 15, "text-anchor": "end" }, svg, data.unit);
    words.textContent = now.drawn ? `${now.drawn.toLocaleString("en")} of ${total.toLocaleString("en")} drawn. Mean: ${piles.map(({ title, values }) => `${title} ${written(mean(values.slice(0, now.drawn)))}`).join("; ")}.`
      : "Nothing is drawn yet.";
    more.forEach((one) => { one.disabled = now.drawn >= total; });
    again.hidden = !now.drawn;
  }

  const observer = new ResizeObserver(show);
  observer.observe(root);
  return () => { pause(); observer.disconnect(); };
}
