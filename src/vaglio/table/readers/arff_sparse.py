"""Read sparse ARFF rows, ``{index value, index value}``: a value that is not written is zero or the first category."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from scipy import sparse

from vaglio.errors import ReadError
from vaglio.messages.sentences import clip
from vaglio.table._column import Column
from vaglio.table._sparse import SparseBlock
from vaglio.table.readers.arff import Attribute, Row, build_column, to_floats
from vaglio.table.readers.arff_fields import sparse_entries
from vaglio.table.readers.capacity import Limits

# More numeric attributes than this stay compressed; fewer are easier to handle as ordinary columns.
_MOST_DENSE = 64


def read_sparse_rows(
    rows: list[Row], attributes: list[Attribute], name: str, limits: Limits
) -> tuple[list[Column], SparseBlock | None]:
    """Return the columns, and numeric ones as a block if they are many and none is missing."""
    where, value = _entries(rows, attributes, name)
    numeric = [at for at, attribute in enumerate(attributes) if attribute.type == "numeric"]
    missing = any(word is None for at in numeric for word in value[at])
    packed = set(numeric) if len(numeric) > _MOST_DENSE and not missing else set()
    # A row of two brackets has a cell in every column that is not packed.
    limits.check_shape(name, len(rows), len(attributes) - len(packed))
    columns = []
    for at, attribute in enumerate(attributes):
        if at not in packed:
            columns.append(_unpacked(attribute, where[at], value[at], len(rows), name))
    if not packed:
        return columns, None
    numbers = [to_floats(attributes[at], pa.array(value[at], pa.string()), name) for at in numeric]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in numbers])])
    matrix = sparse.csc_array(
        (np.concatenate(numbers), np.concatenate([where[at] for at in numeric]).astype(np.int32), starts),
        shape=(len(rows), len(numeric)),
    )
    names = tuple(attributes[at].name for at in numeric)
    return columns, SparseBlock(sparse.csr_array(matrix), names)


def _entries(rows: list[Row], attributes: list[Attribute], name: str) -> tuple[list[list[int]], list[list[str | None]]]:
    """Return for each attribute the rows in which it is written, and what is written there."""
    where: list[list[int]] = [[] for _ in attributes]
    value: list[list[str | None]] = [[] for _ in attributes]
    for row, (number, line) in enumerate(rows):
        # A row that was nothing but a weight is empty.
        if not (line.startswith("{") and line.endswith("}")):
            raise ReadError(f"{name}, row {row + 1} (line {number}): a sparse row is written {{index value, …}}.")
        for at, word in _row(line[1:-1], f"{name}, line {number}"):
            if at >= len(attributes):
                raise ReadError(
                    f"{name}, line {number}: attribute {at} is named, but the last one is {len(attributes) - 1}."
                )
            if where[at] and where[at][-1] == row:
                raise ReadError(f"{name}, line {number}: attribute {at} is named twice; keep one of the two values.")
            where[at].append(row)
            value[at].append(word)
    return where, value


def _row(inside: str, where: str) -> Iterator[tuple[int, str | None]]:
    try:
        yield from sparse_entries(inside)
    except ValueError as error:
        raise ReadError(
            f"{where}: {clip(error)!r} in a sparse row is not written as the position of an attribute and its value."
        ) from None


def _unpacked(attribute: Attribute, where: list[int], value: list[str | None], n_rows: int, name: str) -> Column:
    default = {"numeric": "0", "nominal": attribute.values[0] if attribute.values else None}.get(attribute.type)
    cells: list[str | None] = [default] * n_rows
    for row, word in zip(where, value):
        cells[row] = word
    return build_column(attribute, pa.array(cells, pa.string()), name)
