"""What the isolated process that reads files is given and gives back; see ``bnengine._core.isolated``."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bnengine._core import isolated
from bnengine._core.parallel import Progress
from bnengine.data import limits
from bnengine.data.dataset import DataError
from bnengine.data.typed_columns import to_pandas

if TYPE_CHECKING:
    import pandas as pd

_TOO_MUCH = "keep the columns of interest, or a random sample of the rows"


class StoppedError(DataError):
    """Raised where reading was stopped by the person who asked for it."""


def read_isolated(
    task: str,
    content: bytes,
    called: str,
    given: Mapping[str, Any],
    progress: Progress | None = None,
    too_much: str = _TOO_MUCH,
    seconds: int | None = None,
) -> tuple[Any, bytes]:
    """Let a function read a file in an isolated process, as ``isolated.work`` does, within the limits on files.

    Raises
    ------
    DataError
        If the function says that the file cannot be read, or the process ended first; ``too_much`` is the remedy then.
        ``seconds`` may be fewer than the limit.
    """
    most = limits.LIMITS
    seconds = min(seconds or most.reader_seconds, most.reader_seconds)
    try:
        return isolated.work(
            "bnengine.data.isolated_reading:within_limits",
            content,
            {"task": task, "most": dataclasses.asdict(most), "given": dict(given)},
            isolated.Bounds(most.reader_megabytes, seconds),
            progress,
            DataError,
        )
    except isolated.EndedError as error:
        said = {
            "memory": f"reading {called} takes more than {most.reader_megabytes:,} MB of memory, the limit; {too_much}",
            "time": f"reading {called} takes more than {seconds} s, the limit; {too_much}",
            "crash": f"{called} is damaged: the process that read it ended; write the file again",
            "start": f"no process could be started to read {called}; check that the system lets Python start one",
        }
        if error.reason == "stopped":
            raise StoppedError(f"reading {called} was stopped") from None
        raise DataError(said[error.reason]) from None


def within_limits(content: bytes, task: str, most: Mapping[str, int], given: Mapping[str, Any]) -> tuple[Any, bytes]:
    """Call a function with the limits of the process that asked for it."""
    limits.LIMITS = limits.Limits(**most)
    module, _, name = task.partition(":")
    found: tuple[Any, bytes] = getattr(importlib.import_module(module), name)(content, **given)
    return found


def frame_bytes(frame: pd.DataFrame) -> bytes:
    """Return a frame as an Arrow stream, without its attributes."""
    import pyarrow as pa

    frame = frame.copy(deep=False)
    frame.attrs = {}
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def frame_from(found: bytes) -> pd.DataFrame:
    """Return the frame in an Arrow stream."""
    import pyarrow as pa

    with pa.ipc.open_stream(found) as stream:
        return to_pandas(stream.read_all())
