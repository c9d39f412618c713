"""The dashboard's pages."""

import streamlit as st

from pages._shared import icon, sharing
from pages._shared.jobs import warming
from pages._shared.sections.data.treatment import cuts_decided
from pages._shared.widgets import controls

PAGES = (
    ("pages/home.py", "Home", ":material/home:"),
    ("pages/data.py", "Data", ":material/table:"),
    ("pages/learn.py", "Learn", ":material/account_tree:"),
    ("pages/mdl.py", "MDL", ":material/compress:"),
    ("pages/bayesian.py", "Bayesian score", ":material/functions:"),
    ("pages/confidence.py", "Confidence", ":material/percent:"),
    ("pages/table1.py", "Table 1", ":material/table_chart:"),
    ("pages/calibrate.py", "Calibrate", ":material/verified:"),
    ("pages/bias_lab.py", "Bias lab", ":material/experiment:"),
    ("pages/predict.py", "Predict", ":material/online_prediction:"),
)


def main() -> None:
    """Draw the navigation, the settings in the sidebar and the page."""
    st.set_page_config(page_title="bnengine", page_icon=icon.page_icon(), layout="wide")
    warming.warm_up()
    pages = [st.Page(path, title=title, icon=icon, default=title == "Home") for path, title, icon in PAGES]
    # leave room for the finding and its picture on the first screen
    st.html("<style>.stMainBlockContainer{padding-top:3.8rem}</style>")
    page = st.navigation(pages, position="top")
    sharing.from_address()
    if cuts_decided():  # otherwise their progress is shown: every page needs the data
        controls.sidebar()
        page.run()


if __name__ == "__main__":
    main()
