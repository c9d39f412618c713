"""Numbers as text: a share is rounded once, whether it is written as a percentage or as a probability."""

import pytest

from bnengine._core.display import percent, probability, share


def test_a_share_and_a_probability_are_rounded_alike():
    for thousandths in range(5, 995):
        value, hundredths = thousandths / 1000, (thousandths + 5) // 10
        assert percent(value) == share(value) == f"{hundredths}%"
        assert probability(value) == f"{hundredths / 100:.2f}"


@pytest.mark.parametrize(
    ("value", "as_share", "as_probability"),
    [
        (0.0, "0%", "below 0.01"),
        (0.0049, "less than 1%", "below 0.01"),
        (0.005, "1%", "0.01"),
        (0.9949, "99%", "0.99"),
        (0.995, "more than 99%", "above 0.99"),
        (1.0, "100%", "above 0.99"),
    ],
)
def test_what_is_nearly_none_or_nearly_all_is_said_so(value, as_share, as_probability):
    assert (share(value), probability(value)) == (as_share, as_probability)
