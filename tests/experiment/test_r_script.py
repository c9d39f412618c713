"""The R script of an experiment: every setting has a call or a plain word, and no name breaks out of its string."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.settings import entry_of, label_of
from bnengine.experiment.r_script import r_script, r_text
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from tests.experiment.test_experiment import EXPERIMENTS

ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
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
    """Any experiment, with odd names of variables."""
    base = draw(EXPERIMENTS)
    search = base.search
    if "ordering" in search.__dataclass_fields__:
        search = dataclasses.replace(search, ordering=draw(st.none() | st.lists(ODD, max_size=4).map(tuple)))
    if "root" in search.__dataclass_fields__:
        search = dataclasses.replace(search, root=draw(st.none() | ODD))
    return dataclasses.replace(base, search=search, constraints=draw(CONSTRAINTS))


STRING_OR_COMMENT = re.compile(r"""(["'])(?P<string>(?:\\.|(?!\1).)*)\1|#[^\n]*""", re.DOTALL)


def check(script):
    """Brackets balance outside of strings, every line is a whole line, all of it can be written to a file.

    Returns the script without strings and comments, and its strings, as R's own parser would part them.
    """
    strings = [one["string"] for one in STRING_OR_COMMENT.finditer(script) if one["string"] is not None]
    code = STRING_OR_COMMENT.sub(lambda one: "" if one["string"] is None else "_", script)
    assert not {*"\"'"} & {*code}
    brackets = re.sub(r"[^()\[\]{}]", "", code)
    while brackets:
        inner = re.sub(r"\(\)|\[\]|\{\}", "", brackets)
        assert inner != brackets
        brackets = inner
    assert "\n" not in "".join(strings)
    script.encode("utf-8")
    assert all(line.isprintable() for line in script.split("\n"))
    return code, strings


def test_every_score_and_every_search_has_a_call_or_a_plain_word():
    for tag, kind in SCORES.items():
        script = r_script(bn.Experiment(score=bn.BDe("asia") if tag == "bde" else kind()))
        in_r = entry_of(kind).in_r
        assert f'score = "{in_r.name}"' in script
        assert (f"bnlearn has no score like {label_of(kind)}" in script) != in_r.exact
        assert in_r.remark in " ".join(script.replace("\n#", "").split())
    for kind in SEARCHES.values():
        script, in_r = r_script(bn.Experiment(search=kind())), entry_of(kind).in_r
        assert f"do.call({in_r.name}, " in script
        assert (f"bnlearn has no search like {label_of(kind)}" in script) != in_r.exact
        assert in_r.remark in " ".join(script.replace("\n#", "").split())


def test_a_setting_that_bnlearn_does_not_have_is_said_to_be_left_out():
    said = "bnlearn has no such setting of Tabu search: restarts (3); it is left out."
    assert said in r_script(bn.Experiment(search=bn.Tabu(restarts=3)))
    assert "left out" not in r_script(bn.Experiment(search=bn.Tabu(tenure=3, max_parents=4)))


@pytest.mark.parametrize("way", ["drawn", "complete_families", "drop_rows"])
def test_an_empty_cell_is_missing_and_no_state(way):
    """Of bnlearn 5.2.1's searches hc and tabu refuse NA, and so does boot.strength with them; chow.liu takes it."""
    recipe = bn.Recipe("file", "t.csv", missing=way)
    for search in (bn.Tabu(), bn.ChowLiu()):
        script = r_script(bn.Experiment(recipe, search=search, methods=("bootstrap",), size=50))
        check(script)
        assert 'na.strings = "")' in script
        by_em = way != "drop_rows" and search == bn.Tabu()
        assert ('structural.em(rows, maximize = "tabu", maximize.args = arguments' in script) == by_em
        assert ("learn(data[sample(nrow(data), 50, replace = TRUE), sample(ncol(data))])" in script) == by_em
        assert ("boot.strength(data, R = " in script) != by_em
        said = {"drawn": "bnengine draws missing cells", "complete_families": "bnengine scores each family on the rows"}
        assert [key for key, words in said.items() if words in script] == [way] * (way in said)


@pytest.mark.slow
@given(experiments())
def test_any_experiment_gives_whole_lines_with_balanced_brackets_invariant(experiment):
    code, strings = check(r_script(experiment))
    assert code.count("learn(data)\n") == 1
    for parent, child in experiment.constraints.required:
        assert r_text(parent)[1:-1] in strings
        assert r_text(child)[1:-1] in strings


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ('a"b', r'"a\"b"'),
        ("a\\", r'"a\\"'),
        ("a'b#c", '"a\'b#c"'),
        ("one\ntwo\r\t", r'"one\ntwo\r\t"'),
        ("Größe, cm", '"Größe, cm"'),
        ("\x1b\u202e\U000e0001", r'"\u001b\u202e\U000e0001"'),
        ("\0", '"\ufffd"'),
    ],
)
def test_a_name_stays_in_its_string(name, written):
    assert r_text(name) == written
    constraints = bn.Constraints(required=((name, "b"),), forbidden=(("b", name),), tiers=((name,), ("b",)))
    experiment = bn.Experiment(search=bn.K2((name, "b")), constraints=constraints)
    _, strings = check(r_script(experiment))
    assert strings.count(written[1:-1]) >= 4


def test_settings_arrive_in_the_calls():
    experiment = bn.Experiment(
        score=bn.BDeu(10),
        search=bn.HillClimbing(restarts=3, perturbation=4, max_parents=5),
        constraints=bn.Constraints(max_parents=2),
        methods=("bootstrap",),
        n=50,
        size=90,
        seed=7,
        threshold=0.4,
        ties="columns",
    )
    script = " ".join(r_script(experiment).split())
    for words in (
        'score = "bde", iss = 10.0, ',
        "restart = 3, perturb = 4, max.iter = 10000, maxp = 2)",
        "set.seed(7)",
        "R = 50, m = 90, ",
        "cpdag = FALSE, shuffle = FALSE",
        "threshold = 0.4)",
    ):
        assert words in script
    for seed in (2**31 - 1, 2**31, 2**53 - 1):  # R's integers have 32 bits
        lines = r_script(dataclasses.replace(experiment, seed=seed)).splitlines()
        (given,) = (int(line.split("(")[1].split(")")[0]) for line in lines if line.startswith("set.seed"))
        assert given == seed % 2**31 < 2**31
        assert any(line.startswith("#") and str(seed) in line for line in lines) == (seed != given)
    compelled = dataclasses.replace(experiment, kind="compelled", threshold=None, rule="l1")
    assert "cpdag = TRUE" in r_script(compelled)
    assert "averaged.network(strength)\n" in r_script(compelled)
