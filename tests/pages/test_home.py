"""Home: its picture is what the engine computes, its doors and paths lead to pages, its words are explained."""

import re

import pytest

from benchmarks import home_figure
from pages.shared import benchmark_results, paths
from pages.shared.glossary import TERMS
from pages.shared.keys import Key


def test_the_shipped_numbers_are_what_the_engine_computes():
    found, shipped = home_figure.numbers(), benchmark_results.home_figure()
    assert found["mean_edges"] == shipped["mean_edges"]
    assert found["edges"] == shipped["edges"]
    assert (found["rows"], found["replicates"]) == (shipped["rows"], shipped["replicates"]) == (300, 200)


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
