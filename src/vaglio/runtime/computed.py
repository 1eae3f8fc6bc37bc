"""Fields of a frozen dataclass that are computed when they are first asked for.

Most models are trained to predict, compared and forgotten. What only their file or their explanations tell of the
training rows takes longer to learn than a model of a thousand rows, and is not missed until somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


class Later:
    """A value that is not computed yet.

    Parameters
    ----------
    compute : callable
        Returns the value, always the same; it holds copies of whatever may change.
    """

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute


class _ComputedField:
    """Keeps a value under the name of the field, where pickle and copies look for it, or a :class:`Later`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        held = instance.__dict__
        value = held[self._name]
        if isinstance(value, Later):
            value = held[self._name] = value.compute()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value


def computed_fields(*names: str) -> Callable[[Class], Class]:
    """Let fields of a dataclass be given as :class:`Later`; who reads them never sees one.

    Parameters
    ----------
    *names : str

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from vaglio.runtime.computed import Later, computed_fields
    >>> @computed_fields("length")
    ... @dataclass(frozen=True)
    ... class Text:
    ...     length: int
    >>> Text(Later(lambda: 3)).length
    3
    """

    def decorate(cls: Class) -> Class:
        for name in names:
            setattr(cls, name, _ComputedField(name))
        return cls

    return decorate
