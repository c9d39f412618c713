"""The way in: every page is reached through app.py, even the first one that a fresh server is asked for.

Until app.py has run once on a server, Streamlit takes the files of ``pages/`` for stand-alone scripts and runs the one
that the address names by itself, without navigation and settings.
"""

import streamlit as st

from pages._shared import session


def through_app() -> None:
    """Run app.py, which runs this page, if the page was started by itself."""
    if session.settings.drawn():
        return
    import app

    app.main()
    st.stop()
