"""From a model and encoded rows to explanations, by the kind of model."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import NotSupportedError
from vaglio.explanation._explanation import Explanation


@dataclass(frozen=True)
class Context:
    """What an explanation needs beside the model and the rows: the user's names.

    Attributes
    ----------
    features : tuple of Feature
    classes : ndarray or None
        Class labels; None for a model that predicts numbers.
    """

    features: tuple[Feature, ...]
    classes: np.ndarray | None

    def label(self, code: int) -> Any:
        """Return the class label of a code, as a plain Python value."""
        assert self.classes is not None
        value = self.classes[code]
        return value.item() if hasattr(value, "item") else value

    def value(self, matrix: EncodedMatrix, row: int, feature: int) -> Any:
        """Return what the row holds in a column, in the user's terms; None when missing."""
        column = self.features[feature]
        position = matrix.position[feature]
        if column.kind == "text":
            return matrix.text[feature][row]
        if column.is_nominal:
            code = int(matrix.codes[row, position])
            return None if code < 0 else column.categories[code]
        number = float(matrix.numeric[row, position]) if matrix.sparse is None else float(matrix.sparse[row, feature])
        if np.isnan(number):
            return None
        return column.categories[int(number)] if column.kind == "ordinal" else number


Explainer = Callable[[Any, EncodedMatrix, Context], list[Explanation]]

# Kind of model -> the function that explains it. Loaded when first needed.
_HOME: dict[str, str] = {
    "ensemble": "vaglio.explanation.ensemble:explain_ensemble",
    "forest": "vaglio.explanation.ensemble:explain_forest",
    "neighbors": "vaglio.explanation.neighbors:explain_neighbors",
    "naive-bayes": "vaglio.explanation.bayes:explain_naive_bayes",
    "gaussian-mixture": "vaglio.explanation.bayes:explain_densities",
    "joint-bayes": "vaglio.explanation.bayes:explain_joint_table",
    "bayes-net": "vaglio.explanation.bayes:explain_network",
    "multinomial-nb": "vaglio.explanation.counts:explain_counts",
    "bernoulli-nb": "vaglio.explanation.counts:explain_counts",
    "linear": "vaglio.explanation.linear:explain_linear",
    "mlp": "vaglio.explanation.mlp:explain_mlp",
    "rules": "vaglio.explanation.rules:explain_rules",
    "svm": "vaglio.explanation.svm:explain_svm",
    "tree": "vaglio.explanation.tree:explain_tree",
}


def explain_rows(model: Any, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain the decision of a model for every row."""
    if model.kind not in _HOME:
        raise NotSupportedError(f"A model of the kind {model.kind!r} has no explanation.")
    module, name = _HOME[model.kind].split(":")
    explain: Explainer = getattr(importlib.import_module(module), name)
    return explain(model, matrix, context)
