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
from bnengine._core.templates import template
from bnengine.answers.one_of_several import several_frame
from bnengine.answers.views import NetworkView, with_methods
from bnengine.bootstrap.resampling_methods import RESAMPLING_METHODS, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.archives import SessionFile
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.r_script import TREATED, one_line
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
    sources: dict[str, Source] = {}

    def cited(what: str, which: str, form: str = " ({})") -> str:
        """Name what the sentence about a score, search, rule, method or posterior cites; it may be nothing."""
        found = {key: one for key, one in LITERATURE.items() if f"{what} {which}" in one.cited_for}
        sources.update(found)
        return form.format("; ".join(one.named for one in found.values())) if found else ""

    text = template(Path(__file__).with_name("methods.j2"), short=short, tag=tag_of).render(
        words=words,
        experiment=experiment,
        data=data,
        study=study,
        found=view.found,
        method=view.found.answers.method,
        threshold=view.threshold,
        posterior=posterior,
        cited=cited,
        counted=counted,
        constraints=words.constraints_in_words(dataclasses.replace(experiment.constraints, max_parents=None)),
        methods=RESAMPLING_METHODS,
        titles=TITLES,
        prior_of_real=PRIOR_OF_REAL,
        versions=versions(),
    )
    return " ".join(filter(None, text.split("\n"))), tuple(sources.values())


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
    "ä": r"{\"a}",
}  # fmt: skip


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it; a control character becomes a space."""
    return "".join(_SPECIAL.get(letter, letter) for letter in one_line(text))


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
        fields = {"author": self.authors, "year": str(self.year), "title": self.title, "howpublished": self.where}
        written = {name: escaped(text) for name, text in fields.items()}
        written["title"] = f"{{{written['title']}}}"  # in braces, it keeps its capitals
        lines = "".join(f"  {name} = {{{text}}},\n" for name, text in written.items())
        return f"@misc{{{self.key},\n{lines}}}\n"


#: All publications, by their keys.
LITERATURE = {
    key: Source(key, **about)
    for key, about in json.loads(Path(__file__).with_name("literature.json").read_text(encoding="utf-8")).items()
}
