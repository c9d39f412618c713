"""The price of a parameter's digits: the loss by its definition, and where the sum is least."""

import math

import numpy as np
import pytest

import bnengine as bn


def test_the_loss_against_encoding_the_rows():
    """Bits of the rows with the rounded probability less those with their own, for every count, added up plainly."""
    n_rows = 12
    table = bn.teaching.parameter_precision(n_rows).set_index("values")
    for values, line in table.iterrows():
        middles = [(k + 0.5) / values for k in range(values)]
        losses = []
        for n in range(n_rows + 1):
            share = n / n_rows
            q = middles[min(int(share * values), values - 1)]
            assert abs(q - share) <= 0.5 / values + 1e-12
            own = sum(x * math.log2(x / n_rows) for x in (n, n_rows - n) if x)
            losses.append(own - n * math.log2(q) - (n_rows - n) * math.log2(1 - q))
        assert line["loss_bits"] == pytest.approx(np.mean(losses), abs=1e-12)
        assert line["cost_bits"] == pytest.approx(math.log2(values))
        assert line["total_bits"] == pytest.approx(line["cost_bits"] + line["loss_bits"])


@pytest.mark.parametrize("n_rows", [100, 1000, 10_000, 100_000])
def test_the_sum_is_least_near_half_log_n(n_rows):
    """To within a third of a bit and a little; and ½ log2 N itself costs hardly more than the least."""
    table = bn.teaching.parameter_precision(n_rows)
    best = table.loc[table["total_bits"].idxmin()]
    half = 0.5 * math.log2(n_rows)
    assert abs(best["cost_bits"] - half) < 0.35
    assert np.interp(half, table["cost_bits"], table["total_bits"]) < best["total_bits"] + 0.1


def test_ends_of_the_table():
    table = bn.teaching.parameter_precision(1)
    assert table["values"].tolist() == [1]
    assert table["loss_bits"][0] == pytest.approx(1.0)  # one row, probability one half
    table = bn.teaching.parameter_precision(300)
    assert table["values"].is_monotonic_increasing
    assert table["loss_bits"].iloc[0] > 50
    assert table["loss_bits"].iloc[-1] < 0.05
    for bad in (0, 10**7):
        with pytest.raises(ValueError, match="n_rows must be"):
            bn.teaching.parameter_precision(bad)
