"""Marginals of a prior network at the joint states that rows show, in compiled code.

They are collected along the part of the calibrated junction tree that joins the variables: from the outermost cliques
inward, each sends what it and those behind it say to the clique above, until one clique has heard of all variables
(Koller & Friedman 2009, Algorithm 10.4). A message has a number for each state of the variables that two cliques share
and each class of joint states that differ behind it. Only joint states that rows show are asked for, so the cost is
bounded by rows times the tree's size, whatever the number of variables.
"""

from typing import NamedTuple

from bnengine._core.compiled import Pointer, compiled, pointer_to
from bnengine._core.hashing import rank_in_place
from bnengine.scores.prior_network import Prior


class PriorMarginals(NamedTuple):
    """A ``Prior`` as compiled code handles it: pointers and sizes."""

    top: Pointer
    stride: Pointer
    arities: Pointer
    above: Pointer
    n_cliques: int
    first_cell: Pointer
    joint: Pointer
    conditional: Pointer
    shared: Pointer
    n_shared: Pointer
    first_seen: Pointer
    seen: Pointer
    variables: Pointer
    rows_shown: Pointer
    below: Pointer
    first_child: Pointer
    next_child: Pointer
    n_classes: Pointer
    n_own: Pointer
    first_class: Pointer
    classes: Pointer
    most: int
    first_message: Pointer
    messages: Pointer
    keys: Pointer
    starts: Pointer
    product: Pointer
    slots: Pointer
    slot_classes: Pointer
    set_keys: Pointer
    set_starts: Pointer
    n_sets: int
    probabilities: Pointer
    n_probabilities: int
    n_remembered: Pointer
    ess: float
    variable_of: Pointer
    rows: Pointer
    n_distinct: int


@compiled
def prior_marginals_of(prior: Prior) -> PriorMarginals:
    """The prior as compiled code asks it for marginals; the prior must outlive them."""
    tree, buffers = prior.tree, prior.buffers
    return PriorMarginals(
        pointer_to(tree.top),
        pointer_to(tree.stride),
        pointer_to(tree.arities),
        pointer_to(tree.above),
        tree.above.shape[0],
        pointer_to(tree.first_cell),
        pointer_to(tree.joint),
        pointer_to(tree.conditional),
        pointer_to(tree.shared),
        pointer_to(tree.n_shared),
        pointer_to(tree.first_seen),
        pointer_to(tree.seen),
        pointer_to(buffers.variables),
        pointer_to(buffers.rows_shown),
        pointer_to(buffers.below),
        pointer_to(buffers.first_child),
        pointer_to(buffers.next_child),
        pointer_to(buffers.n_classes),
        pointer_to(buffers.n_own),
        pointer_to(buffers.first_class),
        pointer_to(buffers.classes),
        buffers.classes.shape[1],
        pointer_to(buffers.first_message),
        pointer_to(buffers.messages),
        pointer_to(buffers.keys),
        pointer_to(buffers.starts),
        pointer_to(buffers.product),
        pointer_to(buffers.slots),
        pointer_to(buffers.slot_classes),
        pointer_to(buffers.set_keys),
        pointer_to(buffers.set_starts),
        buffers.set_keys.shape[0],
        pointer_to(buffers.probabilities),
        buffers.probabilities.shape[0],
        pointer_to(buffers.n_remembered),
        prior.ess,
        pointer_to(prior.variable_of),
        pointer_to(prior.rows),
        prior.rows.shape[1],
    )


@compiled
def collect(prior: PriorMarginals, n_ranks: int, k: int, start: int) -> None:
    """Write the probabilities of the joint states of ``prior.variables[:k]`` that ``prior.rows_shown`` show."""
    if k == 0:
        prior.probabilities[start] = 1.0
        return
    meeting = _join(prior, k)
    begin = 0
    while begin < n_ranks:
        n = min(prior.most, n_ranks - begin)
        free = 0
        for c in range(prior.n_cliques - 1, meeting - 1, -1):
            if prior.below[c] == 0:
                continue
            child = prior.first_child[c]
            hands_on = prior.n_own[c] == 0 and prior.next_child[child] < 0
            if hands_on:
                prior.n_classes[c] = prior.n_classes[child]
                prior.first_class[c] = prior.first_class[child]
            else:
                _classify(prior, c, begin, n, k)
            prior.first_message[c] = free
            free += prior.n_classes[c] * (1 if c == meeting else prior.n_shared[c])
            if hands_on:
                _hand_on(prior, c, child)
            else:
                _send(prior, c, meeting, k)
        for i in range(n):
            of_class = prior.first_message[meeting] + prior.classes[prior.first_class[meeting] + i]
            prior.probabilities[start + begin + i] = prior.messages[of_class]
        begin += n


