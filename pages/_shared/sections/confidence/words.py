"""The two answers about an edge in words: which question each number answers, and by which method."""

import math

from bnengine.experiment.real import end_remark, ends_sentence
from bnengine.experiment.two_answers import QUADRANTS, TwoAnswers, quadrants
from pages._shared.figures.methods import JOINS, TITLES
from pages._shared.format import escaped, percent, short

FOUND_AGAIN_HELP = (
    "Would it be found again? Estimate of the inclusion probability π: the share of fresh tables of this size from "
    "which this search with this score would learn the edge."
)
REAL_HELP = (
    "Is it real? Posterior probability that the edge is in the network that the data came from, averaged over graphs "
    "under fNML with a prior uniform over parent-set sizes, whatever your score and search. fNML has no prior over "
    "parameters: its weights are read as probabilities. It does not score equivalent graphs alike: where an edge can "
    "be reversed, only both directions together tell something. " + ends_sentence()
)
ERROR_HELP = (
    "Monte Carlo standard error of the posterior probability: what another run with another seed would change. It "
    "is 0 where the posterior was summed exactly, up to about 24 variables, or constraints decide. It comes from "
    "chains with different starts and candidate parents; it does not cover what all of them miss, nor whether score, "
    "prior and data suit the question."
)
SHARE_ERROR_HELP = "Monte Carlo standard error of the share, from the number of replicates."
_HALF = 0.5
#: What a directed edge is if its variables are adjacent by both answers: then only its direction can be in doubt.
_IN_ONE_DIRECTION = {
    (True, True): QUADRANTS[True, True],
    (True, False): "found again, but its direction is doubtful",
    (False, True): "real, but its direction is not found again",
    (False, False): "neither in this direction",
}


def share(value: float) -> str:
    """A share of tables; one that is neither none nor all is not written as 0% or 100%."""
    if 0 < value < 0.005:
        return "less than 1%"
    if 0.995 <= value < 1:
        return "more than 99%"
    return percent(value)


def probability(value: float, error: float = 0.0) -> str:
    """A probability with its Monte Carlo standard error, if there is one."""
    text = "below 0.01" if value < 0.005 else "above 0.99" if value >= 0.995 else f"{value:.2f}"
    if error <= 0 or math.isnan(error):
        return text
    return f"{text} (± {error:.2f})" if error >= 0.005 else f"{text} (± less than 0.01)"


def edge_sentence(answers: TwoAnswers, i: int, j: int, either: TwoAnswers | None = None) -> str:
    """Both answers about an edge; ``either`` adds those about its adjacency, for a directed edge."""
    text = f"**{name_of(answers, i, j)}**: would be found again in {share(float(answers.found_again[i, j]))} of fresh "
    text += f"tables ({TITLES[answers.method]})"
    if answers.real is None or answers.real_error is None:
        return f"{text}."
    real = probability(float(answers.real[i, j]), float(answers.real_error[i, j]))
    open_direction = either is not None and _quadrant(either, i, j) == (True, True)
    verdict = (_IN_ONE_DIRECTION if open_direction else QUADRANTS)[_quadrant(answers, i, j)]
    text += f"; real with probability {real} (posterior): {verdict}."
    if either is not None and either.real is not None and either.real_error is not None:
        again, both = share(float(either.found_again[i, j])), float(either.real[i, j])
        text += f" In either direction: {again}; {probability(both, float(either.real_error[i, j]))}"
        text += f": {QUADRANTS[_quadrant(either, i, j)]}."
    pair = answers if either is None else either
    if pair.kind == "adjacency" and pair.real is not None:
        text = f"{text} {end_remark(float(pair.real[i, j]))}".rstrip()
    return text


def real_sentence(answers: TwoAnswers, i: int, j: int) -> str:
    """How probably an edge is real; empty without a posterior."""
    if answers.real is None or answers.real_error is None:
        return ""
    real = float(answers.real[i, j])
    text = f"Real with probability {probability(real, float(answers.real_error[i, j]))} (posterior)."
    return f"{text} {end_remark(real)}".rstrip() if answers.kind == "adjacency" else text


def _quadrant(answers: TwoAnswers, i: int, j: int) -> tuple[bool, bool]:
    """Whether an edge is found again, and whether it is real, with a probability above one half."""
    return bool(answers.found_again[i, j] > _HALF), answers.real is not None and bool(answers.real[i, j] > _HALF)


def name_of(answers: TwoAnswers, i: int, j: int) -> str:
    """An edge by its variables' names, safe for Markdown."""
    return f"{escaped(answers.names[i])} {JOINS[answers.kind]} {escaped(answers.names[j])}"


def counts_text(answers: TwoAnswers) -> str:
    """The number of edges in each quadrant but the last."""
    counts = answers.counts()
    names = quadrants(answers.kind)
    parts = [f"**{counts[key]}** {names[key]}" for key in list(names)[:3]]
    return f"{'; '.join(parts)} (each number above {short(_HALF)})."
