// The report's network: its views, any threshold, the replicates, light and dark. All numbers stand in the table of edges;
// here they are chosen and counted. Without this script the report is a picture and the table of one view.

const stored = document.getElementById("stored").textContent, live = document.getElementById("live");
const rows = [...document.querySelectorAll("#edges tbody tr")], chosen = document.getElementById("chosen");
const titles = [...document.querySelectorAll("#edges th")].map((head) => head.textContent);
const slider = document.getElementById("at"), theme = document.getElementById("theme");
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)"), onDark = JSON.parse(stored).on_dark;
let dark = prefersDark.matches, at = Number(slider.dataset.at), picked = null, end = () => {};
const checked = () => document.querySelector("[name=view]:checked"), view = () => checked().value;

const same = (ends, names, nodes) => names.every((name, k) => nodes[ends[k]].name === name);

function draw() {
  end();
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  theme.textContent = dark ? "Light" : "Dark";
  document.getElementById("named").textContent = `Network: ${checked().parentElement.textContent.trim()}`;
  const all = JSON.parse(stored, (key, value) => (key === "color" && dark ? onDark[value] ?? value : value));
  const list = view() === "redraws" ? "learned" : view();
  const there = all.views[list].filter((row) => list !== "threshold" || all.found_again[row] >= at);
  rows.forEach((row, k) => { row.hidden = !there.includes(k); });
  slider.parentElement.hidden = list !== "threshold";
  document.getElementById("share").textContent = `${Math.round(100 * at)}%`;
  const about = `${several(there.length, "edge")}${list === "threshold" ? " found again in this share of fresh tables or more" : ""}.`;
  document.getElementById("count").textContent = view() === "redraws" ? "" : about;
  const picture = view() === "redraws" ? all.replicates : drawn(all, new Set(there));
  const ends = picked === null ? null : picture.edges.find((edge) => edge.row === picked)?.ends ?? null;
  end = network({
    data: { ...picture, alt: about, clickable: view() !== "redraws", chosen: ends },
    parentElement: document,
    setStateValue: (_, names) => choose(names?.length === 2 ? picture.edges.find(({ ends }) => same(ends, names, picture.nodes)).row : null),
  });
  show();
  if (!rows.some((row) => !row.hidden && row.querySelector("[tabindex='0']"))) entry(rows.find((row) => !row.hidden));
}

function drawn(all, there) { // the edges of a view, and faintly those that only the verdict has
  const pair = (edge) => [...edge.ends].sort((a, b) => a - b).join();
  const joined = new Set(all.edges.filter((edge) => there.has(edge.row)).map(pair)), absent = all.legend.at(-1);
  const faint = (edge) => !joined.has(pair(edge)) && all.views.verdict.includes(edge.row);
  const kept = [...all.edges.keys()].filter((k) => there.has(all.edges[k].row) || faint(all.edges[k]));
  const edges = kept.map((k) => (faint(all.edges[k]) ? { ...all.edges[k], ...absent, text: [...all.edges[k].text, absent.text] } : all.edges[k]));
  const times = (n, entry) => (n ? [{ ...entry, text: `${n} ${entry.text}` }] : []);
  const solid = edges.filter((edge) => !faint(edge)), looks = all.legend.slice(0, -1);
  const legend = all.counted ? looks.flatMap((look, kind) => times(solid.filter((edge) => edge.kind === kind).length, look)) : looks;
  const layouts = all.layouts.map((layout) => ({
    ...layout, paths: kept.map((k) => layout.paths[k]), heads: kept.map((k) => (faint(all.edges[k]) ? "" : layout.heads[k])),
  }));
  return { ...all, edges, layouts, legend: [...legend, ...times(edges.length - solid.length, absent)] };
}

function choose(row) {
  picked = row ?? null;
  show();
}

function show() { // the numbers of the chosen edge: its row of the table
  rows.forEach((row, k) => row.classList.toggle("picked", k === picked));
  chosen.replaceChildren();
  chosen.hidden = !rows[picked];
  if (!rows[picked]) return;
  const cells = [...rows[picked].cells].map((cell) => cell.textContent);
  element("b", {}, chosen, cells[0]);
  const listed = element("dl", {}, chosen);
  cells.slice(1).forEach((text, k) => {
    if (!text) return;
    element("dt", {}, listed, titles[k + 1]);
    element("dd", {}, listed, text);
  });
}

rows.forEach((row, k) => { // one stop of the keyboard for all edges: arrows move, Enter chooses
  const name = row.cells[0].textContent, button = element("button", { type: "button", class: "edge-name", tabindex: -1 }, null, name);
  row.cells[0].replaceChildren(button);
  button.addEventListener("click", () => { choose(picked === k ? null : k); draw(); button.focus(); });
  button.addEventListener("focus", () => entry(row));
  button.addEventListener("keydown", (event) => {
    const seen = rows.filter((one) => !one.hidden), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    seen[seen.indexOf(row) + step]?.querySelector("button").focus();
  });
});
function entry(row) {
  rows.forEach((one) => one.querySelector("button").setAttribute("tabindex", one === row ? 0 : -1));
}
live.addEventListener("change", (event) => { if (event.target.name === "view") { picked = null; draw(); } });
slider.addEventListener("input", () => { at = Number(slider.value); draw(); });
theme.addEventListener("click", () => { dark = !dark; draw(); });
prefersDark.addEventListener("change", () => { dark = prefersDark.matches; draw(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && picked !== null) { choose(null); draw(); } });
window.addEventListener("beforeprint", () => { theme.dataset.before = dark; dark = false; draw(); });
window.addEventListener("afterprint", () => { dark = theme.dataset.before === "true"; draw(); });
document.getElementById("still").hidden = true;
live.hidden = theme.hidden = false;
draw();
