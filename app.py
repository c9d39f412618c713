"""The dashboard's pages, their navigation and their theme."""

import streamlit as st

from pages.shared import compilation, frame, in_use, state
from pages.shared.keys import Key
from pages.shared.own_data import is_ready
from pages.shared.run import drawer, link

#: By group: folder, which is the address, title, icon. The first group has no name: its pages stand beside the groups.
GROUPS = {
    "": (
        ("data", "Data", ":material/table:"),
        ("network", "Network", ":material/account_tree:"),
        ("predict", "Predict", ":material/online_prediction:"),
        ("evidence", "Evidence", ":material/verified:"),
    ),
    "Teach": (
        ("present", "Lectures", ":material/slideshow:"),
        ("mdl", "MDL", ":material/compress:"),
        ("bayesian", "Bayesian score", ":material/functions:"),
        ("bias_lab", "Bias lab", ":material/experiment:"),
    ),
}
PAGES = tuple(page for pages in GROUPS.values() for page in pages)
#: Other addresses: the page that they lead to, the key of its parts, and the part.
FORMER = {
    "data": ("data", "", ""),  # the first page's own address is empty
    "home": ("data", "", ""),
    "learn": ("network", Key.VIEW, "learned"),
    "confidence": ("network", Key.VIEW, "verdict"),
    "calibrate": ("evidence", Key.EVIDENCE, "methods"),
    "table1": ("evidence", Key.EVIDENCE, "paper"),
}


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
    link.from_address(page.title == "Network")
    if page.title == "Data":  # a lesson says by itself whether it uses the settings
        frame.without_settings()
    if is_ready():
        front = page.title == "Data" and in_use.awaited() is None and not in_use.is_chosen()
        drawer.draw("" if front else page.title, share=page.title != "Network" and not front)
        state.go_on()
        page.run()
    else:
        link.hold_address()


def navigation() -> dict[str, list[st.Page]]:
    """Return the pages by group, and those that lead on from former addresses."""
    pages = {
        group: [
            st.Page(
                f"pages/{name}/page.py",
                title=title,
                icon=icon,
                url_path="" if name == "data" else name,
                default=name == "data",
            )
            for name, title, icon in pages
        ]
        for group, pages in GROUPS.items()
    }
    pages[""] += [_former(name, *new) for name, new in FORMER.items()]
    return pages


def _former(name: str, page: str, key: str, part: str) -> st.Page:
    """Return the page at a former address, which leads on."""

    def lead_on() -> None:
        if key:
            state.put(key, part)
        state.open_page(page)

    return st.Page(lead_on, title=page.capitalize(), url_path=name, visibility="hidden")


def _entry(title: str) -> int:
    """Return which entry of the navigation leads to a page: its own, or that of its group."""
    alone = [name for _, name, _ in GROUPS[""]]
    entries = [[name] for name in alone] + [[name for _, name, _ in pages] for group, pages in GROUPS.items() if group]
    return next(number for number, names in enumerate(entries, 1) if title in names)


if __name__ == "__main__":
    main()
