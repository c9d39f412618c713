"""Journeys in a real browser: what a newcomer clicks, sees and downloads."""

import contextlib
import csv
import io
import os
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import expect, sync_playwright

import bnengine as bn
from app import GROUPS
from bnengine.answers.edge_answers import two_answers, with_all_methods
from bnengine.bootstrap.resampling_methods import first_shown
from bnengine.experiment.learning import real_posterior
from bnengine.report.html_report import html_report
from pages.shared.format import short
from tests.pages.reading import shows
from tests.pages.serving import served
from tests.patience import HANG

IDLE = "[data-test-script-state=notRunning]"

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
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


@pytest.fixture(scope="module")
def browser():
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        reason = f"none of {', '.join(BROWSERS)} is installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(LAUNCH))
        yield browser
        browser.close()


@contextlib.contextmanager
def tab(browser, **settings):
    """A page of its own session; ``page.asked`` lists the addresses that it requested."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True, **settings)
    page = context.new_page()
    page.set_default_timeout(1000 * HANG)
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    try:
        yield page
    finally:
        context.close()


@pytest.fixture
def page(browser, server):
    address, log = server
    with tab(browser) as page:
        page.goto(address)
        page.get_by_role("button", name="Run the paper's experiment").wait_for()
        yield page
        assert not page.get_by_test_id("stException").count()
        hosts = {urlsplit(asked).hostname for asked in page.asked if asked.startswith(("http", "ws"))}
        assert hosts == {"localhost"}, "a page asks something of another machine"
    assert "Traceback" not in log.read_text()


def go(page, name):
    """Open a page by its link on top."""
    group = next(group for group, pages in GROUPS.items() if name in [title for _, title, _ in pages])
    if group:
        page.get_by_test_id("stTopNavSection").filter(has_text=group).click()
    page.locator("[data-testid^=stTopNav] a, a[data-testid^=stTopNav]").filter(has_text=name).first.click()


def finding(page, text):
    """The page's sentence, once it is there."""
    heading = page.get_by_test_id("stMain").locator("h2", has_text=re.compile(text)).first
    heading.wait_for()
    return heading.inner_text()


def panels(page):
    """The three panels of Figure 1, once they are drawn; the posterior, without which no verdict is told, is known."""
    finding(page, "found again and real")
    page.get_by_test_id("stMain").get_by_text("How the methods compare", exact=True).click()
    page.get_by_test_id("stMain").get_by_text("Figure 1", exact=True).click()
    charts = page.locator("[class*=st-key-chart-figure1] .js-plotly-plot")
    charts.nth(2).locator("path.point").first.wait_for(state="attached")
    assert charts.count() == 3
    return charts


def slider(page, label):
    return page.get_by_test_id("stSlider").filter(has_text=label).get_by_role("slider")


def edges_shown(page):
    """How many edges the caption under the threshold counts, and the threshold that it names."""
    caption = page.locator(".st-key-note-threshold")
    caption.wait_for()
    n, threshold = re.findall(r"\d+(?:\.\d+)?", caption.inner_text())[:2]
    return int(n), float(threshold)


def click_for(page, label):
    """The downloaded file's bytes."""
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
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
            assert [float(cell) for cell in cells] == column.tolist()
        else:
            assert cells == [str(value) for value in column]


def upload(page, name, text, encoding="utf-8"):
    go(page, "Data")
    page.get_by_test_id("stButtonGroup").get_by_text("Upload", exact=True).click()
    choose_file(page, name, text, encoding)


def choose_file(page, name, text, encoding="utf-8"):
    """Choose a file, where the page asks for one."""
    page.locator(".st-key-upload input[type=file]").wait_for(state="attached")
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode(encoding)}
    )


def test_from_home_to_the_edge_table(page):
    experiment = bn.Experiment(
        bn.Recipe("sample", "alarm_300"), bn.BDeu(1.0), search=bn.K2(tuple(bn.load_network("alarm").ordering))
    )
    study = experiment.run()
    table = study.edge_table()

    page.get_by_role("button", name="Run the paper's experiment").click()
    finding(page, "300 rows, BDeu")
    charts = panels(page)
    own = study.mean_edges("data")
    assert shows(
        page.locator(".st-key-note-numbers").inner_text(),
        round(own),
        *(f"{short(study.mean_edges(key) - own)} more" for key in ("bootstrap", "bootstrap_corrected")),
    )
    sentence = finding(page, "300 rows, BDeu")
    for number in range(3):
        assert charts.nth(number).locator("path.point").count() == len(table)

    page.get_by_test_id("stMain").get_by_text("Averaged networks", exact=True).click()
    before, threshold = edges_shown(page)
    method = first_shown(list(study.ensembles))
    assert before == len(study.averaged(method, threshold).edges)
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    for _ in range(2):  # ten steps each
        slider(page, "threshold").press("PageUp")  # which also takes the focus, should a redraw have taken it away
    moved = short(round(threshold + 0.2, 2))
    page.locator(".st-key-note-threshold").filter(has_text=moved).wait_for()
    after, threshold = edges_shown(page)
    assert after == len(study.averaged(method, threshold).edges) < before

    posterior = real_posterior(experiment, experiment.load())
    everything = with_all_methods(study, two_answers(study, method, "directed", posterior))
    check_table(click_for(page, "All edges with both answers"), everything)
    check_table(click_for(page, "Table 1"), study.table1().reset_index())

    go(page, "Learn")
    assert shows(finding(page, "K2"), round(own))
    go(page, "Data")
    assert shows(finding(page, "37"), 300, 37)
    go(page, "Confidence")
    assert finding(page, "300 rows, BDeu") == sentence


