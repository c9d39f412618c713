"""BDe's prior counts in compiled code, and the score they give a family.

The prior counts of a family are the equivalent sample size times the prior network's marginal of parents and child. The
prior does not depend on a resample: marginals found for one are remembered for all.
"""

import math

import numpy as np

from bnengine._jit.compiled import Pointer, compiled
from bnengine._jit.records import mix, rank_in_place
from bnengine.scores.counting import append_digit, count_ranks, number_configurations, rank_numbers
from bnengine.scores.prior_network import Prior
from bnengine.scores.score_context import Sample, Workspace, own_rows

# Marginals of a prior network at the joint states that rows show, in compiled code.
#
# They are collected along the part of the calibrated junction tree that joins the variables: from the outermost
# cliques inward, each clique sends a message for itself and those below to the clique above, until one has received
# all of them (Koller & Friedman 2009, Algorithm 10.4). A message has a number for each state of the variables that
# two cliques share and each class of joint states that differ behind it. Only joint states that rows show are asked
# for, so the cost is bounded by rows times the tree's size, whatever the number of variables.


@compiled
def collect(prior: Prior, n_ranks: int, k: int, start: int) -> None:
    """Write the probabilities of the joint states of ``variables[:k]`` in the rows ``rows_shown``."""
    buffers, tree = prior.buffers, prior.tree
    if k == 0:
        buffers.probabilities[start] = 1.0
        return
    meeting = _join(prior, k)
    begin = 0
    while begin < n_ranks:
        n = min(buffers.most, n_ranks - begin)
        free = 0
        for c in range(tree.n_cliques - 1, meeting - 1, -1):
            if buffers.below[c] == 0:
                continue
            child = buffers.first_child[c]
            passes_on = buffers.n_own[c] == 0 and buffers.next_child[child] < 0
            if passes_on:
                buffers.n_classes[c] = buffers.n_classes[child]
                buffers.first_class[c] = buffers.first_class[child]
            else:
                _classify(prior, c, begin, n, k)
            buffers.first_message[c] = free
            free += buffers.n_classes[c] * (1 if c == meeting else tree.n_shared[c])
            if passes_on:
                _pass_on(prior, c, child)
            else:
                _send(prior, c, meeting, k)
        for i in range(n):
            of_class = buffers.first_message[meeting] + buffers.classes[buffers.first_class[meeting] + i]
            buffers.probabilities[start + begin + i] = buffers.messages[of_class]
        begin += n


