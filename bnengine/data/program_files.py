"""Files of programs: workbooks, Parquet, Feather, SPSS, Stata and SAS, in a process whose memory and time are bounded.

Of a workbook the sheet of a title is read, or the largest that holds a table. calamine, pyarrow and pyreadstat trust
what a file says of its size.
"""

from __future__ import annotations

import contextlib
import io
import math
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from bnengine._core.display import listed
from bnengine._core.environment import pa, pc, pd
from bnengine.data import reading_options
from bnengine.data.cell_text import SILENT_WORDS, folded
from bnengine.data.checked_frame import DataError, state_label
from bnengine.data.infer_types import Remarks, check_table_size, clean_texts, frame_of, table_names, to_pandas
from bnengine.data.reading_options import ROWS_READ, ReadingOptions, check_bytes, numbered_columns, report_part
from bnengine.data.text_table import names_in

_ARCHIVE = b"PK\x03\x04"
#: How workbooks begin: xlsx, xlsm, xlsb and ods, which are archives, and xls.
WORKBOOKS = (_ARCHIVE, b"\xd0\xcf\x11\xe0")
_WHOLE_BELOW = 1e18  # larger whole numbers are written as Excel holds them, in floating point
#: In a sheet's markup a formula whose value was not saved; one whose value is an empty text is of another type.
_NOT_COMPUTED = re.compile(
    rb"<(?:\w+:)?c\b(?![^<>]*\bt=[\"']str)[^<>]*>\s*<(?:\w+:)?f\b[^<>]*(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)\s*)?</(?:\w+:)?c>"
)
#: The cells of a sheet, row by row.
Rows = list[list[str]]


def sheet_sizes(raw: bytes) -> tuple[tuple[str, int, int], ...]:
    """Return title, rows and columns of a workbook's worksheets; none for a file without any."""
    try:
        return tuple((sheet.name, *_size(sheet)) for sheet in _sheets(raw, "")[0])
    except Exception:  # as in read_workbook, which says what is wrong
        return ()


def read_workbook(
    raw: bytes, called: str, max_bytes: int, remarks: Remarks, options: ReadingOptions
) -> tuple[pd.DataFrame, str]:
    """Return the table in a sheet, and the format; ``remarks`` takes what is ambiguous."""
    with _readable(called, "workbook of Excel or LibreOffice", "open it and save it again as .xlsx or .csv"):
        if raw[:4] == _ARCHIVE:
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                check_bytes(sum(item.file_size for item in archive.infolist()), called, max_bytes)
                if not {"[Content_Types].xml", "content.xml"} & set(archive.namelist()):
                    raise DataError(
                        f"{called} is an archive of other files; unpack it, and choose the table among them"
                    )
        sheets, hidden = _sheets(raw, called)
        if not sheets:
            raise DataError(f"{called} has no worksheet; save the table as .xlsx or .csv")
        title, rows = _chosen(sheets, hidden, options.sheet, called)
        if raw[:4] == _ARCHIVE and _NOT_COMPUTED.search(_markup(raw, title)):
            remarks.add(
                f"the sheet '{title}' holds formulas whose values were not saved, so that their cells are empty; open "
                "the workbook in a spreadsheet program, save it and read it again"
            )
    if len(sheets) > 1 and not options.sheet:
        remarks.add(f"of {len(sheets)} sheets only '{title}' was read")
    rows = _table(rows, called, title)
    header, n_rows = names_in(rows, remarks) if options.header else (numbered_columns(len(rows[0])), 0)
    cells = [list(column) for column in zip(*rows[n_rows:], strict=True)] or [[] for _ in header]
    columns = [pa.array(column, pa.large_string()).dictionary_encode() for column in cells]
    return frame_of(header, columns, called, remarks, options), "Excel"


