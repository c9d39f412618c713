"""Marginals of a prior network at the joint states that rows show, in compiled code.

They are collected along the part of the calibrated junction tree that joins the variables: from the outermost cliques
inward, each clique sends a message for itself and those below to the clique above, until one has received all of them
(Koller & Friedman 2009, Algorithm 10.4). A message has a number for each state of the variables that two cliques share
and each class of joint states that differ behind it. Only joint states that rows show are asked for, so the cost is
bounded by rows times the tree's size, whatever the number of variables.
"""

from bnengine._core.compiled import compiled
from bnengine._core.hashing import rank_in_place
from bnengine.scores.prior_network import Prior


@compiled
def collect(prior: Prior, n_ranks: int, k: int, start: int) -> None:
    """Write the probabilities of the joint states of ``variables[:k]`` in the rows ``rows_shown``."""
    if k == 0:
        prior.buffers.probabilities[start] = 1.0
        return
    meeting = _join(prior, k)
    begin = 0
    while begin < n_ranks:
        n = min(prior.buffers.most, n_ranks - begin)
        free = 0
        for c in range(prior.tree.n_cliques - 1, meeting - 1, -1):
            if prior.buffers.below[c] == 0:
                continue
            child = prior.buffers.first_child[c]
            passes_on = prior.buffers.n_own[c] == 0 and prior.buffers.next_child[child] < 0
            if passes_on:
                prior.buffers.n_classes[c] = prior.buffers.n_classes[child]
                prior.buffers.first_class[c] = prior.buffers.first_class[child]
            else:
                _classify(prior, c, begin, n, k)
            prior.buffers.first_message[c] = free
            free += prior.buffers.n_classes[c] * (1 if c == meeting else prior.tree.n_shared[c])
            if passes_on:
                _pass_on(prior, c, child)
            else:
                _send(prior, c, meeting, k)
        for i in range(n):
            of_class = (
                prior.buffers.first_message[meeting] + prior.buffers.classes[prior.buffers.first_class[meeting] + i]
            )
            prior.buffers.probabilities[start + begin + i] = prior.buffers.messages[of_class]
        begin += n


@compiled
def _join(prior: Prior, k: int) -> int:
    """Link the cliques with variables at or below them; returns the one where all messages meet."""
    for c in range(prior.tree.n_cliques):
        prior.buffers.below[c] = 0
        prior.buffers.n_own[c] = 0
        prior.buffers.first_child[c] = -1
    for i in range(k):
        c = prior.tree.top[prior.buffers.variables[i]]
        prior.buffers.n_own[c] += 1
        while c >= 0:
            prior.buffers.below[c] += 1
            c = prior.tree.above[c]
    meeting = 0
    for c in range(prior.tree.n_cliques):
        if prior.buffers.below[c] == k:
            meeting = c  # the last: those with all variables lie on one way from the root
        if prior.buffers.below[c] > 0 and c > 0:
            prior.buffers.next_child[c] = prior.buffers.first_child[prior.tree.above[c]]
            prior.buffers.first_child[prior.tree.above[c]] = c
    return meeting


