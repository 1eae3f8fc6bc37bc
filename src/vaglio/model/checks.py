"""Checks on arrays that come out of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.errors import ModelFileError

# Weights and constants whose sum is beyond it may overflow in what follows. Training takes weights of 1e100 in all, and
# a model holds them once per column and class.
LARGEST = 1e150


def need(condition: Any, what: str) -> None:
    """Refuse the file unless the condition holds."""
    if not condition:
        raise ModelFileError("model-file-damaged-3", "The model file is damaged: {what}.", what=what)


def array(
    arrays: dict[str, np.ndarray], name: str, dtype: Any, shape: tuple[int | None, ...], finite: bool = False
) -> np.ndarray:
    """Fetch an array that must have this dtype and shape (None: any length)."""
    need(name in arrays, f"the array {name!r} is missing")
    value = arrays[name]
    # The sentences are made only when they are said: an ensemble has thousands of arrays.
    if value.dtype != dtype:
        need(False, f"the array {name!r} has the type {value.dtype}, not {np.dtype(dtype)}")
    if value.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, value.shape)):
        need(False, f"the array {name!r} has the shape {value.shape}")
    if finite:
        need(np.isfinite(value).all(), f"the array {name!r} has numbers that are not finite")
    return value


def counts(arrays: dict[str, np.ndarray], name: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """Fetch weights of rows: not negative, and not so large that their sums overflow."""
    return sound_weights(array(arrays, name, np.float64, shape), f"the array {name!r} has impossible counts")


def sound_weights(values: np.ndarray, what: str) -> np.ndarray:
    """Check that weights are not negative and that their sum, and every sum of some of them, is a number."""
    with np.errstate(over="ignore"):
        need((values >= 0).all() and values.sum() < LARGEST, what)
    return values


def within(values: np.ndarray, low: int, high: int, what: str) -> np.ndarray:
    """Check that all integers lie in [low, high)."""
    need(values.size == 0 or (values.min() >= low and values.max() < high), f"{what} is out of range")
    return values


def number(meta: dict[str, Any], name: str, kinds: type | tuple[type, ...] = (int, float)) -> Any:
    """Fetch a scalar of the JSON part."""
    value = meta.get(name)
    is_bool = isinstance(value, bool)
    need(
        isinstance(value, kinds) and (not is_bool or kinds is bool),
        f"the entry {name!r} is missing or of another type",
    )
    return value


def shrinkage(meta: dict[str, Any]) -> float:
    """Fetch the strength by which the nodes of trees are drawn towards those above them; 0 where none is said."""
    strength = float(number(meta, "shrinkage")) if "shrinkage" in meta else 0.0
    need(0 <= strength < LARGEST, "the shrinkage of the leaves is impossible")
    return strength
