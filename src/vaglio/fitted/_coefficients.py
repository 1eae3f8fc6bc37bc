"""The coefficients of a linear model in the units of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vaglio.errors import NotSupportedError
from vaglio.model.families import Lookup

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

__all__ = ["coefficient_rows", "has_coefficients", "sides"]

# Kind of model with ``coef``, ``intercept`` and ``encoder`` -> which class each of its outputs favours, given the
# model and the class labels.
sides: Lookup[Callable[[Any, list[Any]], list[dict[str, Any]]]] = Lookup(lambda family: family.coefficients)


def has_coefficients(fitted: Fitted) -> bool:
    """Whether the model is linear in the columns of the table."""
    # A support vector machine has coefficients only with a linear kernel.
    return sides.find(fitted.model.kind) is not None and getattr(fitted.model, "coef", None) is not None


def coefficient_rows(fitted: Fitted) -> list[dict[str, Any]]:
    """One row per class and encoded column: ``class`` (a positive value favours it), ``name``, ``coefficient``.

    A support vector machine also says ``against`` what. The intercept comes first.
    """
    sides_of = sides.find(fitted.model.kind)
    if sides_of is None or not has_coefficients(fitted):
        raise NotSupportedError(f"The learner {fitted.learner!r} gives no coefficients.")
    assert fitted.classes is not None
    model: Any = fitted.model
    coef, intercept = model.encoder.to_original_units(model.coef, model.intercept)
    names = ["(intercept)", *model.encoder.names]
    return [
        {**side, "name": name, "coefficient": float(value)}
        for side, bias, weights in zip(sides_of(model, fitted.classes.tolist()), intercept, coef, strict=True)
        for name, value in zip(names, [bias, *weights], strict=True)
    ]
