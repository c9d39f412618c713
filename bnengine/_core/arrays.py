"""Name the types of array that the engine works on, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.environment import pa, pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
UInt8Array = npt.NDArray[np.uint8]
Int32Array = npt.NDArray[np.int32]
UInt64Array = npt.NDArray[np.uint64]
UInt16Array = npt.NDArray[np.uint16]


def as_frame(value: Any) -> Any:
    """Return the table, of pandas or Arrow, as a pandas DataFrame, with its cells and declared states; else None."""
    if isinstance(value, type):
        return None
    if isinstance(value, pd.DataFrame):
        return value
    if isinstance(value, pd.Series) or not hasattr(value, "__arrow_c_stream__"):
        return None
    try:
        return pa.table(value).to_pandas()
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError):  # a column by itself, a stream of scalars
        return None


class ReadOnlyArrays:
    """Base class of frozen dataclasses: makes arrays read-only, also those in tuples and mappings."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            members = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else (value,)
            for member in members:
                if isinstance(member, np.ndarray):
                    member.setflags(write=False)
