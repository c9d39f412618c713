"""Six journeys in a real browser: what a person clicks, sees and downloads, and what only a browser can show."""

import dataclasses
import io
import re
import zipfile
from importlib.resources import files
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import bnengine as bn
from app import GROUPS, PAGES
from bnengine.answers.edge_answers import two_answers, with_all_methods
from bnengine.bootstrap.resampling_methods import first_shown
from bnengine.experiment.learning import real_posterior
from bnengine.graphs.known_truth import compare_with_truth
from bnengine.report.html_report import html_report
from pages.shared.format import short
from pages.shared.keys import Key
from tests import exports
from tests.pages.browsing import (
    PATIENCE,
    check_table,
    choose_file,
    click_edge,
    click_for,
    finding,
    go,
    idle,
    slider,
    tab,
    turn_to,
)
from tests.pages.reading import shows
from tests.pages.serving import served
from tests.pages.test_jobs import ENDLESS

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _patience():
    expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture
def page(browser, server):
    address, log = server
    with tab(browser) as page:
        page.goto(address)
        page.get_by_role("button", name="Run the paper's experiment").wait_for()
        yield page
        hosts = {urlsplit(asked).hostname for asked in page.asked if asked.startswith(("http", "ws"))}
        assert hosts == {"localhost"}, "a page asks something of another machine"
    assert "Traceback" not in log.read_text()


# The paper's experiment, from Home to Figure 1, its tables and a prediction.


def panels(page):
    """The three panels of Figure 1, once they are drawn."""
    turn_to(page, "How the methods compare")
    turn_to(page, "Figure 1")
    charts = page.locator("[class*=st-key-chart-figure1] .js-plotly-plot")
    charts.nth(2).locator("path.point").first.wait_for(state="attached")
    assert charts.count() == 3
    return charts


def edges_shown(page):
    """How many edges the caption under the threshold counts, and the threshold that it names."""
    caption = page.locator(".st-key-note-threshold")
    caption.wait_for()
    n, threshold = re.findall(r"\d+(?:\.\d+)?", caption.inner_text())[:2]
    return int(n), float(threshold)


def test_from_the_paper_s_experiment_to_its_tables_and_a_prediction(page):
    experiment = bn.Experiment(
        bn.Recipe("sample", "alarm_300"), bn.BDeu(1.0), search=bn.K2(tuple(bn.load_network("alarm").ordering))
    )
    study = experiment.run()
    page.get_by_role("button", name="Run the paper's experiment").click()
    finding(page, "300 rows, BDeu.*found again and real")
    charts = panels(page)
    own = study.mean_edges("data")
    more = [f"{short(study.mean_edges(key) - own)} more" for key in ("bootstrap", "bootstrap_corrected")]
    assert shows(page.locator(".st-key-note-numbers").inner_text(), round(own), *more)
    for number in range(3):
        assert charts.nth(number).locator("path.point").count() == len(study.edge_table())

    turn_to(page, "Averaged networks")
    before, threshold = edges_shown(page)
    method = first_shown(list(study.ensembles))
    assert before == len(study.averaged(method, threshold).edges)
    idle(page)
    for _ in range(2):  # ten steps each, by the keyboard
        slider(page, "threshold").press("PageUp")  # which also takes the focus, should a redraw have taken it away
    page.locator(".st-key-note-threshold").filter(has_text=short(round(threshold + 0.2, 2))).wait_for()
    after, threshold = edges_shown(page)
    assert after == len(study.averaged(method, threshold).edges) < before

    posterior = real_posterior(experiment, experiment.load())
    everything = with_all_methods(study, two_answers(study, method, "directed", posterior))
    check_table(click_for(page, "All edges with both answers"), everything)
    check_table(click_for(page, "Table 1"), study.table1().reset_index())

    go(page, "Predict")
    finding(page, "predicts BP right")
    turn_to(page, "What if")
    finding(page, "No evidence yet")
    page.locator("[class*=st-key-chart-predict_posteriors] .bars .point path").first.click(force=True)
    finding(page, "^Given .* = ")