@contextlib.contextmanager
def _readable(called: str, form: str, remedy: str) -> Iterator[None]:
    """Refuse a damaged file, for which libraries raise many kinds of errors."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        raise DataError(f"{called} is not a readable {form} ({type(error).__name__}); {remedy}") from None


def _sheets(raw: bytes, called: str) -> tuple[list[Any], set[str]]:
    """Return a workbook's worksheets, without charts and macros, and the titles of those that it does not show."""
    from python_calamine import PasswordError, SheetTypeEnum, SheetVisibleEnum, load_workbook

    try:
        book = load_workbook(io.BytesIO(raw))
    except PasswordError:
        raise DataError(f"{called} is protected by a password; save it without one") from None
    about = [one for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
    hidden = {one.name for one in about if one.visible != SheetVisibleEnum.Visible}
    return [book.get_sheet_by_name(one.name) for one in about], hidden


def _markup(raw: bytes, title: str) -> bytes:
    """Return the markup of a sheet of an xlsx file; nothing of another file."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            return b""
        tags = ElementTree.fromstring(archive.read("xl/workbook.xml")).iter()
        keys = [
            value for tag in tags if tag.get("name") == title for name, value in tag.items() if name.endswith("}id")
        ]
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        target = next((link.get("Target", "") for link in links if link.get("Id") in keys), "")
        part = posixpath.join("xl", target).lstrip("/")
        return archive.read(part) if part in archive.namelist() else b""


def _size(sheet: Any) -> tuple[int, int]:
    """Return the rows and columns down to the last nonempty cell."""
    row, column = sheet.end or (-1, -1)
    return row + 1, column + 1


def _chosen(sheets: Sequence[Any], hidden: Container[str], wanted: str, called: str) -> tuple[str, Rows]:
    """Return the title and cells of the sheet to read; if none is wanted, of the largest visible one with a table."""
    by_title = {sheet.name: sheet for sheet in sheets}
    if wanted:
        if wanted not in by_title:
            raise DataError(f"{called} has no sheet '{wanted}'; it has {', '.join(by_title)}")
        return wanted, _rows(by_title[wanted], called)
    largest = sorted(sheets, key=lambda one: (one.name in hidden, -math.prod(_size(one))))
    fitting = [one for one in largest if math.prod(_size(one)) <= reading_options.LIMITS.sheet_cells]
    for sheet in fitting:
        rows = _rows(sheet, called)
        if sum(any(row[1:]) for row in rows) > 1:  # two rows of two columns at least
            return sheet.name, rows
    first = sheets[0] if len(fitting) == len(sheets) else largest[0]  # which is then refused as too large
    return first.name, _rows(first, called)


def _rows(sheet: Any, called: str) -> Rows:
    """Return the cells as text, down to the last nonempty row; DataError if the sheet exceeds a limit."""
    height, width = _size(sheet)
    most = reading_options.LIMITS.sheet_cells
    if height * width > most:
        raise DataError(
            f"a sheet of {called} has more than {most:,} cells, the limit for Excel (it has {height:,} rows and "
            f"{width:,} columns); delete cells outside the table, or save the sheet as .csv"
        )
    rows: Rows = []
    n_characters = 0
    for values in sheet.to_python(skip_empty_area=False):
        rows.append(list(map(_text, values)))
        n_characters += sum(map(len, rows[-1]))
        check_bytes(n_characters, f"the text in {called}", reading_options.LIMITS.bytes)
        report_part(ROWS_READ, len(rows), height)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        for row in rows[top + 1 : bottom + 1] if left == right else ():  # merged over rows, it is the cell of each
            row[left] = rows[top][left]
    while rows and not any(rows[-1]):
        rows.pop()
    return rows


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_BELOW
    return str(int(value) if whole else value)


def _table(rows: Rows, called: str, title: str) -> Rows:
    """Return the rows without empty columns at the left and the right."""
    if not rows:
        raise DataError(f"the sheet '{title}' of {called} is empty; choose another sheet, or move the table there")
    filled = [c for c, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    check_table_size(len(rows), filled[-1] + 1, called)
    return [row[filled[0] : filled[-1] + 1] for row in rows]


# Parquet and Feather files.

#: How pandas calls the column of an index without a name.
_PANDAS_INDEX = "__index_level_"


def read_arrow_file(raw: bytes, called: str, max_bytes: int, remarks: Remarks, form: str) -> pd.DataFrame:
    """Return the table in a Parquet or Feather file, which Arrow reads; ``remarks`` takes what is ambiguous."""
    with _readable(called, f"{form} file", "write it again"):
        return _read(raw, called, max_bytes, remarks, form)


def _opened(raw: bytes, called: str, form: str) -> tuple[Any, Callable[[], Any]]:
    """Return the schema of a file, and what reads its table; a DataError if that exceeds a limit."""
    import pyarrow.parquet as pq

    if form == "Parquet":
        file = pq.ParquetFile(io.BytesIO(raw))
        check_table_size(file.metadata.num_rows, file.metadata.num_columns, called)
        return file.schema_arrow, lambda: file.read(use_threads=False)
    batches, n_rows = pa.ipc.open_file(pa.py_buffer(raw)), 0
    for place in range(batches.num_record_batches):
        n_rows += batches.get_batch(place).num_rows
        check_table_size(n_rows, len(batches.schema), called)
    return batches.schema, batches.read_all


def _read(raw: bytes, called: str, max_bytes: int, remarks: Remarks, form: str) -> pd.DataFrame:
    schema, read = _opened(raw, called, form)
    if not len(schema):
        raise DataError(f"{called} has no columns; a table needs at least one")
    for field in schema:
        if pa.types.is_nested(field.type):
            raise DataError(
                f"column '{field.name[:80]}' holds a {str(field.type).split('<')[0]} in each cell; give each of its "
                "parts a column of its own"
            )
    kept = [place for place, name in enumerate(schema.names) if not name.startswith(_PANDAS_INDEX)]
    if len(kept) < len(schema.names):
        remarks.add("the row index, which has no name, was dropped")
    names = table_names([schema.names[place] for place in kept], called)
    table = read()
    if not table.num_rows:
        raise DataError(f"{called} has column names but no rows")
    columns = [_parquet_column(name, table.column(place)) for name, place in zip(names, kept, strict=True)]
    n_bytes = sum(pc.sum(pc.binary_length(one)).as_py() or 0 for one in columns if one.type == pa.large_string())
    check_bytes(n_bytes, called, max_bytes)
    return to_pandas(pa.table(columns, names))


def _parquet_column(name: str, column: Any) -> Any:
    """Return a column, text as strings with composed accents; some files store text as plain bytes."""
    kind = column.type
    if pa.types.is_dictionary(kind) and str(kind.value_type) in ("string", "large_string"):
        whole = column.unify_dictionaries().combine_chunks()
        whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
        words = clean_texts(whole.dictionary)
        if len(pc.unique(words)) < len(words):  # two states that were one but for their accents
            return words.take(whole.indices)
        return pa.DictionaryArray.from_arrays(whole.indices, words, ordered=kind.ordered)
    if str(kind) in ("string", "large_string", "binary", "large_binary"):
        try:
            return clean_texts(column.cast(pa.large_string()).combine_chunks())
        except pa.ArrowInvalid:
            raise DataError(f"column '{name[:80]}' holds bytes that are not text; leave it out") from None
    return column


# Files of SPSS, Stata and SAS, which keep codes, labels of these codes, and codes that stand for a missing answer.

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
_EXACT_BELOW = 2**53


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
    with _readable(called, f"file of {program}", "write it again, or save it as CSV"):
        about = read(io.BytesIO(raw), metadataonly=True, **keeping)[1]
        n_columns = len(about.column_names)
        check_table_size(about.number_rows or 0, n_columns, called)
        most = reading_options.LIMITS.cells // max(n_columns, 1) + 1  # some files do not say how many rows they have
        frame = read(io.BytesIO(raw), row_limit=most)[0]
    check_table_size(len(frame), n_columns, called)
    if not n_columns or not len(frame):
        raise DataError(f"{called} has {'column names but no rows' if n_columns else 'no columns'}")
    names = table_names(about.column_names, called)
    columns = [_labelled(frame[name], _states(about, name), f"'{name[:80]}'", remarks) for name in about.column_names]
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


def _labelled(column: pd.Series[Any], labels: Mapping[Any, str], called: str, remarks: Remarks) -> Any:
    """Return the labels in the order of their codes, or else numbers, dates or text; an empty text is missing."""
    column = column.infer_objects()  # whole numbers beside missing ones come as objects
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        column = column.str.strip()
        column = column.where(column != "")
    silent = {code for code, label in labels.items() if folded(label) in SILENT_WORDS}
    if met := silent & set(column.dropna().tolist()):
        words = listed([f"'{labels[code]}'" for code in sorted(met)], 3)
        remarks.add(f"codes labelled {words} are missing in {{}}", called)
    column, labels = column.mask(column.isin(silent)), {c: one for c, one in labels.items() if c not in silent}
    found = set(column.dropna().unique().tolist())
    if labels and 2 * len(found - set(labels)) <= len(found):
        codes = sorted(found | set(labels))
        return pd.Categorical(column, codes, ordered=True).rename_categories(_distinct(codes, labels))
    if labels:
        remarks.add("most values of {} have no label, so they were read as numbers", called)
    if column.dtype.kind == "f" and all(value.is_integer() and abs(value) < _EXACT_BELOW for value in found):
        return column.astype("Int64") if column.hasnans else column.astype("int64")
    return column


def _distinct(codes: list[Any], labels: Mapping[Any, str]) -> list[str]:
    """Return the state of each code: its label, with the code where labels are repeated; without a label the code."""
    written = [labels.get(code) or state_label(code) for code in codes]
    times = Counter(map(state_label, written))
    return [
        state if times[state_label(state)] == 1 else f"{state_label(code)} {state}"
        for code, state in zip(codes, written, strict=True)
    ]
