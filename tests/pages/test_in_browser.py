"""Journeys in a real browser: what a person clicks, sees and downloads, and what only a browser can show."""

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
from bnengine.answers.views import threshold_view, with_methods
from bnengine.experiment.learning import real_posterior
from pages.shared.benchmark_results import shipped
from pages.shared.format import short
from tests.pages.browsing import (
    check_table,
    choose_file,
    click,
    click_for,
    controls,
    finding,
    go,
    idle,
    press,
    rest,
    says,
    slider,
    tab,
    turn_to,
)
from tests.pages.reading import shows
from tests.pages.test_jobs import ENDLESS

pytestmark = pytest.mark.browser


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


# A run: it survives loading the page again and fast changes of pages; any page may be a server's first (first of all).


def test_a_run_goes_on_while_the_page_is_loaded_again_and_pages_are_changed_fast(browser, server):
    address, log = server
    with tab(browser) as page:
        page.goto(f"{address}/network?run={ENDLESS.to_link()}")
        stop = page.get_by_role("button", name="Stop and keep the best so far")
        stop.wait_for()
        assert not page.get_by_role("dialog").count()  # "Page not found", to the first who opens an address
        assert urlsplit(page.url).path == "/network"
        page.reload()
        stop.wait_for()  # joined
        for k, name in enumerate(("Data", "Network", "Predict", "MDL", "Network", "Predict", "MDL")):
            go(page, name)
            page.wait_for_timeout(40 * (k % 5))
        expect(page.get_by_test_id("stMainBlockContainer").locator("h2").first).to_be_visible()
        go(page, "Network")
        click(stop)
        expect(page.get_by_role("button", name="Search again to the end")).to_be_visible()
        page.reload()
        expect(page.get_by_role("button", name="Search again to the end")).to_be_visible()  # with what was found
    assert "Traceback" not in log.read_text()


# The paper's experiment, from the front page to Figure 1, its tables and a prediction.


def panels(page):
    """The three panels of Figure 1."""
    charts = page.locator("[class*=st-key-chart-figure1] .js-plotly-plot")
    expect(charts).to_have_count(3)
    return charts


def edges_shown(page):
    """How many edges the sentence above the picture counts, and the threshold in per cent that it names."""
    told = page.locator(".st-key-note-view").filter(has_text="% or more")
    n, threshold = re.findall(r"\d+", told.inner_text())[:2]
    return int(n), int(threshold)


def test_from_the_paper_s_experiment_to_its_tables_and_a_prediction(page):
    experiment = bn.Experiment(
        bn.Recipe("sample", "alarm_300"), bn.BDeu(1.0), search=bn.K2(tuple(bn.load_network("alarm").ordering))
    )
    study = experiment.run()
    press(page, "Run the paper's experiment")
    finding(page, "300 rows, BDeu.*found again and real")
    charts = panels(page)
    own = study.mean_edges("data")
    more = [f"{short(study.mean_edges(key) - own)} more" for key in ("bootstrap", "bootstrap_corrected")]
    says(page.locator(".st-key-note-numbers"), round(own), *more)
    for number in range(3):
        expect(charts.nth(number).locator("path.point")).to_have_count(len(study.edge_table()))

    turn_to(page, "Threshold")
    before, threshold = edges_shown(page)
    rest(page)
    for _ in range(2):  # ten steps each, by the keyboard
        slider(page, "least this share").press(
            "PageUp"
        )  # which also takes the focus, should a redraw have taken it away
    page.locator(".st-key-note-view").filter(has_text=f"{threshold + 20}% or more").wait_for()
    data = experiment.load()
    found = bn.verdict(study, posterior=real_posterior(experiment, data), data=data)
    view = threshold_view(found, (threshold + 20) / 100)
    after, _ = edges_shown(page)
    assert after == int(view.shown.sum()) < before
    press(page, "Export")
    check_table(click_for(page, "Edges (CSV)"), with_methods(view.table(), study))
    page.keyboard.press("Escape")

    go(page, "Predict")
    finding(page, "No evidence yet")
    click(page.locator(".st-key-chart-predict_network .share").first)
    finding(page, "^Given .* = ")
    click(page.locator(".st-key-chart-predict_network .node.centre .share").first)  # again: no longer observed
    finding(page, "No evidence yet")


