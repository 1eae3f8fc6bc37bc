"""Chapter 4: the chosen model by its kind, and for every kind the permutation importance of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.engines.mapped_table import table_of
from vaglio.evaluation import PermutationImportance, permutation_importance
from vaglio.evaluation.displays import ForestDistanceDisplay
from vaglio.explanation.chapter import chapters
from vaglio.fitted import Fitted
from vaglio.fitted.show import findings_in_words
from vaglio.learners.registry import learners_of
from vaglio.messages.message import Message, join, text
from vaglio.messages.sentences import clip, listed
from vaglio.model.base import size_words
from vaglio.model.families import Task
from vaglio.plot.style import PALETTE
from vaglio.quality.profile import sample_rows
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.table import Table

__all__ = ["EvaluatedRows", "StudyBackground", "evaluated_rows", "importance_part", "model_chapter"]

# Smaller losses are printed as 0.0 points.
_LEAST = 0.0005
# Rows on a map: fewer show nothing, more cover each other. 400 points of both maps have 50 kB.
_FEWEST_MAPPED, _MOST_MAPPED = 10, 400
# Test rows that are copied out of the table at most.
_MOST_SAMPLED = 100_000


@dataclass(frozen=True)
class EvaluatedRows:
    """The test rows, in the order of the evaluation.

    Attributes
    ----------
    table : Table
        The table they came from.
    target : str
    at : ndarray
        Their positions in the table.
    source : {"table", "test", "cleaned"}
        Which table the positions refer to.
    seed : int
        Seed of the sample.
    task : {"classification", "regression"}
    """

    table: Table
    target: str
    at: np.ndarray
    source: str
    seed: int
    task: Task = "classification"

    def take(self, places: Sequence[int]) -> Table:
        """Return the inputs of some rows, by their places in the evaluation."""
        return self.table.take(self.at[list(places)]).xy(self.target, task=self.task)[0]

    def inputs(self) -> Table:
        """Return the input columns of all rows."""
        return self.table.take(self.at).select([name for name in self.table.columns if name != self.target])

    @cached_property
    def sample(self) -> tuple[Table, np.ndarray]:
        """Inputs and classes of the rows, or of a sample where there are very many."""
        places = sample_rows(np.arange(len(self.at)), _MOST_SAMPLED, self.seed)
        return self.table.take(self.at[places]).xy(self.target, task=self.task)

    def title(self, number: int) -> Message:
        """Return how the report names a row."""
        if self.source == "test":
            return text("Row {n:,} of the test table", n=number)
        if self.source == "cleaned":
            return text("Row {n:,} of the cleaned table", n=number)
        return text("Row {n:,}", n=number)


def evaluated_rows(study: Study) -> EvaluatedRows:
    """Find the rows again by their positions."""
    test = study.selection_options.get("test")
    table = study.learning_table if test is None else Table.from_any(table_of(test))
    known = np.flatnonzero(~table.column(str(study.target)).missing)
    source = "test" if test is not None else "cleaned" if study.cleaning_log else "table"
    return EvaluatedRows(
        table, str(study.target), known[study.selection.judged], source, study.seed, study.selection.task
    )


def importance_part(study: Study, limits: Limits) -> dict[str, Any]:
    """Loss of accuracy (of numbers: R²) per column, largest first, as plain data.

    Twice as many columns are tried as are shown, because the columns that tell most by themselves need not be
    those that the model uses most.
    """
    X, y = evaluated_rows(study).sample
    # The input columns, those first that tell most by themselves.
    numbers = study.selection.task == "regression"
    own = set(X.columns)
    ranked = [score.attribute for score in study.audit.ranking if score.attribute in own]
    found = permutation_importance(
        study.selection.best_estimator,
        X,
        y,
        columns=[*ranked, *(name for name in X.columns if name not in set(ranked))],
        max_columns=2 * limits.weights,
        cost=study.cost_matrix,
        seed=study.seed,
    )
    least = _LEAST * (1.0 if found.mean_cost is None else max(1.0, abs(found.mean_cost)))
    shown = [item for item in found.losses.items() if item[1] >= least][: limits.weights]
    return {
        "type": "bars",
        "title": text("Permutation importance"),
        "note": _note(study, found, len(X.columns), len(shown)),
        "rows": [{"label": clip(name, 48), "value": loss} for name, loss in shown],
        "form": "cost" if found.mean_cost is not None else "number" if numbers else "points",
        "none": text("Shuffling any single column does not raise the cost: no prediction depends on one column alone.")
        if found.mean_cost is not None
        else text("Shuffling any single column does not lower R²: no prediction depends on one column alone.")
        if numbers
        else text(
            "Shuffling any single column does not lower the accuracy: no prediction depends on one column alone."
        ),
    }


def _note(study: Study, found: PermutationImportance, n_columns: int, n_shown: int) -> str:
    figures = {"n": found.n_rows, "repeats": found.n_repeats}
    said = [
        text(
            "What a row costs more, on {n:,} {n:row|rows}, when the values of one column are shuffled (mean of "
            "{repeats} {repeats:shuffle|shuffles}).",
            **figures,
        )
        if found.mean_cost is not None
        else text(
            "By how much R² on {n:,} {n:row|rows} falls when the values of one column are shuffled (mean of {repeats} "
            "{repeats:shuffle|shuffles}).",
            **figures,
        )
        if found.task == "regression"
        else text(
            "Percentage points by which the accuracy on {n:,} training {n:row|rows} falls when the values of one "
            "column "
            "are shuffled (mean of {repeats} {repeats:shuffle|shuffles}).",
            **figures,
        )
        if study.selection.outer or study.selection.strategy.name == "zero"
        else text(
            "Percentage points by which the accuracy on {n:,} test {n:row|rows} falls when the values of one "
            "column are "
            "shuffled (mean of {repeats} {repeats:shuffle|shuffles}).",
            **figures,
        ),
        text("If two columns carry the same information, the loss of each may be small."),
    ]
    if len(found.losses) < n_columns:
        said.append(
            text(
                "Measured for the {n:,} columns that tell most by themselves, out of {total:,}.",
                n=len(found.losses),
                total=n_columns,
            )
        )
    if len(found.losses) > n_shown:
        said.append(
            text(
                "{n:,} {n:column|columns} with a smaller loss or none {n:is|are} not shown.",
                n=len(found.losses) - n_shown,
            )
        )
    return join(" ", said)


def model_chapter(study: Study, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    importance = {"folded": False, **importance_part(study, limits)}
    if not hasattr(study.selection.best_estimator, "fitted_"):
        name = type(study.selection.best_estimator).__name__
        return {
            "lead": [text("{name} comes from another library: only its permutation importance is shown.", name=name)],
            "parts": [importance],
        }
    fitted = study.fitted
    entry = learners_of(fitted.task).get(fitted.learner)
    said: list[str] = [
        text("{learner} – {help}.", learner=fitted.learner, help=text(entry.help))
        if entry
        else text("The learner is {learner}.", learner=fitted.learner)
    ]
    said.append(
        text(
            "The model has {size}; it was trained on {n:,} {n:row|rows}.", size=_size(fitted), n=study.selection.n_train
        )
    )
    said += [
        text("{heading}: {finding}.", heading=heading, finding=finding)
        for heading, finding in findings_in_words(fitted).items()
    ]
    write = chapters.find(fitted.model.kind)
    more, parts = ([], []) if write is None else write(fitted, StudyBackground(study), limits)
    return {"lead": [*said, *more], "parts": [*({"folded": False, "none": "", **part} for part in parts), importance]}


def _size(fitted: Fitted) -> str:
    """How large the model is, in words."""
    size = fitted.model.size()
    levels = [text("{n:,} {n:level|levels}", n=size.pop("depth"))] if "depth" in size else []
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
        """The columns by what they tell about the target, the best first."""
        return [score.attribute for score in self.study.audit.ranking]

    @property
    def support(self) -> np.ndarray:
        """Evaluated rows of each class; of numbers one group."""
        if self.study.selection.task == "regression":
            return np.array([self.study.evaluation.n_rows])
        support: np.ndarray = self.study.evaluation.rates.support
        return support

    @cached_property
    def _evaluated(self) -> EvaluatedRows:
        return evaluated_rows(self.study)

    def rows(self) -> tuple[Table, np.ndarray]:
        """Return the evaluated rows and their classes; a sample where there are very many."""
        return self._evaluated.sample

    def maps(self, fitted: Fitted) -> list[dict[str, Any]]:
        """The evaluated rows by the forest's distance and by the Euclidean one, as places on two maps."""
        X, y = self.rows()
        if fitted.classes is None or len(y) < _FEWEST_MAPPED or len(fitted.classes) > len(PALETTE):
            return []
        display = ForestDistanceDisplay.from_estimator(fitted, X, y, max_rows=_MOST_MAPPED, seed=self.study.seed)
        named = zip((text("Distance of the forest"), text("Euclidean distance")), (display.forest, display.euclidean))
        maps = [
            {"title": title, "points": points.round(4).tolist(), "caption": caption}
            for (title, points), caption in zip(named, display.captions())
        ]
        return [
            {
                "type": "maps",
                "title": text("The rows by the distance of the forest and by the Euclidean distance"),
                "note": join(
                    " ",
                    [
                        text(
                            "Two rows are close in the forest if many trees send them to the same leaf: columns "
                            "that the "
                            "trees do not test do not count."
                        ),
                        *([display.note] if display.note else []),
                    ],
                ),
                "maps": maps,
                "codes": display.codes.tolist(),
                "labels": [clip(str(label), 40) for label in display.labels],
            }
        ]