def test_the_report_prints_without_asking_for_anything(browser, tmp_path):
    experiment = bn.Experiment(
        bn.Recipe("network", "cancer", n_rows=100, seed=1), n=5, methods=("bootstrap", "bootstrap_corrected")
    )
    data = experiment.load()
    file = tmp_path / "report.html"
    file.write_text(html_report(experiment, data, experiment.run(data)), encoding="utf-8")
    with tab(browser) as page:
        page.goto(file.as_uri())
        assert page.locator("svg").count() == 3  # Figure 1, the numbers of edges, the network
        assert page.pdf().startswith(b"%PDF")
        assert page.asked == [file.as_uri()]


# A file that nobody prepared, from Home to the verdict in few clicks, and back in another browser.

MOST_CLICKS = 4
VERDICT = r"\*survey\*.*found again and real"


def survey():
    """300 answers as they come out of a form: a number per person, ratings, an income that not everybody tells."""
    rng = np.random.default_rng(12)
    n = 300
    service = rng.integers(1, 6, n)
    columns = {"respondent_id": np.arange(10_001, 10_001 + n), "<b>Größe</b>": service}
    for name, share in (("waiting", 0.7), ("friendly", 0.8), ("price", 0.2), ("again", 0.6)):
        columns[name] = np.where(rng.random(n) < share, service, rng.integers(1, 6, n))
    columns["town"] = rng.choice(["Aachen", "Bonn", "Köln"], n)
    income = np.round(1500 + 600 * columns["price"] + rng.normal(0, 300, n), -1).astype(int).astype(str)
    columns["income"] = np.where(rng.random(n) < 0.08, "", income)
    return pd.DataFrame(columns).to_csv(index=False, sep=";").encode("cp1252")


def test_an_unprepared_survey_from_home_to_the_verdict_in_four_clicks(page):
    page.get_by_role("button", name="Open a table").click()
    choose_file(page, "twice.csv", b"a,b,a\n1,2,3\n")
    error = page.get_by_test_id("stAlert").filter(has_text="occurs 2 times")
    error.wait_for()
    assert "still in use" in error.inner_text()
    clicks = 2
    name = "*survey* [1](http://x) $1$.csv"
    shown = name.replace("://", ":\N{WORD JOINER}//")  # parted without width, so that it is no link
    choose_file(page, name, survey())
    assert "300 rows, 7 variables" in finding(page, re.escape(f"{shown} is ready"))  # with missing cells, too
    page.locator(".st-key-note-left-out").filter(has_text="respondent_id").wait_for()
    page.get_by_role("button", name="Next: learn a network").click()
    assert shown in finding(page, "better than no edges")
    page.locator(".st-key-chart-learned_network .network").get_by_text("<b>Größe</b>").wait_for()
    assert not page.get_by_test_id("stMain").locator("a[href*='http://x'], h2 .katex").count()
    page.get_by_role("button", name="Next: confidence").first.click()
    found = finding(page, VERDICT)
    assert clicks + 2 <= MOST_CLICKS
    edge = page.locator(".edges button", has_text="<b>Größe</b>").first
    edge.click()
    page.locator(".edges button[aria-pressed=true]", has_text="<b>Größe</b>").wait_for()
    page.locator(".st-key-chart-verdict .edge.picked").wait_for(state="attached")

    report = click_for(page, "Report (HTML)").decode()
    assert name in report.replace("&#39;", "'")
    assert report.count("<svg") >= 4
    edges = click_for(page, "All edges with both answers")
    page.get_by_text("Share or save").click()
    idle(page)
    page.get_by_text("Include my data").click()
    page.locator("label", has_text="Include my data").locator("input:checked").wait_for(state="attached")
    saved = click_for(page, "Save the session (ZIP)")
    with zipfile.ZipFile(io.BytesIO(saved)) as session:
        assert pd.read_csv(session.open("learned_from.csv")).shape == (300, 7)
        assert {"table1.csv", "edge_confidence.csv", "learned_edges.csv", "repeat.R"} <= set(session.namelist())

    page.reload()  # the browser is known: its file and its results are found again
    assert finding(page, VERDICT) == found
    with tab(page.context.browser) as elsewhere:  # another browser knows the settings only, and a session has the data
        elsewhere.goto(page.url)
        finding(elsewhere, "need your file")
        choose_file(elsewhere, "session.zip", saved)
        assert finding(elsewhere, VERDICT) == found
        assert click_for(elsewhere, "All edges with both answers") == edges


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param("export_de.csv", 31, marks=pytest.mark.thorough),
        pytest.param("export_nl.csv", 32, marks=pytest.mark.thorough),
        pytest.param("encuesta.csv", 33, marks=pytest.mark.thorough),
        pytest.param("churn.xlsx", 35),
    ],
)
def test_from_an_export_to_the_built_in_adjacencies(page, name, seed):
    export = exports.EXPORTS[name](seed)
    page.get_by_role("button", name="Open a table").click()
    choose_file(page, export.name, export.content)
    assert "open" in finding(page, f"{export.name} is usable")
    page.get_by_role("button", name="Accept all").click()
    finding(page, f"{export.name} is ready")
    page.get_by_role("button", name="Next: learn a network").click()
    finding(page, f"On {export.name}")
    page.locator(".st-key-note-bins").or_(page.get_by_test_id("stAlert")).first.wait_for()  # checked with finer bins
    table = pd.read_csv(io.BytesIO(click_for(page, "Edges")))
    learned = {frozenset(pair): tuple(pair) for pair in table[["parent", "child"]].itertuples(index=False)}
    assert export.truth <= set(learned)
    # what is there beyond the truth is marked, or a fact: the years since signing up follow from its date
    marked = table[table["finer_bins"].str.startswith("gone")]
    beyond = {pair for pair in set(learned) - export.truth if not any("signup" in name for name in pair)}
    assert {frozenset(pair) for pair in marked[["parent", "child"]].itertuples(index=False)} == beyond
    if name == "churn.xlsx":  # its outcome is rare
        go(page, "Predict")
        assert "churned = yes" in finding(page, "of all rows")


