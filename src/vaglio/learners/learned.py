"""Attributes of a trained estimator that are parts of its model: who sets one changes what is predicted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
from scipy import sparse as sp

from vaglio.errors import InputError

Value = TypeVar("Value")


class Learned(Generic[Value]):
    """A number, an array or a list of arrays of the model, under the name scikit-learn gives it.

    There is one copy of it, that of the model: reading the attribute reads the model, and setting it (as users do to
    round coefficients, or to average those of several models) puts it into the model, in place of the old one. What is
    set before there is a model is kept as a plain attribute.

    Parameters
    ----------
    part : str
        Field of the model.
    absent : str
        What to say where the model has no such part.
    shown : callable, optional
        From the estimator and the array to the form in which it is shown.
    behind : str, optional
        Field of the model that is computed from this one: a model that has it predicts by it, and it is to be set.
    """

    def __init__(
        self, part: str, absent: str = "", shown: Callable[[Any, Any], Any] | None = None, behind: str | None = None
    ) -> None:
        self.part, self.absent, self.shown, self.behind = part, absent, shown, behind

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, estimator: None, owner: type) -> Self: ...
    @overload
    def __get__(self, estimator: object, owner: type | None = None) -> Value: ...

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        if "fitted_" not in vars(estimator):
            if self.name in vars(estimator):
                return vars(estimator)[self.name]
            raise AttributeError(f"{type(estimator).__name__!r} object has no attribute {self.name!r} before fit.")
        value = getattr(estimator.fitted_.model, self.part)
        if value is None:
            raise AttributeError(self.absent)
        if isinstance(value, tuple):
            return list(value)
        return value if self.shown is None else self.shown(estimator, value)

    def __set__(self, estimator: Any, value: Any) -> None:
        if "fitted_" not in vars(estimator):
            vars(estimator)[self.name] = value
            return
        model = estimator.fitted_.model
        held = getattr(model, self.part)
        if held is None:
            raise AttributeError(self.absent)
        if self.behind is not None and getattr(model, self.behind) is not None:
            raise AttributeError(f"This model predicts by {self.behind}_, not by {self.name}: set {self.behind}_.")
        if isinstance(held, tuple):
            new: Any = tuple(self._like(old, part) for old, part in zip(held, value, strict=True))
        else:
            new = self._like(held, value)
        estimator.fitted_ = replace(estimator.fitted_, model=replace(model, **{self.part: new}))

    def _like(self, held: np.ndarray, value: Any) -> np.ndarray:
        """Return a value in the shape of the one it replaces."""
        new = np.array(value.toarray() if sp.issparse(value) else value, dtype=held.dtype)
        if new.size == 1 or new.size == held.size:
            new = np.broadcast_to(new, held.shape).copy() if new.size == 1 else new.reshape(held.shape)
        if new.shape != held.shape:
            raise InputError(
                "has-shape-model-cannot",
                "{name} has the shape {shape} in this model: it cannot become {shape2}.",
                name=self.name,
                shape=held.shape,
                shape2=new.shape,
            )
        return new