def test_a_messy_table_nobody_prepared(page):
    rng = np.random.default_rng(11)
    n = 300
    town = rng.choice(["Köln", "Aachen", "Bonn"], n)
    smokes = np.where(rng.random(n) < np.where(town == "Bonn", 0.8, 0.1), "ja", "nein")
    height = rng.normal(np.where(smokes == "ja", 165.0, 180.0), 6.0)
    cells = pd.DataFrame({"Ort": town, "<b>raucht</b>": smokes, "Größe, cm": [f"{x:.1f}" for x in height]})
    cells["Größe, cm"] = cells["Größe, cm"].str.replace(".", ",")
    cells["Land"] = "DE"
    cells.loc[rng.choice(n, 9, replace=False), "Ort"] = ""
    cells.loc[rng.choice(n, 5, replace=False), "Größe, cm"] = ""

    upload(page, "unsere Daten.csv", cells.to_csv(sep=";", index=False), encoding="cp1252")
    sentence = finding(page, "unsere Daten")
    assert f"{n} rows, 3 variables with 2 to 3 states" in sentence  # those with missing cells, too
    page.locator(".st-key-note-left-out").filter(has_text="Land").wait_for()

    go(page, "Confidence")
    assert "unsere Daten.csv" in finding(page, "found again and real")
    edge = page.locator(".edges button", has_text="<b>raucht</b>").first
    edge.click()
    page.locator(".edges button[aria-pressed=true]", has_text="<b>raucht</b>").wait_for()
    page.locator(".st-key-chart-verdict .edge.picked").wait_for(state="attached")
    charts = panels(page)
    downloaded = pd.read_csv(io.BytesIO(click_for(page, "All edges with both answers")))
    learned = (downloaded.filter(like="confidence_") > 0).any(axis=1) | downloaded["in_data_graph"]
    assert charts.nth(2).locator("path.point").count() == learned.sum()
    assert set(downloaded["parent"]) | set(downloaded["child"]) == {"Ort", "<b>raucht</b>", "Größe, cm"}
    page.get_by_test_id("stMain").get_by_text("Averaged networks", exact=True).click()
    network = page.locator(".st-key-chart-confidence_network .network")
    network.get_by_text("<b>raucht</b>").wait_for()
    network.get_by_text("Größe, cm").wait_for()

    go(page, "Learn")
    assert "finds no edge" not in finding(page, "unsere Daten")
    page.locator(".st-key-chart-learned_network .network").get_by_text("<b>raucht</b>").wait_for()


def test_a_refused_file_changes_nothing_and_names_are_not_read_as_markup(page):
    upload(page, "twice.csv", "a,b,a\n1,2,3\n")
    error = page.get_by_test_id("stAlert").filter(has_text="occurs 2 times")
    error.wait_for()
    assert "still in use" in error.inner_text()
    assert shows(finding(page, "37"), 300, 37)
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 150)
    flip = rng.random(150) < 0.1
    rows = "".join(f"{x},{x ^ y}\n" for x, y in zip(a, flip, strict=True))
    name = "*my* [link](http://x) `code` $1$ :red[file].csv"
    choose_file(page, name, "a_b_c,:smile:\n" + rows)
    shown = name.replace("://", ":\N{WORD JOINER}//")  # parted without width, so that it is no link
    assert "150 rows" in finding(page, re.escape(shown))
    go(page, "Learn")
    assert shown in finding(page, "better than no edges")
    assert not page.get_by_test_id("stMain").locator("a[href*='http://x'], h2 .katex").count()


def test_any_page_may_be_the_first_that_a_fresh_server_shows(browser, tmp_path):
    log = tmp_path / "log.txt"
    with served(log) as address, tab(browser) as page:
        for name in ("confidence", "learn", "data"):  # each time another session
            page.goto(f"{address}/{name}")
            page.locator("h2").or_(page.get_by_test_id("stException")).first.wait_for()
            assert not page.get_by_test_id("stException").count()
            assert page.get_by_test_id("stSidebar").get_by_text("37 variables").count()
    assert "Traceback" not in log.read_text()


