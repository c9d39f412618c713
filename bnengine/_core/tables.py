"""Tables in memory of any library, as pandas frames: pandas' own, or Arrow columns (Polars, pyarrow)."""

from __future__ import annotations

from typing import Any


def as_frame(value: Any) -> Any:
    """The table as a pandas DataFrame; None if the value is no table.

    Cells, their order and the declared states of dictionary columns stay; a frame of pandas is returned itself.
    """
    if isinstance(value, type):
        return None
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        return value
    if isinstance(value, pd.Series) or not (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__dataframe__")):
        return None
    import pyarrow as pa
    from pyarrow.interchange import from_dataframe

    try:
        table = pa.table(value) if hasattr(value, "__arrow_c_stream__") else from_dataframe(value)
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError):  # a column by itself, a stream of scalars
        return None
    return table.to_pandas()
