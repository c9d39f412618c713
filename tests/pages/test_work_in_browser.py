"""A run in a real browser: it survives loading the page again, and fast changes of pages leave none of them white."""

import pytest
from playwright.sync_api import expect

from tests.pages.test_journey import browser, go, tab  # noqa: F401 - a fixture
from tests.pages.test_waiting import ENDLESS
from tests.patience import HANG

pytestmark = pytest.mark.browser

ROUND = ("Data", "Learn", "Confidence", "MDL", "Learn", "Predict")


def test_a_run_goes_on_while_the_page_is_loaded_again_and_pages_are_changed_fast(browser, server):  # noqa: F811
    address, _ = server
    with tab(browser) as page:
        expect.set_options(timeout=1000 * HANG)
        failed = []
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(f"{address}/learn?run={ENDLESS.to_link()}")
        stop = page.get_by_role("button", name="Stop and keep the best so far")
        stop.wait_for()
        page.reload()
        stop.wait_for()  # joined
        for k, name in enumerate(ROUND):
            go(page, name)
            page.wait_for_timeout(40 * (k % 5))
        go(page, "MDL")
        expect(page.get_by_test_id("stMainBlockContainer").locator("h2").first).to_be_visible()
        assert not failed
        go(page, "Learn")
        stop.click()
        expect(page.get_by_role("button", name="Search again to the end")).to_be_visible()
