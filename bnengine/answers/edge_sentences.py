"""What is known of one edge, in sentences: its direction, gain, counts, what takes its place, what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import chdtrc

from bnengine._core.display import counted, percent, probability, short, signed
from bnengine._core.setting_kinds import some_of
from bnengine.answers.edge_answers import HALF
from bnengine.answers.reliability import DEFAULT, again_remark, cause_remark, tables_like
from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.posterior.bagging import PRIORS
from bnengine.scores.edge_effect import EdgeEffect

#: What the equivalence class of the learned graph says of the edge's direction.
ABSENT, COMPELLED, ALONE, TOGETHER = "absent", "compelled", "reversible alone", "reversible with others"
#: Graphs with, and without the pair, that are compared.
FEWEST = 5
#: The method of the answer that is a posterior probability.
POSTERIOR = "posterior"
_DEPENDENT = 0.01  # p-value of G²
_WIDE = 0.05  # of the probabilities under two priors, from which they are named


@dataclass(frozen=True)
class EdgeGain:
    """What one direction of an edge adds to the score, nats.

    Attributes
    ----------
    parent, child : str
    alone : float
        Gain over a child without parents.
    others : tuple of str
        The child's other parents in the learned graph.
    beside : float
        Gain over a child with these parents.
    cycle : bool
        Whether this direction closes a cycle in the learned graph.
    """

    parent: str
    child: str
    alone: float
    others: tuple[str, ...]
    beside: float
    cycle: bool

    @property
    def edge(self) -> str:
        """The edge with its arrow."""
        return f"{self.parent} → {self.child}"


@dataclass(frozen=True)
class MethodAnswer:
    """What one method says of an edge.

    Attributes
    ----------
    method : str
        Key of a resampling method, or ``"posterior"``.
    joined : float
        Confidence in the edge, in either direction, or its posterior probability.
    interval : tuple of two float
        Ends of its 95 % interval.
    forward : float
        Of it, the share with the direction parent → child; NaN if no graph joins the pair.
    under_each_prior : tuple of float
        *Real* under BDeu(1) alone and under BDeu(10) alone, of a table with numbers before these by blocks; empty
        for any other number.
    """

    method: str
    joined: float
    interval: tuple[float, float]
    forward: float
    under_each_prior: tuple[float, ...] = ()

    @property
    def is_posterior(self) -> bool:
        """Whether it answers whether the edge is real, and not whether it would be found again."""
        return self.method == POSTERIOR

    @property
    def label(self) -> str:
        """The method's name at the beginning of a line."""
        return "Real" if self.is_posterior else LABELS[self.method]


@dataclass(frozen=True)
class Rival:
    """A variable that is joined to one end of the edge more often in the replicates without the edge.

    Attributes
    ----------
    variable, end : str
    without_edge, with_edge : float
        Share of the replicates without, and with the edge that join the two.
    error : float
        Standard error of the difference.
    """

    variable: str
    end: str
    without_edge: float
    with_edge: float
    error: float


def effect_sentence(effect: EdgeEffect | None) -> str:
    """Say how strong the edge is; that it is no effect of an intervention where no experiment shows one."""
    if effect is None or effect.is_experimental:
        return "" if effect is None else effect.sentence
    return f"{effect.sentence} This is an association, not the effect of an intervention."


def direction_sentence(
    parent: str, child: str, alternative: str, again: MethodAnswer | None, compelled: tuple[float, ...]
) -> str:
    """Say whether an equivalent graph has the edge reversed, and how many replicates compel each direction."""
    own = {
        ABSENT: "The best-scoring graph does not join the two",
        COMPELLED: f"The best-scoring graph and all equivalent ones have it as {parent} → {child}",
        ALONE: "Reversing this edge alone gives an equivalent graph: the data cannot direct it",
        TOGETHER: "An equivalent graph has this edge reversed, together with others: the data cannot direct it",
    }[alternative]
    if again is None or math.isnan(again.forward):
        return f"{own}."
    forward, backward = map(percent, compelled)
    return (
        f"{own}. Of the replicates with the edge, {forward} orient it {parent} → {child} and {backward} {child} → "
        f"{parent}; in the others it can point either way."
    )


