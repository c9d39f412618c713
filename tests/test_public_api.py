"""The public names, and what importing them costs."""

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bnengine as bn

ROOMS = {
    "": bn,
    "answers.": bn.answers,
    "teaching.": bn.teaching,
    "prediction.": bn.prediction,
    "posterior.": bn.posterior,
    "settings.": bn.settings,
    "plots.": bn.plots,
}
PUBLIC = {f"{room}{name}": getattr(module, name) for room, module in ROOMS.items() for name in module.__all__}
CALLABLES = [name for name, made in PUBLIC.items() if callable(made)]


def test_every_public_name_exists_once():
    for module in ROOMS.values():
        assert len(set(module.__all__)) == len(module.__all__)
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("name", bn._MOVED)
def test_a_name_that_moved_says_where_it_is(name):
    assert name not in PUBLIC
    with pytest.raises(AttributeError, match=rf"bnengine\.{name} has moved: {re.escape(bn._MOVED[name])}"):
        getattr(bn, name)


def test_readers_of_types_and_programs_see_the_same_names():
    """Checkers of types read ``__all__`` in the stub, programs the imports beside it."""
    stub = ast.parse(Path(bn.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = next(node.value for node in stub.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(bn.__all__)


def test_settings_and_results_are_frozen():
    made = {name: PUBLIC[name] for name in CALLABLES if dataclasses.is_dataclass(PUBLIC[name])}
    assert [name for name, kind in made.items() if not kind.__dataclass_params__.frozen] == []


def test_importing_brings_nothing_and_learning_no_page_or_frame_library():
    """What is not asked for is not imported, the compiler least of all; a search on a cluster's worker needs little."""
    program = """
import sys
import bnengine
print(*[name for name in ("numpy", "numba", "pydantic") if name in sys.modules])
bnengine.learn, bnengine.resample
rooms = [f"bnengine.{room}" for room in ("discretization", "posterior", "prediction", "teaching", "experiment.recipe")]
print(*[name for name in ("streamlit", "plotly", "pandas", "networkx", *rooms) if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["", ""]


def test_every_function_that_draws_says_what_its_seed_may_be():
    drawing = {name: made for name, made in PUBLIC.items() if inspect.isfunction(made)}
    seeds = {name: inspect.signature(made).parameters.get("rng") for name, made in drawing.items()}
    drawn = [name for name, rng in seeds.items() if rng is not None and rng.default == 0]
    drawn = [name for name in drawn if not name.startswith("teaching.")]  # lessons are repeated as they were
    assert len(drawn) > 10
    said = "rng : int, Generator or None, default 0; None draws anew at each call"
    silent = [name for name in drawn if said not in drawing[name].__doc__ and "As for" not in drawing[name].__doc__]
    assert silent == []


def test_how_a_run_is_run_is_said_by_keyword():
    running, by_place = {"executor", "progress", "ties", "stop"}, []
    for name, made in PUBLIC.items():
        parameters = inspect.signature(made).parameters if inspect.isfunction(made) else {}
        if running & parameters.keys() and name != "warm_up":  # which has nothing else
            said = [one.kind for key, one in parameters.items() if key in running | {"rng"}]
            by_place += [name] if set(said) != {inspect.Parameter.KEYWORD_ONLY} else []
    assert by_place == []


def test_constraints_are_named_wherever_they_are_taken():
    kinds = {
        name: inspect.signature(made).parameters["constraints"].kind
        for name, made in PUBLIC.items()
        if inspect.isfunction(made) and "constraints" in inspect.signature(made).parameters
    }
    assert len(kinds) > 8
    assert {*kinds.values()} == {inspect.Parameter.KEYWORD_ONLY}


def test_what_other_libraries_call_it_is_answered_by_our_word():
    data = bn.load_sample("lecture_8")
    with pytest.raises(TypeError, match="'random_state'; here it is rng=0"):
        bn.learn(data, random_state=3)
    with pytest.raises(TypeError, match="'n_jobs'; all cores are used"):
        bn.resample(data, n_jobs=2)


def test_a_study_runs_by_default_what_the_pages_run():
    data = bn.Dataset.from_frame(bn.load_sample("lecture_8"))
    experiment = bn.Experiment(bn.Recipe("sample", "lecture_8"))
    study, shown = bn.study(data), experiment.run()
    assert {*study.ensembles} == {*experiment.methods_run}
    for key, ensemble in shown.ensembles.items():
        assert (study.ensembles[key].confidence == ensemble.confidence).all()
    assert (bn.resample(data).confidence == study.ensembles["bootstrap"].confidence).all()


def test_graphs_are_taken_where_edges_are_whatever_the_order_of_their_columns():
    asia = bn.load_network("asia")
    data = asia.sample(300, rng=1)
    graph, other = bn.learn(data), bn.learn(data.to_frame()[sorted(data.names, reverse=True)])
    assert bn.shd(graph, other) == bn.shd(asia, asia.by_name) == 0
    assert bn.shd(graph, asia) == bn.shd(graph.adjacency, asia.adjacency) > 0
    for edges in (asia, asia.to_networkx()):
        assert bn.score(data, edges) == bn.score(data, asia.edges, bn.BIC())
    assert bn.fit(data, graph).edges == graph.edges == list(bn.Constraints(graph).required)
    with pytest.raises(ValueError, match="one and other must have the same variables"):
        bn.shd(graph, bn.load_network("cancer"))


def test_a_posterior_is_tabled_by_pair():
    data = bn.load_network("cancer").sample(300, rng=1)
    found = bn.edge_posterior(data)
    table = found.table()
    assert len(table) == 10
    for row in table.itertuples():
        i, j = found.names.index(row.parent), found.names.index(row.child)
        assert row.probability == found.pair_probability[i, j]
        assert row.direction == pytest.approx(found.probability[i, j] / found.pair_probability[i, j])
        assert row.direction >= 0.5
