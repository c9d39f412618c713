"""Slow, obvious oracles: dictionaries, loops and math.lgamma, straight from the definitions."""

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
from scipy.linalg import block_diag
from scipy.stats import norm, truncnorm

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.search.learning import search_from_graph
from tests.strategies import seen_rows

# Counting


def rows_of(data):
    return [tuple(int(code) for code in row) for row in data.codes]


def cells_of(rows, child, parents):
    """{parent configuration: {child state: rows}}, observed ones only."""
    cells = {}
    for row in rows:
        cells.setdefault(tuple(row[p] for p in parents), Counter())[row[child]] += 1
    return cells


def count_multisets(rows, child, parents):
    """The positive counts n_j and n_jk, each as a sorted list."""
    cells = cells_of(rows, child, parents)
    return (
        sorted(sum(counts.values()) for counts in cells.values()),
        sorted(n for counts in cells.values() for n in counts.values()),
    )


def weighted_rows(data, weights):
    """The rows of a resample given as weights of the data's distinct rows."""
    distinct = [tuple(int(code) for code in row) for row in data.distinct_codes.T]
    return [row for row, weight in zip(distinct, weights, strict=True) for _ in range(weight)]


def all_families(n):
    """Every child among n variables with every list of parents."""
    return [
        (child, list(parents))
        for child in range(n)
        for size in range(n)
        for parents in itertools.combinations([v for v in range(n) if v != child], size)
    ]


# Local scores: child given parents, r states, q parent configurations, nats


def _family(data, child, parents):
    cells = cells_of(rows_of(data), child, parents)
    r = len(data.states[child])
    q = math.prod(len(data.states[p]) for p in parents)
    return cells, r, q


def loglik(data, child, parents):
    cells, _, _ = _family(data, child, parents)
    return math.fsum(n * math.log(n / sum(counts.values())) for counts in cells.values() for n in counts.values())


def n_parameters(data, child, parents):
    _, r, q = _family(data, child, parents)
    return (r - 1) * q


def aic(data, child, parents):
    return loglik(data, child, parents) - n_parameters(data, child, parents)


def bic(data, child, parents):
    return loglik(data, child, parents) - n_parameters(data, child, parents) * math.log(data.n_rows) / 2


def marginal_likelihood(data, child, parents, imaginary):
    """Dirichlet-multinomial with ``imaginary`` rows in each cell, over all declared configurations and states."""
    cells, r, _ = _family(data, child, parents)
    total = 0.0
    for configuration in itertools.product(*(range(len(data.states[p])) for p in parents)):
        counts = cells.get(configuration, Counter())
        total += math.lgamma(r * imaginary) - math.lgamma(r * imaginary + sum(counts.values()))
        for state in range(r):
            total += math.lgamma(imaginary + counts[state]) - math.lgamma(imaginary)
    return total


def k2score(data, child, parents):
    return marginal_likelihood(data, child, parents, 1.0)


def bdeu(data, child, parents, ess):
    _, r, q = _family(data, child, parents)
    return marginal_likelihood(data, child, parents, ess / (r * q))


def bds(data, child, parents, ess):
    cells, r, _ = _family(data, child, parents)
    return marginal_likelihood(data, child, parents, ess / (r * len(cells)))


def joint_of(network):
    """{state of every variable: probability}, impossible ones included, straight from the tables."""
    joint = {}
    for state in itertools.product(*(range(len(states)) for states in network.states)):
        probability = 1.0
        for v, parents in enumerate(network.parents):
            row = 0
            for p in parents:
                row = row * len(network.states[p]) + state[p]
            probability *= float(network.tables[v][row, state[v]])
        joint[state] = probability
    return joint


def bde(data, child, parents, network, ess):
    """Heckerman, Geiger & Chickering (1995), Eq. 28: imaginary rows by the prior network's joint distribution."""
    imaginary = Counter()
    for joint, probability in joint_of(network).items():
        named = {name: network.states[v][joint[v]] for v, name in enumerate(network.names)}
        states = [data.states[v].index(named[name]) for v, name in enumerate(data.names)]
        imaginary[tuple(states[p] for p in parents), states[child]] += ess * probability
    cells, r, _ = _family(data, child, parents)
    total = 0.0
    for configuration, counts in cells.items():
        alphas = [imaginary[configuration, state] for state in range(r)]
        if any(alphas[state] == 0 for state in counts):
            return -math.inf
        total += math.lgamma(sum(alphas)) - math.lgamma(sum(alphas) + counts.total())
        total += sum(math.lgamma(alphas[k] + n) - math.lgamma(alphas[k]) for k, n in counts.items())
    return total


