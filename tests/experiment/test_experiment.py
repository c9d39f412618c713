"""The one description of a run."""

import dataclasses
import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.settings import settings_of
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.resample import ResampleTask
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.learning import LearningSettings, real_key
from bnengine.experiment.recipe import Recipe
from bnengine.networks.bundled import SAMPLE_TABLES, network_names
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=6)
WORDS = NAMES.filter(str.strip)


def lists(*parts):
    """What a recipe says about single columns, each named once."""
    of_two = st.lists(st.tuples(WORDS, *parts), max_size=2, unique_by=(lambda one: one[0], lambda one: one[1]))
    return of_two.map(tuple)


#: What no bound or choice tells of a setting: by its name, or by its kind.
OF_NAME = {
    "per_column": lists(st.sampled_from(["none", "quantile", "kmeans", "score"]))
    | lists(st.sampled_from(["hartemink", "width"]), st.integers(2, 9).map(str))
    | lists(st.just("hand"), st.just("-1.5"), st.sampled_from(["0", "1e3"])),
    "where": lists(st.sampled_from(["is", "is_not"]), WORDS) | lists(st.just("at_most"), st.just("2")),
    "rare": lists(st.integers(2, 99).map(str)),
    "states": lists(WORDS),
    "missing_in": lists(st.sampled_from(["drop_rows", "own_state", "most_common"])),
    "renamed": lists(WORDS),
    "repairs": st.just(()),
    "truth": st.sampled_from(["fitted", "file", *network_names()]),
}
OF_KIND = {
    "bool": st.booleans(),
    "text": NAMES,
    "names": st.lists(NAMES, max_size=3, unique=True).map(tuple),
    "edges": st.lists(st.tuples(NAMES, NAMES), max_size=3).map(tuple),
    "tiers": st.lists(st.lists(NAMES, max_size=2).map(tuple), max_size=2).map(tuple),
    "network": st.sampled_from(network_names()),
}


def values_of(one):
    """Whatever a setting may be, by its declaration."""
    if one.name in OF_NAME or one.kind in OF_KIND:
        found = OF_NAME.get(one.name, OF_KIND.get(one.kind))
    elif one.choices:
        word = st.sampled_from([*one.choices])
        found = word if one.kind == "choice" else st.lists(word, unique=True).map(tuple)
    elif one.kind == "int":
        found = st.integers(one.ge, one.le)
    elif one.kind == "float":
        ends = [inside if inside is not None else beyond for inside, beyond in ((one.ge, one.gt), (one.le, one.lt))]
        found = st.floats(*ends, exclude_min=one.ge is None, exclude_max=one.le is None)
    else:
        found = made(one.part) if one.part else st.one_of([made(kind) for kind in one.registry.values()])
    return st.none() | found if one.optional else found


def made(kind, **given):
    """Objects of a class of settings."""
    return st.builds(kind, **{one.name: values_of(one) for one in settings_of(kind)} | given)


SOURCES = st.one_of(
    st.tuples(st.just("sample"), st.sampled_from(list(SAMPLE_TABLES)), st.integers(0, 10**6)),
    st.tuples(st.just("network"), st.sampled_from(network_names()), st.integers(1, 10**4)),
    st.tuples(st.just("file"), NAMES, st.integers(0, 10**6)),
)
RECIPES = SOURCES.flatmap(
    lambda of: made(
        bn.Recipe, **{name: st.just(value) for name, value in zip(("source", "name", "n_rows"), of, strict=True)}
    )
)
EXPERIMENTS = made(bn.Experiment, data=RECIPES)


@pytest.mark.slow
@given(EXPERIMENTS)
def test_to_dict_and_back_through_json_invariant(experiment):
    described = experiment.to_dict()
    again = bn.Experiment.from_dict(json.loads(json.dumps(described)))
    assert again == experiment
    assert again.to_dict() == described
    assert again.key == experiment.key
    assert bn.Experiment.from_json(experiment.to_json().encode("utf-8-sig")) == experiment
    assert bn.Experiment.from_link(experiment.to_link()) == experiment


BASE = bn.Experiment(bn.Recipe("sample", "asia_1000"), n=15)


@pytest.mark.parametrize(
    "experiment",
    [
        BASE,
        bn.Experiment(
            bn.Recipe("network", "cancer", n_rows=150, seed=4),
            score=bn.BDeu(2.5),
            search=bn.K2(("Smoker", "Pollution", "Cancer", "Xray", "Dyspnoea"), max_parents=2),
            constraints=bn.Constraints((("Smoker", "Xray"),), (("Cancer", "Xray"),), tiers=(("Smoker",), ("Xray",))),
            methods=("bootstrap", "jackknife_delete_d"),
            n=10,
            d=20,
            strength=0.25,
            seed=6,
        ),
    ],
    ids=["sample", "network"],
)
def test_the_generated_script_gives_the_same_edges(experiment, capsys):
    study, names = experiment.run(), {}
    exec(experiment.python(), names)
    pd.testing.assert_frame_equal(names["study"].edge_table(), study.edge_table())
    assert str(study.table1()) in capsys.readouterr().out


def test_a_permutation_threshold_uses_the_strength_that_was_matched(asia):
    """Also 0, which is no absent value: shuffled data are then learned from without a penalty."""
    experiment = bn.Experiment(
        bn.Recipe("sample", "asia_1000"), n=5, methods=("bootstrap_matched",), shuffles=3, seed=2
    )
    ensemble = experiment.run(asia).ensembles["bootstrap_matched"]
    settings = (asia, experiment.score, experiment.search, bn.Bootstrap(5), "leading", None)
    for strength in (0.0, 3.0):
        found = experiment.permutation_threshold(
            asia, "bootstrap_matched", dataclasses.replace(ensemble, strength=strength)
        )
        expected = permutation_threshold(ResampleTask(*settings, strength), n_permutations=3, kind="adjacency", rng=2)
        assert found.false_edges.tolist() == expected.false_edges.tolist()


