"""Estimators as the Python source that makes them again."""

from __future__ import annotations

from typing import Any

__all__ = ["learner_source"]


def learner_source(estimator: Any) -> str:
    """The source that makes an estimator again; without the number of threads, which changes no model."""
    default = type(estimator)().get_params(deep=False)
    given = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "n_jobs" and not _same(value, default[name])
    }
    # None is a value that was given, too.
    parts = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"vaglio.{type(estimator).__name__}({parts})"


def _same(a: Any, b: Any) -> bool:
    # 1 == True == 1.0 in Python, but not in a line a person reads.
    return type(a) is type(b) and bool(a == b)