@compiled
def _join(prior: PriorMarginals, k: int) -> int:
    """Link the cliques with variables at or below them; returns the one where all messages meet."""
    for c in range(prior.n_cliques):
        prior.below[c] = 0
        prior.n_own[c] = 0
        prior.first_child[c] = -1
    for i in range(k):
        c = prior.top[prior.variables[i]]
        prior.n_own[c] += 1
        while c >= 0:
            prior.below[c] += 1
            c = prior.above[c]
    meeting = 0
    for c in range(prior.n_cliques):
        if prior.below[c] == k:
            meeting = c  # the last: those with all variables lie on one way from the root
        if prior.below[c] > 0 and c > 0:
            prior.next_child[c] = prior.first_child[prior.above[c]]
            prior.first_child[prior.above[c]] = c
    return meeting


@compiled
def _classify(prior: PriorMarginals, c: int, begin: int, n: int, k: int) -> None:
    """Number the joint states by class: equal states of the clique's own variables, equal classes in those below.

    Classes with the same state of the own variables follow each other; ``prior.starts`` says where they begin.
    """
    most = prior.most
    keys, own, shows, renumbered = 0, most, 2 * most, 3 * most  # rows of prior.keys
    n_states = 1  # of the clique's own variables
    for i in range(n):
        prior.keys[keys + i] = 0
    for j in range(k):
        v = prior.variables[j]
        if prior.top[v] == c:
            for i in range(n):
                state = prior.rows[v * prior.n_distinct + prior.rows_shown[begin + i]]
                prior.keys[keys + i] = prior.keys[keys + i] * prior.arities[v] + state
            n_states *= prior.arities[v]
    for i in range(n):
        prior.keys[own + i] = prior.keys[keys + i]
    n_slots = 16
    while n_slots < 2 * n:
        n_slots *= 2
    child = prior.first_child[c]
    while child >= 0:
        rank_in_place(prior.keys, n, prior.slots, prior.slot_classes, n_slots)
        for i in range(n):
            of_child = prior.classes[prior.first_class[child] + i]
            prior.keys[keys + i] = prior.keys[keys + i] * prior.n_classes[child] + of_child
        child = prior.next_child[child]
    n_classes = rank_in_place(prior.keys, n, prior.slots, prior.slot_classes, n_slots)
    prior.n_classes[c] = n_classes
    for state in range(n_states + 1):
        prior.starts[state] = 0
    shown = 0
    for i in range(n):
        if prior.keys[keys + i] == shown:
            prior.keys[renumbered + shown] = i
            prior.starts[prior.keys[own + i]] += 1
            shown += 1
    for state in range(1, n_states + 1):
        prior.starts[state] += prior.starts[state - 1]  # where the state's classes end
    for old in range(n_classes - 1, -1, -1):
        i = prior.keys[renumbered + old]
        state = prior.keys[own + i]
        prior.starts[state] -= 1
        prior.keys[shows + prior.starts[state]] = i
        prior.keys[renumbered + old] = prior.starts[state]
    prior.first_class[c] = c * most
    for i in range(n):
        prior.classes[c * most + i] = prior.keys[renumbered + prior.keys[keys + i]]


@compiled
def _send(prior: PriorMarginals, c: int, meeting: int, k: int) -> None:
    """Write the clique's message: for each shared state and class, the probability of the class given that state.

    At the clique where all meet: the probability of each class.
    """
    messages, shows = prior.messages, 2 * prior.most
    first, n_classes = prior.first_message[c], prior.n_classes[c]
    last = c == meeting
    for m in range(n_classes * (1 if last else prior.n_shared[c])):
        messages[first + m] = 0.0
    first_cell = prior.first_cell[c]
    for cell in range(prior.first_cell[c + 1] - first_cell):
        factor = prior.joint[first_cell + cell] if last else prior.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        state = 0
        for j in range(k):
            v = prior.variables[j]
            if prior.top[v] == c:
                state = state * prior.arities[v] + (cell // prior.stride[v]) % prior.arities[v]
        begin, end = prior.starts[state], prior.starts[state + 1]
        for m in range(begin, end):
            prior.product[m] = factor
        child = prior.first_child[c]
        while child >= 0:
            seen = prior.seen[prior.first_seen[child] + cell]
            said = prior.first_message[child] + seen * prior.n_classes[child]
            classes = prior.first_class[child]
            for m in range(begin, end):
                prior.product[m] *= messages[said + prior.classes[classes + prior.keys[shows + m]]]
            child = prior.next_child[child]
        out = first + (0 if last else prior.shared[first_cell + cell] * n_classes)
        for m in range(begin, end):
            messages[out + m] += prior.product[m]


@compiled
def _hand_on(prior: PriorMarginals, c: int, child: int) -> None:
    """Write the message of a clique that hears from one other and has no variable of its own: most of those between.

    The classes are the other's, so the message is a product of matrices.
    """
    messages, n_classes = prior.messages, prior.n_classes[c]
    first = prior.first_message[c]
    for m in range(n_classes * prior.n_shared[c]):
        messages[first + m] = 0.0
    first_cell = prior.first_cell[c]
    for cell in range(prior.first_cell[c + 1] - first_cell):
        factor = prior.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        said = prior.first_message[child] + prior.seen[prior.first_seen[child] + cell] * n_classes
        out = first + prior.shared[first_cell + cell] * n_classes
        for m in range(n_classes):
            messages[out + m] += factor * messages[said + m]
