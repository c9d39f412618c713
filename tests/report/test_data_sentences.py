"""How a table became the data, in sentences that could stand in a paper: what was done, and nothing that was not."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.dependent_rows import INDEPENDENT
from bnengine.report.report_sentences import data_in_sentences, treatment_in_words


def questionnaire(n=120):
    """An identifier, a number of the row, 13 items with two codes for missing, a measurement with its unit, a dose."""
    rng = np.random.default_rng(1)
    items = {f"{k:02d} Ich schlafe gut": rng.choice(["1", "2", "3", "4", "99", "k. A."], n) for k in range(13)}
    drug = rng.choice(["-", "aspirin", "ibuprofen"], n)
    return pd.DataFrame(
        {
            "iD": [f"p{k}" for k in range(n)],
            "no.": np.arange(n) + 1,
            **items,
            "BMI": [f"{value:.1f} kg/m²" for value in rng.normal(25, 4, n)],
            "sex": rng.choice(["M", "F", "woman", "man"], n),
            "Drug": drug,
            "Dose": np.where(drug == "-", "-", rng.choice(["5 mg", "10 mg"], n)),
        }
    )


#: How its measurement is treated: variables, what became of BMI, and how missing cells are drawn.
TREATED = {
    None: (
        "variables, 1 of them kept as numbers",
        "kept as a number and scored by normal scores",
        "by predictive mean matching",
    ),
    "quantile": (
        "discrete variables",
        "cut into 3 bins of equally many rows",
        "by draws from a network fitted to what was observed",
    ),
}


@pytest.mark.parametrize("how", TREATED)
def test_a_table_of_a_stranger(how):
    found, (variables, treated, drawn) = bn.prepare(questionnaire(), discretization=how), TREATED[how]
    n = int(found.data.missing.sum())
    assert data_in_sentences(found.recipe, found.data) == [
        f"A Bayesian network was learned from table (120 rows, 17 {variables}).",
        "Before learning, 99 and k. A. were counted as missing in 13 columns, cells that may say that there is none "
        "were kept as a state in 'Dose', spellings of one value were joined in 'sex' and numbers stored as text were "
        "converted (a limit such as <5, if any, to a value just beyond it) in 15 columns.",
        "The columns 'iD' and 'no.' were left out.",
        f"'BMI' was {treated}.",
        f"{n} cells ({n / (120 * 17):.0%}) are missing; they were drawn anew in every replicate, {drawn}.",
        INDEPENDENT,
    ]
    rows = dict(treatment_in_words(found.recipe))
    assert rows["Repairs"].startswith("99 and k. A. were counted as missing in 13 columns; cells that")
    assert rows["Columns left out"] == "'iD' and 'no.'"
    assert rows["Missing cells of single columns"] == "'Dose': a missing cell is a state of its own"
    assert rows["Treatment of single columns"].endswith("and 10 more columns")


def test_nothing_is_said_that_was_not_done():
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": [1, 2] * 20})
    recipe = bn.Recipe("file", "t.csv", discretization="quantile")
    assert data_in_sentences(recipe, recipe.prepare(frame)) == [
        "A Bayesian network was learned from t.csv (40 rows, 2 discrete variables).",
        "Rows with a missing cell, if there were any, had been left out.",
        INDEPENDENT,
    ]
    drawn = bn.Recipe("network", "cancer", n_rows=50, seed=3)
    assert data_in_sentences(drawn, drawn.prepare(drawn.load())) == [
        "A Bayesian network was learned from rows drawn from the network CANCER, with seed 3 (50 rows, 5 discrete "
        "variables)."
    ]


def test_choices_of_a_person_are_said():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.normal(size=90) for name in "abcdef"}).assign(
        s=rng.choice([*"xyz"], 90), g=np.where(rng.random(90) < 0.2, None, "h")
    )
    frame.loc[3:9, "g"] = "k"
    recipe = bn.Recipe(
        "file",
        "t.csv",
        discretization="width",
        bins=4,
        per_column=(("a", "hand", "-0.5", "0.5"), ("b", "quantile", "2"), ("c", "quantile", "2")),
        where=(("s", "is", "x", "y"), ("d", "at_most", "1.5")),
        renamed=(("a", "A"),),
        missing="most_common",
        missing_in=(("g", "own_state"),),
    )
    told = data_in_sentences(recipe, recipe.prepare(frame))[1:]
    assert told == [
        "Only rows were used in which 's' is x or y and 'd' is at most 1.5.",
        "'A' was cut into 3 bins between given cut points, 'b' and 'c' were cut into 2 bins of equally many rows and "
        "'d', 'e' and 'f' were cut into 4 bins of equal width.",
        "Where a cell was missing, the variable's most common state was filled in.",
        "In 'g', a missing cell is a state of its own.",
        INDEPENDENT,
    ]
