"""The numbers behind a picture, and the lines that repeat them, to take away."""

import pandas as pd
import streamlit as st


def csv_button(label: str, frame: pd.DataFrame, file: str) -> None:
    """A button that downloads a table; pressing it runs nothing again."""
    st.download_button(
        f"{label} (CSV)", frame.to_csv(index=False), file, "text/csv", on_click="ignore", key=f"download {file}"
    )


def repeat_in_python(code: str) -> None:
    """The lines that give the same numbers without the pages."""
    with st.popover("Repeat this in Python"):
        st.code(code, language="python")
