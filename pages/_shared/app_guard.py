"""Run every page through app.py, even the first page that a new server shows.

Until app.py has run once on a server, Streamlit treats the files in ``pages/`` as independent scripts and runs the one
in the address by itself, without navigation and settings.
"""

import streamlit as st

from pages._shared import session


def through_app() -> None:
    """Run app.py, which runs this page, if the page was started on its own."""
    if session.settings.drawn():
        return
    import app

    app.main()
    st.stop()
