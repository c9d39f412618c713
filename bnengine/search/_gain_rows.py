"""A graph whose single-edge changes are remembered: what each further parent gains, for every family met so far.

A *row* belongs to a child with a parent set and holds, for each variable, what the local score gains if it becomes a
parent or ceases to be one. A search that comes back to families it has seen, as every search with restarts does, counts
only what is new: changing an edge is looking up a row. The table of rows is emptied when it is full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt64Array
from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine._jit.records import UNSET, allocate, lowest, mix, popcount, random_state, record, record_from
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.score_context import ScoreContext, cached_score, scores_with_one_more
from bnengine.search._joint_sets import NO_JOINT_SETS, JointSets, sets_of
from bnengine.search.edge_changes import Graph, tolerance

Sets = UInt64Array  # bit sets of variables, row by row

_MOST_BYTES = 2**27  # of gains
_MOST_ROWS = 1 << 16


@record
class RowGraph(NamedTuple):
    """The present graph of a search, one that is kept and the best so far, as bit sets; and the rows."""

    allowed: Graph  # (V, V) [parent, child]
    required: Graph  # (V, V)
    parents: Annotated[Sets, "n_variables, n_words"]  # of each variable in the present graph
    children: Annotated[Sets, "n_variables, n_words"]
    keys: Annotated[Sets, "n_variables"]  # of the parent sets
    rows: Annotated[IntArray, "n_variables"]  # the row of each family of the present graph
    kept: Annotated[Sets, "n_variables, n_words"]  # the parents in the kept graph
    best: Annotated[Sets, "n_variables, n_words"]  # the parents in the best graph
    gains: Annotated[FloatArray, "most_rows, n_variables", UNSET]  # nats; -infinity if not allowed or without a gain
    gaining: Annotated[Sets, "most_rows, n_words", UNSET]  # the parents that gain more than rounding, if changed
    local: Annotated[FloatArray, "most_rows", UNSET]  # local score of each row's family
    most: Annotated[FloatArray, "most_rows", UNSET]  # largest gain in each row
    n_rows: Annotated[IntArray, "1"]  # rows in use
    table_keys: Annotated[Sets, "n_places"]  # hash table of the families; 0 where free
    table_rows: Annotated[Int32Array, "n_places"]  # their rows
    descendants: Annotated[Sets, "n_variables, n_words"]  # of each variable, once they are asked for
    unfinished: Annotated[IntArray, "n_variables"]  # how many children of each still wait for their descendants
    finished: Annotated[IntArray, "n_variables"]  # variables none of whose children wait
    changed: Annotated[Sets, "n_words"]  # variables whose children changed since the descendants were known
    seen: Annotated[Sets, "n_words"]  # variables visited on paths
    open: Annotated[Sets, "n_words"]  # those of them whose children are still to be visited
    needed: Sets  # (V, words) the required parents of each variable
    start: Sets  # (n_starts, V, words) the parents in a graph to start from, too, and in another to borrow from
    joint_children: IntArray  # (n_joint,) the children of families whose parents gain only together
    joint_parents: Sets  # (n_joint, words) their parents
    random: Sets  # (1,) state of the random numbers
    trace: Annotated[FloatArray, "most_steps", UNSET]  # the best score each time it rose
    max_parents: int
    n_starts: int  # 0, 1 or 2
    n_joint: int
    n_variables: int  # V
    n_words: int
    most_rows: int
    n_places: int  # a power of two
    most_steps: int


def _most_rows(n_variables: int) -> int:
    return max(min(_MOST_ROWS, _MOST_BYTES // (8 * n_variables + 1)), 4 * n_variables)


def bytes_of_search(n_variables: int) -> int:
    """Return the bytes that a search takes at most: rows of gains, and some matrices of truth values."""
    return 8 * n_variables * _most_rows(n_variables) + 8 * n_variables**2


#: The graph behind the handle that a search is called with.
row_graph = record_from(RowGraph)


def row_graph_for(
    space: SearchSpace,
    rng: np.random.Generator,
    most_steps: int,
    joint: JointSets = NO_JOINT_SETS,
    starts: Sequence[Adjacency] = (),
) -> RowGraph:
    """Return the required edges alone, no rows, and random numbers of its own."""
    n = len(space.allowed)
    most_rows = _most_rows(n)
    return allocate(
        RowGraph,
        allowed=np.ascontiguousarray(space.allowed).view(np.uint8),
        required=np.ascontiguousarray(space.required).view(np.uint8),
        random=random_state(rng),
        needed=sets_of(space.required.T),
        start=sets_of(np.concatenate([space.allowed[:0], *[one.T for one in starts]])),
        joint_children=joint.children,
        joint_parents=sets_of(joint.parents),
        n_starts=len(starts),
        n_joint=len(joint.children),
        max_parents=space.max_parents,
        n_variables=n,
        n_words=(n + 63) // 64,
        most_rows=most_rows,
        n_places=1 << (2 * most_rows - 1).bit_length(),
        most_steps=most_steps,
    )


def from_the_beginning(graph: RowGraph, rng: np.random.Generator, starts: Sequence[Adjacency] = ()) -> RowGraph:
    """Return the graph for another search, with other random numbers and starts, and the rows that are known."""
    sets = sets_of(np.concatenate([np.zeros((0, graph.n_variables), dtype=np.bool_), *[one.T for one in starts]]))
    return graph._replace(random=random_state(rng), start=sets, n_starts=len(starts))


def adjacency_of_sets(parents: Sets) -> Adjacency:
    """Return a graph given by each variable's parents, (V, words), as a matrix, [parent, child]."""
    as_bytes = parents.astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(as_bytes, axis=1, bitorder="little")[:, : len(parents)]
    return np.ascontiguousarray(bits.T).view(np.bool_)