def gain_sentence(gains: tuple[EdgeGain, EdgeGain], is_learned: bool, are_cells_drawn: bool) -> str:
    """Say what the edge adds to the score, and what its reversal would."""
    first, second = gains
    drawn = " on one draw of the missing cells" if are_cells_drawn else ""
    gain = f"Gain in score{drawn}: {first.edge} {signed(first.alone)} nats"
    if first.others:
        gain += f" alone, {signed(first.beside)} beside {some_of(first.others)}"
    instead = "in its place" if is_learned else "instead"
    back = "would close a cycle" if second.cycle else f"{instead} {signed(second.beside)}"
    return f"{gain}; {second.edge} {back}."


def dependence_sentence(g_squared: tuple[float, ...], freedom: tuple[int, ...], others: tuple[str, ...]) -> str:
    """Say how dependent the two are, without conditions and given the child's other parents."""
    (g, g_given), (free, free_given) = g_squared, freedom
    facts = f"G² = {short(g)} with {counted(free, 'degree')} of freedom"
    if others:
        given = f"G² = {short(g_given)} with {free_given:,}" if free_given else "no informative rows"
        facts += f"; given {some_of(others)}, {given}"
    return f"{facts}. For independent variables G² is about as large as its degrees of freedom."


def disagreement(real: float, g_squared: tuple[float, ...], freedom: tuple[int, ...], gain: EdgeGain) -> str:
    """Say where the probability of being real and the marginal dependence of the two variables disagree."""
    alone, given = (float(chdtrc(n, g)) if n else 1.0 for g, n in zip(g_squared, freedom, strict=True))
    if (real > HALF) == (alone < _DEPENDENT):
        return ""
    if real > HALF:
        if gain.beside <= gain.alone:
            return ""
        return "Marginally the two look independent; they are dependent only given other variables."
    explained = ""
    if gain.others and given > _DEPENDENT:
        explained = f", which {some_of(gain.others)} {'explains' if len(gain.others) == 1 else 'explain'}"
    return f"Marginally the two are dependent{explained}; an edge between them is not needed for that."


def measured_sentences(again: MethodAnswer | None, score: str, real: MethodAnswer | None, size: tuple[int, int]) -> str:
    """Say how right such numbers were where the truth is known; ``score`` is that of the replicates' graphs."""
    remark, stated = "", None
    if again is not None and (again.method, score) == DEFAULT:
        stated = again.joined
    elif again is not None:
        remark = again_remark(again.method, score, again.joined)
    # what was measured is the default number, on tables of states: the mean of the posteriors under both priors
    default = real.joined if real is not None and len(real.under_each_prior) == len(PRIORS) else None
    cause = "" if default is None else cause_remark(default)
    prior = "" if real is None else _prior_remark(real)
    return " ".join(filter(None, [remark, tables_like(*size, stated, default), cause, prior]))


def _prior_remark(real: MethodAnswer) -> str:
    """Say how far *real* depends on its prior, or on how numbers are taken."""
    if not real.under_each_prior or max(real.under_each_prior) - min(real.under_each_prior) < _WIDE:
        return ""
    *kept, small, large = map(probability, real.under_each_prior)
    if kept:
        return (
            f"The number depends on the preparation of the table: {kept[0]} with numbers kept, {small} and {large} "
            "with numbers cut, at equivalent sample sizes of 1 and 10."
        )
    return f"The number depends on its prior: {small} with an equivalent sample size of 1, {large} with 10."


def rivals_sentence(parent: str, child: str, n_with: int, n_without: int, rivals: tuple[Rival, ...]) -> str:
    """Say what takes the edge's place in the replicates without it; empty if there are no replicates."""
    total, fewer = n_with + n_without, min(n_with, n_without)
    if not total:
        return ""
    if fewer < FEWEST:
        if not fewer:
            return f"{'Every' if n_with else 'No'} replicate of {total:,} has this edge."
        which = "with" if n_with == fewer else "without"
        few = f"{fewer} of the {total:,} replicates {'is' if fewer == 1 else 'are'} {which} this edge"
        return f"Only {few}: too few to say what takes its place."
    start = f"In the {n_without:,} of {total:,} replicates without the edge"
    if not rivals:
        return f"{start}, nothing else is joined to {parent} or {child} clearly more often."
    listed = ", ".join(
        f"{rival.variable} – {rival.end} in {percent(rival.without_edge)} (otherwise {percent(rival.with_edge)})"
        for rival in rivals
    )
    return f"{start}, more often joined: {listed}."
