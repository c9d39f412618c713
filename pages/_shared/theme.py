"""What the server draws follows the browser's theme: the page is drawn again when light turns to dark, or back."""

import streamlit as st

from pages._shared import session
from pages._shared.session import Key

#: The app's class changes with its theme. Only the theme is compared with the one that the page was drawn for.
_FOLLOW = """
export default function ({ data, setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]");
  let drawn = data.dark;
  const observer = new MutationObserver(() => {
    const dark = getComputedStyle(app).colorScheme === "dark";
    if (dark !== drawn) setTriggerValue("changed", (drawn = dark));
  });
  observer.observe(app, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}
"""


def follow() -> None:
    """Draw the page again, in the other colours, when the theme of the browser changes."""
    component = st.components.v2.component("theme", js=_FOLLOW)
    with st.container(key=Key.THEME):
        component(key=Key.FOLLOWER, data={"dark": session.dark()}, on_changed_change=_nothing)


def _nothing() -> None:
    """The new theme comes with every message of the browser; nothing is left to do."""
