"""The view of a network in a real browser: readable, steady, clickable; the wheel is the page's."""

import re

import pytest

import bnengine as bn
from pages.shared.session import Key
from tests.pages.test_journey import browser, finding, tab  # noqa: F401

pytestmark = pytest.mark.browser

LEAST = 11  # pixels
HIGHEST = 562  # pixels, with the line under the picture
ALARM = bn.Experiment(bn.Recipe("sample", "alarm_300"), ties="columns")


#: Resolves when the view has stopped changing its size.
SETTLED = """async view => {
  for (let last = ""; ; await new Promise(again => setTimeout(again, 300))) {
    const box = JSON.stringify(view.getBoundingClientRect());
    if (box === last) return;
    last = box;
  }
}"""


@pytest.fixture(scope="module")
def learn(browser, server):  # noqa: F811
    """One visitor for all tests, each of which leaves the settings as they were."""
    with tab(browser) as page:
        page.goto(f"{server[0]}/learn?run={ALARM.to_link()}")
        finding(page, "finds")
        page.locator(".network .node").first.wait_for(state="attached")
        page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
        yield page


@pytest.fixture
def one(learn):
    learn.set_viewport_size({"width": 1280, "height": 800})
    learn.locator(".network").evaluate(SETTLED)
    learn.locator(".network").scroll_into_view_if_needed()
    return learn


def boxes(page):
    """The box of every node on the screen, by its label."""
    return page.locator(".network .node").evaluate_all(
        "nodes => nodes.map(node => { const box = node.querySelector('rect').getBoundingClientRect();"
        " return [node.textContent, box.x, box.y, box.right, box.bottom]; })"
    )


def places_of(page):
    """Where the nodes are, from the first one; the page may be scrolled."""
    found = {name: (x, y) for name, x, y, _, _ in boxes(page)}
    x0, y0 = found["HISTORY"]
    return {name: (round(x - x0), round(y - y0)) for name, (x, y) in found.items()}


MIDDLE = """path => {
  const middle = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
  return [middle.x, middle.y];
}"""


@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_labels_can_be_read_at_every_width(learn, width):
    learn.set_viewport_size({"width": width, "height": 844})
    learn.locator(".network").evaluate(SETTLED)
    text = learn.locator(".network .node text").first
    size = text.evaluate("text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a")
    assert size >= LEAST - 0.01
    view = learn.locator(".network").bounding_box()
    assert view["height"] <= HIGHEST
    assert view["width"] > 0.6 * (width - 300)
    assert learn.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    drawn = boxes(learn)
    assert len(drawn) == 37
    for k, (_, x0, y0, x1, y1) in enumerate(drawn):
        for _, u0, v0, u1, v1 in drawn[k + 1 :]:
            assert x1 <= u0 or u1 <= x0 or y1 <= v0 or v1 <= y0
    inside = learn.locator(".network .node").evaluate_all(
        "nodes => nodes.every(node => node.querySelector('text').getBoundingClientRect().width"
        " <= node.querySelector('rect').getBoundingClientRect().width)"
    )
    assert inside


def test_a_clicked_edge_is_marked_said_and_can_be_forbidden(one):
    before = one.locator(".network .edge").count()
    one.mouse.click(*one.locator(".network .edge .near").nth(3).evaluate(MIDDLE))
    one.get_by_text(re.compile(r"→ .* adds .* nats = .* bits")).wait_for()
    assert one.locator(".network .edge.picked").count() == 1
    assert one.locator(".network .node.close").count() == 2
    places = places_of(one)
    about = one.get_by_role("button", name="Everything about this edge")
    about.click()
    one.get_by_role("button", name="Forbid this edge").click()
    one.get_by_role("dialog").wait_for(state="detached")
    about.click()
    one.get_by_role("button", name="Lift the constraint").click()
    one.get_by_role("dialog").wait_for(state="detached")
    one.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    assert one.locator(".network .edge").count() == before
    assert places_of(one) == places


