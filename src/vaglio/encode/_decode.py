"""Some features of an encoded matrix; encoded rows as an array or a frame, for estimators of other libraries."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from vaglio.encode._feature import spelling
from vaglio.encode._matrix import EncodedMatrix
from vaglio.table import Column, Table


def select_features(matrix: EncodedMatrix, features: np.ndarray) -> EncodedMatrix:
    """Return the matrix with these features only, given in ascending order."""
    wanted = set(features.tolist())
    numeric = [j for j, feature in enumerate(matrix.numeric_features) if feature in wanted]
    nominal = [j for j, feature in enumerate(matrix.nominal_features) if feature in wanted]
    renumbered = {old: new for new, old in enumerate(features.tolist())}
    selected = EncodedMatrix(
        [matrix.features[j] for j in features],
        matrix.numeric[:, numeric],
        np.asfortranarray(matrix.codes[:, nominal]),
        {renumbered[j]: strings for j, strings in matrix.text.items() if j in wanted},
        None if matrix.sparse is None else matrix.sparse[:, features],
    )
    selected.threads = matrix.threads
    return selected


def decode(matrix: EncodedMatrix, named: bool) -> Any:
    """Return the rows as an array if they are numbers without names, else as a pandas frame with the user's names.

    Parameters
    ----------
    matrix : EncodedMatrix
    named : bool
        Whether the columns had names in training.
    """
    if matrix.sparse is not None:
        return matrix.sparse
    if not named and matrix.numeric.shape[1] == matrix.n_features:
        return matrix.numeric_rows
    return Table(_column(matrix, j) for j in range(matrix.n_features)).to_frame()


def fill_column(column: Column, filled: EncodedMatrix, index: int) -> Column:
    """Return a column whose missing values are those of a feature of a matrix; its own values stay."""
    values = _column(filled, index)
    if column.kind != values.kind or column.kind == "text":
        return values
    if column.kind == "numeric":
        return column.replace(data=np.where(column.missing, values.data, column.data))
    code_of = {spelling(value): code for code, value in enumerate(column.categories)}
    known = [value for value in values.categories if spelling(value) not in code_of]
    categories = (*column.categories, *known)
    code_of |= {spelling(value): len(code_of) + place for place, value in enumerate(known)}
    recode = np.array([*(code_of[spelling(value)] for value in values.categories), -1], dtype=np.int32)
    return column.replace(data=np.where(column.missing, recode[values.data], column.data), categories=categories)


def _column(matrix: EncodedMatrix, index: int) -> Column:
    feature, position = matrix.features[index], matrix.position[index]
    if feature.kind == "text":
        return Column(feature.name, "text", matrix.text[index])
    if feature.kind == "numeric":
        return Column(feature.name, "numeric", matrix.numeric[:, position], level="ratio")
    codes = matrix.codes[:, position] if feature.is_nominal else np.nan_to_num(matrix.numeric[:, position], nan=-1)
    make = partial(Column.nominal, feature.name, codes.astype(np.int32), feature.categories, declared=True)
    return make(level="nominal") if feature.is_nominal else make(level="ordinal")
