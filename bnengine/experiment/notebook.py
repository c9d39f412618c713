"""What a notebook shows of a result: a sentence, a picture or a table, from the parts of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.display import counted, percent, plus_minus, short
from bnengine._core.environment import pd
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble
from bnengine.bootstrap.resampling_methods import JOINS, LABELS, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import CountedDataset, Dataset
from bnengine.experiment.edge_explanation import EdgeExplanation
from bnengine.experiment.edge_summary import TwoAnswers
from bnengine.experiment.html_report import Markup, histogram, joined, svg_of, table, tag
from bnengine.experiment.report_sentences import variables_in_words, verdict_in_words
from bnengine.experiment.verdict import Verdict
from bnengine.graphs.dag import Adjacency, edge_frame
from bnengine.posterior import EdgePosterior, SampledPosterior
from bnengine.scores.dependence import Missingness
from bnengine.search import LearnedGraph

_MOST_ROWS = 12
_MOST_DRAWN = 100  # variables; Graphviz takes seconds for more
_MOST_NAMED = 3
_LEAST = 0.01  # edges of less probability are not listed


def html_of(result: Any) -> Markup:
    """Write the HTML of a result; names in it are escaped."""
    shown = next(show for kind, show in _SHOWN.items() if isinstance(result, kind))
    return tag("div", *shown(result))


def _graph(graph: LearnedGraph) -> list[Markup]:
    told = (
        f"{counted(len(graph.edges), 'edge')} over {counted(len(graph.names), 'variable')}; score {_nats(graph.score)}"
    )
    return [_said(f"{told}. {_how_far(graph)}"), _picture(graph.names, graph.adjacency)]


def _how_far(graph: LearnedGraph) -> str:
    """How far the space was explored, and what is known of better graphs."""
    explored = f"{graph.n_evaluations:,} families scored"
    if graph.status == "optimal":
        return f"Proved to be the highest; {explored}."
    ends = {
        "converged": "The search converged",
        "max_iterations": "The search reached its limit of steps before it converged",
        "stopped": "The search was stopped",
    }[graph.status]
    if graph.bound is None:
        return f"{ends}; {explored}. That no graph has a higher score is not proved; bn.certify bounds it."
    return f"{ends}; {explored}. No graph has a score above {_nats(graph.bound)}."


def _nats(score: float) -> str:
    return f"{score:,.2f} nats".replace("-", "−")


def _ensemble(ensemble: Ensemble) -> list[Markup]:
    learned = counted(len(ensemble.reference.edges), "edge")
    told = f"{counted(ensemble.n_graphs, 'graph')} by the {ensemble.resampler}"
    told += f" (correction: {ensemble.correction}), {ensemble.score}, {ensemble.search}: "
    told += (
        f"{plus_minus(ensemble.mean_edges, ensemble.sd_edges)} edges; the graph learned from the data has {learned}."
    )
    if ensemble.status == "stopped":
        told += f" Stopped after {ensemble.n_graphs:,} of {ensemble.n_planned:,}."
    about = "Confidence: the share of these graphs that have the edge. It estimates how often the edge would be found "
    about += "again, not whether it is real."
    titles = {
        "confidence": "Confidence",
        "adjacency_confidence": "In either direction",
        "in_data_graph": "Learned from the data",
    }
    return [_said(told), _edges(ensemble.table(), titles), _said(about)]


def _study(study: Study) -> list[Markup]:
    rows = []
    for line, key in zip(study.table1().itertuples(), study.keys, strict=True):
        picture = histogram(study, key) if key in study.ensembles else Markup("")
        rows.append((LABELS[key], plus_minus(line.mean, line.sd), f"{line.replicates:,}", picture))
    shown = table(("Method", "Edges, mean ± sd", "Replicates", "Distribution"), rows)
    return [_said("Number of edges by method (Table 1)."), shown, *_stopped(study.status)]


def _posterior(posterior: EdgePosterior | SampledPosterior) -> list[Markup]:
    columns = {"probability": posterior.probability}
    titles = {"probability": posterior.weight.title.capitalize(), "error": "± Monte Carlo"}
    told = "Summed exactly over all orderings: the probabilities have no Monte Carlo error."
    if isinstance(posterior, SampledPosterior) and not posterior.is_exact:
        columns["error"] = posterior.error
        told = (
            f"Averaged over {counted(posterior.n_draws, 'draw')} of the missing cells; errors cover their differences."
        )
    if isinstance(posterior, SampledPosterior) and posterior.method != "exact" and not posterior.n_draws:
        told = f"Sampled by {counted(posterior.n_chains, 'chain')} of {posterior.n_steps:,} moves; "
        told += f"chains differ by at most {short(posterior.between_chains)} in the probability of an edge."
    listed = _frame(posterior.names, columns, posterior.probability > _LEAST, "probability")
    about = (
        "It answers whether an edge is real, under the prior; how often it would be found again, an ensemble answers."
    )
    warning = getattr(posterior, "warning", None)
    said = [_said(f"Warning: {warning.rstrip('.')}.")] if warning else []
    return [
        _said(f"{posterior.score}. {told}"),
        *said,
        _edges(listed, titles),
        _said(about),
        *_stopped(posterior.status),
    ]


def _answers(answers: TwoAnswers) -> list[Markup]:
    titles = {
        "found_again": f"Found again: {TITLES[answers.method]}",
        "found_again_error": "±",
        "real": "Real: posterior",
        "real_error": "± Monte Carlo",
        "in_data_graph": "Learned from the data",
    }
    return [_edges(answers.table(_LEAST), titles, JOINS[answers.kind])]


def _verdict(found: Verdict) -> list[Markup]:
    lines = found.table().itertuples()
    joins = {"settled": JOINS["directed"], "open": JOINS["adjacency"]}
    rows = [
        (f"{one.parent} {joins[str(one.direction)]} {one.child}", one.verdict, found.sentence(one.parent, one.child))
        for one in lines
    ]
    shown, rest = table(("Edge", "Verdict", "In words"), rows[:_MOST_ROWS]), len(rows) - _MOST_ROWS
    more = [_said(f"… and {counted(rest, 'more adjacency')}: to_frame().")] if rest > 0 else []
    return [_said(verdict_in_words(found)), shown, *more]


def _edge(told: EdgeExplanation) -> list[Markup]:
    return [_said(text) for text in (f"{told.parent} – {told.child}", *told.sentences.values())]


def _network(network: AveragedNetwork) -> list[Markup]:
    told = (
        f"{counted(len(network.edges), 'edge')} whose pair has a strength of {short(network.threshold)} or more, each "
    )
    told += "in its more frequent direction. Stronger edges are thicker and darker."
    if network.left_out:
        told += f" Left out, since they would close a cycle: {'; '.join(f'{a} → {b}' for a, b in network.left_out)}."
    return [_said(told), _picture(network.names, network.adjacency, network.strength)]


def _dataset(data: Dataset) -> list[Markup]:
    times = data.recorded[1]
    holes = 0 if data.holes is None else int((data.holes.sum(axis=1) * (1 if times is None else times)).sum())
    told = f"{counted(data.n_rows, 'row')} of {counted(data.n_variables, 'variable')}, "
    told += f"{counted(holes, 'missing cell') if holes else 'no cell missing'}."
    if data.experiments is not None:
        was_set = [n for targets, n in zip(data.targets, data.rows_of_experiments.tolist(), strict=True) if targets]
        told += f" Experiments set variables in {counted(sum(was_set), 'row')}."
    words = variables_in_words(data)
    more = [_said(f"… and {counted(len(words) - _MOST_ROWS, 'more variable')}.")] if len(words) > _MOST_ROWS else []
    return [_said(told), table(("Variable", "Number of states", "States"), words[:_MOST_ROWS]), *more]


def _missingness(found: Missingness) -> list[Markup]:
    holed = found.to_frame().query("missing > 0").sort_values("missing", ascending=False, kind="stable")
    told = f"{counted(int(found.missing.sum()), 'missing cell')} in {counted(len(holed), 'variable')}"
    told += f" and {counted(found.n_rows - found.n_complete, 'row')} of {found.n_rows:,}."
    rows = [
        (one.variable, f"{one.missing:,}", percent(one.share), one.depends_on)
        for one in holed.head(_MOST_ROWS).itertuples()
    ]
    shown = table(("Variable", "Missing", "Share", "More often or seldom by"), rows)
    said = [*found.uses().values(), *(f"{one.sentence}." for one in found.depends[:_MOST_NAMED])]
    return [_said(told), shown, *(_said(text) for text in said)] if len(holed) else [_said("No cell is missing.")]


def _calibration(found: Calibration) -> list[Markup]:
    told = (
        f"{counted(found.n_tables, 'table')} of {counted(found.n_rows, 'row')}, {found.score}, {found.search}; π from "
    )
    told += f"{counted(found.n_fresh, 'fresh table')}. Sampling noise alone: Σ |p − π| = {short(found.floor)} edges."
    rows = [
        (LABELS[line.method], *(plus_minus(getattr(line, name), getattr(line, f"{name}_se")) for name in _MEASURES))
        for line in found.table().itertuples()
    ]
    return [_said(told), table(("Method", *_MEASURES.values()), rows), *_stopped(found.status)]


_MEASURES = {"edges": "Edges", "total_absolute_error": "Found again: Σ |p − π|, edges", "brier": "Real: Brier score"}


def _said(text: str) -> Markup:
    return tag("p", text)


def _stopped(status: str) -> list[Markup]:
    return [_said("Stopped before the end.")] if status == "stopped" else []


def _picture(names: tuple[str, ...], adjacency: Adjacency, strength: npt.NDArray[np.float64] | None = None) -> Markup:
    """Draw the graph as SVG, or its edges as text where it cannot be drawn."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(adjacency)]
    if len(names) > _MOST_DRAWN:
        return _said(f"Graphs of more than {_MOST_DRAWN} variables are not drawn here; plot() draws them.")
    try:
        return svg_of(names, {edge: None if strength is None else float(strength[edge]) for edge in edges})
    except ModuleNotFoundError as missing:
        return joined([_said("; ".join(f"{names[i]} → {names[j]}" for i, j in edges)), _said(f"{missing}.")])


