"""Missing cells drawn from their exact distribution given the cells that are seen in the same row.

Given the seen cells, what is left of a row is a product of tables over its missing variables. These are eliminated one
after the other, the cheapest first; then each is drawn given those that were eliminated after it (Dechter 1999; the
forward filtering, backward sampling of Frühwirth-Schnatter 1994 is the same for a chain). So missing variables that
seen ones separate never meet in a table, and what is missing without anything seen among its descendants is drawn
from its parents, as in sampling from the network.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt16Array, UInt64Array
from bnengine._jit.compiled import Pointer, compiled
from bnengine._jit.hashing import mix
from bnengine._jit.records import Handle, handle_of, record, record_from
from bnengine.graphs.dag import topological_order
from bnengine.networks._families import families_from
from bnengine.networks.inference import EvidenceError
from bnengine.networks.network import BayesianNetwork

#: Cells of the largest table that one row's elimination may need. Beyond, the row is drawn by Gibbs sweeps.
MOST_CELLS = 2**16
#: A message over a table of so many cells has at most so many variables: those with one state are never missing.
_MOST_MEMBERS = 16
#: Cells of all messages of one row together.
_MOST_ROOM = 2**20
#: Sweeps over the missing variables of a row whose elimination would need a larger table.
SWEEPS = 100
_MISSING, _SET = 1, 2


class CompletedRows(NamedTuple):
    """Rows with every missing cell drawn."""

    codes: UInt16Array  # (N, V)
    n_swept: int  # rows that were drawn by Gibbs sweeps rather than exactly


def complete_rows(
    network: BayesianNetwork,
    codes: npt.NDArray[np.uint16],
    missing: BoolArray,
    rng: np.random.Generator,
    was_set: BoolArray | None = None,
) -> CompletedRows:
    """Draw each row's missing cells from their joint distribution given the row's seen cells.

    The draw does not depend on the order of the columns.

    Parameters
    ----------
    network : BayesianNetwork
        Over the variables and states of the columns.
    codes : ndarray of uint16, shape (N, V)
        What stands in missing cells is not read.
    missing : ndarray of bool, shape (N, V)
    rng : Generator
    was_set : ndarray of bool, shape (N, V), optional
        Where an experiment set the variable: its parents do not tell of it in that row (Pearl 2009, Eq. 3.10). A state
        that was set and is missing has the uniform distribution before its children are seen.

    Raises
    ------
    EvidenceError
        If the seen cells of a row have probability 0 under the network.
    """
    by_name = sorted(range(len(network.names)), key=network.names.__getitem__)
    drawing = _drawing(network, by_name, codes, missing, rng, was_set)
    tally = np.zeros(2, dtype=np.int64)
    impossible = _draw_rows(handle_of(drawing), len(codes), tally)
    if impossible >= 0:
        raise EvidenceError(
            f"row {impossible + 1:,}: its seen cells cannot occur together under the network; fit the network with "
            "ess=1, which gives no state probability 0"
        )
    completed = np.empty_like(drawing.codes)
    completed[:, by_name] = drawing.codes
    return CompletedRows(completed, int(tally[0]))


@record
class _Drawing(NamedTuple):
    """The network, the rows, and room to eliminate the missing variables of one row.

    A factor is a table over some of the row's missing variables: what is left of a family's table once the states of
    the seen ones are given, or a message. Its value is ``cells[base + sum of stride * state]`` over its entries.
    """

    codes: UInt16Array  # (N, V) each missing cell is replaced by what is drawn
    absent: UInt8Array  # (N, V) _MISSING and _SET, added
    random: UInt64Array  # (1,) state of the random numbers
    order: IntArray  # (V,) parents first
    arities: IntArray  # (V,)
    parents: IntArray  # (E,) see Families
    first_parent: IntArray  # (V + 1,)
    first_cell: IntArray  # (V + 1,)
    children: IntArray  # (E,)
    first_child: IntArray  # (V + 1,)
    cells: FloatArray  # probabilities of all tables, then room for messages
    n_variables: int
    n_probabilities: int
    waiting: IntArray  # (V,) missing variables not yet eliminated
    barren: UInt8Array  # (V,) missing, and so are all descendants
    made: IntArray  # (V,) the last row for which the variable's family was made a factor
    base: IntArray  # (2 V,) of each factor
    entry: IntArray  # (2 V + 1,) its first entry
    gone: UInt8Array  # (2 V,) whether a variable took it with it
    member: IntArray  # variable of each entry
    stride: IntArray
    factor: IntArray  # of each entry
    next: IntArray  # the next entry of the same variable; -1 at the end
    head: IntArray  # (V,) the first entry of each variable
    tail: IntArray  # (V,) the last
    cost: FloatArray  # (V,) cells of the table that eliminating a variable needs
    mark: IntArray  # (V,) the last variable whose neighbours were looked for and included this one
    place: IntArray  # (V,) of a neighbour among these
    around: IntArray  # (V,) the neighbours
    taken: IntArray  # (2 V,) factors in the order in which they were eliminated
    eliminated: IntArray  # (V,) variables in that order
    first_taken: IntArray  # (V + 1,) the first factor that each took with it
    offset: IntArray  # (2 V,) cell of each taken factor at the present states of the neighbours
    step: IntArray  # (2 V, _MOST_MEMBERS) its stride for each neighbour
    own_step: IntArray  # (2 V,) and for the variable itself
    digit: IntArray  # (V,) the present states
    weights: FloatArray  # (largest arity,)
    stamp: IntArray  # (1,) of ``mark``


_drawing_from = record_from(_Drawing)


def _drawing(
    network: BayesianNetwork,
    by_name: list[int],
    codes: npt.NDArray[Any],
    missing: BoolArray,
    rng: np.random.Generator,
    was_set: BoolArray | None,
) -> _Drawing:
    """Return the network and the rows with the variables in alphabetical order, and room for one row."""
    n, place = len(by_name), {v: at for at, v in enumerate(by_name)}
    parents = [[place[p] for p in network.parents[v]] for v in by_name]
    order = topological_order(network.adjacency[np.ix_(by_name, by_name)]) or []
    families = families_from(parents, [len(network.states[v]) for v in by_name], order)
    children = [[c for c in range(n) if v in parents[c]] for v in range(n)]
    cells = np.empty(families.n_cells + _MOST_ROOM)
    cells[: families.n_cells] = np.concatenate([network.tables[v].ravel() for v in by_name])
    absent = missing[:, by_name].astype(np.uint8)
    if was_set is not None:
        absent += np.uint8(_SET) * was_set[:, by_name].astype(np.uint8)
    n_entries = len(families.parents) + n * (1 + _MOST_MEMBERS)

    def numbers(size: int) -> IntArray:
        return np.zeros(size, dtype=np.int64)

    return _Drawing(
        codes=np.array(codes[:, by_name], dtype=np.uint16, order="C"),
        absent=np.ascontiguousarray(absent),
        random=rng.integers(0, 2**64, 1, dtype=np.uint64),
        **families._asdict(),
        children=np.array([c for of in children for c in of], dtype=np.int64),
        first_child=np.cumsum([0, *map(len, children)], dtype=np.int64),
        cells=cells,
        n_variables=n,
        n_probabilities=families.n_cells,
        waiting=numbers(n),
        barren=np.zeros(n, dtype=np.uint8),
        made=numbers(n),
        base=numbers(2 * n),
        entry=numbers(2 * n + 1),
        gone=np.zeros(2 * n, dtype=np.uint8),
        member=numbers(n_entries),
        stride=numbers(n_entries),
        factor=numbers(n_entries),
        next=numbers(n_entries),
        head=numbers(n),
        tail=numbers(n),
        cost=np.zeros(n),
        mark=numbers(n),
        place=numbers(n),
        around=numbers(n),
        taken=numbers(2 * n),
        eliminated=numbers(n),
        first_taken=numbers(n + 1),
        offset=numbers(2 * n),
        step=numbers(2 * n * _MOST_MEMBERS),
        own_step=numbers(2 * n),
        digit=numbers(n),
        weights=np.zeros(int(families.arities.max())),
        stamp=numbers(1),
    )


@compiled
def _draw_rows(handle: Handle, n_rows: int, tally: IntArray) -> int:
    """Draw the missing cells of all rows; returns the first row that is impossible, or -1."""
    drawing = _drawing_from(handle)
    for row in range(n_rows):
        n_missing = _list_missing(drawing, row)
        if n_missing == 0:
            continue
        n_barren = _take_barren(drawing, row, n_missing)
        if _eliminate_all(drawing, row, n_missing, n_barren):
            if not _draw_back(drawing, row, n_missing):
                return row
        else:
            tally[0] += 1
            _sweep(drawing, row)
    return -1


@compiled
def _list_missing(drawing: _Drawing, row: int) -> int:
    """List the missing variables of a row, parents first; returns how many."""
    first, n_missing = row * drawing.n_variables, 0
    for at in range(drawing.n_variables):
        v = drawing.order[at]
        if drawing.absent[first + v] & _MISSING:
            if drawing.arities[v] == 1:
                drawing.codes[first + v] = 0
                drawing.absent[first + v] -= _MISSING
                continue
            drawing.waiting[n_missing] = v
            drawing.head[v] = -1
            drawing.barren[v] = 0
            n_missing += 1
    return n_missing


@compiled
def _take_barren(drawing: _Drawing, row: int, n_missing: int) -> int:
    """Eliminate the variables of which no descendant is seen: children first, each takes its own family with it.

    Returns how many; the others are left in ``waiting``.
    """
    first, n_barren = row * drawing.n_variables, 0
    drawing.entry[0] = 0
    drawing.first_taken[0] = 0
    for at in range(n_missing - 1, -1, -1):
        v, barren = drawing.waiting[at], 1
        for c in range(drawing.first_child[v], drawing.first_child[v + 1]):
            child = drawing.children[c]
            if not (drawing.absent[first + child] & _MISSING and drawing.barren[child]):
                barren = 0
        drawing.barren[v] = barren
        if barren:
            drawing.eliminated[n_barren] = v
            drawing.made[v] = row + 1
            n_barren += 1
    n_factors = 0
    for at in range(n_barren):
        v = drawing.eliminated[at]
        if not drawing.absent[first + v] & _SET:
            _add_family(drawing, row, v, n_factors)
            drawing.taken[n_factors] = n_factors
            n_factors += 1
        drawing.first_taken[at + 1] = n_factors
    left = 0
    for at in range(n_missing):
        v = drawing.waiting[at]
        if not drawing.barren[v]:
            drawing.waiting[left] = v
            left += 1
    return n_barren


@compiled
def _add_family(drawing: _Drawing, row: int, v: int, number: int) -> None:
    """Make a factor of a variable's family: what is left of its table given the states seen in the row."""
    first, stride, cell, e = row * drawing.n_variables, 1, drawing.first_cell[v], drawing.entry[number]
    at, u = drawing.first_parent[v + 1], v
    while True:  # the variable itself first, then its parents from the last to the first
        if drawing.absent[first + u] & _MISSING:
            drawing.member[e] = u
            drawing.stride[e] = stride
            drawing.factor[e] = number
            e += 1
        else:
            cell += stride * np.int64(drawing.codes[first + u])
        stride *= drawing.arities[u]
        at -= 1
        if at < drawing.first_parent[v]:
            break
        u = drawing.parents[at]
    drawing.base[number] = cell
    drawing.entry[number + 1] = e
    drawing.gone[number] = 0