@inlined
def bit(v: int) -> np.uint64:
    """Return the bit of a variable within its word."""
    return np.uint64(1) << np.uint64(v & 63)


@inlined
def is_in(sets: Pointer, at: int, v: int) -> bool:
    """Return whether a set, which begins at word ``at``, holds a variable."""
    return sets[at + (v >> 6)] & bit(v) != 0  # type: ignore[no-any-return]


@inlined
def toggle(sets: Pointer, at: int, v: int) -> None:
    """Add a variable to the set that begins at word ``at``, or take it away."""
    sets[at + (v >> 6)] ^= bit(v)


@inlined
def joined(graph: RowGraph, i: int, j: int) -> bool:
    """Return whether the edge i → j is present."""
    return is_in(graph.parents, j * graph.n_words, i)


@compiled
def size_of(sets: Pointer, at: int, n_words: int) -> int:
    """Count the variables in a set."""
    total = np.uint64(0)
    for w in range(at, at + n_words):
        total += popcount(sets[w])
    return np.int64(total)  # type: ignore[return-value]


@compiled
def member(sets: Pointer, at: int, n_words: int, place: int) -> int:
    """Return the member at that place, counted from 0, of a set that has so many."""
    w = at
    while True:
        word = sets[w]
        while word != 0:
            if place == 0:
                return ((w - at) << 6) + lowest(word)
            place -= 1
            word &= word - np.uint64(1)
        w += 1


@compiled
def write_members(sets: Pointer, at: int, n_words: int, out: Pointer) -> int:
    """Write a set's members to ``out``, in order; returns how many there are."""
    k = 0
    for w in range(n_words):
        word = sets[at + w]
        while word != 0:
            out[k] = (w << 6) + lowest(word)
            k += 1
            word &= word - np.uint64(1)
    return k


@compiled
def flip(graph: RowGraph, i: int, j: int) -> None:
    """Add the edge i → j, or delete it; then look up the child's row."""
    toggle(graph.parents, j * graph.n_words, i)
    toggle(graph.children, i * graph.n_words, j)
    graph.keys[j] ^= mix((np.uint64(i) + np.uint64(1)) << np.uint64(20))
    graph.changed[i >> 6] |= bit(i)


