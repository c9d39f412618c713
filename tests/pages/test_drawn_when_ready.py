"""A page that waits for work is drawn again when the work is done, whatever reaches the server while a run ends."""

import asyncio

import pytest

from pages.shared import streamlit_inside
from tests.pages.tab import Tab, serving
from tests.pages.test_jobs import ENDLESS
from tests.patience import HANG

STOP, AGAIN = "Stop and keep the best so far", "Search again to the end"


def shows(tab, label):
    return any(button.label == label for button, _ in tab.shown("button"))


async def arrived(runtime):
    """A tab whose page shows that a long search goes on."""
    tab = Tab(runtime, "network", f"run={ENDLESS.to_link()}")
    tab.ask()
    await tab.until(lambda: shows(tab, STOP), tick=True)  # first the engine may have to be loaded
    await tab.drawn()
    return tab


async def asked_at_the_end_of_a_run(tab, **request):
    """Draw the page, and let a request reach the server when that run has ended and its end is not yet dealt with."""
    tab.ask()
    await tab.until(lambda: not tab.timers)  # the browser has heard of the run
    tab.session._scriptrunner._script_thread.join(HANG)  # the event loop is late: here it waits for the run to end
    tab.ask(**request)
    await tab.drawn()


async def stopped(tab):
    """Stop the search, and wait for what it found."""
    button, part = next((button, part) for button, part in tab.shown("button") if button.label == STOP)
    tab.ask(part=part, pressed=button.id)
    await tab.until(lambda: shows(tab, AGAIN), tick=True)
    await tab.drawn()


@pytest.mark.parametrize(("kind", "label"), [("button", STOP), ("text_input", "Find a term")])
def test_what_a_run_has_drawn_is_sent_whatever_is_asked_while_it_ends(compiled, monkeypatch, kind, label):
    """Asked for is the part that shows the progress, as its timer does, and the glossary, as somebody types."""
    monkeypatch.setattr(streamlit_inside, "connected", lambda name: True)

    async def visit():
        async with serving() as runtime:
            tab = await arrived(runtime)
            part, n = next(part for one, part in tab.shown(kind) if one.label == label), tab.finished
            await asked_at_the_end_of_a_run(tab, part=part, tick=kind == "button")
            assert tab.finished > n
            assert tab.timers
            await stopped(tab)

    asyncio.run(visit())


def test_a_timer_of_the_page_before_does_not_empty_the_page_that_was_turned_to(compiled, monkeypatch):
    """Its request reaches the server while the new page is drawn; the browser empties a page for a run of another."""
    monkeypatch.setattr(streamlit_inside, "connected", lambda name: True)

    async def visit():
        async with serving() as runtime:
            tab = await arrived(runtime)
            (part,), left = tab.timers, tab.page
            pages = tab.session.get_pages().items()
            tab.page = next(key for key, page in pages if page["url_pathname"] == "evidence")
            tab.ask()
            tab.page = left
            tab.ask(part=part, tick=True)
            await tab.drawn()
            assert tab.page != left
            assert tab.run_of == tab.page

    asyncio.run(visit())
