"""From a model's numbers back to frames: drawn rows like those it was trained on, and tables of weights by class."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from vaglio.encode import Feature
from vaglio.table import Column, Table, as_frame


def empty_rows(X: Any) -> Table | None:
    """Return the columns of a training frame without its rows, or None for an array.

    It remembers what the encoding forgets: integers, dates, the library the frame came from.
    """
    if isinstance(X, Table):
        without_rows: Table = X[:0]
        return without_rows
    if nw.dependencies.is_into_dataframe(X):
        return Table.from_any(nw.from_native(X, eager_only=True).head(0).to_native())
    return None


def decode_rows(columns: dict[int, np.ndarray], features: tuple[Feature, ...], n: int, schema: Table | None) -> Any:
    """Return a frame with every training column; one the model does not use is missing throughout."""
    known = {name: schema.column(name) for name in schema.columns} if schema is not None else {}
    decoded = [_decode(columns.get(j), feature, n, known.get(feature.name)) for j, feature in enumerate(features)]
    return Table(decoded, origin=schema.origin if schema is not None else "").to_frame()


def _decode(values: np.ndarray | None, feature: Feature, n: int, like: Column | None) -> Column:
    if feature.kind == "text":
        return Column.text(feature.name, [None] * n if values is None else _documents(values, feature))
    storage = like.storage if like is not None else None
    if feature.kind == "numeric":
        numbers = np.full(n, np.nan) if values is None else np.asarray(values, dtype=np.float64)
        if like is None or like.kind != "numeric":
            return Column.numeric(feature.name, numbers)
        return like.replace(data=np.rint(numbers) if _is_whole(storage) else numbers)
    codes = np.full(n, -1) if values is None else np.nan_to_num(values, nan=-1).astype(np.int32)
    declared = like.declared if like is not None else False
    level = "ordinal" if feature.kind == "ordinal" else "nominal"
    return Column.nominal(feature.name, codes, feature.categories, level=level, declared=declared, storage=storage)


def _documents(values: np.ndarray, feature: Feature) -> list[str]:
    return [" ".join(str(feature.categories[code]) for code in document) for document in values]


def _is_whole(storage: Any) -> bool:
    return str(storage).startswith(("int", "uint"))


def class_columns(values: np.ndarray, index: list[Any], classes: np.ndarray) -> Any:
    """Return a pandas frame with a column for each class and a row for each value."""
    return as_frame(values, classes.tolist(), index)
