"""What earlier versions had and this one has not: what to use instead, in one sentence."""

from typing import Any

#: By name, as written after ``bn.``.
GONE = {
    "find_optima": "bn.answers.certify bounds how much better any other graph can be",
    "stability_selection": "bn.Experiment.permutation_threshold counts the edges expected of independent variables",
    "falsify_graph": "bn.verdict judges each adjacency, and bn.prediction tests a graph on other rows",
    "consensus_network": "bn.answers.averaged_network joins the pairs that enough graphs of an ensemble join",
    "recalibrate": "the sum of 1 - P(real) over the edges that are kept, from bn.edge_posterior, are the false ones",
    "read_network": "bn.read_bif reads what pyagrum.saveBN(pyagrum.loadBN(path), path_of_bif) writes",
    "BifError": "bn.DataError is raised for every file that cannot be read",
    "l1_threshold": "the rule l1 of bn.Experiment cuts there",
    "sklearn": "bn.learn, bn.resample and bn.answers.averaged_network have to_frame() and to_networkx()",
    "sample_posterior": "bn.edge_posterior does for any number of variables, by sums or by chains",
    "posterior.SoftTiers": "bn.Constraints(tiers=…) forbids edges from later tiers to earlier ones",
    "posterior.bagged_posterior": "bn.edge_posterior without a score averages over corrected resamples",
    "posterior.ess_averaged_posterior": "bn.edge_posterior without a score averages over equivalent sample sizes",
    "prediction.family_marginals": "bn.prediction.posteriors gives each variable's distribution",
    "add_replicates": "bn.study(…, known=study.ensembles) learns the further replicates only",
    "permutation_threshold": "bn.Experiment.permutation_threshold shuffles the columns for a run's ensemble",
    **{
        name: f"it is bn.{room}.{name} now"
        for room, names in {
            "answers": ("averaged_network", "certify", "edge_effect", "explain_edge", "missingness", "two_answers"),
            "teaching": ("RepeatedSearch", "learn_discretization", "n_parameters"),
        }.items()
        for name in names
    },
    "warm_up": "bnengine.experiment.warm_up has it",
    "describe": "bn.prepare(table).described is the table's description",
    "network_names": "bnengine.networks.bundled has it",
    **dict.fromkeys(("Ensemble", "LearnedGraph", "Study"), "bnengine.typing has the classes of results"),
    "teaching.DIC": "bn.AIC, which it tends to with many rows, is a score to learn by",
    "teaching.ExactCorrection": "bn.teaching.LeadingCorrection subtracts the leading order of the expected bias",
    "teaching.averaging_gains": "bn.edge_posterior averages over graphs, and bn.prediction compares predictions",
    "teaching.criteria_path": "bn.AIC and bn.BIC score any graph, and bn.prediction.edge_curve adds edges one by one",
    "teaching.fit_path": "bn.prediction.edge_curve adds edges one by one and tests on other rows",
    "teaching.all_dags": "bn.teaching.n_dags counts graphs, and bn.edge_posterior averages over all of them",
    "teaching.bootstrap_bias": "bn.teaching.resampling_errors takes any statistic of a data set",
    "teaching.bootstrap_entropy": "bn.teaching.entropy_bias gives the bias of an entropy, drawn and exactly",
    "teaching.decompose": "bn.teaching.edge_gains gives what each edge adds, and bn.mdl the parts of MDL",
    "teaching.log10_n_dags": "len(str(bn.teaching.n_dags(n))) is the number of digits",
    "teaching.dic": "bn.AIC, which it tends to with many rows, scores any graph",
    "teaching.corrected_information": "bn.teaching.bootstrap_information corrects it once",
    "teaching.corrected_variance": "bn.teaching.bootstrap_variance corrects it once",
    **dict.fromkeys(
        ("teaching.cut_point_confidence", "teaching.resample_with_cut_points"),
        "bn.teaching.learn_discretization finds cut points once, and every replicate keeps them",
    ),
    "teaching.corrected_entropy": "bn.teaching.repeated_entropy corrects entropies once, exactly",
    "teaching.g_squared": "2 N times bn.teaching.mutual_information is G²",
    "teaching.iterated_bootstrap": "bn.teaching.repeated_entropy corrects entropies once, exactly",
    "teaching.likelihood_gap": "bn.prediction.edge_curve compares the fit to the rows with that to other rows",
    "teaching.multiscale_bootstrap": "bn.PredictiveBootstrap estimates how often an edge would be found again",
    "teaching.search_doubt": "bn.teaching.RepeatedSearch learns from one table again and again: the search's part",
}

#: By the word in saved settings: the word that is read in its place, and what is said of it.
REPLACED = {
    "bootstrap_exact": (
        "bootstrap_corrected",
        "The exact correction is gone; the corrected bootstrap, of the leading order, stands in its place.",
    ),
    "dic": ("aic", "DIC is no score any more; AIC, which it tends to with many rows, stands in its place."),
    "corrected": (
        "aic",
        "The corrected likelihood is gone; AIC, which estimates the same fit to new rows, stands in its place.",
    ),
}

#: Keys of resampling methods before version 3 of saved settings, and the later ones.
_SHORT_KEYS = {
    "boot": "bootstrap",
    "boot_bc": "bootstrap_corrected",
    "boot_exact": "bootstrap_exact",
    "boot_matched": "bootstrap_matched",
    "para": "parametric",
    "para_bc": "parametric_corrected",
    "jack_1": "jackknife_delete_1",
    "jack_d": "jackknife_delete_d",
}


def spelled_out(keys: Any) -> Any:
    """Return the later key of a resampling method, or of several; whatever else was written is left as it is."""
    if isinstance(keys, list | tuple):
        return [spelled_out(key) for key in keys]
    return _SHORT_KEYS.get(keys, keys) if isinstance(keys, str) else keys


def present(keys: Any) -> Any:
    """Return the word that is read in the place of one in saved settings, or the words in the place of several.

    Examples
    --------
    >>> present(["boot_bc", "boot_exact", "boot"])
    ['bootstrap_corrected', 'bootstrap']
    """
    keys = spelled_out(keys)
    if isinstance(keys, list):
        read = [present(key) for key in keys]
        return [key for key, given in zip(read, keys, strict=True) if key == given or key not in keys]
    return REPLACED[keys][0] if isinstance(keys, str) and keys in REPLACED else keys


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
