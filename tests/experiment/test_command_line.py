"""An experiment, the command that repeats it, and back."""

import dataclasses
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.experiment.command_line import (
    PARTS,
    all_options,
    read_names,
    write_names,
)
from bnengine.experiment.learning import Learning
from bnengine.networks.bundled import SAMPLE_TABLES
from tests.commands import answer, experiment_of, parsed
from tests.experiment.test_experiment import EXPERIMENTS, PER_COLUMN, SEEDS, shaping

ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
RECIPES = st.one_of(
    st.builds(bn.Recipe, source=st.just("sample"), name=st.sampled_from(list(SAMPLE_TABLES))),
    st.builds(
        bn.Recipe,
        source=st.just("network"),
        name=st.sampled_from(bn.network_names()),
        n_rows=st.integers(1, 10**6),
        seed=SEEDS,
    ),
    st.builds(
        bn.Recipe,
        source=st.just("file"),
        name=ODD
        | st.sampled_from(["-", "-x", "sample:titanic", "network:asia", "file:x", "@x", "a b.csv", "ä'\".csv"]),
    ),
)
TREATMENTS = st.fixed_dictionaries(
    {
        "columns": st.lists(ODD, max_size=3).map(tuple),
        "discretization": st.sampled_from(["none", "quantile", "width", "score"]),
        "per_column": PER_COLUMN,
        "bins": st.integers(2, 9),
        "missing": st.sampled_from(["drop_rows", "own_state"]),
        **shaping(ODD.filter(str.strip)),
    }
)
PAIRS = st.lists(st.tuples(ODD, ODD), max_size=3).map(tuple)
CONSTRAINTS = st.builds(
    bn.Constraints,
    required=PAIRS,
    forbidden=PAIRS,
    max_parents=st.none() | st.integers(0, 9),
    tiers=st.lists(st.lists(ODD, max_size=3).map(tuple), max_size=3).map(tuple),
)


@st.composite
def experiments(draw):
    """Any experiment that can be run: known samples and networks, odd names everywhere."""
    recipe = dataclasses.replace(draw(RECIPES), **draw(TREATMENTS))
    base = draw(EXPERIMENTS)
    search = base.search
    if "ordering" in search.__dataclass_fields__:
        search = dataclasses.replace(search, ordering=draw(st.none() | st.lists(ODD, max_size=4).map(tuple)))
    if "root" in search.__dataclass_fields__:
        search = dataclasses.replace(search, root=draw(st.none() | ODD))
    return dataclasses.replace(base, data=recipe, search=search, constraints=draw(CONSTRAINTS))


def without_resampling(experiment):
    """With every setting at its default that the data's own graph does not depend on."""
    plain = {one.name for one in dataclasses.fields(bn.Experiment)} - {one.name for one in dataclasses.fields(Learning)}
    default = bn.Experiment()
    return dataclasses.replace(experiment, **{field: getattr(default, field) for field in plain})


@pytest.mark.slow
@given(experiments(), st.sampled_from(["learn", "table1", "confidence"]))
def test_an_experiment_s_command_describes_the_same_experiment_invariant(experiment, command):
    expected = without_resampling(experiment) if command == "learn" else experiment
    assert parsed(bn.settings.command_line(experiment, command)) == expected


@given(st.lists(ODD))
def test_names_come_back_from_their_line_invariant(names):
    assert [name for line in read_names(write_names(names)) for name in line] == names


@pytest.mark.slow
@given(experiments())
def test_an_experiment_in_a_file_is_the_same_experiment_invariant(experiment):
    """``--experiment`` reads what ``to_dict`` wrote, and what a result's JSON holds."""
    with tempfile.TemporaryDirectory() as folder:
        for described in (experiment.to_dict(), {"command": "table1", "experiment": experiment.to_dict()}):
            Path(folder, "e.json").write_text(json.dumps(described), encoding="utf-8")
            assert experiment_of(["table1", "--experiment", f"{folder}/e.json"]) == experiment


def test_every_setting_has_an_option():
    """So has one that a registry gains: nothing here names a score, a search or a field."""
    by_part = {part: {(one, o.field) for o in all_options() if o.part == part for one in o.settings} for part in PARTS}
    for part, classes in PARTS.items():
        given_otherwise = {
            "experiment": {*PARTS, "rule"},  # the rule is a word of --threshold
            "data": {"source", "name", "fingerprint"},
        }.get(part, set())
        for one in classes:
            for field in set(one.__dataclass_fields__) - given_otherwise:
                assert (one, field) in by_part[part], f"{one.__name__}.{field} cannot be said on the command line"
    flags = [option.flag for option in all_options()]
    assert len(set(flags)) == len(flags)
    assert all(one.help and one.label for option in all_options() for one in option.settings.values())


def test_settings_replace_those_of_the_file(tmp_path, capsys):
    saved = tmp_path / "e.json"
    code, out, _ = answer(
        capsys, "learn", "sample:titanic", "--score", "bdeu", "--ess", 7, "--seed", 3, "--save-experiment", saved
    )
    assert code == 0
    described = bn.Experiment.from_dict(json.loads(saved.read_text()))
    assert described == bn.Experiment(bn.Recipe("sample", "titanic"), bn.BDeu(7.0), seed=3)
    assert answer(capsys, "learn", "--experiment", saved)[1] == out

    def of(*words):
        return experiment_of(["table1", "--experiment", str(saved), *words])

    assert of("--ess", "2") == dataclasses.replace(described, score=bn.BDeu(2.0))
    assert of("--score", "BDs") == dataclasses.replace(described, score=bn.BDs())
    assert of("sample:lecture_4", "--n", "9") == dataclasses.replace(
        described, data=bn.Recipe("sample", "lecture_4"), n=9
    )


def test_lists_in_files(tmp_path):
    (tmp_path / "edges.csv").write_text('parent,child,confidence\n"a, b",c,0.5\nc,d,0.25\n', encoding="utf-8")
    (tmp_path / "tiers.csv").write_text("a\nb,c\n", encoding="utf-8")
    (tmp_path / "order.txt").write_text('one\n"two, too"\nthree\n', encoding="utf-8")
    words = ["learn", "x.csv", "--required", f"@{tmp_path}/edges.csv", "--required", "x,y"]
    words += ["--tiers", f"@{tmp_path}/tiers.csv", "--search", "k2", "--order", f"@{tmp_path}/order.txt"]
    experiment = experiment_of(words)
    assert experiment.constraints.required == (("a, b", "c"), ("c", "d"), ("x", "y"))
    assert experiment.constraints.tiers == (("a",), ("b", "c"))
    assert experiment.search == bn.K2(("one", "two, too", "three"))


def test_the_data_s_own_network_s_ordering_is_called_by_its_name():
    ordering = tuple(bn.load_network("alarm").ordering)
    for recipe in (bn.Recipe("sample", "alarm_300"), bn.Recipe("network", "alarm", n_rows=9)):
        for search in (bn.K2(ordering), bn.FixedOrdering(ordering)):
            experiment = bn.Experiment(recipe, search=search)
            assert "--order network:alarm" in bn.settings.command_line(experiment)
            assert parsed(bn.settings.command_line(experiment)) == experiment
    other = bn.Experiment(bn.Recipe("sample", "alarm_300"), search=bn.K2(ordering[::-1]))
    assert f"--order {','.join(ordering[::-1])}" in bn.settings.command_line(other)


def test_a_bundled_network_s_own_ordering():
    words = ["learn", "sample:asia_1000", "--search", "k2", "--order", "network:asia"]
    assert experiment_of(words).search == bn.K2(tuple(bn.load_network("asia").ordering))
