"""Generators that travel as seeds draw, and spawn, what they would have drawn at home."""

import pickle

import numpy as np
import pytest

from bnengine._core.cluster import Seeds, packed, unpacked


def draws(generators):
    return [(g.integers(0, 2**60), g.spawn(1)[0].integers(0, 2**60)) for g in generators]


def children(n=7):
    return np.random.default_rng(5).spawn(2)[1].spawn(n)


@pytest.mark.parametrize("part", [slice(None), slice(3, 6), slice(6, 7), slice(0, 0)])
def test_children_travel_as_a_few_numbers(part):
    small = packed(children()[part])
    assert draws(unpacked(pickle.loads(pickle.dumps(small)))) == draws(children()[part])
    if children()[part]:
        assert isinstance(small, Seeds)
        assert len(pickle.dumps(small)) < 200


def _used():
    generators = children()
    generators[2].random()
    return generators


def _spawned():
    generators = children()
    generators[6].spawn(1)
    return generators


OTHERS = {
    "has drawn": _used,
    "has spawned": _spawned,
    "not consecutive": lambda: children()[::2],
    "another kind": lambda: np.random.Generator(np.random.MT19937(3)).spawn(3),
    "not a child": lambda: [np.random.default_rng(3)],
    "of two parents": lambda: children(1) + np.random.default_rng(6).spawn(2),
}


@pytest.mark.parametrize("made", OTHERS.values(), ids=OTHERS.keys())
def test_others_travel_as_they_are(made):
    small = packed(made())
    assert not isinstance(small, Seeds)
    assert draws(unpacked(small)) == draws(made())
