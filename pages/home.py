"""Home: three ways to start."""

import streamlit as st

import bnengine as bn
from pages._shared import app_guard, session
from pages._shared.measured import on_correcting
from pages._shared.sections.data.source import UPLOAD
from pages._shared.session import Key
from pages._shared.widgets import search_controls


def _paper_settings() -> None:
    """Choose the paper's first experiment: ALARM, BDeu, K2 with the true ordering, 200 replicates."""
    session.data.set_recipe(bn.Recipe("sample", "alarm_300"))
    session.settings.reset()
    session.values.put(Key.SCORE, "bdeu")
    session.values.put(Key.SEARCH, "k2")
    session.values.put(Key.ORDERING, search_controls.TRUE_ORDER)
    session.jobs.request_run()


app_guard.through_app()
st.title("How far can you trust an edge?")
st.markdown(
    "Learn a Bayesian network from a table, and see how confident you can be in each of its edges. The usual method, "
    "counting how often an edge is found again in bootstrap replicates, finds **too many edges**: replicates contain "
    "dependence that the data do not. This dashboard shows that bias on your data and corrects it (Steck & Jaakkola "
    "2003)."
)

bias, own, teach = st.columns(3, border=True)
with bias:
    st.subheader("Show me the bias", anchor=False)
    st.write("The paper's experiment on 300 rows of the ALARM network: naive and corrected confidence, in seconds.")
    if st.button(
        "Run the paper's experiment",
        type="primary",
        icon=":material/play_arrow:",
        on_click=_paper_settings,
        key=Key.PAPER,
    ):
        st.switch_page("pages/confidence.py")
with own:
    st.subheader("Explore my data", anchor=False)
    st.write("Upload a table (CSV, Excel, Parquet), treat missing cells, discretize measurements, and learn a network.")
    if st.button("Open a table", icon=":material/upload_file:", key=Key.OPEN_DATA):
        session.values.put(Key.SOURCE, UPLOAD)
        st.switch_page("pages/data.py")
with teach:
    st.subheader("Teach MDL", anchor=False)
    st.write(
        "Four rows, two networks, and the description length of each in bits; then compare networks and search by hand."
    )
    if st.button("Open the worked example", icon=":material/compress:", key=Key.OPEN_MDL):
        st.switch_page("pages/mdl.py")

left, middle, right = st.columns(3)
with left:
    st.page_link("pages/table1.py", label="Table 1: the paper's values and ours", icon=":material/table_chart:")
    st.page_link("pages/calibrate.py", label="Calibrate: which method to use", icon=":material/verified:")
with middle:
    st.page_link("pages/learn.py", label="Learn one network and draw it", icon=":material/account_tree:")
    st.page_link("pages/predict.py", label="Predict a target, ask what if", icon=":material/online_prediction:")
with right:
    st.page_link("pages/bayesian.py", label="The Bayesian score, toss by toss", icon=":material/functions:")
    st.page_link("pages/bias_lab.py", label="Bias lab: where the bias comes from", icon=":material/experiment:")

st.caption(
    "Corrected confidence estimates, with *less bias*, how often an edge would be found again in a new sample. It is "
    "not the probability that the edge is real: Broom, Do & Subramanian (2012) report that the correction makes "
    f"learning worse on ALARM and INSURANCE. {on_correcting()} Your data stay on the machine that runs this dashboard."
)
