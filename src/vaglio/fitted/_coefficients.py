"""The coefficients of a linear model in the units of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.errors import NotSupportedError
from vaglio.model.linear.linear import LinearModel
from vaglio.model.svm.svm import SVMModel

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

__all__ = ["coefficient_rows", "has_coefficients"]


def has_coefficients(fitted: Fitted) -> bool:
    """Whether the model is linear in the columns of the table."""
    return isinstance(fitted.model, LinearModel) or (
        isinstance(fitted.model, SVMModel) and fitted.model.coef is not None
    )


def coefficient_rows(fitted: Fitted) -> list[dict[str, Any]]:
    """One row per class and encoded column: ``class`` (a positive value speaks for it), ``name``, ``coefficient``.

    A support vector machine also says ``against`` what. The intercept comes first.
    """
    if not has_coefficients(fitted):
        raise NotSupportedError(f"The learner {fitted.learner!r} gives no coefficients.")
    model: Any = fitted.model
    coef, intercept = model.encoder.to_original_units(model.coef, model.intercept)
    names = ["(intercept)", *model.encoder.names]
    return [
        {**side, "name": name, "coefficient": float(value)}
        for side, bias, weights in zip(_sides(fitted), intercept, coef, strict=True)
        for name, value in zip(names, [bias, *weights], strict=True)
    ]


def _sides(fitted: Fitted) -> list[dict[str, Any]]:
    """What each output speaks for."""
    assert fitted.classes is not None
    classes = fitted.classes.tolist()
    if not isinstance(fitted.model, SVMModel):
        return [{"class": label} for label in (classes[1:] if len(classes) == 2 else classes)]
    if len(classes) == 2:
        return [{"class": classes[1], "against": classes[0]}]
    if fitted.model.scheme == "ovr":
        return [{"class": label, "against": "the rest"} for label in classes]
    return [{"class": classes[a], "against": classes[b]} for a, b in fitted.model.pairs]
