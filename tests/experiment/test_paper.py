"""The paper's experiments: what is run, what stands beside it, and that the pattern is the paper's."""

import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS


def test_the_first_experiment_is_the_paper_s():
    experiments = bn.paper.alarm_experiments()
    assert list(experiments) == list(bn.paper.PUBLISHED)[:4]
    for experiment in experiments.values():
        assert experiment.search == bn.K2(tuple(bn.load_network("alarm").ordering))
        assert experiment.n == 200
        assert experiment.methods == TABLE1_KEYS
    assert [e.load().n_rows for e in experiments.values()] == [300, 300, 1000, 1000]


@pytest.mark.slow
def test_table_has_the_published_values_beside_ours():
    alarm = bn.paper.run_experiments(bn.paper.alarm_experiments(3, seed=3))
    table = bn.paper.paper_table(alarm)
    assert len(table) == 20
    line = table[(table["experiment"] == "ALARM, N = 1,000, BIC") & (table["method"] == "bootstrap")].iloc[0]
    assert (line["paper_mean"], line["paper_sd"]) == (47.3, 4.6)
    own = bn.paper.paper_table({"mine": alarm["ALARM, N = 300, BIC"]})
    assert own["paper_mean"].isna().all()
    same = table[table["experiment"] == "ALARM, N = 300, BIC"]
    assert same["paper_mean"].tolist() == [41, 40.7, 49.1, 41.0, 41.1]


@pytest.mark.slow
def test_the_second_experiment_has_many_runs_on_the_data_as_its_reference():
    recipe = bn.Recipe("network", "asia", n_rows=60, seed=1)
    experiment = bn.paper.annealing_experiment(recipe, n=6, ess=10.0, seed=2)
    assert experiment.search == bn.SimulatedAnnealing(100.0, 400, 200, 0.95, 120, 5, "empty", exchanges=False)
    assert (experiment.score, experiment.n) == (bn.BDeu(10.0), 6)
    study = bn.paper.run_experiments({"asia": experiment})["asia"]
    assert list(study.ensembles) == ["data", *TABLE1_KEYS]
    assert study.table1().loc["data D", "replicates"] == 6


def test_progress_counts_all_replicates_and_stopping_keeps_what_is_done():
    experiments = {
        str(seed): bn.Experiment(
            bn.Recipe("network", "asia", n_rows=60, seed=seed), n=20, methods=("bootstrap", "jackknife_delete_d")
        )
        for seed in range(3)
    }
    totals = set()
    studies = bn.paper.run_experiments(experiments, progress=lambda done, total: totals.add(total))
    assert list(studies) == ["0", "1", "2"]
    assert totals == {180}  # the given data are learned from as often
    kept = bn.paper.run_experiments(experiments, progress=lambda done, total: done <= 75)
    assert len(kept) < 3 or kept["2"].status == "stopped"
    assert kept["0"].status == "converged"


def test_fresh_samples_against_learning_from_each():
    experiments = {title: e for title, e in bn.paper.alarm_experiments(10, seed=5).items() if "BIC" in title}
    table = bn.paper.fresh_samples(experiments, 4)
    alarm = bn.load_network("alarm")
    for line in table.itertuples():
        experiment = experiments[line.experiment]
        counts = [
            len(bn.learn(alarm.sample(experiment.load().n_rows, g), bn.BIC(), bn.K2(alarm.ordering)).edges)
            for g in np.random.default_rng(experiment.data.seed).spawn(4)
        ]
        assert (line.least, line.most, line.samples) == (min(counts), max(counts), 4)
        assert line.mean == pytest.approx(np.mean(counts))
        assert line.sd == pytest.approx(np.std(counts, ddof=1))
    assert table["paper"].tolist() == [41, 43]


def test_fresh_samples_need_a_network_and_can_be_stopped():
    mine = {"mine": bn.Experiment(bn.Recipe("sample", "titanic"))}
    with pytest.raises(ValueError, match="fresh samples need a network to draw from; 'mine' has the data 'Titanic'"):
        bn.paper.fresh_samples(mine)
    with pytest.raises(ValueError, match="n must be a whole number from 2"):
        bn.paper.fresh_samples(bn.paper.alarm_experiments(), 1)
    other = {str(n): bn.Experiment(bn.Recipe("network", "asia", n_rows=n)) for n in (50, 60)}
    assert math.isnan(bn.paper.fresh_samples(other, 2)["paper"][0])
    stopped = bn.paper.fresh_samples(other, 4, progress=lambda done, total: done < 5)
    assert stopped["experiment"].tolist() in (["50"], ["50", "60"])
    heard = []
    bn.paper.fresh_samples(other, 4, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (8, 8)
    assert heard == sorted(heard)


def test_fresh_samples_stop_within_a_search():
    hardly_cooling = bn.SimulatedAnnealing(1e6, 10_000_000, 10_000_000, 1 - 1e-9, 10_000_000)
    days = bn.Experiment(bn.Recipe("network", "asia", n_rows=50), search=hardly_cooling)
    assert bn.paper.fresh_samples({"days": days}, 2, progress=lambda done, total: False).empty