# A file that nobody prepared, from the front page to the verdict in few clicks, and back in another browser.

MOST_CLICKS, MOST_CONTROLS = 3, 20
VERDICT = r"\*survey\*.*found again and real(?!.*so far)"  # nothing is provisional any more


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


#: From now on, notes where what stands above and below the network begins, each time that it has moved and stays there,
#: as seen in ten looks in which nothing is drawn: parts of a page that is being drawn come one after the other. It ends
#: with the verdict.
_RECORDS = """() => {
  window.places = {};
  const finding = () => document.querySelector("[data-testid=stMain] h2")?.innerText ?? "";
  const ends = () => /found again and real(?!.*so far)/.test(finding());
  const seen = {}, drawn = "[data-test-script-state=notRunning]", pale = "[data-stale=true]";
  setInterval(() => ["network-bar", "opened-trust"].forEach(name => {
    if (window.places[name]?.length && ends()) return;
    const box = document.querySelector(`.st-key-${name}`)?.getBoundingClientRect(), places = window.places[name] ??= [];
    const top = box?.height && document.querySelector(drawn) && !document.querySelector(pale)
      ? box.top + document.querySelector("[data-testid=stMain]").scrollTop : null;
    seen[name] = { top, times: top !== null && top === seen[name]?.top ? seen[name].times + 1 : 0 };
    if (seen[name].times === 10) places.push(top);
  }), 20);
}"""
MOST_MOVED, MOST_EMPTY = 20, 40  # pixels


def test_an_unprepared_survey_from_the_front_page_to_the_verdict_in_two_clicks(page):
    choose_file(page, "twice.csv", b"a,b,a\n1,2,3\n")
    error = page.get_by_test_id("stAlert").filter(has_text="occurs 2 times")
    error.wait_for()
    clicks = 1
    name = "*survey* [1](http://x) $1$.csv"
    shown = name.replace("://", ":\N{WORD JOINER}//")  # parted without width, so that it is no link
    choose_file(page, name, survey())
    assert "300 rows, 7 variables" in finding(page, re.escape(f"{shown} is ready"))  # with missing cells, too
    page.get_by_test_id("stCheckbox").filter(has_text="respondent_id").first.wait_for()
    assert len(controls(page)) <= MOST_CONTROLS
    page.evaluate(_RECORDS)
    press(page, "See the network")
    found = finding(page, VERDICT)
    page.wait_for_function("Object.values(window.places).every(tops => tops.length)")
    places = page.evaluate("() => window.places")
    assert {name: max(tops) - min(tops) for name, tops in places.items() if max(tops) - min(tops) > MOST_MOVED} == {}
    assert shown in found
    assert len(controls(page)) <= MOST_CONTROLS
    first = page.locator(".edges [role=option]").first.bounding_box()
    assert first["y"] + first["height"] < 800  # the answer and its list need no scrolling
    ends = [page.locator(one).bounding_box() for one in (".edges", ".st-key-note-verdict")]
    below = page.locator(".st-key-opened-trust").bounding_box()["y"]
    assert below - max(box["y"] + box["height"] for box in ends) <= MOST_EMPTY
    page.locator(".st-key-chart-network .network").get_by_text("<b>Größe</b>").wait_for()
    assert not page.get_by_test_id("stMain").locator("a[href*='http://x'], h2 .katex").count()
    assert clicks + 1 <= MOST_CLICKS
    click(page.locator(".edges [role=option]", has_text="<b>Größe</b>").first)
    page.get_by_role("dialog").get_by_text("How strong is it?").wait_for()
    page.keyboard.press("Escape")
    page.locator(".edges [role=option][aria-selected=true]", has_text="<b>Größe</b>").wait_for()
    page.locator(".st-key-chart-network .edge.picked").wait_for(state="attached")

    press(page, "Export")
    report = click_for(page, "Report (HTML)").decode()
    assert name in report.replace("&#39;", "'")
    assert report.count("<svg") >= 3
    edges = click_for(page, "Edges (CSV)")
    click(page.get_by_text("Link and session", exact=True).first)  # the menu is outside the page
    click(page.get_by_text("Include my data"))
    page.get_by_role("button", name="Save the session with my data").wait_for()
    saved = click_for(page, "Save the session with my data (ZIP)")
    with zipfile.ZipFile(io.BytesIO(saved)) as session:
        assert pd.read_csv(session.open("learned_from.csv")).shape == (300, 7)
        assert "repeat.R" in session.namelist()

    page.reload()  # the browser is known: its file and its results are found again
    assert finding(page, VERDICT) == found
    with tab(page.context.browser) as elsewhere:  # another browser knows the settings only, and a session has the data
        elsewhere.goto(page.url)
        finding(elsewhere, "need your file")
        assert not elsewhere.get_by_test_id("stAlert").count()  # it is asked for once
        choose_file(elsewhere, "session.zip", saved)
        assert finding(elsewhere, VERDICT) == found
        press(elsewhere, "Export")
        assert click_for(elsewhere, "Edges (CSV)") == edges


