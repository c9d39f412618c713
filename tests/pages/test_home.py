"""Home: its picture is what the engine computes, its doors and paths lead to pages, its words are explained."""

import re

import pytest

from benchmarks import home_figure
from pages._shared.figures import edge_counts as figure
from pages._shared.glossary import TERMS
from pages._shared.sections import home
from pages._shared.session import Key
from tests.pages.conftest import PAGE_FILES


def test_the_shipped_numbers_are_what_the_engine_computes():
    found, shipped = home_figure.numbers(), home.numbers()
    assert found["mean_edges"] == shipped["mean_edges"]
    assert found["edges"] == shipped["edges"]
    assert (found["rows"], found["replicates"]) == (shipped["rows"], shipped["replicates"]) == (300, 200)


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_mark_for_each_edge(dark):
    marks = figure.home_figure(home.numbers(), dark).data[-1]
    assert [list(pair) for pair in zip(marks.x, marks.y, strict=True)] == [edge[2:] for edge in home.numbers()["edges"]]


@pytest.mark.slow
def test_home_says_the_finding_of_its_picture(visitor):
    visitor.go("home")
    assert home.sentence(home.numbers()) in visitor.at.get_by_key(Key.note("home")).caption[0].value


@pytest.mark.parametrize("path", [home.TEACHING, home.OWN_DATA])
def test_each_step_of_a_path_opens_a_page(path):
    assert {step.page for step in path} <= set(PAGE_FILES)


def test_the_glossary_has_the_words_of_the_pages_in_order():
    words = [term.casefold() for term in TERMS]
    assert words == sorted(words)
    told = " ".join(words)
    for word in "nat,bit,bic,bdeu,fnml,π,cpdag,jackknife,bootstrap,posterior,ess,shd,mdl".split(","):  # noqa: SIM905
        assert re.search(rf"\b{word}\b", told), word
    assert {"equivalence class", "markov blanket"} <= set(words)
    assert all(meaning.endswith((".", "?")) for meaning in TERMS.values())


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGE_FILES)
def test_every_page_has_the_glossary_and_one_heading(visitor, page):
    visitor.open(page)
    assert visitor.has(Key.GLOSSARY)
    headings = [html.proto.body for html in visitor.at.get("html") if "<h1" in html.proto.body]
    assert len(headings) + len(visitor.at.title) == 1
