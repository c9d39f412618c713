"""What the journeys in a real browser share: where a person clicks, what the page says, what is downloaded."""

import contextlib
import csv
import io
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import numpy as np
import pandas as pd
from playwright.sync_api import TimeoutError, expect

from app import GROUPS
from tests.pages.reading import word
from tests.patience import HANG

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LAUNCH = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
IDLE = "[data-test-script-state=notRunning]"


@contextlib.contextmanager
def tab(browser, **settings):
    """A page of its own session; ``page.asked`` lists the addresses that it requested."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True, **settings)
    page = context.new_page()
    page.set_default_timeout(1000 * HANG)
    page.asked, page.failed = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.failed.append(str(error)))
    try:
        yield page
        assert not page.get_by_test_id("stException").count()
        assert not page.locator(".katex-error").count()
        assert page.failed == []
    finally:
        context.close()


def idle(page):
    """Wait until nothing is drawn. At once after a click this is too early: first wait for what the click shows."""
    page.locator(IDLE).wait_for(state="attached")


#: Nothing is drawn or worked on, and nothing that the next draw takes away is still there, half transparent.
_RESTS = """() => document.querySelector("[data-test-script-state=notRunning]")
  && !document.querySelector("[data-testid=stProgress], [data-stale=true]")
  && ![...document.querySelectorAll("[data-testid=stAlert]")].some(one => one.textContent.includes("hourglass_top"))"""


def rest(page):
    """Wait until nothing is worked on and nothing is drawn: the page does not change any more."""
    page.wait_for_function(_RESTS)


def click(what):
    """Click what is there once nothing is drawn: a click on what is being drawn again would be lost."""
    what.wait_for()
    idle(what.page)
    what.click()


def press(page, name):
    """Press the button of this name, as soon as it is there and nothing is drawn."""
    click(page.get_by_role("button", name=name).last)


def go(page, name):
    """Open a page by its link on top, and again where a redraw has closed the menu or swallowed the click."""
    group = next(group for group, pages in GROUPS.items() if name in [title for _, title, _ in pages])
    link = page.locator("[data-testid^=stTopNav] a, a[data-testid^=stTopNav]").filter(has_text=name).first
    while True:
        while group and not link.is_visible():
            page.get_by_test_id("stTopNavSection").filter(has_text=group).click()
            with contextlib.suppress(TimeoutError):
                link.wait_for(timeout=3000)
        target = urlsplit(urljoin(page.url, link.get_attribute("href"))).path
        link.click()
        with contextlib.suppress(TimeoutError):
            page.wait_for_url(lambda url, path=target: urlsplit(url).path == path, timeout=20_000)
            return


def says(place, *values):
    """Wait until a place has each value as a word of its own; numbers as the pages write them."""
    for value in values:
        expect(place).to_contain_text(word(value))


def finding(page, text):
    """The page's sentence, once it is there."""
    heading = page.get_by_test_id("stMain").locator("h2", has_text=re.compile(text)).first
    heading.wait_for()
    return heading.inner_text()


def turn_to(page, name):
    """Turn to a section or a view of the page."""
    click(page.get_by_test_id("stMain").get_by_text(name, exact=True).first)


#: What can be pressed, typed in or stepped to in the window, but for the navigation.
_CONTROLS = """() => {
  const seen = root => [...root.querySelectorAll("button, a[href], input, select, textarea, [tabindex]")]
    .filter(one => !one.closest("[data-testid=stHeader], .st-key-glossary") && one.tabIndex >= 0)
    .filter(one => one.type !== "file" && one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter(one => { const box = one.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; });
  const roots = [...document.querySelectorAll("*")].map(one => one.shadowRoot).filter(Boolean);
  return [document, ...roots].flatMap(seen).map(one => one.getAttribute("aria-label") || one.innerText || one.type);
}"""


def controls(page):
    """Names of the controls in the window, once the page rests."""
    page.mouse.move(0, 0)
    rest(page)
    return page.evaluate(_CONTROLS)


def slider(page, label):
    return page.get_by_test_id("stSlider").filter(has_text=label).get_by_role("slider")


def choose_file(page, name, content):
    """Choose a file, where the page asks for one."""
    uploader = page.locator(".st-key-upload input[type=file]")
    uploader.wait_for(state="attached")
    idle(page)
    uploader.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})


def click_for(page, label):
    """The downloaded file's bytes: while a page is drawn, a download can be cancelled, or lack what is yet to come."""
    rest(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=label).click()
    return Path(download.value.path()).read_bytes()


def check_table(content, expected):
    """A downloaded table has the expected columns with exactly the expected words and numbers."""
    lines = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(lines) == len(expected)
    for name, column in expected.items():
        cells = [line[name] for line in lines]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            np.testing.assert_array_equal([float(cell or "nan") for cell in cells], column)
        else:
            assert cells == [str(value) for value in column]
