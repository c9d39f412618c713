"""The result of a calibration, in sentences."""

import pandas as pd

from bnengine.bootstrap.calibration import Calibration
from bnengine.experiment.calibrating import on_network
from bnengine.experiment.calibration_settings import FITTED
from pages._shared.figures.methods import TITLES
from pages._shared.format import at_most, counted, escaped, plus_minus
from pages._shared.sections.calibrate.settings import Run

#: The two questions, by the measure of how well each is answered.
_QUESTIONS = {"total_absolute_error": "*found again*:", "brier": "*real*:"}
_MEASURED = {"total_absolute_error": "Σ|p − π|", "brier": "Brier score"}


def explanation(run: Run) -> str:
    """What a calibration does."""
    return (
        "Draws tables from a known network. From many new samples it estimates the inclusion probability π of each "
        "edge: how often it is learned. To a few tables it applies each method, and compares the confidence p with π "
        "and with the network. The corrected bootstrap uses a strength of ½ nat per parameter; score and "
        "search are those in the sidebar, on which only the posterior does not depend. About "
        f"{run.n_graphs:,} graphs are learned."
    )


def sentences(found: Calibration, run: Run) -> tuple[str, str]:
    """The method closest to each target, if there is one, and how certain that is."""
    start = f"On {escaped(run.title)} ({found.n_rows:,} rows, {escaped(found.score)}), "
    parts = [f"{question} {winner(found, measure)}" for measure, question in _QUESTIONS.items()]
    noise = f"Sampling noise alone gives an error of {counted(found.floor, 'edge')} against π."
    if found.n_tables < 2:
        return f"{start}one table cannot tell which method is best.", f"Calibrate with more tables. {noise}"
    leads = " ".join(filter(None, (_lead(found, measure) for measure in _QUESTIONS)))
    return (
        f"{start}{'; '.join(parts)}.",
        f"π is the probability that an edge is learned from a new sample. {leads} {noise}",
    )


def winner(found: Calibration, measure: str) -> str:
    """The method with the smallest error, unless others are within two standard errors of it."""
    leaders, table = found.leaders(measure), found.table().set_index("method")
    if len(leaders) == 1:
        return f"the {TITLES[leaders[0]]} is best ({_error(table, leaders[0], measure)})"
    if len(leaders) == len(table):
        return "no clear winner"
    names = [f"“{TITLES[key]}”" if "," in TITLES[key] else TITLES[key] for key in leaders]
    return f"no clear winner among {', '.join(names[:-1])} and {names[-1]}"


def _lead(found: Calibration, measure: str) -> str:
    """How far the best method is ahead of the corrected bootstrap, or that of the naive one; empty if it is that."""
    best = found.leaders(measure)[0]
    rival = next((key for key in ("boot_bc", "boot") if key in found.confidence and key != best), None)
    if rival is None:
        return ""
    lead, error = found.lead(best, rival, measure)
    return f"{_MEASURED[measure]}: {TITLES[best]} ahead of the {TITLES[rival]} by {plus_minus(lead, error)}."


def caution(found: Calibration, run: Run) -> str:
    """The search, and the limits of the finding."""
    text = f"Search: {found.search}{at_most(on_network(run.experiment, run.network))}."
    if run.experiment.calibration.truth != FITTED:
        return text
    return (
        f"{text} This is partly circular: the network was learned from your data by this search, so its edges are ones "
        "that the search finds. The result holds for data *like* yours, as far as the network is like the true one."
    )


def _error(table: pd.DataFrame, key: str, measure: str) -> str:
    line = table.loc[key]
    return f"{_MEASURED[measure]} {plus_minus(line[measure], line[f'{measure}_se'])}"