@compiled
def _link(drawing: _Drawing, number: int) -> None:
    """Enter a factor with each of its variables."""
    for e in range(drawing.entry[number], drawing.entry[number + 1]):
        v = drawing.member[e]
        drawing.next[e] = -1
        if drawing.head[v] < 0:
            drawing.head[v] = e
        else:
            drawing.next[drawing.tail[v]] = e
        drawing.tail[v] = e


@compiled
def _eliminate_all(drawing: _Drawing, row: int, n_missing: int, n_barren: int) -> bool:
    """Eliminate what is left in ``waiting``, the cheapest first; False if that needs too large a table."""
    first, left = row * drawing.n_variables, n_missing - n_barren
    n_factors = drawing.first_taken[n_barren]
    for at in range(left):
        v = drawing.waiting[at]
        for c in range(drawing.first_child[v] - 1, drawing.first_child[v + 1]):
            u = v if c < drawing.first_child[v] else drawing.children[c]
            if drawing.made[u] == row + 1:
                continue
            drawing.made[u] = row + 1
            if not drawing.absent[first + u] & _SET:
                _add_family(drawing, row, u, n_factors)
                _link(drawing, n_factors)
                n_factors += 1
    for at in range(left):
        _find_cost(drawing, drawing.waiting[at])
    room = drawing.n_probabilities
    for done in range(n_barren, n_missing):
        best = 0
        for at in range(1, left):
            if drawing.cost[drawing.waiting[at]] < drawing.cost[drawing.waiting[best]]:
                best = at
        v = drawing.waiting[best]
        if drawing.cost[v] > MOST_CELLS or room + drawing.cost[v] > drawing.n_probabilities + _MOST_ROOM:
            return False
        left -= 1
        for at in range(best, left):
            drawing.waiting[at] = drawing.waiting[at + 1]
        drawing.eliminated[done] = v
        n_around = _find_around(drawing, v)
        _take_factors(drawing, v, done)
        if n_around:
            room = _send(drawing, v, done, n_around, n_factors, room)
            _link(drawing, n_factors)
            n_factors += 1
            for at in range(n_around):
                drawing.place[at] = drawing.around[at]
            for at in range(n_around):
                _find_cost(drawing, drawing.place[at])
    return True


