"""Data: what was read, its repairs, its variables and their treatment; without data, the front page."""

import streamlit as st

from pages.data.front import front_page
from pages.data.source import other_data, what_was_read
from pages.data.treatment import columns_seen, finding, next_step, treat
from pages.shared import in_use
from pages.shared.own_data import size_notes, waits_for_file

if waits_for_file():
    pass
elif not in_use.is_chosen():
    front_page()
else:
    words, way_on = st.columns([3, 1.5], gap="medium", vertical_alignment="top")
    with words:
        finding()
    with way_on, st.container(horizontal=True, horizontal_alignment="right"):
        other_data()
        next_step()
    what_was_read()
    columns_seen()
    if (data := in_use.dataset()[0]) is not None:
        size_notes(data)
    treat(in_use.frame())
