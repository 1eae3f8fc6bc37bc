"""From the chosen model to the parts of the chapter, by the kind of model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vaglio.fitted import Fitted
from vaglio.learn.registry import LEARNERS
from vaglio.report.format import plural
from vaglio.report.inside.bayes import bayes_parts, mixture_parts, network_parts
from vaglio.report.inside.ensembles import ensemble_parts, forest_parts
from vaglio.report.inside.importance import importance_part
from vaglio.report.inside.linear import linear_parts, mlp_parts, svm_parts
from vaglio.report.inside.neighbors import neighbor_parts
from vaglio.report.inside.rules import rules_parts
from vaglio.report.inside.trees import tree_parts
from vaglio.report.limits import Limits
from vaglio.study import Study

__all__ = ["inside_chapter"]

Parts = tuple[list[str], list[dict[str, Any]]]

# Kind of model -> sentences and parts. A kind that is not here still has its size and its permutation importance.
_PARTS: dict[str, Callable[[Fitted, Study, Limits], Parts]] = {
    "tree": tree_parts,
    "forest": forest_parts,
    "rules": rules_parts,
    "linear": linear_parts,
    "svm": svm_parts,
    "mlp": mlp_parts,
    "naive-bayes": bayes_parts,
    "bayes-net": network_parts,
    "gaussian-mixture": mixture_parts,
    "neighbors": neighbor_parts,
    "ensemble": ensemble_parts,
}


def inside_chapter(study: Study, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    importance = {"folded": False, **importance_part(study, limits)}
    if not hasattr(study.selection.best_estimator, "fitted_"):
        name = type(study.selection.best_estimator).__name__
        return {
            "lead": [f"{name} comes from another library: only its permutation importance is shown."],
            "parts": [importance],
        }
    fitted = study.fitted
    entry = LEARNERS.get(fitted.learner)
    said = [f"{entry.help[0].upper()}{entry.help[1:]}." if entry else f"The learner is {fitted.learner}."]
    said.append(f"The model has {_size(fitted)}; it was trained on {plural(study.selection.n_train, 'row')}.")
    more, parts = _PARTS[fitted.model.kind](fitted, study, limits) if fitted.model.kind in _PARTS else ([], [])
    return {"lead": [*said, *more], "parts": [*({"folded": False, "none": "", **part} for part in parts), importance]}


def _size(fitted: Fitted) -> str:
    """How large the model is, in words."""
    words = []
    for what, n in fitted.model.size().items():
        if what == "depth":
            words.append(plural(n, "level"))
        else:
            one = {"leaves": "leaf"}.get(what, what.removesuffix("s"))
            words.append(f"1 {one}" if n == 1 else f"{n:,} {what}")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
