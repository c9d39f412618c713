"""The sections of the report, each a heading and what stands below it."""

from __future__ import annotations

from collections.abc import Sequence

from bnengine._core.number_text import counted, percent, plus_minus, short
from bnengine._core.versions import versions
from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.edge_kinds import each_once
from bnengine.bootstrap.method_names import JOINS, KINDS, LABELS, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.command_line import command_line
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.real import python_real
from bnengine.experiment.report.colors import color
from bnengine.experiment.report.markup import Markup, joined, number, table, tag
from bnengine.experiment.report.pictures import histogram, network_picture, panel, panels
from bnengine.experiment.report.sentences import MEANINGS
from bnengine.experiment.report.settings_in_words import settings_in_words, treatment_in_words, variables_in_words
from bnengine.experiment.two_answers import TwoAnswers, all_answers

_LEAST = 0.01  # edges below by both numbers are not listed
_MOST_LISTED = 400
_NO_EDGE = "No edge."


def section(title: str, *content: Markup) -> Markup:
    """A heading, and what stands below it."""
    return tag("section", tag("h2", title), *content)


def paragraphs(texts: Sequence[str]) -> Markup:
    """One paragraph for each text."""
    return joined(tag("p", text) for text in texts)


def the_data(experiment: Experiment, data: Dataset) -> Markup:
    """Size, treatment, and every variable with its states."""
    size = [("Rows learned from", f"{data.n_rows:,}"), ("Variables", f"{data.n_variables:,}")]
    return section(
        "Data",
        table(("", ""), [*size, *treatment_in_words(experiment.data)], class_="words"),
        tag("h3", "Variables"),
        table(("Variable", "Number of states", "States"), variables_in_words(data), class_="variables"),
    )


def the_settings(experiment: Experiment) -> Markup:
    """All settings, the seed, and the versions of the programs."""
    return section(
        "Settings",
        table(("", ""), settings_in_words(experiment), class_="words"),
        tag("h3", "Versions"),
        table(("", ""), versions().items(), class_="words"),
    )


def the_numbers_of_edges(study: Study) -> Markup:
    """Table 1, with a histogram for each method."""
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


def figure1(study: Study, answers: TwoAnswers) -> Markup:
    """Confidence of each edge: the bootstraps against the given data and against each other."""
    drawn = (panel(study, across, up, answers.kind) for across, up in panels(study, answers.method))
    return section(
        "Naive against corrected confidence (Figure 1)",
        tag("div", *drawn, class_="panels"),
        tag(
            "p",
            f"One mark per edge ({KINDS[answers.kind]}). Above the dotted diagonal, the vertical method is more "
            "confident. Dashed lines: thresholds that keep as many edges as the method's graphs have on average.",
        ),
    )


def the_network(network: AveragedNetwork, study: Study, answers: TwoAnswers) -> Markup:
    """The averaged network of the method that answers *found again*."""
    edges, title = counted(len(network.edges), "edge"), TITLES[answers.method]
    text = f"{edges} whose pair is joined in {percent(network.threshold)} or more of the "
    text += f"graphs of the {title}, each in its more frequent direction. Stronger edges are thicker and darker. This "
    text += "says which edges would be found again, not which are real."
    if network.left_out:
        left_out = "; ".join(f"{parent} → {child}" for parent, child in network.left_out)
        text += f" Left out, since they would close a cycle: {left_out}."
    picture = tag("figure", network_picture(network, study.reference.names), class_="network")
    return section("Network", picture, tag("p", text))


def the_edges(study: Study, answers: TwoAnswers) -> Markup:
    """Every edge with both numbers, and the confidences of the two bootstraps."""
    edges = all_answers(study, answers)
    place = {name: v for v, name in enumerate(answers.names)}
    listed = each_once(answers.shown(_LEAST), answers.kind)
    kept = [bool(listed[place[a], place[b]]) for a, b in zip(edges["parent"], edges["child"], strict=True)]
    edges = edges[kept]
    heads = ["Edge", f"Found again: {TITLES[answers.method]}"]
    heads += ["Real: posterior", "± Monte Carlo"] if answers.known else []
    both = [key for key in ("boot", "boot_bc") if key in study.ensembles]
    heads += [*(LABELS[key] for key in both), "Learned from the data"]
    rows = []
    for line in edges.head(_MOST_LISTED).to_dict(orient="records"):
        row: list[str] = [f"{line['parent']} {JOINS[answers.kind]} {line['child']}"]
        row.append(number(line["found_again"], f"{line['found_again']:.2f}"))
        if answers.known:
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
    """What each number means, and what it does not."""
    terms = (joined([tag("dt", name), tag("dd", meaning)]) for name, meaning in MEANINGS)
    return section("What each number means, and what it does not", tag("dl", *terms))


def how_to_repeat(experiment: Experiment, data: Dataset) -> Markup:
    """The command and the script that give the same numbers."""
    script = experiment.python() + python_real(experiment, data)
    parts = [tag("h3", "On the command line"), tag("pre", tag("code", command_line(experiment, "report")))]
    parts += [tag("h3", "In Python"), tag("pre", tag("code", script), id="python")]
    if experiment.data.source == "file":
        parts.append(tag("p", f"Both read the file {experiment.data.name} in the folder where they are run."))
    return section("Repeat this", *parts)


def key_to_colours(study: Study) -> Markup:
    """The colour of each method."""
    drawn = (tag("span", f"■ {LABELS[key]}", style=f"color:{color(key)}") for key in study.keys)
    return tag("p", *drawn, class_="key")
