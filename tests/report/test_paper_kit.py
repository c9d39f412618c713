"""The paper kit: it opens as a session, its script runs as it lies in the ZIP, and its tables are the engine's."""

import dataclasses
import hashlib
import io
import re
import runpy
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.views import learned_view, threshold_view, with_methods
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.data.reading import read_named
from bnengine.experiment.experiment import RULES as ALL_RULES
from bnengine.experiment.learning import real_posterior
from bnengine.report.html_report import html_report, view_of
from bnengine.report.paper_kit import LITERATURE, escaped, paper_kit
from bnengine.report.report_sentences import python_edges
from bnengine.scores.scores import SCORES as ALL_SCORES
from bnengine.search import SEARCHES as ALL_SEARCHES
from bnengine.typing import Study

#: Semicolons, decimal commas and a title above: nothing that a script could guess from the name.
TABLE = "dose;rating;town_%\n" + "1,5;4;Köln\n2,0;2;Bonn\n3,25;5;Köln\n0,5;2;Bonn\n1,0;4;Bonn\n2,5;5;Köln\n" * 20


def from_file(name="my table.csv"):
    raw = TABLE.encode()
    recipe = bn.Recipe("file", name, fingerprint=hashlib.sha256(raw).hexdigest(), discretization="quantile", bins=2)
    experiment = bn.Experiment(recipe, search=bn.HillClimbing(), n=6, methods=("bootstrap", "bootstrap_corrected"))
    data = recipe.prepare(read_named(io.BytesIO(raw), name))
    return experiment, data, raw


def packed(content):
    return zipfile.ZipFile(io.BytesIO(content))


@pytest.fixture(scope="module")
def run():
    experiment, data, raw = from_file()
    return experiment, data, experiment.run(data), real_posterior(experiment, data), raw


@pytest.fixture(scope="module")
def kit(run):
    experiment, data, study, posterior, raw = run
    return paper_kit(experiment, data, study, posterior, file=raw)


def run_here(session, folder, monkeypatch):
    """The study that a session's script makes in the folder where it was unpacked."""
    packed(session.to_bytes()).extractall(folder)
    monkeypatch.chdir(folder)
    return runpy.run_path("repeat.py")["study"]


