"""What the views of a network are about, its finding in a sentence, and what may be the matter with its table."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

import bnengine as bn
from bnengine.answers.verdict import Verdict
from bnengine.experiment.states_check import StatesCheck
from bnengine.posterior import EdgePosterior
from bnengine.report.report_sentences import verdict_in_words
from bnengine.scores.evaluation import explain_empty
from bnengine.search.learning import drawn_once
from pages.shared import experiments, in_use
from pages.shared.format import counted, escaped
from pages.shared.keys import Key


@dataclass(frozen=True)
class Run:
    """A study, as far as it is known, with its settings and data, both answers and the verdict."""

    study: bn.Study
    experiment: bn.Experiment
    data: bn.Dataset
    real: EdgePosterior | None
    found: Verdict

    @property
    def graph(self) -> bn.LearnedGraph:
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

    @property
    def rows(self) -> bn.Dataset:
        """The data from which the best-scoring graph was learned."""
        return drawn_once(self.data, self.experiment.seed)

    @property
    def checked(self) -> StatesCheck | None:
        """What is known of the effect of bins and states on the best-scoring graph."""
        return experiments.states_checked(self.experiment, self.data, self.graph)


def headline(
    found: Verdict | None, experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph, whole: bool
) -> str:
    """Say the finding as far as it is known."""
    about = f"{in_use.title()} ({counted(data.n_rows, 'row')}, {escaped(experiment.score.name)})"
    if found is None:
        edges = f"**{counted(len(graph.edges), 'edge')}**" if graph.edges else "**No edge**"
        return f"{edges} learned from {about}: how far can each be trusted?"
    text = f"{about}: {verdict_in_words(found, '**{}**'.format)}"
    return text if whole else f"{text.removesuffix('.')}, so far."


def offers(experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph) -> None:
    """Where the search stopped early, or few edges or none were found, say why, and offer what may help."""
    if graph.status == "max_iterations":
        st.warning("The search reached its limit of steps before it converged. This is the best graph found.")
    checked = experiments.states_checked(experiment, data, graph)
    joined = checked.joined if checked is not None else None
    if joined is not None:
        _offer(
            f"{joined.sentence} The Data page can undo it.",
            "Join the states",
            "join",
            lambda: in_use.set_recipe(joined.recipe),
        )
    if not graph.edges:
        rows = drawn_once(data, experiment.seed)
        st.info(escaped(explain_empty(rows, experiment.full_score, experiment.constraints)))


def _offer(sentence: str, label: str, name: str, do: Callable[[], None]) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=Key.of("offer", name)):
        st.markdown(f":material/build: {escaped(sentence)}", width="stretch")
        if st.button(label, key=Key.of(Key.REPAIR, name)):
            do()
            st.rerun()
