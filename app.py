"""The dashboard's pages, their navigation and their theme."""

import streamlit as st

from pages.shared import compilation, frame, in_use, paths, sharing, sidebar, state
from pages.shared.own_data import cuts_decided

#: By group: folder, which is the address, title, icon. The first group has no name: its pages stand beside the groups.
GROUPS = {
    "": (
        ("home", "Home", ":material/home:"),
        ("data", "Data", ":material/table:"),
        ("learn", "Learn", ":material/account_tree:"),
        ("confidence", "Confidence", ":material/percent:"),
        ("predict", "Predict", ":material/online_prediction:"),
    ),
    "Evidence": (
        ("table1", "Table 1", ":material/table_chart:"),
        ("calibrate", "Calibrate", ":material/verified:"),
    ),
    "Teach": (
        ("mdl", "MDL", ":material/compress:"),
        ("bayesian", "Bayesian score", ":material/functions:"),
        ("bias_lab", "Bias lab", ":material/experiment:"),
        ("present", "Present", ":material/slideshow:"),
    ),
}
PAGES = tuple(page for pages in GROUPS.values() for page in pages)


def main() -> None:
    """Draw the app; once more where the run before, still ending, took a widget of this one away."""
    try:
        draw()
    except KeyError as error:
        if not state.may_draw_again(error):
            raise
        st.rerun()
    state.drawn_to_the_end()


def draw() -> None:
    """Draw the navigation, the settings in the sidebar and the page."""
    frame.refuse_foreign_pages()
    # before the navigation, which would fetch the page's own icon from another host
    st.set_page_config(page_icon=frame.ICON, layout="wide")
    page = st.navigation(navigation(), position="top")
    st.set_page_config(page_title=f"{page.title} · bnengine")
    compilation.warm_up()
    frame.draw(page.title, _entry(page.title))
    paths.follow(page.title)
    sharing.from_address()
    if cuts_decided():  # otherwise their progress is shown: every page needs the data
        sidebar.draw()
        page.run()
    else:
        sharing.hold_address()


def navigation() -> dict[str, list[st.Page]]:
    """Return the pages by group; the first one shown is Data where the app was started on a table."""
    first = "home" if in_use.given_file() is None else "data"
    return {
        group: [
            st.Page(f"pages/{name}/page.py", title=title, icon=icon, url_path=name, default=name == first)
            for name, title, icon in pages
        ]
        for group, pages in GROUPS.items()
    }


def _entry(title: str) -> int:
    """Return which entry of the navigation leads to a page: its own, or that of its group."""
    alone = [name for _, name, _ in GROUPS[""]]
    entries = [[name] for name in alone] + [[name for _, name, _ in pages] for group, pages in GROUPS.items() if group]
    return next(number for number, names in enumerate(entries, 1) if title in names)


if __name__ == "__main__":
    main()
