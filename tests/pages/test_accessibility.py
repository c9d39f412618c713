"""What axe-core finds on every page, light and dark; it is put into the page, nothing is fetched."""

from importlib.resources import files

import pytest
from playwright.sync_api import expect

import bnengine as bn
from app import PAGES
from tests.pages.conftest import PAGE_FILES
from tests.pages.test_journey import browser, go, tab  # noqa: F401 - fixtures
from tests.pages.test_navigation import check_navigation
from tests.patience import HANG

pytestmark = pytest.mark.browser

TITLES = {name: title for name, title, _ in PAGES}
SERIOUS = ("serious", "critical")
DARK_RULES = "[...document.querySelectorAll('style')].some(style => style.textContent.includes('stBaseButton-primary'))"
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 27)"}


@pytest.fixture(scope="module")
def shown(browser, server):  # noqa: F811
    """One visitor of all pages, who is shown their light and dark variants."""
    with tab(browser, color_scheme="light", bypass_csp=True) as page:
        few = bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.BDeu(1.0), search=bn.HillClimbing(), n=10)
        page.goto(f"{server[0]}/learn?run={few.to_link()}")
        page.get_by_test_id("stSidebar").get_by_text("8 variables").wait_for()
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        yield page


def open_page(page, name):
    """Turn to the page in the light theme, and wait until its finding is there and nothing is being worked on."""
    title = TITLES[name]
    page.emulate_media(color_scheme="light")
    go(page, title)
    expect(page).to_have_title(f"{title} · bnengine", timeout=1000 * HANG)
    finished(page, "light")


def finished(page, scheme):
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", PAPER[scheme], timeout=1000 * HANG)
    page.wait_for_function(f"({DARK_RULES}) === {str(scheme == 'dark').lower()}")  # the server drew it in this theme
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.wait_for_function("!document.querySelector('[data-testid=stProgress]')")
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.locator("h2").first.wait_for()


def in_both_themes(page):
    """What is wrong with the page as it is, in the light theme, and with the colours of the dark one."""
    found = serious(page)
    page.emulate_media(color_scheme="dark")
    finished(page, "dark")
    return found + serious(page, "color-contrast", "link-in-text-block")  # all that a theme changes


def serious(page, *rules):
    """What is wrong by these rules; by all of axe's usual ones if none is named."""
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = page.evaluate("only => axe.run(document, {resultTypes: ['violations'], ...only})", only)
    return [
        (rule["id"], node["html"])
        for rule in found["violations"]
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", PAGE_FILES)
def test_axe_finds_nothing_serious_and_the_open_page_is_marked(shown, name):
    open_page(shown, name)
    check_navigation(shown, TITLES[name])
    assert in_both_themes(shown) == []
    assert shown.locator("h1").count() == 1
    assert shown.get_by_role("button", name="Glossary").is_visible()


def test_axe_finds_nothing_serious_in_the_glossary(shown):
    """It is the same on every page."""
    open_page(shown, "mdl")
    shown.get_by_role("button", name="Glossary").click()
    shown.get_by_label("Find a term").wait_for()
    shown.get_by_text("Unit of information: what one toss of a fair coin tells").wait_for()
    assert in_both_themes(shown) == []
    shown.keyboard.press("Escape")


def test_axe_finds_nothing_serious_in_a_lecture_which_the_arrow_keys_lead_through(shown):
    open_page(shown, "present")
    shown.get_by_role("button", name="Present").last.click()
    shown.get_by_text("draws rows with replacement").wait_for()
    assert in_both_themes(shown) == []
    shown.keyboard.press("ArrowRight")
    shown.locator(".js-plotly-plot .trace").first.wait_for()
    assert in_both_themes(shown) == []
    assert not shown.get_by_test_id("stSidebar").is_visible()
    shown.keyboard.press("ArrowRight")
    shown.get_by_text("ten times as many rows").wait_for()
    assert "step=2" in shown.url
    shown.get_by_role("button", name="Leave").click()
    shown.get_by_role("button", name="Present").first.wait_for()


def test_axe_would_find_text_that_is_too_pale(shown):
    open_page(shown, "mdl")
    shown.evaluate("document.querySelector('h2').style.cssText = 'color: #777; background: #888'")
    assert any(rule == "color-contrast" for rule, _ in serious(shown))
