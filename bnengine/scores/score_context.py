"""The score context: a (re)sample, a score and the buffers to compute with, as compiled code receives them.

Searches ask it for local scores through the kernels' addresses, so that their machine code does not contain the
counting (see ``kernels``). This file declares what the words of a context mean and how it is asked; the answers are
computed in ``family_scores``.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array, UInt16Array, UInt64Array
from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine._jit.records import LANES, UNSET, Address, Handle, RecordType, allocate, caller, mix, record, record_from
from bnengine.scores.prior_network import Prior

#: The forms of a count function; see ``_count_terms``.
ENTROPY, SHARED, OFFSET, OBSERVED, REGRET = 0, 1, 2, 3, 4


@record
class Kernels(NamedTuple):
    """Addresses of the kernels in ``family_scores``; 0 for those that the score does not need."""

    local_score: Address
    cached_score: Address
    counted_score: Address
    scores_with_one_more: Address
    value_of_count: Address = Address(0)
    quotient_regret: Address = Address(0)


@record
class Sample(NamedTuple):
    """A sample or resample in the two forms the counters read.

    The distinct rows are those of the given data: a resample differs from it in ``weights`` and ``masks`` only, and
    a state that it has lost keeps its place in ``arities``. Where rows come from experiments, those in which a child
    was set do not count for its family, nor do those in which it is missing: then the child has weights and a mask of
    its own, of the rows that count. A missing parent is in no mask of its states.
    """

    codes: UInt16Array  # (V, D) state number of each variable in each distinct row
    weights: Int32Array  # (D,) how often each distinct row occurs; (V + 2, D) with those of each child and of a family
    arities: IntArray  # (V,)
    masks: UInt64Array  # (sum of arities, W) one bit per row; (0, 0) where masks can never win; then each child's
    columns: UInt64Array  # (W, C) the masks as columns; C is the sum of arities, rounded up to whole vectors
    first_mask: IntArray  # (V,) where a variable's masks begin
    by_states: IntArray  # (V,) the variables in the order of their masks: by their numbers of states
    family_rows: IntArray  # (V,) how many rows count for each child: all but those where it was set, or is missing
    all_rows: IntArray  # (V,) how many would if none of its cells were missing
    seen: UInt8Array  # (V, D) whether each variable is seen in each distinct row; (0, 0) if no cell is missing
    n_rows: int  # sum of the weights
    n_variables: int  # V
    n_distinct: int  # D
    n_words: int  # W
    n_columns: int  # C
    n_own: int  # D where children have weights and masks of their own, else 0
    has_holes: int  # whether cells are missing
    first_own: int  # the first of these masks


@record
class Workspace(NamedTuple):
    """Buffers that counters and searches write to; one per thread, reused for every family."""

    cells: Annotated[Int32Array, "D + 1"]  # counts n_jk > 0 of the last family counted
    configurations: Annotated[Int32Array, "D + 1"]  # counts n_j > 0
    observed: Annotated[IntArray, "1"]  # how many configurations the last family scored had
    stack: Annotated[UInt64Array, "V + 1, W"]  # rows that match the first parents' states
    states: Annotated[IntArray, "V + 1"]  # odometer over the parents' states
    numbers: Annotated[IntArray, "D"]  # configuration number of each distinct row
    table: Annotated[Int32Array, "table_size"]  # dense cells of a small family
    slot_numbers: Annotated[IntArray, "n_slots"]  # hash table: number -> rank
    slot_ranks: Annotated[Int32Array, "n_slots"]
    ranked: Annotated[Int32Array, "D + 1"]  # counts by rank
    parents: Annotated[IntArray, "V + 1"]  # a search's present parent set
    fewer: Annotated[IntArray, "V + 1"]  # the same without one
    wanted: Annotated[UInt8Array, "V"]  # which further parents a search wants scored
    extended: Annotated[FloatArray, "V"]  # local score with each of them
    table_size: int
    n_slots: int


@record
class SplitBuffer(NamedTuple):
    """The cells of the family to be extended; one per thread."""

    words: Annotated[UInt64Array, "most * W + 1", UNSET]  # rows of each observed cell: its mask's words but zeros
    places: Annotated[Int32Array, "most * W + 1", UNSET]  # which word of the mask each is
    starts: Annotated[IntArray, "most + 1"]  # where a cell's words begin
    next: Annotated[IntArray, "most", UNSET]  # the first word that is not yet counted
    configurations: Annotated[Int32Array, "most", UNSET]  # number of the cell's parent configuration
    states: Annotated[Int32Array, "most", UNSET]  # the child's state
    margin: Annotated[Int32Array, "R"]  # how many of a family's rows have each state of the child
    counts: Annotated[Int32Array, "most, C", UNSET]  # how many of its rows are in each mask
    sums: Annotated[FloatArray, "C", UNSET]  # scores of the columns' counts
    most: int  # largest number of cells


@record
class CountFunction(NamedTuple):
    """One of the forms of ``_count_terms``, with the rows of its values computed so far."""

    form: int
    ess: float
    keys: FloatArray  # (rows,) the key of each row's values; NaN: none yet
    values: FloatArray  # (rows, 1 + largest count) NaN: not yet computed
    rows: int
    width: int


@record
class Blocks(NamedTuple):
    """The covariances of features that stand for the variables of a table with numbers (see ``data.blocks``)."""

    first: Annotated[IntArray, "V"]  # a variable's first feature
    size: Annotated[IntArray, "V"]  # how many it has
    group: Annotated[IntArray, "V"]  # which of the matrices is of the rows that count for a child
    highest: FloatArray  # (V,) log-likelihood of each child given all others, which none of its families exceeds
    moments: Annotated[FloatArray, "G, n_features, n_features"]
    given: Annotated[FloatArray, "n_features + 1, n_features"]  # buffer: covariances given the last family's parents
    square: Annotated[FloatArray, "n_features, n_features"]  # buffer: covariances of the features of the last family
    chosen: Annotated[IntArray, "n_features"]  # buffer: these features
    n_features: int  # at least 1
    in_use: int  # 0: families are scored by their counts


@record
class ScoreContext(NamedTuple):
    """Everything a compiled search needs to ask for local scores."""

    kernels: Kernels
    sample: Sample
    original_sample: Sample  # the given data, their columns in their own order, without masks
    work: Workspace
    split: SplitBuffer
    cell: CountFunction
    configuration: CountFunction
    penalty: FloatArray  # (V,) nats per free parameter, by the child: its rows may be fewer
    score_without_parents: FloatArray  # (V,) of each child, counted, as of all its rows; used where cells are missing
    log_prior: FloatArray  # (V + 1,) of a family, by its number of parents
    most_configurations: float  # of a family that is not ruled out, without its variable of the fewest states
    regrets: FloatArray  # ln C(N, K) by K, for each child; empty where the score has no quotient
    row_worth: float  # effective rows that one row is worth: 1, or less where rows depend on each other
    n_regrets: int  # of one child
    regrets_apart: int  # from one child's to the next one's; 0 where as many rows count for all
    memory_keys: UInt64Array  # families whose score is remembered
    memory_values: FloatArray
    n_memory: int
    memory_epoch: UInt64Array  # (1,) differs from sample to sample: none remembers another's scores
    prior: Prior  # its prior network; empty without one
    blocks: Blocks
    order: IntArray  # (V,) the data's column at each place of the sample
    scored: IntArray  # (1,) how many families were counted so far
    stop: UInt8Array  # (1,) not 0: end the search, with what there is


#: The context behind the handle that a search is called with (``LocalScores.handle``).
score_context = record_from(ScoreContext)

_CONTEXT, _COLUMNS, _NUMBERS = RecordType(ScoreContext), types.CPointer(types.int64), types.CPointer(types.float64)
_FLAGS = types.CPointer(types.uint8)

#: The kernels' signatures; a family is (child, parents, number of parents).
FAMILY = types.float64(_CONTEXT, types.int64, _COLUMNS, types.int64)
ONE_MORE = types.int64(_CONTEXT, types.int64, _COLUMNS, types.int64, _FLAGS, types.float64, _NUMBERS)
VALUE = types.float64(_CONTEXT, types.int64, types.float64, types.float64, types.int64)
REGRET_OF = types.float64(_CONTEXT, types.int64, types.float64, types.float64)

#: ``local_score(context, child, parents, k)``: local score of ``child`` with ``parents[:k]`` (sorted columns), nats.
local_score = caller(ScoreContext, "local_score", FAMILY)
#: ``cached_score(context, child, parents, k)``: the same for a family that may come up again.
cached_score = caller(ScoreContext, "cached_score", FAMILY)
#: ``counted_score(context, child, parents, k)``: what the counts, or the moments of blocks, contribute to it.
counted_score = caller(ScoreContext, "counted_score", FAMILY)
#: ``scores_with_one_more(context, child, parents, k, wanted, at_least, out)``: see ``family_scores``.
scores_with_one_more = caller(ScoreContext, "scores_with_one_more", ONE_MORE)
value_of_count = caller(ScoreContext, "value_of_count", VALUE)
_quotient_regret = caller(ScoreContext, "quotient_regret", REGRET_OF)


@inlined
def stopped(context: ScoreContext) -> bool:
    """Return whether the search is to end now, with the best graph so far; looked at between any two families."""
    return context.stop[0] != 0  # type: ignore[no-any-return]


@inlined
def configurations(context: ScoreContext, parents: Pointer, k: int) -> float:
    """Return the number q of parent configurations, as a float: it may exceed any integer type."""
    q = 1.0
    for i in range(k):
        q *= context.sample.arities[parents[i]]
    return q


@inlined
def fewest_states(context: ScoreContext, parents: Pointer, k: int, arity: float) -> float:
    """Return the number of states of the variable in a family that has the fewest."""
    for i in range(k):
        arity = min(arity, context.sample.arities[parents[i]])
    return arity


@inlined
def keys_of_counts(context: ScoreContext, q: float, arity: float, n_configurations: int) -> tuple[float, float]:
    """Return the keys of the two count functions for a family (see ``_count_terms``)."""
    if context.configuration.form == SHARED:
        return q * arity, q
    if context.configuration.form == OBSERVED:
        return n_configurations * arity, float(n_configurations)
    return 1.0, arity


@inlined
def own_rows(sample: Sample, child: int) -> int:
    """Return where the weights of the rows that count for a child begin."""
    return (child + 1) * sample.n_own


@inlined
def family_rows_at(sample: Sample) -> int:
    """Return where the weights of the rows in which a whole family is seen stand."""
    return (sample.n_variables + 1) * sample.n_own


@inlined
def own_mask(sample: Sample, child: int) -> int:
    """Return the first word of the mask of the rows that count for a child; -1 where all do."""
    return (sample.first_own + child) * sample.n_words if sample.n_own > 0 else -1


#: Nats for each parent of a family that is ruled out, and for each of ``most_configurations``, one for two rows of the
#: data: a row of 65,535 states gains at most 11.1, and a resample has up to four rows for each of them.
_RULED_OUT = 200.0


@inlined
def penalty_of(context: ScoreContext, child: int, q: float, arity: float, k: int, fewest: float) -> float:
    """Return what is subtracted for k parents whatever the counts, nats: penalty, regret and structure prior.

    Never negative; since the rest is a log-probability, no local score exceeds its negative. A family that is ruled
    out pays for each parent more than any rows could gain, so that only required parents remain of it.
    """
    total = -context.log_prior[k]
    if q * arity > context.most_configurations * fewest:
        total += _RULED_OUT * context.most_configurations * k
    if context.penalty[child] > 0.0:
        total += context.penalty[child] * q * (arity - 1.0)
    if context.n_regrets > 0:
        total += _quotient_regret(context, child, q, arity)
    return total  # type: ignore[no-any-return]


@inlined
def penalty_of_blocks(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return what is subtracted for k parents where families are blocks, nats: penalty and structure prior."""
    size, of_parents = context.blocks.size[child], 0
    for i in range(k):
        of_parents += context.blocks.size[parents[i]]
    return context.penalty[child] * (size * (of_parents + 1) + size * (size + 1) / 2) - context.log_prior[k]  # type: ignore[no-any-return]


