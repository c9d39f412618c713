"""Digests are the same of equal values, and another one of any others."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.execution import digest
from tests.strategies import make_data, with_holes

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_plain_values_have_the_same_digest_only_if_they_are_the_same(one, other):
    """What is written tells 1, 1.0 and True apart, 0.0 and -0.0, orders of lists and of dictionaries."""
    assert (digest(one) == digest(other)) == (repr(one) == repr(other))
    assert digest(one, other) != digest([one, other])


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_values_do_not_run_into_each_other(one, other):
    assert (digest(*one) == digest(*other)) == (one == other)


DATA = with_holes(make_data([2, 3, 2], 40, 1), 1, 0.1)


def changed():
    """Data that differ from DATA in one thing each."""
    names, states, codes = DATA.names, DATA.states, DATA.codes
    yield bn.Dataset(("other", *names[1:]), states, codes, None, DATA.missing_way)
    yield bn.Dataset(names, (states[0][::-1], *states[1:]), codes, None, DATA.missing_way)
    yield bn.Dataset(names, ((*states[0], "unseen"), *states[1:]), codes, None, DATA.missing_way)
    yield DATA.take(np.arange(40)[::-1])
    yield DATA.take(np.arange(39))
    other = codes.copy()
    other[0, 0] = 1 - min(other[0, 0], 1)
    yield bn.Dataset(names, states, other, None, DATA.missing_way)
    for way in ("drawn", "complete_families", "listwise", "own_state"):
        if way != DATA.missing_way:
            yield DATA.with_missing(way)
    frame = DATA.to_frame()
    for weights in (np.arange(1, 41), np.arange(2, 42)):
        yield bn.Dataset.from_frame(frame.assign(w=weights), weights="w", missing="keep")
    for first in ("", DATA.names[0]):
        targets = [first, *[DATA.names[1]] * 39]
        yield bn.Dataset.from_frame(frame.assign(t=targets), interventions="t", missing="keep")


def test_whatever_differs_in_data_changes_their_digest():
    digests = [one.digest for one in (DATA, *changed())]
    assert len(set(digests)) == len(digests)
    again = bn.Dataset(DATA.names, DATA.states, np.asfortranarray(DATA.codes), None, DATA.missing_way)
    assert again.digest == DATA.digest
    assert digest(again) == digest(DATA)


def test_whatever_differs_in_a_graph_or_a_network_changes_its_digest():
    graph = bn.learn(make_data([2, 3, 2], 40, 1))
    stopped = dataclasses.replace(graph, status="stopped")
    turned = dataclasses.replace(graph, adjacency=graph.adjacency.T)
    network = bn.load_network("cancer")
    tables = (network.tables[0][:, ::-1], *network.tables[1:])
    values = [graph, stopped, turned, network, dataclasses.replace(network, tables=tables)]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(bn.load_network("cancer")) == digest(network)


@pytest.mark.parametrize("value", [len, object(), pd.DataFrame({"a": [1]}), np.array([object()]), (1, {"a": len})])
def test_what_has_no_digest_is_refused(value):
    with pytest.raises(TypeError, match="has no digest"):
        digest(value)


def test_what_a_result_can_work_out_from_its_other_fields_does_not_count():
    exact = bn.edge_posterior(DATA, bn.BDeu())
    assert exact.any_exactly is not None
    assert digest(exact) == digest(dataclasses.replace(exact, any_exactly=None))
