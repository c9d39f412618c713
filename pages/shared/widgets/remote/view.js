// A presenter's remote control, which sends Page Down and Page Up, and a switch between the light and the dark theme.
// Both act wherever the focus is: a slider that was moved would otherwise take the keys.

const PRESSED = { PageDown: "on", PageUp: "back", " ": "on" };

function press(event) {
  const way = PRESSED[event.key];
  const held = document.activeElement && document.activeElement !== document.body;
  if (!way || event.ctrlKey || event.altKey || event.metaKey || (event.key === " " && held)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (held) document.activeElement.blur();
  if (!event.repeat) document.querySelector(`.st-key-lecture_${way} button:enabled`)?.click();
}

function release(event) { // after a drag, the arrow keys turn the slides again
  if (document.activeElement?.closest("[data-testid=stSlider]")) setTimeout(() => document.activeElement.blur());
}

function themes() { // Streamlit offers no function for it: they are among the properties of its outermost parts
  const root = document.getElementById("root");
  const parts = [root[Object.keys(root).find((name) => name.startsWith("__reactContainer"))]?.stateNode?.current];
  for (let k = 0; k < parts.length && k < 2000; k += 1) {
    if (parts[k]?.memoizedProps?.theme?.setTheme) return parts[k].memoizedProps.theme;
    if (parts[k]) parts.push(parts[k].child, parts[k].sibling);
  }
  return null;
}

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".remote-place");
  const button = place.querySelector("button") ?? place.appendChild(document.createElement("button"));
  button.className = "remote";
  const wanted = data.dark ? "Light" : "Dark";
  button.textContent = wanted;
  button.title = `Show the pages ${wanted.toLowerCase()}`;
  button.onclick = () => {
    const streamlit = themes();
    streamlit.setTheme(streamlit.availableThemes.find((theme) => theme.name.endsWith(wanted)));
  };
  document.addEventListener("keydown", press, true);
  document.addEventListener("pointerup", release, true);
  return () => {
    document.removeEventListener("keydown", press, true);
    document.removeEventListener("pointerup", release, true);
  };
}