# A network: readable at every width, steady, clicked; a constraint that stays when the page is loaded again.

LEAST = 11  # pixels
HIGHEST = 562  # pixels, with the line under the picture
#: Resolves when the view has stopped changing its size.
SETTLED = """async view => {
  for (let last = ""; ; await new Promise(again => setTimeout(again, 300))) {
    const box = JSON.stringify(view.getBoundingClientRect());
    if (box === last) return;
    last = box;
  }
}"""


def boxes(page):
    """The box of every node on the screen, by its label."""
    found = page.locator(".network .node").evaluate_all(
        "nodes => nodes.map(node => { const box = node.querySelector('rect').getBoundingClientRect();"
        " return [node.textContent, box.x, box.y, box.right, box.bottom]; })"
    )
    return {name: box for name, *box in found}


def places_of(page):
    """Where the nodes are, from the first one; the page may be scrolled."""
    found = boxes(page)
    x0, y0, *_ = next(iter(found.values()))
    return {name: (round(x - x0), round(y - y0)) for name, (x, y, *_) in found.items()}


def drag(page, x, y, right, down):
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=5)
    page.mouse.up()


ALARM = bn.Experiment(bn.Recipe("sample", "alarm_300"), ties="columns")


@pytest.fixture
def learn(browser, server):
    """ALARM's learned network; nothing is worked on any more, so that the page does not move under a click."""
    with tab(browser) as page:
        page.goto(f"{server[0]}/learn?run={ALARM.to_link()}")
        page.locator(".network .node").first.wait_for(state="attached")
        page.locator(".st-key-note-certificate").wait_for()
        page.locator(".network").evaluate(SETTLED)
        yield page


