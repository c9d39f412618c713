"""A lecture is presented step by step: the question first, then one picture; its answers are the engine's."""

import math

import numpy as np
import pytest

import bnengine as bn
from pages.present import presenting
from pages.present.lectures import LECTURES
from pages.shared.keys import Key
from tests.pages.serving import ROOT


def asia():
    return bn.Dataset.from_frame(bn.load_sample("asia_1000"))


def edge_saves(n_rows):
    """How many bits the edge of the worked example saves."""
    rows = bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))
    return bn.mdl(rows, []).mdl - bn.mdl(rows, [("X", "Y")]).mdl


def pair_of_alarm():
    rows = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    return bn.teaching.bootstrap_information(bn.teaching.contingency_table(rows, "EXPCO2", "BP"), 100, rng=0)


def entropy_lost(n_rows):
    table = bn.teaching.entropy_bias_by_size(bn.teaching.skewed_distribution(8, 0.5), (50, 500), rng=5)
    return -float(table.set_index("n_rows").loc[n_rows, "exact"])


def values_worth():
    table = bn.teaching.parameter_precision(1000)
    return int(table.loc[table["total_bits"].idxmin(), "values"])


def copied():
    edges = bn.teaching.graphs_from_copies(asia(), (1, 64)).table["edges"].tolist()
    return edges[1] > edges[0]


def stronger_prior():
    edges = bn.teaching.graphs_by_ess(asia()).table.set_index("ess")["edges"]
    return edges[100.0] > edges[1.0]


def apart():
    scores = bn.teaching.equivalence_table(asia(), ["smoke", "bronc", "dysp"])["BIC"].tolist()
    same = all(math.isclose(one, scores[0]) for one in scores[:3])
    return same and not math.isclose(scores[3], scores[0])


def weakest_edge():
    """One per cent of the description, and more than a billion to 1."""
    edges = bn.learn(asia()).edges
    last = bn.teaching.edge_costs(asia(), edges).iloc[-1]
    return 0.005 < last["bits"] / bn.mdl(asia(), edges).mdl < 0.015 and last["odds"] > 1e9


def around_the_sample():
    """The replicates' mean is 0.9 times their sample's variance, however many: five standard errors."""
    values = np.random.default_rng(5).standard_normal(10)
    made = bn.teaching.bootstrap_variance(values, 1000, rng=6)
    error = made.on_resamples.std() / math.sqrt(1000)
    return abs(made.on_resamples.mean() - 0.9 * values.var()) < 5 * error < abs(made.on_resamples.mean() - 1)


def found_again():
    return bn.teaching.spurious_dependence((3, 3), 200, rng=5).where_found().found_dependent()[1] > 0.7


def an_edge_is_missing():
    network = bn.load_network("survey")
    table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), (20,), 1.0, 10, 0).set_index("graph")
    return table["bic_ahead"]["one missing edge"] > 0 > table["bic_ahead"]["one spurious edge"]


def pairs_are_dependent():
    table = bn.teaching.pair_dependence(asia(), bn.learn(asia()).edges)
    return bool((table["dependent"] & ~table["edge"]).sum() > 4)


def arrow_can_be_reversed():
    arrows = bn.teaching.reversals(asia(), bn.learn(asia()).edges).set_index("edge")
    return abs(arrows["bits"]["lung → smoke"]) < 1e-9 and not arrows["compelled"]["lung → smoke"]


def compelled_without_a_cause():
    graph = bn.learn(bn.teaching.hidden_cause().sample(2000, 0).select(("A", "X", "Y", "B")))
    x, y = graph.names.index("X"), graph.names.index("Y")
    return bool(graph.cpdag[x, y] != graph.cpdag[y, x])


def rejected():
    table = bn.teaching.spurious_dependence((3, 3), 200, rng=5).table().set_index("rows")["found_dependent"]
    return table["bootstrap"] > 3 * table["data"]


def too_much():
    line = bn.teaching.bias_by_rows(bn.load_network("asia"), (200, 5000), rng=5).set_index("n_rows").loc[200]
    return line["leading"] > line["exact"]


