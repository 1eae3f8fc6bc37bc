"""From the chosen model to the parts of the chapter, by the kind of model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vaglio.fitted import Fitted
from vaglio.fitted.learning_facts import findings_in_words
from vaglio.learners.registry import LEARNERS
from vaglio.messages.sentences import listed, plural
from vaglio.model.base import Dispatch, size_words
from vaglio.report.limits import Limits
from vaglio.report.permutation import importance_part
from vaglio.study import Study

__all__ = ["chapters", "inside_chapter"]

Parts = tuple[list[str], list[dict[str, Any]]]

# Kind of model -> sentences and parts. A kind without a function still has its size and its permutation importance.
chapters: Dispatch[Callable[[Fitted, Study, Limits], Parts]] = Dispatch("vaglio.report.inside")


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
    said += [f"{heading.capitalize()}: {text}." for heading, text in findings_in_words(fitted).items()]
    write = chapters.find(fitted.model.kind)
    more, parts = ([], []) if write is None else write(fitted, study, limits)
    return {"lead": [*said, *more], "parts": [*({"folded": False, "none": "", **part} for part in parts), importance]}


def _size(fitted: Fitted) -> str:
    """How large the model is, in words."""
    size = fitted.model.size()
    levels = [plural(size.pop("depth"), "level")] if "depth" in size else []
    return listed(size_words(size) + levels)