@compiled
def _join(prior: Prior, k: int) -> int:
    """Link the cliques with variables at or below them; return the one where all messages meet."""
    buffers, tree = prior.buffers, prior.tree
    for c in range(tree.n_cliques):
        buffers.below[c] = 0
        buffers.n_own[c] = 0
        buffers.first_child[c] = -1
    for i in range(k):
        c = tree.top[buffers.variables[i]]
        buffers.n_own[c] += 1
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
def _classify(prior: Prior, c: int, begin: int, n: int, k: int) -> None:
    """Assign each joint state its class: equal states of the clique's own variables, equal classes in those below.

    Classes with the same state of the clique's own variables are consecutive; ``starts`` holds where they begin.
    """
    buffers, tree = prior.buffers, prior.tree
    most = buffers.most
    keys, own, shows, renumbered = 0, most, 2 * most, 3 * most  # rows of ``keys``
    n_states = 1  # of the clique's own variables
    for i in range(n):
        buffers.keys[keys + i] = 0
    for j in range(k):
        v = buffers.variables[j]
        if tree.top[v] == c:
            for i in range(n):
                state = prior.rows[v * prior.n_distinct + buffers.rows_shown[begin + i]]
                buffers.keys[keys + i] = buffers.keys[keys + i] * tree.arities[v] + state
            n_states *= tree.arities[v]
    for i in range(n):
        buffers.keys[own + i] = buffers.keys[keys + i]
    n_slots = 16
    while n_slots < 2 * n:
        n_slots *= 2
    child = buffers.first_child[c]
    while child >= 0:
        rank_in_place(buffers.keys, n, buffers.slots, buffers.slot_classes, n_slots)
        for i in range(n):
            of_child = buffers.classes[buffers.first_class[child] + i]
            buffers.keys[keys + i] = buffers.keys[keys + i] * buffers.n_classes[child] + of_child
        child = buffers.next_child[child]
    n_classes = rank_in_place(buffers.keys, n, buffers.slots, buffers.slot_classes, n_slots)
    buffers.n_classes[c] = n_classes
    for state in range(n_states + 1):
        buffers.starts[state] = 0
    shown = 0
    for i in range(n):
        if buffers.keys[keys + i] == shown:
            buffers.keys[renumbered + shown] = i
            buffers.starts[buffers.keys[own + i]] += 1
            shown += 1
    for state in range(1, n_states + 1):
        buffers.starts[state] += buffers.starts[state - 1]  # where the state's classes end
    for old in range(n_classes - 1, -1, -1):
        i = buffers.keys[renumbered + old]
        state = buffers.keys[own + i]
        buffers.starts[state] -= 1
        buffers.keys[shows + buffers.starts[state]] = i
        buffers.keys[renumbered + old] = buffers.starts[state]
    buffers.first_class[c] = c * most
    for i in range(n):
        buffers.classes[c * most + i] = buffers.keys[renumbered + buffers.keys[keys + i]]


