"""What studies ask of a table: the pages' whole answer; and one thread, since their workers are processes."""

from concurrent.futures import ThreadPoolExecutor

import bnengine as bn
from bnengine.answers.verdict import Verdict

REPLICATES, ONE_THREAD = 200, ThreadPoolExecutor(1)


def answered(data: bn.Dataset, seed: int, copies: bool = False) -> Verdict:
    """Return the verdict by the pages' defaults; with ``copies``, checked against noise where it has a pair."""
    study = bn.study(data, methods=bn.resampling_methods(REPLICATES, keys=["predictive"]), rng=seed)
    real = bn.edge_posterior(data, rng=seed)
    found = bn.verdict(study, posterior=real, data=data)
    if not copies or not found.n_both_high:
        return found
    return bn.verdict(study, posterior=real, data=data, noise=bn.answers.noise_check(data, rng=seed))
