"""Results whose arrays cannot be changed."""

from collections.abc import Mapping

import numpy as np


class ReadOnlyArrays:
    """Base class of frozen dataclasses: makes arrays read-only, also those in tuples and mappings."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            members = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else (value,)
            for member in members:
                if isinstance(member, np.ndarray):
                    member.setflags(write=False)
