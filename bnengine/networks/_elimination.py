"""One row's missing variables, eliminated and drawn in compiled code (see ``missing_cells``)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array, UInt16Array, UInt64Array
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle, draw_place, record, record_from

#: Cells of the largest table that one row's elimination may need. Beyond, the row is drawn by Gibbs sweeps.
MOST_CELLS = 2**16
#: A message over a table of so many cells has at most so many variables: those with one state are never missing.
MOST_MEMBERS = 16
#: Cells of all messages of one row together.
MOST_ROOM = 2**20
#: Sweeps over the missing variables of a row whose elimination would need a larger table.
SWEEPS = 100
ABSENT, SET = 1, 2


@record
class Drawing(NamedTuple):
    """The network, the rows, and room to eliminate the missing variables of one row.

    The probability of state k of variable v given configuration j of its parents, a mixed-radix number with the first
    parent most significant, is ``cells[first_cell[v] + j * arities[v] + k]``.

    A factor is a table over some of the row's missing variables: what is left of a family's table once the states of
    the seen ones are given, or a message. Its value is ``cells[base + sum of stride * state]`` over its entries.
    """

    codes: UInt16Array  # (N, V) each missing cell is replaced by what is drawn
    absent: UInt8Array  # (N, V) ABSENT and SET, added
    random: UInt64Array  # (1,) state of the random numbers
    order: IntArray  # (V,) parents first
    arities: IntArray  # (V,)
    parents: IntArray  # (E,) those of variable v from first_parent[v] to first_parent[v + 1]
    first_parent: IntArray  # (V + 1,)
    first_cell: IntArray  # (V + 1,)
    children: IntArray  # (E,)
    first_child: IntArray  # (V + 1,)
    cells: FloatArray  # probabilities of all tables, then room for messages
    n_variables: int
    n_probabilities: int
    waiting: Annotated[IntArray, "V"]  # missing variables not yet eliminated
    made: Annotated[IntArray, "V"]  # the last row for which the variable's family was made a factor
    base: Annotated[IntArray, "2 * V"]  # of each factor
    entry: Annotated[IntArray, "2 * V + 1"]  # its first entry
    gone: Annotated[UInt8Array, "2 * V"]  # whether a variable took it with it
    member: Annotated[IntArray, "E"]  # variable of each entry
    stride: Annotated[IntArray, "E"]
    factor: Annotated[IntArray, "E"]  # of each entry
    next: Annotated[IntArray, "E"]  # the entry of the same variable before it; -1 at the end
    head: Annotated[IntArray, "V"]  # the last entry of each variable
    cost: Annotated[FloatArray, "V"]  # cells of the table that eliminating a variable needs
    mark: Annotated[IntArray, "V"]  # the last variable whose neighbours were looked for and included this one
    place: Annotated[IntArray, "V"]  # of a neighbour among these
    around: Annotated[IntArray, "V"]  # the neighbours
    taken: Annotated[IntArray, "2 * V"]  # factors in the order in which they were eliminated
    eliminated: Annotated[IntArray, "V"]  # variables in that order
    first_taken: Annotated[IntArray, "V + 1"]  # the first factor that each took with it
    offset: Annotated[IntArray, "2 * V"]  # cell of each taken factor at the present states of the neighbours
    step: Annotated[IntArray, "2 * V, MOST_MEMBERS"]  # its stride for each neighbour
    own_step: Annotated[IntArray, "2 * V"]  # and for the variable itself
    digit: Annotated[IntArray, "V"]  # the present states
    weights: Annotated[FloatArray, "R"]
    stamp: Annotated[IntArray, "1"]  # of ``mark``


_drawing_from = record_from(Drawing)


@compiled
def draw_rows(handle: Handle, n_rows: int) -> int:
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
            _sweep(drawing, row)
    return -1


@compiled
def _list_missing(drawing: Drawing, row: int) -> int:
    """List the missing variables of a row, parents first; returns how many."""
    first, n_missing = row * drawing.n_variables, 0
    for at in range(drawing.n_variables):
        v = drawing.order[at]
        if drawing.absent[first + v] & ABSENT:
            if drawing.arities[v] == 1:
                drawing.codes[first + v] = 0
                drawing.absent[first + v] -= ABSENT
                continue
            drawing.waiting[n_missing] = v
            drawing.head[v] = -1
            n_missing += 1
    return n_missing


@compiled
def _take_barren(drawing: Drawing, row: int, n_missing: int) -> int:
    """Eliminate the variables of which no descendant is seen: children first, each takes its own family with it.

    Returns how many; the others are left in ``waiting``.
    """
    first, n_barren = row * drawing.n_variables, 0
    drawing.entry[0] = 0
    drawing.first_taken[0] = 0
    for at in range(n_missing - 1, -1, -1):
        v, barren = drawing.waiting[at], 1
        for c in range(drawing.first_child[v], drawing.first_child[v + 1]):
            if drawing.made[drawing.children[c]] != row + 1:
                barren = 0
        if barren:
            drawing.eliminated[n_barren] = v
            drawing.made[v] = row + 1
            n_barren += 1
    n_factors = 0
    for at in range(n_barren):
        v = drawing.eliminated[at]
        if not drawing.absent[first + v] & SET:
            _add_family(drawing, row, v, n_factors)
            drawing.taken[n_factors] = n_factors
            n_factors += 1
        drawing.first_taken[at + 1] = n_factors
    left = 0
    for at in range(n_missing):
        v = drawing.waiting[at]
        if drawing.made[v] != row + 1:
            drawing.waiting[left] = v
            left += 1
    return n_barren


@compiled
def _add_family(drawing: Drawing, row: int, v: int, number: int) -> None:
    """Make a factor of a variable's family: what is left of its table given the states seen in the row."""
    first, stride, cell, e = row * drawing.n_variables, 1, drawing.first_cell[v], drawing.entry[number]
    at, u = drawing.first_parent[v + 1], v
    while True:  # the variable itself first, then its parents from the last to the first
        if drawing.absent[first + u] & ABSENT:
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
def _link(drawing: Drawing, number: int) -> None:
    """Enter a factor with each of its variables."""
    for e in range(drawing.entry[number], drawing.entry[number + 1]):
        v = drawing.member[e]
        drawing.next[e] = drawing.head[v]
        drawing.head[v] = e


