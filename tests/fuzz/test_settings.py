"""Whatever a link, a settings file or constraints hold, they give an experiment or a ValueError with a sentence."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.experiment import experiment as saved
from bnengine.graphs.constraints import read_edge, read_names, write_edge
from pages.shared.run.run_state import values_in
from tests.fuzz.odd import PLAIN
from tests.fuzz.settings import fuzzed, is_a_sentence
from tests.pages.test_sharing import SHARED

PLAINS = [experiment.to_dict() for experiment in SHARED]
LINKS = [experiment.to_link() for experiment in SHARED]
LETTERS = st.sampled_from("ABCxyz019-_=%+/ \0é")


def check(read):
    """Read it; what is read can be shown on a page, and goes out and in unchanged."""
    try:
        experiment = read()
    except ValueError as error:
        is_a_sentence(error)
        return
    assert bn.Experiment.from_link(experiment.to_link()) == experiment
    assert bn.Experiment.from_json(experiment.to_json()) == experiment
    assert experiment.key
    assert experiment.graph_key
    assert values_in(experiment)


@fuzzed
@given(st.text(max_size=60) | st.text(LETTERS, max_size=200))
def test_any_text_as_a_link(text):
    check(lambda: bn.Experiment.from_link(text))


@fuzzed
@given(st.sampled_from(LINKS), st.lists(st.tuples(st.integers(0, 10**4), LETTERS | st.just("")), max_size=4))
def test_damaged_links(link, damage):
    letters = list(link)
    for place, letter in damage:
        letters[place % len(letters)] = letter
    check(lambda: bn.Experiment.from_link("".join(letters)))


@fuzzed
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_as_a_file(raw):
    check(lambda: bn.Experiment.from_json(raw))


def paths_of(value, path=()):
    """Every place in nested settings."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from paths_of(part, (*path, key))


def changed(plain, draws):
    """The settings with one to three places changed, removed, or added to."""
    plain = copy.deepcopy(plain)
    for _ in range(draws.draw(st.integers(1, 3))):
        places = [path for path in paths_of(plain) if path]
        if not places:
            return plain
        *way, last = draws.draw(st.sampled_from(places))
        inner = plain
        for key in way:
            inner = inner[key]
        how = draws.draw(st.sampled_from(["value", "value", "value", "removed", "new name"]))
        if how == "removed" and isinstance(inner, dict):
            del inner[last]
        elif how == "new name" and isinstance(inner, dict):
            inner[draws.draw(st.text(max_size=5))] = draws.draw(PLAIN)
        else:
            inner[last] = draws.draw(PLAIN)
    return plain


@pytest.mark.slow
@fuzzed
@given(st.data())
def test_settings_with_odd_values(draws):
    plain = changed(draws.draw(st.sampled_from(PLAINS)), draws)
    text = json.dumps(plain)
    check(lambda: bn.Experiment.from_json(text))
    check(lambda: bn.Experiment.from_link(saved.to_link(plain)))


NAMES = st.sampled_from(["a", "b", "c", "d", "", " ", "é", "a,b", "->", "x" * 200])
LINES = st.lists(
    st.one_of(st.tuples(NAMES, NAMES).map(" -> ".join), NAMES, st.text(max_size=10), st.just("a → b → c")), max_size=5
).map("\n".join)


def edges_in(text):
    return [edge for edge in map(read_edge, text.split("\n")) if edge is not None]


@fuzzed
@given(st.text(min_size=1, max_size=8), st.text(st.sampled_from('a" ->→,\t'), min_size=1, max_size=8))
def test_an_edge_of_any_names_is_a_line(parent, child):
    assert read_edge(write_edge((parent, child))) == (parent, child)
    assert read_edge(write_edge((child, parent))) == (child, parent)


@pytest.mark.slow
@fuzzed
@given(LINES, LINES, LINES, st.integers(0, 3))
def test_constraints_as_they_are_typed(required, forbidden, tiers, limit):
    try:
        found = bn.Constraints(edges_in(required), edges_in(forbidden), limit, read_names(tiers))
        space = found.resolve(["a", "b", "c", "d"])
    except ValueError as error:
        is_a_sentence(error)
    else:
        assert not (space.required & ~space.allowed).any()