# A network: readable at every width, steady, clicked; a constraint that stays when the page is loaded again.

#: Pixels of a label, by the width of the window: the picture of 37 variables fits its frame.
LEAST = {390: 5.5, 1024: 7, 1280: 8, 1920: 13}
HIGHEST = {390: 574, 1024: 562, 1280: 562, 1920: 798}  # with the line under the picture; on a phone it is three lines
#: Resolves when the view, which follows the window in the frame after it, has stopped changing its size.
SETTLED = """async view => {
  const frame = again => requestAnimationFrame(() => requestAnimationFrame(again));
  for (let last = ""; ; await new Promise(again => setTimeout(() => frame(again), 200))) {
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


ALARM = bn.Experiment(bn.Recipe("sample", "alarm_300"), search=bn.HillClimbing(), n=20, ties="columns")


@pytest.fixture
def network(browser, server):
    """ALARM's learned network; nothing is worked on any more, so that the page does not move under a click."""
    with tab(browser) as page:
        page.goto(f"{server[0]}/network?run={ALARM.to_link()}")
        finding(page, "found again and real")
        rest(page)
        page.locator(".network").evaluate(SETTLED)
        yield page


def test_a_network_is_read_at_every_width_clicked_moved_and_zoomed(network):
    for width, height in ((390, 844), (1024, 844), (1920, 1080), (1280, 844)):
        network.set_viewport_size({"width": width, "height": height})
        view = network.locator(".network")
        view.evaluate(SETTLED)
        text = network.locator(".network .node text").first
        size = text.evaluate("text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a")
        assert size >= LEAST[width]
        assert view.bounding_box()["height"] <= HIGHEST[width]
        assert view.bounding_box()["width"] > 0.5 * width
        assert network.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        drawn = list(boxes(network).values())
        assert len(drawn) == 37
        for k, (x0, y0, x1, y1) in enumerate(drawn):
            for u0, v0, u1, v1 in drawn[k + 1 :]:
                assert x1 <= u0 or u1 <= x0 or y1 <= v0 or v1 <= y0

    click(network.locator(".network .node").filter(has_text=re.compile("^HR$")))
    network.get_by_role("dialog").get_by_text("Shares of the states").wait_for()
    rest(network)
    listed = [re.split(" [–→] ", name) for name in network.locator(".edges .name").all_text_contents()]
    joined = {end for pair in listed for end in pair if "HR" in pair}
    assert len(joined) > 2
    assert joined <= set(network.locator(".network .node.close, .network .node.picked").all_text_contents())
    network.keyboard.press("Escape")
    expect(network.get_by_role("dialog")).to_have_count(0)
    rest(network)

    places, before = places_of(network), boxes(network)
    x0, y0, x1, y1 = before["CVP"]
    drag(network, (x0 + x1) / 2, (y0 + y1) / 2, 60, 20)
    after = boxes(network)
    assert {name for name in after if after[name] != pytest.approx(before[name], abs=0.5)} == {"CVP"}
    assert network.locator(".network .node.picked").all_text_contents() == ["HR"]  # a drag is no click
    press(network, "Show the whole network")
    assert places_of(network) == places

    view, scene = (network.locator(f".network svg.picture{part}") for part in ("", " > g"))
    still = scene.get_attribute("transform")

    def point():
        view.evaluate("view => view.scrollIntoView({block: 'center'})")  # not under the page's head
        box = view.bounding_box()
        network.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    network.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
    point()
    network.mouse.wheel(0, 120)  # the wheel is the page's
    network.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
    assert scene.get_attribute("transform") == still
    point()
    network.keyboard.down("Control")
    network.mouse.wheel(0, -120)
    network.keyboard.up("Control")
    expect(scene).not_to_have_attribute("transform", still)

    click(network.locator(".edges [role=option]").first)
    network.get_by_role("dialog").get_by_text("How strong is it?").wait_for()
    expect(network.locator(".network .edge.picked")).to_have_count(1)


