"""From the chosen model to the parts of the chapter, by the kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.evaluation.displays import ForestDistanceDisplay
from vaglio.explanation.chapter import chapters
from vaglio.fitted import Fitted
from vaglio.fitted.learning_facts import findings_in_words
from vaglio.learners.registry import LEARNERS
from vaglio.messages.sentences import clip, listed, plural
from vaglio.model.base import size_words
from vaglio.plot.style import PALETTE
from vaglio.report.evaluated_rows import EvaluatedRows, evaluated_rows
from vaglio.report.limits import Limits
from vaglio.report.permutation import importance_part
from vaglio.study import Study
from vaglio.table import Table

__all__ = ["StudyBackground", "model_chapter"]

# Rows on a map: fewer show nothing, more cover each other. 400 points of both maps have 50 kB.
_FEWEST_MAPPED, _MOST_MAPPED = 10, 400


def model_chapter(study: Study, limits: Limits) -> dict[str, Any]:
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
    more, parts = ([], []) if write is None else write(fitted, StudyBackground(study), limits)
    return {"lead": [*said, *more], "parts": [*({"folded": False, "none": "", **part} for part in parts), importance]}


def _size(fitted: Fitted) -> str:
    """How large the model is, in words."""
    size = fitted.model.size()
    levels = [plural(size.pop("depth"), "level")] if "depth" in size else []
    return listed(size_words(size) + levels)


@dataclass(frozen=True)
class StudyBackground:
    """A study, as the chapters of the families see it (:class:`~vaglio.explanation.chapter.Background`)."""

    study: Study

    @property
    def target(self) -> str:
        """The name of the target column."""
        return str(self.study.target)

    @property
    def estimator(self) -> Any:
        """The chosen estimator."""
        return self.study.selection.best_estimator

    @property
    def ranking(self) -> Sequence[str]:
        """The columns by what they tell about the class, the best first."""
        return [score.attribute for score in self.study.audit.ranking]

    @property
    def support(self) -> np.ndarray:
        """Evaluated rows of each class."""
        return self.study.evaluation.rates.support

    @cached_property
    def _evaluated(self) -> EvaluatedRows:
        return evaluated_rows(self.study)

    def rows(self) -> tuple[Table, np.ndarray]:
        """Return the evaluated rows and their classes."""
        return self._evaluated.X, self._evaluated.y

    def maps(self, fitted: Fitted) -> list[dict[str, Any]]:
        """The evaluated rows by the forest's distance and by the Euclidean one, as places on two maps."""
        rows = self._evaluated
        if fitted.classes is None or len(rows.y) < _FEWEST_MAPPED or len(fitted.classes) > len(PALETTE):
            return []
        display = ForestDistanceDisplay.from_estimator(
            fitted, rows.X, rows.y, max_rows=_MOST_MAPPED, seed=self.study.seed
        )
        named = zip(("Distance of the forest", "Euclidean distance"), (display.forest, display.euclidean))
        maps = [
            {"title": title, "points": points.round(4).tolist(), "caption": caption.split("\n")}
            for (title, points), caption in zip(named, display.captions())
        ]
        return [
            {
                "type": "maps",
                "title": "The rows by the distance of the forest and by the Euclidean distance",
                "note": "Two rows are close in the forest if many trees send them to the same leaf: columns that "
                f"the trees do not test do not count. {display.note}",
                "maps": maps,
                "codes": display.codes.tolist(),
                "labels": [clip(str(label), 40) for label in display.labels],
            }
        ]
