"""The strength at which resamples have as many edges as the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.bootstrap.resample import applied_correction, matched, mean_edges
from bnengine.scores.correction import corrected
from tests.strategies import make_data


def graphs_with(edges):
    """Packed graphs over 8 variables with the given numbers of edges."""
    made = []
    for n in edges:
        bits = np.zeros(64, dtype=bool)
        bits[:n] = True
        made.append((np.packbits(bits), 1, "converged"))
    return made


@pytest.mark.slow
@given(st.floats(0.02, 60.0), st.integers(1, 40), st.integers(1, 200))
def test_finds_the_zero_of_a_decreasing_line_against_algebra(scale, target, n):
    """40 (1 - s / scale) edges, in steps of 1 / n edge, cross the target at s = scale (1 - target / 40)."""

    def learned_at(strength, tell):
        mean = max(0.0, 40 * (1 - strength / scale))
        whole = int(np.floor(mean))
        upper = round((mean - whole) * n)
        return graphs_with([whole + 1] * upper + [whole] * (n - upper)), False

    strength, learned, stopped = matched(learned_at, target, n)
    crossing = scale * (1 - target / 40)
    slope = 40 / scale
    assert abs(strength - crossing) <= max(0.005, (0.05 + 1 / n) / slope) + 1e-9
    assert not stopped
    assert mean_edges(learned) == mean_edges(learned_at(strength, None)[0])


def test_strength_is_zero_if_no_correction_is_needed():
    assert matched(lambda strength, tell: (graphs_with([3, 4]), False), 5.0, 2)[0] == 0.0


def test_a_target_that_no_strength_reaches_gives_the_nearest_tried():
    """Required edges stay at any penalty."""
    strength, learned, _ = matched(lambda s, tell: (graphs_with([9 if s < 2 else 6]), False), 1.0, 1)
    assert mean_edges(learned) == 6
    assert strength == 2.0


def test_a_strength_in_a_step_takes_the_nearer_side():
    strength, learned, _ = matched(lambda s, tell: (graphs_with([9 if s < 0.3 else 6]), False), 8.0, 1)
    assert mean_edges(learned) == 9
    assert strength < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(1), bn.FNML(), bn.WithPrior(bn.K2Score(), 1.0)])
def test_matched_ensemble_has_as_many_edges_as_the_data_and_is_repeated_by_its_applied_correction(score):
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    found = bn.resample(data, score, bn.HillClimbing(), bn.Bootstrap(60), "matched", rng=2)
    target = len(found.reference.edges)
    assert abs(found.mean_edges - target) < 0.6 or (found.strength == 0 and found.mean_edges < target)
    correction, strength = applied_correction(found.correction, found.strength)
    assert correction == "leading"
    again = bn.resample(data, score, bn.HillClimbing(), bn.Bootstrap(60), correction, rng=2, strength=strength)
    assert (found.packed_graphs == again.packed_graphs).all()
    assert (found.correction, found.status) == ("matched", "converged")


def test_the_target_can_be_given():
    data = make_data([2, 3, 2, 3, 2], 150, seed=4, dependence=0.8)
    found = bn.resample(data, bn.BDeu(5), bn.HillClimbing(), bn.Bootstrap(80), "matched", target_edges=2.5)
    assert found.mean_edges == pytest.approx(2.5, abs=0.15)


def test_stopping_keeps_the_nearest_finished_round():
    calls = []

    def progress(done, total):
        calls.append(done)
        return len(calls) < 70

    def learned_at(strength, tell):
        for done in range(20):
            if tell(done, 20) is False:
                return graphs_with([5] * done), True
        return graphs_with([round(20 * (1 - strength))] * 20), False

    strength, learned, stopped = matched(learned_at, 12.5, 20, progress)
    assert stopped
    assert (strength, mean_edges(learned)) == (0.5, 10)
    assert calls == sorted(calls)
    assert max(calls) <= 20


def test_stopping_the_first_round_keeps_what_it_has():
    strength, learned, stopped = matched(lambda s, tell: (graphs_with([4, 4]), True), 1.0, 20)
    assert (strength, len(learned), stopped) == (0.0, 2, True)


def test_a_matched_score_does_not_exist_without_an_ensemble():
    with pytest.raises(ValueError, match="'matched' finds its strength from an ensemble"):
        corrected(bn.BIC(), "matched")


def test_progress_never_goes_back_however_many_rounds_it_takes():
    reported = []

    def learned_at(strength, tell):
        for done in range(1, 21):
            tell(done, 20)
        return graphs_with([max(0, round(40 - strength * 0.9))] * 20), False

    matched(learned_at, 3.3, 20, lambda done, total: reported.append(done))
    assert len(reported) > 12 * 20
    assert reported == sorted(reported)
    assert max(reported) <= 20


@pytest.mark.parametrize(
    ("settings", "applied"),
    [
        (("matched", 0.0), ("leading", 0.0)),  # not the default strength
        (("matched", 0.7), ("leading", 0.7)),
        (("leading", 0.5), ("leading", 0.5)),
        (("none", 0.0), ("none", 0.0)),
        (("exact", 0.0), ("exact", 0.0)),
    ],
)
def test_the_applied_correction_of_matched_is_leading_at_the_strength_found(settings, applied):
    assert applied_correction(*settings) == applied


def test_a_method_that_matches_its_strength_learns_several_times_from_each_replicate():
    data = make_data([2, 2], 30, seed=1)
    naive, matching = bn.methods(20, keys=("boot", "boot_matched"))[::-1]
    assert naive.n_learnings(data) == 20 < matching.n_learnings(data)