@compiled
def _eliminate_all(drawing: Drawing, row: int, n_missing: int, n_barren: int) -> bool:
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
            if not drawing.absent[first + u] & SET:
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
        if drawing.cost[v] > MOST_CELLS or room + drawing.cost[v] > drawing.n_probabilities + MOST_ROOM:
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
def _find_around(drawing: Drawing, v: int) -> int:
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
def _find_cost(drawing: Drawing, v: int) -> None:
    """Compute the number of cells of the table over v and what shares a factor with it."""
    cells = float(drawing.arities[v])
    for at in range(_find_around(drawing, v)):
        cells *= drawing.arities[drawing.around[at]]
    drawing.cost[v] = cells


@compiled
def _take_factors(drawing: Drawing, v: int, done: int) -> None:
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
def _send(drawing: Drawing, v: int, done: int, n_around: int, number: int, room: int) -> int:
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
def _find_steps(drawing: Drawing, v: int, begin: int, end: int, n_around: int) -> None:
    """Find by how much each factor's cell moves with the state of v and of each neighbour."""
    for at in range(n_around):
        drawing.place[drawing.around[at]] = at
    for t in range(begin, end):
        number = drawing.taken[t]
        drawing.offset[t] = drawing.base[number]
        for at in range(n_around):
            drawing.step[t * MOST_MEMBERS + at] = 0
        for e in range(drawing.entry[number], drawing.entry[number + 1]):
            u = drawing.member[e]
            if u == v:
                drawing.own_step[t] = drawing.stride[e]
            else:
                drawing.step[t * MOST_MEMBERS + drawing.place[u]] = drawing.stride[e]


@compiled
def _advance(drawing: Drawing, begin: int, end: int, n_around: int) -> None:
    """Go on to the next joint state of the neighbours, the first one fastest."""
    at = 0
    while at < n_around:
        last = drawing.arities[drawing.around[at]] - 1
        if drawing.digit[at] < last:
            drawing.digit[at] += 1
            for t in range(begin, end):
                drawing.offset[t] += drawing.step[t * MOST_MEMBERS + at]
            return
        drawing.digit[at] = 0
        for t in range(begin, end):
            drawing.offset[t] -= last * drawing.step[t * MOST_MEMBERS + at]
        at += 1


@compiled
def _weigh(drawing: Drawing, row: int, v: int, number: int) -> None:
    """Multiply the weights of the states of v by a factor, its other variables as they are in the row."""
    cell, own = drawing.base[number], 0
    for e in range(drawing.entry[number], drawing.entry[number + 1]):
        u = drawing.member[e]
        if u == v:
            own = drawing.stride[e]
        else:
            cell += drawing.stride[e] * np.int64(drawing.codes[row * drawing.n_variables + u])
    for k in range(drawing.arities[v]):
        drawing.weights[k] *= drawing.cells[cell + k * own]


@compiled
def _draw_back(drawing: Drawing, row: int, n_missing: int) -> bool:
    """Draw each variable given those eliminated after it; False if the row is impossible."""
    first = row * drawing.n_variables
    for done in range(n_missing - 1, -1, -1):
        v = drawing.eliminated[done]
        for k in range(drawing.arities[v]):
            drawing.weights[k] = 1.0
        for t in range(drawing.first_taken[done], drawing.first_taken[done + 1]):
            _weigh(drawing, row, v, drawing.taken[t])
        state = draw_place(drawing.random, drawing.weights, drawing.arities[v])
        if state < 0:
            return False
        drawing.codes[first + v] = state
    return True


# Gibbs sweeps, for rows whose missing cells are too many and too entangled: approximate.


@compiled
def _sweep(drawing: Drawing, row: int) -> None:
    """Draw a row's missing variables forward, then again and again, each given all others (Geman & Geman 1984)."""
    first = row * drawing.n_variables
    for sweep in range(SWEEPS + 1):
        for at in range(drawing.n_variables):
            v = drawing.order[at]
            if not drawing.absent[first + v] & ABSENT:
                continue
            for k in range(drawing.arities[v]):
                drawing.weights[k] = 1.0
            for c in range(drawing.first_child[v] - 1, drawing.first_child[v + 1] if sweep else drawing.first_child[v]):
                u = v if c < drawing.first_child[v] else drawing.children[c]
                if not drawing.absent[first + u] & SET:
                    _add_family(drawing, row, u, 0)
                    _weigh(drawing, row, v, 0)
            state = draw_place(drawing.random, drawing.weights, drawing.arities[v])
            if state >= 0:
                drawing.codes[first + v] = state
