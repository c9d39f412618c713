"""What the views of a network are about, its finding in a sentence, and what may be the matter with its table."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.answers.verdict import Verdict
from bnengine.experiment.many_states import overfitted, sparse_remark
from bnengine.graphs.dag import Adjacency
from bnengine.posterior import EdgePosterior
from bnengine.report.report_sentences import verdict_in_words
from bnengine.scores.evaluation import explain_empty
from bnengine.search.drawn_cells import drawn_once
from bnengine.typing import LearnedGraph, Study
from pages.shared import in_use, show, state
from pages.shared.format import counted, escaped


@dataclass(frozen=True)
class Run:
    """A study, perhaps still partial, with its settings and data, both answers and the verdict."""

    study: Study
    experiment: bn.Experiment
    data: bn.Dataset
    real: EdgePosterior | None
    found: Verdict
    bootstraps_first: bool = False  #: whether the naive and the corrected bootstrap come before *real*

    @property
    def graph(self) -> LearnedGraph:
        """The best-scoring graph."""
        return self.study.reference

    @property
    def method(self) -> str:
        """Key of the method that says what is found again."""
        return self.found.answers.method

    @property
    def methods(self) -> list[str]:
        """Keys of the methods that have replicates."""
        return [key for key in self.study.ensembles if key != "data"]

    @cached_property
    def rows(self) -> bn.Dataset:
        """The data from which the best-scoring graph was learned."""
        return rows_learned_from(self.experiment, self.data)

    @cached_property
    def _called(self) -> Adjacency:
        """Every pair in one direction: the settled one, or the learned one, or that of the columns."""
        return self.found.in_one_direction(np.ones_like(self.found.learned))

    def ends(self, one: str, other: str) -> tuple[str, str]:
        """Return a pair as the verdict calls it."""
        return (one, other) if self._called[self.data.index(one), self.data.index(other)] else (other, one)

    @property
    def reference(self) -> in_use.Reference | None:
        """The network that the data are known to come from, or what was expected."""
        return in_use.reference(self.data.names)

    @property
    def on_draw(self) -> str:
        """What a statement about scores is limited to, where missing cells are drawn; empty otherwise."""
        return " on one draw of the missing cells" if self.data.missing_way == "drawn" else ""


def rows_learned_from(experiment: bn.Experiment, data: bn.Dataset) -> bn.Dataset:
    """Return the data from which the best-scoring graph was learned; missing cells are drawn once a session."""
    if data.missing_way != "drawn":
        return data
    drawn = partial(drawn_once, data, experiment.seed)
    return state.latest("drawn rows", (data.digest, experiment.seed), drawn)  # type: ignore[no-any-return]


def headline(
    found: Verdict | None, experiment: bn.Experiment, data: bn.Dataset, graph: LearnedGraph, whole: bool
) -> str:
    """Say the finding as far as it is known."""
    about = f"{in_use.title()} ({counted(data.n_rows, 'row')}, {escaped(experiment.score.name)})"
    if found is None:
        edges = f"**{counted(len(graph.edges), 'edge')}**" if graph.edges else "**No edge**"
        return f"{edges} learned from {about}: how far can each be trusted?"
    text = f"{about}: {verdict_in_words(found, '**{}**'.format)}"
    return text if whole else f"{text.removesuffix('.')}, so far."


def offers(experiment: bn.Experiment, data: bn.Dataset, graph: LearnedGraph, methods: Collection[str]) -> None:
    """Where the search stopped early, or few edges or none were found, say why, and offer what may help."""
    if sparse := sparse_remark(data, methods):
        show.note(escaped(sparse), "sparse")
    if graph.status == "max_iterations":
        st.warning("The search reached its limit of steps before it converged. This is the best graph found.")
    too_many = overfitted(data, graph.adjacency)
    if too_many:
        st.warning(escaped(too_many))
    if not graph.edges:
        rows = rows_learned_from(experiment, data)
        st.info(escaped(explain_empty(rows, experiment.full_score, experiment.constraints)))
