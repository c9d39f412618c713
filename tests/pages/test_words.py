"""Every text of a file of words is used in its folder, and every text that is asked for is there."""

import re

import pytest

from pages.shared.words import words
from tests.pages.serving import ROOT

FOLDERS = sorted(path.parent.name for path in (ROOT / "pages").glob("*/words.toml"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_texts_of_a_folder_are_those_that_it_shows(folder):
    code = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "pages" / folder).rglob("*.py")))
    asked = re.findall(r"WORDS\[([^\]]+)\]", code)
    assert {key for keys in asked for key in re.findall(r"""["'](\w+)["']""", keys)} == set(words(f"{folder}/words"))