@compiled
def upper_bound(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return an upper bound on the score of a family, nats, from its size alone and as if it were not ruled out."""
    if context.blocks.in_use != 0:
        return context.blocks.highest[child] - penalty_of_blocks(context, child, parents, k)  # type: ignore[no-any-return]
    arity = float(context.sample.arities[child])
    return -penalty_of(context, child, configurations(context, parents, k), arity, k, np.inf)


@compiled
def bound_of_supersets(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return an upper bound on the score of any superset of these parents, nats, from their penalty, which grows.

    A structure prior and a quotient's regret need not, and are left out.
    """
    if context.blocks.in_use != 0:
        return context.blocks.highest[child] - penalty_of_blocks(context, child, parents, k) - context.log_prior[k]  # type: ignore[no-any-return]
    penalty, arity = context.penalty[child], float(context.sample.arities[child])
    return -penalty * configurations(context, parents, k) * (arity - 1.0) if penalty > 0.0 else 0.0


@compiled
def family_key(child: int, parents: Pointer, k: int) -> np.uint64:
    """Return a 64-bit key of a family, for any order of its parents; among a million, two are equal with 1e-7."""
    key = mix(np.uint64(child) + np.uint64(1))
    for i in range(k):
        key ^= mix((np.uint64(parents[i]) + np.uint64(1)) << np.uint64(20))
    return key


@compiled
def local_score_and_bound(context: ScoreContext, child: int, parents: Pointer, k: int) -> tuple[float, float]:
    """Return the local score, and an upper bound on that of any superset of these parents, nats.

    A marginal likelihood gives the first row of each observed configuration probability 1 / r, so it is at most
    ``-(observed configurations) ln r``, and a superset observes no fewer (de Campos & Ji 2011, Lemma 6). A row that is
    worth w < 1 gives at most w times as much, since the marginal likelihood is convex in the worth.
    """
    score = local_score(context, child, parents, k)
    if context.prior.tree.n_cliques > 0:
        return score, np.inf
    bound = bound_of_supersets(context, child, parents, k)
    if context.configuration.form in (SHARED, OFFSET, OBSERVED):
        bound -= context.work.observed[0] * np.log(float(context.sample.arities[child])) * context.row_worth
    return score, bound


# Room for a sample and for what is computed from it: the arrays behind a score context.

_LARGEST_MASKS = 256 * 2**20  # bytes, once by rows and once by columns
SMALLEST_TABLE = 1 << 16  # cells: what fits a core's second cache


def empty_masks(n_masks: int, n_words: int, n_own: int = 0) -> tuple[UInt64Array, UInt64Array]:
    """Allocate the masks of a sample, one per row and one per column; ``n_own`` more by rows, if there are any."""
    n_columns = (n_masks + LANES - 1) // LANES * LANES
    n_rows = n_masks + n_own if n_words else 0
    return np.zeros((n_rows, n_words), dtype=np.uint64), np.zeros((n_words, n_columns), dtype=np.uint64)


def shape_of_masks(arities: IntArray, n_rows: int, n_distinct: int, unused: bool) -> tuple[int, int]:
    """Return the number of masks and of words in each; zeros if too large, never faster, or not used."""
    n_words = (n_rows + 63) // 64
    n_masks = int(arities.sum())
    can_win = 4 * n_words < 6 * n_distinct  # in the smallest family, two variables of two states (see ``counting``)
    if unused or not can_win or n_masks * n_words * 8 > _LARGEST_MASKS:
        return 0, 0
    return n_masks, n_words


_NO_MASKS = np.zeros((0, 0), dtype=np.uint64)


def sample_of(codes: UInt16Array, weights: Int32Array, arities: IntArray, seen: UInt8Array) -> Sample:
    """Return the sample of these arrays, without masks; ``weights`` of (V + 2, D) has those of each child."""
    n_variables, n_distinct = codes.shape
    family_rows = np.full(n_variables, weights.reshape(-1, n_distinct)[0].sum(dtype=np.int64))
    n_own = n_distinct if weights.size > n_distinct else 0
    sizes = int(family_rows[0]), n_variables, n_distinct, 0, 0, n_own, int(seen.size > 0)
    by_states = arities.argsort(kind="stable")
    first_mask = np.zeros(n_variables, dtype=np.int64)
    first_mask[by_states[1:]] = arities[by_states].cumsum()[:-1]
    rows = family_rows, family_rows.copy(), seen
    first_own = int(arities.sum())
    return Sample(codes, weights, arities, _NO_MASKS, _NO_MASKS, first_mask, by_states, *rows, *sizes, first_own)


@compiled
def show_columns(handle: Handle, order: IntArray) -> None:
    """Show the given data's columns in an order; weights stay, and so do the places of masks, which are not filled."""
    context = score_context(handle)
    sample, given, place_of = context.sample, context.original_sample, context.work.states
    for place in range(sample.n_variables):
        column = order[place]
        context.order[place] = column
        place_of[column] = place
        sample.arities[place] = given.arities[column]
        sample.first_mask[place] = given.first_mask[column]
        here, there = place * sample.n_distinct, column * sample.n_distinct
        for d in range(sample.n_distinct):
            sample.codes[here + d] = given.codes[there + d]
    for number in range(sample.n_variables):
        sample.by_states[number] = place_of[given.by_states[number]]


def workspace(n_variables: int, n_distinct: int, n_words: int) -> Workspace:
    """Allocate buffers for samples of that size."""
    n_slots = 1 << max(4, (2 * n_distinct).bit_length())
    table_size = max(SMALLEST_TABLE, 2 * n_distinct)
    return allocate(Workspace, V=n_variables, D=n_distinct, W=n_words, table_size=table_size, n_slots=n_slots)
