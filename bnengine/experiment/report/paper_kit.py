"""What a paper needs of a run, as one ZIP: figures, tables, a methods paragraph with its references, scripts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

import pandas as pd

from bnengine._core.display import Printable, counted, plus_minus, short
from bnengine._core.versions import versions
from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.resampling_methods import JOINS, LABELS, TITLES, first_shown
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.default_posterior import python_real
from bnengine.experiment.edge_summary import TwoAnswers, all_answers, two_answers
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.r_script import TREATED
from bnengine.experiment.report.citations import STECK, Source, of_method, of_posterior, of_rule, of_score, of_search
from bnengine.experiment.report.document import html_report, threshold_of
from bnengine.experiment.report.sentences import (
    at_most,
    rule_of,
    stability_in_words,
    treatment_in_words,
    why_threshold,
)
from bnengine.experiment.session_file import SessionFile
from bnengine.experiment.verdict import verdict
from bnengine.posterior import SampledPosterior

#: Widths of a picture in print, mm: a page's, and wider ones for networks whose labels would be too small there.
_WIDTHS = (175.0, 350.0, 700.0)
_VECTOR = ("svg", "pdf")
_LISTED = 0.5  # edges that reach it by one number are in the LaTeX table


def paper_kit(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    posterior: SampledPosterior | None = None,
    threshold: float | None = None,
    file: bytes | None = None,
) -> bytes:
    """Pack what a paper needs of a run into a zip archive that opens as a session, too.

    It holds Figure 1, the network, the verdict on each adjacency and both answers as SVG and PDF; Table 1 and the
    edges as CSV and LaTeX; a methods
    paragraph as text and LaTeX with its references; the report; ``repeat.py`` and ``repeat.R``; and the data if their
    file is given.

    Parameters
    ----------
    experiment : Experiment
    data : Dataset
        The experiment's data.
    study : Study
        The experiment's result, ``experiment.run(data)``.
    posterior : SampledPosterior, optional
        The answer to *is it real?*
    threshold : float, optional
        Of the network's strengths; by default as in the report.
    file : bytes, optional
        The file of the data as it was uploaded. Bundled data come with the program.

    Raises
    ------
    ValueError
        If the study has no replicates, or the file is not the one that the experiment names.

    Examples
    --------
    >>> import bnengine as bn
    >>> methods = ("bootstrap", "bootstrap_corrected")
    >>> experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=100, seed=1), n=5, methods=methods)
    >>> data = experiment.load()
    >>> content = paper_kit(experiment, data, experiment.run(data))
    >>> bn.settings.SessionFile.from_bytes(content).experiment == experiment
    True
    """
    keys = [key for key in study.ensembles if key != "data"]
    if not keys:
        raise ValueError("study has no replicates of a resampling method; name some in the experiment's methods")
    method = str(experiment.averaged if experiment.averaged in keys else first_shown(keys))
    answers = two_answers(study, method, experiment.kind, posterior)
    at = threshold_of(experiment, study, method) if threshold is None else threshold
    edges, counts, network = all_answers(study, answers), study.table1(), study.averaged(method, at, experiment.kind)
    pictures: dict[str, tuple[Printable, dict[str, object]]] = {
        "figure1": (study, {"kind": experiment.kind}),
        "network": (network, {}),
    }
    judged = verdict(study, method, posterior, experiment.constraints)
    if judged.drawn.any():
        pictures["verdict"] = (judged, {})
    if answers.known:
        pictures["two_answers"] = (answers, {})
    text, sources = methods_paragraph(experiment, data, study, answers, network, posterior)
    documents = {
        "report.html": html_report(experiment, data, study, posterior, at).encode(),
        "table1.tex": _table1_tex(study, counts).encode(),
        "edges.tex": _edges_tex(edges, answers).encode(),
        "methods.txt": f"{text}\n\n{chr(10).join(one.listed for one in sources)}\n".encode(),
        "methods.tex": f"{_cited(text, sources)}\n".encode(),
        "references.bib": "\n".join(one.bibtex for one in sources).encode(),
    }
    documents |= {f"{name}.{kind}": _printed(*drawn, kind) for name, drawn in pictures.items() for kind in _VECTOR}
    tables = {"table1": counts.reset_index(), "edges": edges}
    if file is not None or experiment.data.source != "file":
        tables[TREATED.removesuffix(".csv")] = data.to_frame()
    return SessionFile(experiment, None, tables, file, documents, python_real(experiment, data)).to_bytes()


def _printed(result: Printable, choices: dict[str, object], kind: str) -> bytes:
    """Draw a result as wide as its labels need."""
    for width in _WIDTHS:
        buffer = io.BytesIO()
        try:
            result.save_picture(buffer, width=width, suffix=kind, **choices)
        except ValueError:
            if width == _WIDTHS[-1]:
                raise
            continue
        break
    return buffer.getvalue()


# The methods paragraph: settings, versions and citations, in one text from which both forms are made.


def methods_paragraph(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    answers: TwoAnswers,
    network: AveragedNetwork,
    posterior: SampledPosterior | None = None,
) -> tuple[str, tuple[Source, ...]]:
    """Write what was done, as a paper's methods section says it, and return the sources that it names."""
    sources: list[Source] = []

    def cited(found: Iterable[Source]) -> str:
        found = [one for one in found if one is not None]
        sources.extend(one for one in found if one not in sources)
        return f" ({'; '.join(one.named for one in found)})" if found else ""

    recipe, program = experiment.data, versions()
    source = f"{recipe.title} ({counted(data.n_rows, 'row')}, {counted(data.n_variables, 'discrete variable')})"
    said = [] if recipe.source == "network" else treatment_in_words(recipe)
    treated = [f"{label.lower()}: {value[:1].lower()}{value[1:]}" for label, value in said if label not in _SOURCE]
    parts = [
        f"A Bayesian network was learned from {source}"
        + (f"; treatment of the data: {'; '.join(treated)}" if treated else "")
        + ".",
        f"The graph maximizes {experiment.score.name}{cited(of_score(experiment))}, as far as found by "
        f"{experiment.search.name}{cited(of_search(experiment))}{at_most(experiment)}.",
    ]
    resampled = [
        f"{TITLES[key]}{cited(of_method(key))}, {counted(_n_replicates(study, key), 'replicate')}"
        for key in study.ensembles
        if key != "data"
    ]
    parts.append(f"The graph was learned anew from replicates of the data: {'; '.join(resampled)}.")
    parts.append(
        f"How often an edge would be found again in a fresh table of this size was estimated by the "
        f"{TITLES[answers.method]}; the bias of naive bootstrap confidence is described by {STECK.named}."
    )
    sources.extend([STECK] if STECK not in sources else [])
    rule = rule_of(experiment, study, answers.method, network.threshold)
    parts.append(
        f"An edge was kept from a share of {short(network.threshold)} of these replicates upwards "
        f"({why_threshold(rule)}){cited(of_rule(rule))}, in its more frequent direction. "
        f"{stability_in_words(network, _n_replicates(study, answers.method))}"
    )
    if posterior is not None:
        how = "summed exactly over all orderings" if posterior.method == "exact" else (
            f"sampled by {posterior.n_chains} chains"
        )  # fmt: skip
        how += f", and averaged over {posterior.n_draws} draws of the missing cells" if posterior.n_draws else ""
        parts.append(
            f"The posterior probability of each edge, under the fNML score and a prior uniform over parent-set sizes, "
            f"was {how}{cited(of_posterior(posterior))}."
        )
    packages = ", ".join(f"{name} {number}" for name, number in program.items() if name not in ("bnengine", "python"))
    parts.append(
        f"Computed with bnengine {program['bnengine']} (Python {program['python']}; {packages}); "
        f"seed {experiment.seed}."
    )
    return " ".join(parts), tuple(sources)


