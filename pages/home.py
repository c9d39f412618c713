"""Home: three doors."""

import streamlit as st

import bnengine as bn
from pages._shared import app_guard, session
from pages._shared.measured import on_correcting
from pages._shared.session import Key
from pages._shared.widgets import search_controls


def _paper_settings() -> None:
    """The paper's first experiment: ALARM, posterior score, K2 with the true ordering, 200 resamples."""
    session.data.set_recipe(bn.Recipe("sample", "alarm_300"))
    session.settings.reset()
    session.values.put(Key.SCORE, "bdeu")
    session.values.put(Key.SEARCH, "k2")
    session.values.put(Key.ORDERING, search_controls.TRUE_ORDER)
    session.jobs.request_run()


app_guard.through_app()
st.title("How far can you trust an edge?")
st.markdown(
    "Learn a Bayesian network from a table of discrete data, and see how sure each of its edges is. "
    "The usual way, counting how often an edge returns when the rows are resampled, finds **too many edges**: a "
    "resample contains dependence that the data do not. This dashboard shows that bias on your own data, and corrects "
    "it (Steck & Jaakkola 2003)."
)

bias, own, teach = st.columns(3, border=True)
with bias:
    st.subheader("Show me the bias", anchor=False)
    st.write("The paper's experiment on 300 rows of the ALARM network: naive against corrected confidence, in seconds.")
    if st.button(
        "Run the paper's experiment",
        type="primary",
        icon=":material/play_arrow:",
        on_click=_paper_settings,
        key=Key.PAPER,
    ):
        st.switch_page("pages/confidence.py")
with own:
    st.subheader("Analyse my data", anchor=False)
    st.write("Upload a table (CSV, Excel, Parquet), choose what to do with missing cells and measurements, and learn.")
    if st.button("Open a table", icon=":material/upload_file:", key=Key.OPEN_DATA):
        st.switch_page("pages/data.py")
with teach:
    st.subheader("Teach MDL", anchor=False)
    st.write("Four rows, two networks, and what each costs in bits; then networks to compare and to climb by hand.")
    if st.button("Open the worked example", icon=":material/compress:", key=Key.OPEN_MDL):
        st.switch_page("pages/mdl.py")

left, middle, right = st.columns(3)
with left:
    st.page_link("pages/table1.py", label="Table 1: the paper's values beside ours", icon=":material/table_chart:")
    st.page_link("pages/calibrate.py", label="Calibrate: which method to trust", icon=":material/verified:")
with middle:
    st.page_link("pages/learn.py", label="Learn one network and draw it", icon=":material/account_tree:")
    st.page_link("pages/predict.py", label="Predict a target, ask what if", icon=":material/online_prediction:")
with right:
    st.page_link("pages/bayesian.py", label="The Bayesian score, toss by toss", icon=":material/functions:")
    st.page_link("pages/bias_lab.py", label="Bias lab: where the bias comes from", icon=":material/experiment:")

st.caption(
    "Corrected confidence is *less biased* confidence that an edge would be found again in fresh data. It is not the "
    "probability that the edge is real: Broom, Do & Subramanian (2012) report that correcting worsens learning on "
    f"ALARM and INSURANCE. {on_correcting()} Your data stay on the machine that runs this."
)
