"""Home: the finding as a picture, three ways to start, two guided paths."""

import streamlit as st

import bnengine as bn
from bnengine.plots.methods import home_picture
from pages.shared import frame, in_use, settings, show, state
from pages.shared.benchmark_results import home_figure, on_correcting, on_edges_found
from pages.shared.keys import Key
from pages.shared.paths import paths
from pages.shared.upload import UPLOAD


def _paper_settings() -> None:
    """Choose the paper's first experiment: ALARM, BDeu, K2 with the true ordering, 200 replicates."""
    in_use.set_recipe(bn.Recipe("sample", "alarm_300"))
    settings.reset()
    state.put(Key.SCORE, "bdeu")
    state.put(Key.SEARCH, "k2")
    state.put(Key.ORDERING, settings.TRUE_ORDER)
    state.put(Key.VIEW, "naive")


def _door(title: str, text: str) -> None:
    st.header(title, anchor=False)
    st.write(text)


frame.without_settings()
words, figure = st.columns([5, 4], gap="large", vertical_alignment="center")
with words:
    st.title("How far can you trust an edge?", anchor=False)
    st.markdown(
        "Learn a Bayesian network from a table, and see how confident you can be in each of its edges. The usual "
        "method, counting how often an edge is found again in bootstrap replicates, finds **too many edges**: "
        "replicates contain dependence that the data do not. This dashboard shows that bias on your data and corrects "
        "it (Steck & Jaakkola 2003)."
    )
with figure:
    numbers = home_figure()
    alt = "Naive confidence against corrected confidence of each edge on ALARM; most marks lie above the diagonal"
    st.html(home_picture(numbers, state.dark(), alt))
    show.note(f"{on_edges_found(numbers)} One mark per edge; {numbers['replicates']} replicates, BDeu, K2.", "home")

bias, own, teach = st.columns(3, border=True)
with bias:
    _door("Show me the bias", "The paper's experiment on 300 rows of ALARM, in seconds.")
    if st.button(
        "Run the paper's experiment",
        type="primary",
        icon=":material/play_arrow:",
        on_click=_paper_settings,
        key=Key.PAPER,
    ):
        state.open_page("network")
with own:
    _door("Explore my data", "Upload a table (CSV, Excel, SPSS, Stata, SAS, Parquet) and learn a network.")
    if st.button("Open a table", icon=":material/upload_file:", key=Key.OPEN_DATA):
        state.put(Key.SOURCE, UPLOAD)
        state.open_page("data")
with teach:
    _door("Teach MDL", "Four rows, two networks, the description length of each in bits.")
    if st.button("Open the worked example", icon=":material/compress:", key=Key.OPEN_MDL):
        state.put(Key.MDL_SECTION, "Worked example")
        state.open_page("mdl")

paths()
st.caption(
    "**What a confidence means here.** It says how often an edge would be found again in new data of the same size; "
    "the correction makes that estimate less biased. Whether an edge is *real* is another question, which the "
    "posterior probability on the Network page answers, and for which Broom, Do & Subramanian (2012) found the "
    f"correction to do harm. {on_correcting()} Your data stay on the computer that runs this dashboard."
)
