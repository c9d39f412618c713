"""Numbers and names as they are written everywhere."""

import math
from pathlib import Path

import pytest

import bnengine as bn
from bnengine._core.display import counted, integer, percent, plus_minus, probability, short, signed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (15.7451, "15.7"),
        (5877.2, "5,877"),
        (1_234_567, "1,234,567"),
        (-6, "−6"),
        (-0.0731, "−0.0731"),
        (0.5, "0.5"),
        (4.242e-4, "0.000424"),
        (0.99999, "1"),
        (0.0, "0"),
        (2.75e-7, "2.75 × 10⁻⁷"),
        (-1e-20, "−1 × 10⁻²⁰"),
        (float("-inf"), "−∞"),
    ],
)
def test_numbers_have_three_significant_digits(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("mean", "error", "text"),
    [
        (43.21, 2.13, "43.2 ± 2.1"),
        (107.3, 4.2, "107 ± 4"),
        (107.31, 0.42, "107.3 ± 0.4"),
        (1234.5, 0.0, "1,234 ± 0"),
        (46, 0.0, "46"),
        (-0.01234, 0.00456, "−0.0123 ± 0.0046"),
        (0.0, 0.02, "0.00 ± 0.02"),
        (5.25, math.nan, "5.25"),
        (math.nan, math.nan, ""),
    ],
)
def test_an_error_has_the_decimals_of_its_mean(mean, error, text):
    assert plus_minus(mean, error) == text


def test_differences_shares_times_and_lists():
    assert (signed(1.25), signed(-1.25)) == ("+1.25", "−1.25")
    assert percent(0.256) == "26%"
    assert [counted(n, what) for n, what in ((1, "edge"), (2, "adjacency"), (1200, "class"))] == [
        "1 edge",
        "2 adjacencies",
        "1,200 classes",
    ]
    assert [counted(n, "edge") for n in (0, 0.5, 1.0001, 1.01, 12.5)] == [
        "0 edges",
        "0.5 edges",
        "1 edge",
        "1.01 edges",
        "12.5 edges",
    ]


def test_whole_numbers_of_any_size():
    assert integer(-1200) == "−1,200"
    assert integer(bn.teaching.n_dags(20)).startswith("2.34 × 10⁷²")


def test_a_probability_may_have_its_interval():
    assert probability(0.9999, (0.9961, 1.0)) == "above 0.99"
    assert probability(0.91, (0.871, 0.94)) == "0.91 (0.87 to 0.94)"
    assert probability(0.004, (0.0, 0.034)) == "below 0.01 (0.00 to 0.03)"
    assert probability(0.5) == probability(0.5, (0.5, 0.5)) == "0.50"


def test_a_share_and_a_probability_are_rounded_alike():
    for thousandths in range(5, 995):
        value, hundredths = thousandths / 1000, (thousandths + 5) // 10
        assert percent(value) == f"{hundredths}%"
        assert probability(value) == f"{hundredths / 100:.2f}"


@pytest.mark.parametrize(
    ("value", "as_share", "as_probability"),
    [
        (0.0, "0%", "below 0.01"),
        (0.0049, "less than 1%", "below 0.01"),
        (0.005, "1%", "0.01"),
        (0.9949, "99%", "0.99"),
        (0.995, "more than 99%", "above 0.99"),
        (0.999, "more than 99%", "above 0.99"),
        (1.0, "100%", "above 0.99"),
    ],
)
def test_what_is_nearly_none_or_nearly_all_is_said_so(value, as_share, as_probability):
    assert (percent(value), probability(value)) == (as_share, as_probability)


def test_no_other_code_writes_a_percentage_that_may_be_rounded_to_all():
    files = [path for folder in ("bnengine", "pages") for path in Path(folder).rglob("*.py")]
    assert [str(path) for path in files if ":.0%}" in path.read_text(encoding="utf-8")] == []
