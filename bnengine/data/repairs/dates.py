"""Dates, which are replaced by those of their parts that can be learned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.data.cell_text import date_in, date_order
from bnengine.data.checked_frame import state_label
from bnengine.data.repairs.cells import MOST_CELLS
from bnengine.data.repairs.kinds import Repair, RepairKind, distinct_of, most_common, tally_of, texts_of, with_values

_PARTS = ("year", "quarter", "month", "weekday", "hour")
_ORDERS = ("", "ymd", "dmy", "mdy")


def _dates(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield which part to keep of each column of dates."""
    texts = texts_of(frame)
    for name in frame.columns:
        order = date_order(texts[name], MOST_CELLS) if name in texts else ""
        if order or frame[name].dtype.kind == "M":
            times = _times_of(frame[name], order)
            if not np.isnat(times).all():
                yield _date(frame[name], order, times)


def _date(column: pd.Series[Any], order: str, times: Any) -> Repair:
    name, is_date = str(column.name), ~np.isnat(times)
    present = np.unique(times[is_date])
    n_values = {part: len(set(_part_of(present, part))) for part in _PARTS}
    parts = [part for part in _PARTS if n_values[part] > 1] or ["year"]
    first = "year" if n_values["year"] >= 3 else next((one for one in parts if one != "year"), parts[0])
    kept = (first, "hour") if n_values["hour"] > 2 and first != "hour" else (first,)
    before = min(column[times == present[0]].map(state_label))
    written = [str(_part_of(present[:1], part)[0]) for part in kept]
    after = ", hour ".join(written)
    sentence = f"'{name}' holds dates; of these, the {' and the '.join(kept)} can be learned from"
    odd = column.notna() & ~is_date
    if odd.any():
        others = most_common(tally_of(column[odd]))
        sentence += f"; {counted(int(odd.sum()), 'cell')} without one ({others}) would be missing"
    choices = (*([(order, *kept)] if len(kept) > 1 else []), *((order, part) for part in parts))
    n_dates, sure = int(is_date.sum()), not odd.any()
    return Repair("date", name, (order, *kept), n_dates, before, after, f"{sentence}.", choices, sure)


def _times_of(column: pd.Series[Any], order: str) -> Any:
    """Return the times of a column, to the minute; cells that are no dates have none. An empty order is looked for."""
    if column.dtype.kind == "M":
        return column.to_numpy(dtype="datetime64[m]")
    codes, labels = distinct_of(column)
    order = order or date_order(tally_of(column), 0.5)
    read = [date_in(label, order) for label in labels]
    return np.array([*read, None], dtype="datetime64[m]")[codes]


def _part_of(times: Any, part: str) -> list[Any]:
    """Return a part of each time: a number, or words for a quarter or a weekday."""
    moments = pd.DatetimeIndex(times)
    if part == "quarter":
        return [f"Q{one}" for one in moments.quarter]
    if part == "weekday":
        return [f"{day + 1} {name}" for day, name in zip(moments.day_of_week, moments.day_name(), strict=True)]
    return list(getattr(moments, part).tolist())


def _parts(columns: list[pd.Series[Any]], details: Sequence[str]) -> list[pd.Series[Any]]:
    (column,), (order, *parts) = columns, details
    codes, distinct = pd.factorize(pd.DatetimeIndex(_times_of(column, order)))
    kinds = {"quarter": "str", "weekday": "str"}
    return [with_values(column, codes, _part_of(distinct, part), kinds.get(part, "Int64")) for part in parts]


#: The kind of repair of dates.
DATES = (
    RepairKind(
        "date",
        "dates, of which a part can be learned from",
        "dates were replaced by a part of them in {columns}",
        lambda details: len(details) in (2, 3) and details[0] in _ORDERS and {*details[1:]} <= {*_PARTS},
        ("dmy", "year"),
        _dates,
        replace=_parts,
        made_names=lambda step: [f"{step[1]} ({part})" for part in step[3:]],
        counts_cells=True,
        choice=lambda details: " and ".join(details[1:]),
    ),
)
