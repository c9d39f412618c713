"""What a paper needs of a run, as one ZIP: figures, tables, a methods paragraph with its references, scripts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bnengine._core.display import counted, short
from bnengine._core.environment import versions
from bnengine._core.settings import tag_of
from bnengine.answers.one_of_several import several_frame
from bnengine.answers.views import NetworkView, with_methods
from bnengine.bootstrap.resampling_methods import RESAMPLING_METHODS, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.archives import SessionFile
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.r_script import TREATED
from bnengine.posterior import EdgePosterior
from bnengine.posterior.result import PRIOR_OF_REAL
from bnengine.report import report_sentences as words
from bnengine.report.html_report import html_report, printed, view_of


def paper_kit(
    experiment: Experiment,
    data: Dataset,
    study: Study,
    posterior: EdgePosterior | None = None,
    view: NetworkView | None = None,
    file: bytes | None = None,
) -> bytes:
    """Pack what a paper needs of a run into a zip archive that opens as a session, too.

    It holds the network, Figure 1 and both answers as SVG and PDF; Table 1 and the edges as CSV; a methods
    paragraph as text and LaTeX with its references; the report; ``repeat.py`` and ``repeat.R``; and the data if their
    file is given.

    Parameters
    ----------
    experiment : Experiment
    data : Dataset
        The experiment's data.
    study : Study
        The experiment's result, ``experiment.run(data)``.
    posterior : EdgePosterior, optional
        The answer to *is it real?*
    view : NetworkView, optional
        The network in the picture, whose edges the table has; by default as in the report.
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
    view = view or view_of(experiment, data, study, posterior)
    pictures: dict[str, Any] = {"network": view} if view.shown.any() else {}
    if view.found.has_posterior:
        pictures["two_answers"] = view.found.answers
    text, sources = methods_paragraph(experiment, data, study, view, posterior)
    documents = {
        "report.html": html_report(experiment, data, study, posterior, view).encode(),
        "methods.txt": f"{text}\n\n{chr(10).join(one.listed for one in sources)}\n".encode(),
        "methods.tex": f"{_cited(text, sources)}\n".encode(),
        "references.bib": "\n".join(one.bibtex for one in sources).encode(),
    }
    for suffix in ("svg", "pdf"):
        documents[f"figure1.{suffix}"] = printed(study, suffix, kind=experiment.kind)
        documents |= {f"{name}.{suffix}": printed(one, suffix) for name, one in pictures.items()}
    tables = {"table1": study.table1().reset_index(), "edges": with_methods(view.table(), study)}
    if view.found.several:
        tables["one_of_several"] = several_frame(view.found.several)
    if file is not None or experiment.data.source != "file":
        tables[TREATED.removesuffix(".csv")] = data.to_frame()
    if view.short:
        tables["short_names"] = view.short_names
    script = words.python_edges(experiment, data, view).removeprefix(experiment.python())
    return SessionFile(experiment, file, tables, documents, script, treated=data).to_bytes()


# The methods paragraph: settings, versions and citations, in one text from which both forms are made.


