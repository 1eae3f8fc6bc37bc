"""Predictions that rise or fall with a column: what a user may demand, and columns that have an order for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.encode import Codebook, Feature, code_of_absence
from vaglio.errors import InputError, as_own_errors
from vaglio.messages.sentences import did_you_mean

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator


def monotonic_directions(given: object, features: Sequence[Feature], n_classes: int) -> list[int]:
    """Return 1, -1 or 0 per column; nothing when no column is bound.

    Parameters
    ----------
    given : dict, array-like of int or None
        By name or position, or one direction per column.
    features : sequence of Feature
    n_classes : int
        0 where numbers are predicted.
    """
    found = _as_given(given, [feature.name for feature in features])
    bound = [feature for feature, direction in zip(features, found) if direction]
    for feature in bound:
        if not feature.in_numeric_block:
            raise _without_order(feature)
    if bound and n_classes > 2:
        raise InputError(
            "monotonic-needs-two-classes",
            "monotonic_cst works for two classes or for regression, not for {n_classes} classes. "
            "Leave it out, or train one class against the rest.",
            n_classes=n_classes,
        )
    return found if bound else []


def with_ordered_booleans(estimator: VaglioEstimator, codebook: Codebook) -> Codebook:
    """Return the codebook with False before True in columns that the estimator binds; the same one without any."""
    given = getattr(estimator, "monotonic_cst", None)
    if given is None or not any(map(_both, codebook.features)):
        return codebook
    directions = _as_given(given, codebook.names)
    features = tuple(
        Feature(feature.name, "ordinal", _both(feature), cell_format=feature.cell_format)
        if direction and _both(feature)
        else feature
        for feature, direction in zip(codebook.features, directions)
    )
    return codebook if features == codebook.features else replace(codebook, features=features)


def position_of(item: object, names: Sequence[str], parameter: str) -> int:
    """Return the position of a column that is given by name or position."""
    if isinstance(item, str):
        if item not in names:
            raise InputError(
                "unknown-column-in-parameter",
                "{parameter} contains the column {column!r}, which X does not have: {hint}",
                parameter=parameter,
                column=item,
                hint=did_you_mean(item, names),
            )
        return list(names).index(item)
    if not isinstance(item, (int, np.integer)) or not 0 <= int(item) < len(names):
        raise InputError(
            "column-position-out-of-range",
            "{parameter} contains the column {column!r}. Give a name, or a position below {n_columns}.",
            parameter=parameter,
            column=item,
            n_columns=len(names),
        )
    return int(item)


def _as_given(given: object, names: Sequence[str]) -> list[int]:
    """Return the direction of each column."""
    if given is None:
        return [0] * len(names)
    if isinstance(given, Mapping):
        found = np.zeros(len(names), dtype=object)
        for name, direction in given.items():
            found[position_of(name, names, "monotonic_cst")] = direction
    else:
        with as_own_errors():  # ragged lists
            found = np.asarray(given)
        if found.shape != (len(names),):
            raise InputError(
                "shape-of-monotonic",
                "monotonic_cst has the shape {shape}, but there are {n_columns} columns.",
                shape=found.shape,
                n_columns=len(names),
            )
    # One by one: an array would turn 0.5 into 0, and compare words with numbers.
    if not all(isinstance(one, Real) and one in (-1, 0, 1) for one in found.tolist()):
        raise InputError("invalid-monotonic", "monotonic_cst may contain only -1, 0 and 1.")
    return [int(direction) for direction in found]


def _both(feature: Feature) -> tuple[Any, ...]:
    """Return the values of a boolean column (False and True, no and yes), the one that means absence first."""
    known = feature.categories
    if not feature.is_nominal or feature.word is not None:
        return ()
    if known and all(isinstance(value, bool) for value in known):
        return (False, True)  # of which one may not occur
    absent = code_of_absence(known, False, np.empty(0))
    return () if absent is None else (known[absent], known[1 - absent])


def _without_order(feature: Feature) -> InputError:
    if _both(feature):
        return InputError(
            "monotonic-boolean",
            "Column {column!r} is boolean, and monotonic_cst constrains booleans only if the learner itself is fitted "
            "on a table in memory. Encode the column as 0 and 1.",
            column=feature.name,
        )
    return InputError(
        "monotonic-nominal",
        "Column {column!r} is nominal, so its values have no order. Encode it as numbers, or declare the order of its "
        "values.",
        column=feature.name,
    )
