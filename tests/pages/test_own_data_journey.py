"""A survey that nobody prepared, from Home to Figure 1 and back, in a real browser; a known truth; the back button."""

import dataclasses
import io
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import bnengine as bn
from bnengine.graphs.known_truth import compare_with_truth
from tests.pages.test_journey import (  # noqa: F401 - fixtures
    IDLE,
    browser,
    click_for,
    finding,
    go,
    page,
    panels,
    tab,
)
from tests.pages.test_network_in_browser import MIDDLE
from tests.patience import HANG

pytestmark = pytest.mark.browser

MOST_CLICKS = 4
VERDICT = r"survey\.csv.*found again and real"


def survey():
    """300 answers as they come out of a form: a number per person, ratings, an income that not everybody tells."""
    rng = np.random.default_rng(12)
    n = 300
    service = rng.integers(1, 6, n)
    columns = {"respondent_id": np.arange(10_001, 10_001 + n), "service": service}
    for name, share in (("waiting", 0.7), ("friendly", 0.8), ("price", 0.2), ("again", 0.6)):
        columns[name] = np.where(rng.random(n) < share, service, rng.integers(1, 6, n))
    columns["town"] = rng.choice(["Aachen", "Bonn", "Köln"], n)
    income = np.round(1500 + 600 * columns["price"] + rng.normal(0, 300, n), -1).astype(int).astype(str)
    columns["income"] = np.where(rng.random(n) < 0.08, "", income)
    return pd.DataFrame(columns).to_csv(index=False)


def choose(page, content, name="survey.csv"):  # noqa: F811
    """Choose a file, where the page asks for one."""
    page.locator(".st-key-upload input[type=file]").wait_for(state="attached")
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


class Clicks:
    """Clicks of a person, counted; choosing a file is one."""

    def __init__(self, page):  # noqa: F811
        self.page, self.n = page, 0

    def __call__(self, place):
        self.n += 1
        if callable(place):
            place(self.page)
        else:
            place.click()

    def choose(self, content):
        self.n += 1
        choose(self.page, content)


def idle(page):  # noqa: F811
    page.locator(IDLE).wait_for(state="attached")


def test_an_unprepared_survey_from_home_to_the_verdict_in_four_clicks(page):  # noqa: F811
    content, clicks = survey().encode(), Clicks(page)
    clicks(page.get_by_role("button", name="Open a table"))
    clicks.choose(content)
    assert "300 rows, 7 variables" in finding(page, "survey.csv is ready")  # rows with missing cells are kept
    page.locator(".st-key-note-left-out").filter(has_text="respondent_id").wait_for()
    clicks(page.get_by_role("button", name="Next: learn a network"))
    finding(page, "On survey.csv")
    clicks(page.get_by_role("button", name="Next: confidence").first)
    found = finding(page, VERDICT)
    page.locator(".edges button .name").first.wait_for()
    assert clicks.n <= MOST_CLICKS
    panels(page)

    report = click_for(page, "Report (HTML)").decode()
    assert "survey.csv" in report
    assert report.count("<svg") >= 4
    edges = click_for(page, "All edges with both answers")

    page.get_by_text("Share or save").click()
    idle(page)
    page.get_by_text("Include my data").click()
    page.locator("label", has_text="Include my data").locator("input:checked").wait_for(state="attached")
    idle(page)
    saved = click_for(page, "Save the session (ZIP)")
    with zipfile.ZipFile(io.BytesIO(saved)) as session:
        table = pd.read_csv(session.open("learned_from.csv"))
        assert table.shape == (300, 7)
        assert {"table1.csv", "edge_confidence.csv", "learned_edges.csv", "repeat.R"} <= set(session.namelist())

    page.reload()  # the browser is known: its file and its results are found again
    assert finding(page, VERDICT) == found
    with tab(page.context.browser) as elsewhere:  # another browser knows the settings only, and a session has the data
        elsewhere.goto(page.url)
        finding(elsewhere, "need your file survey.csv")
        choose(elsewhere, saved, "session.zip")
        assert finding(elsewhere, VERDICT) == found
        panels(elsewhere)
        assert click_for(elsewhere, "All edges with both answers") == edges


@pytest.mark.thorough  # in CI the way back is gone without a browser, in test_identity.py
def test_going_back_restores_the_settings_step_by_step(page):  # noqa: F811
    go(page, "Learn")
    finding(page, "finds")
    idle(page)
    seed = page.get_by_label("Seed", exact=True).first

    def holds(value, path):
        page.wait_for_url(re.compile(path))
        expect(seed).to_have_value(value, timeout=1000 * HANG)
        idle(page)

    for value in ("5", "6"):
        before = page.url
        seed.fill(value)
        seed.press("Enter")
        page.wait_for_url(lambda url, before=before: url != before)
        idle(page)
    page.get_by_role("button", name="Next: confidence").click()
    holds("6", r"/confidence\?run=")
    finding(page, "300 rows")
    for value, path in (("6", r"/learn\?run="), ("5", r"/learn\?run="), ("0", "/learn$")):
        page.go_back()
        holds(value, path)
        finding(page, "finds")
    page.go_forward()
    holds("5", r"/learn\?run=")
    page.go_back()
    holds("0", "/learn$")
    page.go_back()
    page.get_by_role("button", name="Run the paper's experiment").wait_for()


def test_against_a_known_truth_an_edge_is_forbidden_on_the_graph_and_stays_so(page):  # noqa: F811
    """Loading the page again in the middle keeps the constraint; going back lifts it."""
    experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=2000, seed=1), bn.BDeu(10), ties="columns")
    data, truth = experiment.load(), bn.load_network("cancer").edges
    edge = min(experiment.learn(data).edges)
    without = dataclasses.replace(experiment, constraints=bn.Constraints(forbidden=(edge,)))

    def check(settings):
        edges = settings.learn(data).edges
        found = compare_with_truth(data.names, edges, truth)
        counts = f"{len(found.true)} true, {len(found.reversed)} reversed, {len(found.extra)} extra"
        page.locator(".st-key-note-known-network").filter(has_text=counts).wait_for()
        expect(page.locator(".network .edge")).to_have_count(len(edges), timeout=1000 * HANG)
        idle(page)
        return found

    page.goto(f"{page.url.rstrip('/')}/learn?run={experiment.to_link()}")
    before = check(experiment)
    number = experiment.learn(data).edges.index(edge)
    page.mouse.click(*page.locator(f".network .edge[data-edge='{number}'] .near").evaluate(MIDDLE))
    page.get_by_text(f"{edge[0]} → {edge[1]} adds").wait_for()
    page.get_by_role("button", name="Everything about this edge").click()
    page.get_by_role("button", name="Forbid this edge").click()
    after = check(without)
    assert (before.true, before.reversed, before.extra) != (after.true, after.reversed, after.extra)
    page.reload()
    check(without)
    with tab(page.context.browser) as other:  # who comes without the address has none of these settings
        other.goto(page.url.partition("?")[0])
        other.get_by_test_id("stSidebar").get_by_text("37 variables").wait_for()
    page.go_back()
    check(experiment)