@compiled
def _send(prior: Prior, c: int, meeting: int, k: int) -> None:
    """Write the clique's message: for each shared state and class, the probability of the class given that state.

    At the clique where all meet: the probability of each class.
    """
    buffers, tree = prior.buffers, prior.tree
    messages, shows = buffers.messages, 2 * buffers.most
    first, n_classes = buffers.first_message[c], buffers.n_classes[c]
    last = c == meeting
    for m in range(n_classes * (1 if last else tree.n_shared[c])):
        messages[first + m] = 0.0
    first_cell = tree.first_cell[c]
    for cell in range(tree.first_cell[c + 1] - first_cell):
        factor = tree.joint[first_cell + cell] if last else tree.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        state = 0
        for j in range(k):
            v = buffers.variables[j]
            if tree.top[v] == c:
                state = state * tree.arities[v] + (cell // tree.stride[v]) % tree.arities[v]
        begin, end = buffers.starts[state], buffers.starts[state + 1]
        for m in range(begin, end):
            buffers.product[m] = factor
        child = buffers.first_child[c]
        while child >= 0:
            seen = tree.seen[tree.first_seen[child] + cell]
            said = buffers.first_message[child] + seen * buffers.n_classes[child]
            classes = buffers.first_class[child]
            for m in range(begin, end):
                buffers.product[m] *= messages[said + buffers.classes[classes + buffers.keys[shows + m]]]
            child = buffers.next_child[child]
        out = first + (0 if last else tree.shared[first_cell + cell] * n_classes)
        for m in range(begin, end):
            messages[out + m] += buffers.product[m]


@compiled
def _pass_on(prior: Prior, c: int, child: int) -> None:
    """Write the message of a clique with one below it and no variable of its own: a product of matrices."""
    buffers, tree = prior.buffers, prior.tree
    messages, n_classes = buffers.messages, buffers.n_classes[c]
    first = buffers.first_message[c]
    for m in range(n_classes * tree.n_shared[c]):
        messages[first + m] = 0.0
    first_cell = tree.first_cell[c]
    for cell in range(tree.first_cell[c + 1] - first_cell):
        factor = tree.conditional[first_cell + cell]
        if factor == 0.0:
            continue
        said = buffers.first_message[child] + tree.seen[tree.first_seen[child] + cell] * n_classes
        out = first + tree.shared[first_cell + cell] * n_classes
        for m in range(n_classes):
            messages[out + m] += factor * messages[said + m]


#: Joint states up to which a marginal is remembered: the larger ones are many and seldom come up again.
LARGEST_REMEMBERED = 256


@compiled
def log_evidence_under_prior(
    prior: Prior, sample: Sample, work: Workspace, order: Pointer, child: int, parents: Pointer, k: int
) -> float:
    """Return the log marginal likelihood of a family, nats; -infinity if a row is impossible under the prior network.

    ``order`` holds the data's column at each place of the sample.
    """
    number_configurations(sample, work, parents, k)
    n_ranks = rank_numbers(sample, work)
    for i in range(k):
        _insert(prior.buffers.variables, i, prior.variable_of[order[parents[i]]])
    own = own_rows(sample, child)
    start = _cached_marginal(prior, sample, work, n_ranks, k)
    of_configurations = _dirichlet_total(prior, sample, work, own, start, n_ranks)
    if of_configurations == -np.inf:
        return -np.inf
    append_digit(work.numbers, sample.arities[child], sample.codes, child * sample.n_distinct, sample.n_distinct)
    n_ranks = rank_numbers(sample, work)
    _insert(prior.buffers.variables, k, prior.variable_of[order[child]])
    start = _cached_marginal(prior, sample, work, n_ranks, k + 1)
    return _dirichlet_total(prior, sample, work, own, start, n_ranks) - of_configurations


@compiled
def _insert(ascending: Pointer, n: int, new: int) -> None:
    """Insert a number into the ascending ``ascending[:n]``."""
    place = n
    while place > 0 and ascending[place - 1] > new:
        ascending[place] = ascending[place - 1]
        place -= 1
    ascending[place] = new


@compiled
def _dirichlet_total(prior: Prior, sample: Sample, work: Workspace, own: int, start: int, n_ranks: int) -> float:
    """Sum of ln G(n + alpha) - ln G(alpha) over the ranked joint states.

    Their probabilities begin at ``start``, the weights of the rows that count at ``own``.
    """
    count_ranks(sample, work, own, n_ranks)
    total = 0.0
    for r in range(n_ranks):
        n = work.ranked[r]
        if n > 0:
            alpha = prior.ess * prior.buffers.probabilities[start + r]
            if alpha <= 0.0:
                return -np.inf  # the data show what is impossible under the prior network
            total += math.lgamma(n + alpha) - math.lgamma(alpha)
    return total


@compiled
def _cached_marginal(prior: Prior, sample: Sample, work: Workspace, n_ranks: int, k: int) -> int:
    """Return where the probabilities of the ranked joint states of ``prior.variables[:k]`` begin, cached or new.

    Direct-mapped cache; collisions overwrite. When its numbers are used up, it is emptied.
    """
    key = mix(np.uint64(k) + np.uint64(1))
    for i in range(k):
        key ^= mix((np.uint64(prior.buffers.variables[i]) + np.uint64(1)) << np.uint64(20))
    place = np.int64(key >> np.uint64(1)) % prior.buffers.n_sets
    if prior.buffers.set_keys[place] == key:
        return prior.buffers.set_starts[place]  # type: ignore[no-any-return]
    start = prior.buffers.n_cached[0]
    if start + n_ranks > prior.buffers.n_probabilities:
        for s in range(prior.buffers.n_sets):
            prior.buffers.set_keys[s] = np.uint64(0)
        start = 0
    shown = 0
    for d in range(sample.n_distinct):
        if work.numbers[d] == shown:  # ranks are in order of first appearance
            prior.buffers.rows_shown[shown] = d
            shown += 1
    collect(prior, n_ranks, k, start)
    if n_ranks <= LARGEST_REMEMBERED:
        prior.buffers.n_cached[0] = start + n_ranks
        prior.buffers.set_keys[place] = key
        prior.buffers.set_starts[place] = start
    return start  # type: ignore[no-any-return]
