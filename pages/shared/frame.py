"""What surrounds every page: its looks, its name, the glossary, room for the first screen, settings only where used."""

from pathlib import Path

import streamlit as st

from pages.shared import state, visitors
from pages.shared.format import escaped
from pages.shared.glossary import glossary
from pages.shared.keys import Key

#: Of the browser tab: a small blue network. A named icon would be fetched from another host.
ICON = Path(__file__).with_name("icon.png")
_LOOKS, _DARK, _FOLLOW = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("frame.css", "dark.css", "follow.js")
)
#: Key of what is drawn but not shown.
UNSEEN = "unseen"


def refuse_foreign_pages() -> None:
    """End here, with a sentence, if a page of another server asks."""
    if origin := visitors.foreign_page():
        st.error(
            f"The app answers its own pages only, and {escaped(origin)} is not one of them. Open the app at its own "
            "address. Behind a proxy, let it pass the header Host on and start the app with "
            "STREAMLIT_SERVER_ALLOWED_HOSTS set to the name that visitors see."
        )
        st.stop()


def draw(title: str, entry: int) -> None:
    """Draw what a page has around it, and mark the entry of the navigation that it is under as open.

    The entry may be a group, and Streamlit marks single pages only.
    """
    is_open = "{background: color-mix(in srgb, currentColor 10%, transparent); font-weight: 600}"
    marked = f"[data-testid=stTopNav] > div:nth-child({entry}) > [data-testid=stTopNavSection] {is_open}"
    st.html(f"<style>{_LOOKS}{_DARK if state.dark() else ''}{marked}</style>")
    state.put(Key.PICTURE, "")  # all of a page's pictures are drawn, but for a lecture's
    with st.container(key=Key.THEME):
        follower = st.components.v2.component("theme", js=_FOLLOW)  # the new theme comes with its message
        follower(key=Key.FOLLOWER, data={"dark": state.dark(), "page": title}, on_changed_change=lambda: None)
    glossary()


def without_settings() -> None:
    """Hide the settings on a page that they do not change; they are drawn all the same: they are the experiment."""
    st.html("<style>.st-key-settings {display: none}</style>")
