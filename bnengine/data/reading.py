"""Reading untrusted tables: text of many kinds, workbooks, Parquet, Feather, SPSS, Stata and SAS, gzipped or not.

``None``, ``NA`` and ``null`` are read as states; only an empty cell is missing. Text is read here, by a reader that
counts as it goes; all other files are read in a process of their own, see ``_core.isolated``.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bnengine._core import isolated
from bnengine._core.environment import pa, pd
from bnengine._core.parallel import Progress
from bnengine._core.validation import validated
from bnengine.data import reading_options
from bnengine.data.checked_frame import DataError
from bnengine.data.infer_types import Remarks, to_pandas
from bnengine.data.program_files import WORKBOOKS, program_of, read_arrow_file, read_survey, read_workbook
from bnengine.data.reading_options import ReadingOptions, content_of, name_of
from bnengine.data.text_table import read_text

_PARQUET, _FEATHER = b"PAR1", b"ARROW1"[:4]
#: Largest size of a file, packed and unpacked, in bytes.
MAX_BYTES = reading_options.LIMITS.bytes


@dataclass(frozen=True)
class Reading:
    """How a table was read; stored in the frame's ``attrs["reading"]``.

    Attributes
    ----------
    form : str
        File format, encoding and separator.
    remarks : tuple of str
        Ambiguities and how they were resolved, each with a remedy.
    """

    form: str
    remarks: tuple[str, ...] = ()

    def __deepcopy__(self, _: Any) -> Reading:
        return self  # it cannot change; pandas copies a frame's attributes for each column that is looked at


@validated
def read_table(
    source: str | Path | BinaryIO,
    *,
    sheet: str = "",
    header: bool = True,
    separator: str = "auto",
    decimal: str = "auto",
    encoding: str = "auto",
    comment: str = "auto",
    cases: str = "auto",
) -> pd.DataFrame:
    r"""Read a table whose first line, but for a title above it, holds the column names.

    Parameters
    ----------
    source : path or binary file
        CSV (separated by comma, semicolon, tab, vertical bar or space; in UTF-8, UTF-16, UTF-32 or an encoding that
        ``data/encodings.py`` tells by its letters), a workbook (xlsx, xlsm, xlsb, xls, ods), Parquet, Feather, or a
        file of SPSS (sav, zsav, por), Stata (dta), SAS (sas7bdat, xpt), Weka (arff), Orange (tab) or GOBNILP (dat);
        any of them gzipped. The format is detected from the content. Error messages call a binary file by its ``name``.
    sheet : str
        Title of the sheet of a workbook to read; by default the largest that holds a table.
    header : bool
        False if the first line of text or of a sheet is a row already; the columns are then "column 1", "column 2", ….
    separator : {"auto", "comma", "semicolon", "tab", "bar", "space"}
    decimal : {"auto", "point", "comma"}
        With "point", commas in numbers are thousands separators.
    encoding : {"auto", "utf-8", "utf-16", "windows-1252", …}
    comment : {"auto", "none", "percent", "slashes"}
        Lines that begin with this mark are skipped: # by default, none, % or //.
    cases : {"auto", "rows", "columns"}
        With "columns" the rows of a text or a sheet are the variables, as in tables of genes, and the table is turned.

    Returns
    -------
    DataFrame
        A column is numeric if all of its cells are numbers, otherwise it holds strings. Empty cells are missing.
        A column of SPSS or Stata whose codes have labels is an ordered Categorical: the labels in the order of the
        codes, without codes that the file declares missing.
        ``attrs["reading"]`` is a ``Reading`` that records how the file was interpreted.

    Raises
    ------
    DataError
        If the file is missing, empty, too large or damaged, column names are missing or repeated, rows differ in
        length, a cell holds a formula, or there is no such sheet. The limits are those of
        ``bnengine.data.reading_options``.
    ValueError
        If an option is not one of those.

    Examples
    --------
    >>> import io
    >>> frame = read_table(io.BytesIO(b"dose;cured\n1,5;yes\n2,25;no\n"))
    >>> frame["dose"].tolist()
    [1.5, 2.25]
    >>> frame.attrs["reading"].remarks
    ("commas in 'dose' were read as decimal points",)
    """
    options = ReadingOptions(sheet, header, separator, decimal, encoding, comment, cases)
    return read_named(source, name_of(source), options)


def read_named(
    source: str | Path | BinaryIO, called: str, options: ReadingOptions | None = None, max_bytes: int = MAX_BYTES
) -> pd.DataFrame:
    """Read a table as ``read_table`` does, under a name for error messages, of at most so many bytes."""
    options = options or ReadingOptions()
    raw = content_of(source, called, max_bytes)
    if isolated.in_worker() or not (raw[:4] in (_PARQUET, _FEATHER, *WORKBOOKS) or program_of(raw)):
        return _read(raw, called, max_bytes, options)  # our own reader of text counts cells and bytes itself
    given = {"called": called, "max_bytes": max_bytes, "options": asdict(options)}
    (form, remarks), found = read_isolated("table", raw, called, given)
    frame = frame_from(found)
    frame.attrs["reading"] = Reading(form, tuple(remarks))
    return frame


def read_here(
    raw: bytes, called: str, max_bytes: int, options: dict[str, Any]
) -> tuple[tuple[str, Sequence[str]], bytes]:
    """Read a table in the isolated process: its form and the remarks, and the frame as an Arrow stream."""
    frame = _read(raw, called, max_bytes, ReadingOptions(**options))
    reading = frame.attrs["reading"]
    return (reading.form, reading.remarks), frame_bytes(frame)


_JSON = re.compile(rb"\{\s{0,1000}[\"}]|\[\s{0,1000}[\[{\"]")
_MARKUP = re.compile(rb"<(?:!doctype|!--|\?xml|html|head|body|table|div|script)\b", re.IGNORECASE)


def _other_form(raw: bytes) -> str:
    """Return what a file holds that is text, but no table, with the remedy; empty if that is unclear."""
    start = raw[:4096].removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(b"%PDF"):
        return "a PDF, not a table; save the table that is in it as CSV"
    if _JSON.match(start):
        return "JSON, not a table; write it as CSV first, for example with pandas.read_json(…).to_csv(…, index=False)"
    if _MARKUP.match(start) or (re.match(rb"<[A-Za-z/]", start) and raw[-4096:].rstrip().endswith(b">")):
        return (
            "a web page or other markup (HTML, XML), not a table; download the file itself, since a link may lead to a "
            "page about it, or save the table as CSV"
        )
    return ""


def _read(raw: bytes, called: str, max_bytes: int, options: ReadingOptions) -> pd.DataFrame:
    remarks = Remarks()
    if raw[:4] in (_PARQUET, _FEATHER):
        form = "Parquet" if raw[:4] == _PARQUET else "Feather"
        frame = read_arrow_file(raw, called, max_bytes, remarks, form)
    elif raw[:4] in WORKBOOKS:
        frame, form = read_workbook(raw, called, max_bytes, remarks, options)
    elif program := program_of(raw):
        frame, form = read_survey(raw, called, remarks, program), program
    elif other := _other_form(raw):
        raise DataError(f"{called} holds {other}")
    else:
        frame, form = read_text(raw, called, remarks, options)
    frame.attrs["reading"] = Reading(form, remarks.sentences)
    return frame


# What the isolated process that reads files is given and gives back; see ``bnengine._core.isolated``.

_TOO_MUCH = "keep the columns of interest, or a random sample of the rows"


class StoppedError(DataError):
    """Raised where reading was stopped by the person who asked for it."""


def read_isolated(
    task: str, content: bytes, called: str, given: Mapping[str, Any], progress: Progress | None = None
) -> tuple[Any, bytes]:
    """Have a task done on a file in an isolated process, as ``isolated.run_isolated`` does, within the limits on files.

    A DataError if the function says that the file cannot be read, or the process ended first.
    """
    most, too_much = reading_options.LIMITS, _TOO_MUCH
    seconds = most.reader_seconds
    if task == "network":
        too_much = "remove parents or states"
    elif content[:4] in WORKBOOKS:
        too_much = f"delete cells far outside the table, {too_much}"
    try:
        return isolated.run_isolated(task, content, given, most.reader_megabytes, seconds, progress, DataError)
    except isolated.EndedError as error:
        reasons = {
            "memory": f"reading {called} takes more than {most.reader_megabytes:,} MB of memory, the limit; {too_much}",
            "time": f"reading {called} takes more than {seconds} s, the limit; {too_much}",
            "killed": f"the process that read {called} was killed, as where memory runs out; try again, or {too_much}",
            "crash": f"the process that read {called} crashed, perhaps since the file is damaged; write the file again",
            "start": f"no process could be started to read {called}; check that the system lets Python start one",
        }
        if error.reason == "stopped":
            raise StoppedError(f"reading {called} was stopped") from None
        raise DataError(reasons[error.reason]) from None


def frame_bytes(frame: pd.DataFrame) -> bytes:
    """Return a frame as an Arrow stream, without its attributes."""
    table, sink = pa.table({name: frame[name] for name in frame.columns}), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def frame_from(found: bytes) -> pd.DataFrame:
    """Return the frame in an Arrow stream; a ValueError if it points outside of its own memory."""
    table = pa.ipc.open_stream(found).read_all()
    table.validate(full=True)
    return to_pandas(table)