def test_an_edge_is_forbidden_on_the_graph_and_stays_so(page):
    """Loading the page again in the middle keeps the constraint; going back lifts it, however often settings were seen.

    The browser keeps what the drawer of the settings showed when it was closed.
    """
    experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=2000, seed=1), bn.BDeu(10), ties="columns")
    data = experiment.load()
    edge = min(experiment.learn(data).edges)
    forbidden = bn.Constraints(forbidden=(edge,))
    without = dataclasses.replace(experiment, constraints=forbidden)

    def check(settings):
        joined = {frozenset(pair) for pair in settings.learn(data).edges}
        page.locator(".st-key-note-view").filter(has_text=f"{len(joined)} edge").wait_for()
        idle(page)

    def again(settings):
        for view, title in (("verdict", "Verdict"), ("learned", "Best-scoring graph")):
            turn_to(page, title)
            page.wait_for_url(f"**view={view}")  # a page to go back to
        check(settings)

    def look_at_settings():
        press(page, "Change")
        page.get_by_role("spinbutton", name="Replicates").wait_for()
        click(page.get_by_text("Constraints", exact=True))
        page.get_by_role("textbox", name="Forbidden edges").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("textbox", name="Forbidden edges").wait_for(state="detached")

    page.goto(f"{page.url.rstrip('/')}/network?run={experiment.to_link()}")
    finding(page, "found again")
    look_at_settings()
    turn_to(page, "Best-scoring graph")
    check(experiment)
    click(page.locator(".edges [role=option]").filter(has_text=edge[0]).filter(has_text=edge[1]).first)
    press(page, "Forbid this edge")
    check(without)
    page.get_by_text("1 constraint").first.wait_for()
    again(without)
    page.reload()
    page.get_by_text("1 constraint").first.wait_for()
    look_at_settings()
    with tab(page.context.browser) as other:  # who comes without the address has none of these settings
        other.goto(page.url.partition("?")[0])
        other.get_by_text("ALARM, 300 rows").first.wait_for()
    page.go_back()  # over the two views that were turned to since
    expect(page.locator(".st-key-note-view")).to_have_count(0)
    idle(page)
    page.go_back()
    check(without)
    page.go_back()
    check(experiment)
    expect(page.get_by_text("1 constraint")).to_have_count(0)


# Lessons: formulas are typeset, buttons act, another page begins on its top, a lecture is led by the keyboard.


def test_a_lecturer_shows_the_example_and_climbs_by_hand(page):
    page.set_viewport_size({"width": 390, "height": 600})
    lecture = page.get_by_role("link", name="MDL and the Bayesian score")
    lecture.scroll_into_view_if_needed()
    click(lecture)
    finding(page, "Four rows, two networks")
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")
    page.set_viewport_size({"width": 1280, "height": 800})
    press(page, "End")
    page.get_by_role("button", name="Present").first.wait_for()
    go(page, "MDL")
    turn_to(page, "Search by hand")
    finding(page, "Your network has 0 edges")
    press(page, "Apply the best change")
    finding(page, "has 1 edge ")
    turn_to(page, "Worked example")
    finding(page, "connected network needs 9 bits")
    page.locator(".katex").first.wait_for()
    go(page, "Bias lab")
    turn_to(page, "Entropy")
    finding(page, "bootstrap replicates is")
    rest(page)
    slider(page, "states").press("ArrowRight")
    page.locator(".katex").filter(has_text="9").first.wait_for()
    turn_to(page, "Corrected entropy")
    finding(page, "corrected once")
    page.get_by_test_id("stMain").locator(".js-plotly-plot .trace").first.wait_for()