def test_a_prior_network_of_one_s_own_goes_with_the_experiment(tmp_path, monkeypatch):
    """As text in the dictionary; in Python lines as a file of its title."""
    data = bn.load_network("cancer").sample(80, rng=2)
    network = bn.fit(data, [("Smoker", "Cancer"), ("Cancer", "Xray")], ess=2.0)
    network = bn.BayesianNetwork(network.names, network.states, network.parents, network.tables, "mine")
    recipe = bn.Recipe("network", "cancer", n_rows=80, seed=2)
    experiment = bn.Experiment(recipe, bn.BDe(network, 4.0), n=10, methods=("bootstrap",))
    again = bn.Experiment.from_dict(json.loads(json.dumps(experiment.to_dict())))
    assert again == experiment
    assert again.key == experiment.key
    other = dataclasses.replace(experiment, score=bn.BDe(bn.load_network("cancer"), 4.0))
    assert other != experiment
    assert other.key != experiment.key
    monkeypatch.chdir(tmp_path)
    bn.write_bif(network, tmp_path / "mine.bif")
    names = {}
    exec(experiment.python(), names)
    assert names["study"].edge_table().equals(experiment.run().edge_table())
    assert bn.BDe("mine.bif", 4.0).network == network


MIXED = pd.DataFrame(
    {
        "dose": [k / 10 for k in range(60)],
        "age": [20 + k for k in range(60)],
        "rating": [1 + k % 5 for k in range(60)],
        "word": ["ab"[k % 2] for k in range(60)],
    }
)


def test_each_column_is_treated_as_the_recipe_says():
    recipe = bn.Recipe("file", "x.csv", discretization="quantile", per_column=[("age", "width", 5), ("rating", "none")])
    assert recipe.per_column == (("age", "width", "5"), ("rating", "none"))
    assert recipe.treatment(MIXED) == ({"dose": "quantile", "age": "width"}, {"dose": 3, "age": 5})
    data = recipe.prepare(MIXED)
    assert data.arities.tolist() == [3, 5, 5, 2]
    cuts = recipe.cuts(MIXED)
    assert list(cuts) == ["dose", "age"]
    assert recipe.prepare(MIXED, {"dose": (1.0,), "age": (50.0,)}).arities.tolist() == [2, 2, 5, 2]
    only = dataclasses.replace(recipe, columns=("dose", "word"))
    assert list(only.cuts(MIXED)) == ["dose"]
    assert bn.Recipe("file", "x.csv").suggested(MIXED[["rating", "word"]]).discretization == "none"


def test_by_the_score_cuts_the_measurements():
    recipe = bn.Recipe("file", "x.csv", discretization="score", bins=2)
    assert list(recipe.cuts(MIXED)) == ["dose", "age"]
    assert dataclasses.replace(recipe, per_column=(("age", "none"),)).cuts(MIXED).keys() == {"dose"}
    stopped = recipe.cuts(MIXED, progress=lambda done, total: False)
    assert list(stopped) == ["dose", "age"]


# A result's key changes with every setting that the result depends on.


ALL = Experiment(
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
    yield ALL
    for kind in SCORES.values():
        yield dataclasses.replace(ALL, score=bn.BDe("asia") if kind is bn.BDe else kind())
    for kind in SEARCHES.values():
        yield dataclasses.replace(ALL, search=kind())


def run_with(experiment, key):
    """All that one method's ensemble is computed from."""
    (method,) = bn.resampling_methods(experiment.n, experiment.d, (key,), experiment.size)
    strength = experiment.strength if method.correction == "leading" else None
    reference = "data" in experiment.methods_run if method.correction == "matched" else None
    return experiment.graph_settings(), repr(experiment.arguments), repr(method), strength, reference, experiment.recut


OF_STUDIES = ("methods", "n", "d", "size", "strength", "recut")
PAIRS = [(start, path, made) for start in starts() for path, made in changed(start)]


def test_every_setting_is_changed_in_some_experiment():
    reached = {path[0] for _, path, _ in PAIRS}
    assert reached == set(Experiment.__dataclass_fields__)
    inside = {path[1] for _, path, _ in PAIRS if path[0] == "data"}
    assert inside >= set(Recipe.__dataclass_fields__) - {"source", "name"}


@pytest.mark.slow
def test_keys_of_graphs_and_studies():
    def keys_of(one):
        return one.graph_key, one.key, real_key(one), one.calibration_key

    of_starts = {}
    for start, path, made in PAIRS:
        learned = path[0] in LearningSettings.__dataclass_fields__
        before = of_starts.get(id(start)) or of_starts.setdefault(id(start), keys_of(start))
        graph, study, real, calibration = (a != b for a, b in zip(before, keys_of(made), strict=True))
        assert graph == learned, path
        assert study == (learned or path[0] in OF_STUDIES), path
        assert real or path[0] not in ("data", "constraints", "seed"), path
        assert calibration or not (path[0] in ("calibration", "kind", "d") or (learned and path[0] != "data")), path


@pytest.mark.parametrize("method", ALL_KEYS)
def test_keys_of_ensembles(method):
    for start, path, made in PAIRS:
        if start is ALL and start.method_key(method) == made.method_key(method):
            assert run_with(start, method) == run_with(made, method), path
