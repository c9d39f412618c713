"""The dashboard's pages."""

import streamlit as st

from pages._shared import frame, session, sharing, sidebar
from pages._shared.jobs import compilation
from pages._shared.sections import lectures
from pages._shared.sections.data.treatment import cuts_decided

#: By group: file, title, icon. The first group has no name, so that its pages stand beside the groups.
GROUPS = {
    "": (
        ("pages/home.py", "Home", ":material/home:"),
        ("pages/data.py", "Data", ":material/table:"),
        ("pages/learn.py", "Learn", ":material/account_tree:"),
        ("pages/confidence.py", "Confidence", ":material/percent:"),
        ("pages/predict.py", "Predict", ":material/online_prediction:"),
    ),
    "Evidence": (
        ("pages/table1.py", "Table 1", ":material/table_chart:"),
        ("pages/calibrate.py", "Calibrate", ":material/verified:"),
    ),
    "Teach": (
        ("pages/mdl.py", "MDL", ":material/compress:"),
        ("pages/bayesian.py", "Bayesian score", ":material/functions:"),
        ("pages/bias_lab.py", "Bias lab", ":material/experiment:"),
        ("pages/present.py", "Present", ":material/slideshow:"),
    ),
}
PAGES = tuple(page for pages in GROUPS.values() for page in pages)


def main() -> None:
    """Draw the app; once more where the run before, still ending, took a widget of this one away."""
    try:
        draw()
    except KeyError as error:
        if not session.redraws.may_draw_again(error):
            raise
        st.rerun()
    session.redraws.drawn_to_the_end()


def draw() -> None:
    """Draw the navigation, the settings in the sidebar and the page."""
    frame.refuse_foreign_pages()
    # before the navigation, which would fetch the page's own icon from another host
    st.set_page_config(page_icon=frame.page_icon(), layout="wide")
    first = "Home" if session.files.given() is None else "Data"
    groups = {
        group: [st.Page(path, title=title, icon=sign, default=title == first) for path, title, sign in pages]
        for group, pages in GROUPS.items()
    }
    page = st.navigation(groups, position="top")
    st.set_page_config(page_title=f"{page.title} · bnengine")
    compilation.warm_up()
    frame.draw(page.title, _entry(page.title))
    lectures.follow(page.title)
    sharing.from_address()
    if cuts_decided():  # otherwise their progress is shown: every page needs the data
        sidebar.draw()
        page.run()
    else:
        sharing.hold_address()


def _entry(title: str) -> int:
    """Return which entry of the navigation leads to a page: its own, or that of its group."""
    alone = [name for _, name, _ in GROUPS[""]]
    entries = [[name] for name in alone] + [[name for _, name, _ in pages] for group, pages in GROUPS.items() if group]
    return next(number for number, names in enumerate(entries, 1) if title in names)


if __name__ == "__main__":
    main()
