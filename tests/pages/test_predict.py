"""The Predict page, driven without a browser: the engine's own numbers, and sentences where it cannot."""

import contextlib
import io
import json

import numpy as np
import pytest

import bnengine as bn
from bnengine.experiment.evaluations import averaged_networks, likely_target
from pages.predict import accuracy, what_if
from pages.shared.format import percent, plus_minus, short
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow


@pytest.fixture
def page(visitor):
    """A visitor who has opened Predict with ASIA's rows, and turned to how well it predicts."""
    return visitor.on("asia_1000").go("predict").turn(Key.PREDICT_SECTION, "Accuracy")


def observe(page, **evidence):
    page.at.multiselect(key=Key.OBSERVED).set_value(list(evidence)).run()
    page.settle()
    for name, value in evidence.items():
        page.choose(Key.of(Key.OBSERVED, name), value)
    return page


def pictures(page):
    return len(page.at.get("plotly_chart")) + len(page.networks)


def check_accuracy(page, splits, target, ess=1.0):
    """The page's sentence and table are those of the engine alone."""
    data, experiment = page.data, page.experiment
    learners = {
        "own": lambda rows: experiment.learn(rows).edges,
        "naive": bn.prediction.naive_bayes(target),
        "base": bn.prediction.base_rate,
    }
    compared = bn.prediction.compare_predictions(data, target, learners, splits, ess)
    summaries = {name: one.summary()["mean"] for name, one in compared.predictions.items()}
    predicted, made = compared.predictions["own"], compared.predictions["own"].summary()
    found, (lead, error) = bn.prediction.detection(predicted), compared.difference("own", "base")
    if not lead < -2 * error:
        assert "no better than its base rate" in page.finding
        assert page.shows(summaries["own"]["brier"], summaries["base"]["brier"])
    elif found.base_rate < 0.2:  # a rare state
        assert page.shows(found.state, int(found.counts[1, 1]), int(found.counts[:, 1].sum()), found.auc)
    else:
        for means in summaries.values():
            assert short(means["absolute_error"]) in page.finding
            assert page.shows(percent(means["accuracy"]))
    detected = next(frame.value for frame in page.at.main.dataframe if "auc" in frame.value)
    own = detected.set_index("network").loc[accuracy.learned_name(experiment)]
    np.testing.assert_array_equal(own.tolist(), [found.auc, found.precision, found.recall])
    (matrix,) = [frame.value for frame in page.at.main.dataframe if "observed" in frame.value]
    if "flagged" in matrix:
        assert found.base_rate < 0.2
        assert matrix[["not flagged", "flagged"]].to_numpy().tolist() == found.counts.tolist()
    else:  # the table shows the rows of which the sentence speaks
        counts = matrix.drop(columns="observed").to_numpy()
        assert counts.sum() == len(predicted.rows)
        assert np.trace(counts) / counts.sum() == pytest.approx(made.loc["accuracy", "mean"])
    drawn = [json.loads(chart.proto.spec)["data"][0] for chart in page.at.get("plotly_chart")]
    means = [
        plus_minus(made.loc[measure, "mean"], made.loc[measure, "standard_error"]) for measure in accuracy.MEASURES
    ]
    assert sorted(one["customdata"][0] for one in drawn) == sorted(means)
    return drawn[0]["y"]


def test_accuracy_by_folds_and_by_one_split(page):
    data = page.data
    networks = check_accuracy(page, bn.prediction.k_folds(data.n_rows, 10), "dysp")
    assert networks == ["learned (BIC)", "true ASIA graph", "Chow–Liu tree", accuracy.NAIVE, accuracy.BASE]
    page.choose(Key.TARGET, "either").slide(Key.FOLDS, 4)
    page.type(Key.TABLE_ESS, 3.0)
    check_accuracy(page, bn.prediction.k_folds(data.n_rows, 4), "either", 3.0)
    page.turn(Key.TESTING, accuracy.HOLDOUT)
    page.slide(Key.TEST_SHARE, 0.4)
    check_accuracy(page, bn.prediction.holdout(data.n_rows, 0.4), "either", 3.0)
    page.type("seed", 5)
    check_accuracy(page, bn.prediction.holdout(data.n_rows, 0.4, rng=5), "either", 3.0)


