"""The manual: examples and notebooks run as a reader would run them, and show what stands in them; measured numbers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, needs
from tests.docs.examples import BLOCK, PAGES, outputs
from tests.docs.figures import README, filled
from tests.docs.notebooks import NOTEBOOKS, code_cells, read, run

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


@pytest.mark.slow
def test_the_manual_builds_and_every_link_and_name_in_it_leads_somewhere(tmp_path):
    """As ``make docs`` builds it: what MkDocs warns of is an error."""
    needs("mkdocstrings")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "reference" / "answers" / "index.html").exists()


# Notebooks run without Jupyter and show what stands in them.


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
    for one, given in zip(kept, run(path), strict=True):
        assert list(told(one)) == list(told(given)), "python -m tests.docs.notebooks writes the outputs anew"
    assert capsys.readouterr().err == ""


def test_the_manual_links_each_notebook():
    linked = set(re.findall(r"\(notebooks/([\w-]+\.ipynb)\)", (DOCS / "notebooks.md").read_text(encoding="utf-8")))
    assert linked == {path.name for path in NOTEBOOKS}
    assert "notebooks.md" in (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")


# Numbers in the manual that a benchmark measured: they are those of its shipped results, never typed.


#: Numbers in running text that nothing here measured: versions, dates and settings, what others published, and results
#: that the benchmarks' own test or an example on the same page holds.
NOT_MEASURED = {
    "comparison.md": {"3.3.1", "5.2", "1.1.2", "0.1.0", "30,000", "1,000", "5,000"},
    "gallery.md": {"5,400"},
    "missing-cells.md": {"1%"},
    "index.md": {"3.11"},
    "install.md": {"3.11"},
    "python.md": {"1,000", "5,000"},
    "development.md": {"3.11", "5,000"},
    "second-correction.md": {"3,000", "1,000", "95 %"},
    "teaching.md": {"1,000", "2,000", "1.245", "4.390", "0.39"},
    "which-number.md": {"0.05", "1,000", "0.8", "0.75", "0.9"},
    "README.md": {"3.11", "2.0"},
}
#: Measured figures that are still typed, each to become a block; none may be added.
STILL_TYPED = {"paper.md": {"1,000", "7,466"}, "which-number.md": {"0.01", "0.1", "90%", "95%", "1.68", "50,000"}}
SHOWN = re.compile(
    r"```.*?```|<!-- figure.*?<!-- end -->|<!-- searches -->.*?<!-- end of searches -->|`[^`]*`|^\|.*?$|\]\(.*?\)",
    re.DOTALL | re.MULTILINE,
)
FIGURE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)*\s?%|\d+(?:\.\d+)+|\d{1,3}(?:,\d{3})+")


@pytest.mark.parametrize("page", [*PAGES, README], ids=lambda page: page.stem)
def test_figures_are_filled_in_from_what_was_measured_and_none_is_typed(page):
    text = page.read_text(encoding="utf-8")
    assert filled(text) == text, "python -m tests.docs.figures writes them anew"
    held = "".join(part for part in SHOWN.findall(text) if part.startswith("```"))
    typed = {one for one in FIGURE.findall(SHOWN.sub(" ", text)) if one.strip("%") not in held}
    assert typed - NOT_MEASURED.get(page.name, set()) - STILL_TYPED.get(page.name, set()) == set()


def test_a_typed_or_stale_figure_is_found():
    stale = "<!-- figure: real -->1.08<!-- end -->"
    assert FIGURE.findall(SHOWN.sub(" ", f"of 3,378 pairs 12.5% had none, `0.1` {stale}")) == ["3,378", "12.5%"]
    assert filled(stale) != stale


RESULTS = Path("benchmarks/RESULTS.md").read_text(encoding="utf-8")
COMPARISON = Path("docs/comparison.md").read_text(encoding="utf-8")


def lines_of(text: str, header: str) -> list[list[str]]:
    """The cells of the table whose header begins so."""
    after = text[text.index(header) :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in after[2:]]


def test_the_ratios_of_the_comparison_are_the_benchmark_s():
    measured = {tuple(cells[:3]): cells[5] for cells in lines_of(RESULTS, "| network | rows | search, score |")}
    shown = lines_of(COMPARISON, "| network | rows | search, score |")
    assert len(shown) > 5
    assert [(cells, measured[tuple(cells[:3])]) for cells in shown if cells[3] != measured[tuple(cells[:3])]] == []


def test_the_range_of_ratios_is_that_of_growth():
    """Over rows up to the largest number named, variables, and states; one replicate each."""
    said = re.search(r"took pyAgrum (\d+) to (\d+) times as long, on tables of up to\s+([\d,]+) rows", COMPARISON)
    most_rows = int(said[3].replace(",", ""))
    rows = lines_of(RESULTS, "| rows (ALARM) |")
    rows = [cells for cells in rows if int(cells[0].replace(",", "")) <= most_rows]
    others = [*lines_of(RESULTS, "| variables (3 states"), *lines_of(RESULTS, "| states (20 variables")]
    ratios = [int(cells[5]) for cells in [*rows, *others] if cells[5]]
    assert (min(ratios), max(ratios)) == (int(said[1]), int(said[2]))


def test_the_default_takes_about_as_long_as_a_climb_of_pyagrum_and_ends_higher():
    searches = {cells[0]: cells for cells in lines_of(RESULTS, "| search | tables |")}
    line = searches["pyAgrum, greedy hill climbing"]
    below, below_ours, times = float(line[4]), float(line[8]), float(line[10].removesuffix(" ×"))
    assert 0.5 < times < 2
    assert below_ours < below


def test_proofs_of_alarm_are_as_the_comparison_says():
    block = RESULTS[RESULTS.index("ALARM    300 rows  BIC") :].split("```")[0].splitlines()
    proved = {(line.split("rows")[0].split()[-1], "optimal" in line) for line in block}
    assert proved == {("300", True), ("1,000", True), ("5,000", False)}
