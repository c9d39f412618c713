"""Every page, driven without a browser: it shows the engine's own numbers, and a sentence where it cannot."""

import dataclasses
import time

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from app import PAGES
from bnengine._core.settings import label_of
from bnengine.bootstrap.resampling_methods import NAIVE
from bnengine.networks.bif import bif_text
from bnengine.search import SEARCHES
from pages.shared import experiments, jobs, results
from pages.shared.experiments import REAL, STUDY
from pages.shared.keys import Key
from pages.shared.run import run_state
from tests.pages.conftest import FEW
from tests.pages.reading import unescaped
from tests.pages.test_network import check_network
from tests.patience import HANG

pytestmark = pytest.mark.slow

PAGE_NAMES = [name for name, _, _ in PAGES]


def check_graph(visitor):
    """The best-scoring graph is the one learned by the engine alone; without waiting for its replicates."""
    visitor.open("network")
    while visitor.graph is None:
        visitor.run()
    expected = visitor.experiment.learn(visitor.data)
    assert visitor.graph.edges == expected.edges
    assert visitor.graph.score == expected.score
    return expected


def a_csv(n_rows=120, **odd):
    """Three dependent columns, and further ones."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, n_rows)
    columns = {"a": a, "b": a ^ (rng.random(n_rows) < 0.1), "c": rng.integers(0, 3, n_rows)} | odd
    return pd.DataFrame(columns).astype(str).to_csv(index=False)


# first visits


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_every_page_runs_on_the_first_visit_with_one_heading_and_the_glossary(visitor, page):
    visitor.open(page)
    assert visitor.has(Key.GLOSSARY)
    headings = [html.proto.body for html in visitor.at.get("html") if "<h1" in html.proto.body]
    assert len(headings) + len(visitor.at.title) == 1
    if page != "network":  # it comes next
        visitor.settle()
    assert not visitor.at.error
    assert visitor.finding or visitor.at.title


# each kind of data


def with_holes_and_numbers():
    """A file with missing cells and a measurement."""
    rng = np.random.default_rng(2)
    height = [f"{x:.2f}" if x > 158 else "" for x in rng.normal(170, 9, 120)]
    assert 0 < height.count("") < 12
    return a_csv(height=height)


#: How each kind of data comes, what the Data page's sentence then counts, and the score that is then the default.
KINDS = {
    "a sample": (lambda visitor: visitor.few().sample("titanic"), (2201, 4), bn.BIC()),
    "holes and numbers": (
        lambda visitor: visitor.few().upload("mine.csv", with_holes_and_numbers()),
        (120, "4 variables: 1 number, kept as such, and 3 with 2 or 3 states"),
        bn.GaussianBIC(),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_data_and_network_show_the_engines_numbers(visitor, kind):
    come, counts, score = KINDS[kind]
    come(visitor).go("data")
    assert visitor.shows(*counts)
    experiment = visitor.experiment
    assert dataclasses.replace(experiment, data=bn.Experiment().data, n=200) == bn.Experiment(score=score)  # defaults
    check_network(visitor.go("network"))
    assert visitor.go("data").shows(*counts)
    assert not visitor.at.error


def test_an_uploaded_table_can_be_gone_back_to(visitor):
    """Other data in use do not lose it, nor what was done to it."""
    visitor.upload("mine.csv", a_csv(d=["x", "y"] * 60))
    mine = visitor.recipe
    visitor.sample("titanic").go("network").go("data")
    visitor.other_data()
    visitor.button("Back to mine").settle()
    assert visitor.recipe == mine
    check_graph(visitor)


def test_constraints_hold_and_contradictions_are_told(visitor):
    visitor.on("asia_1000").write(Key.REQUIRED, "asia -> xray\nbronc → smoke")
    visitor.at.session_state[Key.TIERS] = (("asia", "smoke", "bronc"), ("xray", "dysp"))
    visitor.write(Key.FORBIDDEN, "either -> xray")
    graph = check_graph(visitor)
    assert {("asia", "xray"), ("bronc", "smoke")} <= set(graph.edges)
    assert ("either", "xray") not in graph.edges
    for wrong in ("asia -> nobody", "asia, xray", "asia -> xray\nxray -> asia"):
        visitor.at.session_state[Key.TIERS] = ()
        visitor.write(Key.FORBIDDEN, "").write(Key.REQUIRED, wrong)
        assert len(visitor.at.error) == 1
        assert visitor.experiment.constraints == bn.Constraints()
        assert visitor.finding


def test_a_search_that_cannot_run_is_not_offered_and_says_why(visitor):
    wide = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (30, 70))).add_prefix("v")
    visitor.go("data").choose(Key.SEARCH, "exact").upload("wide.csv", wide.to_csv(index=False))
    assert label_of(SEARCHES["exact"]) not in visitor.at.selectbox(key=visitor.key(Key.SEARCH)).options
    assert any("up to" in text.value and "70" in text.value for text in visitor.at.caption)
    assert visitor.experiment.search == bn.IteratedLocalSearch()


# settings


def test_settings_are_kept_from_page_to_page(visitor):
    visitor.on("asia_1000").few(30).choose(Key.SCORE, "bdeu").type("ess", 10.0)
    visitor.choose(Key.SEARCH, "k2").choose(Key.ORDERING, run_state.TRUE_ORDER)
    visitor.type(Key.MAX_PARENTS, 2).type("seed", 7).type(Key.DELETE_D, 20)
    visitor.go("network").view("naive").slide(Key.STRENGTH, 0.25).unfold("methods")
    visitor.at.multiselect(key=Key.METHODS).set_value(["jackknife_delete_d"]).run()
    visitor.settle()
    k2 = bn.K2(tuple(bn.load_network("asia").ordering), max_parents=2)
    methods = ("bootstrap_corrected", "bootstrap", "jackknife_delete_d")
    numbers = {"n": 30, "d": 20, "strength": 0.25, "seed": 7}
    expected = bn.Experiment(bn.Recipe("sample", "asia_1000"), bn.BDeu(10.0), k2, methods=methods, **numbers)
    for page in PAGE_NAMES[::-1]:
        assert visitor.open(page).experiment == expected


@pytest.mark.slow
def test_a_prior_network_of_one_s_own_is_read_from_its_file_kept_and_refused_where_it_does_not_fit(visitor):
    own = bn.fit(bn.load_sample("lecture_4"), [("X", "Y")], ess=1)
    visitor.on("lecture_8").choose(Key.SCORE, "bde")
    assert visitor.experiment.score == bn.BDeu()  # no bundled network fits

    def upload(name, text):
        visitor.at.file_uploader(key=Key.OWN_PRIOR).set_value((name, text.encode(), "text/plain")).run()
        return visitor.settle()

    assert upload("odd.bif", "network {").at.error
    upload("mine.bif", bif_text(own))
    assert not visitor.at.error
    prior = visitor.experiment.score.prior_network
    assert (prior.title, prior.edges) == ("mine.bif", [("X", "Y")])
    assert visitor.go("network").shows("BDe(mine.bif, 1)")
    assert visitor.open("data").experiment.score.prior_network == prior
    visitor.sample("asia_1000")
    assert any("prior network has no variable" in error.value for error in visitor.at.error)
    assert visitor.experiment.score == bn.BDe("asia")


def test_a_limit_made_for_the_log_likelihood_goes_with_it(visitor):
    visitor.choose(Key.SCORE, "loglik")
    assert visitor.experiment.search.max_parents is not None
    visitor.choose(Key.SCORE, "bic")
    assert visitor.experiment == bn.Experiment()


def test_names_that_look_like_edges_stay_names(visitor):
    """A variable called "x -> y": its edge once became a line that could not be read, which dropped them all."""
    names = ("x -> y", "a, b", 'say "c"')
    rows = ["0,0,0", "0,1,1", "1,0,1", "1,1,0"] * 5
    visitor.few().upload("odd.csv", "\n".join(['x -> y,"a, b","say ""c"""', *rows])).go("network")
    visitor.click(names[0], names[1]).at.button(key=Key.FORBID).click().run()
    assert visitor.settle().experiment.constraints.forbidden == ((names[1], names[0]),)  # as it was learned
    typed = visitor.at.text_area(key=visitor.key(Key.FORBIDDEN)).value
    assert typed == '"a, b" -> "x -> y"'
    visitor.write(Key.FORBIDDEN, f"{typed}\nx -> y -> z")
    (error,) = visitor.at.error  # the unreadable line is named, the other one stays
    assert "x -\\> y -\\> z" in error.value
    visitor.choose(Key.SEARCH, "k2").choose(Key.ORDERING, run_state.OWN_ORDER)
    assert visitor.experiment.search == bn.K2(names)


