"""The words of this field in plain English, one click away on every page."""

import tomllib
from pathlib import Path

import streamlit as st

from pages.shared.benchmark_results import on_directions
from pages.shared.keys import Key

#: Each term in one or two sentences, in alphabetical order.
TERMS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TERMS["Settled direction"] = TERMS["Settled direction"].format(on_directions=on_directions())
_STYLE = """
.st-key-glossary button, .st-key-glossary button * {
  color: inherit !important; background: transparent !important; transition: none !important
}
.st-key-glossary {
  position: fixed; top: 0; right: .8rem; width: auto; height: 3.75rem; justify-content: center; z-index: 1000000
}
[data-testid=stPopoverBody]:has(.st-key-glossary_terms) {max-height: 75vh; overflow-y: auto}
"""


def glossary() -> None:
    """Draw the button in the page's upper right corner that opens the terms."""
    st.html(f"<style>{_STYLE}</style>")
    with (
        st.container(key=Key.GLOSSARY),
        st.popover("Glossary", icon=":material/menu_book:", type="tertiary"),
        st.container(key=Key.GLOSSARY_TERMS),
    ):
        _terms()


@st.fragment
def _terms() -> None:
    wanted = st.text_input("Find a term", key=Key.GLOSSARY_FIND).strip().casefold()
    found = {term: meaning for term, meaning in TERMS.items() if wanted in f"{term} {meaning}".casefold()}
    st.markdown("\n\n".join(f"**{term}.** {meaning}" for term, meaning in found.items()) or "Not in the glossary.")