# Every page: what axe-core finds, light and dark; it is put into the page, nothing is fetched.

TITLES = {name: title for name, title, _ in PAGES}
SERIOUS = ("serious", "critical")
DARK_RULES = "[...document.querySelectorAll('style')].some(style => style.textContent.includes('stBaseButton-primary'))"
STILL = """document.getAnimations()
.every(one => one.playState !== 'running' || one.effect.getTiming().iterations > 9)"""
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 27)"}


@pytest.fixture(scope="module")
def shown(browser, server):
    """One visitor of all pages, who is shown their light and dark variants."""
    with tab(browser, color_scheme="light", bypass_csp=True) as page:
        few = bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.BDeu(1.0), search=bn.HillClimbing(), n=10)
        page.goto(f"{server[0]}/network?run={few.to_link()}")
        finding(page, "found again and real")
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        yield page


def drawn_in(page, scheme):
    """Wait until the server has drawn the page in this theme, and nothing is being worked on."""
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", PAPER[scheme])
    page.wait_for_function(f"({DARK_RULES}) === {str(scheme == 'dark').lower()}")
    page.locator("h2").first.wait_for()
    rest(page)


def open_page(page, name):
    """Turn to the page in the light theme."""
    page.emulate_media(color_scheme="light")
    go(page, TITLES[name])
    expect(page).to_have_title(f"{TITLES[name]} · bnengine")
    drawn_in(page, "light")


def serious(page, *rules):
    """What is wrong by these rules; by all of axe's usual ones if none is named."""
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    page.mouse.move(0, 0)  # what is shown at the pointer, such as the ends of a slider, fades in and out
    rest(page)
    page.wait_for_function(STILL)
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
        press(shown, "Glossary")
        shown.get_by_text("Unit of information: what one toss of a fair coin tells").wait_for()
        assert in_both_themes(shown) == []
        shown.keyboard.press("Escape")
        shown.evaluate("document.querySelector('h2').style.cssText = 'color: #777; background: #888'")
        assert any(rule == "color-contrast" for rule, _ in serious(shown)), "axe would find text that is too pale"


def test_the_arrow_keys_lead_through_a_lecture(shown):
    open_page(shown, "present")
    click(shown.get_by_role("button", name="Present").nth(1))
    shown.get_by_role("button", name="Show the answer").wait_for()
    assert in_both_themes(shown) == []
    shown.keyboard.press("ArrowRight")
    shown.locator(".redraws .count").first.wait_for()
    assert in_both_themes(shown) == []
    assert not shown.get_by_test_id("stSidebar").is_visible()
    shown.keyboard.press("ArrowRight")
    shown.get_by_text("a thousand new samples").wait_for()
    shown.wait_for_url("**step=2**")
    press(shown, "Explore")
    shown.locator(".st-key-sections").wait_for()
    shown.go_back()
    press(shown, "End")
    shown.get_by_role("button", name="Present").first.wait_for()


#: Whether all of the slide is in the window, whose height a lecture's pictures follow.
FITS = """() => { const main = document.querySelector("[data-testid=stMain]");
  return main.scrollHeight <= main.clientHeight; }"""


