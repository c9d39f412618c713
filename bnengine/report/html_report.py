"""The report as one HTML file that needs nothing else: a network that reacts, no outside request, ready to print."""

from __future__ import annotations

import base64
import datetime
import io
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from markupsafe import Markup

import bnengine.plots as plots
from bnengine._core.display import counted, percent, plus_minus, probability, short
from bnengine._core.environment import versions
from bnengine._core.templates import template
from bnengine.answers import reliability, thresholds
from bnengine.answers.verdict import verdict
from bnengine.answers.views import VIEWS, NetworkView, threshold_view, verdict_view, with_methods
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.bootstrap.resampling_methods import CORRECTED, EDGE_KIND_PLURAL, LABELS, NAIVE, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment, shown_method
from bnengine.experiment.paper import HOW_TO_READ, figure1_panels, numbers_of_edges, range_of_edges
from bnengine.plots.network_drawing import browser_text
from bnengine.plots.palette import ink, method_color, paper
from bnengine.posterior import EdgePosterior
from bnengine.report import report_sentences as words
from bnengine.report.live_network import LiveNetwork, script

_MOST_LISTED = 400
#: Widths of a picture, mm: a page's, and wider ones for networks whose labels would be too small there.
_WIDTHS = (175.0, 350.0, 700.0)