def test_a_target_without_edges_gets_its_base_rate_and_that_is_said(visitor):
    rng = np.random.default_rng(5)
    a, churned = rng.integers(0, 2, 400), rng.random(400) < 0.1
    rows = [f"{x},{x ^ (y < 0.1)},{int(z)}" for x, y, z in zip(a, rng.random(400), churned, strict=True)]
    visitor.upload("t.csv", "\n".join(["a,b,churned", *rows]))
    visitor.go("predict").turn(Key.PREDICT_SECTION, "Accuracy")
    assert visitor.at.selectbox(key=Key.TARGET).value == "churned"
    assert "no better than its base rate" in visitor.finding
    (said,) = (box.value for box in visitor.at.info if "no edge in the network" in box.value)
    assert "the base rate (0: " in said


def check_edges(page, measure="brier", root=None):
    curve = bn.prediction.edge_curve(page.data, "either", bn.prediction.k_folds(1000, 10), root, 3, 150)
    stop, means = curve.good_enough(measure), curve.means[measure]
    assert short(means[0]) in page.finding
    assert page.shows(stop, len(means) - 1, means[stop])
    slider = next(slider for slider in page.at.slider if slider.key.startswith(f"{Key.EDGES} "))
    assert (slider.value, slider.max) == (stop, len(curve.plan.edges))
    return curve


OF = "Brier score of predicting x (3 rows)"


@pytest.mark.parametrize(
    ("means", "stop", "says"),
    [
        ([0.5, 0.4, 0.4], 1, f"With **1 of 2 edges** the {OF} is **0.4**, without edges 0.5. That is the best."),
        ([0.5, 0.45, 0.41], 1, "without edges 0.5. The best, 0.41, with 2 edges, is within one standard error."),
        (
            [0.5, 0.49, 0.48],
            0,
            f"**No edge is needed**: without any, the {OF} is **0.5**. The best, 0.48, with 2 edges, ",
        ),
        ([0.347, 0.347, 0.35], 0, f"**No edge improves** the {OF}: without any it is **0.347**."),
    ],
)
def test_what_edges_improve_is_said_as_it_is(means, stop, says):
    testing, shown = accuracy.Testing("x", (), "3 rows", "", 1.0), np.array(means)
    curve = bn.prediction.EdgeCurve(
        "x", None, *[dict.fromkeys(["brier", "log_loss"], some) for some in (shown, shown / 9)]
    )
    assert says in accuracy._edges_sentence(curve, testing, "brier", stop)
    said = accuracy._edges_sentence(curve, testing, "log_loss", 2) if stop else ""
    assert said == "" or f"the log loss of predicting x (3 rows) is **{short(means[2])} nats**" in said


def test_edge_by_edge(page):
    page.choose(Key.TARGET, "either")
    page.turn(Key.PREDICT_SECTION, "Edge by edge")
    curve = check_edges(page)
    (said,) = (one.value for one in page.at.caption if "Sucar" in one.value)
    assert "training rows of each split" in said  # the network beside the curve is that of all rows
    page.choose(Key.of(Key.TREE_ROOT, "either"), "smoke")
    curve = check_edges(page, root="smoke")
    assert curve.plan.ordering[0] == "smoke"
    assert any("from its root, smoke." in one.value for one in page.at.caption)
    for step in (0, 1, len(curve.plan.edges)):
        page.slide(f"{Key.EDGES} ", step)
        if step:
            parent, child = curve.plan.edges[step - 1]
            assert shows(page.note("edge"), step, f"{parent} → {child}")
    page.choose(Key.MEASURE, "log_loss")
    check_edges(page, "log_loss", root="smoke")


