// A list of edges in groups, one stop of the keyboard: arrows move, Enter chooses. Texts are only ever set as text; a
// choice tells Python the two names of the edge.

const memory = new WeakMap(); // where a list was scrolled to, while its data change

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".edges");
  const kept = memory.get(parentElement) ?? { scroll: 0, chosen: null };
  memory.set(parentElement, kept);
  root.replaceChildren();
  root.style.gridTemplateColumns = `1fr repeat(${data.columns.length}, minmax(3.4em, auto))`; // the rows' too
  const head = element("div", { class: "head" }, root);
  element("span", {}, head);
  for (const column of data.columns) element("span", { class: "number", title: column.help }, head, column.title);
  const list = element("div", { role: "listbox", tabindex: 0, "aria-label": data.label }, root);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const rows = [];
  let picked = null;
  for (const group of data.groups) {
    const place = element("div", { class: "group", role: "group", "aria-label": group.title }, list);
    const title = element("div", { class: "title", role: "presentation" }, place);
    sample({ ...group.look, width: Math.max(group.look.width, 2) }, title);
    element("b", {}, title, group.title);
    if (group.about) element("div", { class: "about", role: "presentation" }, place, group.about);
    for (const line of group.lines) {
      const chosen = same(line.ends, data.chosen);
      const style = `border-left-color: ${group.look.color}`;
      const row = element("div", { class: "row", role: "option", id: `edge${rows.length}`, "aria-selected": chosen, style, title: line.text }, place);
      element("span", { class: "name" }, row, line.mark ? `${line.name} ${line.mark}` : line.name);
      for (const number of line.numbers) element("span", { class: "number" }, row, number);
      if (chosen) element("span", { class: "text" }, row, line.text);
      row.addEventListener("click", () => setStateValue("picked", chosen ? null : line.ends));
      rows.push(row);
      if (chosen) picked = row;
    }
  }
  let at = rows.indexOf(picked); // the row that the keyboard is on
  const reveal = (row) => {
    const top = row.offsetTop - root.offsetTop, bottom = top + row.offsetHeight;
    if (top < root.scrollTop + head.offsetHeight) root.scrollTop = top - 60;
    else if (bottom > root.scrollTop + root.clientHeight) root.scrollTop = bottom - root.clientHeight + 10;
  };
  const pressed = (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length };
    if (event.key in steps && rows.length) {
      at = Math.min(Math.max(at + steps[event.key], 0), rows.length - 1);
      rows.forEach((row, k) => row.classList.toggle("active", k === at));
      list.setAttribute("aria-activedescendant", rows[at].id);
      reveal(rows[at]);
    } else if ((event.key === "Enter" || event.key === " ") && at >= 0) rows[at].click();
    else return;
    event.preventDefault();
  };
  list.addEventListener("keydown", pressed);
  root.scrollTop = kept.scroll;
  if (picked && !same(kept.chosen, data.chosen)) reveal(picked); // chosen in the network: into the list's view, not the page's
  kept.chosen = data.chosen;
  const scrolled = () => { kept.scroll = root.scrollTop; };
  root.addEventListener("scroll", scrolled);
  return () => root.removeEventListener("scroll", scrolled);
}
