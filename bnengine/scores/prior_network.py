"""A prior network made ready for BDe: its calibrated junction tree and the data's rows, as arrays; and its marginals.

BDe's prior counts alpha_ijk = M0 P(x_i, pa_i | B0) (Heckerman, Geiger & Chickering 1995, Eq. 28) need marginals of the
prior network B0 for any family, whose parents need not be parents in B0. The tree is calibrated once and asked by
``collect``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt16Array, UInt64Array
from bnengine._jit.compiled import compiled
from bnengine._jit.records import allocate, layout_of, record
from bnengine.data.checked_frame import recoded
from bnengine.data.dataset import Dataset
from bnengine.networks.inference import JunctionTree, junction_tree
from bnengine.networks.network import BayesianNetwork

#: Numbers in all cliques' tables together; beyond, a prior network is refused: one family would take seconds.
LARGEST_PRIOR_TREE = 1_000_000
_MOST_AT_ONCE = 1024  # joint states whose probabilities are found together
_MESSAGES = 1 << 22  # numbers in all messages together
_SETS = 1 << 16  # remembered marginals
_REMEMBERED = 1 << 22  # numbers in all of them together


@record
class PriorTree(NamedTuple):
    """A calibrated junction tree as arrays; cliques are numbered from the root outward. Empty without a network.

    A clique of another connected part hangs from clique 0, with which it shares nothing.
    """

    top: IntArray  # (variables,) the clique nearest the root that has the variable
    stride: IntArray  # (variables,) cells from one of its states to the next there
    arities: IntArray  # (variables,)
    above: IntArray  # (C,) the neighbour nearer the root; -1 at the root
    first_cell: IntArray  # (C + 1,) where a clique's cells begin
    joint: FloatArray  # (cells,) probability of the clique's state
    conditional: FloatArray  # (cells,) of it given what the clique shares with the one above
    shared: Int32Array  # (cells,) number of the shared variables' state
    first_shared: IntArray  # (C + 1,) where these states begin, those of all cliques numbered through
    first_seen: IntArray  # (C,) where this clique's part of ``seen`` begins
    seen: Int32Array  # for each cell of the clique above, the number of the shared variables' state
    n_cliques: int  # C


@record
class PriorBuffers(NamedTuple):
    """What inference writes to, and the marginals remembered; one per thread. K joint states are asked for at once."""

    variables: Annotated[IntArray, "V + 1"]  # those asked for
    rows_shown: Annotated[IntArray, "D + 1"]  # a row that has each joint state
    below: Annotated[IntArray, "C"]  # how many of the variables have their top at or below a clique
    first_child: Annotated[IntArray, "C"]  # of those with variables at or below; -1: none
    next_child: Annotated[IntArray, "C"]  # of the same clique above; -1: none
    own: Annotated[IntArray, "most"]  # the state of a clique's own variables in each joint state
    product: Annotated[FloatArray, "most"]
    messages: Annotated[FloatArray, "S * most"]  # by clique, shared state and joint state
    set_keys: Annotated[UInt64Array, "n_sets"]  # sets of variables whose marginal is remembered, for all resamples
    set_starts: Annotated[IntArray, "n_sets"]  # where each begins in ``probabilities``
    probabilities: Annotated[FloatArray, "n_probabilities"]  # of the joint states that rows show, by rank
    n_cached: Annotated[IntArray, "1"]  # numbers in it so far
    most: int  # K
    n_sets: int
    n_probabilities: int


@record
class Prior(NamedTuple):
    """The prior network of a score on given data: everything that its compiled inference needs."""

    tree: PriorTree
    buffers: PriorBuffers
    ess: float
    variable_of: IntArray  # (V,) the network's variable for each column of the data
    rows: UInt16Array  # (variables, D) the distinct rows in the network's state numbers
    n_distinct: int  # D
    row_worth: float  # effective rows that one row is worth


def prior_of(network: BayesianNetwork, ess: float, data: Dataset) -> Prior:
    """Return the network ready for the data's rows, whose columns and states are found by name.

    Variables of the network alone are summed out. A ValueError if the network
    lacks a variable or state of the data, or is too densely joined for inference.
    """
    n_distinct = data.multiplicities.size
    network.check_states(data, "prior network")
    tree = _tree_of(network)
    place = {name: v for v, name in enumerate(network.names)}
    variable_of = _integers([place[name] for name in data.names])
    rows = np.zeros((len(network.names), n_distinct), dtype=np.uint16)
    theirs = [network.states[v] for v in variable_of]
    rows[variable_of] = recoded(data.distinct_codes.T, data.states, theirs).T
    return Prior(tree, _buffers(tree, n_distinct), ess, variable_of, rows, n_distinct, data.worth)


@lru_cache(maxsize=8)
def _tree_of(network: BayesianNetwork) -> PriorTree:
    tree = _small_enough(network)
    beliefs, _ = tree.beliefs({})
    arities = [len(states) for states in network.states]
    above = [max(up, 0) for up in tree.above]
    above[0] = -1
    joint, conditional, shared, n_shared, seen = [], [], [], [], []
    for c, (clique, belief) in enumerate(zip(tree.cliques, beliefs, strict=True)):
        nearer = tree.cliques[above[c]] if c else ()
        common = tuple(v for v in clique if v in nearer)
        total = belief.sum(axis=tuple(axis for axis, v in enumerate(clique) if v not in common), keepdims=True)
        joint.append(belief.ravel())
        conditional.append(np.divide(belief, total, out=np.zeros_like(belief), where=total > 0).ravel())
        shared.append(_numbers(clique, common, arities))
        n_shared.append(math.prod(arities[v] for v in common))
        seen.append(_numbers(nearer, common, arities) if c else np.zeros(0, dtype=np.int32))
    top = [next(c for c, clique in enumerate(tree.cliques) if v in clique) for v in range(len(arities))]
    stride = [math.prod(arities[u] for u in tree.cliques[c] if u > v) for v, c in enumerate(top)]
    return PriorTree(
        top=_integers(top),
        stride=_integers(stride),
        arities=_integers(arities),
        above=_integers(above),
        first_cell=_integers(np.cumsum([0, *(table.size for table in joint)])),
        joint=np.concatenate(joint),
        conditional=np.concatenate(conditional),
        shared=np.concatenate(shared),
        first_shared=_integers(np.cumsum([0, *n_shared])),
        first_seen=_integers(np.cumsum([0, *(numbers.size for numbers in seen[:-1])])),
        seen=np.concatenate(seen),
        n_cliques=len(above),
    )


def _integers(numbers: npt.ArrayLike) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def _small_enough(network: BayesianNetwork) -> JunctionTree:
    """Return the network's junction tree, or a ValueError in the words of a prior."""
    remedy = f"take a prior network with fewer parents than '{network.title}' has, or BDeu"
    try:
        tree = junction_tree(network)
    except ValueError as error:
        raise ValueError(f"the prior counts of BDe need inference in the prior network; {error}: {remedy}") from error
    size = sum(table.size for table in tree.potentials)
    if size > LARGEST_PRIOR_TREE:
        raise ValueError(
            f"the prior counts of BDe need inference in the prior network, here in tables of {size:,} numbers for each "
            f"family; at most {LARGEST_PRIOR_TREE:,} are allowed: {remedy}"
        )
    return tree