def section(page, name):
    """Turn to a section of a page that is drawn: a click on what is being drawn anew would be lost."""
    page.locator(IDLE).wait_for(state="attached")
    page.get_by_test_id("stMain").get_by_text(name, exact=True).first.click()


def test_the_bias_lab_section_by_section(page):
    go(page, "Bias lab")
    sentence = finding(page, "bootstrap replicates is")
    table = bn.teaching.entropy_bias_by_size(
        bn.teaching.skewed_distribution(8, 0.5), (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000), rng=5
    )
    assert shows(sentence, -float(table["exact"][3]))
    downloaded = pd.read_csv(io.BytesIO(click_for(page, "Bias by number of rows")))
    assert downloaded["exact"].tolist() == table["exact"].tolist()
    slider(page, "states").press("ArrowRight")
    page.locator(".katex").filter(has_text="9").first.wait_for()
    for name, words in (
        ("Spurious dependence", "independent variables"),
        ("Measurements without ties", "distinct values"),
        ("Any statistic", "The variance of"),
        ("Number of edges", "the bias is"),
        ("The paper", "corrected once"),
        ("Training and test", "18 parameters"),
        ("Further", "On ALARM"),
    ):
        section(page, name)
        finding(page, words)
        page.get_by_test_id("stMain").locator(".js-plotly-plot .trace").first.wait_for()
        page.locator(".katex").first.wait_for()
    assert not page.locator(".katex-error").count()


def test_predicting_and_asking_what_if(page):
    go(page, "Predict")
    finding(page, "predicts BP right")
    section(page, "Edge by edge")
    stop = int(re.search(r"(\d+) of \d+", finding(page, r"\d+ of \d+"))[1])
    page.locator(".st-key-note-edge").filter(has_text=f"{stop}:").wait_for()
    slider(page, "edges added").press("ArrowLeft")
    page.locator(".st-key-note-edge").filter(has_text=f"{stop - 1}:").wait_for()
    section(page, "What if")
    finding(page, "No evidence yet")
    page.locator("[class*=st-key-chart-predict_posteriors] .bars .point path").first.click(force=True)
    finding(page, "^Given .* = ")
    page.get_by_role("button", name="Clear the evidence").click()
    finding(page, "No evidence yet")
    box = page.get_by_test_id("stMultiSelect").filter(has_text="observed variables").locator("input")
    option = page.get_by_role("option", name="VENTLUNG")
    for _ in range(HANG):  # the box is drawn anew, too, and loses what was typed before
        box.fill("VENTLUNG")
        with contextlib.suppress(TooLate):
            option.click(timeout=1000)
            break
    data = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    network = bn.fit(data, bn.learn(data).edges, ess=1.0)
    evidence = {"VENTLUNG": network.states[network.names.index("VENTLUNG")][0]}
    changed = bn.prediction.what_if(network, evidence)["variable"][0]
    assert f"{changed} changes most" in finding(page, "Given VENTLUNG")
    assert not page.locator(".katex-error").count()


@pytest.mark.thorough  # in CI every page is seen in both themes, in test_accessibility.py
def test_a_page_follows_a_change_of_theme(browser, server):
    """Whether the browser draws it (text, captions, networks) or the server chose its colours (other pictures)."""
    inks, grounds = (
        {"light": "rgb(27, 31, 36)", "dark": "rgb(232, 236, 240)"},
        {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 27)"},
    )
    with tab(browser, color_scheme="light") as page:

        def colors(scheme, **texts):
            page.emulate_media(color_scheme=scheme)
            for attribute, text in texts.items():
                expect(page.locator(text).first).to_have_css(attribute, inks[scheme], timeout=1000 * HANG)
            expect(page.get_by_test_id("stApp")).to_have_css("background-color", grounds[scheme])

        page.goto(f"{server[0]}/bias_lab")
        for scheme in ("light", "dark", "light"):
            colors(
                scheme,
                fill=".js-plotly-plot .xtick text",
                color="[data-testid=stMain] [data-testid=stCaptionContainer]",
            )
        go(page, "Learn")
        for scheme in ("light", "dark"):
            colors(scheme, fill=".st-key-chart-learned_network .node text")


def test_the_report_prints_without_asking_for_anything(browser, tmp_path):
    experiment = bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=100, seed=1), n=5, methods=("bootstrap", "bootstrap_corrected")
    )
    data = experiment.load()
    file = tmp_path / "report.html"
    file.write_text(html_report(experiment, data, experiment.run(data)), encoding="utf-8")
    with tab(browser) as page:
        page.goto(file.as_uri())
        assert page.locator("svg").count() == 7  # three panels, three histograms, the network
        assert page.pdf().startswith(b"%PDF")
        assert page.asked == [file.as_uri()]
