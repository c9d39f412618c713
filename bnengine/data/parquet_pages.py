"""How large a Parquet file's pages say they are, each in its own header, which the file's summary may contradict.

A decompressor writes as much as a page's header declares, whatever the summary at the end of the file says. The headers
are in Thrift's compact protocol (Apache Parquet format, "PageHeader").
"""

from __future__ import annotations

from typing import Any

from bnengine.data.dataset import DataError

_MOST_PAGES = 200_000
_DEEPEST = 8  # structures within structures
_UNPACKED, _PACKED = 2, 3  # numbers of the fields that hold a page's sizes
_TRUE, _FALSE, _BYTE, _INT16, _INT32, _INT64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


def bytes_declared(raw: bytes, groups: list[Any], called: str) -> int:
    """Return the sum of the unpacked sizes that the pages of these row groups declare."""
    total, n_pages = 0, 0
    for group in groups:
        for c in range(group.num_columns):
            column = group.column(c)
            first = column.dictionary_page_offset or column.data_page_offset
            place = min(first, column.data_page_offset)
            end = min(place + column.total_compressed_size, len(raw))
            while 0 <= place < end:
                header = _Header(raw, place)
                unpacked, packed = header.sizes()
                if unpacked < 0 or packed < 0:
                    raise DataError(f"{called} is not a readable Parquet file (a page of negative size)")
                total += unpacked
                place = header.place + packed
                n_pages += 1
                if n_pages > _MOST_PAGES:
                    raise DataError(f"{called} has more than {_MOST_PAGES:,} pages; write it again with larger ones")
    return total


class _Header:
    """A page's header, read from ``place`` on; an IndexError if it is cut off."""

    def __init__(self, raw: bytes, place: int) -> None:
        self.raw = raw
        self.place = place

    def sizes(self) -> tuple[int, int]:
        """The page's unpacked and packed size in bytes."""
        found = {_UNPACKED: -1, _PACKED: -1}
        for number, kind in self._fields():
            if number in found and kind == _INT32:
                found[number] = self._number()
            else:
                self._skip(kind, _DEEPEST)
        return found[_UNPACKED], found[_PACKED]

    def _fields(self) -> Any:
        """The number and kind of each field of a structure, before its value."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            yield number, head & 15

    def _byte(self) -> int:
        self.place += 1
        return self.raw[self.place - 1]

    def _length(self) -> int:
        """A number of seven bits a byte, the lowest first."""
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
        raise IndexError

    def _number(self) -> int:
        value = self._length()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int, depth: int) -> None:
        if not depth:
            raise IndexError
        if kind in (_INT16, _INT32, _INT64):
            self._length()
        elif kind == _BYTE:
            self.place += 1
        elif kind == _DOUBLE:
            self.place += 8
        elif kind == _BINARY:
            length = self._length()
            self.place += length
        elif kind == _STRUCT:
            for _, inner in self._fields():
                self._skip(inner, depth - 1)
        elif kind not in (_TRUE, _FALSE):  # no header of a page holds a list or a map
            raise IndexError