@pytest.mark.slow
def test_the_script_runs_as_it_lies_in_the_zip(run, kit, tmp_path):
    packed(kit).extractall(tmp_path)
    done = subprocess.run([sys.executable, "repeat.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table = run[2].table1()
    for mean in table["mean"]:
        assert f"{mean:.6f}"[:6] in done.stdout
    view = view_of(*run[:4])
    assert done.stdout.rstrip().endswith(with_methods(view.table(), run[2]).to_string()), "the table in edges.csv"


@pytest.mark.parametrize("name", ["learned", "threshold"])
def test_the_script_prints_the_table_of_the_view_in_the_kit(run, name):
    experiment, data, study, posterior, _ = run
    found = view_of(experiment, data, study, posterior).found
    view = learned_view(found, study.reference) if name == "learned" else threshold_view(found, 0.4)
    last = python_edges(experiment, data, view).splitlines()[-2]
    table = eval(last.removeprefix("edges = "), {"bn": bn, "found": found, "study": study})
    pd.testing.assert_frame_equal(table, with_methods(view.table(), study))
    with pytest.raises(ValueError, match="view must be one of"):
        bn.answers.view_table(found, study, "naive")


def test_short_names_stand_in_the_pictures_and_their_table_in_kit_and_report(run):
    experiment, data, study, posterior, _ = run
    view = dataclasses.replace(view_of(experiment, data, study, posterior), short={"town_%": "T1"})
    with packed(paper_kit(experiment, data, study, posterior, view)) as kit:
        table, picture, report = (kit.read(name).decode() for name in ("short_names.csv", "network.svg", "report.html"))
    assert table.split() == ["short,name", "T1,town_%"]
    assert ">T1<" in picture
    assert "town_%" not in picture
    assert "<tr><td>T1</td><td>town_%</td></tr>" in report
    assert '{"name":"town_%","label":"T1"' in report


@pytest.mark.slow
def test_so_does_the_script_of_a_session_whose_score_has_an_uploaded_prior_network(tmp_path, monkeypatch):
    buffer = io.BytesIO()
    bn.write_bif(bn.load_network("cancer"), buffer)
    prior = bn.read_bif(io.BytesIO(buffer.getvalue()), title="my prior")
    recipe = bn.Recipe("network", "cancer", n_rows=50, seed=1)
    experiment = bn.Experiment(recipe, bn.BDe(prior), search=bn.HillClimbing(), n=2, methods=("bootstrap",))
    study = run_here(bn.settings.SessionFile(experiment), tmp_path, monkeypatch)
    assert study.table1().equals(experiment.run().table1())


def test_it_opens_as_the_session_that_it_was(run, kit):
    again = bn.settings.SessionFile.from_bytes(kit)
    assert (again.experiment, again.file) == (run[0], run[4])


def test_without_the_file_no_row_of_it_is_in_the_kit(run):
    experiment, data, study, posterior, _ = run
    with packed(paper_kit(experiment, data, study, posterior)) as kit:
        assert not {"data.csv", "data.parquet", "learned_from.csv"} & set(kit.namelist())


def test_tables_are_the_engines(run, kit):
    _, data, study, posterior, _ = run
    with packed(kit) as zipped:
        counts = pd.read_csv(zipped.open("table1.csv"))
        edges = pd.read_csv(zipped.open("edges.csv"))
    pd.testing.assert_frame_equal(counts, study.table1().reset_index(), check_dtype=False)
    expected = with_methods(
        bn.verdict(study, method="bootstrap_corrected", posterior=posterior, data=data).table(), study
    )
    pd.testing.assert_frame_equal(edges, expected, check_dtype=False)


def test_figures_are_vectors_and_the_report_is_the_reports(run, kit):
    experiment, data, study, posterior, _ = run
    with packed(kit) as zipped:
        for name in ("figure1", "network", "two_answers"):
            root = ElementTree.fromstring(zipped.read(f"{name}.svg"))
            assert root.tag.endswith("svg")
            assert zipped.read(f"{name}.pdf").startswith(b"%PDF")
        assert zipped.read("report.html").decode() == html_report(experiment, data, study, posterior)


def test_the_methods_paragraph_names_settings_versions_and_sources(run, kit):
    with packed(kit) as zipped:
        text, tex, bib = (zipped.read(f"{name}").decode() for name in ("methods.txt", "methods.tex", "references.bib"))
    for words in ("120 rows", "BIC", "6 replicates", "seed 0", f"bnengine {bn.__version__}", "Schwarz 1978"):
        assert words in text
    experiment, data, study, posterior, _ = run
    view = threshold_view(view_of(experiment, data, study, posterior).found, 0.4)
    with packed(paper_kit(experiment, data, study, posterior, view)) as zipped:
        chosen = zipped.read("methods.txt").decode()
    assert "a share of 0.4 or more of the replicates join the pair (chosen by hand)" in chosen
    assert re.search(r"Of \d+ edges? kept, \d+ (is|are) found in 95% or more", chosen)
    assert "chosen by hand" not in text
    strong = dataclasses.replace(experiment, strength=0.8)
    with packed(paper_kit(strong, data, study, posterior)) as zipped:
        of_strength, report = (zipped.read(name).decode() for name in ("methods.txt", "report.html"))
    assert "6 replicates, with a correction of 0.8 nats per parameter" in of_strength
    assert "the corrected bootstrap of 0.8 nats per parameter" in report
    assert "per parameter" not in text
    cited = re.findall(r"\\cite\{(\w+)\}", tex)
    assert {"steck2003", "schwarz1978", "efron1979", "koivisto2004"} <= set(cited)
    assert set(re.findall(r"@misc\{(\w+),", bib)) == set(cited)  # nothing listed that is not cited
    assert "Schwarz 1978" not in tex


def test_without_a_posterior_it_is_not_spoken_of(run):
    experiment, data, study, _, _ = run
    with packed(paper_kit(experiment, data, study)) as zipped:
        assert "posterior" not in zipped.read("methods.txt").decode()
        assert "two_answers.svg" not in zipped.namelist()
    with pytest.raises(ValueError, match="no replicates"):
        paper_kit(experiment, data, Study(study.reference, {}))


@pytest.mark.slow
def test_a_wide_network_is_drawn_as_wide_as_its_labels_need():
    methods = ("bootstrap", "bootstrap_corrected")
    experiment = bn.Experiment(bn.Recipe("sample", "alarm_300"), search=bn.HillClimbing(), n=2, methods=methods)
    data = experiment.load()
    with packed(paper_kit(experiment, data, experiment.run(data))) as zipped:
        assert zipped.read("network.pdf").startswith(b"%PDF")


def test_documents_have_plain_names():
    with pytest.raises(ValueError, match="documents"):
        bn.settings.SessionFile(bn.Experiment(), documents={"../x.svg": b""}).to_bytes()


def test_what_is_cited_exists_and_nothing_else_is_listed():
    """A score or search that is removed or renamed would lose its source in silence."""
    known = {"score": ALL_SCORES, "search": ALL_SEARCHES, "rule": ALL_RULES, "method": ALL_KEYS}
    known |= {"posterior": ("exact", "order"), "bias": ("bootstrap",)}
    cited = [one.split() for source in LITERATURE.values() for one in source.cited_for]
    assert all(tag in known[what] for what, tag in cited)
    assert {tag for what, tag in cited if what == "rule"} == set(ALL_RULES)
    assert all(source.cited_for for source in LITERATURE.values())


def test_latex_shows_any_name_as_it_is():
    assert escaped("a_b & 50% {x} \\y") == r"a\_b \& 50\% \{x\} \textbackslash{}y"
    assert escaped("x_1\n& y") == r"x\_1 \& y"


def test_bibtex_keeps_the_capitals_of_titles_with_braces_that_are_not_printed():
    for one in LITERATURE.values():
        assert f"title = {{{{{escaped(one.title)}}}}},\n" in one.bibtex
        assert one.bibtex.count("{") == one.bibtex.count("}")