@compiled
def _classify(prior: Prior, c: int, begin: int, n: int, k: int) -> None:
    """Number the joint states by class: equal states of the clique's own variables, equal classes in those below.

    Classes with the same state of the clique's own variables are consecutive; ``starts`` holds where they begin.
    """
    most = prior.buffers.most
    keys, own, shows, renumbered = 0, most, 2 * most, 3 * most  # rows of prior.buffers.keys
    n_states = 1  # of the clique's own variables
    for i in range(n):
        prior.buffers.keys[keys + i] = 0
    for j in range(k):
        v = prior.buffers.variables[j]
        if prior.tree.top[v] == c:
            for i in range(n):
                state = prior.rows[v * prior.n_distinct + prior.buffers.rows_shown[begin + i]]
                prior.buffers.keys[keys + i] = prior.buffers.keys[keys + i] * prior.tree.arities[v] + state
            n_states *= prior.tree.arities[v]
    for i in range(n):
        prior.buffers.keys[own + i] = prior.buffers.keys[keys + i]
    n_slots = 16
    while n_slots < 2 * n:
        n_slots *= 2
    child = prior.buffers.first_child[c]
    while child >= 0:
        rank_in_place(prior.buffers.keys, n, prior.buffers.slots, prior.buffers.slot_classes, n_slots)
        for i in range(n):
            of_child = prior.buffers.classes[prior.buffers.first_class[child] + i]
            prior.buffers.keys[keys + i] = prior.buffers.keys[keys + i] * prior.buffers.n_classes[child] + of_child
        child = prior.buffers.next_child[child]
    n_classes = rank_in_place(prior.buffers.keys, n, prior.buffers.slots, prior.buffers.slot_classes, n_slots)
    prior.buffers.n_classes[c] = n_classes
    for state in range(n_states + 1):
        prior.buffers.starts[state] = 0
    shown = 0
    for i in range(n):
        if prior.buffers.keys[keys + i] == shown:
            prior.buffers.keys[renumbered + shown] = i
            prior.buffers.starts[prior.buffers.keys[own + i]] += 1
            shown += 1
    for state in range(1, n_states + 1):
        prior.buffers.starts[state] += prior.buffers.starts[state - 1]  # where the state's classes end
    for old in range(n_classes - 1, -1, -1):
        i = prior.buffers.keys[renumbered + old]
        state = prior.buffers.keys[own + i]
        prior.buffers.starts[state] -= 1
        prior.buffers.keys[shows + prior.buffers.starts[state]] = i
        prior.buffers.keys[renumbered + old] = prior.buffers.starts[state]
    prior.buffers.first_class[c] = c * most
    for i in range(n):
        prior.buffers.classes[c * most + i] = prior.buffers.keys[renumbered + prior.buffers.keys[keys + i]]


@compiled
def _send(prior: Prior, c: int, meeting: int, k: int) -> None:
    """Write the clique's message: for each shared state and class, the probability of the class given that state.

    At the clique where all meet: the probability of each class.
    """
    messages, shows = prior.buffers.messages, 2 * prior.buffers.most
    first, n_classes = prior.buffers.first_message[c], prior.buffers.n_classes[c]
    last = c == meeting
    for m in range(n_classes * (1 if last else prior.tree.n_shared[c])):
        messages[first + m] = 0.0
    first_cell = prior.tree.first_cell[c]
    for cell in range(prior.tree.first_cell[c + 1] - first_cell):
        factor = prior.tree.joint[first_cell + cell] if last else prior.tree.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        state = 0
        for j in range(k):
            v = prior.buffers.variables[j]
            if prior.tree.top[v] == c:
                state = state * prior.tree.arities[v] + (cell // prior.tree.stride[v]) % prior.tree.arities[v]
        begin, end = prior.buffers.starts[state], prior.buffers.starts[state + 1]
        for m in range(begin, end):
            prior.buffers.product[m] = factor
        child = prior.buffers.first_child[c]
        while child >= 0:
            seen = prior.tree.seen[prior.tree.first_seen[child] + cell]
            said = prior.buffers.first_message[child] + seen * prior.buffers.n_classes[child]
            classes = prior.buffers.first_class[child]
            for m in range(begin, end):
                prior.buffers.product[m] *= messages[
                    said + prior.buffers.classes[classes + prior.buffers.keys[shows + m]]
                ]
            child = prior.buffers.next_child[child]
        out = first + (0 if last else prior.tree.shared[first_cell + cell] * n_classes)
        for m in range(begin, end):
            messages[out + m] += prior.buffers.product[m]


@compiled
def _pass_on(prior: Prior, c: int, child: int) -> None:
    """Write the message of a clique with one clique below it and no variable of its own, as most are.

    The classes are the other's, so the message is a product of matrices.
    """
    messages, n_classes = prior.buffers.messages, prior.buffers.n_classes[c]
    first = prior.buffers.first_message[c]
    for m in range(n_classes * prior.tree.n_shared[c]):
        messages[first + m] = 0.0
    first_cell = prior.tree.first_cell[c]
    for cell in range(prior.tree.first_cell[c + 1] - first_cell):
        factor = prior.tree.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        said = prior.buffers.first_message[child] + prior.tree.seen[prior.tree.first_seen[child] + cell] * n_classes
        out = first + prior.tree.shared[first_cell + cell] * n_classes
        for m in range(n_classes):
            messages[out + m] += factor * messages[said + m]