def _frame(
    names: tuple[str, ...], columns: Mapping[str, npt.NDArray[np.float64]], shown: Adjacency, by: str
) -> pd.DataFrame:
    frame = edge_frame(names, shown, **columns)
    return frame.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _edges(frame: pd.DataFrame, titles: Mapping[str, str], join: str = JOINS["directed"]) -> Markup:
    """Write the first rows of a table of edges."""
    columns = [name for name in titles if name in frame]
    rows = [
        (f"{line['parent']} {join} {line['child']}", *(_cell(line[name]) for name in columns))
        for line in frame.head(_MOST_ROWS).to_dict("records")
    ]
    listed = table(("Edge", *(titles[name] for name in columns)), rows)
    rest = len(frame) - _MOST_ROWS
    return joined([listed, _said(f"… and {counted(rest, 'more edge')}: to_frame().")] if rest > 0 else [listed])


def _cell(value: float | bool) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    return f"{value:.2f}" if value >= 0.01 or not value else short(value, 1)


_SHOWN: dict[type | tuple[type, ...], Callable[[Any], list[Markup]]] = {
    LearnedGraph: _graph,
    Ensemble: _ensemble,
    Study: _study,
    (EdgePosterior, SampledPosterior): _posterior,
    TwoAnswers: _answers,
    Verdict: _verdict,
    EdgeExplanation: _edge,
    AveragedNetwork: _network,
    (Dataset, CountedDataset): _dataset,
    Calibration: _calibration,
    Missingness: _missingness,
}
