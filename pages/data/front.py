"""The front page: a place to drop a table, the paper's experiment, the lectures, the result, *Draw the study again*."""

import json
import re
from functools import cache
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.networks.bundled import SAMPLE_TABLES, network_names
from bnengine.plots.home_picture import home_picture
from bnengine.plots.verdict_drawing import on_dark
from bnengine.settings import setting_of
from pages.shared import in_use, redraws, show, state, upload
from pages.shared.benchmark_results import on_edges_found, shipped
from pages.shared.format import escaped
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.widgets import network_view
from pages.shared.words import DATA as WORDS
from pages.shared.words import words

#: The titles of the lectures, by their names in the address.
LECTURES = {name: one["title"] for name, one in words("present/lectures").items()}
#: The way through the pages once there are data.
GUIDE = WORDS["guide"]


def front_page() -> None:
    """Draw the page: to choose data, and to begin without any."""
    words, figure = st.columns([5, 4], gap="large")
    with words:
        st.title("Which edges can you trust?", anchor=False)
        st.markdown(WORDS["front"])
        upload.choose_file()
        with st.container(horizontal=True):
            _back()
            _to_try()
        st.caption("Your data stay on the computer that runs this app.")
    with figure:
        numbers = shipped("home_figure")
        alt = "Naive confidence against corrected confidence of each edge on ALARM; most marks lie above the diagonal"
        st.html(home_picture(numbers, state.dark(), alt))
        show.note(on_edges_found(numbers), "home")
    paper, lectures, guide = st.columns(3, gap="large")
    with paper:
        st.header("The paper's experiment", anchor=False)
        label, icon = "Run the paper's experiment", ":material/play_arrow:"
        st.button(label, type="primary", icon=icon, key=Key.PAPER, on_click=run_state.open_figure1)
        st.caption("The bias and its correction, edge by edge, on 300 rows of ALARM; in seconds.")
    with lectures:
        st.header("Lectures", anchor=False)
        for name, title in LECTURES.items():
            st.page_link(
                "pages/present/page.py", label=title, icon=":material/slideshow:", query_params={"lecture": name}
            )
    with guide:
        st.header("With your data", anchor=False)
        for name, todo in GUIDE.items():
            st.page_link(f"pages/{name}/page.py", label=todo)
        if not in_use.has_data():
            st.caption("Shown on a sample, 300 rows of ALARM, until you open your own table.")
    with st.container(key=Key.HOME_REDRAWS):
        st.header("See the bias: draw the study again", anchor=False)
        network_view.show(_played(state.dark()), redraws.REDRAWS)
        note = redraws.NOTE.format("")
        show.note(f"The same 300 rows of ALARM, 60 replicates. {note} Dashed: not in ALARM.", redraws.REDRAWS)


@cache
def _played(dark: bool) -> dict[str, Any]:
    """Return the picture of the learned graph with replicates to play, in the colours of the theme."""
    text = json.dumps({**shipped("home_figure")["picture"], "alt": "The graph learned from 300 rows of ALARM"})
    colors = on_dark() if dark else {}
    picture: dict[str, Any] = json.loads(re.sub("#[0-9A-F]{6}", lambda one: colors.get(one[0], one[0]), text))
    return picture


def _back() -> None:
    """Draw the ways back to the data in use and to other files that were here."""
    now = in_use.recipe()
    if in_use.has_data():
        label = f"Back to {in_use.title()}"
        st.button(label, icon=":material/undo:", key=Key.BACK, on_click=in_use.keep_data)
    for past in in_use.other_files():
        key = Key.of(Key.BACK, past.fingerprint)
        if past != now and st.button(f"Back to {escaped(past.name)}", icon=":material/undo:", key=key):
            in_use.turn_to(past)
            st.rerun()


def _to_try() -> None:
    """Draw the bundled tables, and rows drawn from a bundled network."""
    with st.popover("A table to try", icon=":material/table:"):
        names = list(SAMPLE_TABLES)
        titles = {name: table.title for name, table in SAMPLE_TABLES.items()}
        name = st.selectbox(
            "Table", names, index=None, placeholder="Choose a table", format_func=titles.__getitem__, key=Key.SAMPLE
        )
        if name is not None:
            upload.take(bn.Recipe("sample", name))
    with st.popover("Rows of a known network", icon=":material/casino:"):
        rows, seeds = (setting_of(bn.Recipe, part) for part in ("n_rows", "seed"))
        networks = network_names()
        network = st.selectbox("Network", networks, networks.index("alarm"), key=Key.NETWORK)
        n_rows = st.number_input("Number of rows", 1, rows.le, 500, key=Key.NETWORK_ROWS)
        seed = st.number_input("Seed of the rows", seeds.ge, seeds.le, 1, key=Key.NETWORK_SEED)
        if st.button("Draw the rows", type="primary"):
            upload.take(bn.Recipe("network", network, n_rows=int(n_rows), seed=int(seed)))
