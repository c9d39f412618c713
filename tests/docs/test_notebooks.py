"""The manual's notebooks run without Jupyter and show what stands in them."""

import json
import re

import pytest

from tests.docs.notebooks import NOTEBOOKS, PLOTLY, code_cells, read, run

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


def test_there_are_five_and_the_manual_links_each_of_them():
    assert len(NOTEBOOKS) == 5
    linked = set(re.findall(r"\(notebooks/([\w-]+\.ipynb)\)", (DOCS / "notebooks.md").read_text(encoding="utf-8")))
    assert linked == {path.name for path in NOTEBOOKS}
    assert "notebooks.md" in (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_a_notebook_of_format_4_5(path):
    notebook = read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[\w-]{1,64}", one) for one in ids)
    for number, cell in enumerate(code_cells(notebook), start=1):
        assert cell["execution_count"] == number
        for output in cell["outputs"]:
            assert output["output_type"] in ("stream", "execute_result")
    pictures = [key for cell in code_cells(notebook) for one in cell["outputs"] for key in one.get("data", {})]
    assert PLOTLY in pictures or "text/html" in pictures
    assert json.dumps(notebook).isprintable()
