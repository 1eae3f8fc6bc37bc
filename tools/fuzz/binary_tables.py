"""Table files in binary formats, made by code and damaged."""

from __future__ import annotations

import io
import re
import zipfile
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
import pyarrow as pa
from pyarrow import feather, ipc, parquet

from tools.fuzz.mutate import FLOATS, change_bytes
from tools.fuzz.tables import WORDS, Tables, change_text, laid_out
from tools.fuzz.target import Target, pick
from vaglio.table.readers.excel import is_xlsx

# What no XML text may hold.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TYPES = (
    pa.float64(),
    pa.float16(),
    pa.int8(),
    pa.uint64(),
    pa.bool_(),
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.int64()),
    pa.timestamp("us"),
    pa.timestamp("ns", tz="UTC"),
    pa.date32(),
    pa.date64(),
    pa.time32("s"),
    pa.duration("ms"),
    pa.decimal128(20, 3),
    pa.null(),
    pa.binary(),
    pa.list_(pa.int8()),
    pa.struct([("a", pa.int8())]),
)


def arrow_table(random: Random) -> pa.Table:
    """Return a table of a few columns of any type."""
    height = pick(random, (0, 1, 3, 9))
    columns = {}
    for at in range(pick(random, (1, 2, 4))):
        kind = pick(random, TYPES[:18] if random.random() < 0.97 else TYPES)
        name = (
            f"{pick(random, ('a', 'b', 'c'))}{at}"
            if random.random() < 0.95
            else pick(random, ("é", "", "__index_level_0__"))
        )
        columns[name] = pa.array([None if random.random() < 0.2 else _of(random, kind) for _ in range(height)], kind)
    return pa.table(columns)


def _of(random: Random, kind: pa.DataType) -> Any:
    types = pa.types
    if types.is_dictionary(kind):
        return _of(random, kind.value_type)
    if types.is_boolean(kind):
        return random.random() < 0.5
    if types.is_floating(kind):
        return pick(random, FLOATS) if not types.is_float16(kind) else 1.5
    if types.is_integer(kind) or types.is_temporal(kind) or types.is_decimal(kind):
        return _time(random, kind) if types.is_temporal(kind) else random.randrange(100)
    if types.is_list(kind):
        return [1]
    if types.is_struct(kind):
        return {"a": 1}
    if types.is_null(kind):
        return None
    word = pick(random, (*WORDS, "a word of more than twelve bytes"))
    return word.encode() if types.is_binary(kind) else word


def _time(random: Random, kind: pa.DataType) -> Any:
    width = pa.int32() if kind in (pa.date32(), pa.time32("s")) else pa.int64()
    day = 86_400_000 if kind == pa.date64() else 1
    return pa.array([random.randrange(80_000) * day], width).cast(kind)[0].as_py()


class Arrow(Tables, Target):
    """Arrow files and streams, Feather."""

    name = "arrow"
    suffix = ".arrow"

    def make(self, random: Random) -> bytes:
        table, out = arrow_table(random), io.BytesIO()
        packed = pick(random, (None, "lz4", "zstd"))
        options = ipc.IpcWriteOptions(compression=packed)
        if random.random() < 0.02 and not packed:
            with ipc.new_stream(out, table.schema) as writer:
                writer.write_table(table)
            return b"FEA1" + change_bytes(random, out.getvalue())
        how = random.randrange(3)
        if how == 0:
            feather.write_feather(table, out, compression=packed or "uncompressed")
        else:
            with (ipc.new_stream if how == 1 else ipc.new_file)(out, table.schema, options=options) as writer:
                writer.write_table(table, max_chunksize=2)
        return out.getvalue() if random.random() < 0.1 else change_bytes(random, out.getvalue())


