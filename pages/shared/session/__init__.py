"""The state of a session behind typed functions; only this package uses ``st.session_state``.

``data``: the table and its treatment · ``files``: uploads · ``settings``: the experiment · ``results``: computed
results · ``jobs``: background jobs · ``own_network``: the user's network · ``redraws``: parts drawn by themselves ·
``truth``: the known network · ``typed``: lists typed as text · ``values``: values of widgets · ``history``: the
browser's · ``visits``: its tabs · ``streamlit_inside``: what is used of Streamlit's inner parts.
"""

from pages.shared.session import (
    data,
    files,
    history,
    jobs,
    own_network,
    redraws,
    results,
    settings,
    truth,
    typed,
    values,
    visits,
)
from pages.shared.session.keys import Key, kept
from pages.shared.session.values import dark

__all__ = [
    "Key",
    "dark",
    "data",
    "files",
    "history",
    "jobs",
    "kept",
    "own_network",
    "redraws",
    "results",
    "settings",
    "truth",
    "typed",
    "values",
    "visits",
]