def test_what_if_on_the_learned_and_on_the_true_network(page):
    page.turn(Key.PREDICT_SECTION, "What if")
    assert "No evidence yet" in page.finding
    data = page.data
    learned = bn.fit(data, page.experiment.learn(data).edges, ess=1.0)
    for network in (learned, bn.load_network("asia")):
        if network is not learned:
            page.choose(Key.WHAT_NETWORK, "asia")
        observe(page, smoke="yes", xray="yes")
        made = bn.prediction.posteriors(network, {"smoke": "yes", "xray": "yes"})
        table = bn.prediction.what_if(network, {"smoke": "yes", "xray": "yes"})
        assert page.shows(made.evidence_probability)
        assert table["variable"].iloc[0] in page.finding
        assert pictures(page) == 1
        (drawn,) = page.networks
        shares = {node["name"]: [part["share"] for part in node["bar"]] for node in drawn["nodes"]}
        assert shares == {name: made[name].tolist() for name in made.names}
        assert {node["name"] for node in drawn["nodes"] if node["observed"]} == {"smoke", "xray"}
        names = [node["name"] for node in drawn["nodes"]]
        assert {(names[i], names[j]) for i, j in (edge["ends"] for edge in drawn["edges"])} == set(network.edges)
    page.turn(Key.WHAT_SHOWN, "bars")
    assert pictures(page) == 2
    page.at.multiselect(key=page.key(Key.OBSERVED)).set_value([]).run()
    assert "No evidence yet" in page.settle().finding


def test_a_row_of_the_data_is_observed_but_for_one_variable(page):
    page.turn(Key.PREDICT_SECTION, "What if").choose(Key.WHAT_INFERRED, "lung")
    page.type(Key.WHAT_ROW, 17).button("Observe the rest of this row").settle()
    row = page.data.to_frame().iloc[16].astype(str)
    learned = bn.fit(page.data, page.experiment.learn(page.data).edges, ess=1.0)
    found = bn.prediction.posteriors(learned, dict(row.drop("lung")))
    assert "Given 7 observed states" in page.finding
    assert page.shows(found.evidence_probability)
    assert page.note("row taken").startswith(f"Row 17 has lung = **{row['lung']}**")
    (drawn,) = page.networks
    (lung,) = (node["bar"] for node in drawn["nodes"] if node["name"] == "lung")
    assert [part["share"] for part in lung] == found["lung"].tolist()


def test_the_switch_to_the_average_over_networks(page):
    page.turn(Key.AVERAGING, "Averaged over networks")
    data, experiment = page.data, page.experiment
    assert experiment.prediction.network == "averaged"
    target = likely_target(data)
    splits = bn.prediction.k_folds(data.n_rows, 10, rng=experiment.seed)
    both = {
        "averaged": lambda rows: averaged_networks(experiment, rows),
        "own": lambda rows: experiment.learn(rows).edges,
    }
    compared = bn.prediction.compare_predictions(data, target, both, splits)
    note = page.note("averaged")
    for made in compared.predictions.values():
        means = made.summary()["mean"]
        assert shows(note, means["brier"], percent(means["accuracy"]))
    assert shows(note, compared.predictions["averaged"].n_networks)
    assert "averaged" in set(page.frame("auc")["network"])
    page.turn(Key.PREDICT_SECTION, "What if")  # the switch stays
    observe(page, smoke="yes", xray="yes")
    mixture = averaged_networks(experiment, data)
    found = mixture.posteriors({"smoke": "yes", "xray": "yes"})
    assert page.shows(found.evidence_probability)
    first = bn.prediction.changes(mixture.posteriors(), found)
    assert first["variable"].iloc[0] in page.finding
    first = first[first["variable"] == first["variable"].iloc[0]]
    line = first.loc[(first["after"] - first["before"]).idxmax()]
    alone = bn.prediction.posteriors(bn.fit(data, experiment.learn(data).edges, ess=1.0), found.evidence)
    share = alone[line["variable"]][data.states[data.index(line["variable"])].index(line["state"])]
    assert f"**{short(line['after'])}** ({short(float(share))} by the best-scoring graph alone)" in page.finding
    page.choose(Key.WHAT_STATES, line["variable"])
    assert list(page.frame("alone")["alone"]) == alone[line["variable"]].tolist()
    assert page.note("bars").startswith(f"Probabilities averaged over {len(mixture.networks)} different networks")
    page.choose(Key.WHAT_NETWORK, "asia")
    assert page.shows(bn.prediction.posteriors(bn.load_network("asia"), found.evidence).evidence_probability)


