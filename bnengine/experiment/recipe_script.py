"""The Python lines that repeat a recipe."""

from __future__ import annotations

import dataclasses

from bnengine.data.reading_options import ReadingOptions
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.recipe import Recipe
from bnengine.experiment.recipe_lists import NO_DISCRETIZATION


def python_lines(recipe: Recipe) -> str:
    """Return Python lines that make ``data``."""
    frame = {
        "sample": f"bn.load_sample({recipe.name!r})",
        "network": f"bn.load_network({recipe.name!r}).sample({recipe.n_rows}, rng={recipe.seed}).to_frame()",
        "file": f"bn.read_table({', '.join([repr(recipe.name), *(f'{k}={v!r}' for k, v in recipe.reading.items())])})",
    }[recipe.source]
    lines = ["import bnengine as bn", "", f"frame = {frame}"]
    if any(getattr(recipe, name) for name in ("where", "rare", "states", "missing_in", "renamed")):
        detected = dataclasses.asdict(ReadingOptions())
        treated = dataclasses.replace(
            recipe, source="sample", name=Recipe.name, fingerprint="", n_rows=0, seed=0, **detected
        )
        return "\n".join([*lines, f"recipe = bn.{treated!r}", "data = recipe.prepare(frame)"]) + "\n"
    if recipe.columns:
        lines.append(f"frame = frame[{list(recipe.columns)!r}]")
    if recipe.per_column:
        kept = Recipe(discretization=recipe.discretization, bins=recipe.bins, per_column=recipe.per_column)
        lines += [f"recipe = bn.{kept!r}", "frame = bn.discretize(frame, *recipe.treatment(frame))"]
    elif recipe.discretization != NO_DISCRETIZATION:
        bins = "" if recipe.discretization == BY_SCORE else f", bins={recipe.bins}"
        lines.append(f"frame = bn.discretize(frame, method={recipe.discretization!r}{bins})")
    lines += [f"frame = bn.fill_missing(frame, {recipe.missing!r})", "data = bn.Dataset.from_frame(frame)"]
    return "\n".join(lines) + "\n"
