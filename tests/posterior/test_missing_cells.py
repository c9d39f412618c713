"""The posterior where cells are missing: the mean over draws of them."""

import numpy as np
import pytest

import bnengine as bn
from tests.strategies import make_data, with_holes


def holed(seed, n_rows=150, share=0.1, **how):
    return with_holes(make_data([2, 3, 2, 2], n_rows, seed), seed, share, **how)


def test_the_posterior_is_the_mean_over_draws_and_its_error_covers_their_differences():
    data = holed(1)
    found = bn.sample_posterior(data, n_draws=6)
    members = found.graphs().reshape(6, -1, 4, 4).mean(axis=1)
    assert (found.n_draws, found.method, found.status) == (6, "exact", "converged")
    assert len(np.unique(found.groups[:, 0])) == 6
    assert np.abs(members.mean(axis=0) - found.probability).max() < 0.06  # 6,000 graphs: 9 standard errors
    between = members.std(axis=0, ddof=1) / np.sqrt(6)
    assert np.abs(between - found.error).max() < 0.06
    assert (found.error[~np.eye(4, dtype=bool)] > 0).all()


def test_complete_rows_have_the_posterior_that_they_had():
    data = make_data([2, 3, 2], 80, 1)
    found = bn.sample_posterior(data)
    assert found.n_draws == 0
    assert (found.probability == bn.sample_posterior(with_holes(data, 1, 0.0)).probability).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exact", "order"])
def test_neither_order_of_columns_nor_way_changes_the_posterior(method):
    data = holed(2)
    steps = {} if method == "exact" else {"n_steps": 2000}
    found = bn.sample_posterior(data, method=method, n_draws=2, **steps)
    other = data.select(data.names[::-1]).with_missing("complete_families")
    turned = bn.sample_posterior(other, method=method, n_draws=2, **steps)
    assert np.abs(turned.probability[::-1, ::-1] - found.probability).max() < 1e-9


def test_few_missing_cells_move_the_posterior_little():
    complete = make_data([2, 3, 2, 2], 400, 3)
    whole = bn.sample_posterior(complete).probability
    assert np.abs(bn.sample_posterior(with_holes(complete, 3, 0.01)).probability - whole).max() < 0.35
    assert (np.abs(bn.sample_posterior(holed(3, 400, 0.3)).probability - whole) > 0).any()


def test_a_progress_that_says_stop_ends_with_what_there_is():
    told = []
    found = bn.sample_posterior(
        holed(4), method="order", n_steps=4000, progress=lambda done, total: told.append((done, total)) or len(told) < 3
    )
    assert found.status == "stopped"
    assert found.probability.shape == (4, 4)
    assert max(done for done, total in told) <= told[0][1]
