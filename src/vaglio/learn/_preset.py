"""Textbook algorithms as one class with other defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T", bound=type)


def preset(**defaults: Any) -> Callable[[T], T]:
    """Give a subclass its parent's parameters with other defaults.

    scikit-learn reads an estimator's parameters off the signature of ``__init__``: the subclass gets one with the
    new defaults, instead of thirty lines that repeat the parent's.
    """

    def decorate(cls: T) -> T:
        parent: Any = cls.__mro__[1]
        signature = inspect.signature(parent.__init__)
        unknown = set(defaults) - set(signature.parameters)
        if unknown:
            raise TypeError(f"{cls.__name__} changes defaults of parameters that do not exist: {sorted(unknown)}")

        def __init__(self: Any, **params: Any) -> None:
            parent.__init__(self, **{**defaults, **params})

        __init__.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[
                p.replace(default=defaults[p.name]) if p.name in defaults else p for p in signature.parameters.values()
            ]
        )
        cls.__init__ = __init__  # type: ignore[misc]
        return cls

    return decorate
