"""A public function takes at most eight things to work on, besides how it is run."""

import inspect

import bnengine as bn

HOW = {"rng", "executor", "progress", "stop", "self"}
ROOMS = (bn, bn.answers, bn.teaching, bn.prediction, bn.posterior, bn.settings, bn.plots)


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
    many = {name: n for name, n in counts.items() if n > 8 and not name.endswith(".__init__")}
    assert many == {}