@compiled
def find_descendants(graph: RowGraph, start: int, until: int) -> bool:
    """Write to ``seen`` what ``start`` has a directed path to; return True as soon as ``until`` is met (-1: never)."""
    n_words, seen, waiting, children = graph.n_words, graph.seen, graph.open, graph.children
    for w in range(n_words):
        seen[w] = waiting[w] = children[start * n_words + w]
    w = 0
    while w < n_words and (until < 0 or not is_in(seen, 0, until)):
        word = waiting[w]
        if word == 0:
            w += 1
            continue
        waiting[w] = word & (word - np.uint64(1))
        row = ((w << 6) + lowest(word)) * n_words
        for u in range(n_words):
            fresh = children[row + u] & ~seen[u]
            if fresh != 0:
                seen[u] |= fresh
                waiting[u] |= fresh
                if u < w:
                    w = u
    return until >= 0 and is_in(seen, 0, until)


@compiled
def _find_outdated(graph: RowGraph) -> int:
    """Find the variables whose descendants may have changed, and how many children of each are among them.

    Those without such a child are written to ``finished``; returns their number. They are the variables whose edges to
    children came or went, and all present ancestors of these: of a path that lost edges, what leads to the first of
    them is still there.
    """
    n_words, seen, waiting, unfinished = graph.n_words, graph.seen, graph.open, graph.unfinished
    for w in range(n_words):
        seen[w] = waiting[w] = graph.changed[w]
        graph.changed[w] = 0
    w = 0
    while w < n_words:
        word = waiting[w]
        if word == 0:
            w += 1
            continue
        waiting[w] = word & (word - np.uint64(1))
        row = ((w << 6) + lowest(word)) * n_words
        for u in range(n_words):
            parents = graph.parents[row + u]
            fresh = parents & ~seen[u]
            seen[u] |= fresh
            waiting[u] |= fresh
            if fresh != 0 and u < w:
                w = u
            while parents != 0:
                unfinished[(u << 6) + lowest(parents)] += 1
                parents &= parents - np.uint64(1)
    n_finished, finished = 0, graph.finished
    for s in range(write_members(seen, 0, n_words, finished)):
        v = finished[s]
        if unfinished[v] == 0:
            finished[n_finished] = v
            n_finished += 1
    return n_finished


@compiled
def know_descendants(graph: RowGraph) -> None:
    """Bring ``descendants`` up to date: a variable's are its children and theirs, so children come first."""
    n_words, descendants, unfinished = graph.n_words, graph.descendants, graph.unfinished
    n_finished = _find_outdated(graph)
    while n_finished > 0:
        n_finished -= 1
        v = graph.finished[n_finished]
        at = v * n_words
        for w in range(n_words):
            descendants[at + w] = graph.children[at + w]
        for w in range(n_words):
            word = graph.children[at + w]
            while word != 0:
                child = ((w << 6) + lowest(word)) * n_words
                word &= word - np.uint64(1)
                for u in range(n_words):
                    descendants[at + u] |= descendants[child + u]
        for w in range(n_words):
            word = graph.parents[at + w]
            while word != 0:
                parent = (w << 6) + lowest(word)
                word &= word - np.uint64(1)
                unfinished[parent] -= 1
                if unfinished[parent] == 0:
                    graph.finished[n_finished] = parent
                    n_finished += 1


@compiled
def has_long_path(graph: RowGraph, i: int, j: int) -> bool:
    """Return whether i has a path to j by way of a child other than j; descendants must be known."""
    for w in range(graph.n_words):
        word = graph.children[i * graph.n_words + w]
        while word != 0:
            child = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            if child != j and is_in(graph.descendants, child * graph.n_words, j):
                return True
    return False


@compiled
def has_another_path(graph: RowGraph, i: int, j: int) -> bool:
    """Return whether i has another path to j than the edge i → j."""
    toggle(graph.children, i * graph.n_words, j)
    found = find_descendants(graph, i, j)
    toggle(graph.children, i * graph.n_words, j)
    return found