def test_a_network_is_read_at_every_width_clicked_moved_and_zoomed(learn):
    for width in (390, 1024, 1920, 1280):
        learn.set_viewport_size({"width": width, "height": 844})
        view = learn.locator(".network")
        view.evaluate(SETTLED)
        text = learn.locator(".network .node text").first
        size = text.evaluate("text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a")
        assert size >= LEAST - 0.01
        assert view.bounding_box()["height"] <= HIGHEST
        assert view.bounding_box()["width"] > 0.6 * (width - 300)
        assert learn.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        drawn = list(boxes(learn).values())
        assert len(drawn) == 37
        for k, (x0, y0, x1, y1) in enumerate(drawn):
            for u0, v0, u1, v1 in drawn[k + 1 :]:
                assert x1 <= u0 or u1 <= x0 or y1 <= v0 or v1 <= y0

    learn.locator(".network .node").filter(has_text=re.compile("^HR$")).click()
    learn.get_by_text("Other parents of its children").wait_for()
    edges = ALARM.learn(ALARM.load()).edges
    children = {child for parent, child in edges if parent == "HR"}
    blanket = {p for p, c in edges if c == "HR" or c in children} | children | {"HR"}
    assert set(learn.locator(".network .node.close, .network .node.picked").all_text_contents()) == blanket

    places, before = places_of(learn), boxes(learn)
    x0, y0, x1, y1 = before["CVP"]
    drag(learn, (x0 + x1) / 2, (y0 + y1) / 2, 60, 20)
    after = boxes(learn)
    assert {name for name in after if after[name] != pytest.approx(before[name], abs=0.5)} == {"CVP"}
    assert learn.locator(".network .node.picked").all_text_contents() == ["HR"]  # a drag is no click
    learn.get_by_role("button", name="Show the whole network").click()
    assert places_of(learn) == places

    n_edges = learn.locator(".network .edge:not(.hidden)").count()
    learn.locator(".network input[type=range]").fill("0.5")
    assert 0 < learn.locator(".network .edge:not(.hidden)").count() < n_edges
    view, scene = (learn.locator(f".network svg.picture{part}") for part in ("", " > g"))
    still = scene.get_attribute("transform")

    def point():
        view.evaluate("view => view.scrollIntoView({block: 'center'})")  # not under the page's head
        box = view.bounding_box()
        learn.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    learn.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
    point()
    learn.mouse.wheel(0, 120)  # the wheel is the page's
    learn.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
    assert scene.get_attribute("transform") == still
    point()
    learn.keyboard.down("Control")
    learn.mouse.wheel(0, -120)
    learn.keyboard.up("Control")
    expect(scene).not_to_have_attribute("transform", still)

    grid = learn.locator(f".st-key-{Key.EDGE_ROWS}").get_by_test_id("stDataFrame")
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    learn.mouse.click(box["x"] + 14, box["y"] + 54)  # a grid's cells have no text in the page
    learn.get_by_role("button", name="Everything about this edge").wait_for()
    expect(learn.locator(".network .edge.picked")).to_have_count(1)


def test_against_a_known_truth_an_edge_is_forbidden_on_the_graph_and_stays_so(page):
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
        expect(page.locator(".network .edge")).to_have_count(len(edges))
        idle(page)
        return found

    page.goto(f"{page.url.rstrip('/')}/learn?run={experiment.to_link()}")
    before = check(experiment)
    click_edge(page, experiment.learn(data).edges.index(edge))
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


# A run: it survives loading the page again and fast changes of pages; any page may be a fresh server's first.


def test_a_run_goes_on_while_the_page_is_loaded_again_and_pages_are_changed_fast(browser, compiled, tmp_path):
    log = tmp_path / "log.txt"
    with served(log) as address, tab(browser) as page:
        page.goto(f"{address}/learn?run={ENDLESS.to_link()}")
        stop = page.get_by_role("button", name="Stop and keep the best so far")
        stop.wait_for()
        assert not page.get_by_role("dialog").count()  # "Page not found", to the first who opens an address
        page.reload()
        stop.wait_for()  # joined
        for k, name in enumerate(("Data", "Learn", "Confidence", "MDL", "Learn", "Predict", "MDL")):
            go(page, name)
            page.wait_for_timeout(40 * (k % 5))
        expect(page.get_by_test_id("stMainBlockContainer").locator("h2").first).to_be_visible()
        go(page, "Learn")
        stop.click()
        expect(page.get_by_role("button", name="Search again to the end")).to_be_visible()
        page.reload()
        expect(page.get_by_role("button", name="Search again to the end")).to_be_visible()  # with what was found
    assert "Traceback" not in log.read_text()


# Lessons: formulas are typeset, buttons act, another page begins on its top, a lecture is led by the keyboard.


