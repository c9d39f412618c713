"""The verdict on every edge, whichever way it points, and on its direction.

Required edges get no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays, UInt8Array
from bnengine._core.display import Displayed, counted, listed, percent, probability, quoted
from bnengine._core.environment import pd
from bnengine._core.validation import accepts, place_of, validated
from bnengine.answers.edge_answers import HALF, QUADRANTS, EdgeAnswers, check_variables, two_answers
from bnengine.answers.one_of_several import OneOfSeveral, one_of_several
from bnengine.answers.preparations import Preparations
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.bootstrap.resampling_methods import default_method
from bnengine.bootstrap.study import Study
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, Graph, edge_frame, skeleton
from bnengine.posterior import EdgePosterior
from bnengine.scores.edge_effect import EdgeEffect, edge_effect

#: The verdicts, in the order in which they are listed; what is ``NEITHER`` is not shown.
REAL, DOUBTFUL, TOO_LITTLE, NEITHER = QUADRANTS.values()
UNSURE = "cannot say"
VERDICTS = (REAL, DOUBTFUL, TOO_LITTLE, UNSURE, NEITHER)
REQUIRED = "required"  # by a constraint, which its numbers are made of
#: The verdict on an edge while it is not known whether it is real.
FOUND, NOT_FOUND = "found again", "not found again"
#: What an edge with both numbers above one half is called where copies without any dependence show too many.
BOTH_HIGH = "both numbers above one half"
#: What each verdict means.
MEANINGS = {
    REAL: "Both numbers are above one half: trust these first.",
    DOUBTFUL: "The search would find them again, yet they are probably not in the network that the data came from.",
    TOO_LITTLE: "Probably real, but a table of this size rarely shows them: more rows would.",
    UNSURE: "Their probability of being real is too close to one half: another seed, prior or "
    "preparation of numbers could flip it.",
    REQUIRED: "Required by your constraints; the data were not consulted.",
    BOTH_HIGH: "They would be called found again and real, but copies of this table in which no column depends on "
    "another show such edges, too.",
    NEITHER: "Neither number is above one half.",
    FOUND: "More than half of fresh tables would show them. That does not say whether they are real.",
    NOT_FOUND: "Fewer than half of fresh tables would show them.",
}
#: Share of the graphs joining a pair in which the edge must be compelled for its direction to count as settled.
SETTLED = 0.75
#: The columns about an edge's strength, and their types.
_OF_EFFECTS = {
    **dict.fromkeys(("effect", "effect_low", "effect_high"), float),
    **dict.fromkeys(("effect_measure", "effect_unit"), object),
    "weak": bool,
    "association": object,
}
_MISSED = 0.05  # share of the intervals of drawn pairs that may miss


@dataclass(frozen=True, eq=False)
class Verdict(Graph, ReadOnlyArrays, Displayed):
    """What to think of each edge.

    Attributes
    ----------
    answers : EdgeAnswers
        Of edges: found again, real, and their intervals.
    compelled : ndarray of float, shape (V, V), read-only
        ``[parent, child]``: share of the graphs joining the pair in whose equivalence class the edge is compelled; 1
        where constraints leave only this direction, 0 for a pair that no graph joins.
    learned : ndarray of bool, shape (V, V), [parent, child], read-only
        The graph learned from the data.
    required : ndarray of bool, shape (V, V), read-only
        Pairs that constraints join, symmetric.
    data : Dataset, optional
        What the strength of an edge is measured on.
    noise : NoiseCheck, optional
        How many edges that are found again and real copies show that can have none; too many, and the name is withheld.
    claims : callable, optional
        Finds the variables that depend on at least one of several others, on which one being open; see ``several``.
    preparations : Preparations, optional
        *Real* with the numbers of the table prepared otherwise.
    """

    answers: EdgeAnswers
    compelled: FloatArray = field(repr=False)
    learned: Adjacency = field(repr=False)
    required: Adjacency = field(repr=False)
    data: Dataset | None = field(repr=False, default=None)
    noise: NoiseCheck | None = field(repr=False, default=None)
    claims: Callable[[], Sequence[OneOfSeveral]] | None = field(repr=False, default=None)
    preparations: Preparations | None = field(repr=False, default=None)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.answers.names

    @property
    def adjacency(self) -> Adjacency:
        """See ``drawn``."""
        return self.drawn

    def to_networkx(self) -> Any:
        """Return the edges that are shown as a ``networkx.DiGraph``, each with its row of the table."""
        graph = super().to_networkx()
        for row in self.table().to_dict("records"):
            graph.edges[row.pop("parent"), row.pop("child")].update(row)
        return graph

    @property
    def has_posterior(self) -> bool:
        """Whether there is a posterior; without one an edge is only found again or not."""
        return self.answers.has_posterior

    @property
    def kinds(self) -> tuple[str, ...]:
        """The verdicts that there can be, in the order in which they are listed; the last one is not shown."""
        *shown, last = VERDICTS if self.has_posterior else (FOUND, NOT_FOUND)
        shown[0] = BOTH_HIGH if self.noise_sentences else shown[0]
        return (*shown, REQUIRED, last) if self.required.any() else (*shown, last)

    @cached_property
    def noise_sentences(self) -> list[str]:
        """Why the name *found again and real* is withheld; empty where it is not."""
        if self.noise is None or self.answers.real is None:
            return []
        return self.noise.sentences(self.n_both_high)

    @cached_property
    def several(self) -> tuple[OneOfSeveral, ...]:
        """The variables that depend on one of several others, the most certain first.

        None where copies without any dependence show too many edges.
        """
        return () if self.noise_sentences or self.claims is None else tuple(self.claims())

    @cached_property
    def depends(self) -> Adjacency:
        """Whether another preparation of the numbers puts *real* on the other side of one half; symmetric, (V, V)."""
        if self.preparations is None or self.answers.real is None:
            return np.zeros((len(self.names),) * 2, dtype=np.bool_)
        return self.preparations.turned(self.answers.real) & ~self.required & ~self.unsure

    @property
    def preparation_sentence(self) -> str:
        """Which verdicts survive other preparations of the numbers; empty where these are not known."""
        judged = np.triu(self.codes < len(self.kinds) - 1, 1) & ~self.required & ~self.unsure
        n, pairs = int(judged.sum()), np.argwhere(judged & self.depends).tolist()
        if self.preparations is None or not self.preparations.labels or not n:
            return ""
        how = f"with numbers {self.preparations.in_words}"
        if not pairs:
            return f"{'The verdict is' if n == 1 else f'All {n:,} verdicts are'} the same {how}."
        which = listed([f"{self.names[i]} – {self.names[j]}" for i, j in pairs])
        return f"{n - len(pairs):,} of {counted(n, 'verdict')} would be the same {how}; not so on {which}."

    @property
    def n_both_high(self) -> int:
        """Edges with both numbers above one half, however close, but for required ones; what noise is judged by.

        The few resamples of a copy leave its intervals wide: to leave out what is too close would excuse the copies.
        """
        if self.answers.real is None:
            return 0
        both = (self.answers.found_again > HALF) & (self.answers.real > HALF) & ~self.required
        return int(np.triu(both, 1).sum())

    @cached_property
    def codes(self) -> UInt8Array:
        """The verdict on each pair as its place in ``kinds``, shape (V, V), symmetric."""
        again, real = self.answers.found_again > HALF, self.answers.real
        of_kind = {FOUND: again}
        if real is not None:
            first = {UNSURE: self.unsure, self.kinds[0]: again & (real > HALF)}
            of_kind = {**first, DOUBTFUL: again, TOO_LITTLE: real > HALF}
        if REQUIRED in self.kinds:
            of_kind = {REQUIRED: self.required, **of_kind}
        places = [np.uint8(self.kinds.index(kind)) for kind in of_kind]
        return np.select(list(of_kind.values()), places, np.uint8(len(self.kinds) - 1))

    @cached_property
    def settled(self) -> Adjacency:
        """Directions that are settled, shape (V, V), ``[parent, child]``; an edge without one is open."""
        return np.asarray(self.compelled >= SETTLED)

    @cached_property
    def drawn(self) -> Adjacency:
        """The edges that are shown, each once, shape (V, V), ``[parent, child]``.

        In the settled direction; an open one as in the learned graph, or else in column order.
        """
        return self.in_one_direction(self.codes < len(self.kinds) - 1)

    def in_one_direction(self, shown: Adjacency) -> Adjacency:
        """Return symmetric pairs, (V, V), each in one direction: the settled one, else as learned, else by column."""
        return shown & self._directed

    @cached_property
    def _directed(self) -> Adjacency:
        first = np.triu(np.ones_like(self.learned), 1)
        for direction in (self.learned, self.settled):
            first = np.where(direction | direction.T, direction, first)
        return first

    @cached_property
    def unsure(self) -> Adjacency:
        """Whether *real* is above one half for some seeds or one of the priors, and below for others; shape (V, V)."""
        if self.answers.real_range is None:
            return np.zeros((len(self.names),) * 2, dtype=np.bool_)
        low, high = self.answers.real_range
        return np.asarray((low < HALF) & (high > HALF) & ~self.required)

    @cached_property
    def close(self) -> Adjacency:
        """Whether the interval of a number contains one half: a different seed could flip the verdict; shape (V, V)."""
        close = np.zeros((len(self.names),) * 2, dtype=np.bool_)
        for interval in (self.answers.found_again_interval, self.answers.real_interval):
            if interval is not None:
                close |= (interval[0] < HALF) & (interval[1] > HALF)
        return close & ~self.required

    @validated
    def effect(self, parent: str, child: str) -> EdgeEffect | None:
        """Return the strength and the sign of an edge, measured once; None without data, or without two states.

        A pair has one, whichever end comes first. Of an arrow it is standardized over the child's other parents in the
        learned graph. Intervals allow for the choice of the pairs that are drawn: at most 5 % of them miss on average,
        also among pairs that have no edge in truth (false coverage rate, Benjamini & Yekutieli 2005).

        Raises
        ------
        ValueError
            If a variable is unknown.
        """
        i, j = place_of(parent, "parent", self.names), place_of(child, "child", self.names)
        if self.data is None:
            return None
        if self._directed[j, i]:
            i, j = j, i
        if (i, j) not in self._effects:
            level = 1.0 - _MISSED * max(int(self.drawn.sum()), 1) / math.comb(len(self.names), 2)
            self._effects[i, j] = effect_in_graph(self.data, self.learned, self.settled, i, j, level)
        return self._effects[i, j]

    @cached_property
    def _effects(self) -> dict[tuple[int, int], EdgeEffect | None]:
        return {}

    @validated
    def table(self, hidden: bool = False) -> pd.DataFrame:
        """Tabulate one row per edge.

        Parameters
        ----------
        hidden : bool
            Also those of the learned graph that are neither found again nor real.

        Returns
        -------
        DataFrame
            parent and child, verdict, found_again with the ends of its 95 % interval, found_again_low and
            found_again_high, with a posterior also real, real_low and real_high, with other preparations of numbers the
            range over them, real_least and real_most, direction ("settled" or "open"),
            compelled (share of the graphs in which this direction is), close (whether another seed may change the
            verdict: an interval contains one half), and in_data_graph; with data also effect, effect_low and
            effect_high (an interval, see ``effect``), effect_measure ("contrast", a difference of shares, "trend",
            Kendall's τ-b, or of numbers "slope", "curve" or "means"), effect_unit, weak (whether it surely is), and
            association (the same in words, and whether one of the two is a function of the other), and where there are
            such claims one_of_several (those that the edge is part of, see ``several``); by verdict, then in decreasing
            order of found_again and of real.
        """
        return self.with_effects(
            self.rows(self.drawn | (self.in_one_direction(skeleton(self.learned)) if hidden else False))
        )

    def rows(self, shown: Adjacency) -> pd.DataFrame:
        """Tabulate the pairs that are shown, (V, V), each once; see ``table``, but without effects."""
        parts = {**self.answers.answers(), "compelled": self.compelled, "close": self.close}
        if self.preparations is not None and len(self.preparations.labels):
            of = self.preparations.real
            parts |= {"real_least": of.min(axis=0), "real_most": of.max(axis=0)}
        parts |= {"code": self.codes, "settled": self.settled, "in_data_graph": skeleton(self.learned)}
        frame = edge_frame(self.names, shown, **parts)
        by = ["code", *(name for name in ("found_again", "real") if name in frame)]
        frame = frame.sort_values(by, ascending=[True] + [False] * (len(by) - 1), kind="stable", ignore_index=True)
        frame.insert(2, "verdict", pd.Series([self.kinds[code] for code in frame["code"]], dtype=object))
        direction = pd.Series(np.where(frame["settled"], "settled", "open"), dtype=object)
        frame.insert(frame.columns.get_loc("compelled"), "direction", direction)
        if self.several:
            ends = zip(frame["parent"], frame["child"], strict=True)
            sentences = [" ".join(one.sentence for one in self.several if one.has(*pair)) for pair in ends]
            frame = frame.assign(one_of_several=sentences)
        return frame.drop(columns=["code", "settled"])

    @validated
    def with_effects(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the strength of each edge, see ``table``; each takes some milliseconds the first time.

        Without data they stay as they are.
        """
        if self.data is None:
            return frame
        lines = []
        for ends in zip(frame["parent"], frame["child"], strict=True):
            one, about = self.effect(*ends), self.determined(*ends)
            if one is None:
                lines.append((np.nan, np.nan, np.nan, "", "", False, about))
                continue
            in_words = f"{one.sentence} {about}".strip()
            lines.append((one.value, *one.interval, one.measure, one.unit, one.is_weak, in_words))
        made = pd.DataFrame(lines, frame.index, [*_OF_EFFECTS]).astype(_OF_EFFECTS)
        return frame.assign(**{name: made[name] for name in _OF_EFFECTS})

    to_frame = table

    def _shown(self) -> tuple[str, pd.DataFrame]:
        table, counts = self.table(), list(self.counts().items())[:-1]
        text = ", ".join(f"{n:,} {kind}" for kind, n in counts)
        taken = [] if self.data is None else [self.data.rows_taken]
        more = [*self.noise_sentences, *filter(None, [self.preparation_sentence]), *taken]
        return " ".join([f"Edges: {text}.", *more]), table[["parent", "child", "verdict"]].assign(
            in_words=[
                self.sentence(parent, child) for parent, child in zip(table["parent"], table["child"], strict=True)
            ]
        )

    def counts(self) -> dict[str, int]:
        """Count the edges by verdict."""
        return {kind: int(np.triu(self.codes == place, 1).sum()) for place, kind in enumerate(self.kinds)}

    @validated
    def sentence(self, parent: str, child: str) -> str:
        """Say what is known of an edge in one plain sentence.

        Raises
        ------
        ValueError
            If a variable is unknown.
        """
        i, j = place_of(parent, "parent", self.names), place_of(child, "child", self.names)
        known = f"{self._numbers(i, j)}; {self._direction(i, j)}."
        flips = self.close[i, j] and self.kinds[self.codes[i, j]] != UNSURE
        close = "Borderline: a different seed could flip this verdict." if flips else ""
        claims = (one.sentence for one in self.several if one.has(parent, child))
        turned, real = "", self.answers.real
        if self.depends[i, j] and self.preparations is not None and real is not None:
            turned = self.preparations.against(i, j, float(real[i, j]))
        return " ".join(filter(None, (known, close, turned, *claims, self.determined(parent, child))))

    @validated
    def determined(self, parent: str, child: str) -> str:
        """Say that one of the two is a function of the other, alone or with a third; empty if not, or without data."""
        for one, other in ((child, parent), (parent, child)):
            if self.data is not None and other in (given := self.data.functions.get(one, ())):
                return f"'{one}' is determined by {quoted(given)}: this edge may be a definition, not a finding."
        return ""

    @cached_property
    def n_weak(self) -> int:
        """How many edges with both numbers above one half are weak, each measured once; 0 without data."""
        if not self.has_posterior or self.data is None:
            return 0
        pairs = np.argwhere(np.triu(self.codes == 0, 1)).tolist()
        effects = (self.effect(self.names[i], self.names[j]) for i, j in pairs)
        return sum(one is not None and one.is_weak for one in effects)

    def _numbers(self, i: int, j: int) -> str:
        if self.required[i, j]:
            return "Required by a constraint, so its numbers carry no information"
        again = f"{percent(float(self.answers.found_again[i, j]))} of fresh tables"
        if self.answers.real is None or self.answers.real_interval is None:
            return f"Found again in {again}"
        real = probability(float(self.answers.real[i, j]), self.answers.real_interval[:, i, j])
        alone = probability(float(self.answers.real[i, j]))
        reach = [] if self.answers.real_range is None else map(probability, self.answers.real_range[:, i, j].tolist())
        by = "preparation" if self.data is not None and self.data.numbers else "prior"
        return {
            UNSURE: f"Found again in {again}; real with probability {alone} ({' to '.join(reach)} by seed and {by})",
            self.kinds[0]: f"Found again in {again}, and real with probability {real}",
            DOUBTFUL: f"Found again in {again}, but real with probability {real} only",
            TOO_LITTLE: f"Real with probability {real}, but found again in {again} only",
            NEITHER: f"Found again in {again}, and real with probability {real} only",
        }[self.kinds[self.codes[i, j]]]

    def _direction(self, i: int, j: int) -> str:
        if not (self.settled[i, j] or self.settled[j, i]):
            return "direction open"
        parent, child = (i, j) if self.settled[i, j] else (j, i)
        return f"direction settled, {self.names[parent]} → {self.names[child]}"


@validated
@accepts(interventions=True, missing=True, numbers=True)
def verdict(
    study: Study,
    posterior: EdgePosterior | None = None,
    *,
    method: str | None = None,
    constraints: Constraints | None = None,
    data: Dataset | None = None,
    noise: NoiseCheck | None = None,
    preparations: Preparations | None = None,
) -> Verdict:
    """Judge each edge by both answers, and say whether its direction is settled.

    An edge with both numbers above one half is *found again and real*; one that is found again but not real is
    *doubtful*; for one that is real but not found again there is *too little data*. Where the interval of *real*, or
    its values under either prior alone, lie on both sides of one half, the data *cannot say*. One that constraints
    demand is *required*, and its numbers carry no information. Its direction is settled if at least three quarters of
    the graphs that join the pair compel it: no equivalent graph has it the other way round. The posterior has no part
    in that.

    Parameters
    ----------
    study : Study
    posterior : EdgePosterior, optional
        Of the same data; it says what is real.
    method : str, optional
        Key of the method that says what is found again; by default the first that pages show.
    constraints : Constraints, optional
        Those that the graphs were learned with: they settle the direction of what they leave only one way, and no
        verdict is given on what they demand.
    data : Dataset, optional
        The data of the study, to say of each edge how strong it is; see ``bn.answers.edge_effect``.
    noise : NoiseCheck, optional
        ``bn.answers.noise_check`` of the data. Where copies of the table that can have no edge show too many, those
        with both numbers above one half are called that, and not *found again and real*.
    preparations : Preparations, optional
        ``bn.answers.other_preparations`` of the data with their numbers kept: where one of them puts *real* on the
        other side of one half, the sentence says so.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        If the posterior, the constraints or the data are of other variables, or the study was run without the method.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(2_000, rng=1)
    >>> study = bn.study(data, methods=bn.resampling_methods(50, keys=["predictive"]))
    >>> found = bn.verdict(study, bn.edge_posterior(data))
    >>> found.counts()
    {'found again and real': 2, 'doubtful': 0, 'too little data': 0, 'cannot say': 2, 'neither': 6}
    """
    keys = [key for key in study.ensembles if key != "data"]
    chosen = default_method(keys) if method is None else method
    answers = two_answers(study, chosen, posterior)
    of_joined, joined = np.array(study.confidence(chosen, "compelled")), answers.found_again
    np.divide(of_joined, joined, out=of_joined, where=joined > 0)  # in place: of many variables a matrix is large
    space = (constraints or Constraints()).resolve(answers.names)
    settled = one_way(space) & (joined > 0)
    of_joined[settled], of_joined[settled.T] = 1.0, 0.0
    check_variables(answers.names, "the study's", data=data, preparations=preparations)
    np.minimum(of_joined, 1.0, out=of_joined)
    claims = None if posterior is None else partial(one_of_several, posterior, study.ensembles[chosen])
    learned, required = np.array(study.reference.adjacency), skeleton(space.required)
    return Verdict(answers, of_joined, learned, required, data, noise, claims, preparations)


def effect_in_graph(
    data: Dataset, graph: Adjacency, arrows: Adjacency, i: int, j: int, level: float = 1.0 - _MISSED
) -> EdgeEffect | None:
    """Measure an arrow beside the child's other parents in a graph, a line by itself; None if no two states are seen.

    ``graph`` and ``arrows``, of settled directions, have shape (V, V), ``[parent, child]``.
    """
    if arrows[j, i]:
        i, j = j, i
    parents = np.flatnonzero(graph[:, j]).tolist() if arrows[i, j] else []
    try:
        given = [data.names[v] for v in parents if v != i]
        return edge_effect(data, data.names[i], data.names[j], given, level=level)
    except DataError:
        return None


def one_way(space: SearchSpace) -> Adjacency:
    """Return the directions that constraints leave alone, shape (V, V)."""
    return space.required | (space.allowed & ~space.allowed.T)
