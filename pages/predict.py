"""Predict."""

import streamlit as st

from pages._shared import entry

entry.through_app()
st.write("soon")