def test_a_clicked_variable_has_its_markov_blanket_marked(one):
    net = bn.learn(ALARM.data.prepare(ALARM.data.load()), ties="columns")
    one.locator(".network .node").filter(has_text=re.compile("^HR$")).click()
    one.get_by_text("Other parents of its children").wait_for()
    children = {child for parent, child in net.edges if parent == "HR"}
    blanket = {p for p, c in net.edges if c == "HR" or c in children} | children | {"HR"}
    marked = one.locator(".network .node.close, .network .node.picked")
    assert set(marked.all_text_contents()) == blanket


def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(one):
    view = one.locator(".network svg.picture")
    box = view.bounding_box()
    one.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    scene = one.locator(".network svg.picture > g")
    before = scene.get_attribute("transform")
    one.mouse.wheel(0, 120)
    one.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
    assert scene.get_attribute("transform") == before
    one.keyboard.down("Control")
    one.mouse.wheel(0, -120)
    one.keyboard.up("Control")
    one.wait_for_function(
        "before => [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector('svg.picture > g')"
        " && e.shadowRoot.querySelector('svg.picture > g').getAttribute('transform') !== before)",
        arg=before,
    )
    one.get_by_role("button", name="Show the whole network").click()


def test_weak_edges_can_be_hidden_and_the_picture_moved(one):
    before = one.locator(".network .edge:not(.hidden)").count()
    one.locator(".network input[type=range]").fill("0.5")
    assert 0 < one.locator(".network .edge:not(.hidden)").count() < before
    x0 = boxes(one)[0][1]
    view = one.locator(".network svg.picture").bounding_box()
    start = view["x"] + 20, view["y"] + view["height"] - 20
    one.mouse.move(*start)
    one.mouse.down()
    one.mouse.move(start[0] + 60, start[1] - 10, steps=4)
    one.mouse.up()
    assert boxes(one)[0][1] - x0 == pytest.approx(60, abs=1)


def test_a_node_is_dragged_with_its_edges_and_put_back(one):
    one.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")  # not under the page's head
    picked = one.locator(".network .node.picked").all_text_contents()
    before, places = {name: (x, y) for name, x, y, _, _ in boxes(one)}, places_of(one)
    node = one.locator(".network .node").filter(has_text=re.compile("^CVP$"))
    box = node.bounding_box()
    start = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    one.mouse.move(*start)
    one.mouse.down()
    one.mouse.move(start[0] + 90, start[1] + 30, steps=5)
    one.mouse.up()
    after = {name: (x, y) for name, x, y, _, _ in boxes(one)}
    moved = {name for name in after if after[name] != pytest.approx(before[name], abs=0.5)}
    assert moved == {"CVP"}
    assert after["CVP"] == pytest.approx((before["CVP"][0] + 90, before["CVP"][1] + 30), abs=1)
    assert one.locator(".network .node.picked").all_text_contents() == picked  # a drag is no click
    box = node.bounding_box()
    tips = one.locator(".network .edge .head").evaluate_all(
        "heads => heads.map(head => { const p = head.getPointAtLength(0).matrixTransform(head.getScreenCTM());"
        " return [p.x, p.y]; })"
    )
    near = [
        box["x"] - 6 <= x <= box["x"] + box["width"] + 6 and box["y"] - 6 <= y <= box["y"] + box["height"] + 6
        for x, y in tips
    ]
    assert any(near)  # the arrow into it followed
    one.get_by_role("button", name="Show the whole network").click()
    assert places_of(one) == places


def test_an_edge_can_be_chosen_in_the_table(one):
    """The way for those who use no pointer, here with one: a grid's cells have no text in the page."""
    grid = one.locator(f".st-key-{Key.EDGE_ROWS}").get_by_test_id("stDataFrame")
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    one.mouse.click(box["x"] + 14, box["y"] + 54)
    one.get_by_role("button", name="Everything about this edge").click()
    one.get_by_role("button", name="Require this edge").wait_for()
    assert one.locator(".network .edge.picked").count() == 1