_SOURCE = ("Source", "SHA-256 of the file")  # said otherwise, or of no use to a reader


def _n_replicates(study: Study, key: str) -> int:
    return int(study.ensembles[key].multiplicities.sum())


def _cited(text: str, sources: Sequence[Source]) -> str:
    """Write a paragraph in LaTeX: sources in brackets become citations."""
    made = escaped(text)
    for one in sources:
        made = made.replace(escaped(one.named), rf"\cite{{{one.key}}}")
    return made


# Tables in LaTeX, with the package booktabs.

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "→": r"$\rightarrow$", "–": "--", "±": r"$\pm$", "−": "$-$", "π": r"$\pi$", "½": r"$\tfrac12$", "θ": r"$\theta$",
}  # fmt: skip


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it; a control character becomes a space."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return "".join(_SPECIAL.get(letter, letter) for letter in plain)


def latex_table(caption: str, label: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table: the first column is left-aligned, the others right."""
    lines = [" & ".join(map(escaped, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            "% needs \\usepackage{booktabs,longtable}",
            rf"\begin{{longtable}}{{l{'r' * (len(titles) - 1)}}}",
            rf"\caption{{{escaped(caption)}}}\label{{{label}}}\\",
            r"\toprule",
            " & ".join(map(escaped, titles)) + r" \\",
            r"\midrule",
            r"\endhead",
            *lines,
            r"\bottomrule",
            r"\end{longtable}",
            "",
        ]
    )


def _table1_tex(study: Study, counts: pd.DataFrame) -> str:
    rows = [
        (LABELS[key], plus_minus(float(line["mean"]), float(line["sd"])), f"{int(line['replicates']):,}")
        for key, (_, line) in zip(study.keys, counts.iterrows(), strict=True)
    ]
    caption = "Numbers of edges of the learned graphs, mean ± standard deviation over the replicates."
    return latex_table(caption, "tab:edge-counts", ("Method", "Edges", "Replicates"), rows)


def _edges_tex(edges: pd.DataFrame, answers: TwoAnswers) -> str:
    known = ["found_again", *(["real"] if answers.known else [])]
    shown = edges[(edges[known] >= _LISTED).any(axis=1)]
    titles = ["Edge", "Found again", *(["Real"] if answers.known else [])]
    rows = [
        (f"{line['parent']} {JOINS[answers.kind]} {line['child']}", *(f"{line[name]:.2f}" for name in known))
        for line in shown.to_dict(orient="records")
    ]
    caption = f"Edges for which one of the numbers reaches {_LISTED:g}. Found again: {TITLES[answers.method]}"
    caption += "; real: posterior probability." if answers.known else "."
    return latex_table(caption, "tab:edges", titles, rows)
