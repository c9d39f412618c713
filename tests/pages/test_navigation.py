"""The navigation in a real browser: the four pages of an analysis are always there, and the open page is marked."""

import pytest
from playwright.sync_api import expect

from app import GROUPS, PAGES
from tests.pages.test_journey import browser, finding, go, tab  # noqa: F401 - fixtures
from tests.patience import HANG

pytestmark = pytest.mark.browser


def check_navigation(page, title):
    """The pages of an analysis are visible, and the page that is open is marked; ``test_accessibility`` opens each."""
    links = page.get_by_test_id("stTopNavLink")
    assert [text.splitlines()[-1] for text in links.all_inner_texts()] == [name for _, name, _ in GROUPS[""]]
    assert all(link.is_visible() for link in links.all())
    group = next(group for group, pages in GROUPS.items() if title in [name for _, name, _ in pages])
    marked = links.filter(has_text=title) if not group else page.get_by_test_id("stTopNavSection")
    heavy = marked.filter(has_text=group).locator("p")
    expect(heavy).to_have_css("font-weight", "600", timeout=1000 * HANG)


@pytest.mark.thorough
def test_the_pages_of_an_analysis_are_visible_on_a_wide_screen_and_the_open_one_is_marked(browser, server):  # noqa: F811
    with tab(browser) as page:
        page.set_viewport_size({"width": 1920, "height": 800})
        page.goto(f"{server[0]}/data")
        for _, title, _ in PAGES[1:]:
            go(page, title)
            expect(page.locator("h1")).to_have_text(title, timeout=1000 * HANG)
            check_navigation(page, title)


def test_another_page_begins_on_its_top(browser, server):  # noqa: F811
    with tab(browser) as page:
        page.set_viewport_size({"width": 390, "height": 600})
        page.goto(server[0])
        step = page.get_by_role("button", name="Search by hand")
        step.scroll_into_view_if_needed()
        step.click()
        finding(page, "Your network has")
        assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0
