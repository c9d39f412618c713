"""Texts of pages that are only words: captions, help, titles of columns. Each folder of pages has a file of them."""

import tomllib
from pathlib import Path
from typing import Any


def words(name: str) -> dict[str, Any]:
    """Return the texts in a file, by its path below ``pages/`` without its ending."""
    return tomllib.loads((Path(__file__).parents[1] / f"{name}.toml").read_text(encoding="utf-8"))


BAYESIAN, BIAS_LAB, DATA, EVIDENCE, MDL, NETWORK, PREDICT, SHARED = (
    words(f"{folder}/words")
    for folder in ("bayesian", "bias_lab", "data", "evidence", "mdl", "network", "predict", "shared")
)
