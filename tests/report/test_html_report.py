"""The HTML report stands alone, shows names as they are, and gives the engine's numbers."""

import base64
import datetime
import hashlib
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
import bnengine.report.html_report as html_report_file
from bnengine.answers.reliability import threshold_remark
from bnengine.answers.thresholds import CONVENTION, by_rule, kept_at, kept_sentence
from bnengine.answers.views import threshold_view, with_methods
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.experiment.learning import real_posterior
from bnengine.report.html_report import html_report, view_of
from bnengine.report.report_sentences import verdict_in_words
from bnengine.typing import Study

EMPTY = ("meta", "img", "input", "br", "hr", "line", "rect", "circle", "path", "ellipse", "polygon", "polyline")
HOSTILE = "<script>alert(1)</script>"


class Read(HTMLParser):
    """What a reader of HTML sees: elements with their attributes, texts, and whether every element is closed."""

    def __init__(self, content):
        super().__init__()
        self.tags, self.texts, self.values, self.open, self.table, self.hidden = [], [], {}, [], "", False
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        self.table = given.get("id", "") if tag == "table" else self.table
        if tag == "tr":
            self.hidden = "hidden" in given
        if tag == "data" and not self.hidden:
            self.values.setdefault(self.table, []).append(float(given["value"]))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)


@pytest.fixture(scope="module")
def run():
    experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=1000, seed=1), n=10, seed=3)
    data = experiment.load()
    return experiment, data, experiment.run(data), real_posterior(experiment, data)


def test_its_numbers_are_the_engines(run):
    experiment, data, study, posterior = run
    content = html_report(*run, made=datetime.date(2026, 1, 2))
    read = Read(content)
    found = bn.verdict(study, method="predictive", posterior=posterior, data=data)
    table = with_methods(found.table(), study)
    columns = ["found_again", "real", "real_low", "real_high", "confidence_bootstrap", "confidence_bootstrap_corrected"]
    np.testing.assert_array_equal(read.values["edges"], table[columns].to_numpy().ravel())
    assert verdict_in_words(found) in read.texts[: read.texts.index("Network: Verdict")]
    np.testing.assert_array_equal(read.values["table1"], study.table1()[["mean", "sd"]].to_numpy().ravel())
    text = "".join(read.texts)
    assert all(line in text for line in experiment.python().splitlines())
    assert "bnengine run experiment.json --as report" in text
    assert "02 January 2026" in text
    assert bn.__version__ in text
    assert all(sentence in text for sentence in table["association"])
    histograms = [attributes for tag, attributes in read.tags if tag == "svg"]
    assert [one["aria-label"].partition("by the ")[2] for one in histograms] == [TITLES[key] for key in study.ensembles]


PICTURE = re.compile(r'src="data:image/svg\+xml;base64,([\w+/=]*)"')


def test_it_asks_for_nothing_outside_and_runs_its_own_script_only(run):
    content = html_report(*run)
    pictures = [base64.b64decode(one) for one in PICTURE.findall(content)]
    assert [ElementTree.fromstring(one).tag.rpartition("}")[2] for one in pictures] == ["svg", "svg"]
    content = PICTURE.sub("", content)
    assert "http" not in content.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    (script,) = re.findall(r'<script type="module">(.*?)</script>', content, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}';" in content
    unwanted = r"\b(eval|Function|fetch|XMLHttpRequest|WebSocket|import|innerHTML|insertAdjacentHTML)\b"
    assert not re.search(unwanted, script)
    assert "url(" not in content
    tags = Read(content).tags
    assert [one.get("type") for tag, one in tags if tag == "script"] == ["application/json", "module"]
    for tag, attributes in tags:
        assert tag not in ("link", "iframe", "object", "base", "form", "a")
        assert not {"src", "href", "xlink:href"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]


def test_without_what_draws_it_has_tables_and_a_sentence(run, monkeypatch):
    monkeypatch.setattr(html_report_file, "find_spec", lambda name: None)
    read = Read(html_report(*run))
    assert not {"img", "script"} & {tag for tag, _ in read.tags}
    assert 'Pictures need plotly and pygraphviz: pip install "bnengine[app]".' in "".join(read.texts)
    assert read.values["edges"]


def test_names_are_shown_as_they_are():
    rng = np.random.default_rng(1)
    names = [HOSTILE, '" onload="x', "a & b\x00"]
    data = bn.Dataset.from_frame(pd.DataFrame({name: rng.choice(["<b>", "&amp;"], 60) for name in names}))
    experiment = bn.Experiment(bn.Recipe("file", f"{HOSTILE}.csv"), n=5, methods=("bootstrap", "bootstrap_corrected"))
    read = Read(html_report(experiment, data, experiment.run(data)))
    assert [one.get("type") for tag, one in read.tags if tag == "script"] == ["application/json", "module"]
    assert not [name for _, attributes in read.tags for name in attributes if name.startswith("on")]
    text = "".join(read.texts)
    assert HOSTILE in text
    assert "<b>, &amp;" in text or "&amp;, <b>" in text


def test_a_run_without_posterior_or_replicates_is_said(run):
    experiment, data, study, _ = run
    assert "Which edges are real was not known" in html_report(experiment, data, study)
    with pytest.raises(ValueError, match="no replicates"):
        html_report(experiment, data, Study(study.reference, {}))


def test_a_threshold_that_was_chosen_is_given_with_why_and_how_stable():
    experiment = bn.Experiment(bn.Recipe("network", "asia", n_rows=300, seed=1), n=20, seed=3, rule="l1")
    data = experiment.load()
    study, posterior = experiment.run(data), real_posterior(experiment, data)
    run = experiment, data, study, posterior
    network = study.averaged("predictive", by_rule("l1", study, "predictive", "adjacency"), "adjacency")
    text = "".join(Read(html_report(*run)).texts)
    assert f"The threshold of the share of replicates is {network.threshold:.3g}, by the rule: " in text
    assert "threshold of the share" not in "".join(Read(html_report(bn.Experiment(experiment.data), *run[1:])).texts)
    joined = [float(network.strength[i, j]) for i, j in np.argwhere(network.adjacency)]
    strong = sum(one >= 0.95 for one in joined)
    assert f"Of {len(joined)} edge{'s' * (len(joined) != 1)} kept, {strong} " in text
    assert f"the weakest in {min(joined):.0%}" in text
    for at in (network.threshold, CONVENTION):
        assert kept_sentence(kept_at(study, posterior, at), at) in text
    assert threshold_remark("real", "", network.threshold) in text
    by_hand = "".join(Read(html_report(*run, threshold_view(view_of(*run).found, 0.123))).texts)
    assert "is 0.123, chosen by hand" in by_hand
