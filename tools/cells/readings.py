"""The same file in other ways: in parts, and by a model that was trained on it, a few rows at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from tools.cells.meaning import Difference
from tools.cells.text import TextTable
from vaglio.encode import Codebook
from vaglio.table import Column, Table, read_chunks
from vaglio.table.scanned import joined

# Rows that come to the model at once.
AT_ONCE = (1, 3, 10**9)


def in_parts(content: bytes, whole: Table) -> Iterator[Difference]:
    """Compare a table that was read in parts with the table that was read whole."""
    rows = max(1, len(whole) // 3)
    parts = joined(list(read_chunks(io.BytesIO(content), rows=rows)))
    if [*parts.columns] != [*whole.columns] or len(parts) != len(whole):
        shown = f"{len(whole)} rows of {[*whole.columns][:4]} -> {len(parts)} of {[*parts.columns][:4]}"
        yield Difference("another table in parts", "", shown, 1)
        return
    for name in whole.columns:
        one, other = whole.column(name), parts.column(name)
        if one.kind != "text" and not _same(one, other):
            shown = f"{one.kind} {one.values[:3].tolist()} -> {other.kind} {other.values[:3].tolist()}"
            yield Difference("other values in parts", name, shown, len(whole))


def for_a_model(text: TextTable, whole: Table) -> Iterator[Difference]:
    """Compare the training rows as a model reads them again, all or a few at once, with how it learned them.

    The rows are read as ``vaglio predict`` reads them, and the codebook is one that was written to a file.
    """
    trained = Codebook.learn(whole)
    again = Codebook.from_state(json.loads(json.dumps(trained.to_state())))
    wanted = trained.encode(whole)
    for size in AT_ONCE:
        size = min(size, len(whole))
        for start in sorted({0, (len(whole) - size) // 2, len(whole) - size}):
            rows = slice(start, start + size)
            cut = io.BytesIO(text.cut(rows.start, rows.stop))
            table = joined(list(read_chunks(cut, like=again.cell_formats, footer=False)))
            if len(table) != size:
                yield Difference("other rows for a model", "", f"{size} from {start} -> {len(table)}", size)
                continue
            found = again.encode(table)
            names = [feature.name for feature in again.columns]
            for block, features in (("numeric", wanted.numeric_features), ("codes", wanted.nominal_features)):
                named = [names[at] for at in features.tolist()]
                yield from _unlike(getattr(wanted, block)[rows], getattr(found, block), named, f"{size} from {start}")


def _unlike(wanted: np.ndarray, found: np.ndarray, names: Any, which: str) -> Iterator[Difference]:
    same = (wanted == found) | ((wanted != wanted) & (found != found))
    for at in np.flatnonzero(~same.all(axis=0)).tolist():
        row = int(np.flatnonzero(~same[:, at])[0])
        shown = f"rows {which}, row {row}: {wanted[row, at]} -> {found[row, at]}"
        yield Difference("other values for a model", str(names[at]), shown, int((~same[:, at]).sum()))


def _same(one: Column, other: Column) -> bool:
    """Return whether two columns have the same kind and values, of the same types."""
    if (one.kind, one.is_date, one.level == "ordinal") != (other.kind, other.is_date, other.level == "ordinal"):
        return False
    if one.kind == "numeric":
        return np.array_equal(one.data, other.data, equal_nan=True)
    alike = one.values.tolist() == other.values.tolist()
    return alike and [*map(type, one.categories)] == [*map(type, other.categories)]