def test_a_lecturer_shows_the_example_and_climbs_by_hand(page):
    page.set_viewport_size({"width": 390, "height": 600})
    step = page.get_by_role("button", name="Search by hand")
    step.scroll_into_view_if_needed()
    step.click()
    finding(page, "Your network has 0 edges")
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    asia = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    first = bn.teaching.single_changes(asia, [])[0]
    page.get_by_role("button", name="Apply the best change").click()
    finding(page, "has 1 edge ")
    for label, name in (("From", first.child), ("To", first.parent)):
        box = page.get_by_test_id("stMain").get_by_test_id("stSelectbox").filter(has_text=label).locator("input")
        box.click()
        box.fill(name)
        page.keyboard.press("Enter")
        idle(page)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text(f"{first.parent} → {first.child} is in the graph already: reverse it instead").wait_for()
    page.get_by_role("button", name="Undo").click()
    finding(page, "has 0 edges")
    turn_to(page, "Worked example")
    finding(page, "connected network needs 9 bits")
    turn_to(page, "Eight rows")
    finding(page, r"15\.75 bits for eight rows, the independent one 18\.64")
    page.locator(".katex").first.wait_for()
    eight = bn.Dataset.from_frame(bn.load_sample("lecture_8"))
    lengths = bn.teaching.description_lengths(eight, {"connected": [("X", "Y")], "independent": []})
    check_table(click_for(page, "Description lengths (CSV)"), lengths)
    go(page, "Bias lab")
    finding(page, "bootstrap replicates is")
    idle(page)
    slider(page, "states").press("ArrowRight")
    page.locator(".katex").filter(has_text="9").first.wait_for()
    turn_to(page, "The paper")
    finding(page, "corrected once")
    page.get_by_test_id("stMain").locator(".js-plotly-plot .trace").first.wait_for()


# Every page: what axe-core finds, light and dark; it is put into the page, nothing is fetched.

TITLES = {name: title for name, title, _ in PAGES}
SERIOUS = ("serious", "critical")
DARK_RULES = "[...document.querySelectorAll('style')].some(style => style.textContent.includes('stBaseButton-primary'))"
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 27)"}


@pytest.fixture(scope="module")
def shown(browser, server):
    """One visitor of all pages, who is shown their light and dark variants."""
    with tab(browser, color_scheme="light", bypass_csp=True) as page:
        few = bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.BDeu(1.0), search=bn.HillClimbing(), n=10)
        page.goto(f"{server[0]}/learn?run={few.to_link()}")
        page.get_by_test_id("stSidebar").get_by_text("8 variables").wait_for()
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        yield page


def drawn_in(page, scheme):
    """Wait until the server has drawn the page in this theme, and nothing is being worked on."""
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", PAPER[scheme])
    page.wait_for_function(f"({DARK_RULES}) === {str(scheme == 'dark').lower()}")
    idle(page)
    page.wait_for_function("!document.querySelector('[data-testid=stProgress]')")
    idle(page)
    page.locator("h2").first.wait_for()


def open_page(page, name):
    """Turn to the page in the light theme."""
    page.emulate_media(color_scheme="light")
    go(page, TITLES[name])
    expect(page).to_have_title(f"{TITLES[name]} · bnengine")
    drawn_in(page, "light")


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


def in_both_themes(page):
    """What is wrong with the page as it is, in the light theme, and with the colours of the dark one."""
    found = serious(page)
    page.emulate_media(color_scheme="dark")
    drawn_in(page, "dark")
    return found + serious(page, "color-contrast", "link-in-text-block")  # all that a theme changes


@pytest.mark.parametrize("name", TITLES)
def test_axe_finds_nothing_serious_on_any_page_which_is_marked_as_open(shown, name):
    open_page(shown, name)
    links = shown.get_by_test_id("stTopNavLink")
    assert [text.splitlines()[-1] for text in links.all_inner_texts()] == [title for _, title, _ in GROUPS[""]]
    assert all(link.is_visible() for link in links.all())
    group = next(group for group, pages in GROUPS.items() if TITLES[name] in [title for _, title, _ in pages])
    marked = links.filter(has_text=TITLES[name]) if not group else shown.get_by_test_id("stTopNavSection")
    expect(marked.filter(has_text=group).locator("p")).to_have_css("font-weight", "600")
    assert in_both_themes(shown) == []
    assert shown.locator("h1").count() == 1
    if name == "mdl":  # the glossary is the same on every page
        shown.get_by_role("button", name="Glossary").click()
        shown.get_by_text("Unit of information: what one toss of a fair coin tells").wait_for()
        assert in_both_themes(shown) == []
        shown.keyboard.press("Escape")
        shown.evaluate("document.querySelector('h2').style.cssText = 'color: #777; background: #888'")
        assert any(rule == "color-contrast" for rule, _ in serious(shown)), "axe would find text that is too pale"


def test_the_arrow_keys_lead_through_a_lecture(shown):
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