class Parquet(Tables, Target):
    """Parquet of both versions of pages, in every packing."""

    name = "parquet"
    suffix = ".parquet"

    def make(self, random: Random) -> bytes:
        out = io.BytesIO()
        while True:
            table = arrow_table(random)
            if not any(pa.types.is_float16(kind) for kind in table.schema.types):
                break
        parquet.write_table(
            table,
            out,
            compression=pick(random, ("none", "snappy", "zstd", "gzip")),
            use_dictionary=random.random() < 0.5,
            data_page_version=pick(random, ("1.0", "2.0")),
            row_group_size=pick(random, (1, 2, 100)),
            store_schema=random.random() < 0.5,
        )
        return out.getvalue() if random.random() < 0.1 else change_bytes(random, out.getvalue())


class Spreadsheets(Tables, Target):
    """Sheets of every layout; the parts of the workbook are changed as text, and the archive as bytes."""

    name = "xlsx"
    suffix = ".xlsx"
    PLACES = (
        "A1",
        "B2",
        "C3",
        "D2",
        "E9",
        "B4",
        "XFD1",
        "A1048576",
        "XFD1048576",
        "AAAA1",
        "A0",
        "1",
        "",
        "a1",
        "$A$1",
        "A99999999999",
        "ZZ9",
    )

    def prepare(self) -> None:
        super().prepare()
        out = io.BytesIO()
        book = openpyxl.Workbook()
        for row in (["a0", "b1", "c2"], [1, "x", True], [2.5, "y", False], [None, "x y", None]):
            book.active.append(row)
        book.save(out)
        with zipfile.ZipFile(out) as archive:
            self.parts = {name: archive.read(name).decode() for name in archive.namelist()}

    def make(self, random: Random) -> bytes:
        parts, out = dict(self.parts), io.BytesIO()
        sheet = "xl/worksheets/sheet1.xml"
        written = random.random() < 0.7
        if written:
            rows = "".join(self._row(random, at, row) for at, row in enumerate(laid_out(random), start=1))
            head, rest = parts[sheet].split("<sheetData>")
            parts[sheet] = f"{head}<sheetData>{rows}</sheetData>{rest.split('</sheetData>')[1]}"
        elif random.random() < 0.7:
            at = pick(random, ("A1", "B1", "C2", "B3"))
            parts[sheet] = parts[sheet].replace(
                f'r="{at}"', f'r="{pick(random, self.PLACES if random.random() < 0.1 else self.PLACES[:6])}"'
            )
        if random.random() < (0.2 if written else 0.6):
            name = sheet if random.random() < 0.5 else pick(random, sorted(parts))
            parts[name] = change_text(random, parts[name])
        with zipfile.ZipFile(out, "w", pick(random, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for name, part in parts.items():
                if random.random() < 0.99:
                    archive.writestr(name, part.encode("utf-8", "surrogatepass"))
        whole = out.getvalue()
        changed = change_bytes(random, whole) if random.random() < 0.3 and not written else whole
        # What is no longer known as xlsx is read by a process of its own, in the time of a hundred other inputs.
        return changed if is_xlsx(changed) or random.random() < 0.1 else whole

    def _row(self, random: Random, number: int, row: list[Any]) -> str:
        cells = [self._cell(random, f"{chr(65 + at)}{number}", value) for at, value in enumerate(row[:26])]
        return f'<row r="{number}">{"".join(cells)}</row>' if row or random.random() < 0.5 else ""

    def _cell(self, random: Random, place: str, value: Any) -> str:
        """Return a cell: numbers as numbers or words, words as words, and here and there a truth value or an error."""
        if value is None or random.random() < 0.03:
            return f'<c r="{place}"/>' if random.random() < 0.5 else ""
        if isinstance(value, (int, float)) and random.random() < 0.8:
            return f'<c r="{place}"><v>{value}</v></c>'
        if random.random() < 0.05:
            kind, shown = pick(random, (("b", "1"), ("e", "#N/A"), ("d", "2024-01-31"), ("str", "x")))
            return f'<c r="{place}" t="{kind}"><v>{shown}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(_NO_XML.sub("", str(value)))}</t></is></c>'