def test_k2s_ordering_follows_the_data(visitor):
    visitor.few().choose(Key.SEARCH, "k2").choose(Key.ORDERING, run_state.TRUE_ORDER)
    visitor.sample("titanic")
    assert visitor.experiment.search == bn.K2(None)
    check_graph(visitor)
    visitor.choose(Key.ORDERING, run_state.OWN_ORDER).write(Key.ORDERING_TEXT, "Class, Sex, nobody")
    assert visitor.warns("Age")
    assert visitor.experiment.search == bn.K2(None)


# bad uploads


#: A few; ``tests/data/test_reading.py`` has all that is refused.
REFUSED = {
    "empty": ("empty.csv", "", "is empty"),
    "ragged": ("ragged.csv", "a,b\n1,2\n1,2,3\n1,2\n" + "1,2\n" * 9, "3 cells"),
    "corrupt parquet": ("broken.parquet", b"PAR1" + b"\x00" * 64, "not a readable Parquet file"),
}


def test_a_refused_file_leaves_the_data_in_use(visitor):
    before = visitor.sample("titanic").recipe
    for file, content, reason in REFUSED.values():
        visitor.upload(file, content)
        (error,) = [unescaped(error.value) for error in visitor.at.error]
        assert reason in error
        assert visitor.recipe == before
        assert "Your previous data are still in use." in error
    visitor.at.button(key=Key.BACK).click()
    assert visitor.run().shows(2201, 4)


