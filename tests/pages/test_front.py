"""The front page: its picture is what the engine computes, its links lead to pages, its words are explained."""

import json
import re

import pytest

from app import FORMER, PAGES
from benchmarks import home_figure
from pages.data import front
from pages.present import lectures
from pages.shared import benchmark_results
from pages.shared.glossary import TERMS
from pages.shared.keys import Key


def test_the_shipped_numbers_are_what_the_engine_computes():
    found, shipped = home_figure.numbers(), benchmark_results.shipped("home_figure")
    assert all(found[part] == shipped[part] for part in ("mean_edges", "edges", "more"))
    for part in ("nodes", "edges", "redraws"):  # not the places: Graphviz may change them
        assert json.loads(json.dumps(found["picture"][part])) == shipped["picture"][part]
    assert (found["rows"], found["replicates"]) == (shipped["rows"], shipped["replicates"]) == (300, 200)


@pytest.mark.slow
def test_the_front_page_gives_way_to_the_data_and_comes_back(visitor):
    """Before there are data, the first sample is learned from by the other pages, and nothing on Data is about it."""
    assert visitor.open("network").open("data").has(Key.PAPER)
    visitor.choose(Key.SAMPLE, "alarm_300")
    assert visitor.shows(300, 37)
    visitor.at.button(key=Key.OTHER).click()
    assert visitor.run().has(Key.UPLOAD)
    visitor.at.button(key=Key.BACK).click()
    assert visitor.run().shows(300, 37)


def test_its_links_lead_to_lectures_and_pages():
    assert {name: lecture.title for name, lecture in lectures.LECTURES.items()} == front.LECTURES
    assert set(front.GUIDE) < {name for name, _, _ in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMER)
def test_a_former_address_leads_on(visitor, name):
    page, key, part = FORMER[name]
    assert page in {known for known, _, _ in PAGES}
    if key:
        visitor.on("asia_1000").at.session_state[key] = part
        visitor.open(page)
        while not visitor.has(key):
            visitor.run()
        assert visitor.at.segmented_control(key=key).value == part


def test_the_glossary_has_the_words_of_the_pages_in_order():
    words = [term.casefold() for term in TERMS]
    assert words == sorted(words)
    told = " ".join(words)
    for word in "nat,bit,bic,bdeu,fnml,π,cpdag,jackknife,bootstrap,posterior,ess,shd,mdl".split(","):  # noqa: SIM905
        assert re.search(rf"\b{word}\b", told), word
    assert {"equivalence class", "markov blanket"} <= set(words)
    assert all(meaning.endswith((".", "?")) for meaning in TERMS.values())
