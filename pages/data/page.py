"""Data: their source, their variables, and their treatment before learning."""

import streamlit as st

from pages.data.source import choose_source
from pages.data.treatment import finding, next_step, reset_settings_note, treat
from pages.shared import in_use
from pages.shared.own_data import waits_for_file

if not waits_for_file():
    words, way_on = st.columns([3, 1.5], gap="medium", vertical_alignment="center")
    with words:
        finding()
    with way_on:
        next_step()
    reset_settings_note()
    choose_source()
    treat(in_use.frame())
