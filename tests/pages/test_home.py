"""Home: its picture is what the engine computes, its doors and paths lead to pages, its words are explained."""

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import home_figure
from bnengine.plots import methods as figure
from pages.shared import benchmark_results, paths
from pages.shared.glossary import TERMS
from pages.shared.keys import Key


def test_the_shipped_numbers_are_what_the_engine_computes():
    found, shipped = home_figure.numbers(), benchmark_results.home_figure()
    assert found["mean_edges"] == shipped["mean_edges"]
    assert found["edges"] == shipped["edges"]
    assert (found["rows"], found["replicates"]) == (shipped["rows"], shipped["replicates"]) == (300, 200)


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_mark_for_each_edge(dark):
    """Corrected confidence across, naive up, on one scale: a mark's place tells both."""
    source = re.search(r"base64,([^\"]+)", figure.home_picture(benchmark_results.home_figure(), dark, "alt"))[1]
    drawn = ElementTree.fromstring(base64.b64decode(source))
    marks = np.array([[float(mark.get(key)) for key in ("cx", "cy")] for mark in drawn.findall(".//{*}circle")])
    expected = np.array([(corrected, naive) for _, _, naive, corrected in benchmark_results.home_figure()["edges"]])
    assert len(marks) == len(expected)
    for place, sign in ((0, 1), (1, -1)):
        scale = np.polyfit(expected[:, place], marks[:, place], 1)
        assert np.allclose(np.polyval(scale, expected[:, place]), marks[:, place], atol=0.02)
        assert np.sign(scale[0]) == sign


@pytest.mark.slow
def test_home_says_the_finding_of_its_picture(visitor):
    visitor.go("home")
    assert (
        benchmark_results.on_edges_found(benchmark_results.home_figure())
        in visitor.at.get_by_key(Key.note("home")).caption[0].value
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", paths.PATHS)
def test_a_path_leads_through_its_pages_each_on_its_section(visitor, path):
    steps = paths.PATHS[path]
    visitor.at.button(key=Key.of(Key.STEP, path, 0)).click()
    for number, step in enumerate(steps, 1):
        assert shown_title(visitor.run()) == step.title
        visitor.open(step.page)  # the test's next click is on this page
        assert any(text.value.startswith(f"Step {number} of {len(steps)}. ") for text in visitor.at.markdown)
        if step.section:
            key, title = step.section
            assert visitor.at.segmented_control(key=key).value == title
        visitor.at.button(key=Key.PATH_NEXT).click()
    assert visitor.run().has(Key.PAPER)  # Home again


@pytest.mark.slow
def test_a_path_waits_where_the_visitor_leaves_it(visitor):
    visitor.at.button(key=Key.of(Key.STEP, paths.OWN_DATA, 1)).click()
    visitor.run().open("table1")
    assert not visitor.has(Key.PATH_NEXT)
    visitor.open("confidence")
    assert any(text.value.startswith("Step 3 of 5. ") for text in visitor.at.markdown)


def shown_title(visitor):
    (heading,) = [html.proto.body for html in visitor.at.get("html") if "<h1" in html.proto.body]
    return re.search(r"<h1[^>]*>(.*)</h1>", heading)[1]


def test_the_glossary_has_the_words_of_the_pages_in_order():
    words = [term.casefold() for term in TERMS]
    assert words == sorted(words)
    told = " ".join(words)
    for word in "nat,bit,bic,bdeu,fnml,π,cpdag,jackknife,bootstrap,posterior,ess,shd,mdl".split(","):  # noqa: SIM905
        assert re.search(rf"\b{word}\b", told), word
    assert {"equivalence class", "markov blanket"} <= set(words)
    assert all(meaning.endswith((".", "?")) for meaning in TERMS.values())
