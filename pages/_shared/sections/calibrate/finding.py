"""What a calibration shows, in sentences."""

import pandas as pd

from bnengine.bootstrap.calibration import Calibration
from pages._shared import session
from pages._shared.figures.methods import TITLES
from pages._shared.format import at_most, escaped, plus_minus, short
from pages._shared.sections.calibrate.settings import FITTED, UPLOADED, Run


def explanation(run: Run) -> str:
    """What is going to be done."""
    return (
        "Draws tables from a known network. From many fresh ones it learns how probable each edge is to be learned, "
        "π. To a few others it applies each method, as if only that table were there, and compares the confidences p "
        "with π and with the network itself. The corrected bootstrap charges ½ nat a parameter. Score and search are "
        f"those on the left; {run.n_graphs:,} graphs are learned."
    )


def sentences(found: Calibration, called: str) -> tuple[str, str]:
    """What the numbers show for this network, score and number of rows, and how sure that is."""
    table = found.table().set_index("method")
    ranked = list(table["total_absolute_error"].sort_values(kind="stable").index)
    best, second = ranked[0], ranked[1]
    lead, error = found.lead(best, second)
    name = called_in_sentences(called)
    finding = (
        f"On {name} ({found.n_rows:,} rows, {escaped(found.score)}) the {TITLES[best]} comes nearest to how often an "
        f"edge is really learned: {pm(table, best)} edges off in all"
    )
    if best != "boot" and "boot" in table.index:
        finding += f", the naive bootstrap {pm(table, 'boot')}"
    if lead == 0:
        return f"On {name} ({found.n_rows:,} rows, {escaped(found.score)}) no method comes nearer than the others.", (
            f"All are {pm(table, best)} edges off in all; noise alone would make {short(found.floor)}."
        )
    sure = "more than twice its error" if lead > 2 * error else "up to twice its error" if lead > error else "within it"
    remark = (
        f"Its lead over the next, the {TITLES[second]}, is {plus_minus(lead, error)} edges: {sure}. "
        f"A method that knew π would be {short(found.floor)} off, from noise alone."
    )
    return finding + ".", remark


def caution(found: Calibration, called: str, run: Run) -> str:
    """By which search it was found, and how far the finding goes."""
    text = f"Search: {found.search}{at_most(run.experiment)}."
    if called != FITTED:
        return text
    return (
        f"{text} Circular, as far as it goes: the network was learned from these data by this search, so its edges are "
        "those that the search finds. It tells how the methods fare on data *like* yours, if the network is."
    )


def called_in_sentences(called: str) -> str:
    """The network as a sentence calls it."""
    if called == FITTED:
        return "the network fitted to these data"
    uploaded = session.settings.truth()
    return escaped(uploaded.title if called == UPLOADED and uploaded is not None else called.upper())


def pm(table: pd.DataFrame, key: str) -> str:
    """A distance with its standard error."""
    line = table.loc[key]
    return plus_minus(line["total_absolute_error"], line["total_absolute_error_se"])
