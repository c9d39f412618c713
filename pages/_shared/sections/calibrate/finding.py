"""The result of a calibration, in sentences."""

import pandas as pd

from bnengine.bootstrap.calibration import Calibration
from bnengine.experiment.calibrating import on_network
from bnengine.experiment.calibration_settings import FITTED
from pages._shared.figures.methods import TITLES
from pages._shared.format import at_most, escaped, plus_minus, short
from pages._shared.sections.calibrate.settings import Run


def explanation(run: Run) -> str:
    """What a calibration does."""
    return (
        "Draws tables from a known network. From many new samples it estimates the inclusion probability π of each "
        "edge: how often it is learned. To a few tables it applies each method, and compares the confidence p with π "
        "and with the network. The corrected bootstrap uses a strength of ½ nat per parameter; score and search are "
        f"those in the sidebar. About {run.n_graphs:,} graphs are learned."
    )


def sentences(found: Calibration, run: Run) -> tuple[str, str]:
    """The method with the smallest error, and how certain that is."""
    table = found.table().set_index("method")
    best, second, *_ = table["total_absolute_error"].sort_values(kind="stable").index
    lead, error = found.lead(best, second)
    start = f"On {escaped(run.title)} ({found.n_rows:,} rows, {escaped(found.score)}), "
    noise = f"Sampling noise alone gives an error of {short(found.floor)} edges."
    if lead == 0:
        return (
            f"{start}all methods are equally close to π.",
            f"Each has an error of {_error(table, best)} edges. {noise}",
        )
    finding = f"{start}the {TITLES[best]} is closest to π: total error {_error(table, best)} edges"
    if best != "boot" and "boot" in table.index:
        finding += f", naive bootstrap {_error(table, 'boot')}"
    size = "more than two" if lead > 2 * error else "between one and two" if lead > error else "less than one"
    remark = (
        f"π is the probability that an edge is learned from a new sample. The lead over the {TITLES[second]} is "
        f"{plus_minus(lead, error)} edges, {size} standard error{'' if size.endswith('one') else 's'}. {noise}"
    )
    return f"{finding}.", remark


def caution(found: Calibration, run: Run) -> str:
    """The search, and the limits of the finding."""
    text = f"Search: {found.search}{at_most(on_network(run.experiment, run.network))}."
    if run.experiment.calibration.truth != FITTED:
        return text
    return (
        f"{text} This is partly circular: the network was learned from your data by this search, so its edges are ones "
        "that the search finds. The result holds for data *like* yours, as far as the network is like the true one."
    )


def _error(table: pd.DataFrame, key: str) -> str:
    line = table.loc[key]
    return plus_minus(line["total_absolute_error"], line["total_absolute_error_se"])
