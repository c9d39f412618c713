"""Tables with holes, with what was set and with counts: what the Data page says, and every page makes of them."""

import io
from types import SimpleNamespace

import pytest

import bnengine as bn
from bnengine.search.drawn_cells import drawn_once
from pages.data.treatment import MISSING
from pages.network import export, run
from pages.shared.benchmark_results import on_missing_cells
from pages.shared.keys import Key
from tests.experiment.test_recipe import cells, counts
from tests.pages.reading import shows, unescaped
from tests.strategies import make_data, with_holes

pytestmark = pytest.mark.slow


def table():
    frame = with_holes(make_data([2, 3, 2, 2], 150, 1), 1, 0.1).to_frame()
    return frame.rename(columns=dict(zip(frame.columns, "abcd", strict=True)))


def test_missing_cells_are_kept_on_every_page(visitor):
    visitor.few().upload("holes.csv", table().to_csv(index=False))
    radio = next(one for one in visitor.at.radio if one.key.startswith(f"{Key.MISSING} "))
    radio.set_value("drawn").run()
    kept = visitor.recipe.prepare(table())
    assert kept.missing_way == "drawn"
    complete = kept.with_missing("listwise")
    for page in ("network", "evidence", "data", "mdl", "bayesian", "bias_lab"):
        assert not visitor.go(page).at.error
    visitor.go("predict").turn(Key.PREDICT_SECTION, "Accuracy")
    said = f"Only the {complete.n_rows:,} of {kept.n_rows:,} rows in which no cell is missing count here."
    assert visitor.note("observed") == said


def test_an_edge_is_explained_and_rows_are_found_where_cells_are_drawn(visitor):
    visitor.few().upload("holes.csv", table().to_csv(index=False)).go("network")
    assert visitor.recipe.missing == "drawn"
    visitor.click("a", "b")
    assert "on one draw of the missing cells" in visitor.note("edge score")
    assert "rows in which these variables are observed" in visitor.note("edge counts")
    visitor.click().unfold("trust").button("Find out").settle()
    assert "no missing cells; of yours" in visitor.note("rows needed")
    visitor.part("trust", Key.TRUST, "proof").view("learned").part("found by", Key.FOUND_BY, "lengths")
    for note in ("certificate", "view", "search"):
        assert "on one draw of the missing cells" in visitor.note(note)


def test_missing_cells_are_drawn_once_however_often_a_page_asks(visitor, monkeypatch):
    drawn = []
    monkeypatch.setattr(run, "drawn_once", lambda *given: drawn.append(given) or drawn_once(*given))
    visitor.few().upload("holes.csv", table().to_csv(index=False)).go("network")
    visitor.choose(Key.FORMAT, "bif").view("learned").choose(Key.FORMAT, "net")
    assert len(drawn) == 1


def test_a_file_has_the_probabilities_that_predict_shows(visitor):
    visitor.few().upload("holes.csv", table().to_csv(index=False)).go("predict").type(Key.TABLE_ESS, 3.0)
    run, graph = SimpleNamespace(data=visitor.data, experiment=visitor.experiment), visitor.graph
    written = bn.read_bif(io.BytesIO(export.network_file(run, graph, "bif")))
    (drawn,) = visitor.networks
    shown = {(node["name"], part["state"]): part["share"] for node in drawn["nodes"] for part in node["bar"]}
    ps = bn.prediction.posteriors(written)
    pairs = zip(ps.names, ps.states, strict=True)
    assert shown == pytest.approx({(v, k): p for v, own in pairs for k, p in zip(own, ps[v], strict=True)})


def test_the_section_says_where_the_holes_are_and_warns(visitor):
    visitor.sample("house_votes_84").go("data")
    found = bn.answers.missingness(bn.load_sample("house_votes_84"))
    (head,) = (box.label for box in visitor.at.expander if "missing cell" in box.label)
    assert shows(head, int(found.missing.sum()), 16, 435 - found.n_complete)
    visitor.unfold("missing cells")
    said = unescaped(" ".join(text.value for text in visitor.at.markdown))
    assert all(text in said for text in found.uses().values())
    assert visitor.warns("31%", "13%", "republican", "1%")
    assert visitor.note("missing cells measured") == unescaped(on_missing_cells())
    assert "It is not advised here" in said
    (ways,) = (one for one in visitor.at.radio if one.key.startswith(f"{Key.MISSING} "))
    assert MISSING["complete_families"] not in ways.options
    assert MISSING["drawn"] in ways.options
    visitor.sample("asia_1000").go("data")
    assert not any("missing cell" in box.label for box in visitor.at.expander)


def test_the_network_page_says_how_missing_cells_were_dealt_with(visitor):
    visitor.on("house_votes_84").open("network")
    while not visitor.note("missing way"):
        visitor.run()  # beside the posterior, which takes longest and is not what is told of here
    assert shows(visitor.note("missing way"), "draws", 392, 203, 435)


def chosen(visitor, key):
    return next(box for box in visitor.at.selectbox if box.key.startswith(f"{key} "))


def test_a_column_of_what_was_set_is_found_said_and_can_be_switched_off(visitor):
    visitor.few().upload("cells.csv", cells().to_csv(index=False))
    assert visitor.recipe.interventions == "INT"
    kept = visitor.recipe.prepare(cells())
    assert shows(visitor.note("experiments"), *kept.rows_of_experiments.tolist(), kept.n_rows)
    visitor.go("network").settle()
    graph = visitor.graph
    assert graph.edges == [("a", "b"), ("b", "c")]
    assert (graph.cpdag == graph.adjacency).all()  # no edge is reversible
    assert visitor.go("predict").turn(Key.PREDICT_SECTION, "Accuracy").note("observed")
    visitor.go("data")
    chosen(visitor, Key.SET_BY).set_value("").run()
    assert visitor.recipe.interventions == ""
    assert "INT" in visitor.recipe.used(cells())


def test_a_column_of_counts_is_chosen(visitor):
    long, short = counts()
    visitor.upload("counts.csv", short.to_csv(index=False))
    chosen(visitor, Key.COUNTED_BY).set_value("n").run()
    assert visitor.recipe.weights == "n"
    assert visitor.shows(f"{len(long):,} rows")
    chosen(visitor, Key.SET_BY).set_value("n").run()
    assert visitor.recipe.interventions == ""
    assert visitor.at.error[0].value == (
        "One column cannot say both, and rows have either counts or weights; choose another one."
    )