@compiled
def _find_around(drawing: _Drawing, v: int) -> int:
    """List the variables that share a factor with v; returns how many."""
    stamp, n_around, link = drawing.stamp[0] + 1, 0, drawing.head[v]
    drawing.stamp[0] = stamp
    drawing.mark[v] = stamp
    while link >= 0:
        number = drawing.factor[link]
        if not drawing.gone[number]:
            for e in range(drawing.entry[number], drawing.entry[number + 1]):
                u = drawing.member[e]
                if drawing.mark[u] != stamp:
                    drawing.mark[u] = stamp
                    drawing.around[n_around] = u
                    n_around += 1
        link = drawing.next[link]
    return n_around


@compiled
def _find_cost(drawing: _Drawing, v: int) -> None:
    """Compute the number of cells of the table over v and what shares a factor with it."""
    cells = float(drawing.arities[v])
    for at in range(_find_around(drawing, v)):
        cells *= drawing.arities[drawing.around[at]]
    drawing.cost[v] = cells


@compiled
def _take_factors(drawing: _Drawing, v: int, done: int) -> None:
    """Take the factors of v out; they are what it is drawn from later."""
    n_taken, link = drawing.first_taken[done], drawing.head[v]
    while link >= 0:
        number = drawing.factor[link]
        if not drawing.gone[number]:
            drawing.gone[number] = 1
            drawing.taken[n_taken] = number
            n_taken += 1
        link = drawing.next[link]
    drawing.first_taken[done + 1] = n_taken