def _numbers(clique: tuple[int, ...], some: tuple[int, ...], arities: list[int]) -> Int32Array:
    """Return for each cell of a clique the number of the state of some of its variables, the first most significant."""
    states = np.indices([arities[v] for v in clique], dtype=np.int32)
    numbers = np.zeros(states.shape[1:], dtype=np.int32)
    for v in some:
        numbers = numbers * np.int32(arities[v]) + states[clique.index(v)]
    return numbers.ravel()


def _buffers(tree: PriorTree, n_distinct: int) -> PriorBuffers:
    exists, n_shared = tree.n_cliques > 0, int(tree.first_shared.max(initial=0))
    return allocate(
        PriorBuffers,
        V=tree.top.size,
        D=n_distinct,
        C=tree.n_cliques,
        S=n_shared,
        most=min(max(_MESSAGES // max(n_shared, 1), 16), _MOST_AT_ONCE) if exists else 0,
        n_sets=_SETS if exists else 0,
        n_probabilities=max(_REMEMBERED, n_distinct) if exists else 0,
    )


_NOWHERE = _integers([])
_NOTHING: dict[str, Any] = {name: np.zeros(0, field.dtype) for name, field in layout_of(PriorTree)[0].items()}
_EMPTY = PriorTree(**{**_NOTHING, "n_cliques": 0})
#: Shared by all scores without a network, which read no more than that it has no cliques.
NO_PRIOR = Prior(_EMPTY, _buffers(_EMPTY, 0), 0.0, _NOWHERE, np.zeros((0, 0), dtype=np.uint16), 0, 1.0)


# Marginals of a prior network at the joint states that rows show, in compiled code.
#
# They are collected along the part of the calibrated junction tree that joins the variables: from the outermost
# cliques inward, each clique sends a message for itself and those below to the clique above, until one has received
# all of them (Koller & Friedman 2009, Algorithm 10.4). A message has a number for each state of the variables that
# two cliques share and each joint state. Only joint states that rows show are asked for, so the cost is bounded by rows
# times the tree's size, whatever the number of variables.


@compiled
def collect(prior: Prior, n_ranks: int, k: int, start: int) -> None:
    """Write the probabilities of the joint states of ``variables[:k]`` in the rows ``rows_shown``."""
    buffers, tree = prior.buffers, prior.tree
    if k == 0:
        buffers.probabilities[start] = 1.0
        return
    meeting = _join(prior, k)
    for begin in range(0, n_ranks, buffers.most):
        n = min(buffers.most, n_ranks - begin)
        for c in range(tree.n_cliques - 1, meeting - 1, -1):
            if buffers.below[c] > 0:
                _send(prior, c, c == meeting, n, _number_own_states(prior, c, begin, n, k))
        for i in range(n):
            message = buffers.messages[tree.first_shared[meeting] * buffers.most + i]
            buffers.probabilities[start + begin + i] = message


@compiled
def _join(prior: Prior, k: int) -> int:
    """Link the cliques with variables at or below them; return the one where all messages meet."""
    buffers, tree = prior.buffers, prior.tree
    for c in range(tree.n_cliques):
        buffers.below[c] = 0
        buffers.first_child[c] = -1
    for i in range(k):
        c = tree.top[buffers.variables[i]]
        while c >= 0:
            buffers.below[c] += 1
            c = tree.above[c]
    meeting = 0
    for c in range(tree.n_cliques):
        if buffers.below[c] == k:
            meeting = c  # the last: those with all variables lie on one way from the root
        if buffers.below[c] > 0 and c > 0:
            buffers.next_child[c] = buffers.first_child[tree.above[c]]
            buffers.first_child[tree.above[c]] = c
    return meeting


@compiled
def _number_own_states(prior: Prior, c: int, begin: int, n: int, k: int) -> int:
    """Write to ``own`` the number of the state that the clique's own variables have in each joint state.

    Returns how many variables these are; they are moved to the front.
    """
    own, tree, shown, variables = prior.buffers.own, prior.tree, prior.buffers.rows_shown, prior.buffers.variables
    n_own = 0
    for j in range(k):
        v = variables[j]
        if tree.top[v] == c:
            variables[j], variables[n_own] = variables[n_own], v
            n_own += 1
    for i in range(n if n_own else 0):
        own[i] = 0
    for j in range(n_own):
        v = variables[j]
        for i in range(n):
            own[i] = own[i] * tree.arities[v] + prior.rows[v * prior.n_distinct + shown[begin + i]]
    return n_own


@compiled
def _send(prior: Prior, c: int, is_last: bool, n: int, n_own: int) -> None:
    """Write the clique's message: the probability of each joint state at and below it, given each shared state.

    At the clique where all meet: the probability of each joint state.
    """
    buffers, tree, messages, product = prior.buffers, prior.tree, prior.buffers.messages, prior.buffers.product
    first, first_cell = tree.first_shared[c] * buffers.most, tree.first_cell[c]
    for m in range(n if is_last else n * (tree.first_shared[c + 1] - tree.first_shared[c])):
        messages[first + m] = 0.0
    for cell in range(tree.first_cell[c + 1] - first_cell):
        factor = tree.joint[first_cell + cell] if is_last else tree.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        state = 0
        for j in range(n_own):
            v = buffers.variables[j]
            state = state * tree.arities[v] + (cell // tree.stride[v]) % tree.arities[v]
        for i in range(n):
            product[i] = factor if n_own == 0 or buffers.own[i] == state else 0.0
        child = buffers.first_child[c]
        while child >= 0:
            message_start = tree.first_shared[child] * buffers.most + tree.seen[tree.first_seen[child] + cell] * n
            for i in range(n):
                product[i] *= messages[message_start + i]
            child = buffers.next_child[child]
        out = first + (0 if is_last else tree.shared[first_cell + cell] * n)
        for i in range(n):
            messages[out + i] += product[i]
