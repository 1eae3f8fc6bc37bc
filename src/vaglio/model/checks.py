"""Checks on arrays that come out of a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from vaglio.errors import damaged_model_file
from vaglio.messages.message import text

# Weights and constants whose sum is beyond it may overflow in what follows. Training takes weights of 1e100 in all, and
# a model holds them once per column and class.
LARGEST = 1e150


def need(condition: Any, reason: str, /, **values: Any) -> None:
    """Refuse the file unless the condition holds; the reason is a template that is filled only when it is shown."""
    if not condition:
        raise damaged_model_file(text(reason, **values))


def array(
    arrays: dict[str, np.ndarray], name: str, dtype: DTypeLike, shape: tuple[int | None, ...], finite: bool = False
) -> np.ndarray:
    """Fetch an array that must have this dtype and shape (None: any length)."""
    need(name in arrays, "the array {array!r} is missing", array=name)
    value = arrays[name]
    need(
        value.dtype == dtype,
        "the array {array!r} has the type {found}, not {expected}",
        array=name,
        found=value.dtype,
        expected=dtype,
    )
    fits = value.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, value.shape))
    need(fits, "the array {array!r} has the shape {shape}", array=name, shape=value.shape)
    if finite:
        need(np.isfinite(value).all(), "the array {array!r} has numbers that are not finite", array=name)
    return value


def counts(arrays: dict[str, np.ndarray], name: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """Fetch weights of rows: not negative, and not so large that their sums overflow."""
    return sound_weights(
        array(arrays, name, np.float64, shape), "the array {array!r} has impossible counts", array=name
    )


def sound_weights(values: np.ndarray, reason: str, /, **more: Any) -> np.ndarray:
    """Check that weights are not negative and that their sum, and every sum of some of them, is a number."""
    with np.errstate(over="ignore"):
        need((values >= 0).all() and values.sum() < LARGEST, reason, **more)
    return values


def within(values: np.ndarray, low: int, high: int, reason: str, /, **more: Any) -> np.ndarray:
    """Check that all integers lie in [low, high)."""
    need(values.size == 0 or (values.min() >= low and values.max() < high), reason, **more)
    return values


def number(meta: dict[str, Any], name: str, kinds: type | tuple[type, ...] = (int, float)) -> Any:
    """Fetch a scalar of the JSON part."""
    value = meta.get(name)
    is_bool = isinstance(value, bool)
    need(
        isinstance(value, kinds) and (not is_bool or kinds is bool),
        "the entry {entry!r} is missing or of another type",
        entry=name,
    )
    return value


def shrinkage(meta: dict[str, Any]) -> float:
    """Fetch the strength by which the nodes of trees are drawn towards those above them; 0 where none is said."""
    strength = float(number(meta, "shrinkage")) if "shrinkage" in meta else 0.0
    need(0 <= strength < LARGEST, "the shrinkage of the leaves is impossible")
    return strength