def test_a_remote_control_turns_the_slides_after_a_slider_was_moved_and_a_switch_darkens_the_room(browser, server):
    with tab(browser, color_scheme="light") as page:
        page.goto(f"{server[0]}/present?lecture=bootstrap&step=6")
        question = finding(page, "A test at the 5% level")
        page.locator(".st-key-lecture_subject .js-plotly-plot .trace").first.wait_for()
        rest(page)
        page.keyboard.press("PageDown")
        finding(page, "does not go away with N")
        rest(page)
        page.wait_for_function(FITS)
        moved = slider(page, "Number of rows")
        moved.press("ArrowRight")
        rest(page)
        expect(moved).to_be_focused()
        rows = moved.get_attribute("aria-valuetext")
        page.keyboard.press("PageDown")
        finding(page, "found again|dependent again")
        page.wait_for_url("**step=7**")
        rest(page)
        page.keyboard.press("PageUp")
        assert finding(page, "A test at the 5% level") == question
        expect(slider(page, "Number of rows")).not_to_have_attribute("aria-valuetext", rows)  # the step's own again
        page.get_by_role("button", name="Dark", exact=True).click()
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", PAPER["dark"])
        page.get_by_role("button", name="Light", exact=True).click()
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", PAPER["light"])
        page.wait_for_url("**step=6**")


def test_marks_pile_up_by_keyboard_and_without_motion(page):
    page.emulate_media(reduced_motion="reduce")
    go(page, "Bias lab")
    turn_to(page, "Any statistic")
    page.locator(".pile").wait_for()
    rest(page)
    words, marks = page.locator(".pile .count"), page.locator(".pile rect")
    press(page, "Draw one")
    expect(words).to_contain_text("1 of 1,000 drawn")
    expect(marks).to_have_count(3)  # of the replicates, the new samples and their corrections
    page.get_by_role("button", name="Ten").focus()
    page.keyboard.press("Enter")
    expect(words).to_contain_text("11 of 1,000 drawn")
    page.get_by_role("button", name="A thousand").click()
    values = np.random.default_rng(5).standard_normal(10)
    made = bn.teaching.bootstrap_variance(values, 1000, rng=6).on_resamples.mean()
    fresh = bn.teaching.repeated_variance(10, 1000, rng=7).mean()
    expect(words).to_contain_text("1,000 of 1,000 drawn")
    means = [float(number) for number in re.findall(r" (0\.\d+)", words.inner_text())]
    assert means == pytest.approx([made, fresh["plugin"], fresh["corrected"]], abs=0.001)
    expect(marks).to_have_count(3000)
    assert len(controls(page)) <= MOST_CONTROLS
    page.get_by_role("button", name="Start over").click()
    expect(marks).to_have_count(0)


def test_a_network_is_built_on_the_canvas_by_clicks_and_by_keyboard_and_a_coin_is_tossed(page):
    go(page, "MDL")
    turn_to(page, "Search by hand")
    finding(page, "Your network has 0 edges")
    node = lambda name: page.locator(".node", has=page.get_by_text(name, exact=True))  # noqa: E731
    node("smoke").click()
    node("lung").click()
    finding(page, "Your network has 1 edge ")
    rest(page)
    node("bronc").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")  # to the next variable
    page.keyboard.press("Enter")
    finding(page, "Your network has 2 edges")
    rest(page)
    expect(page.locator(".node:focus")).to_have_attribute("aria-label", "either, parents: bronc")
    asia = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    length = bn.mdl(asia, [("smoke", "lung"), ("bronc", "either")]).mdl
    assert shows(finding(page, "2 edges"), short(length, 4))
    node("lung").click()
    node("smoke").click()
    expect(page.locator(".node", has_text="smoke")).to_have_attribute("aria-label", "smoke, parents: lung")  # reversed
    rest(page)
    node("either").click()
    node("lung").click()
    finding(page, "Your network has 3 edges")
    rest(page)
    node("smoke").click()
    node("bronc").click()
    page.get_by_text("Not possible").wait_for()  # it would close a circle
    rest(page)
    page.locator(".edge .near").first.click(force=True)
    finding(page, "Your network has 2 edges")
    assert len(controls(page)) <= MOST_CONTROLS
    go(page, "Bayesian score")
    finding(page, "10 tosses")
    press(page, "Start over")
    finding(page, "Before any toss")
    for tosses, side in enumerate(("H: heads", "H: heads", "T: tails"), 1):
        press(page, side)
        finding(page, "this toss" if tosses == 1 else f"these {tosses} tosses")
    assert "0.0833" in finding(page, "these 3 tosses")  # B(3, 2) = 1 / 12


