"""The description length as a formula with its numbers."""

from typing import Any

from pages._shared.format.numbers import tex


def mdl_formula(line: Any, n_rows: int) -> str:
    """One network's line of ``bnengine.description_lengths`` as |B| log2 N / 2 - log2 L."""
    parameters = f"{line['parameters']:,}".replace(",", "{,}")
    rows = f"{n_rows:,}".replace(",", "{,}")
    return (
        rf"\underbrace{{{parameters}\cdot\tfrac{{\log_2 {rows}}}{{2}}}}_{{\text{{size }} {tex(line['size_bits'])}}} + "
        rf"\underbrace{{{tex(line['misfit_bits'])}}}_{{-\log_2 L}} = {tex(line['mdl_bits'])}\text{{ bits}}"
    )
