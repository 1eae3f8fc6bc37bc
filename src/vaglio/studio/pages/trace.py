"""Trace: a learner at work on a small table, step by step, with a picture beside the numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.model_selection import StratifiedShuffleSplit

from vaglio.document.animation import pictures_of
from vaglio.document.render.html import blocks_of
from vaglio.errors import VaglioError
from vaglio.evaluation.training import learning_rows
from vaglio.learners.parameter_text import ParameterField, learner_from_words, parameter_fields
from vaglio.learners.registry import DEFAULT, find, learners_of
from vaglio.messages.locale import Locale
from vaglio.messages.message import text
from vaglio.model.families import Task
from vaglio.studio.pages.page import Page, Panels
from vaglio.table import Table
from vaglio.tracing import learners, trace
from vaglio.tracing.animation import make_animation
from vaglio.tracing.tracer import MAX_ROWS

__all__ = ["TracePage"]

# Rows of a trace, unless the table has fewer: a dot each in the picture, a line each in the tables.
_ROWS = 60
# Learners whose work is seen in the plane of two columns, or of one column and the target.
_IN_THE_PLANE: dict[Task, tuple[str, ...]] = {
    "classification": (
        "perceptron",
        "logistic",
        "svm",
        "knn",
        "adaboost",
        "gradient-boosting",
        "bagging",
        "random-forest",
        "mlp",
    ),
    "regression": ("linear", "knn", "bagging", "random-forest", "adaboost", "gradient-boosting"),
}


@dataclass(frozen=True)
class TraceChoice:
    """What to trace.

    Attributes
    ----------
    task : {"classification", "regression"}
        Whether the table has classes or numbers to predict.
    learner : str
    params : dict of str to str
        As typed.
    rows : int
        How many rows of the table.
    across, up : str
        The two columns of the plane; empty for all columns.
    row : int
        The row to classify, from 1; 0 for none.
    """

    task: Task
    learner: str
    params: dict[str, str]
    rows: int
    across: str
    up: str
    row: int

    @property
    def key(self) -> str:
        """The choices as text: equal for equal traces."""
        return repr(self)


class TracePage(Page):
    """The page Trace: everything it shows is in its address, so that a trace can be bookmarked."""

    title = text("Trace")
    lead = text("Follow a learner step by step on a small table.")

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return the form, the steps and the pictures."""
        opened = self.bench.need_table()
        opened.need_target()
        rows, y = learning_rows(opened.table, task=opened.task)
        numeric = [name for name in rows.columns if opened.table.column(name).kind == "numeric"]
        chosen = _chosen(query, len(y), numeric, opened.task)
        data: dict[str, Any] = {
            "learners": _shown(opened.task),
            "chosen": chosen,
            "fields": _fields(chosen),
            "numeric": numeric,
            "n_rows": len(y),
            "most_rows": min(MAX_ROWS, len(y)),
            "steps": [],
            "pictures": [],
            "trouble": "",
        }
        panels = Panels()
        key = ("trace", opened.key, chosen.key, locale.lang)

        def work() -> dict[str, Any]:
            try:
                return dict(self.results.get(key, lambda: _traced(rows, y, chosen, locale)))
            except VaglioError as error:  # said beside the form, where it can be mended
                return {"trouble": error.message}
            except ValueError as error:  # scikit-learn's checks of y
                return {"trouble": str(error)}

        return data | dict(panels.show(text("Trace"), work, {})) | {"problems": panels.problems}


def _fields(chosen: TraceChoice) -> list[ParameterField]:
    """The parameters of a learner with the defaults of a trace, which are those of the textbook."""
    own = find(chosen.learner, chosen.task).textbook
    return [
        replace(field, default=own[field.name].value) if field.name in own else field
        for field in parameter_fields(chosen.learner, chosen.task)
    ]


def _shown(task: Task) -> list[str]:
    """Learners that can be chosen by name and whose work can be shown."""
    return [name for name in learners(task) if name in learners_of(task)]