def methods_paragraph(
    experiment: Experiment, data: Dataset, study: Study, view: NetworkView, posterior: EdgePosterior | None = None
) -> tuple[str, tuple[Source, ...]]:
    """Write what was done, as a paper's methods section says it, and return the sources that it names."""
    sources: list[Source] = []

    def cited(what: str, which: str) -> str:
        """Name what the sentence about a score, search, rule, method or posterior cites; it may be nothing."""
        found = [one for one in LITERATURE.values() if f"{what} {which}" in one.cited_for]
        sources.extend(one for one in found if one not in sources)
        return f" ({'; '.join(one.named for one in found)})" if found else ""

    program, steck = versions(), LITERATURE["steck2003"]
    parts = [
        *words.data_in_sentences(experiment.data, data),
        f"The graph maximizes {experiment.score.name}{cited('score', tag_of(experiment.score))}, as far as "
        f"found by {experiment.search.name}{cited('search', tag_of(experiment.search))}"
        f"{words.at_most(experiment)}.",
    ]
    if held := words.constraints_in_words(dataclasses.replace(experiment.constraints, max_parents=None)):
        listed = ", ".join(f"{label[0].lower()}{label[1:]} ({value})" for label, value in held)
        parts.append(f"Constraints held in every graph: {listed}.")
    of = words.corrected_by(experiment)
    resampled = [
        f"{TITLES[key]}{cited('method', key)}, {counted(_n_replicates(study, key), 'replicate')}"
        + (f", with a correction{of}" if of and RESAMPLING_METHODS[key].correction == "leading" else "")
        for key in study.ensembles
        if key != "data"
    ]
    parts.append(f"The graph was learned anew from replicates of the data: {'; '.join(resampled)}.")
    parts.append(
        "Found again is the estimated share of fresh tables of this size from which the same search would learn the "
        f"edge, by the {TITLES[view.found.answers.method]}; the bias of naive bootstrap confidence is described by "
        f"{steck.named}."
    )
    sources.extend([steck] if steck not in sources else [])
    if posterior is not None:
        how = "summed exactly over all orderings" if posterior.method == "exact" else (
            "sampled by Markov chains over orderings"
        )  # fmt: skip
        how += f", and averaged over {posterior.n_draws} draws of the missing cells" if posterior.n_draws else ""
        n, named = posterior.n_bags, "called found again and real"
        if view.found.noise_sentences:
            named = "listed, but not called found again and real,"
        resamples = f" and of those in {counted(n, 'resample')} of as many and {n:,} of twice as many rows, there with "
        mean = f"the mean of its posterior probability{resamples}half a nat less for each free parameter, all"
        parts += [
            "Real is how probably an edge is in the network that the data came from: "
            f"{mean if n else 'its posterior probability, the mean of those'} {words.under_in_words(data)} and "
            f"{PRIOR_OF_REAL}; posteriors were {how}{cited('posterior', posterior.method)}.",
            f"An edge is {named} if both numbers are above one half, doubtful if only the first is; "
            "if only the second is, there is too little data; where the interval of the second, or its values under "
            f"{'both representations' if data.numbers else 'the two priors'}, lie on both sides of one half, the data "
            "cannot say"
            f"{'; an edge that constraints require has no verdict' if view.found.required.any() else ''}.",
        ]
    if view.found.noise is not None:
        parts += [view.found.noise.summary, *view.found.noise_sentences]
    parts += [view.found.preparation_sentence] if view.found.preparation_sentence else []
    parts.append(
        "Its direction is called settled if at least three quarters of the graphs that join the pair belong to "
        "equivalence classes that have it in this direction only."
    )
    if view.threshold is not None:
        method, at = view.found.answers.method, view.threshold
        rule, network = words.rule_of(experiment, study, method, at), study.averaged(method, at, "adjacency")
        parts.append(
            f"An edge was kept if a share of {short(at)} or more of the replicates join the pair "
            f"({words.why_threshold(rule)}){cited('rule', rule)}. "
            f"{words.stability_in_words(network, _n_replicates(study, method))}"
        )
    packages = ", ".join(f"{name} {number}" for name, number in program.items() if name not in ("bnengine", "python"))
    parts.append(
        f"Computed with bnengine {program['bnengine']} (Python {program['python']}; {packages}); "
        f"seed {experiment.seed}."
    )
    return " ".join(parts), tuple(sources)


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


# The literature that a methods section cites: by score, search, rule of the threshold, method and posterior.


@dataclasses.dataclass(frozen=True)
class Source:
    """A publication: its key, what a list of references says, and which scores, searches, … it is cited for."""

    key: str
    authors: str
    year: int
    title: str
    where: str
    cited_for: Sequence[str]

    @property
    def named(self) -> str:
        """Authors and year, as in a sentence: Steck & Jaakkola 2003."""
        families = [author.split(",")[0] for author in self.authors.split(" and ")]
        first = f"{families[0]} et al." if len(families) > 2 else " & ".join(families)
        return f"{first} {self.year}"

    @property
    def listed(self) -> str:
        """One line of a list of references."""
        return f"{self.authors.replace(' and ', '; ')} ({self.year}). {self.title}. {self.where}."

    @property
    def bibtex(self) -> str:
        """The entry of a BibTeX file."""
        fields = {"author": self.authors, "year": self.year, "title": f"{{{self.title}}}", "howpublished": self.where}
        lines = "".join(f"  {name} = {{{_tex(str(value))}}},\n" for name, value in fields.items())
        return f"@misc{{{self.key},\n{lines}}}\n"


def _tex(text: str) -> str:
    return text.replace("&", r"\&").replace("–", "--").replace("ä", r"{\"a}")


#: All publications, by their keys.
LITERATURE = {
    key: Source(key, **about)
    for key, about in json.loads(Path(__file__).with_name("literature.json").read_text(encoding="utf-8")).items()
}
