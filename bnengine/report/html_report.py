"""The report as one HTML file that needs nothing else: no script, no outside request, ready to print."""

from __future__ import annotations

import datetime
import html
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

import numpy as np

from bnengine._core.display import counted, percent, plus_minus, readable, short
from bnengine._core.environment import versions
from bnengine.answers.edge_answers import EdgeAnswers, two_answers, with_all_methods
from bnengine.answers.thresholds import (
    CONVENTION,
    REAL,
    THRESHOLDS_SHOWN,
    by_rule,
    kept_at,
    kept_sentence,
    threshold_remark,
)
from bnengine.bootstrap.ensemble import AveragedNetwork, each_once
from bnengine.bootstrap.resampling_methods import (
    COLORS,
    CORRECTED,
    FAINT,
    INK,
    JOINS,
    KINDS,
    LABELS,
    NAIVE,
    TITLES,
    first_shown,
)
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.learning import python_real
from bnengine.experiment.paper import (
    HOW_TO_READ,
    MARGIN,
    TICKS,
    Panel,
    figure1_panel,
    figure1_panels,
    numbers_of_edges,
    range_of_edges,
)
from bnengine.graphs.layout import Edge, printed
from bnengine.posterior import EdgePosterior
from bnengine.report.report_sentences import (
    MEANINGS,
    findings,
    rule_of,
    settings_in_words,
    stability_in_words,
    treatment_in_words,
    variables_in_words,
    why_threshold,
)

# The report's markup and its pictures as SVG: confidences, numbers of edges, the network.


def color(key: str) -> str:
    """Return the colour of a method; ink for the given data, and for a method of the caller's own."""
    return COLORS.get(key, INK)


# HTML and SVG in which every text is escaped, whoever wrote it.

_EMPTY = ("meta", "br", "hr", "line", "rect", "circle", "path")


class Markup(str):
    """Text that is markup already; any other text is escaped when it is put into an element."""

    __slots__ = ()


def text(plain: object) -> Markup:
    """Return text as it is to be read."""
    return Markup(html.escape(readable(str(plain)), quote=True))


