"""Numbers in formulas, names and messages in running text."""

from pages.shared.format import difference_in_tex, expected_count, sentence, tex


def test_numbers_in_formulas():
    written = ["5{,}877", "-6", r"2.75\cdot 10^{-7}", r"-1\cdot 10^{-20}", r"-\infty"]
    assert [tex(value) for value in (5877.2, -6, 2.75e-7, -1e-20, float("-inf"))] == written


def test_a_difference_has_the_decimals_of_its_terms_and_adds_up():
    assert difference_in_tex(1.79402, -0.07543) == "1.7186 - 1.7940 = -0.0754"
    assert difference_in_tex(0.5, -1e-17) == "0.500 - 0.500 = 0.000"
    assert difference_in_tex(3, 120.5) == "123 - 3 = 120"


def test_few_expected_edges_are_not_called_none():
    told = [expected_count(*one) for one in [(0.0,), (1.1e-6, 6.5e-4), (0.004, 0.02), (0.25,), (3.21, 0.123)]]
    assert told == ["fewer than 0.01", "fewer than 0.01", "fewer than 0.04", "0.25", "3.2 ± 0.1"]


def test_a_message_begins_with_a_capital_letter_but_a_name_stays():
    assert sentence("variable 'a' has no rows") == "Variable 'a' has no rows."
    assert sentence("mine.csv is empty") == "mine.csv is empty."
    assert sentence("'a' is constant!", as_is=True) == "'a' is constant\\!"
    assert sentence("variable 'a'", as_is=True) == "variable 'a'."
