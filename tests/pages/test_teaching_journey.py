"""The teaching pages in a real browser: formulas are typeset, buttons act, tables are downloaded."""

import pytest

import bnengine as bn
from tests.pages.test_journey import browser, check_table, click_for, finding, go, page  # noqa: F401 - fixtures

pytestmark = pytest.mark.browser


def turn_to(page, section):  # noqa: F811
    page.get_by_test_id("stMain").get_by_role("radio", name=section, exact=True).click()


def check_formulas(page):  # noqa: F811
    page.locator(".katex").first.wait_for()
    assert page.locator(".katex-error").count() == 0


def test_a_lecturer_shows_the_example_and_climbs_by_hand(page):  # noqa: F811
    go(page, "MDL")
    finding(page, "connected network needs 9 bits")
    turn_to(page, "Eight rows")
    finding(page, r"15\.75 bits for eight rows, the independent one 18\.64")
    check_formulas(page)
    eight = bn.Dataset.from_frame(bn.load_sample("lecture_8"))
    lengths = bn.teaching.description_lengths(eight, {"connected": [("X", "Y")], "independent": []})
    check_table(click_for(page, "Description lengths (CSV)"), lengths)
    turn_to(page, "Search by hand")
    finding(page, "has 0 edges")
    asia = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    first = bn.teaching.single_changes(asia, [])[0]
    page.get_by_role("button", name="Apply the best change").click()
    finding(page, "has 1 edge ")
    for label, name in (("From", first.child), ("To", first.parent)):
        box = page.get_by_test_id("stMain").get_by_test_id("stSelectbox").filter(has_text=label).locator("input")
        box.click()
        box.fill(name)
        page.keyboard.press("Enter")
        page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text(f"{first.parent} → {first.child} is in the graph already: reverse it instead").wait_for()
    page.get_by_role("button", name="Undo").click()
    finding(page, "has 0 edges")
    check_formulas(page)
    for section, text in (
        ("Replicated data", "MDL prefers"),
        ("Compare networks", "shortest description"),
        ("Search space", "visits"),
    ):
        turn_to(page, section)
        finding(page, text)
        assert page.locator(".katex-error").count() == 0


@pytest.mark.thorough  # in CI the sections of the Bias lab are drawn in a browser
def test_every_section_on_the_bayesian_score_is_drawn(page):  # noqa: F811
    go(page, "Bayesian score")
    for section, text in (
        ("Coin tosses", "these 10 tosses"),
        ("BDeu and BIC", "the true graph of SURVEY"),
        ("Overfitting", "are predicted best with"),
        ("Prior strength", "equivalent sample size of"),
        ("Equivalence", "equivalent graphs the same score"),
        ("Local optima", "Greedy search stops at 0 edges"),
        ("Model averaging", "averaging over all 543 graphs"),
    ):
        turn_to(page, section)
        finding(page, text)
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        if section != "Local optima":
            check_formulas(page)
