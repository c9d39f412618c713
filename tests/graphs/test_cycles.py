"""Every public function that takes the edges of a network refuses a cycle, which it names."""

import inspect

import numpy as np
import pytest

import bnengine as bn
from bnengine.graphs.dag import compare_with_truth

DATA = bn.load_network("cancer").sample(60, rng=1)
CYCLE = [("Pollution", "Cancer"), ("Cancer", "Xray"), ("Xray", "Pollution")]
SPACES = (bn, bn.teaching, bn.prediction, bn.posterior, bn.paper)
GIVEN = {"data": DATA, "resample": DATA, "score": bn.BIC()}
#: What draws, writes or mends any directed graph, cyclic or not.
OF_ANY_GRAPH = {"write_graph", "change_edge"}


def takers():
    """The public functions with an argument called edges."""
    for space in SPACES:
        for name in getattr(space, "__all__", dir(space)):
            found = getattr(space, name)
            if inspect.isfunction(found) and "edges" in inspect.signature(found).parameters:
                yield name, found


def test_a_cycle_is_refused_and_named():
    asked = []
    for name, function in takers():
        if name not in OF_ANY_GRAPH:
            given = {one: GIVEN[one] for one in inspect.signature(function).parameters if one in GIVEN}
            with pytest.raises(ValueError, match=r"cycle: (Pollution|Cancer|Xray) → "):
                function(edges=CYCLE, **given)
            asked.append(name)
    assert {"score", "n_parameters", "mdl", "fit"} <= set(asked)


def test_a_cycle_is_refused_where_graphs_have_other_names():
    for one, other in ((CYCLE, []), ([], CYCLE)):
        with pytest.raises(ValueError, match="cycle"):
            compare_with_truth(DATA.names, one, other)
    with pytest.raises(ValueError, match="cycle"):
        bn.teaching.score_growth(bn.load_network("cancer"), {"true": [], "odd": CYCLE}, [20])
    graph = np.zeros((5, 5), dtype=bool)
    graph[[0, 1, 2], [1, 2, 0]] = True
    with pytest.raises(ValueError, match="cycle"):
        bn.cpdag(graph)
