"""Name the types of array that the engine works on, once."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
UInt8Array = npt.NDArray[np.uint8]
Int32Array = npt.NDArray[np.int32]
UInt64Array = npt.NDArray[np.uint64]
UInt16Array = npt.NDArray[np.uint16]
Int8Array = npt.NDArray[np.int8]