def html_report(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    posterior: EdgePosterior | None = None,
    view: NetworkView | None = None,
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
    posterior : EdgePosterior, optional
        The answer to *is it real?*, ``bn.edge_posterior``; without it the report says that it is missing.
    view : NetworkView, optional
        The network that the report opens with, and whose edges it lists: by default the verdict, or the pairs above the
        experiment's threshold if one was chosen, see ``view_of``.
    made : date, optional
        Today by default.

    Returns
    -------
    str
        HTML that refers to nothing outside itself. Its one script shows the views, any threshold and the replicates
        on the network; its policy lets no other run, and every name in it is escaped. Without plotly and pygraphviz
        it has neither pictures nor script.

    Raises
    ------
    ValueError
        If the study has no replicates.

    Examples
    --------
    >>> import bnengine as bn
    >>> methods = ("bootstrap", "bootstrap_corrected")
    >>> experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=100, seed=1), n=5, methods=methods)
    >>> data = experiment.load()
    >>> report = html_report(experiment, data, experiment.run(data))
    >>> report.startswith("<!DOCTYPE html>"), "https://" in report
    (True, False)
    """
    view = view or view_of(experiment, data, study, posterior)
    found = view.found
    live = LiveNetwork(study, data, view)
    react = _can_draw() and bool(live.rows.size)
    size = [("Rows learned from", f"{data.n_rows:,}"), ("Variables", f"{data.n_variables:,}")]
    return template(Path(__file__).with_name("report.html")).render(
        title=f"How far to trust each edge: {experiment.data.title}",
        day=made or datetime.date.today(),
        experiment=experiment,
        findings=words.findings(experiment, data, study, found, posterior),
        view=view,
        view_picture=_embedded(view) if view.shown.any() else None,
        n_shown=counted(int(view.shown.sum()), "edge"),
        **_edges(study, view, live),
        live=live if react else None,
        style=Markup(browser_text("css")),
        script=Markup(script()[0]),
        digest=script()[1],
        views=VIEWS,
        colors=[(color(False), color(True)) for color in (paper, ink)],
        several=[one.sentence for one in found.several],
        threshold=_threshold(experiment, view, study, posterior),
        kinds=EDGE_KIND_PLURAL[experiment.kind],
        figure1=_embedded(study, kind=experiment.kind),
        figure1_in_words="; ".join(f"{LABELS[up]} against {LABELS[across]}" for across, up in figure1_panels(study)),
        how_to_read=HOW_TO_READ,
        key=[(_color(key), LABELS[key]) for key in study.keys],
        table1=_table1(study),
        method=TITLES[found.answers.method],
        meanings=words.MEANINGS,
        data_in_words=[*size, *words.treatment_in_words(experiment.data)],
        variables=words.variables_in_words(data),
        settings=words.settings_in_words(experiment),
        versions=versions().items(),
        python=words.python_edges(experiment, data, view),
    )


def view_of(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    posterior: EdgePosterior | None = None,
    threshold: float | None = None,
    noise: NoiseCheck | None = None,
) -> NetworkView:
    """Return the verdict by the method that pages show; above a threshold, if one is given or was chosen.

    The experiment's rule counts as a choice where it is not the first one. Where it needs columns to be shuffled, which
    is the caller's work, its threshold has to be given. A ValueError if no method has replicates.
    """
    keys = [key for key in study.ensembles if key != "data"]
    if not keys:
        raise ValueError("study has no replicates of a resampling method; name some in the experiment's methods")
    found = verdict(
        study,
        method=shown_method(experiment, keys),
        posterior=posterior,
        constraints=experiment.constraints,
        data=data,
        noise=noise,
    )
    at = experiment.threshold if threshold is None else threshold
    if at is None and experiment.rule not in ("mean", "permutation"):
        at = thresholds.by_rule(experiment.rule, study, found.answers.method, "adjacency")
    return verdict_view(found) if at is None else threshold_view(found, at)


def printed(result: Any, suffix: str, **choices: Any) -> bytes:
    """Draw a result for print, as wide as its labels need; see ``bn.plots.save``."""
    for width in _WIDTHS:
        buffer = io.BytesIO()
        try:
            plots.save(result, buffer, width, suffix, **choices)
        except ValueError:
            if width == _WIDTHS[-1]:
                raise
        else:
            break
    return buffer.getvalue()


def _embedded(result: Any, **choices: Any) -> str:
    """Return a picture in base 64; empty where what draws it is not installed."""
    if not _can_draw():
        return ""
    return base64.b64encode(printed(result, "svg", **choices)).decode()


def _color(key: str) -> str:
    return f"light-dark({method_color(key, False)}, {method_color(key, True)})"


def _can_draw() -> bool:
    return bool(find_spec("plotly") and find_spec("pygraphviz"))


def _table1(study: Study) -> list[dict[str, Any]]:
    """Return the lines of Table 1, with a histogram for each method that has replicates."""
    lines = []
    for (_, line), key in zip(study.table1().reset_index().iterrows(), study.keys, strict=True):
        mean, sd = float(line["mean"]), float(line["sd"])
        numbers = {"mean": mean, "sd": sd, "shown": plus_minus(mean, sd), "replicates": f"{int(line['replicates']):,}"}
        lines.append({"label": LABELS[key], **numbers, "histogram": _histogram(study, key)})
    return lines


def _histogram(study: Study, key: str) -> dict[str, Any] | None:
    """Return how many replicates of a method have each number of edges."""
    if key not in study.ensembles:
        return None
    (low, high), (values, times) = range_of_edges(study), numbers_of_edges(study, key)
    bars = [
        {
            "left": float(value) - 0.45,
            "height": float(n / times.max()),
            "about": f"{counted(float(value), 'edge')}: {counted(float(n), 'replicate')}",
        }
        for value, n in zip(values, times, strict=True)
    ]
    given = float(study.mean_edges("data"))
    limits = {"left": low + 0.5, "span": high - low - 1, "given": given, "ends": (short(low + 1), short(high - 1))}
    return {"title": TITLES[key], "color": _color(key), "bars": bars, **limits}


def _threshold(experiment: Experiment, view: NetworkView, study: Study, posterior: EdgePosterior | None) -> list[str]:
    """Say which threshold and why, how stable the edges are, and how many false ones this and others keep."""
    if view.threshold is None:
        return []
    method, at = view.found.answers.method, view.threshold
    rule, stability = words.rule_of(experiment, study, method, at), words.stability_in_words(study, method, at)
    why = f"{short(at)}, {words.why_threshold(rule)}. {stability}"
    sentences = [f"The threshold of the share of replicates is {why}"]
    if posterior is not None and posterior.n_graphs:
        for one in dict.fromkeys((at, thresholds.CONVENTION)):
            sentences.append(thresholds.kept_sentence(thresholds.kept_at(study, posterior, one), one))
        score = study.ensembles[method].score
        remarks = (reliability.threshold_remark(by, score, at) for by in (method, thresholds.REAL))
        sentences.append(" ".join(filter(None, remarks)))
    return sentences


def _edges(study: Study, view: NetworkView, live: LiveNetwork) -> dict[str, Any]:
    """Return the edges of all views: verdict, both numbers, the two bootstraps' confidences, association."""
    columns: dict[str, tuple[str, Callable[[float], str]]] = {"found_again": ("Found again", percent)}
    if view.found.has_posterior:
        columns["real"] = "Real", probability
        columns |= {"real_low": ("95% from", "{:.2f}".format), "real_high": ("to", "{:.2f}".format)}
    columns |= {f"confidence_{key}": (LABELS[key], percent) for key in (NAIVE, CORRECTED) if key in study.ensembles}
    lines, shown = [], live.shown
    table = with_methods(view.found.with_effects(live.rows.head(_MOST_LISTED)), study)
    for number, line in enumerate(table.to_dict(orient="records")):
        numbers = [(float(line[name]), written(line[name])) for name, (_, written) in columns.items()]
        name = f"{line['parent']} {'→' if line['direction'] == 'settled' else '–'} {line['child']}"
        about = {"verdict": line["verdict"], "effect": line.get("association", ""), "hidden": number not in shown}
        lines.append({"name": name, "numbers": numbers, **about})
    titles = ["Edge", "Verdict", *(title for title, _ in columns.values()), "Association"]
    return {"edge_titles": titles, "edges": lines, "n_edges": len(shown), "n_more": sum(k >= len(lines) for k in shown)}
