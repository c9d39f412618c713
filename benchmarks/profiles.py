"""Where the processor time of searches and sampled posteriors goes; writes the section Profiles of RESULTS.md.

    python benchmarks/profiles.py

Searches: families scored times what counting one costs (random families of one and of three parents), beside the whole.
Exact search and
posteriors: by part, from a profiler of processor time with all work in one thread.
"""

import cProfile
import pstats
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from typing import Any

import numba
import numpy as np
from results_page import write_section

import bnengine as bn
from bnengine._jit.compiled import pointer_to
from bnengine._jit.records import Handle
from bnengine.experiment.warm_up import warm_up
from bnengine.scores.counting import count_by_masks, count_by_rows, masks_are_cheaper
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context


class Inline(Executor):
    """Runs each task when it is submitted, in the calling thread, so that a profile sees it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run it; the future is done."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


#: Parts of a piece of work: the functions, by file and name, whose cumulative time is theirs.
EXACT = {
    "local scores of candidate parent sets": ("_parent_sets.py", "candidate_parent_sets"),
    "best parents of each set, best ordering": ("exact.py", "_best_of_each_set"),
}
POSTERIOR = {
    "graphs of resamples, for candidates": ("sampler.py", "_graphs_of_resamples"),
    "rivals of good graphs, for candidates": ("candidates.py", "explore"),
    "ranking of candidates": ("candidates.py", "candidate_parents"),
    "tables of parent sets (local scores and sums)": ("parent_set_tables.py", "parent_set_tables"),
    "moves of the chains, graphs drawn": ("sampler.py", "_advanced"),
    "odds of edges outside the candidates": ("sampler.py", "_outside"),
    "summary": ("edge_posterior.py", "_result"),
}


@numba.njit(nogil=True)
def _count(handle: Handle, families: np.ndarray, n_parents: int) -> int:
    context, cells = score_context(handle), 0
    for family in families:
        child, parents = family[0], pointer_to(family[1:])
        if masks_are_cheaper(context.sample, context.work.table_size, child, parents, n_parents):
            cells += count_by_masks(context.sample, context.work, child, parents, n_parents)[1]
        else:
            cells += count_by_rows(context.sample, context.work, child, parents, n_parents)[1]
    return cells


def microseconds_of_counting(data: bn.Dataset, n_parents: int) -> float:
    """Return the processor time of counting one random family of so many parents."""
    rng, scores = np.random.default_rng(0), LocalScores(data, bn.BIC())
    families = np.array([rng.permutation(data.n_variables)[: 1 + n_parents] for _ in range(5_000)])
    families[:, 1:].sort(axis=1)
    taken = []
    for _ in range(4):
        start = time.process_time()
        _count(scores.handle, families, n_parents)
        taken.append(time.process_time() - start)
    return 1e6 * min(taken) / len(families)


def searches(data: bn.Dataset) -> str:
    """Tabulate whole, families and the share that counting has."""
    by_parents = [microseconds_of_counting(data, k) for k in (1, 2, 3)]
    text = "| search | ms | families scored | µs per family | share of counting |\n|---|---:|---:|---:|---:|\n"
    for search in (bn.HillClimbing, bn.Tabu, bn.BestFirst, bn.SimulatedAnnealing):
        taken = []
        for _ in range(4):
            start = time.process_time()
            graph = bn.learn(data, bn.BIC(), search(max_parents=3))
            taken.append(time.process_time() - start)
        seconds, n = min(taken), graph.n_evaluations
        low, high = (min(1.0, n * cost / 1e6 / seconds) for cost in (by_parents[0], by_parents[2]))
        text += (
            f"| {search().name} | {1000 * seconds:.1f} | {n:,} | {1e6 * seconds / n:.2f} | {low:.0%} to {high:.0%} |\n"
        )
    costs = ", ".join(f"{cost:.2f}" for cost in by_parents)
    return f"""{text}
Counting a random family of 1, 2, 3 parents takes {costs} µs. The share is what counting would take if all families
had 1 parent, or all had 3, the limit set here: for the greedy searches it leaves open what dominates, for annealing it
shows that most of the time is not counting. What else takes it was not separated.
"""


def parts(title: str, work: Callable[[], Any], named: Mapping[str, tuple[str, str]]) -> str:
    """Tabulate one piece of work by part."""
    profile = cProfile.Profile(timer=time.process_time)
    start = time.process_time()
    profile.enable()
    work()
    profile.disable()
    whole = time.process_time() - start
    stats: Any = pstats.Stats(profile)
    text, rest = f"| {title} | s | share |\n|---|---:|---:|\n", whole
    for part, (file, function) in named.items():
        seconds = sum(v[3] for (path, _, name), v in stats.stats.items() if path.endswith(file) and name == function)
        rest -= seconds
        text += f"| {part} | {seconds:.3f} | {seconds / whole:.0%} |\n"
    return f"{text}| everything else | {max(rest, 0):.3f} | {max(rest, 0) / whole:.0%} |\n"


def main() -> None:
    """Measure and write."""
    warm_up()
    bn.edge_posterior(bn.load_network("cancer").sample(50, rng=1), method="order", n_steps=200)
    alarm, child = bn.load_network("alarm").sample(1_000, rng=1), bn.load_network("child").sample(1_000, rng=1)
    posterior = {"score": bn.BDeu(1), "executor": Inline()}
    sections = [
        "Processor time: ALARM with 1,000 rows, under BIC, posteriors under BDeu(1); exact search: CHILD with 1,000\n"
        "rows and up to 4 parents. The machine was shared with other work; shares hold, times are a guide.\n\n"
        "    python benchmarks/profiles.py\n",
        searches(alarm),
        parts("exact search", lambda: bn.learn(child, bn.BIC(), bn.Exact(max_parents=4)), EXACT),
        parts("order MCMC", lambda: bn.edge_posterior(alarm, **posterior), POSTERIOR),
    ]
    write_section("Profiles", "\n".join(sections))
    print("\n".join(sections))


if __name__ == "__main__":
    main()
