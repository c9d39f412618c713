"""What axe-core finds on every page, light and dark; it is put into the page, nothing is fetched."""

from importlib.resources import files

import pytest

from app import PAGES
from tests.pages.conftest import PAGE_FILES
from tests.pages.test_journey import browser, tab  # noqa: F401 - fixtures

pytestmark = pytest.mark.browser

TITLES = {path: title for path, title, _ in PAGES}
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def axe():
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["light", "dark"])
def shown(request, browser, server):  # noqa: F811
    with tab(browser, color_scheme=request.param, bypass_csp=True) as page:
        yield page, server[0]


def finished(page, address, name):
    """The page, once its finding is there and nothing is being worked on."""
    page.goto(f"{address}/{'' if name == 'home' else name}")
    page.locator("h1").wait_for()
    page.locator("h2").first.wait_for()
    page.wait_for_function("!document.querySelector('[data-testid=stProgress]')")
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")


def serious(found):
    return [
        (rule["id"], node["html"])
        for rule in found["violations"]
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", PAGE_FILES)
def test_axe_finds_nothing_serious(shown, axe, name):
    page, address = shown
    finished(page, address, name)
    page.evaluate(axe)
    assert serious(page.evaluate("axe.run(document, {resultTypes: ['violations']})")) == []
    assert page.title() == f"{TITLES[PAGE_FILES[name]]} · bnengine"
    assert page.locator("h1").count() == 1
    assert page.get_by_role("button", name="Glossary").is_visible()


def test_axe_finds_nothing_serious_in_the_glossary(shown, axe):
    """It is the same on every page."""
    page, address = shown
    finished(page, address, "mdl")
    page.evaluate(axe)
    page.get_by_role("button", name="Glossary").click()
    page.get_by_label("Find a term").wait_for()
    page.get_by_text("Unit of information: what one toss of a fair coin tells").wait_for()
    assert serious(page.evaluate("axe.run(document, {resultTypes: ['violations']})")) == []
    page.keyboard.press("Escape")


def test_axe_would_find_text_that_is_too_pale(shown, axe):
    page, address = shown
    finished(page, address, "mdl")
    page.evaluate("document.querySelector('h2').style.cssText = 'color: #777; background: #888'")
    page.evaluate(axe)
    assert any(rule == "color-contrast" for rule, _ in serious(page.evaluate("axe.run()")))
