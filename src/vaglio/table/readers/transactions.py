"""Read baskets: sets of items, with or without an id, as one compressed column of presence per item.

Three forms are recognised:

- one item per line: every line has two fields, id and item, and ids occur again;
- one basket per line with its id: the first fields all differ, have one form (letters, then digits) and are no items;
- one basket per line: every field is an item.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy import sparse

from vaglio.errors import ReadError
from vaglio.table._column import Column
from vaglio.table._sparse import SparseBlock
from vaglio.table._table import Table
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.csv import DELIMITERS, check_delimiter, split_rows

_ID = re.compile(r"[A-Za-z_#-]*\d+")
# First words of a line of names.
_HEADER = {"id", "tid", "transaction", "transaction_id", "basket", "basket_id", "order", "order_id", "items", "item"}


def read_transactions(
    text: Any,
    name: str,
    delimiter: str | None = None,
    header: bool | None = None,
    missing: Any = (),
    limits: Limits | None = None,
) -> Table:
    """Read baskets into asymmetric columns, one per item, in alphabetical order.

    Parameters
    ----------
    text : bytes-like
    name : str
        Name of the source, for errors.
    delimiter : str, optional
        Detected if not given.
    header : bool, optional
        Whether the first line has names; detected if not given.
    missing : sequence of str
        Words that are no items.
    limits : Limits, optional
        That of columns bounds the number of items.
    """
    check_delimiter(delimiter)
    lines = _lines(bytes(text).decode(), delimiter)
    if lines and (header or (header is None and lines[0][0].lower() in _HEADER)):
        lines = lines[1:]
    if not lines:
        raise ReadError("has-baskets", "{name} has no baskets.", name=name)
    ids, baskets = _baskets(lines)
    absent = set(missing)
    baskets = [[item for item in basket if item not in absent] for basket in baskets]
    items = sorted({item for basket in baskets for item in basket if item})
    at = {item: position for position, item in enumerate(items)}
    columns = [sorted({at[item] for item in basket if item}) for basket in baskets]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in columns])])
    indices = np.fromiter((position for row in columns for position in row), dtype=np.int32, count=int(starts[-1]))
    matrix = sparse.csr_array((np.ones(len(indices)), indices, starts), shape=(len(baskets), len(items)))
    block = SparseBlock(matrix, tuple(items), asymmetric=True)
    (limits or Limits()).check_shape(name, 1, len(block.names))
    if not block.names:
        raise ReadError(
            "has-baskets-but-item",
            "{name} has {n_baskets} baskets but no item in them.",
            name=name,
            n_baskets=len(baskets),
        )
    if ids is None:
        return Table(sparse=block)
    label = "id" if "id" not in block else "basket id"
    identifier = Column.nominal(label, np.arange(len(ids)), ids, role="identifier")
    return Table([identifier], sparse=block)


def _lines(text: str, delimiter: str | None) -> list[list[str]]:
    filled = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if delimiter is None:
        delimiter = next((candidate for candidate in DELIMITERS if any(candidate in line for line in filled)), " ")
    rows = split_rows("\n".join(filled), delimiter, skip_blanks=delimiter != " ")
    return [[field.strip() for field in row] for _, row in rows]


def _baskets(lines: list[list[str]]) -> tuple[list[str] | None, list[list[str]]]:
    first = [line[0] for line in lines]
    items_apart = not set(first) & {item for line in lines for item in line[1:]}
    if all(len(line) == 2 for line in lines) and len(set(first)) < len(first) and items_apart:
        grouped: dict[str, list[str]] = {}
        for label, item in lines:
            grouped.setdefault(label, []).append(item)
        return list(grouped), list(grouped.values())
    labels = len(set(first)) == len(first) and all(_ID.fullmatch(label) for label in first)
    if labels and len(lines) > 1 and items_apart:
        return first, [line[1:] for line in lines]
    return None, lines
