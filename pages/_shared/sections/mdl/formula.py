"""The description length as a formula with its numbers."""

from typing import Any

from pages._shared.format import tex


def mdl_formula(line: Any, n_rows: int) -> str:
    """Return one line of ``bn.teaching.description_lengths`` as |B| log2(N) / 2 - log2 L."""
    size, misfit, total = lengths(line)
    parameters, rows = tex(line["parameters"]), tex(n_rows)
    return (
        rf"\underbrace{{{parameters}\cdot\tfrac{{\log_2 {rows}}}{{2}}}}_{{\text{{size }} {size}}} + "
        rf"\underbrace{{{misfit}}}_{{-\log_2 L}} = {total}\text{{ bits}}"
    )


def lengths(line: Any) -> tuple[str, str, str]:
    """Return size, misfit and their sum in bits, with four digits so that a reader can add them up."""
    size, misfit, total = (tex(line[part], 4) for part in ("size_bits", "misfit_bits", "mdl_bits"))
    return size, misfit, total
