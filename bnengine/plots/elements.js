// What all pictures drawn in the browser share: how elements, buttons and samples of lines are made, and how they play.

const DASHES = { solid: "", dot: "2 4", dash: "7 5" };

function element(kind, attributes = {}, parent = null, text = null) {
  const svg = ["svg", "g", "path", "rect", "text", "line", "circle"].includes(kind);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", kind) : document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function button(parent, text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, parent, text);
  made.addEventListener("click", act);
  return made;
}

function sample({ color, width, opacity, dash }, parent) {
  const line = { stroke: color, "stroke-width": width, opacity, "stroke-dasharray": DASHES[dash] || "none" };
  const picture = element("svg", { width: 26, height: 10, "aria-hidden": "true" }, parent);
  element("line", { x1: 1, x2: 25, y1: 5, y2: 5, ...line }, picture);
}

function player(now, show) { // raises now.drawn to a goal, by some at each tick; at once where motion is not wanted
  let timer = null;
  const pause = () => { clearInterval(timer); timer = null; };
  const play = (goal, few, milliseconds) => {
    const step = window.matchMedia("(prefers-reduced-motion: reduce)").matches ? goal : few;
    const tick = () => {
      now.drawn = Math.min(now.drawn + step, goal);
      if (now.drawn >= goal) pause();
      show();
    };
    pause();
    timer = setInterval(tick, milliseconds);
    tick();
  };
  return { play, pause, plays: () => timer !== null };
}
