"""The words of this field in plain English, one click away on every page."""

import streamlit as st

from pages.shared.benchmark_results import on_directions
from pages.shared.keys import Key
from pages.shared.words import words

#: Each term in one or two sentences, in alphabetical order.
TERMS: dict[str, str] = words("shared/glossary")
TERMS["Settled direction"] = TERMS["Settled direction"].format(on_directions=on_directions())


def glossary() -> None:
    """Draw the button in the page's upper right corner that opens the terms."""
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