@cache
def regret(n, states):
    """C(n, K): the sum over all tables of n rows of each table's largest multinomial likelihood."""
    if states == 1 or n == 0:
        return 1.0
    return math.fsum(  # h rows in the first of two groups of states
        math.comb(n, h)
        * (h / n) ** h
        * ((n - h) / n) ** (n - h)
        * regret(h, states // 2)
        * regret(n - h, states - states // 2)
        for h in range(n + 1)
    )


def fnml(data, child, parents):
    cells, r, _ = _family(data, child, parents)
    return loglik(data, child, parents) - sum(math.log(regret(sum(c.values()), r)) for c in cells.values())


def qnml(data, child, parents):
    _, r, q = _family(data, child, parents)
    n = data.n_rows
    return loglik(data, child, parents) - math.log(regret(n, q * r)) + math.log(regret(n, q))


# Blocks: the features of a variable, and what the measurement leaves open of their variance


@cache
def block(data, v, degree):
    """A variable's features in every row, shape (N, d), and their floor, shape (d, d)."""
    codes, own = data.codes[:, v], data.states[v]
    share = np.bincount(codes, minlength=len(own)) / data.n_rows
    if data.names[v] not in data.numbers:
        features = np.delete(np.eye(len(own)), share.argmax(), axis=1)
        deviations = features - share @ features
        floor = 3 / data.n_rows * sum(np.outer(row, row) for row in deviations)
    else:
        edges, ranks = norm.ppf(np.cumsum([0, *share]).clip(0, 1)), np.cumsum(share) - share / 2
        z = norm.ppf(ranks)
        features = np.stack([z, (z**2 - 1) / math.sqrt(2)], axis=1)[:, :degree]
        deviations = features - share @ features
        floor = np.zeros((2, 2))
        for p, low, high in zip(share, edges[:-1], edges[1:], strict=True):
            m = [truncnorm.moment(k, low, high) for k in range(5)]  # of z within the ranks that share a value
            cross = (m[3] - m[1] * m[2]) / math.sqrt(2)
            floor += p * np.array([[m[2] - m[1] ** 2, cross], [cross, (m[4] - m[2] ** 2) / 2]])
        floor = floor[:degree, :degree] + (deviations * share[:, None]).T @ deviations / data.n_rows
    varies = (share @ deviations**2) > 1e-6
    return deviations[codes], floor + np.diag(np.where(varies, 1e-6, 1.0))


def of_blocks(data, members, degree):
    """ll(S), nats, and how many parameters a Gaussian over the features of S has."""
    blocks = [block(data, v, degree) for v in members]
    features = np.hstack([np.zeros((data.n_rows, 0)), *(rows for rows, _ in blocks)])
    covariance = features.T @ features / data.n_rows + block_diag(np.zeros((0, 0)), *(floor for _, floor in blocks))
    d = features.shape[1]
    constant = d * (1 + math.log(2 * math.pi))
    return -data.n_rows / 2 * (np.linalg.slogdet(covariance)[1] + constant), d + d * (d + 1) / 2


def gaussian(data, child, parents, degree, penalty):
    both, whole = of_blocks(data, [child, *parents], degree)
    alone, part = of_blocks(data, parents, degree)
    return both - alone - penalty * (whole - part)


#: The definition of each kind of score in the engine's registry.
LOCAL_SCORES = {
    bn.LogLikelihood: lambda score, *family: loglik(*family),
    bn.AIC: lambda score, *family: aic(*family),
    bn.BIC: lambda score, *family: bic(*family),
    bn.K2Score: lambda score, *family: k2score(*family),
    bn.BDeu: lambda score, *family: bdeu(*family, score.ess),
    bn.BDs: lambda score, *family: bds(*family, score.ess),
    bn.BDe: lambda score, *family: bde(*family, score.network, score.ess),
    bn.GaussianBIC: lambda score, data, *family: gaussian(data, *family, score.degree, math.log(data.n_rows) / 2),
    bn.FNML: lambda score, *family: fnml(*family),
    bn.QNML: lambda score, *family: qnml(*family),
}


def n_free(score, data, child, parents):
    """How many free parameters a score charges for."""
    if not isinstance(score, bn.GaussianBIC):
        return n_parameters(data, child, parents)
    return of_blocks(data, [child, *parents], score.degree)[1] - of_blocks(data, parents, score.degree)[1]


def local_score(score, data, child, parents):
    """The local score of a family of column numbers under any score of the engine, by its definition."""
    if isinstance(score, bn.teaching.LeadingCorrection):
        return local_score(score.score, data, child, parents) - score.strength * n_free(
            score.score, data, child, parents
        )
    if isinstance(score, bn.WithPrior):
        fair = math.log(math.comb(data.n_variables - 1, len(parents))) if score.uniform_parent_sizes else 0.0
        return local_score(score.score, data, child, parents) - score.edge_penalty * len(parents) - fair
    if type(score) not in LOCAL_SCORES:
        raise AssertionError(f"write the definition of {type(score).__name__} in tests/naive.py")
    return LOCAL_SCORES[type(score)](score, data, child, parents)


def complete_family(score, data, child, parents):
    """A family's score from the rows in which all of it is seen, as of all rows: see ``scores.family_scores``."""
    if isinstance(score, bn.teaching.LeadingCorrection):
        aic, fit, own = (complete_family(s, data, child, parents) for s in (bn.AIC(), bn.LogLikelihood(), score.score))
        return own + score.strength * (aic - fit)
    counted = fnml if isinstance(score, bn.FNML) else loglik
    penalty = 0.0
    if counted is loglik:  # what the score subtracts per parameter, on as many rows without a gap
        full = bn.Dataset(data.names, data.states, np.zeros_like(data.codes))
        penalty = (loglik(full, child, []) - local_score(score, full, child, [])) / n_parameters(full, child, [])
    of_child, of_family = seen_rows(data, [child]), seen_rows(data, [child, *parents])
    whole, share = 0.0, data.n_rows
    if of_child is not None:
        whole = data.n_rows / of_child.n_rows * counted(of_child, child, [])
    if of_family is not None:
        share = data.n_rows / of_family.n_rows
        whole += share * (counted(of_family, child, parents) - counted(of_family, child, []))
    return min(whole, 0.0) - share * penalty * n_parameters(data, child, parents)


def parents_in(adjacency, child):
    return [v for v in range(len(adjacency)) if adjacency[v][child]]


def graph_score(score, data, adjacency):
    return sum(local_score(score, data, v, parents_in(adjacency, v)) for v in range(data.n_variables))


# Graphs


def has_cycle(adjacency):
    """Whether following edges from some vertex leads back to it."""
    n = len(adjacency)

    def leads_to(start, end, seen):
        for v in range(n):
            if adjacency[start][v] and v not in seen and (v == end or leads_to(v, end, seen | {v})):
                return True
        return False

    return any(leads_to(v, v, frozenset()) for v in range(n))


@cache
def all_dags(n):
    """Every labelled DAG on n variables, as read-only boolean matrices."""
    places = [(i, j) for i in range(n) for j in range(n) if i != j]
    found = []
    for bits in itertools.product([False, True], repeat=len(places)):
        adjacency = np.zeros((n, n), dtype=bool)
        for (i, j), bit in zip(places, bits, strict=True):
            adjacency[i, j] = bit
        if not (adjacency & adjacency.T).any() and not has_cycle(adjacency.tolist()):
            adjacency.setflags(write=False)
            found.append(adjacency)
    return found


def equivalence_classes(dags):
    """DAGs grouped by skeleton and v-structures (Verma & Pearl 1990)."""
    classes = {}
    for dag in dags:
        n = len(dag)
        near = frozenset((i, j) for i in range(n) for j in range(n) if dag[i, j] or dag[j, i])
        colliders = frozenset(
            (i, k, j)
            for k in range(n)
            for i in range(n)
            for j in range(i + 1, n)
            if dag[i, k] and dag[j, k] and (i, j) not in near
        )
        classes.setdefault((near, colliders), []).append(dag)
    return list(classes.values())


def is_legal(adjacency, space):
    """Acyclic, and what the constraints ask for."""
    return (
        not has_cycle(adjacency.tolist())
        and not (adjacency & ~space.allowed).any()
        and not (space.required & ~adjacency).any()
        and adjacency.sum(axis=0).max(initial=0) <= space.max_parents
    )


def best_of(score, data, dags, of_family=None):
    """The highest score of the given graphs, from remembered local scores."""
    of_family = of_family or local_score

    @cache
    def local(child, parents):
        return of_family(score, data, child, parents)

    return max(sum(local(v, tuple(parents_in(dag, v))) for v in range(data.n_variables)) for dag in dags)


# Searches; ``local(child, parents)`` gives a local score, ties within ``margin`` go by column order


def neighbours(adjacency, space):
    """The legal single-edge changes, in column order: (parent, child, graph)."""
    n = len(adjacency)
    changed = []
    for i, j in itertools.product(range(n), repeat=2):
        options = []
        if adjacency[i, j]:
            removed = adjacency.copy()
            removed[i, j] = False
            turned = removed.copy()
            turned[j, i] = True
            options = [removed, turned]
        elif i != j and not adjacency[j, i]:
            added = adjacency.copy()
            added[i, j] = True
            options = [added]
        changed += [(i, j, option) for option in options if is_legal(option, space)]
    return changed


def total(local, adjacency):
    """The score of a graph."""
    return sum(local(v, parents_in(adjacency, v)) for v in range(len(adjacency)))


def hill_climbing(local, space, margin):
    """The steepest climb from the required edges; returns the graphs passed through."""
    path = [space.required.copy()]
    while True:
        best, gain = None, margin
        for _, _, graph in neighbours(path[-1], space):
            new = total(local, graph) - total(local, path[-1])
            if new > gain + (margin if best is not None else 0.0):
                best, gain = graph, new
        if best is None:
            return path
        path.append(best)


def k2(local, ordering, max_parents, margin):
    """Cooper & Herskovits (1992): add to each variable the predecessor that gains most, while one gains."""
    n = len(ordering)
    adjacency = np.zeros((n, n), dtype=bool)
    for place, child in enumerate(ordering):
        parents = []
        while len(parents) < max_parents:
            gains = {
                v: local(child, sorted([*parents, v])) - local(child, parents)
                for v in sorted(ordering[:place])
                if v not in parents
            }
            best, gain = None, margin
            for v, new in gains.items():
                if new > gain:
                    best, gain = v, new + margin
            if best is None:
                break
            parents = sorted([*parents, best])
        adjacency[parents, child] = True
    return adjacency


def labelled_trees(n):
    """The edges of every labelled tree on n vertices, from its Prüfer sequence."""
    for sequence in itertools.product(range(n), repeat=n - 2):
        degree = [1 + sequence.count(v) for v in range(n)]
        edges = []
        for v in sequence:
            leaf = degree.index(1)
            edges.append((leaf, v))
            degree[leaf] -= 1
            degree[v] -= 1
        edges.append(tuple(v for v in range(n) if degree[v] == 1))
        yield edges


def parent_maps(n):
    """Every graph in which no variable has more than one parent, cycles included."""
    for choice in itertools.product(range(-1, n), repeat=n):
        adjacency = np.zeros((n, n), dtype=bool)
        for child, parent in enumerate(choice):
            if parent >= 0:
                adjacency[parent, child] = True
        if not adjacency.diagonal().any():
            yield adjacency


# Resampling


def all_resamples(n):
    """The row numbers of each of the n**n equally likely bootstrap samples."""
    return itertools.product(range(n), repeat=n)


def average_over_resamples(n, statistic):
    """The mean, over all n**n bootstrap samples, of a statistic of row numbers that their order does not change."""
    times = Counter(tuple(sorted(drawn)) for drawn in all_resamples(n))
    return np.average([statistic(list(drawn)) for drawn in times], weights=list(times.values()))


def rows_in_order(data):
    """The table with its rows sorted by their states, first by those of the variable whose name is last."""
    by_name = sorted(range(data.n_variables), key=data.names.__getitem__, reverse=True)
    return data.take(sorted(range(data.n_rows), key=lambda row: [int(data.codes[row, v]) for v in by_name]))


def bootstrap_graphs(data, score, search, n, seed, constraints=None):
    """The graphs learned from bootstrap samples whose rows are copied, one after the other."""
    space = (constraints or bn.Constraints()).resolve(data.names, search.max_parents)
    graph = bn.learn(data, score, search, constraints=constraints, rng=seed).adjacency
    graphs, search = [], search_from_graph(data, score, search, space, graph)
    table = rows_in_order(data)
    for generator in replicate_generators(seed, n):
        rows = generator.integers(0, data.n_rows, data.n_rows)
        graphs.append(bn.learn(table.take(rows), score, search, constraints=constraints, rng=generator).adjacency)
    return np.array(graphs)
