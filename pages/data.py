"""Data: their source, their variables, and their treatment before learning."""

import streamlit as st

from pages._shared import frame, session
from pages._shared.sections.data.source import choose_source
from pages._shared.sections.data.treatment import finding, next_step, settings_put_aside, treat
from pages._shared.sections.section import waits_for_file

frame.through_app()
if not waits_for_file():
    words, way_on = st.columns([3, 1.5], gap="medium", vertical_alignment="center")
    with words:
        finding()
    with way_on:
        next_step()
    settings_put_aside()
    choose_source()
    treat(session.data.frame())