def joined(parts: Iterable[str]) -> Markup:
    """Join several pieces; plain text is escaped."""
    return Markup("".join(part if isinstance(part, Markup) else text(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """Return an element.

    Underscores in attributes' names are hyphens, and one at the end is dropped, as in ``class_``.
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    if name in _EMPTY and not children:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def number(value: float, shown: str) -> Markup:
    """Write a number as it is shown, with its exact value for programs."""
    return tag("data", shown, value=repr(float(value)))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], **attributes: object) -> Markup:
    """Draw a table; its head is repeated on each printed page."""
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") for one in heads)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows))
    return tag("table", head, body, **attributes)


_SIDE, _LEFT, _TOP, _BELOW = 230.0, 46.0, 14.0, 40.0  # of a panel of Figure 1
_WIDE, _HIGH = 220.0, 74.0  # of a histogram


def panel(shown: Panel, kind: str) -> Markup:
    """Draw the confidence of each edge by one method against another's, with the thresholds of both."""
    one, other = TITLES[shown.across], TITLES[shown.up]
    marks = [
        tag(
            "circle",
            tag("title", f"{a} {JOINS[kind]} {b}: {one} {short(p)}, {other} {short(q)}"),
            cx=_x(p + shift),
            cy=_y(q),
            r=3.2,
            fill=color(shown.up),
            fill_opacity=0.55,
            stroke=INK,
            stroke_width=0.4,
        )
        for (a, b), p, q, shift in zip(shown.edges, shown.x, shown.y, shown.shift, strict=True)
    ]
    low, top = -MARGIN, 1 + MARGIN
    return _picture(
        *_axes(*shown.labels),
        _line(_x(0), _y(0), _x(1), _y(1), FAINT, "2 3"),
        _line(_x(shown.right), _y(low), _x(shown.right), _y(top), color(shown.across), "5 4"),
        _line(_x(low), _y(shown.high), _x(top), _y(shown.high), color(shown.up), "5 4"),
        *marks,
        width=_LEFT + _SIDE + 18,
        height=_TOP + _SIDE + _BELOW,
        label=shown.description,
    )


def _axes(across: str, up: str) -> list[Markup]:
    drawn = [tag("rect", x=_x(0), y=_y(1), width=_SIDE, height=_SIDE, fill="none", stroke=FAINT)]
    for tick in TICKS:
        drawn.append(_words(short(tick), _x(tick), _y(0) + 15, "middle"))
        drawn.append(_words(short(tick), _x(0) - 6, _y(tick) + 4, "end"))
    middle = _y(0.5)
    drawn.append(_words(across, _x(0.5), _y(0) + 33, "middle"))
    drawn.append(_words(up, 11, middle, "middle", transform=f"rotate(-90 11 {middle})"))
    return drawn


def histogram(study: Study, key: str) -> Markup:
    """Draw how many replicates of a method have each number of edges, with the given data's number as a line."""
    given = study.mean_edges("data")
    low, high = range_of_edges(study)
    values, times = numbers_of_edges(study, key)
    step = (_WIDE - 20) / (high - low)
    bars = []
    for value, n in zip(values, times, strict=True):
        tall = (_HIGH - 22) * float(n / times.max())
        x = 10 + step * (float(value) - low) - 0.45 * step
        about = tag("title", f"{counted(float(value), 'edge')}: {counted(float(n), 'replicate')}")
        bars.append(
            tag("rect", about, x=_n(x), y=_n(_HIGH - 18 - tall), width=_n(0.9 * step), height=_n(tall), fill=color(key))
        )
    at = 10 + step * (given - low)
    return _picture(
        *bars,
        _line(at, 2, at, _HIGH - 18, INK, ""),
        _line(10, _HIGH - 18, _WIDE - 10, _HIGH - 18, FAINT, ""),
        _words(short(low + 1), 10 + step, _HIGH - 4, "middle"),
        _words(short(high - 1), _WIDE - 10 - step, _HIGH - 4, "middle"),
        width=_WIDE,
        height=_HIGH,
        label=f"Number of edges by the {TITLES[key]}",
    )


def network_picture(network: AveragedNetwork, names: Sequence[str]) -> Markup:
    """Draw the network with stronger edges thicker and darker."""
    return svg_of(names, {(int(i), int(j)): float(network.strength[i, j]) for i, j in np.argwhere(network.adjacency)})


def svg_of(names: Sequence[str], strengths: Mapping[Edge, float | None]) -> Markup:
    """Draw a graph by Graphviz; read and written anew so that nothing else is in it."""
    root = ElementTree.fromstring(printed(names, strengths, "svg"))
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # HTML knows SVG's elements without their namespace
        for name in [name for name in element.attrib if name == "id" or name.startswith("{")]:
            del element.attrib[name]
    root.set("role", "img")
    root.set("style", "max-width: 100%; height: auto")
    root.set("aria-label", f"Network of {counted(len(strengths), 'edge')}")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _picture(*parts: Markup, width: float, height: float, label: str) -> Markup:
    size = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
    return tag("svg", *parts, role="img", aria_label=label, **size)


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, dashes: str) -> Markup:
    look = {"stroke": stroke, "stroke_width": 1.2} | ({"stroke_dasharray": dashes} if dashes else {})
    return tag("line", x1=_n(x1), y1=_n(y1), x2=_n(x2), y2=_n(y2), **look)


def _words(plain: str, x: float, y: float, anchor: str, **more: object) -> Markup:
    return tag("text", plain, x=_n(x), y=_n(y), text_anchor=anchor, font_size=11, fill=INK, **more)


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 2)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 2)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


# The sections of the report, each a heading and what stands below it.

_LEAST = 0.01  # edges below by both numbers are not listed
_MOST_LISTED = 400
_NO_EDGE = "No edge."


def section(title: str, *content: Markup) -> Markup:
    """Return a heading and what stands below it."""
    return tag("section", tag("h2", title), *content)


def the_data(experiment: Experiment, data: Dataset) -> Markup:
    """Describe size, treatment, and every variable with its states."""
    size = [("Rows learned from", f"{data.n_rows:,}"), ("Variables", f"{data.n_variables:,}")]
    return section(
        "Data",
        table(("", ""), [*size, *treatment_in_words(experiment.data)], class_="words"),
        tag("h3", "Variables"),
        table(("Variable", "Number of states", "States"), variables_in_words(data), class_="variables"),
    )


