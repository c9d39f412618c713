"""What surrounds every page: its name, the glossary, room for the first screen, settings only where used."""

import streamlit as st

from pages._shared import session, theme
from pages._shared.glossary import glossary

#: Key of what is drawn but not shown.
UNSEEN = "unseen"
_ROOM = """
.stMainBlockContainer {padding-top: 2.8rem; padding-bottom: 3rem}
@media (min-width: 641px) {
  .stMainBlockContainer {padding-left: clamp(1.5rem, 3.2vw, 5rem); padding-right: clamp(1.5rem, 3.2vw, 5rem)}
}
h1.page {
  position: fixed; top: 0; right: 8.6rem; height: 3.75rem; display: flex; align-items: center; padding: 0; margin: 0;
  font-size: .95rem; line-height: 1.5; z-index: 1000000
}
.katex-display {padding: .5rem}
.st-key-unseen, .st-key-theme {display: none}
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
        for name, least in (("wide", "min(100%, 22rem)"), ("middle", "8.6rem"), ("small", "5.8rem"))
    )
    + """
@media (max-width: 640px) {
  [class*="st-key-small-"] [data-testid=stColumn] {max-width: calc(33.4% - .7rem)}
}
[data-testid=stColumn]:has(> [data-testid=stVerticalBlock] > [data-testid=stElementContainer] > [data-testid=stMetric])
{min-width: 9rem !important}
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
_NO_SETTINGS = """
[data-testid=stSidebarUserContent]:not(:has([data-testid=stAlert])) {display: none}
@media (min-width: 768px) {
  [data-testid=stSidebar]:not(:has([data-testid=stAlert])) {display: none}
  body:not(:has([data-testid=stSidebar] [data-testid=stAlert])) [data-testid=stExpandSidebarButton] {display: none}
}
"""


def draw(title: str) -> None:
    """Draw what a page with this title has around it."""
    heading = "" if title == "Home" else f'<h1 class="page">{title}</h1>'  # Home shows its own
    st.html(f"<style>{_ROOM}{_WRAPPED}{_CAPTIONS}{_DARK if session.dark() else ''}</style>{heading}")
    theme.follow()
    glossary()


def without_settings() -> None:
    """Hide the settings on a page that they do not change.

    They are drawn all the same, since what they hold is the experiment; a message among them, such as that a link could
    not be opened, shows them.
    """
    st.html(f"<style>{_NO_SETTINGS}</style>")
