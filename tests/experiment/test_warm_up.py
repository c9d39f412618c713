"""Compiling ahead, part by part."""

import pytest

import bnengine as bn
from bnengine.experiment.warm_up import warm_up


@pytest.mark.parametrize("score", [bn.BIC(), bn.BDe("cancer"), bn.WithPrior(bn.QNML(), uniform_parent_sizes=True)])
def test_scores_of_other_variables_are_warmed_up_too(score):
    told = []
    warm_up(score, bn.ChowLiu(), lambda done, n_parts: told.append((done, n_parts)))
    assert [done for done, _ in told] == list(range(told[0][1] + 1))


def test_everything_is_compiled_in_parts_and_can_be_stopped():
    told = []

    def stop_at_the_third(done, n_parts):
        told.append((done, n_parts))
        return done < 2

    warm_up(progress=stop_at_the_third)
    assert [done for done, _ in told] == [0, 1, 2]
    told.clear()
    warm_up(progress=lambda done, n_parts: told.append((done, n_parts)))
    assert told[-1][0] == told[-1][1] > 10
