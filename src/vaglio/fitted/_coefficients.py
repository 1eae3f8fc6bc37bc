"""The coefficients of a linear model in the units of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vaglio.errors import NotSupportedError
from vaglio.model.base import Dispatch

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

__all__ = ["coefficient_rows", "has_coefficients", "sides"]

# Kind of model with ``coef``, ``intercept`` and ``encoder`` -> which class each of its outputs favours, given the
# model and the class labels.
sides: Dispatch[Callable[[Any, list[Any]], list[dict[str, Any]]]] = Dispatch()


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


@sides.register("linear")
def _one_side_per_class(model: Any, classes: list[Any]) -> list[dict[str, Any]]:
    return [{"class": label} for label in (classes[1:] if len(classes) == 2 else classes)]


@sides.register("svm")
def _one_side_per_machine(model: Any, classes: list[Any]) -> list[dict[str, Any]]:
    if len(classes) == 2:
        return [{"class": classes[1], "against": classes[0]}]
    if model.scheme == "ovr":
        return [{"class": label, "against": "the rest"} for label in classes]
    return [{"class": classes[a], "against": classes[b]} for a, b in model.pairs]
