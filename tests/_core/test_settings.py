"""One declaration of a setting: what is accepted, what is refused, and how it is described."""

import dataclasses
import json
from typing import Annotated, Any

import numpy as np
import pytest

from bnengine._core.settings import (
    REQUIRED,
    Edges,
    Names,
    Number,
    OneOf,
    SettingError,
    Switch,
    Text,
    Tiers,
    Whole,
    by_tag,
    field,
    setting,
    setting_of,
    settings_of,
    to_plain,
)


@setting(tag="walk", label="Random walk")
class Walk:
    steps: Whole = field(default=10, ge=1, le=1000, label="Steps", unit="moves", help="Moves of one walk.")
    limit: Whole | None = field(default=None, ge=0, none="no limit")
    share: Number = field(default=1.0, gt=0, le=1)
    start: Text = field(default="empty", choices={"empty": "No edges", "full": "All edges"})
    order: Names | None = field(default=None)

    def __post_init__(self):
        if self.steps == 77:
            raise ValueError("steps must not be 77")


@setting(tag="jump")
class Jump:
    height: Number = field(ge=0)


@setting
class Trip:
    way: Annotated[Any, OneOf(by_tag(Walk, Jump))] = field(default_factory=Walk)
    edges: Edges = field(default=())
    tiers: Tiers = field(default=())
    colours: Names = field(default=("red",), choices=("red", "blue"))
    new: Switch = field(default=False, kw_only=True)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Walk(0), "steps must be a whole number from 1 to 1,000 moves; got 0"),
        (lambda: Walk(True), "got True"),
        (lambda: Walk("5"), "got '5'"),
        (lambda: Walk(2.5), "got 2.5"),
        (lambda: Walk(10**5000), "steps must be"),
        (lambda: Walk(limit=-1), "no limit"),
        (lambda: Walk(share=float("nan")), "above 0 and at most 1; got nan"),
        (lambda: Walk(share=10**5000), "share"),
        (lambda: Walk(share=0), "got 0"),
        (lambda: Walk(start="half"), "start must be one of empty, full; got 'half'"),
        (lambda: Walk(order="ab"), "order must be a list of names"),
        (lambda: Walk(order=["\ud800"]), "order"),
        (lambda: Walk(77), "steps must not be 77"),
        (lambda: Walk(pace=1), "Random walk has no setting 'pace'; it has steps, limit"),
        (lambda: Walk(*range(1, 9)), "share"),
        (lambda: Jump(), "height must be given"),
        (lambda: Jump(-1), "height must be a number of at least 0; got -1"),
        (lambda: Trip({"kind": "walk", "steps": 0}), "way: steps must be a whole number"),
        (lambda: Trip({"kind": "walk", "steps": 77}), "way: steps must not be 77"),
        (lambda: Trip({"kind": "swim"}), "way must be one of walk, jump"),
        (lambda: Trip({"kind": []}), "way must be one of walk, jump"),
        (lambda: Trip(5), "way must be one of walk, jump; got 5"),
        (lambda: Trip(edges=[["a"]]), "edges must be (parent, child) pairs"),
        (lambda: Trip(tiers=5), "tiers must be lists of names"),
        (lambda: Trip(colours=["green"]), "colours must be a list among red, blue"),
        (lambda: Trip(new=1), "new must be true or false"),
    ],
)
def test_a_refusal_is_one_sentence_that_names_setting_and_value(make, says):
    with pytest.raises(SettingError) as refused:
        make()
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_what_numpy_and_lists_give_becomes_plain_values():
    walk = Walk(np.int64(5), np.uint8(3), np.float32(0.5), order=["a", "b"])
    assert walk == Walk(5, 3, 0.5, order=("a", "b"))
    assert [type(value) for value in dataclasses.astuple(walk)] == [int, int, float, str, tuple]
    assert Trip(edges=[["a", "b"]], tiers=[["a"]], new=np.True_) == Trip(edges=(("a", "b"),), tiers=(("a",),), new=True)


def test_plain_values_give_the_settings_back():
    for trip in (Trip(), Trip(Jump(2), [("a", "b")], [["a"], []], ["blue"], new=True)):
        assert Trip(**json.loads(json.dumps(to_plain(trip)))) == trip


def test_a_declaration_describes_itself():
    steps, limit, _, start, order = settings_of(Walk)
    assert (steps.kind, steps.label, steps.unit, steps.ge, steps.le) == ("int", "Steps", "moves", 1, 1000)
    assert (steps.help, steps.default, steps.optional) == ("Moves of one walk.", 10, False)
    assert (limit.kind, limit.optional, limit.none, limit.ge) == ("int", True, "no limit", 0)
    assert (start.kind, start.choices) == ("choice", {"empty": "No edges", "full": "All edges"})
    assert (order.kind, order.optional) == ("names", True)
    assert setting_of(Jump, "height").default is REQUIRED
    assert [one.kind for one in settings_of(Trip)] == ["one_of", "edges", "tiers", "choices", "bool"]
    assert list(setting_of(Trip, "way").registry) == ["walk", "jump"]
