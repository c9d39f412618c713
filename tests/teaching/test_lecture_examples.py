"""The lecture's worked examples: every number that its notes print, computed by the engine."""

import math

import pytest

import bnengine as bn

CONNECTED, INDEPENDENT = [("X", "Y")], []


def example_of(n_rows):
    return bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))


def test_the_bundled_rows_are_the_notes_rows():
    four = [("x1", "y1"), ("x2", "y1"), ("x2", "y2"), ("x2", "y2")]
    more = [("x2", "y2"), ("x1", "y1"), ("x1", "y1"), ("x2", "y2")]
    assert [tuple(row) for row in bn.load_sample("lecture_4").to_numpy()] == four
    assert [tuple(row) for row in bn.load_sample("lecture_8").to_numpy()] == four + more


def test_joint_probability_of_each_of_four_rows_by_hand():
    four = example_of(4)
    table = bn.prediction.row_probabilities(
        four, {"connected": bn.fit(four, CONNECTED), "independent": bn.fit(four, INDEPENDENT)}
    )
    assert table["connected"].tolist() == pytest.approx([1 / 4, 1 / 4, 1 / 2, 1 / 2], abs=1e-15)
    assert table["independent"].tolist() == pytest.approx([1 / 8, 3 / 8, 3 / 8, 3 / 8], abs=1e-15)
    assert table[["X", "Y"]].to_numpy().tolist() == bn.load_sample("lecture_4").to_numpy().tolist()


@pytest.mark.parametrize(
    ("n_rows", "edges", "likelihood", "log2", "parameters", "size", "mdl"),
    [
        (4, CONNECTED, "0.0156", "-6.00", 3, 3.0, None),
        (4, INDEPENDENT, "0.0066", "-7.24", 2, 2.0, None),
        (8, CONNECTED, None, "-11.25", 3, 4.5, "15.75"),
        (8, INDEPENDENT, None, "-15.6", 2, 3.0, "18.6"),
    ],
)
def test_numbers_as_printed(n_rows, edges, likelihood, log2, parameters, size, mdl):
    data = example_of(n_rows)
    logs = bn.prediction.log_probabilities(bn.fit(data, edges), data)
    length = bn.mdl(data, edges)

    def printed(value, like):
        """Rounded, or cut off: the notes cut -7.2451 to -7.24."""
        digits = 10.0 ** len(like.partition(".")[2])
        return float(like) in (round(value * digits) / digits, math.trunc(value * digits) / digits)

    if likelihood is not None:
        assert printed(math.exp(logs.sum()), likelihood)
    assert printed(length.log2_likelihood, log2)
    assert length.parameters == parameters
    assert length.size_bits == pytest.approx(size, abs=1e-12)
    if mdl is not None:
        assert printed(length.mdl, mdl)
    assert length.mdl == pytest.approx(size - logs.sum() / math.log(2), abs=1e-12)


def test_the_search_space_of_eight_variables_as_printed():
    assert bn.teaching.n_undirected_graphs(8) == 268_435_456