# long work


@pytest.fixture
def slow(visitor, request):
    """A visitor whose run would take minutes and is on its way: some replicates of a bootstrap are known.

    By default of the naive one, the last method; before it there were the corrected and the predictive bootstrap, as
    many runs on the data, for comparison, and the posterior. ``hurry`` makes further runs quick.
    """
    first = getattr(request, "param", FEW)
    quick, calls = bn.Bootstrap.replicate, []

    def slower(self, *args, **kwargs):
        calls.append(self)
        if len(calls) > first + 5:
            time.sleep(2.0)
        return quick(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bn.Bootstrap, "replicate", slower)
        patch.setattr(jobs, "GRACE", 0.05)
        visitor.hurry = patch.undo
        visitor.on("asia", 1000, 1).open("network")  # of which nothing is known yet
        end = time.monotonic() + HANG
        while len(calls) <= first + 5 and time.monotonic() < end:
            visitor.run()
            time.sleep(0.05)
        assert visitor.run().has(Key.stop(STUDY))
        yield visitor


def replicates(visitor):
    """The numbers of graphs in the page's Table 1."""
    return visitor.unfold("methods").frame("replicates", "edges")["replicates"].tolist()


@pytest.mark.parametrize(("view", "bootstraps_first"), [("verdict", False), ("naive", True)])
def test_what_is_on_the_screen_is_worked_out_first(arrive, monkeypatch, view, bootstraps_first):
    before, real_of = [], experiments.real_of

    def seen(experiment, data):
        before.append(NAIVE in results.ensembles(experiment, data))
        return real_of(experiment, data)

    monkeypatch.setattr(experiments, "real_of", seen)
    experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=300, seed=3), n=FEW)
    visitor = arrive(run=experiment.to_link(), view=view).go("network")
    assert before[0] == bootstraps_first
    assert replicates(visitor) == [FEW] * 4  # in the end all are known


@pytest.mark.parametrize("slow", [0], indirect=True)
def test_after_a_stop_nothing_begins_unasked(slow):
    slow.button("Stop").settle()
    assert any("Stopped early" in one.value for one in slow.at.warning)
    assert slow.has(Key.start(REAL))
    assert not slow.has(Key.stop(REAL))
    assert not slow.has(Key.stop(STUDY))


def test_stop_keeps_what_is_done_and_the_rest_can_be_run(slow):
    assert not slow.has(Key.stop(REAL))  # it was waited for first
    slow.button("Stop").settle()
    (warning,) = [one for one in slow.at.warning if "Stopped early" in one.value]
    assert slow.finding
    data, corrected, part, predictive = replicates(slow)  # the naive bootstrap is learned last
    assert [data, corrected, predictive] == [FEW, FEW, FEW]
    assert 1 <= part < FEW
    assert f"{FEW} of {FEW}" in warning.value
    assert f"{part} of {FEW}" in warning.value
    slow.go("data").go("network")
    assert slow.at.warning
    assert replicates(slow) == [data, corrected, part, predictive]
    slow.hurry()
    slow.button("Continue the replicates").settle()
    assert not slow.at.warning
    check_network(slow)
