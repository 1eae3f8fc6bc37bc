"""Support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.export.export_node import AS_IT_IS, CALIBRATED, DECIDE, Exporter, ExportNode
from vaglio.learners.linear.export import dense_of, weights_of
from vaglio.learners.svm.model import SVMModel
from vaglio.messages.message import text


def node_of_machines(model: SVMModel, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    linear = model.coef is not None
    link = AS_IT_IS if n_classes == 0 else DECIDE
    fields = {
        **(weights_of(model, features) if linear else _machine(model, features)),
        "link": link if model.calibration is None else CALIBRATED,
        "pairs": int(n_classes > 2 and model.scheme == "ovo"),
        "break_ties": int(model.break_ties),
        "calibration": np.zeros(0) if model.calibration is None else model.calibration.ravel(),
    }
    return ExportNode("linear" if linear else "machine", max(n_classes, 1), fields)


def _machine(model: SVMModel, features: tuple[Feature, ...]) -> dict[str, Any]:
    """A kernel, the support vectors, and one row of coefficients per machine."""
    if model.n_classes == 2 or model.scheme == "ovr":
        coef = model.dual_coef
    else:
        coef = np.zeros((len(model.pairs), len(model.vectors)))
        for row, (a, b) in zip(coef, model.pairs):
            for own, other in ((a, b - 1), (b, a)):
                span = slice(int(model.class_starts[own]), int(model.class_starts[own + 1]))
                row[span] = model.dual_coef[other, span]
    return {
        **dense_of(model.encoder, features),
        "kernel": model.kernel.name,
        "gamma": model.kernel.gamma,
        "coef0": model.kernel.coef0,
        "degree": model.kernel.degree,
        "vectors": model.vectors,
        "dual_coef": coef,
        "intercept": model.intercept,
    }


def sides_of_machines(model: SVMModel, classes: list[Any]) -> list[dict[str, Any]]:
    """Return the class that each machine favours, and against which; the prediction of a number favours none."""
    if not classes:
        return [{}]
    if len(classes) == 2:
        return [{"class": classes[1], "against": classes[0]}]
    if model.scheme == "ovr":
        return [{"class": label, "against": "the rest"} for label in classes]
    return [{"class": classes[a], "against": classes[b]} for a, b in model.pairs]


def _unsupported_kernel(model: SVMModel, features: tuple[Feature, ...]) -> str | None:
    if model.phi is not None:
        return text("it maps the rows (phi) before the kernel")
    if model.kernel.function is not None or model.kernel.name == "precomputed":
        return "its kernel is a function or a table of Python"
    return None


def _kind_of_machines(model: SVMModel) -> str:
    return "machine" if model.coef is None else "linear"


EXPORTERS = {"svm": Exporter(_kind_of_machines, node_of_machines, _unsupported_kernel)}