def jackknife():
    made = bn.teaching.resampling_errors(
        bn.load_network("asia"), 300, lambda rows: -bn.score(rows, [], bn.LogLikelihood()) / rows.n_rows, 40, rng=5
    )
    table = made.table().set_index("method")
    return table["sd"]["jackknife, delete 1"] < table["sd"]["new samples"] / 5


def more_edges():
    experiment = bn.Experiment(bn.Recipe("sample", "alarm_300"), methods=("bootstrap",), n=50)
    counts = experiment.run().ensembles["bootstrap"].edge_counts
    own = len(experiment.learn(experiment.load()).edges)
    return counts.mean() > own + 2 and (counts > own).mean() > 0.7


#: Whether the right option of each step is right.
RIGHT = {
    "mdl": (
        lambda: edge_saves(4) > 0,
        lambda: edge_saves(8) > edge_saves(4),
        weakest_edge,
        lambda: 20 < values_worth() < 45,
        copied,
        stronger_prior,
        apart,
    ),
    "bootstrap": (
        more_edges,
        around_the_sample,
        around_the_sample,
        lambda: entropy_lost(50) > 0,
        lambda: 8 < entropy_lost(50) / entropy_lost(500) < 12,
        rejected,
        found_again,
        lambda: math.isclose(pair_of_alarm().corrected, 2 * pair_of_alarm().value - pair_of_alarm().mean),
        too_much,
        jackknife,
    ),
    "graphs": (an_edge_is_missing, pairs_are_dependent, arrow_can_be_reversed, compelled_without_a_cause),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LECTURES)
def test_the_right_answers_are_right(name):
    for step, right in zip(LECTURES[name].steps, RIGHT[name], strict=True):
        assert 0 <= step.right < len(step.options)
        assert right(), step.question


def at_step(arrive, **address):
    return arrive(**{key: str(value) for key, value in address.items()}).open("present")


def pictures(visitor):
    networks = len(visitor.at.get("bidi_component")) - 2  # one follows the theme, one is the remote control
    return len(visitor.at.get("plotly_chart")) + networks


@pytest.mark.slow
@pytest.mark.parametrize("name", LECTURES)
def test_each_step_asks_and_then_shows_one_picture(arrive, name):
    for number, step in enumerate(LECTURES[name].steps, 1):
        visitor = at_step(arrive, lecture=name, step=number)
        assert step.question in visitor.finding
        assert pictures(visitor) + len(visitor.at.table) > 0, f"{step.question}: of what?"
        before = visitor.at.table
        visitor.button(step.options[0]).settle()
        assert pictures(visitor) == 1, step.question
        assert len(visitor.at.table) == (len(before) if step.drawn.beside else 0)
        (told,) = [*visitor.at.success, *visitor.at.warning]
        assert step.options[step.right] in told.value
        assert bool(visitor.at.success) == (step.right == 0)


@pytest.mark.parametrize(("name", "step"), [(name, n) for name in LECTURES for n in range(len(LECTURES[name].steps))])
def test_a_step_leads_to_its_lesson_on_the_same_table(name, step):
    lecture = LECTURES[name]
    page, _ = lecture.steps[step].lesson
    assert f'table="{lecture.table}"' in (ROOT / "pages" / page / "page.py").read_text(encoding="utf-8")


def test_every_student_has_a_sample_of_their_own(arrive, monkeypatch):
    drawn = iter((41, 7))
    monkeypatch.setattr(presenting.secrets, "randbelow", lambda most: next(drawn))
    for seed in (42, 8):
        visitor = at_step(arrive, lecture="bootstrap", seed="each")
        assert visitor.at.query_params["seed"] == str(seed)  # so that loading the page again keeps it
        assert visitor.at.session_state[Key.LAB_SAMPLE] == seed


@pytest.mark.parametrize(
    "address", [{"step": "-3"}, {"step": "9" * 50}, {"step": "٣"}, {"seed": "²"}, {"seed": "9" * 20}]
)
def test_an_odd_address_is_a_step_all_the_same(arrive, address):
    visitor = at_step(arrive, lecture="bootstrap", **address)
    assert any(step.question in visitor.finding for step in LECTURES["bootstrap"].steps)