@compiled
def _send(drawing: _Drawing, v: int, done: int, n_around: int, number: int, room: int) -> int:
    """Make a factor of the sum over v of the product of the factors taken with it, its largest value 1.

    Returns where the next message begins.
    """
    begin, end = drawing.first_taken[done], drawing.first_taken[done + 1]
    _find_steps(drawing, v, begin, end, n_around)
    size, e = 1, drawing.entry[number]
    for at in range(n_around):
        drawing.member[e] = drawing.around[at]
        drawing.stride[e] = size
        drawing.factor[e] = number
        size *= drawing.arities[drawing.around[at]]
        drawing.digit[at] = 0
        e += 1
    drawing.base[number] = room
    drawing.entry[number + 1] = e
    drawing.gone[number] = 0
    largest = 0.0
    for cell in range(room, room + size):
        total = 0.0
        for k in range(drawing.arities[v]):
            product = 1.0
            for t in range(begin, end):
                product *= drawing.cells[drawing.offset[t] + k * drawing.own_step[t]]
            total += product
        drawing.cells[cell] = total
        if total > largest:
            largest = total
        _advance(drawing, begin, end, n_around)
    if largest > 0.0:
        for cell in range(room, room + size):
            drawing.cells[cell] /= largest
    return room + size


@compiled
def _find_steps(drawing: _Drawing, v: int, begin: int, end: int, n_around: int) -> None:
    """Find by how much each factor's cell moves with the state of v and of each neighbour."""
    for at in range(n_around):
        drawing.place[drawing.around[at]] = at
    for t in range(begin, end):
        number = drawing.taken[t]
        drawing.offset[t] = drawing.base[number]
        for at in range(n_around):
            drawing.step[t * _MOST_MEMBERS + at] = 0
        for e in range(drawing.entry[number], drawing.entry[number + 1]):
            u = drawing.member[e]
            if u == v:
                drawing.own_step[t] = drawing.stride[e]
            else:
                drawing.step[t * _MOST_MEMBERS + drawing.place[u]] = drawing.stride[e]


