"""Strength and sign of an edge: how the child's states shift with the parent's, with an interval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.display import fixed, listed, percent, short
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Gt, Lt, Repeats, accepts, validated
from bnengine.data.cell_text import KNOWN_UNITS, UNITS
from bnengine.data.checked_frame import MISSING, DataError
from bnengine.data.dataset import Dataset
from bnengine.data.rows_and_states import state_order
from bnengine.networks.network import configuration_numbers
from bnengine.scores.number_effect import effect_of_numbers

_WEAK, _WEAK_ODDS = 0.1, 1.68  # difference of shares, or τ; odds ratio


class _Measure(NamedTuple):
    """How a measure of strength is written."""

    unit: str  # of ``EdgeEffect.value``; empty where it is that of a column
    brief: str  # as a list of edges shows it
    bound: str  # what it stays below where it is weak


_OF_NUMBERS = "less than a tenth of a standard deviation"
_MEASURES = {
    "trend": _Measure("τ-b", "τ {signed}", "τ is below 0.1"),
    "contrast": _Measure("share", "{points} pts", "less than 10 points"),
    "slope": _Measure("SD", "slope {signed} SD", _OF_NUMBERS),
    "curve": _Measure("SD", "curve {signed} SD", _OF_NUMBERS),
    "means": _Measure("", "{deviations} SD", _OF_NUMBERS),
}
_LEVEL = 0.95
#: Units in the names of columns: those of cells, and of measurements that cells seldom name.
_SELDOM = "hz khz pa kpa mol mmol μmol nmol pg μg μm nm ms mv db"
_UNITS = frozenset([*UNITS, *KNOWN_UNITS, *_SELDOM.split()])
_SIGN = re.compile(r"[/%°²³€$£]")
_LARGEST = 2**22  # numbers held at a time while resamples are tabulated


@validated
@accepts(interventions=True, missing=True, numbers=True)
def edge_effect(
    data: Dataset,
    parent: str,
    child: str,
    given: Sequence[str] = (),
    *,
    level: Annotated[float, Gt(0), Lt(1)] = _LEVEL,
    n: Repeats = 200,
    rng: Seed = 0,
) -> EdgeEffect:
    """Measure how the child's states shift with the parent's: the strength and the sign of an edge.

    Two ordered variables have Kendall's τ-b (Kendall 1945) as their trend, which joining neighbouring states changes
    little; two states always have an order, at least that in which they are declared. An association of more states
    may rise and fall again: where the interval of its trend holds 0, and where there is no order, a contrast is taken,
    the difference between two states of the parent in the share of one state of the child. Of many contrasts it is the
    one whose interval lies highest.

    With ``given``, usually the child's other parents, shares are standardized: in each of their configurations the
    child's shares are taken, and averaged over all rows' configurations. A state of the parent that is rare in a
    configuration borrows there one row's worth of its overall shares.

    Intervals allow for that choice: they hold for all contrasts and the trend at once (Šidák 1967). Each is made of
    Wilson's limits for the two shares (Newcombe 1998, method 10), with as many rows as give the spread of the shares in
    resamples of the data, at most those of the group. The largest contrast is also too large on average, so the shares
    that are stated lie nearer to the child's overall share: the further, the fewer rows a group has and the less the
    groups differ (Efron & Morris 1975).

    With a number at one end or both it is a slope, a curve or a difference of means (``number_effect``); between other
    columns of such a table, numbers in ``given`` count by three states of about as many rows.

    It is an association, not the effect of an intervention, unless rows are there in which an experiment set the
    parent; then it is taken from these rows alone.

    Parameters
    ----------
    data : Dataset
    parent, child : str
    given : sequence of str
        Variables whose configurations the parent's groups are made alike in.
    level : float
        Of the interval. If the data choose R of m pairs, at most 5 % of their intervals miss on average at the level
        1 - 0.05 R / m (Benjamini & Yekutieli 2005), which ``Verdict.effect`` takes.
    n : int
        Resamples for the interval.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    EdgeEffect

    Raises
    ------
    ValueError
        If a variable is unknown or named twice.
    DataError
        If no row has all of these cells, or either variable is constant in those that have.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(1_000, rng=1)
    >>> bn.answers.edge_effect(data, "bronc", "dysp").sentence
    'dysp is yes in 82% where bronc is yes, against 14% where it is no (τ = 0.68, 0.63 to 0.73).'
    """
    names = [parent, child, *sorted(given)]
    if len(set(names)) < len(names):
        raise ValueError(f"parent, child and given must name different variables; got {', '.join(names)}")
    columns = [data.index(name) for name in names]
    if not {parent, child}.isdisjoint(data.numbers):
        return _of_numbers(data, columns, names, level, n, generator_of(rng))
    data = data.cut()
    codes, times, is_experimental = _rows(data, columns)
    given = () if is_experimental else tuple(names[2:])
    arities = [int(data.arities[v]) for v in columns]
    numbers = configuration_numbers(codes[:, 2:], range(len(given)), arities[2:])
    configurations, of_row = np.unique(numbers, return_inverse=True)
    shape = arities[0], configurations.size, arities[1]
    cells, cell_of_row = np.unique(
        np.ravel_multi_index((codes[:, 0], of_row.ravel(), codes[:, 1]), shape), return_inverse=True
    )
    worth = times / data.design_effect
    counts = np.bincount(cell_of_row.ravel(), weights=worth)
    n_rows = max(1, round(counts.sum()))
    seen = [np.bincount(codes[:, v], weights=worth, minlength=arities[v]).astype(np.float64) for v in (0, 1)]
    for name, of_state in zip(names[:2], seen, strict=True):
        if (of_state > 0).sum() < 2:
            raise DataError(
                f"column '{name}' has a single state in the {n_rows:,} rows that count here, so nothing can shift"
            )
    resampled = generator_of(rng).multinomial(n_rows, counts / counts.sum(), size=n)
    of_data = _tables(cells, counts[None], shape)[0]
    of_resamples = np.concatenate([_tables(cells, part, shape) for part in _parts(resampled, shape)])
    sizes = [int((of_state > 0).sum()) for of_state in seen]
    orders = [
        state_order(data.states[v]) or (range(arities[k]) if sizes[k] == 2 else None) for k, v in enumerate(columns[:2])
    ]
    n_contrasts = sizes[0] * (sizes[0] - 1) // 2 * (sizes[1] if sizes[1] > 2 else 1)
    may_be_both = None not in orders and max(sizes) > 2
    z = float(ndtri((1 + level ** (1 / (n_contrasts + may_be_both))) / 2))
    of_edge = partial(EdgeEffect, parent, child, n_rows=n_rows, given=given, is_experimental=is_experimental)
    sign, found = 0, _contrast(of_data, of_resamples, seen[0], orders[1] or range(arities[1]), z)
    if orders[0] is not None and orders[1] is not None:
        in_order = np.array(orders[0])[:, None], np.array(orders[1])
        most_rows = n_rows if 2 in sizes else 9 * n_rows / 4
        taus = kendall_tau(np.concatenate([of_data[None], of_resamples])[:, *in_order])
        value, interval = _trend(taus, most_rows, z)
        sign = 0 if interval[0] <= 0 <= interval[1] else int(np.sign(value))
        if sign or not may_be_both:
            trend = of_edge(measure="trend", sign=sign, value=value, interval=interval)
            if 2 not in sizes:
                return trend
            groups = [group for group in orders[0] if seen[0][group]]
            state = [one for one in orders[1] if seen[1][one]][-1]
            stated = _stated(of_data, of_resamples, seen[0], state)
            shares = [stated[sorted(groups).index(groups[end])] for end in (-1, 0)]
            ends = [data.states[columns[0]][groups[end]] for end in (-1, 0)]
            if found.interval[0] <= abs(shares[0] - shares[1]):  # else it rises and falls between the ends
                return replace(trend, state=data.states[columns[1]][state], groups=tuple(ends), shares=tuple(shares))
    return of_edge(
        measure="contrast",
        sign=sign,
        value=found.shares[0] - found.shares[1],
        interval=found.interval,
        state=data.states[columns[1]][found.state],
        groups=tuple(data.states[columns[0]][group] for group in found.groups),
        shares=found.shares,
    )


def _of_numbers(
    data: Dataset, columns: list[int], names: list[str], level: float, n: int, rng: np.random.Generator
) -> EdgeEffect:
    """Return the effect of an edge with a number at one end or both."""
    if data.holes is not None:  # the rows in which all of them are seen, as of states
        data = data.select(names).with_missing("listwise")
        columns = [data.index(name) for name in names]
    found = effect_of_numbers(data, columns[0], columns[1], columns[2:], level, n, rng)
    low, high = found.interval
    return EdgeEffect(
        names[0],
        names[1],
        sign=0 if low <= 0 <= high or found.measure != "slope" else int(np.sign(found.value)),
        n_rows=data.effective_rows,
        given=tuple(names[2:]),
        number=names[0] if names[0] in data.numbers else names[1],
        **found._asdict(),
    )


@dataclass(frozen=True)
class EdgeEffect:
    """How the states of one variable go with those of another.

    Attributes
    ----------
    parent, child : str
    measure : {"contrast", "trend", "slope", "curve", "means"}
        A difference of two shares, or Kendall's τ-b; of numbers see ``number_effect``.
    value : float
        Of a contrast, the share of ``state`` in the first of ``groups`` less that in the second; of a trend, τ-b; of
        means, that of ``number`` in the first group less that in the second, in its unit; of a slope or a curve,
        standard deviations.
    interval : tuple of float
        It allows for the choice among contrasts, and in a verdict for that among pairs.
    sign : {-1, 0, 1}
        Of an association between ordered variables whose interval leaves out 0; else 0.
    state : str
        The child's state that is compared, of a trend its highest; empty for a trend of more than two states of both.
    groups : tuple of str
        The two states of the parent, of a trend the highest and the lowest; of a curve, which number bends and with
        which; empty for a slope, and for a trend of more than two states of both.
    shares : tuple of float
        Of ``state`` in the two groups, as estimated for other rows: nearer to each other than those counted.
    given : tuple of str
        What the two groups were made alike in.
    n_rows : int
        Rows that it rests on, as many as they are worth.
    is_experimental : bool
        Whether an experiment set the parent in these rows. Otherwise it is an association, not the effect of an
        intervention.
    scale : float
        What one unit of ``value`` is in standard deviations.
    number : str
        Whose means are compared; empty between states.
    step, per_step : float
        Of a slope, a round number of the parent's unit, and what a slope of 1 is for it in that of the child, as in the
        middle of both; 0 where most rows have one value.
    """

    parent: str
    child: str
    measure: str
    value: float
    interval: tuple[float, float]
    sign: int
    n_rows: int
    state: str = ""
    groups: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    given: tuple[str, ...] = ()
    is_experimental: bool = False
    scale: float = 1.0
    number: str = ""
    step: float = 0.0
    per_step: float = 0.0

    @property
    def in_deviations(self) -> float:
        """The value in standard deviations."""
        return self.value * self.scale

    @property
    def unit(self) -> str:
        """The unit of ``value``: of means that of the number, as its column names it in brackets."""
        return _MEASURES[self.measure].unit or _name_and_unit(self.number)[1].strip() or f"unit of {self.number}"

    @property
    def in_brief(self) -> str:
        """The strength in a few letters, with its unit: of numbers in standard deviations (SD)."""
        signed = f"{'+' if self.value > 0 else ''}{fixed(self.value, 2)}"
        numbers = {"points": fixed(100 * abs(self.value)), "deviations": fixed(abs(self.in_deviations), 2)}
        return _MEASURES[self.measure].brief.format(signed=signed, **numbers)

    @property
    def sentence(self) -> str:
        """The association in one sentence; names of several words stand in quotes."""
        low, high = self.interval
        parent, child = map(_quoted, (self.parent, self.child))
        where = "Where an experiment set it, " if self.is_experimental else ""
        bounds = f"{fixed(100 * self.value)} points, {fixed(100 * low)} to {fixed(100 * high)}"
        if self.measure == "trend":
            bounds = f"τ = {fixed(self.value, 2)}, {fixed(low, 2)} to {fixed(high, 2)}"
        if self.measure == "trend" and not self.shares:
            way = "higher" if self.value > 0 else "lower"
            text = f"the higher {parent}, the {way} {child} ({bounds})"
        elif self.measure in ("slope", "curve", "means"):
            text = self._of_number()
        else:
            more, fewer = (percent(share) for share in self.shares)
            text = (
                f"{child} is {self.state} in {more} where {parent} is {self.groups[0]}, against {fewer} "
                f"where it is {self.groups[1]} ({bounds})"
            )
        among = f", with {listed(self.given, len(self.given))} held fixed" if self.given else ""
        whole = f"{where}{text}{among}."
        whole = whole if self.shares and not where else whole[0].upper() + whole[1:]
        is_there = self.is_weak and not low <= 0 <= high
        return f"{whole} Weak, however certain: {_MEASURES[self.measure].bound}." if is_there else whole

    def _of_number(self) -> str:
        """Say it in the units that columns name in brackets, as in height (cm)."""
        low, high = self.interval
        (parent, of_parent), (child, of_child) = map(_name_and_unit, (self.parent, self.child))
        if self.measure == "means":
            states, number, unit = (
                (child, parent, of_parent) if self.number == self.parent else (parent, child, of_child)
            )
            one, other = self.groups
            more = f"{short(self.value)}{unit}"
            bounds = f"{short(low)} to {short(high)}; {fixed(self.in_deviations, 2)} SD"
            return f"{number} is {more} higher on average where {states} is {one} than {other} ({bounds})"
        bounds = f"{fixed(low, 2)} to {fixed(high, 2)}"
        if self.measure == "curve":
            way, (bent, along) = "high" if self.value > 0 else "low", (_name_and_unit(one)[0] for one in self.groups)
            return f"{bent} is {way} at both ends of {along} (curve {fixed(self.value, 2)} SD, {bounds})"
        way, slope = "higher" if self.value > 0 else "lower", f"slope {fixed(self.value, 2)} SD, {bounds}"
        if not self.step:
            size = fixed(abs(self.value), 2)
            return (
                f"{child} is {size} standard deviations {way} on average for each increase of one standard deviation "
                f"in {parent} ({slope})"
            )
        ends = sorted(abs(end) * np.sign(end * self.value) * self.per_step for end in self.interval)
        return (
            f"{child} is {short(abs(self.value) * self.per_step)}{of_child} {way} on average for each increase of "
            f"{short(self.step)}{of_parent} in {parent} ({short(ends[0])} to {short(ends[1])}; {slope})"
        )

    @property
    def is_weak(self) -> bool:
        """Whether it is surely weak: the interval lies within ±0.1, and of a contrast the odds ratio is below 1.68.

        Of means it is the interval in standard deviations.

        An odds ratio of 1.68 is what Chen, Cohen & Chen (2010) call small; of rare states, a difference of few points
        may be a large one.
        """
        if max(map(abs, self.interval)) * self.scale >= _WEAK:
            return False
        if self.number:
            return True
        second, first = sorted(self.shares or (0.5, 0.5))
        return first * (1 - second) < _WEAK_ODDS * second * (1 - first)


def _quoted(name: str) -> str:
    return f"'{name}'" if " " in name else name


def _name_and_unit(name: str) -> tuple[str, str]:
    """Return a column's name without the unit in brackets at its end, and the unit after a space.

    A unit is a common one, or has a sign such as a slash; "before" and "post" are none.

    >>> _name_and_unit("height (cm)"), _name_and_unit("age (years)"), _name_and_unit("income (before)")
    (('height', ' cm'), ('age', ' years'), ("'income (before)'", ''))
    """
    for opening, closing in ("()", "[]"):
        bare, found, unit = name.removesuffix(closing).rpartition(opening)
        if found and name.endswith(closing) and bare.strip() and _is_unit(unit):
            return _quoted(bare.strip()), f" {unit}"
    return _quoted(name), ""


def _is_unit(text: str) -> bool:
    words = text.casefold().split()
    return bool(words) and all(word in _UNITS or _SIGN.search(word) for word in words)


def _rows(data: Dataset, columns: Sequence[int]) -> tuple[IntArray, IntArray, bool]:
    """Return the rows that count, shape (R, columns), how often each does, and whether the parent was set in them."""
    codes = data.recorded[0]
    times = data.counts_for(columns[1])
    times = np.ones(len(codes), dtype=np.int64) if times is None else times
    rows = codes[:, columns].astype(np.int64)
    was_set = _was_set(data, columns[0])
    for chosen, needed in ((was_set, 2), (np.ones_like(was_set), len(columns))):
        kept = chosen & (times > 0) & (rows[:, :needed] != MISSING).all(axis=1)
        if kept.any() and (chosen is not was_set or len(np.unique(rows[kept, 0])) > 1):
            return rows[kept], times[kept], chosen is was_set
    raise DataError(f"no row has a cell in each of {', '.join(data.names[v] for v in columns)}; choose fewer variables")


def _was_set(data: Dataset, variable: int) -> BoolArray:
    if data.experiments is None:
        return np.zeros(len(data.recorded[0]), dtype=np.bool_)
    name = data.names[variable]
    return np.array([name in targets for targets in data.targets])[data.experiments.of_row]


def _parts(resampled: IntArray, shape: tuple[int, int, int]) -> list[IntArray]:
    """Split resamples so that the tables of a part fit in the memory that is held at a time."""
    n_parts = max(1, -(-resampled.shape[0] * int(np.prod(shape)) // _LARGEST))
    return [part for part in np.array_split(resampled, n_parts) if len(part)]


def _tables(cells: IntArray, counts: FloatArray | IntArray, shape: tuple[int, int, int]) -> FloatArray:
    """Return standardized joint tables of parent and child, shape (B, r, s), each of sum 1.

    ``counts`` (B, cells) are those of the cells of (parent, configuration, child) with the given numbers.
    """
    flat = np.zeros((len(counts), int(np.prod(shape))))
    flat[:, cells] = counts
    full = flat.reshape(-1, *shape)
    joint = full.sum(axis=2)
    total, of_parent = joint.sum(axis=(1, 2), keepdims=True), joint.sum(axis=2, keepdims=True)
    if shape[1] > 1:
        alone = joint / np.where(of_parent > 0, of_parent, 1.0)
        weights = full.sum(axis=(1, 3)) / total[:, 0]  # (B, configurations)
        shares = (full + alone[:, :, None]) / (full.sum(axis=3, keepdims=True) + 1.0)
        joint = np.einsum("bq,brqs->brs", weights, shares) * of_parent
    return np.asarray(joint / total)


def kendall_tau(tables: FloatArray) -> FloatArray:
    """Return Kendall's τ-b of joint tables of two ordered variables, shape (B, r, s); NaN where one is constant.

    Of two rows drawn at random, it is the probability that they are in the same order by both variables less that of
    opposite orders, over the geometric mean of the probabilities that they differ in one variable and in the other
    (Kendall 1945).
    """
    p = tables / tables.sum(axis=(1, 2), keepdims=True)
    same, opposite = (2 * (p * _beyond(p, step)).sum(axis=(1, 2)) for step in (1, -1))
    differ = [1 - (p.sum(axis=axis) ** 2).sum(axis=1) for axis in (1, 2)]
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: FloatArray = (same - opposite) / np.sqrt(differ[0] * differ[1])
    return tau


def _beyond(p: FloatArray, step: int) -> FloatArray:
    """Return for each cell the sum of those of larger rows and of larger (step 1) or smaller (step -1) columns."""
    turned = p[:, ::-1, ::-step]
    sums = np.zeros_like(turned)
    sums[:, 1:, 1:] = turned.cumsum(axis=1).cumsum(axis=2)[:, :-1, :-1]
    return sums[:, ::-1, ::-step]


class _Contrast(NamedTuple):
    state: int
    groups: tuple[int, int]
    shares: tuple[float, float]
    interval: tuple[float, float]


def _trend(taus: FloatArray, most_rows: float, z: float) -> tuple[float, tuple[float, float]]:
    """Return the trend that the first of these, of the data, tells in view of the others, of resamples; its interval.

    Its limits are Wilson's for (1 + τ) / 2, with at most these rows: for numbers without ties those that give Kendall's
    variance, 4 / 9N, at τ = 0, and for two states N.
    """
    share = (1 + taus[0]) / 2
    rows, variance = _precision(share, (np.where(np.isfinite(taus), taus, taus[0]) / 2).std(), most_rows)
    low, high = (2 * limit - 1 for limit in _wilson(share, rows, z))
    value = taus[0] * max(0.0, 1 - 4 * variance / taus[0] ** 2) if taus[0] else 0.0
    return float(value), (min(float(low), value), max(float(high), value))


def _contrast(
    table: FloatArray, resampled: FloatArray, group_rows: FloatArray, increasing: Sequence[int], z: float
) -> _Contrast:
    """Return the contrast whose interval lies highest; of equal ones that in the child's higher state."""
    groups = np.flatnonzero(group_rows)
    states = np.array([state for state in reversed(increasing) if table[:, state].any()])
    chosen = groups[:, None], states
    shares, of_resamples = _shares(table)[chosen], _shares(resampled)[:, *chosen]
    spread = np.where(np.isnan(of_resamples), shares, of_resamples).std(axis=0)
    rows, _ = _precision(shares, spread, group_rows[groups, None])
    low, high = _wilson(shares, rows, z)
    below, above = shares - low, high - shares
    difference = shares[:, None] - shares
    least = difference - np.hypot(below[:, None], above)
    least[np.diag_indices(len(groups))] = -np.inf
    state, first, second = np.unravel_index(np.round(least, 9).transpose(2, 0, 1).argmax(), least.T.shape)
    most = difference[first, second, state] + np.hypot(above[first, state], below[second, state])
    stated = _stated(table, resampled, group_rows, int(states[state]))
    value = stated[first] - stated[second]
    return _Contrast(
        int(states[state]),
        (int(groups[first]), int(groups[second])),
        (stated[first], stated[second]),
        (min(float(least[first, second, state]), value), max(float(most), value)),
    )


