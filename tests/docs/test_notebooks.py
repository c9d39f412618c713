"""The manual's notebooks run without Jupyter and show what stands in them."""

import re

import pytest

from tests.docs.notebooks import NOTEBOOKS, code_cells, read, run

DOCS = NOTEBOOKS[0].parents[1]


def told(outputs):
    """What outputs say, without pictures, whose curves depend on the version of Graphviz and plotly."""
    for one in outputs:
        if one["output_type"] == "stream":
            yield "".join(one["text"])
            continue
        yield sorted(one["data"])
        yield "".join(one["data"]["text/plain"])
        yield re.sub("<svg.*?</svg>", "", "".join(one["data"].get("text/html", [])), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_give(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    kept = [cell["outputs"] for cell in code_cells(read(path))]
    for one, outputs in zip(kept, run(path), strict=True):
        assert list(told(one)) == list(told(outputs)), "python -m tests.docs.notebooks writes the outputs anew"
    assert capsys.readouterr().err == ""


def test_the_manual_links_each_notebook():
    linked = set(re.findall(r"\(notebooks/([\w-]+\.ipynb)\)", (DOCS / "notebooks.md").read_text(encoding="utf-8")))
    assert linked == {path.name for path in NOTEBOOKS}
    assert "notebooks.md" in (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
