"""A public function takes at most eight things to work on, besides how it is run."""

import inspect

import bnengine as bn

HOW = {"rng", "executor", "progress", "stop", "self"}
#: Functions that still take more, and how many; a number may only fall.
MORE = {
    "calibrate": 11,
    "edge_posterior": 13,
    "permutation_threshold": 11,
    "read_table": 10,
    "rows_needed": 10,
}
ROOMS = (bn, bn.teaching, bn.prediction, bn.posterior, bn.settings, bn.plots)


def functions():
    for room in ROOMS:
        for name in room.__all__:
            made = getattr(room, name)
            if inspect.isfunction(made):
                yield name, made
            elif inspect.isclass(made):
                yield from ((f"{name}.{own}", one) for own, one in vars(made).items() if inspect.isfunction(one))


def test_a_public_function_takes_at_most_eight_things():
    counts = {name: len(inspect.signature(made).parameters.keys() - HOW) for name, made in functions()}
    many = {name: n for name, n in counts.items() if n > MORE.get(name, 8) and not name.endswith(".__init__")}
    assert many == {}
