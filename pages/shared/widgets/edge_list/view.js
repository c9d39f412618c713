// A list of edges in groups. Texts are only ever set as text; a click tells Python the two names of the edge.

const DASHES = { solid: "", dot: "2 4", dash: "7 5" };
const memory = new WeakMap(); // where a list was scrolled to, while its data change

function element(kind, attributes = {}, parent = null, text = null) {
  const svg = ["svg", "line"].includes(kind);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", kind) : document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function sample(look, parent) {
  const picture = element("svg", { width: 26, height: 10, "aria-hidden": "true" }, parent);
  const line = { x1: 1, x2: 25, y1: 5, y2: 5, stroke: look.color, "stroke-width": Math.max(look.width, 2) };
  element("line", { ...line, "stroke-dasharray": DASHES[look.dash] || "none" }, picture);
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".edges");
  const kept = memory.get(parentElement) ?? { scroll: 0, chosen: null };
  memory.set(parentElement, kept);
  root.replaceChildren();
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", data.label);
  root.tabIndex = 0;
  const grid = `grid-template-columns: 1fr ${data.columns.map(() => "minmax(3.4em, auto)").join(" ")}`;
  const head = element("div", { class: "head", style: grid }, root);
  const jumps = element("span", { class: "jumps" }, head);
  for (const column of data.columns) element("span", { class: "number", title: column.help }, head, column.title);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  let picked = null;
  for (const group of data.groups) {
    const place = element("section", { class: "group" }, root);
    if (data.groups.length > 1) {
      const jump = element("button", { type: "button", class: "jump", "aria-label": `Go to ${group.title}`, title: group.title }, jumps);
      sample(group.look, jump);
      element("span", {}, jump, group.lines.length);
      jump.addEventListener("click", () => { root.scrollTop = place.offsetTop - root.offsetTop - head.offsetHeight; });
    }
    const title = element("h3", {}, place);
    sample(group.look, title);
    element("span", {}, title, group.title);
    element("p", {}, place, group.about);
    for (const line of group.lines) {
      const chosen = same(line.ends, data.chosen);
      const row = element("button", { type: "button", "aria-pressed": chosen, style: `${grid}; border-left-color: ${group.look.color}` }, place);
      element("span", { class: "name" }, row, line.mark ? `${line.name} ${line.mark}` : line.name);
      for (const number of line.numbers) element("span", { class: "number" }, row, number);
      element("span", { class: "text" }, row, line.text);
      row.addEventListener("click", () => setStateValue("picked", chosen ? null : line.ends));
      if (chosen) picked = row;
    }
  }
  root.scrollTop = kept.scroll;
  if (picked && !same(kept.chosen, data.chosen)) { // chosen in the network: bring it into the list's view, not the page
    const [top, bottom] = [picked.offsetTop - root.offsetTop, picked.offsetTop - root.offsetTop + picked.offsetHeight];
    if (top < root.scrollTop + head.offsetHeight || bottom > root.scrollTop + root.clientHeight) root.scrollTop = top - 60;
  }
  kept.chosen = data.chosen;
  const scrolled = () => { kept.scroll = root.scrollTop; };
  root.addEventListener("scroll", scrolled);
  return () => root.removeEventListener("scroll", scrolled);
}
