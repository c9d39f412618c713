"""A result's key changes with every setting that the result depends on."""

import dataclasses

import pytest

import bnengine as bn
from bnengine._core.settings import settings_of
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.learning import LearningSettings, real_key
from bnengine.experiment.recipe import Recipe
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

BASE = Experiment(
    Recipe("network", "asia", n_rows=50, seed=1), constraints=bn.Constraints(max_parents=3), methods=ALL_KEYS, n=20, d=5
)
#: Values other than the default, by kind of setting, for those that no bound or choice gives.
VALUES = {
    "names": ("smoke", "xray"),
    "edges": (("smoke", "xray"),),
    "tiers": (("smoke",), ("xray",)),
    "network": "asia",
}
LISTS = {
    "per_column": (("smoke", "none"),),
    "where": (("smoke", "is", "yes"),),
    "rare": (("smoke", "3"),),
    "states": (("smoke", "yes"),),
    "missing_in": (("smoke", "own_state"),),
    "renamed": (("smoke", "smokes"),),
    "repairs": (("missing", "smoke", "?"),),
    "leave_out": ("smoke",),
}


def another(one, value):
    """Another value of a setting that it may have; None if none is known."""
    if one.kind == "choices":
        return tuple(one.choices)[:2] if value != tuple(one.choices)[:2] else tuple(one.choices)[:1]
    if one.kind == "choice":
        return next(word for word in one.choices if word != value)
    if one.kind == "bool":
        return not value
    if one.kind in ("int", "float"):
        least = one.ge if one.ge is not None else one.gt if one.gt is not None else 0
        step = 1 if one.kind == "int" else 0.125
        return (value if value is not None else least) + step
    if one.kind == "text":
        return "smoke"
    return LISTS.get(one.name) or VALUES.get(one.kind)


def changed(owner):
    """The owner with each of its settings changed in turn, by the setting's path."""
    for one in settings_of(type(owner)):
        value = getattr(owner, one.name)
        if one.kind == "part" or one.kind == "one_of":
            for path, inner in changed(value):
                yield (one.name, *path), dataclasses.replace(owner, **{one.name: inner})
            continue
        try:
            made = dataclasses.replace(owner, **{one.name: another(one, value)})
        except ValueError:  # these settings do not go together
            continue
        if made != owner:
            yield (one.name,), made


def starts():
    """Experiments with every score and every search."""
    yield BASE
    for kind in SCORES.values():
        yield dataclasses.replace(BASE, score=bn.BDe("asia") if kind is bn.BDe else kind())
    for kind in SEARCHES.values():
        yield dataclasses.replace(BASE, search=kind())


def run_with(experiment, key):
    """All that one method's ensemble is computed from."""
    (method,) = bn.resampling_methods(experiment.n, experiment.d, (key,), experiment.size)
    strength = experiment.strength if method.correction == "leading" else None
    reference = "data" in experiment.methods_run if method.correction == "matched" else None
    return experiment.graph_settings(), repr(experiment.arguments), repr(method), strength, reference


PAIRS = [(start, path, made) for start in starts() for path, made in changed(start)]


def test_every_setting_is_changed_in_some_experiment():
    reached = {path[0] for _, path, _ in PAIRS}
    assert reached == set(Experiment.__dataclass_fields__)
    inside = {path[1] for _, path, _ in PAIRS if path[0] == "data"}
    assert inside >= set(Recipe.__dataclass_fields__) - {"source", "name"}


@pytest.mark.slow
def test_keys_of_graphs_and_studies():
    for start, path, made in PAIRS:
        learned = path[0] in LearningSettings.__dataclass_fields__
        assert (start.graph_key != made.graph_key) == learned, path
        assert (start.key != made.key) == (learned or path[0] in ("methods", "n", "d", "size", "strength")), path
        if path[0] in ("data", "constraints", "seed"):
            assert real_key(start) != real_key(made), path
        if path[0] in ("calibration", "kind", "d") or (learned and path[0] != "data"):
            assert start.calibration_key != made.calibration_key, path


@pytest.mark.parametrize("method", ALL_KEYS)
def test_keys_of_ensembles(method):
    for start, path, made in PAIRS:
        if start is BASE and start.method_key(method) == made.method_key(method):
            assert run_with(start, method) == run_with(made, method), path