def _chosen(query: dict[str, str], n_rows: int, numeric: list[str], task: Task) -> TraceChoice:
    """What the address says; what it does not say, or says wrongly, is chosen for the table."""
    learner = query.get("learner", "")
    usual = "id3" if task == "classification" else DEFAULT[task]
    learner = learner if learner in _shown(task) else usual
    across, up = (query.get(name, "") for name in ("across", "up"))
    axes = 2 if task == "classification" else 1
    if "across" not in query and learner in _IN_THE_PLANE[task] and len(numeric) >= axes:
        across, up = [*numeric[:axes], ""][:2]
    # Numbers can be drawn over one column: the vertical axis is then the target.
    over_one = task == "regression" and not up
    if across not in numeric or not (over_one or up in numeric) or across == up:
        across = up = ""
    params = {name[2:]: value.strip() for name, value in query.items() if name.startswith("p.") and value.strip()}
    allowed = {field.name for field in parameter_fields(learner, task)}
    return TraceChoice(
        task,
        learner,
        {name: value for name, value in params.items() if name in allowed},
        _number(query.get("rows", ""), min(n_rows, _ROWS), 2, min(MAX_ROWS, n_rows)),
        across,
        up,
        _number(query.get("row", ""), 1, 0, n_rows),
    )


def _number(word: str, otherwise: int, low: int, high: int) -> int:
    given = int(word) if word.isdecimal() and len(word) < 10 else otherwise
    return max(min(given, high), min(low, high))


def _traced(rows: Table, y: np.ndarray, chosen: TraceChoice, locale: Locale) -> dict[str, Any]:
    """Train the learner on the rows of the trace; return its steps and its pictures."""
    whole = np.ones(len(y), dtype=bool)
    texts = [name for name in rows.columns if rows.column(name).kind == "text"]
    if 0 < len(texts) < len(rows.columns):
        # No trace shows free text; the other columns are enough for a lesson.
        rows = rows.select([name for name in rows.columns if name not in texts])
    if chosen.across:
        rows = rows.select([name for name in (chosen.across, chosen.up) if name])
        whole = ~np.any([rows.column(name).missing for name in rows.columns], axis=0)
    taken = _some(np.flatnonzero(whole), y, chosen)
    row = None if chosen.row == 0 else rows.take(np.array([chosen.row - 1]))
    learner = learner_from_words(chosen.learner, chosen.params, 0, 1, textbook=True, task=chosen.task)
    part, labels = rows.take(taken), y[taken]
    fitted = learner.fit(part, labels)
    work = trace(fitted, part, labels, row=row, lang=locale.lang)
    animation = make_animation(fitted, part, labels, row=row, lang=locale.lang)
    return {
        "title": work.title,
        "steps": [
            {"title": section.title, "level": section.level, "html": Markup(blocks_of(section)), "picture": picture}
            for section, picture in zip(work.sections, pictures_of(work.sections, animation))
        ],
        "pictures": []
        if animation is None
        else [
            {"caption": animation.frames[number].caption, "svg": Markup(animation.draw(number))}
            for number in range(len(animation.frames))
        ],
        "labels": [] if animation is None or animation.frames[0].tree is not None else list(animation.classes),
        "taken": len(taken),
        "without": int((~whole).sum()),
        "texts": texts,
    }


def _some(rows: np.ndarray, y: np.ndarray, chosen: TraceChoice) -> np.ndarray:
    """Take so many of the rows, each class in proportion, in the order of the table; of numbers any of them."""
    most = chosen.rows
    if len(rows) <= most:
        return rows
    if chosen.task == "regression":
        return np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
    counts = np.unique(y[rows], return_counts=True)[1]
    if counts.min() < 2 or most < len(counts):
        return rows[:most]
    kept, _ = next(StratifiedShuffleSplit(1, train_size=most, random_state=0).split(rows, y[rows]))
    some: np.ndarray = rows[np.sort(kept)]
    return some