def _stated(table: FloatArray, resampled: FloatArray, group_rows: FloatArray, state: int) -> list[float]:
    """Return the shares of a state in the groups that have rows, as estimated for other rows."""
    groups = np.flatnonzero(group_rows)
    shares, of_resamples = _shares(table)[groups, state], _shares(resampled)[:, groups, state]
    spread = np.where(np.isnan(of_resamples), shares, of_resamples).std(axis=0)
    _, variance = _precision(shares, spread, group_rows[groups])
    return [float(one) for one in _shrunk(shares, variance, table.sum(axis=1)[groups])]


def _precision(share: Any, spread: Any, most_rows: Any) -> tuple[Any, Any]:
    """Return how many rows would give a share this standard deviation, not more than there are, and the variance.

    Both from the share with a row more of either kind (Agresti & Caffo 2000): it is never 0 or 1.
    """
    adjusted = (share * most_rows + 1) / (most_rows + 2)
    binomial = adjusted * (1 - adjusted)
    rows = binomial / np.maximum(spread**2, binomial / most_rows)
    return rows, binomial / (rows + 2)


def _wilson(share: Any, rows: Any, z: float) -> tuple[Any, Any]:
    """Return the score limits of shares, z standard deviations away (Wilson 1927)."""
    middle, half = share + z**2 / (2 * rows), z * np.sqrt(share * (1 - share) / rows + z**2 / (4 * rows**2))
    return (middle - half) / (1 + z**2 / rows), (middle + half) / (1 + z**2 / rows)


def _shrunk(shares: FloatArray, variances: FloatArray, weights: FloatArray) -> FloatArray:
    """Draw the shares of groups toward their mean by empirical Bayes, with the moment estimate of their variance."""
    mean, apart = weights @ shares, weights * (1 - weights)
    between = max(0.0, weights @ (shares - mean) ** 2 - apart @ variances) / apart.sum()
    return np.asarray(mean + between / (between + variances) * (shares - mean))


def _shares(tables: FloatArray) -> FloatArray:
    """Return the child's shares in each state of the parent; NaN in a state that does not occur."""
    totals = tables.sum(axis=-1, keepdims=True)
    shares: FloatArray = np.divide(tables, totals, out=np.full_like(tables, np.nan), where=totals > 0)
    return shares
