"""The contract of the registries: an entry that lacks something fails by its name, wherever it is told or used."""

import itertools

import pytest

import bnengine as bn
from bnengine._core.settings import entry_of
from bnengine.bootstrap.resampling_methods import ALL_KEYS, FOUND_AGAIN, OF_THE_SEARCH, REAL, RESAMPLING_METHODS, Method
from bnengine.experiment.r_script import r_script
from bnengine.plots.palette import method_color
from bnengine.report.html_report import html_report
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

RECIPE = bn.Recipe("network", "cancer", n_rows=25, seed=1, columns=("Smoker", "Cancer", "Xray"))
PRIOR = bn.BDe("cancer")


def made(kind):
    return PRIOR if kind is bn.BDe else kind()


def experiments():
    """Every score with every search, and every method."""
    for score, search in itertools.product(map(made, SCORES.values()), (kind() for kind in SEARCHES.values())):
        recipe = bn.Recipe("network", "cancer", n_rows=25, seed=1) if score is PRIOR else RECIPE
        yield bn.Experiment(recipe, score, search, bn.Constraints(max_parents=2), methods=ALL_KEYS, n=1)


EXPERIMENTS = list(experiments())
_FIRST = EXPERIMENTS[0]
#: Every score with one search, and every search with one score.
RUN = [one for one in EXPERIMENTS if one.score == _FIRST.score or one.search == _FIRST.search]


@pytest.mark.parametrize("registry", [SCORES, SEARCHES], ids=["scores", "searches"])
def test_every_score_and_search_says_what_is_told_of_it(registry):
    told = ("tag", "label", "help", "in_r") + (("group",) if registry is SCORES else ())
    lacking = {
        kind.__name__: [name for name in told if not getattr(entry_of(kind), name)] for kind in registry.values()
    }
    assert {name: parts for name, parts in lacking.items() if parts} == {}
    assert [kind.__name__ for kind in registry.values() if not entry_of(kind).help.endswith(".")] == []
    assert len({entry_of(kind).label for kind in registry.values()}) == len(registry)
    for tag, kind in registry.items():
        assert entry_of(kind).tag == tag
        assert set(entry_of(kind).in_r.arguments.values()) <= set(kind.__dataclass_fields__), tag
        assert getattr(bn, kind.__name__) is kind, tag


def test_every_resampling_method_says_what_is_told_of_it():
    told = ("name", "row", "question", "help", "color")
    lacking = {key: [name for name in told if not getattr(entry, name)] for key, entry in RESAMPLING_METHODS.items()}
    assert lacking.pop("data") == ["color"]  # drawn in the colour of text
    assert {key: parts for key, parts in lacking.items() if parts} == {}
    entries = RESAMPLING_METHODS.values()
    assert {entry.question for entry in entries} == {FOUND_AGAIN, OF_THE_SEARCH, REAL}
    assert [entry.key for entry in entries if not entry.help.endswith(".")] == []
    for name in ("name", "row", "color"):
        assert len({getattr(entry, name) for entry in entries}) == len(entries), name
    assert len({method_color(key, True) for key in RESAMPLING_METHODS}) == len(entries)
    plain = {key for key in ALL_KEYS if RESAMPLING_METHODS[key].in_r or RESAMPLING_METHODS[key].not_in_r}
    assert set(ALL_KEYS) - plain == {"bootstrap"}  # whose call in R needs no words


def test_files_links_commands_and_scripts_of_every_score_search_and_method():
    for experiment in EXPERIMENTS:
        assert bn.Experiment.from_json(experiment.to_json()) == experiment
        assert bn.Experiment.from_link(experiment.to_link()) == experiment
        assert eval(f"bn.{experiment.search!r}", {"bn": bn}) == experiment.search
        assert eval(experiment.python_score(), {"bn": bn}) == experiment.score
        compile(experiment.python(), "script", "exec")
        script = r_script(experiment)
        entries = [RESAMPLING_METHODS[key] for key in experiment.methods]
        assert all(f"strength.{entry.key} <- " in script for entry in entries if entry.in_r)
        assert all(f"Method {entry.key}: " in script for entry in entries if entry.not_in_r)
        assert len({experiment.method_key(key) for key in experiment.methods}) == len(experiment.methods)


def test_a_report_on_every_score_search_and_method():
    for experiment in RUN:
        data = experiment.load()
        study = experiment.run(data)
        assert set(experiment.methods) <= set(study.ensembles)
        content = html_report(experiment, data, study)
        for key in experiment.methods:
            assert RESAMPLING_METHODS[key].label in content, (experiment.score.name, experiment.search.name, key)


def test_a_method_of_the_callers_own_is_called_by_its_key():
    experiment = bn.Experiment(RECIPE, n=3)
    data = experiment.load()
    own = Method("mine", bn.Bootstrap(3), "none")
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), [own])
    assert list(study.table1().index) == ["data D", "mine"]
    assert "■</b> mine" in html_report(experiment, data, study)
