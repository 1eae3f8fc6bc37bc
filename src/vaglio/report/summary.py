"""From a study to everything its report contains, as plain data: no drawing, no HTML."""

from __future__ import annotations

from typing import Any

from vaglio.messages.listing import plain_data
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.report.brief import alarms_part, brief_chapter
from vaglio.report.data import data_chapter
from vaglio.report.examples import examples_chapter
from vaglio.report.learners import learners_chapter
from vaglio.report.limits import Limits
from vaglio.report.method import method_chapter
from vaglio.report.model_chapter import model_chapter
from vaglio.report.numbers import numbers_chapter
from vaglio.report.performance import performance_chapter, study_evaluation
from vaglio.study import Study

__all__ = ["summarize_study"]


def summarize_study(
    study: Study,
    *,
    name: str = "table",
    positive: Any = None,
    command: str = "",
    source: str = "",
    limits: Limits | None = None,
) -> dict[str, Any]:
    """Summarise a study for its report.

    Parameters
    ----------
    study : Study
        After ``run``.
    name : str
        Name of the table.
    positive : optional
        The class that curves are drawn for first.
    command : str
        The command that made the study, if one did.
    source : str
        A Python expression that makes the table, if its name alone does not tell.
    limits : Limits, optional
        How much is shown.

    Returns
    -------
    dict
        Plain data, ready for JSON; its sentences are messages, which the page writes in its language.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.report import summarize_study
    >>> study = vaglio.Study(vaglio.datasets.load("play"), "play", learners=["c45"], strategy="quick").run()
    >>> summarize_study(study)["learners"]["rows"][0]["learner"]
    'c45'
    """
    limits = limits or Limits()
    evaluation = study_evaluation(study, positive)
    data = data_chapter(study, limits)
    n, p = study.table.shape
    numbers = study.selection.task == "regression"
    perform = numbers_chapter if numbers else performance_chapter
    performance, inside = perform(study, evaluation, limits), model_chapter(study, limits)
    chapters: dict[str, Any] = plain_data(
        {
            "alarms": alarms_part(study, command),
            "brief": brief_chapter(study, evaluation, performance, inside),
            "name": clip(name, 80),
            "target": clip(study.target, 60),
            "learner": clip(study.selection.best.learner, 40),
            "shape": text("{rows:,} {rows:row|rows}, {columns:,} {columns:column|columns}", rows=n, columns=p)
            if numbers
            else text(
                "{rows:,} {rows:row|rows}, {columns:,} {columns:column|columns}, {classes:,} {classes:class|classes}",
                rows=n,
                columns=p,
                classes=data["classes"]["total"],
            ),
            "task": study.selection.task,
            "data": data,
            "learners": learners_chapter(study, limits),
            "performance": performance,
            "inside": inside,
            "examples": examples_chapter(study, evaluation, limits),
            "method": method_chapter(study, name, command, source),
        }
    )
    return chapters
