"""What surrounds every page: its name, the glossary, room for the first screen, settings only where used."""

from pathlib import Path

import streamlit as st

from pages.shared import state, visitors
from pages.shared.format import escaped
from pages.shared.glossary import glossary
from pages.shared.keys import Key

# What the server draws follows the browser's theme: the page is drawn again when light turns to dark, or back. And the
# browser follows the page: another one is shown from its top.

#: The app's class changes with its theme. Only the theme is compared with the one that the page was drawn for.
_FOLLOW = """
export default function ({ data, setTriggerValue }) {
  const main = document.querySelector("[data-testid=stMain]");
  if (main.dataset.page !== data.page) main.scrollTo(0, 0);
  main.dataset.page = data.page;
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


def follow(title: str) -> None:
    """Draw the page again, in the other colours, when the theme of the browser changes; begin a new page on top."""
    component = st.components.v2.component("theme", js=_FOLLOW)
    with st.container(key=Key.THEME):
        component(key=Key.FOLLOWER, data={"dark": state.dark(), "page": title}, on_changed_change=_nothing)


def _nothing() -> None:
    """Do nothing: the new theme comes with every message of the browser."""


#: Of the browser tab: a small blue network. A named icon would be fetched from another host.
ICON = Path(__file__).with_name("icon.png")


def refuse_foreign_pages() -> None:
    """End here, with a sentence, if a page of another server asks."""
    if origin := visitors.foreign_page():
        st.error(
            f"The app answers its own pages only, and {escaped(origin)} is not one of them. Open the app at its own "
            "address. Behind a proxy, let it pass the header Host on and start the app with "
            "STREAMLIT_SERVER_ALLOWED_HOSTS set to the name that visitors see."
        )
        st.stop()


#: Key of what is drawn but not shown.
UNSEEN = "unseen"
_ROOM = """
.stMainBlockContainer {padding-top: 4rem; padding-bottom: 3rem}
@media (min-width: 641px) {
  .stMainBlockContainer {padding-left: clamp(1.5rem, 3.2vw, 5rem); padding-right: clamp(1.5rem, 3.2vw, 5rem)}
}
h1.page {padding: 0; margin: 0; font-size: 1rem; line-height: 1.5; font-weight: 600; opacity: .72}
.st-key-head {row-gap: 0}
.st-key-head button {min-height: 1.9rem; padding-top: 0; padding-bottom: 0}
.st-key-home_redraws {--largest: 1.1}
.st-key-waiting {min-height: 3rem; justify-content: center}
@media (min-width: 1000px) {
  .st-key-finding h2 {min-height: 5.65rem}
  .st-key-wide-network {min-height: 35rem}
}
.katex .base {margin-top: .2em; margin-bottom: .2em}
.st-key-unseen, .st-key-theme {display: none}
[data-testid=stLayoutWrapper]:has(> .st-key-unseen, > .st-key-theme, > .st-key-glossary) {position: absolute}
"""
#: Columns go below one another where they would be narrower than this, whatever the width of the window.
_WRAPPED = (
    "".join(
        f"""
[class*="st-key-{name}-"] > div > [data-testid=stHorizontalBlock],
[class*="st-key-{name}-"] > [data-testid=stHorizontalBlock] {{flex-wrap: wrap}}
[class*="st-key-{name}-"] > div > [data-testid=stHorizontalBlock] > [data-testid=stColumn],
[class*="st-key-{name}-"] > [data-testid=stHorizontalBlock] > [data-testid=stColumn] {{
  min-width: {least} !important
}}
"""
        for name, least in (("wide", "min(100%, 22rem)"), ("small", "5.8rem"))
    )
    + """
@media (max-width: 640px) {
  [class*="st-key-small-"] [data-testid=stColumn] {max-width: calc(33.4% - .7rem)}
}
[data-testid=stColumn]:has(> [data-testid=stVerticalBlock] > [data-testid=stElementContainer] > [data-testid=stMetric])
{min-width: 9rem !important}
@media (min-width: 1600px) {
  .st-key-wide-network > * > [data-testid=stColumn]:first-child,
  .st-key-wide-network > * > * > [data-testid=stColumn]:first-child {flex-basis: 66% !important}
  .st-key-wide-network > * > [data-testid=stColumn]:last-child,
  .st-key-wide-network > * > * > [data-testid=stColumn]:last-child {flex-basis: 30% !important}
}
[class*="st-key-square-"] {aspect-ratio: 1; max-height: 27rem; min-height: 11rem}
"""
)
#: Text has a contrast of at least 4.5:1, which the theme's own captions and its white on light blue do not reach. A
#: caption has the text's colour, so that it follows the theme by itself.
_CAPTIONS = "[data-testid=stCaptionContainer] {opacity: .72 !important}"
_DARK = """
[data-testid=stBaseButton-primary] *, [data-testid=stBaseButton-primaryFormSubmit] * {color: #12161B !important}
[data-testid=stMultiSelect] span[title], [data-testid=stMultiSelect] span:has(> span[title]) * {
  color: #12161B !important
}
"""
_NO_SETTINGS = ".st-key-settings {display: none}"


#: The entry of the navigation that the open page is under, where that is a group: Streamlit marks single pages only.
_OPEN = """
[data-testid=stTopNav] > div:nth-child(%d) > [data-testid=stTopNavSection] {
  background: color-mix(in srgb, currentColor 10%%, transparent); font-weight: 600
}
"""


def draw(title: str, entry: int) -> None:
    """Draw what a page has around it: its looks, and which entry of the navigation is marked as open."""
    style = f"{_ROOM}{_WRAPPED}{_CAPTIONS}{_OPEN % entry}{_DARK if state.dark() else ''}"
    st.html(f"<style>{style}</style>")
    state.put(Key.PICTURE, "")  # all of a page's pictures are drawn, but for a lecture's
    follow(title)
    glossary()


def without_settings() -> None:
    """Hide the settings on a page that they do not change; they are drawn all the same: they are the experiment."""
    st.html(f"<style>{_NO_SETTINGS}</style>")