#: Plays all replicates, and pauses at the one of this number, however slow the machine is.
PLAY_UNTIL = """(panel, number) => {
  const button = label => [...panel.querySelectorAll("button")].find(one => one.textContent.startsWith(label));
  const watch = new MutationObserver(() => {
    if (!panel.textContent.includes(`Replicate ${number} of`)) return;
    watch.disconnect();
    button("Pause").click();
  });
  watch.observe(panel.querySelector(".count"), { childList: true });
  button("Play all").click();
}"""


def test_the_study_is_drawn_again_on_the_front_page(page):
    """Step, play, pause, step and to the end: counted are the edges of the replicates, whose picture is shipped."""
    again = shipped("home_figure")["picture"]["redraws"]
    sizes = [[int(graph, 16).bit_count() for graph in one["graphs"]] for one in again["methods"]]
    words = page.locator(".redraws .count")

    def counted(drawn, own=sizes[0]):
        mean = f" Mean of the {drawn} drawn: {np.mean(own[:drawn]):.1f} edges" if drawn > 1 else ""
        expect(words).to_contain_text(re.compile(rf"Replicate {drawn} of 60.*: {own[drawn - 1]} edges;.*{mean}"))

    rest(page)
    expect(words).to_contain_text(f"The graph of the data has {len(again['learned'])} edges")
    press(page, "Draw one replicate")
    counted(1)
    page.locator(".redraws").evaluate(PLAY_UNTIL, 4)
    counted(4)
    page.get_by_role("button", name="Play all 60").wait_for()
    press(page, "Draw one replicate")
    counted(5)
    page.emulate_media(reduced_motion="reduce")  # then nothing moves by itself: the last replicate is shown at once
    press(page, "Ten more")
    counted(15)
    press(page, "Play all 60")
    counted(60)
    expect(page.locator(".redraws .dots circle")).to_have_count(60)
    expect(page.get_by_role("button", name="Draw one replicate")).to_be_disabled()
    page.get_by_label("Correct the bias").check()
    counted(60, sizes[1])
    press(page, "Start over")
    expect(page.locator(".redraws .rows rect.r1")).to_have_count(300)


def test_replicates_are_played_over_the_learned_graph_by_keyboard_and_without_motion(page):
    few, methods = bn.HillClimbing(), ("bootstrap", "bootstrap_corrected")
    experiment = bn.Experiment(bn.Recipe("sample", "alarm_300"), search=few, n=20, methods=methods)
    study = experiment.run()
    page.emulate_media(reduced_motion="reduce")  # then nothing moves by itself: the last replicate is shown at once
    page.goto(f"{page.url.rstrip('/')}/bias_lab?run={experiment.to_link()}")
    click(page.get_by_text("Use my data"))
    one = page.get_by_role("button", name="Draw one replicate")
    one.wait_for()
    rest(page)
    one.focus()
    page.keyboard.press("Enter")
    words, own = page.locator(".redraws .count"), len(study.reference.edges)
    counts = {key: ensemble.edge_counts for key, ensemble in study.ensembles.items()}
    expect(words).to_contain_text(
        f"The graph of the data has {own} edges. Replicate 1 of 20: {counts['bootstrap'][0]} edges;"
    )
    first = set(map(frozenset, study.reference.edges))
    shown = page.locator(".added .new").count()
    ends = np.argwhere(study.ensembles["bootstrap"].adjacencies[0])
    names = study.reference.names
    assert shown == len({frozenset((names[i], names[j])) for i, j in ends} - first)
    page.get_by_role("button", name="Play all 20").click()
    expect(words).to_contain_text(f"Mean of the 20 drawn: {counts['bootstrap'].mean():.1f} edges")
    page.get_by_label("Correct the bias").check()
    expect(words).to_contain_text(f"Mean of the 20 drawn: {counts['bootstrap_corrected'].mean():.1f} edges")
