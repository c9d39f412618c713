"""What a page shows is what a fresh server shows, whatever was stopped, treated otherwise or looked at before."""

import dataclasses

import numpy as np
import pytest
import streamlit as st

import bnengine as bn
from bnengine.experiment.learning import LearningSettings
from pages.shared import experiments, results
from pages.shared.keys import Key
from tests.pages.test_treatment import cut_box

pytestmark = pytest.mark.slow


def with_empty_cells(frame, share, seed):
    """The table with some cells empty, at random."""
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def shown(visitor):
    """All that the page says and draws, but for buttons."""
    at = visitor.at
    said = [one.value for one in (*at.markdown, *at.caption, *at.warning, *at.info)]
    drawn = [chart.proto.spec for chart in at.get("plotly_chart")]
    listed, tables = list(visitor.edges_listed.values()), [one.value.to_csv() for one in at.dataframe]
    return said, drawn, visitor.networks, listed, tables


def restart():
    """Forget what the server keeps for everybody."""
    st.cache_data.clear()
    st.cache_resource.clear()
    results.FOR_ALL.clear()


def what_if(visitor):
    """Open Predict's section What if, with something observed."""
    visitor.go("predict").turn(Key.PREDICT_SECTION, "What if")
    visitor.at.multiselect(key=Key.OBSERVED).set_value(["bronc"]).run()
    return visitor.settle()


@pytest.fixture
def stops(monkeypatch):
    """Every search and every run is stopped at once, until this is called."""
    learn, run = LearningSettings.learn, bn.Experiment.run

    def stopped_run(self, *args, progress=None, **options):
        return run(self, *args, progress=lambda done, total: done < 5, **options)

    monkeypatch.setattr(
        LearningSettings, "learn", lambda self, data, stop=None: learn(self, data, np.ones(1, np.uint8))
    )
    monkeypatch.setattr(bn.Experiment, "run", stopped_run)

    def no_longer():
        monkeypatch.setattr(LearningSettings, "learn", learn)
        monkeypatch.setattr(bn.Experiment, "run", run)

    return no_longer


@pytest.fixture
def timeless(monkeypatch):
    """Nothing on a page depends on the clock."""
    monkeypatch.setattr(experiments, "proof_refused", lambda data: "Proofs take as long as they may.")


ROWS = bn.load_network("asia").sample(150, rng=3).to_frame()
SMALL = with_empty_cells(ROWS[["smoke", "lung", "bronc", "dysp"]], 0.08, 4)
#: A further column of numbers, which is cut so that bins are checked, too.
AGE = np.random.default_rng(5).normal(50, 9, 150) + 20 * (SMALL["smoke"] == "yes")
BINNED = SMALL.assign(age=AGE).to_csv(index=False)


def tour(visitor):
    """What the pages show on which graphs are learned and judged."""
    first, then = shown(visitor.go("network")), shown(what_if(visitor))
    return {"network": first, "what if": then, "again": shown(visitor.go("network"))}


def treated(visitor, missing):
    """Deal otherwise with missing cells, as on the Data page."""
    visitor.at.session_state["recipe"] = dataclasses.replace(visitor.recipe, missing=missing)
    return visitor.run()


def to_the_end(visitor):
    """Press what goes on with work that was stopped, as far as the page offers it."""
    for label in ("Search again to the end", "Continue the replicates"):
        if any(button.label == label for button in visitor.at.button):
            visitor.button(label).settle()


def test_every_page_is_as_on_a_fresh_server_whatever_is_kept(arrive, stops, timeless):
    def come():
        visitor = arrive().upload("binned.csv", BINNED).few()
        cut_box(visitor).set_value("quantile").run()
        return visitor.settle()

    other, same = come(), come()  # they fill every store and cache with what was stopped
    for visitor in (other, same):
        assert "stopped" in str(tour(visitor))
    stops()
    way = same.recipe.missing
    for missing in {"complete_families", "drop_rows"} - {way}:
        treated(same, missing)  # and with other treatments
        what_if(same).go("network")
    treated(same, way)
    for go in (lambda: same.go("network"), lambda: what_if(same)):
        go()
        to_the_end(same)
    late = come()
    found = tour(late), tour(same)
    restart()
    for page, expected in tour(come()).items():
        assert found[0][page] == expected, page
        assert found[1][page] == expected, page
