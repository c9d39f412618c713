"""What a session remembers, behind typed functions; nothing outside this room touches ``st.session_state``.

``data``: the table and what is done to it · ``files``: uploads · ``settings``: the experiment · ``results``: what was
worked out · ``jobs``: work in the background · ``own_network``: the user's network · ``values``: what widgets hold.
"""

from pages._shared.session import data, files, jobs, own_network, results, settings, values
from pages._shared.session.keys import Key, kept
from pages._shared.session.values import dark

__all__ = ["Key", "dark", "data", "files", "jobs", "kept", "own_network", "results", "settings", "values"]