@compiled
def _advance(drawing: _Drawing, begin: int, end: int, n_around: int) -> None:
    """Go on to the next joint state of the neighbours, the first one fastest."""
    at = 0
    while at < n_around:
        last = drawing.arities[drawing.around[at]] - 1
        if drawing.digit[at] < last:
            drawing.digit[at] += 1
            for t in range(begin, end):
                drawing.offset[t] += drawing.step[t * _MOST_MEMBERS + at]
            return
        drawing.digit[at] = 0
        for t in range(begin, end):
            drawing.offset[t] -= last * drawing.step[t * _MOST_MEMBERS + at]
        at += 1


@compiled
def _draw_back(drawing: _Drawing, row: int, n_missing: int) -> bool:
    """Draw each variable given those eliminated after it; False if the row is impossible."""
    first = row * drawing.n_variables
    for done in range(n_missing - 1, -1, -1):
        v = drawing.eliminated[done]
        for k in range(drawing.arities[v]):
            drawing.weights[k] = 1.0
        for t in range(drawing.first_taken[done], drawing.first_taken[done + 1]):
            number = drawing.taken[t]
            cell, own = drawing.base[number], 0
            for e in range(drawing.entry[number], drawing.entry[number + 1]):
                u = drawing.member[e]
                if u == v:
                    own = drawing.stride[e]
                else:
                    cell += drawing.stride[e] * np.int64(drawing.codes[first + u])
            for k in range(drawing.arities[v]):
                drawing.weights[k] *= drawing.cells[cell + k * own]
        state = _drawn_state(drawing, drawing.arities[v])
        if state < 0:
            return False
        drawing.codes[first + v] = state
    return True


@compiled
def _drawn_state(drawing: _Drawing, arity: int) -> int:
    """Draw a state with probabilities in proportion to ``weights``; -1 if all are 0."""
    total = 0.0
    for k in range(arity):
        total += drawing.weights[k]
    if not total > 0.0:
        return -1
    left, state = _uniform(drawing.random) * total, -1
    for k in range(arity):
        if drawing.weights[k] > 0.0 and (state < 0 or left >= 0.0):
            state = k
        left -= drawing.weights[k]
    return state


@compiled
def _uniform(state: Pointer) -> float:
    """Draw a number in [0, 1), from the upper 53 bits of SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# Gibbs sweeps, for rows whose missing cells are too many and too entangled: approximate.


@compiled
def _sweep(drawing: _Drawing, row: int) -> None:
    """Draw a row's missing variables forward, then again and again, each given all others (Geman & Geman 1984)."""
    first = row * drawing.n_variables
    for sweep in range(SWEEPS + 1):
        for at in range(drawing.n_variables):
            v = drawing.order[at]
            if not drawing.absent[first + v] & _MISSING:
                continue
            for k in range(drawing.arities[v]):
                drawing.weights[k] = 1.0
            _weigh(drawing, row, v, v)
            if sweep:
                for c in range(drawing.first_child[v], drawing.first_child[v + 1]):
                    _weigh(drawing, row, v, drawing.children[c])
            state = _drawn_state(drawing, drawing.arities[v])
            if state >= 0:
                drawing.codes[first + v] = state


@compiled
def _weigh(drawing: _Drawing, row: int, v: int, owner: int) -> None:
    """Multiply the weights of the states of v by the probabilities that a family gives them, all else as it is."""
    first, stride, cell, own = row * drawing.n_variables, 1, drawing.first_cell[owner], 0
    if drawing.absent[first + owner] & _SET:
        return
    at, u = drawing.first_parent[owner + 1], owner
    while True:
        if u == v:
            own = stride
        else:
            cell += stride * np.int64(drawing.codes[first + u])
        stride *= drawing.arities[u]
        at -= 1
        if at < drawing.first_parent[owner]:
            break
        u = drawing.parents[at]
    for k in range(drawing.arities[v]):
        drawing.weights[k] *= drawing.cells[cell + k * own]
