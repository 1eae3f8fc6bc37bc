"""From a model and encoded rows to explanations, by the kind of model."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.explanation._context import Context, shown
from vaglio.explanation._explanation import Explanation

Explainer = Callable[[Any, EncodedMatrix, Context], list[Explanation]]

# Kind of model -> the function that explains it. Loaded when first needed.
_HOME: dict[str, str] = {
    "ensemble": "vaglio.explanation.ensembles:explain_ensemble",
    "forest": "vaglio.explanation.ensembles:explain_forest",
    "neighbors": "vaglio.explanation.neighbors:explain_neighbors",
    "naive-bayes": "vaglio.explanation.bayes:explain_naive_bayes",
    "gaussian-mixture": "vaglio.explanation.bayes:explain_densities",
    "joint-bayes": "vaglio.explanation.bayes:explain_joint_table",
    "bayes-net": "vaglio.explanation.bayes:explain_network",
    "multinomial-nb": "vaglio.explanation.count_bayes:explain_counts",
    "bernoulli-nb": "vaglio.explanation.count_bayes:explain_counts",
    "linear": "vaglio.explanation.linear:explain_linear",
    "mlp": "vaglio.explanation.mlp:explain_mlp",
    "rules": "vaglio.explanation.rules:explain_rules",
    "svm": "vaglio.explanation.svm:explain_svm",
    "tree": "vaglio.explanation.trees:explain_tree",
}

_AT_ITS_MEAN = "put at the mean of the column (a category: at none)"
# What becomes of a missing value. Trees say it themselves, test by test.
_MISSING: dict[str, str] = {
    "ensemble": "left to each member",
    "forest": "sent down the branch each tree keeps for that",
    "neighbors": "counted as a full difference",
    "naive-bayes": "left out",
    "gaussian-mixture": "left out",
    "joint-bayes": "summed over",
    "bayes-net": "left out",
    "multinomial-nb": "counted as absent",
    "bernoulli-nb": "left out",
    "linear": _AT_ITS_MEAN,
    "mlp": _AT_ITS_MEAN,
    "rules": "met by no condition that does not allow for it",
    "svm": _AT_ITS_MEAN,
}


def explain_rows(
    model: Any,
    matrix: EncodedMatrix,
    context: Context,
    counterfactual: bool = True,
    training: EncodedMatrix | None = None,
) -> list[Explanation]:
    """Explain the decision of a model for every row.

    Parameters
    ----------
    counterfactual : bool
        Whether to look for what would change it.
    training : EncodedMatrix, optional
        The training rows, for an ensemble of trees to name those most like each row.
    """
    if model.kind not in _HOME:
        raise NotSupportedError(f"A model of the kind {model.kind!r} has no explanation.")
    module, name = _HOME[model.kind].split(":")
    explain: Explainer = getattr(importlib.import_module(module), name)
    explanations = explain(model, matrix, context)
    explanations = [
        replace(explanation, notes=(*unknown, *explanation.notes)) if unknown else explanation
        for explanation, unknown in zip(explanations, _unknown(model, matrix, context))
    ]
    if training is not None:
        from vaglio.explanation._similar import similar_rows

        alike = similar_rows(model, matrix, training)
        explanations = [replace(e, notes=(*e.notes, note)) for e, note in zip(explanations, alike)]
    if not counterfactual or context.classes is None:
        return explanations
    from vaglio.explanation.counterfactual.strategy import find_counterfactuals

    found = find_counterfactuals(model, matrix, context, explanations)
    return [replace(explanation, counterfactual=other) for explanation, other in zip(explanations, found)]


def _unknown(model: Any, matrix: EncodedMatrix, context: Context) -> list[list[str]]:
    """Say of every row which values are missing or were never seen, and what becomes of them."""
    notes: list[list[str]] = [[] for _ in range(matrix.n_rows)]
    for (row, j), value in context.unseen.items():
        name = context.features[j].name
        notes[row].append(f"{name} = {shown(value)} was never seen in training, and counts as missing")
    if matrix.sparse is None and model.kind in _MISSING:
        missing = matrix.missing
        for row in np.flatnonzero(missing.any(axis=1)).tolist():
            names = ", ".join(context.features[j].name for j in np.flatnonzero(missing[row]))
            notes[row].append(f"missing, and so {_MISSING[model.kind]}: {names}")
    return notes
