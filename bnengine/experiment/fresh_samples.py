"""How many edges the same search finds in fresh samples of the same size, beside what the paper found in its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import generator_of
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.paper import PUBLISHED
from bnengine.networks.bif import load_network

if TYPE_CHECKING:
    import pandas as pd


def fresh_samples(
    experiments: Mapping[str, Experiment], n: int = 100, progress: Progress | None = None
) -> pd.DataFrame:
    """Learn from ``n`` fresh samples of each experiment's network, each of as many rows as the experiment has.

    Parameters
    ----------
    experiments : mapping from title to Experiment
        Whose data are drawn from a network. The fresh samples' generators are spawned from the seed of those data.
    n : int
    progress : callable, optional
        Called with (samples learned from, samples in all); returning False stops, and keeps the finished experiments.

    Returns
    -------
    DataFrame
        One line an experiment: experiment, samples, mean, sd, least, most (numbers of edges), and paper, what the
        paper's Table 1 reports for its own sample (NaN where it has none).

    Examples
    --------
    >>> import bnengine as bn
    >>> table = fresh_samples(bn.alarm_experiments(), n=3)
    >>> table["paper"].tolist()
    [41.0, 40.0, 43.0, 44.0]
    """
    import pandas as pd

    if n < 2:
        raise ValueError(f"n must be 2 or more samples; got {n}")
    lines = []
    for number, (title, experiment) in enumerate(experiments.items()):
        recipe = experiment.data
        if recipe.source != "network":
            raise ValueError(f"fresh samples need a network to draw from; '{title}' has the data '{recipe.title}'")
        network = load_network(recipe.name)
        counts: list[int] = []
        for generator in generator_of(recipe.seed).spawn(n):
            if progress is not None and progress(number * n + len(counts), n * len(experiments)) is False:
                break
            counts.append(len(experiment.learn(network.sample(recipe.n_rows, generator)).edges))
        if len(counts) < n:
            break
        published = PUBLISHED.get(title, {}).get("data", (float("nan"), 0.0))[0]
        spread = float(np.std(counts, ddof=1))
        lines.append((title, n, float(np.mean(counts)), spread, min(counts), max(counts), float(published)))
    return pd.DataFrame(lines, columns=["experiment", "samples", "mean", "sd", "least", "most", "paper"])
