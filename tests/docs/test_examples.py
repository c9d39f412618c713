"""The manual's Python examples run as a reader would type them, and print what the manual says they print."""

import re

import pytest

from tests.docs.examples import BLOCK, PAGES, outputs

WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # as errors, those of pyAgrum's import end the process
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block, printed in outputs(page):
        assert block["output"] in (None, printed), "python -m tests.docs.examples writes the outputs anew"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_output_belongs_to_an_example(page):
    text = page.read_text(encoding="utf-8")
    below = sum(block["output"] is not None for block in BLOCK.finditer(text))
    assert len(re.findall(r"^```text$", text, re.MULTILINE)) == below
