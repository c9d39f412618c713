"""The error of data that cannot be used."""

from __future__ import annotations


class DataError(ValueError):
    """Raised for data that cannot be used; the message names the column, the value and the remedy."""
