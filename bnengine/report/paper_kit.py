"""What a paper needs of a run, as one ZIP: figures, tables, a methods paragraph with its references, scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bnengine._core.display import Displayed, counted, short
from bnengine._core.environment import versions
from bnengine._core.settings import tag_of
from bnengine.answers.edge_answers import EdgeAnswers, with_all_methods
from bnengine.answers.verdict import verdict
from bnengine.bootstrap.ensemble import AveragedNetwork
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.archives import SessionFile
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.learning import python_real
from bnengine.experiment.r_script import TREATED
from bnengine.posterior import EdgePosterior
from bnengine.report.html_report import html_report, printed, shown_results
from bnengine.report.literature import (
    LITERATURE,
    RULES,
    SCORES,
    SEARCHES,
    Source,
    sources_of,
    sources_of_method,
    sources_of_posterior,
)
from bnengine.report.report_sentences import (
    at_most,
    rule_of,
    stability_in_words,
    treatment_in_words,
    why_threshold,
)


def paper_kit(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    posterior: EdgePosterior | None = None,
    threshold: float | None = None,
    file: bytes | None = None,
) -> bytes:
    """Pack what a paper needs of a run into a zip archive that opens as a session, too.

    It holds Figure 1, the network, the verdict on each adjacency and both answers as SVG and PDF; Table 1 and the
    edges as CSV; a methods paragraph as text and LaTeX with its references; the report; ``repeat.py`` and ``repeat.R``;
    and the data if their file is given.

    Parameters
    ----------
    experiment : Experiment
    data : Dataset
        The experiment's data.
    study : Study
        The experiment's result, ``experiment.run(data)``.
    posterior : EdgePosterior, optional
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
    answers, network = shown_results(experiment, study, posterior, threshold)
    edges, counts = with_all_methods(study, answers), study.table1()
    pictures: dict[str, Displayed] = {"network": network}
    judged = verdict(study, answers.method, posterior, experiment.constraints)
    if judged.drawn.any():
        pictures["verdict"] = judged
    if answers.has_posterior:
        pictures["two_answers"] = answers
    text, sources = methods_paragraph(experiment, data, study, answers, network, posterior)
    documents = {
        "report.html": html_report(experiment, data, study, posterior, network.threshold).encode(),
        "methods.txt": f"{text}\n\n{chr(10).join(one.listed for one in sources)}\n".encode(),
        "methods.tex": f"{_cited(text, sources)}\n".encode(),
        "references.bib": "\n".join(one.bibtex for one in sources).encode(),
    }
    for suffix in ("svg", "pdf"):
        documents[f"figure1.{suffix}"] = printed(study, suffix, kind=experiment.kind)
        documents |= {f"{name}.{suffix}": printed(one, suffix) for name, one in pictures.items()}
    tables = {"table1": counts.reset_index(), "edges": edges}
    if file is not None or experiment.data.source != "file":
        tables[TREATED.removesuffix(".csv")] = data.to_frame()
    return SessionFile(experiment, None, tables, file, documents, python_real(experiment, data)).to_bytes()


# The methods paragraph: settings, versions and citations, in one text from which both forms are made.


def methods_paragraph(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    answers: EdgeAnswers,
    network: AveragedNetwork,
    posterior: EdgePosterior | None = None,
) -> tuple[str, tuple[Source, ...]]:
    """Write what was done, as a paper's methods section says it, and return the sources that it names."""
    sources: list[Source] = []

    def cited(found: Iterable[Source]) -> str:
        found = [one for one in found if one is not None]
        sources.extend(one for one in found if one not in sources)
        return f" ({'; '.join(one.named for one in found)})" if found else ""

    recipe, program, steck = experiment.data, versions(), LITERATURE["steck2003"]
    source = f"{recipe.title} ({counted(data.n_rows, 'row')}, {counted(data.n_variables, 'discrete variable')})"
    said = [] if recipe.source == "network" else treatment_in_words(recipe)
    treated = [f"{label.lower()}: {value[:1].lower()}{value[1:]}" for label, value in said if label not in _SOURCE]
    parts = [
        f"A Bayesian network was learned from {source}"
        + (f"; treatment of the data: {'; '.join(treated)}" if treated else "")
        + ".",
        f"The graph maximizes {experiment.score.name}{cited(sources_of(SCORES, tag_of(experiment.score)))}, as far as "
        f"found by {experiment.search.name}{cited(sources_of(SEARCHES, tag_of(experiment.search)))}"
        f"{at_most(experiment)}.",
    ]
    resampled = [
        f"{TITLES[key]}{cited(sources_of_method(key))}, {counted(_n_replicates(study, key), 'replicate')}"
        for key in study.ensembles
        if key != "data"
    ]
    parts.append(f"The graph was learned anew from replicates of the data: {'; '.join(resampled)}.")
    parts.append(
        f"How often an edge would be found again in a fresh table of this size was estimated by the "
        f"{TITLES[answers.method]}; the bias of naive bootstrap confidence is described by {steck.named}."
    )
    sources.extend([steck] if steck not in sources else [])
    rule = rule_of(experiment, study, answers.method, network.threshold)
    parts.append(
        f"An edge was kept from a share of {short(network.threshold)} of these replicates upwards "
        f"({why_threshold(rule)}){cited(sources_of(RULES, rule))}, in its more frequent direction. "
        f"{stability_in_words(network, _n_replicates(study, answers.method))}"
    )
    if posterior is not None:
        how = "summed exactly over all orderings" if posterior.method == "exact" else (
            "sampled by Markov chains over orderings"
        )  # fmt: skip
        how += f", and averaged over {posterior.n_draws} draws of the missing cells" if posterior.n_draws else ""
        parts.append(
            "How probably each edge is real is the mean of its posterior probability and of those in "
            f"{counted(2 * posterior.n_bags, 'resample')} of as many and twice as many rows, there with half a nat "
            "less for each free parameter, all under BDeu(1) and BDeu(10) and a prior uniform over parent-set sizes; "
            f"posteriors were {how}{cited(sources_of_posterior(posterior))}."
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


_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "→": r"$\rightarrow$", "–": "--", "±": r"$\pm$", "−": "$-$", "π": r"$\pi$", "½": r"$\tfrac12$", "θ": r"$\theta$",
}  # fmt: skip


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it; a control character becomes a space."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return "".join(_SPECIAL.get(letter, letter) for letter in plain)