@compiled
def _fill_row(context: ScoreContext, graph: RowGraph, child: int, row: int) -> None:
    """Score the child's present family, and that with each parent more or less."""
    n, start, most = graph.n_variables, row * graph.n_variables, -np.inf
    parents, fewer, wanted = context.work.parents, context.work.fewer, context.work.wanted
    extended, gains = context.work.extended, graph.gains
    k = write_members(graph.parents, child * graph.n_words, graph.n_words, parents)
    score = cached_score(context, child, parents, k)
    for v in range(n):
        wanted[v] = graph.allowed[v * n + child] and k < graph.max_parents
    for p in range(k):
        wanted[parents[p]] = False
    scores_with_one_more(context, child, parents, k, wanted, score, extended)
    for p in range(k):
        parent = parents[p]
        if not graph.required[parent * n + child]:
            for other in range(k):
                fewer[other - (other > p)] = parents[other]
            extended[parent] = cached_score(context, child, fewer, k - 1)
    margin, gaining = tolerance(context.sample.n_rows), row * graph.n_words
    for w in range(graph.n_words):
        graph.gaining[gaining + w] = 0
    for v in range(n):
        gain = extended[v] - score if extended[v] > -np.inf else -np.inf
        gains[start + v] = gain
        if gain > margin:
            graph.gaining[gaining + (v >> 6)] |= bit(v)
        if gain > most:
            most = gain
    graph.local[row], graph.most[row] = score, most


@compiled
def _find_row(context: ScoreContext, graph: RowGraph, child: int) -> None:
    """Find the row of the child's present family, or make it; there must be room for one."""
    key = mix(graph.keys[child] ^ mix(np.uint64(child) + np.uint64(1))) | np.uint64(1)
    place = np.int64(key >> np.uint64(20)) & (graph.n_places - 1)
    while graph.table_keys[place] != key:
        if graph.table_keys[place] == 0:
            row = graph.n_rows[0]
            graph.n_rows[0] = row + 1
            graph.table_keys[place], graph.table_rows[place] = key, row
            _fill_row(context, graph, child, row)
        else:
            place = (place + 1) & (graph.n_places - 1)
    graph.rows[child] = graph.table_rows[place]


@compiled
def look_up(context: ScoreContext, graph: RowGraph, child: int) -> None:
    """Find the row of the child's present family, or make it; where there is no room all rows are made anew."""
    if graph.n_rows[0] == graph.most_rows:
        for place in range(graph.n_places):
            graph.table_keys[place] = 0
        graph.n_rows[0] = 0
        for v in range(graph.n_variables):
            _find_row(context, graph, v)
    _find_row(context, graph, child)


@compiled
def look_up_all(context: ScoreContext, graph: RowGraph) -> None:
    """Find the rows of all families of the present graph, or make them."""
    for v in range(graph.n_variables):
        look_up(context, graph, v)


@compiled
def _give_parents(graph: RowGraph, sets: Pointer, v: int) -> bool:
    """Give a variable its parents in a graph with these parent sets; returns whether they differ from those it had."""
    n_words, differ = graph.n_words, False
    for w in range(n_words):
        word = graph.parents[v * n_words + w] ^ sets[v * n_words + w]
        differ = differ or word != 0
        while word != 0:
            flip(graph, (w << 6) + lowest(word), v)
            word &= word - np.uint64(1)
    return differ


@compiled
def begin_with(graph: RowGraph, sets: Pointer) -> None:
    """Make the graph with these parent sets the present one, whose rows are then to be looked up."""
    for v in range(graph.n_variables):
        _give_parents(graph, sets, v)


@compiled
def copy_parents(graph: RowGraph, target: Pointer) -> None:
    """Keep the present graph's parent sets."""
    for w in range(graph.n_variables * graph.n_words):
        target[w] = graph.parents[w]


@compiled
def look_up_changed(context: ScoreContext, graph: RowGraph) -> None:
    """Look up the families in which the present graph differs from the kept one, whose rows are known."""
    n_words = graph.n_words
    for v in range(graph.n_variables):
        for w in range(v * n_words, (v + 1) * n_words):
            if graph.parents[w] != graph.kept[w]:
                look_up(context, graph, v)
                break


@compiled
def restore_kept_graph(context: ScoreContext, graph: RowGraph) -> None:
    """Make the kept graph the present one."""
    for v in range(graph.n_variables):
        if _give_parents(graph, graph.kept, v):
            look_up(context, graph, v)


@compiled
def score_of(graph: RowGraph) -> float:
    """Return the score of the present graph: its local scores summed in column order."""
    total = 0.0
    for v in range(graph.n_variables):
        total += graph.local[graph.rows[v]]
    return total
