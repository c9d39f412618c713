"""What is said of one edge: of its numbers, how far they depend on the prior, and how right they were."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.answers import explain_edge


def test_how_far_real_depends_on_its_prior_is_said():
    data = bn.load_network("cancer").sample(150, rng=3)
    posterior = bn.edge_posterior(data)
    low, high = np.sort(posterior.under_each_prior + posterior.under_each_prior.transpose(0, 2, 1), axis=0)
    i, j = np.unravel_index(int((high - low).argmax()), low.shape)
    told = explain_edge(data, data.names[i], data.names[j], posterior=posterior)
    ends = next(one for one in told.answers if one.is_posterior).under_each_prior
    assert sorted(ends) == pytest.approx([low[i, j], high[i, j]])
    assert high[i, j] - low[i, j] > 0.05
    assert "The number depends on its prior: " in told.sentences["measured"]
    under_one = explain_edge(data, data.names[i], data.names[j], posterior=bn.edge_posterior(data, bn.BDeu(1)))
    assert "depends on its prior" not in under_one.sentences.get("measured", "")
    assert "real with probability" in told.sentences["measured"]
    assert "real with probability" not in under_one.sentences.get("measured", ""), "the default number was measured"
