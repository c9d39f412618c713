"""Each language has each list of words, in the form in which they are looked for."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from bnengine.data.cell_text import folded
from bnengine.data.rows_and_states import state_order
from bnengine.data.words import FOLDER, in_each_language, words

LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.toml"))
#: The units that every language has words for; others, such as masses, are the same in many.
TIMES = ["year", "month", "week", "day", "hour", "minute", "second"]
FOLDED = ["missing", "refused", "total", "ticked", "column.counts", "column.masses", "column.units"]
FOLDED += [f"meaning.{meaning}" for meaning in ("yes", "no", "male", "female", "other")]


def lists_of(tables):
    """The names of the lists that every language has, in their order; those of a table with its name."""
    tables = {**tables, "unit": dict.fromkeys([*tables["unit"]][: len(TIMES)]), "multiple": {}}
    return [(name, [*own] if isinstance(own, dict) else []) for name, own in tables.items()]


def test_each_language_has_each_list_in_the_same_order():
    found = dict(zip(LANGUAGES, map(lists_of, in_each_language("")), strict=True))
    assert len(found) > 5
    assert ("unit", TIMES) in found["en"]
    assert {language for language, lists in found.items() if lists != found["en"]} == set()
    guide = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    added = re.search(r"```toml\n(# bnengine/data/words/.*?)```", guide, re.S)
    assert lists_of(tomllib.loads(added[1])) == found["en"]


@pytest.mark.parametrize("entry", FOLDED)
def test_words_are_written_as_they_are_looked_for(entry):
    assert {word for word in words(entry) if folded(word) != word} == set()


def test_each_scale_has_its_places_in_each_language_and_a_word_one_place():
    scales = in_each_language("scale")
    for name, places in scales[LANGUAGES.index("en")].items():
        found = Counter()
        for language, own in zip(LANGUAGES, scales, strict=True):
            assert len(own[name]) == len(places), (name, language)
            answers = [line.split(" | ")[0] for line in own[name] if line]
            assert state_order(answers) == tuple(range(len(answers))), (name, language)
            found.update({(word, k) for k, line in enumerate(own[name]) if line for word in line.split(" | ")})
        assert [word for word, n in Counter(word for word, _ in found).items() if n > 1] == [], name
