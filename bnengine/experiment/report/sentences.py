"""What a run found, in sentences; and what its numbers mean and do not mean."""

from __future__ import annotations

from collections.abc import Callable

from bnengine._core.number_text import counted, short
from bnengine.bootstrap.edge_kinds import each_once
from bnengine.bootstrap.method_names import KIND, TITLES
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.real import ends_sentence
from bnengine.experiment.report.settings_in_words import at_most
from bnengine.experiment.two_answers import TwoAnswers, quadrants
from bnengine.posterior import SampledPosterior

_ALIKE = 0.05  # edges

#: What each number means, and what it does not.
MEANINGS = (
    (
        "Found again (π)",
        "The estimated share of fresh tables of this size from which the same search with the same score would learn "
        "the edge. It is a property of the search and of the sample size. It is not the probability that the edge is "
        "real: a search may find the same false edge in most tables, and miss a real one in most.",
    ),
    (
        "Real",
        "The posterior probability that the edge is in the network that the data came from, averaged over graphs under "
        "the fNML score with a prior uniform over parent-set sizes, whatever the score and the search of the run. It "
        "assumes that such a network exists, that no common cause was left unmeasured and that the rows are "
        "independent. It does not say that the parent causes the child: the data cannot tell the directions of "
        "equivalent graphs apart. fNML does not score such graphs alike; where a direction is open, only the "
        f"probabilities of both directions together tell something about the network. {ends_sentence()}",
    ),
    (
        "Naive and corrected confidence",
        "Shares of bootstrap replicates with the edge. Replicates contain dependence that the data do not, so the "
        "naive bootstrap learns too many edges; the correction removes the leading term of this bias (Steck & Jaakkola "
        "2003). A less biased confidence does not make a better network: Broom, Do & Subramanian (2012) report worse "
        "learning with the correction on ALARM and INSURANCE.",
    ),
)


def findings(
    experiment: Experiment, data: Dataset, study: Study, answers: TwoAnswers, posterior: SampledPosterior | None
) -> list[str]:
    """The sentences on top of the report."""
    told = [numbers_of_edges(experiment, data, study, experiment.data.title), found_again(answers)]
    if answers.known:
        counts = answers.counts()
        parts = [f"{counts[key]:,} {name}" for key, name in list(quadrants(answers.kind).items())[:3]]
        told.append(f"By both numbers, each above one half: {'; '.join(parts)}.")
    else:
        told.append("The posterior was not computed: nothing is said here about which edges are real.")
    if study.status == "stopped":
        done = ", ".join(f"{TITLES[key]} {one.n_graphs} of {one.n_planned}" for key, one in study.ensembles.items())
        told.append(f"The run was stopped early; replicates done: {done}.")
    if posterior is not None:
        told.append(how_real(posterior))
    if posterior is not None and posterior.warning:
        told.append(f"In the posterior, {posterior.warning}.")
    return told


def how_real(posterior: SampledPosterior) -> str:
    """Whether the posterior was summed exactly or sampled, and what its errors cover."""
    if posterior.method == "exact":
        return "The posterior was summed exactly over all orderings of the variables: its probabilities have no error."
    return (
        f"The posterior was sampled by {posterior.n_chains} chains over orderings of the variables: its errors cover "
        "what chains with different starts and candidate parents differ in, not what all of them miss."
    )


def numbers_of_edges(experiment: Experiment, data: Dataset, study: Study, title: str) -> str:
    """The number of edges learned from the data of that title, and the differences of the bootstraps."""
    given, many = study.mean_edges("data"), "data" in study.ensembles
    edges = f"{counted(given, 'edge')}{' on average' if many else ''}"
    text = f"The {'graphs' if many else 'graph'} learned from {title} ({counted(data.n_rows, 'row')}, "
    text += f"{experiment.score.name}{at_most(experiment)}) {'have' if many else 'has'} {edges}"
    for key, start in (("boot", "; the naive bootstrap finds"), ("boot_bc", ", the corrected bootstrap")):
        if key in study.ensembles:
            text += f"{start} {_more_or_fewer(study.mean_edges(key) - given)}"
    return f"{text}."


def found_again(answers: TwoAnswers, strong: Callable[[str], str] = str) -> str:
    """The number of edges that would be found again, and how many of them are more likely real than not.

    ``strong`` writes a number that is to stand out.
    """
    n = int(each_once(answers.found_again > 0.5, answers.kind).sum())
    edges = counted(n, KIND[answers.kind]) if n else f"No {KIND[answers.kind]}"
    text = f"{strong(edges)} would be found again in more than half of fresh tables ({TITLES[answers.method]})"
    counts = answers.counts()
    if not counts or not n:
        return f"{text}."
    real = counts[True, True]
    if n == 1:
        return f"{text}; it is {strong('more' if real else 'no more')} likely real than not (posterior)."
    of_them = f"{real:,}" if real else "none"
    return f"{text}; {strong(of_them)} of them {'is' if real <= 1 else 'are'} more likely real than not (posterior)."


def _more_or_fewer(difference: float) -> str:
    if abs(difference) < _ALIKE:
        return "as many"
    return f"{short(abs(difference))} {'more' if difference > 0 else 'fewer'}"
