"""Files that ask for far more than they are: what a hostile visitor, or a bad day, uploads. Written to a folder."""

import gzip
import io
import zipfile

import pyarrow as pa
import pyarrow.parquet

SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)
_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SPREADSHEET}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SPREADSHEET}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_SPREADSHEET}.sharedStrings+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Data" '
    'sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}


def workbook(rows, strings=()):
    """Bytes of a workbook with this markup between the tags of its cells; parts may be iterators of blocks."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in PARTS.items():
            archive.writestr(name, content)
        before, after = SHEET.split("{}")
        for name, blocks in {
            "xl/worksheets/sheet1.xml": [before, *rows, after],
            "xl/sharedStrings.xml": [
                '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
                *strings,
                "</sst>",
            ],
        }.items():
            with archive.open(name, "w", force_zip64=True) as part:
                for block in blocks:
                    part.write(block.encode())
    return target.getvalue()


HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c></row>'


def packed(blocks):
    target = io.BytesIO()
    with gzip.GzipFile(fileobj=target, mode="wb", compresslevel=1) as file:
        for block in blocks:
            file.write(block)
    return target.getvalue()


def parquet(table, **settings):
    target = io.BytesIO()
    pyarrow.parquet.write_table(table, target, **settings)
    return target.getvalue()


def pages_larger_than_the_summary_says():
    """Each page's header declares 128 MB; the summary at the end of the file, one."""
    words = pa.table({"x": ["0" * 200] * 80_000})
    raw = bytearray(parquet(words, compression="zstd", use_dictionary=False, data_page_size=2**22, store_schema=False))
    declared, place = b"\xfe\xff\xff\x7f", 0
    while (place := raw.find(b"\x15\x00\x15", place)) >= 0:  # a data page, and then its size
        place += 3
        if all(byte > 127 for byte in raw[place : place + 3]) and raw[place + 3] < 128:
            raw[place : place + 4] = declared
    return bytes(raw)


def dictionary_of_long_words():
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["a" * 10_000]))
    return parquet(pa.table({"x": words}), compression="zstd", store_schema=False)


def larger_than_it_says():
    """A workbook whose list of parts says that its texts unpack to one kilobyte; they unpack to 300 MB."""
    raw = bytearray(workbook([HEADER], ["<si><t>", *["a" * 2**20] * 300, "</t></si>"]))
    entry = raw.rindex(b"xl/sharedStrings.xml") - 46  # the entry in the list; 24 bytes on, the size
    raw[entry + 24 : entry + 28] = (1024).to_bytes(4, "little")
    return bytes(raw)


#: What to call the file; its bytes; what the refusal says.
_TOO_MUCH_MEMORY = "more than 2,048 MB of memory, the limit; delete cells far outside the table, keep the columns"
FILES = {
    "stray.xlsx": (
        lambda: workbook([HEADER, '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>']),
        _TOO_MUCH_MEMORY,
    ),
    "far_column.xlsx": (
        lambda: workbook([HEADER, '<row r="200"><c r="XFD200"><v>1</v></c></row>']),
        r"more than 2,000,000 cells, the limit for Excel \(it has 200 rows and 16,384 columns\); delete cells outside",
    ),
    "far_row.xlsx": (lambda: workbook([HEADER, '<row r="99999999"><c><v>1</v></c></row>']), _TOO_MUCH_MEMORY),
    "one_row_of_cells.xlsx": (
        lambda: workbook([HEADER, "<row>", "<c><v>1</v></c>" * 100_000, "</row>"]),
        "more than 10,000 columns, the limit",
    ),
    "empty_rows.xlsx": (
        lambda: workbook([HEADER, '<row r="1000000"></row>', "<row></row>" * 100_000]),
        "has column names but no rows",
    ),
    "long_string.xlsx": (
        lambda: workbook([HEADER, '<row><c t="s"><v>0</v></c></row>'], ["<si><t>", *["a" * 2**20] * 201, "</t></si>"]),
        "larger than 200 MB; keep the columns",
    ),
    "long_string_within_bounds.xlsx": (
        lambda: workbook([HEADER, '<row><c t="s"><v>0</v></c></row>'], ["<si><t>", *["a" * 2**20] * 100, "</t></si>"]),
        "",
    ),
    "often_within_memory.xlsx": (
        lambda: workbook(
            [HEADER, '<row><c t="s"><v>0</v></c></row>' * 10_000], ["<si><t>" + "a" * 30_000 + "</t></si>"]
        ),
        "the text in .* is larger than 200 MB; keep the columns of interest",
    ),
    "larger_than_it_says.xlsx": (larger_than_it_says, "not a readable workbook|more than 2,048 MB of memory"),
    "zeros.csv.gz": (lambda: packed([b"x\n", *[b"0\n" * 500_000] * 190]), "more than 30,000,000 cells, the limit"),
    "commas.csv.gz": (lambda: packed([b"," * 2**20] * 190), "more than 10,000 columns, the limit"),
    "too_much.csv.gz": (lambda: packed([b"x\n", *[b"a" * 1000 + b"\n" * 2**20] * 201]), "larger than 200 MB"),
    "wide.csv": (lambda: b"x," * 1_000_000 + b"x\n" + b"1," * 1_000_000 + b"1\n", "more than 10,000 columns"),
    "one_line.csv": (lambda: b"a" * 50_000_000, "not a readable table .*quotes closed"),
    "distinct_words.csv": (lambda: b"x\n" + b"\n".join(b"%07d" % k for k in range(1_000_000)), ""),
    "dictionary.parquet": (dictionary_of_long_words, "more than 2,048 MB of memory, the limit; keep the columns"),
    "nulls.parquet": (
        lambda: parquet(pa.table({f"x{k}": pa.nulls(10_000_000, pa.int8()) for k in range(4)}), compression="zstd"),
        "more than 30,000,000 cells",
    ),
    "pages.parquet": (pages_larger_than_the_summary_says, "not a readable Parquet file"),
    "wide.parquet": (lambda: parquet(pa.table({f"x{k}": [1] for k in range(20_000)})), "more than 10,000 columns"),
    "lists.parquet": (
        lambda: parquet(
            pa.table({"x": pa.ListArray.from_arrays(range(0, 10**7 + 1, 1000), pa.repeat(1, 10**7))}),
            compression="zstd",
        ),
        "column 'x' holds a list in each cell; give each of its parts a column of its own",
    ),
}
