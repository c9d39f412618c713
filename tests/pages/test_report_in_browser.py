"""The report as a file on a disk: it reacts, by pointer and keyboard; it asks for nothing and runs no other script."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import bnengine as bn
from bnengine.answers.views import learned_view, threshold_view, verdict_view
from bnengine.plots.verdict_drawing import on_dark, view_picture
from bnengine.report.html_report import html_report, view_of
from tests.pages.browsing import tab

HOSTILE = [
    "</script><script>window.ran=1</script>",
    "\"><img src=x onerror='window.ran=1'>",
    "${alert(1)}\u2028",
    "a & b",
]
METHODS = ("bootstrap", "bootstrap_corrected", "predictive")


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2, 120)]
    for _ in HOSTILE[1:]:
        columns.append(np.where(rng.random(120) < 0.68, columns[-1], 1 - columns[-1]))
    states = np.array(["<b>no</b>", "yes"])
    data = bn.Dataset.from_frame(pd.DataFrame(dict(zip(HOSTILE, (states[one] for one in columns), strict=True))))
    experiment = bn.Experiment(bn.Recipe("file", f"{HOSTILE[0]}.csv"), n=20, methods=METHODS)
    return experiment, data, experiment.run(data)


@pytest.fixture
def report(browser, run, tmp_path):
    """The report, opened from the disk."""
    path = tmp_path / "report.html"
    path.write_text(html_report(*run), encoding="utf-8")
    with tab(browser, reduced_motion="reduce", color_scheme="light") as page:
        page.goto(path.as_uri())
        yield page
        assert page.asked == [path.as_uri()]
        assert page.evaluate("window.ran") is None


def listed(page):
    return page.locator("#edges tbody tr:visible").evaluate_all("rows => rows.map((row) => row.cells[0].textContent)")


def names_of(view):
    rows = view.rows()
    joins = np.where(rows["direction"] == "settled", "→", "–")
    return [f"{one} {join} {other}" for one, join, other in zip(rows["parent"], joins, rows["child"], strict=True)]


def test_every_view_and_threshold_shows_the_edges_of_the_engine_in_table_and_picture(report, run):
    found = view_of(*run).found
    wanted = {"Best-scoring graph": learned_view(found, run[2].reference), "Verdict": verdict_view(found)}
    for title, view in wanted.items():
        report.get_by_label(title).check()
        assert listed(report) == names_of(view)
        expect(report.locator(".network .edge .head")).to_have_count(sum("→" in name for name in names_of(view)))
    report.get_by_label("Threshold").check()
    slider = report.get_by_label("Found again in at least")
    for at in ("0.2", "0.55", "0.95"):
        slider.fill(at)
        view = threshold_view(found, float(at))
        assert listed(report) == names_of(view)
        expect(report.locator("#count")).to_contain_text(f"{len(names_of(view))} edge")
    slider.press("ArrowLeft")
    expect(report.locator("#share")).to_have_text("94%")


def test_an_edge_shows_its_numbers_by_a_click_and_by_keyboard(report):
    report.locator(".network .edge .near").first.dispatch_event("click")
    chosen = report.locator("#chosen")
    cells = report.locator("#edges tr.picked td")
    expect(cells.nth(2)).to_have_text(re.compile(r"^\d+%$"))
    for text in filter(None, cells.all_inner_texts()):
        expect(chosen).to_contain_text(text)
    report.keyboard.press("Escape")
    expect(chosen).to_be_hidden()
    names = listed(report)
    report.locator("#edges .edge-name:visible").first.focus()
    report.keyboard.press("ArrowDown")
    report.keyboard.press("Enter")
    expect(chosen.locator("b")).to_have_text(names[1])
    expect(report.locator(".network .edge.picked")).to_have_count(1)


def test_replicates_are_played_and_colours_and_print_follow(report, run):
    report.get_by_label("Draw the study again").check()
    report.get_by_role("button", name="Play all 20").click()
    mean = run[2].ensembles["bootstrap"].edge_counts.mean()
    expect(report.locator(".redraws .count")).to_contain_text(f"Mean of the 20 drawn: {mean:.1f} edges")
    report.get_by_label("Verdict").check()
    color = report.locator(".network .edge .line").first
    light = color.get_attribute("stroke")
    report.get_by_role("button", name="Dark").click()
    assert color.get_attribute("stroke") == on_dark()[light]
    assert report.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 27)"
    report.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert color.get_attribute("stroke") == light
    report.emulate_media(media="print")
    expect(report.locator("fieldset")).to_be_hidden()
    expect(report.locator(".network .node")).to_have_count(4)


def test_it_is_readable_without_script(browser, run, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html_report(*run), encoding="utf-8")
    with tab(browser, java_script_enabled=False) as page:
        page.goto(path.as_uri())
        expect(page.locator("#still img")).to_be_visible()
        expect(page.locator("#live")).to_be_hidden()
        shown = page.locator("#edges tbody tr:visible td:first-child").all_text_contents()
        assert shown == names_of(view_of(*run))


def test_every_colour_of_a_view_has_one_for_a_dark_ground(run):
    view = view_of(*run)
    light, dark = (view_picture(view, one) for one in (False, True))
    assert [on_dark()[style.color] for style in light.edges.values()] == [one.color for one in dark.edges.values()]
    assert [on_dark()[style.color] for _, style in light.legend] == [one.color for _, one in dark.legend]


@pytest.mark.slow
def test_sixty_variables_and_two_hundred_replicates_take_at_most_a_megabyte():
    rng, columns = np.random.default_rng(1), list(np.random.default_rng(2).integers(0, 3, (3, 200)))
    while len(columns) < 60:
        one, other = rng.integers(max(0, len(columns) - 8), len(columns), 2)
        columns.append(np.where(rng.random(200) < 0.6, (columns[one] + columns[other]) % 3, rng.integers(0, 3, 200)))
    data = bn.Dataset.from_frame(pd.DataFrame({f"measurement {v}": one for v, one in enumerate(columns)}).astype(str))
    experiment = bn.Experiment(bn.Recipe("file", "x.csv"), search=bn.HillClimbing(), n=200, methods=METHODS[:2])
    content = html_report(experiment, data, experiment.run(data))
    stored = json.loads(content.split('id="stored">')[1].split("</script>")[0])
    assert [len(method["graphs"]) for method in stored["replicates"]["redraws"]["methods"]] == [200, 200]
    assert len(content.encode()) < 1_000_000


def test_on_a_phone_nothing_but_the_table_of_edges_is_wider_than_the_window(report):
    report.set_viewport_size({"width": 390, "height": 844})
    assert report.evaluate("document.documentElement.scrollWidth") == 390