def the_settings(experiment: Experiment) -> Markup:
    """Describe all settings, the seed, and the versions of the programs."""
    return section(
        "Settings",
        table(("", ""), settings_in_words(experiment), class_="words"),
        tag("h3", "Versions"),
        table(("", ""), versions().items(), class_="words"),
    )


def the_numbers_of_edges(study: Study) -> Markup:
    """Show Table 1, with a histogram for each method."""
    rows = []
    for (_, line), key in zip(study.table1().reset_index().iterrows(), study.keys, strict=True):
        mean, sd = float(line["mean"]), float(line["sd"])
        picture = histogram(study, key) if key in study.ensembles else Markup("")
        shown = joined([number(mean, plus_minus(mean, sd)), tag("data", "", value=repr(sd))])
        rows.append((LABELS[key], shown, f"{int(line['replicates']):,}", picture))
    return section(
        "Numbers of edges (Table 1)",
        table(("Method", "Edges, mean ± sd", "Replicates", "Distribution"), rows, id="table1"),
        tag("p", "Upright line: the number learned from the given data. All histograms have the same range."),
    )


def figure1(study: Study, answers: EdgeAnswers) -> Markup:
    """Draw the confidence of each edge: the bootstraps against the given data and against each other."""
    panels = (figure1_panel(study, across, up, answers.kind) for across, up in figure1_panels(study))
    drawn = (panel(one, answers.kind) for one in panels)
    return section(
        "Naive against corrected confidence (Figure 1)",
        tag("div", *drawn, class_="panels"),
        tag("p", f"One mark per edge ({KINDS[answers.kind]}). {HOW_TO_READ}"),
    )


def the_network(network: AveragedNetwork, study: Study, answers: EdgeAnswers) -> Markup:
    """Draw the averaged network of the method that answers *found again*."""
    edges, title = counted(len(network.edges), "edge"), TITLES[answers.method]
    text = f"{edges} whose pair is joined in {percent(network.threshold)} or more of the "
    text += f"graphs of the {title}, each in its more frequent direction. Stronger edges are thicker and darker. This "
    text += "says which edges would be found again, not which are real."
    if network.left_out:
        left_out = "; ".join(f"{parent} → {child}" for parent, child in network.left_out)
        text += f" Left out, since they would close a cycle: {left_out}."
    picture = tag("figure", network_picture(network, study.reference.names), class_="network")
    return section("Network", picture, tag("p", text))


def the_threshold(
    experiment: Experiment, network: AveragedNetwork, study: Study, method: str, posterior: EdgePosterior | None
) -> Markup:
    """Say which threshold and why, how stable the edges are, and how many false ones this and others keep."""
    at, n = network.threshold, int(study.ensembles[method].multiplicities.sum())
    why = f"{short(at)}, {why_threshold(rule_of(experiment, study, method, at))}. {stability_in_words(network, n)}"
    told = [f"The threshold of the share of replicates is {why}"]
    if posterior is not None and posterior.n_graphs and experiment.kind != "compelled":
        kept = kept_at(study, posterior, sorted({*THRESHOLDS_SHOWN, at}))
        told += [kept_sentence(kept, at), *([] if at == CONVENTION else [kept_sentence(kept, CONVENTION)])]
        score = study.ensembles[method].score
        told += [" ".join(filter(None, (threshold_remark(by, score, at) for by in (method, REAL))))]
    return section("Threshold and stability", *(tag("p", one) for one in told))


