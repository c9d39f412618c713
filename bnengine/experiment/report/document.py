"""The report as one HTML file that needs nothing else: no script, no outside request, ready to print."""

from __future__ import annotations

import datetime

from bnengine.bootstrap.methods import first_shown
from bnengine.bootstrap.study import Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.report import sections
from bnengine.experiment.report.markup import Markup, joined, tag
from bnengine.experiment.report.sentences import findings
from bnengine.experiment.two_answers import two_answers
from bnengine.posterior import SampledPosterior

#: Nothing may be fetched and nothing may run, whatever a name in the data says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 "Source Sans 3", "Helvetica Neue", Arial, sans-serif; color: #1B1F24; background: #fff;
  max-width: 980px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #C9D0D8; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
.about, .key { color: #4A5461; }
.key span { margin-right: 1em; white-space: nowrap; }
.finding { font-size: 1.05rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #E5E9ED;
  overflow-wrap: anywhere; }
.variables :is(th, td):not(:last-child) { overflow-wrap: break-word; max-width: 18em; }
.words thead { display: none; }
.words td:first-child { width: 15em; color: #4A5461; }
pre { background: #F4F6F8; padding: .7rem; font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.panels { display: flex; flex-wrap: wrap; gap: .5rem; }
svg { max-width: 100%; height: auto; font-family: inherit; }
figure { margin: 0; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: 0; }
@page { margin: 16mm; }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0; }
  h2, h3 { break-after: avoid; }
  tr, svg, figure, .panels { break-inside: avoid; }
  thead { display: table-header-group; }
  .words thead { display: none; }
  .panels svg { width: 31%; }
  .page { break-before: page; }
}
"""


def html_report(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    posterior: SampledPosterior | None = None,
    threshold: float | None = None,
    made: datetime.date | None = None,
) -> str:
    """Write what a run found as one HTML file.

    Parameters
    ----------
    experiment : Experiment
    data : Dataset
        The experiment's data.
    study : Study
        The experiment's result, ``experiment.run(data)``.
    posterior : SampledPosterior, optional
        The answer to *is it real?*, ``bn.sample_posterior``; without it the report says that it is missing.
    threshold : float, optional
        Of the network's strengths; by default the experiment's, or by its rule where that needs no further work, else
        the one that keeps as many edges as the graphs have on average.
    made : date, optional
        Today by default.

    Returns
    -------
    str
        HTML that refers to nothing outside itself and holds no script; every name in it is escaped.

    Raises
    ------
    ValueError
        If the study has no replicates.

    Examples
    --------
    >>> import bnengine as bn
    >>> experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=100, seed=1), n=5, methods=("boot", "boot_bc"))
    >>> data = experiment.load()
    >>> report = html_report(experiment, data, experiment.run(data))
    >>> report.startswith("<!DOCTYPE html>"), "://" in report
    (True, False)
    """
    keys = [key for key in study.ensembles if key != "data"]
    if not keys:
        raise ValueError("study has no replicates of a resampling method; name some in the experiment's methods")
    method = experiment.averaged if experiment.averaged in keys else first_shown(keys)
    answers = two_answers(study, str(method), experiment.kind, posterior)
    at = _threshold(experiment, study, str(method)) if threshold is None else threshold
    network = study.averaged(str(method), at, experiment.kind)
    day = made or datetime.date.today()
    return _page(
        f"How far to trust each edge: {experiment.data.title}",
        tag("p", f"{day:%d %B %Y} · seed {experiment.seed} · by bnengine", class_="about"),
        joined(tag("p", one, class_="finding") for one in findings(experiment, data, study, answers, posterior)),
        sections.figure1(study, answers),
        sections.key_to_colours(study),
        sections.the_numbers_of_edges(study),
        sections.the_network(network, study, answers),
        sections.the_edges(study, answers),
        sections.the_meanings(),
        sections.the_data(experiment, data),
        sections.the_settings(experiment),
        sections.how_to_repeat(experiment, data),
    )


def _threshold(experiment: Experiment, study: Study, method: str) -> float:
    if experiment.threshold is not None:
        return experiment.threshold
    if experiment.rule == "l1":
        return l1_threshold(study.strength(method, experiment.kind))
    return study.strength_threshold(method, experiment.kind)


def _page(title: str, *content: Markup) -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(_STYLE)),
    )
    body = tag("body", tag("main", tag("h1", title), *content))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
