"""What earlier versions had and this one has not: what to use instead, in one sentence."""

#: By name, as written after ``bn.``.
GONE = {
    "find_optima": "bn.certify bounds how much better any other graph can be, and a posterior averages over them",
    "stability_selection": "bn.permutation_threshold says how many edges to expect if all variables were independent, "
    "and the sum of 1 - P(real) how many of those kept are false",
    "falsify_graph": "a graph with most of its edges rewired passed, so that passing said little; see bn.verdict for "
    "each adjacency and bn.prediction for a test on other rows",
    "consensus_network": "bn.averaged_network joins the pairs that enough graphs of an ensemble join",
    "recalibrate": "the sum of 1 - P(real) over the edges that are kept, from bn.edge_posterior or "
    "bn.sample_posterior, is the expected number of false edges",
    "posterior.SoftTiers": "bn.Constraints(tiers=…) forbids edges from later tiers to earlier ones",
    "posterior.ess_averaged_posterior": "bn.sample_posterior's own score, fNML, has no equivalent sample size, and "
    "bn.posterior.bagged_posterior averages over resamples",
    "teaching.ExactCorrection": "bn.teaching.LeadingCorrection subtracts the leading order of a family's expected "
    "bias, and bn.teaching.bias_by_family shows both",
    "teaching.multiscale_bootstrap": "bn.PredictiveBootstrap estimates how often an edge would be found again",
    "teaching.search_doubt": "bn.RepeatedSearch learns from one table again and again, which shows the search's part",
}

#: By the word in saved settings: the word that is read in its place, and what is said of it.
REPLACED = {
    "bootstrap_exact": (
        "bootstrap_corrected",
        "The exact correction is gone; the corrected bootstrap, which takes the leading order of the same bias off the "
        "score, stands in its place.",
    ),
}


def missing_name(module: str, name: str) -> AttributeError:
    """Return the error for a public name that does not exist, with what replaced it where it once did.

    Parameters
    ----------
    module : str
        Such as ``"bnengine.teaching"``.
    name : str

    Examples
    --------
    >>> str(missing_name("bnengine", "recalibrate")).split(":")[0]
    'bnengine.recalibrate is gone'
    """
    replaced = GONE.get(f"{module}.{name}".removeprefix("bnengine."))
    if replaced is None:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    return AttributeError(f"{module}.{name} is gone: {replaced}", name=name)
