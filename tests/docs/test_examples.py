"""The manual's Python examples run, block after block of a page, as a reader would type them."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


def test_the_manual_has_examples():
    assert len(WITH_EXAMPLES) >= 4


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names = {}
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block[1], str(page), "exec"), names)
    assert capsys.readouterr().err == ""
