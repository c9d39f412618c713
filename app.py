"""The dashboard's pages, their navigation and their theme."""

import streamlit as st

from pages.shared import compilation, frame, in_use, paths, settings_line, sharing, state
from pages.shared.keys import Key
from pages.shared.own_data import cuts_decided

#: By group: folder, which is the address, title, icon. The first group has no name: its pages stand beside the groups.
GROUPS = {
    "": (
        ("home", "Home", ":material/home:"),
        ("data", "Data", ":material/table:"),
        ("network", "Network", ":material/account_tree:"),
        ("predict", "Predict", ":material/online_prediction:"),
    ),
    "Evidence": (
        ("calibrate", "Calibrate", ":material/verified:"),
        ("table1", "Table 1", ":material/table_chart:"),
    ),
    "Teach": (
        ("present", "Present", ":material/slideshow:"),
        ("mdl", "MDL", ":material/compress:"),
        ("bayesian", "Bayesian score", ":material/functions:"),
        ("bias_lab", "Bias lab", ":material/experiment:"),
    ),
}
PAGES = tuple(page for pages in GROUPS.values() for page in pages)
#: Pages that there were, by address, with the view of the network that has taken their place.
FORMER = {"learn": "learned", "confidence": "verdict"}
#: Pages on which the settings do nothing; a lesson says by itself whether it uses them.
_WITHOUT_SETTINGS = ("Home", "Data")


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
    """Draw the navigation, the settings and the page."""
    frame.refuse_foreign_pages()
    # before the navigation, which would fetch the page's own icon from another host
    st.set_page_config(page_icon=frame.ICON, layout="wide")
    page = st.navigation(navigation(), position="top")
    st.set_page_config(page_title=f"{page.title} · bnengine")
    compilation.warm_up()
    frame.draw(page.title, _entry(page.title))
    paths.follow(page.title)
    sharing.from_address()
    if page.title in _WITHOUT_SETTINGS:
        frame.without_settings()
    if cuts_decided():  # otherwise their progress is shown: every page needs the data
        settings_line.draw("" if page.title == "Home" else page.title, share=page.title != "Network")
        page.run()
    else:
        sharing.hold_address()


def navigation() -> dict[str, list[st.Page]]:
    """Return the pages by group; the first one shown is Data where the app was started on a table."""
    first = "home" if in_use.given_file() is None else "data"
    pages = {
        group: [
            st.Page(f"pages/{name}/page.py", title=title, icon=icon, url_path=name, default=name == first)
            for name, title, icon in pages
        ]
        for group, pages in GROUPS.items()
    }
    pages[""] += [_former(name, view) for name, view in FORMER.items()]
    return pages


def _former(name: str, view: str) -> st.Page:
    """Return the page at a former address, which leads on."""

    def lead_on() -> None:
        state.put(Key.VIEW, view)
        state.open_page("network")

    return st.Page(lead_on, title="Network", url_path=name, visibility="hidden")


def _entry(title: str) -> int:
    """Return which entry of the navigation leads to a page: its own, or that of its group."""
    alone = [name for _, name, _ in GROUPS[""]]
    entries = [[name] for name in alone] + [[name for _, name, _ in pages] for group, pages in GROUPS.items() if group]
    return next(number for number, names in enumerate(entries, 1) if title in names)


if __name__ == "__main__":
    main()
