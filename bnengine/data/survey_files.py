"""Files of SPSS, Stata and SAS, which keep codes, labels of these codes, and codes that stand for a missing answer.

pyreadstat reads them, in a process whose memory and time are bounded.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.data import reading_options
from bnengine.data.checked_frame import DataError, state_label
from bnengine.data.infer_types import Remarks, check_table_size, table_names

#: What the files of a program begin with, and the function of pyreadstat that reads them.
_BEGINNINGS = (
    (b"$FL2", "SPSS", "read_sav"),
    (b"$FL3", "SPSS", "read_sav"),
    (b"<stata_dta>", "Stata", "read_dta"),
    *((bytes([version, order, 1, 0]), "Stata", "read_dta") for version in range(104, 116) for order in (1, 2)),
    (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c", "SAS", "read_sas7bdat"),
    (b"HEADER RECORD*******LIB", "SAS", "read_xport"),
)
_PORTABLE = b"ASCII SPSS PORT FILE"
PROGRAMS = ("SPSS", "Stata", "SAS")
_MOST_SHOWN = 3
_WHOLE_BELOW = 2**53


def program_of(raw: bytes) -> str:
    """Return the program whose file this is: SPSS, Stata or SAS; empty for another."""
    return _reader_of(raw)[0]


def _reader_of(raw: bytes) -> tuple[str, str]:
    if _PORTABLE in raw[:512]:
        return "SPSS", "read_por"
    return next(((program, reader) for begin, program, reader in _BEGINNINGS if raw.startswith(begin)), ("", ""))


def read_survey(raw: bytes, called: str, remarks: Remarks, program: str) -> pd.DataFrame:
    """Return the table in a file of SPSS, Stata or SAS; ``remarks`` takes what is ambiguous."""
    try:
        import pyreadstat
    except ImportError:
        raise DataError(
            f"{called} is a file of {program}, which needs pyreadstat: pip install 'bnengine[formats]', or save the "
            "table as CSV"
        ) from None
    read = getattr(pyreadstat, _reader_of(raw)[1])
    keeping = {} if read in (pyreadstat.read_por, pyreadstat.read_xport) else {"user_missing": True}
    try:
        about = read(io.BytesIO(raw), metadataonly=True, **keeping)[1]
        n_columns = len(about.column_names)
        check_table_size(about.number_rows or 0, n_columns, called)
        most = reading_options.LIMITS.cells // max(n_columns, 1) + 1  # some files do not say how many rows they have
        frame = read(io.BytesIO(raw), row_limit=most)[0]
    except (DataError, MemoryError):
        raise
    except Exception as error:  # of pyreadstat, or a date that Python has no value for
        raise DataError(
            f"{called} is not a readable file of {program} ({type(error).__name__}); write it again, or save it as CSV"
        ) from None
    check_table_size(len(frame), n_columns, called)
    if not n_columns or not len(frame):
        raise DataError(f"{called} has {'column names but no rows' if n_columns else 'no columns'}")
    names = table_names(about.column_names, called, remarks)
    columns = [_column(frame[name], _states(about, name), f"'{name[:80]}'", remarks) for name in about.column_names]
    _remark_on_descriptions(dict(zip(names, about.column_labels, strict=True)), remarks)
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def _states(about: Any, name: str) -> dict[Any, str]:
    """Return the labels of a column's codes, without those of codes that stand for a missing answer."""
    missing = about.missing_ranges.get(name, [])
    numeric = about.readstat_variable_types[name] != "string"
    return {
        code: label.strip()
        for code, label in about.variable_value_labels.get(name, {}).items()
        if label.strip()
        and isinstance(code, str) != numeric  # a letter for a number is one of Stata's or SAS's missing values
        and not any(one["lo"] <= code <= one["hi"] for one in missing)
    }


def _column(column: pd.Series[Any], labels: Mapping[Any, str], called: str, remarks: Remarks) -> Any:
    """Return the labels in the order of their codes, or else numbers, dates or text; an empty text is missing."""
    column = column.infer_objects()  # whole numbers beside missing ones come as objects
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        column = column.str.strip()
        column = column.where(column != "")
    found = set(column.dropna().unique().tolist())
    if labels and 2 * len(found - set(labels)) <= len(found):
        codes = sorted(found | set(labels))
        states = _distinct(codes, labels)
        return pd.Categorical.from_codes(
            pd.Categorical(column, codes).codes, [states[code] for code in codes], ordered=True
        )
    if labels:
        remarks.add("most values of {} have no label, so they were read as numbers", called)
    if column.dtype.kind == "f" and all(value.is_integer() and abs(value) < _WHOLE_BELOW for value in found):
        return column.astype("Int64") if column.hasnans else column.astype("int64")
    return column


def _distinct(codes: list[Any], labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the state of each code: its label, with the code where labels are repeated; without a label the code."""
    written = {code: labels.get(code) or state_label(code) for code in codes}
    times = Counter(map(state_label, written.values()))
    return {
        code: state if times[state_label(state)] == 1 else f"{state_label(code)} {state}"
        for code, state in written.items()
    }


def _remark_on_descriptions(labels: Mapping[str, str | None], remarks: Remarks) -> None:
    given = [f"'{name}' is \"{label[:60]}\"" for name, label in labels.items() if label]
    if given:
        more = len(given) - _MOST_SHOWN
        shown = "; ".join(given[:_MOST_SHOWN]) + (f"; {counted(more, 'more label')}" if more > 0 else "")
        remarks.add(f"the file labels its variables: {shown}")