def test_what_if_rests_on_all_rows_and_says_on_how_many(visitor):
    """The few healthy people who were tested have a positive picture: rows without holes would mislead."""
    frame = bn.load_network("asia").sample(2000, rng=1).to_frame().astype(object)
    untested = (frame["xray"] == "no") & (frame.index % 10 > 0)
    frame.loc[untested, ["either", "smoke"]] = None
    visitor.upload("clinic.csv", frame.to_csv(index=False)).go("predict")
    assert "No evidence yet" in visitor.finding
    data, experiment = visitor.data, visitor.experiment
    assert data.n_rows == 2000
    observe(visitor, xray="yes")
    n = int((frame["xray"] == "yes").sum())
    assert f"seen in {n:,} of 2,000 rows" in visitor.finding
    fitted = bn.prediction.fit_drawn(data, experiment.learn(data).edges, 1.0)
    table = bn.prediction.what_if(fitted, {"xray": "yes"})
    first = table[table["variable"] == table["variable"].iloc[0]]
    line = first.loc[(first["after"] - first["before"]).idxmax()]
    assert f"goes from {short(line['before'])} to **{short(line['after'])}**" in visitor.finding
    observe(visitor, smoke="yes")  # who was not asked does not count as one who does not smoke
    n, known = int((frame["smoke"] == "yes").sum()), int((~untested).sum())
    assert f"seen in {n:,} of the {known:,} rows in which that was observed" in visitor.finding
    visitor.turn(Key.PREDICT_SECTION, "Accuracy")
    assert "in which no cell is missing" in visitor.note("observed")


def test_impossible_evidence_is_told_in_a_sentence(page):
    page.turn(Key.PREDICT_SECTION, "What if").choose(Key.WHAT_NETWORK, "asia")
    observe(page, smoke="no", tub="yes", either="no")
    assert page.finding
    (warning,) = page.at.warning
    assert shows(warning.value, "tub = yes", "either = no")
    assert "smoke" not in warning.value


def test_evidence_on_variables_that_other_data_lack_is_dropped(page):
    page.turn(Key.PREDICT_SECTION, "What if")
    observe(page, smoke="yes")
    page.sample("titanic").go("predict")
    assert page.at.session_state[page.key(Key.OBSERVED)] == []
    assert "No evidence yet" in page.finding


@pytest.mark.parametrize("content", ["a,b\n0,1\n", "a,b\n0,1\n1,0\n", "a,b\nx,y\nx,y\nx,y\nx,y\n"])
def test_tables_that_cannot_be_tested(visitor, content):
    visitor.upload("mine.csv", content)
    for page in ("network", "data", "predict"):
        assert visitor.go(page).finding or visitor.at.error
    for name in ("Accuracy", "Edge by edge"):
        visitor.turn(Key.PREDICT_SECTION, name)
        assert visitor.messages
    visitor.turn(Key.PREDICT_SECTION, "What if")
    assert visitor.finding


def shown_code(page):
    """The lines on the page, run; what they leave behind."""
    (code,) = [code for code in page.at.code if code.language == "python"]  # the others are links
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code.value, names)  # as a person would paste them
    return names


def test_the_lines_shown_repeat_the_numbers(page):
    page.choose(Key.SCORE, "bdeu").choose(Key.TARGET, "dysp")
    table = shown_code(page)["table"].set_index(["learner", "measure"])
    assert short(table["mean"]["learned", "absolute_error"]) in page.finding
    assert short(table["mean"]["naive Bayes", "absolute_error"]) in page.finding
    page.turn(Key.TESTING, accuracy.HOLDOUT)
    page.turn(Key.PREDICT_SECTION, "Edge by edge")
    curve = shown_code(page)["curve"]
    stop = curve.good_enough()
    assert page.shows(stop, len(curve.plan.edges), curve.means["brier"][stop])
    page.turn(Key.PREDICT_SECTION, "What if")
    for network in (what_if.LEARNED, "asia"):
        page.choose(Key.WHAT_NETWORK, network)
        observe(page, xray="yes")
        line = shown_code(page)["table"].iloc[0]
        assert page.shows(line["variable"])