def the_edges(study: Study, answers: EdgeAnswers) -> Markup:
    """List every edge with both numbers, and the confidences of the two bootstraps."""
    edges = with_all_methods(study, answers)
    place = {name: v for v, name in enumerate(answers.names)}
    listed = each_once(answers.shown(_LEAST), answers.kind)
    kept = [bool(listed[place[a], place[b]]) for a, b in zip(edges["parent"], edges["child"], strict=True)]
    edges = edges[kept]
    heads = ["Edge", f"Found again: {TITLES[answers.method]}"]
    heads += ["Real: posterior", "± Monte Carlo"] if answers.has_posterior else []
    both = [key for key in (NAIVE, CORRECTED) if key in study.ensembles]
    heads += [*(LABELS[key] for key in both), "Learned from the data"]
    rows = []
    for line in edges.head(_MOST_LISTED).to_dict(orient="records"):
        row: list[str] = [f"{line['parent']} {JOINS[answers.kind]} {line['child']}"]
        row.append(number(line["found_again"], f"{line['found_again']:.2f}"))
        if answers.has_posterior:
            row += [
                number(line["real"], f"{line['real']:.2f}"),
                number(line["real_error"], f"{line['real_error']:.3f}"),
            ]
        row += [number(line[f"confidence_{key}"], f"{line[f'confidence_{key}']:.2f}") for key in both]
        rows.append([*row, "yes" if line["in_data_graph"] else "no"])
    text = f"Edges are {KINDS[answers.kind]}; those with both numbers below {short(_LEAST)} are not listed."
    if len(edges) > _MOST_LISTED:
        text += f" The first {_MOST_LISTED:,} of {len(edges):,} are listed; the script below gives all."
    return section("Edges", table(heads, rows, id="edges") if rows else tag("p", _NO_EDGE), tag("p", text))


def the_meanings() -> Markup:
    """Explain what each number means, and what it does not."""
    terms = (joined([tag("dt", name), tag("dd", meaning)]) for name, meaning in MEANINGS)
    return section("What each number means, and what it does not", tag("dl", *terms))


def how_to_repeat(experiment: Experiment, data: Dataset) -> Markup:
    """Show the command and the script that give the same numbers."""
    script = experiment.python() + python_real(experiment, data)
    parts = [tag("h3", "On the command line, with the settings as the app saves them")]
    parts += [tag("pre", tag("code", "bnengine run experiment.json --as report --out report.html"))]
    parts += [tag("h3", "In Python"), tag("pre", tag("code", script), id="python")]
    if experiment.data.source == "file":
        parts.append(tag("p", f"Both read the file {experiment.data.name} in the folder where they are run."))
    return section("Repeat this", *parts)


def key_to_colours(study: Study) -> Markup:
    """Show the colour of each method."""
    drawn = (tag("span", f"■ {LABELS[key]}", style=f"color:{color(key)}") for key in study.keys)
    return tag("p", *drawn, class_="key")


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
    posterior: EdgePosterior | None = None,
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
    posterior : EdgePosterior, optional
        The answer to *is it real?*, ``bn.edge_posterior``; without it the report says that it is missing.
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
    >>> methods = ("bootstrap", "bootstrap_corrected")
    >>> experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=100, seed=1), n=5, methods=methods)
    >>> data = experiment.load()
    >>> report = html_report(experiment, data, experiment.run(data))
    >>> report.startswith("<!DOCTYPE html>"), "://" in report
    (True, False)
    """
    answers, network = shown_results(experiment, study, posterior, threshold)
    day = made or datetime.date.today()
    return _page(
        f"How far to trust each edge: {experiment.data.title}",
        tag("p", f"{day:%d %B %Y} · seed {experiment.seed} · by bnengine", class_="about"),
        joined(tag("p", one, class_="finding") for one in findings(experiment, data, study, answers, posterior)),
        figure1(study, answers),
        key_to_colours(study),
        the_numbers_of_edges(study),
        the_network(network, study, answers),
        the_threshold(experiment, network, study, answers.method, posterior),
        the_edges(study, answers),
        the_meanings(),
        the_data(experiment, data),
        the_settings(experiment),
        how_to_repeat(experiment, data),
    )


def shown_results(
    experiment: Experiment, study: Study, posterior: EdgePosterior | None, threshold: float | None
) -> tuple[EdgeAnswers, AveragedNetwork]:
    """Return both answers by the method that is shown, and its averaged network.

    The threshold is the one given, the experiment's, or by its rule where that is quick. A ValueError if no method has
    replicates.
    """
    keys = [key for key in study.ensembles if key != "data"]
    if not keys:
        raise ValueError("study has no replicates of a resampling method; name some in the experiment's methods")
    method = str(experiment.averaged if experiment.averaged in keys else first_shown(keys))
    at = experiment.threshold if threshold is None else threshold
    at = by_rule(experiment.rule, study, method, experiment.kind) if at is None else at
    return two_answers(study, method, experiment.kind, posterior), study.averaged(method, at, experiment.kind)


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
