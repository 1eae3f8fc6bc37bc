"""The result of a selection, as text, tables and data; and what it says about over- and underfitting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.evaluation.alarms import Alarm, alarms_html, training_rows_alarm
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.metrics.scoring import DEFAULT_SCORE, score_in_words
from vaglio.evaluation.rows import Part, Predicted
from vaglio.evaluation.selection.race import LEVEL
from vaglio.evaluation.selection.strategies import Strategy
from vaglio.evaluation.selection.trials import Trial
from vaglio.messages.figures import figure
from vaglio.messages.listing import bullet_html, html_table, plain_data, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import listed
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.typing import Estimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OuterFold", "Selection", "fit_diagnosis"]

# Overfitting is reported for a gap above the first value, or above the second and half of the test error.
_CLEAR_GAP = 0.10
_SMALL_GAP = 0.05
# What stops a setting in a race.
RACE_TESTS: dict[Task, Message] = {
    "classification": text("McNemar's test"),
    "regression": text("paired test of the rows"),
}


def division_note(rows: Mapping[str, str]) -> list[Message]:
    """Return the sentence that says how rows were divided; none for rows in memory that are divided as usual."""
    if rows.get("held", "in memory") == "in memory":
        usual = (None, "stratified by class", "stratified by quantiles of the target")
        divided = rows.get("divided")
        return [] if divided in usual else [text("The rows were assigned {divided}.", divided=divided)]
    return [
        text(
            "The rows stay {held}. They were assigned to folds {divided}, not stratified.",
            held=rows["held"],
            divided=rows["divided"],
        )
    ]


@dataclass(frozen=True)
class OuterFold:
    """One outer fold of a nested selection: what was chosen without its rows, and its score on them."""

    choice: Trial
    score: float
    train: Part = field(repr=False)
    rows: np.ndarray = field(repr=False)
    found: Predicted = field(repr=False)

    @property
    def true(self) -> np.ndarray:
        """The true class, or number, of each row of the fold."""
        return self.found.true

    @property
    def predicted(self) -> np.ndarray:
        """The predicted class, or number, of each row of the fold."""
        return self.found.predictions.labels


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """The chosen model, all trials, and an evaluation with its reliability.

    Attributes
    ----------
    strategy : Strategy
        Its ``reliability`` and ``remark`` apply to every measure here.
    trials : tuple of Trial
        Every setting tried, failures included.
    best : Trial
        The best trial, with the score it was chosen by.
    best_estimator : classifier or regressor
        The best setting, trained on all training rows.
    evaluation : Evaluation or RegressionEvaluation
        On the test rows.
    score, train_score : float
        The selection score on the test rows and on the training rows.
    judged : ndarray
        Positions of the test rows, in the order of ``evaluation``: among the rows whose target is known, or in the
        test table.
    outer : tuple of OuterFold
        Nested cross-validation: the choice in each outer fold.
    n_train : int
        Number of training rows.
    scoring : str
        Name of the selection score.
    cost : CostMatrix, UnitCost or None
        Costs of errors, if they were given.
    seed : int
    interrupted, out_of_time : bool
        Whether the search ended early.
    rows : mapping
        Where the rows are ("held") and how they are divided ("divided"): in memory stratified by class, or by quantiles
        of the numbers, unless the rules say otherwise; out of core by the hash of the row number.
    """

    strategy: Strategy
    trials: tuple[Trial, ...]
    best: Trial
    best_estimator: Estimator
    evaluation: Any
    score: float
    train_score: float
    n_train: int
    judged: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    outer: tuple[OuterFold, ...] = ()
    scoring: str = "accuracy"
    cost: CostMatrix | UnitCost | None = None
    seed: int = 0
    interrupted: bool = False
    out_of_time: bool = False
    rows: Mapping[str, str] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        task: Task = self.evaluation.task
        return task

    @property
    def fitted(self) -> Any:
        """The trained model as a :class:`~vaglio.fitted.Fitted`, with how it was chosen in its provenance."""
        facts = {
            "strategy": self.strategy.name,
            "reliability": self.strategy.reliability,
            "scoring": self.scoring,
            "score": self.score,
            "seed": self.seed,
        }
        chosen: Any = self.best_estimator
        fitted = chosen.fitted_.with_provenance(selection=facts)
        measured = self.task == "regression" and self.strategy.name != "zero"
        return fitted.with_residuals(self.evaluation) if measured else fitted

    @property
    def failures(self) -> tuple[Trial, ...]:
        """Trials that failed."""
        return tuple(trial for trial in self.trials if trial.error)

    @property
    def stopped(self) -> tuple[Trial, ...]:
        """Trials that were clearly behind and not tried on all folds; there are none unless the settings raced."""
        return tuple(trial for trial in self.trials if trial.behind is not None)

    @property
    def optimism(self) -> float:
        """By how much the score in the choice exceeds the score on rows that were not used for the choice."""
        return self.best.score - self.score

    @property
    def measure(self) -> str:
        """The selection score in words; with costs, what a row costs."""
        return score_in_words(self.scoring, self.task)[0]

    @property
    def sign(self) -> int:
        """-1 where the score is a negative loss, which is told as the loss: costs, RMSE and the like."""
        return score_in_words(self.scoring, self.task)[1]

    def _told(self, score: float, digits: int = 5) -> Number:
        """A score as it is told: shares to four decimals, what has a unit with so many digits."""
        told = self.sign * score
        return figure(told, digits) if self.task == "regression" and self.sign < 0 else Number(f"{told:.4f}")

    @property
    def diagnosis(self) -> Message:
        """Over- or underfitting of the chosen model, in a sentence."""
        if self.scoring != DEFAULT_SCORE[self.task]:
            return text(
                "{measure}: {train} on the training rows, {test} on other rows.",
                measure=self.measure,
                train=self._told(self.train_score),
                test=self._told(self.score),
            )
        found = self.evaluation.estimate(self.scoring)
        reach = 0.0 if found is None else (found.high - found.low) / 2
        uncertainty = reach if reach == reach else 0.0
        baseline = 0.0
        if isinstance(self.evaluation, Evaluation):
            true = self.evaluation.rates.support
            baseline = float(true.max() / true.sum())
        return fit_diagnosis(self.train_score, self.score, baseline=baseline, uncertainty=uncertainty, task=self.task)

    def notes(self) -> list[str]:
        """Return how reliable the result is, and what went wrong."""
        lines: list[str] = [
            text(
                "Reliability: {reliability}. {remark}",
                reliability=self.strategy.reliability,
                remark=self.strategy.remark,
            )
        ]
        names = {trial.learner for trial in self.trials if not trial.error}
        if self.strategy.chosen_on_test and not self.strategy.tuned and len(names) > 1:
            lines.append(
                text(
                    "The learner was chosen among {n} on the test rows, so its score is likely too high.", n=len(names)
                )
            )
        if self.outer:
            lines.append(self._nested())
        if self.strategy.name != "zero":
            lines.append(self.diagnosis)
            lines += division_note(self.rows)
        if self.stopped:
            behind = dict.fromkeys(trial.learner for trial in self.stopped)
            lines.append(
                text(
                    "Not tried on all folds because clearly behind ({test}, p < {level}): {n:,} "
                    "{n:setting|settings} of {names}.",
                    test=RACE_TESTS[self.task],
                    level=LEVEL,
                    n=len(self.stopped),
                    names=listed(behind),
                )
            )
        if self.failures:
            failed = dict.fromkeys(
                text("{learner}: {error}", learner=trial.learner, error=trial.error) for trial in self.failures
            )
            lines.append(text("Failed: {learners}", learners=join(" ", failed)))
        if self.out_of_time:
            lines.append(text("The time budget ended the search early."))
        return lines

    def _nested(self) -> Message:
        own, other = self._told(self.best.score), self._told(self.score)
        told = {
            "n": len(self.outer),
            "score": own,
            "difference": self._told(self.sign * abs(self.optimism), 2),
        }
        # A difference that prints as 0.0000 is none to the reader.
        if own == other:
            return text(
                "Nested cross-validation: the selection was repeated in {n} outer folds. Its own score, {score}, is "
                "the same on rows that played no part in it.",
                **told,
            )
        if self.sign * self.optimism > 0:
            return text(
                "Nested cross-validation: the selection was repeated in {n} outer folds. Its own score, {score}, is "
                "{difference} higher than on rows that played no part in it.",
                **told,
            )
        return text(
            "Nested cross-validation: the selection was repeated in {n} outer folds. Its own score, {score}, is "
            "{difference} lower than on rows that played no part in it.",
            **told,
        )

    def by_learner(self) -> list[dict[str, Any]]:
        """The best trial of each learner, best first."""
        best: dict[str, Trial] = {}
        for trial in self.trials:
            known = best.get(trial.learner)
            if known is None or (not trial.error and not trial.rank <= known.rank):
                best[trial.learner] = trial
        ranked = sorted(best.values(), key=lambda trial: trial.rank, reverse=True)
        if not self.stopped:
            return [trial.to_row(self.sign) for trial in ranked]
        return [{**trial.to_row(self.sign), text("folds"): len(trial.scores)} for trial in ranked]

    def choices(self) -> list[dict[str, Any]]:
        """What was chosen in each outer fold."""
        return [
            {
                text("fold"): i,
                **fold.choice.to_row(self.sign),
                text("inner score"): self.sign * fold.choice.score,
                text("score"): self.sign * fold.score,
            }
            for i, fold in enumerate(self.outer, start=1)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        data = {
            "task": self.task,
            "alarms": [alarm.to_dict() for alarm in self.alarms],
            "strategy": self.strategy.name,
            "reliability": self.strategy.reliability,
            "scoring": self.scoring,
            "learner": self.best.learner,
            "parameters": self.best.params,
            "score": self.score,
            "chosen_by": self.best.score,
            "training": self.train_score,
            "seed": self.seed,
            "rows": self.rows,
            "notes": self.notes(),
            "learners": self.by_learner(),
            "outer": self.choices(),
            "evaluation": self.evaluation.to_dict(),
        }
        plain: dict[str, Any] = plain_data(data)
        return plain

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """What makes the score misleading, and what mends it."""
        known = self.evaluation.alarms
        return (training_rows_alarm(), *known) if self.strategy.name == "zero" else known

    def headline(self) -> Message:
        """Return the chosen learner and its score; with costs, first what it saves."""
        if self.interrupted:
            found = text("The search was interrupted: this is the best of the finished trials.")
            return join("\n", [found, replace(self, interrupted=False).headline()])
        if self.evaluation.task == "classification" and self.evaluation.savings is not None:
            saved = self.evaluation.savings.in_words()
            return join(" ", [self._chosen(), saved])
        return self._chosen()

    def _chosen(self) -> Message:
        told = {
            "learner": self.best.learner,
            "setting": self.best.setting,
            "measure": self.measure,
            "score": self._told(self.score),
            "n": self.evaluation.n_rows,
            "train": self.n_train,
            "settings": len(self.trials),
        }
        if self.best.setting:
            return text(
                "Chosen: {learner} ({setting}); {measure} {score} on {n:,} test rows, trained on {train:,}; "
                "{settings:,} {settings:setting|settings} tried.",
                **told,
            )
        return text(
            "Chosen: {learner}; {measure} {score} on {n:,} test rows, trained on {train:,}; {settings:,} "
            "{settings:setting|settings} tried.",
            **told,
        )

    def _tables(self) -> list[tuple[Message, list[dict[str, Any]]]]:
        drop = ("error",)
        rows = [{k: v for k, v in row.items() if k not in drop} for row in self.by_learner()]
        outer = [{k: v for k, v in row.items() if k not in drop} for row in self.choices()]
        return [(text("Best setting of each learner"), rows), (text("Choice in each outer fold"), outer)]

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the choice, notes and tables of the learners as text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        parts = [locale.text(alarm.in_words()) for alarm in self.alarms]
        parts += [locale.text(self.headline()), "\n".join(f"- {locale.text(line)}" for line in self.notes())]
        parts += [f"{locale.text(title)}\n{text_table(rows, locale=locale)}" for title, rows in self._tables() if rows]
        return "\n\n".join(parts)

    @checked
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Any:
        """Draw the best setting of each learner: its score, and the range of the scores of the folds.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.

        Returns
        -------
        Axes
        """
        from vaglio.plot.evaluation import draw_intervals

        best: dict[str, Trial] = {}
        for trial in sorted((t for t in self.trials if not t.error), key=lambda t: t.rank):
            best[trial.learner] = trial
        rows = []
        for trial in best.values():
            scores = self.sign * trial.scores
            rows.append((trial.learner, self.sign * trial.score, float(np.min(scores)), float(np.max(scores))))
        told = text("{measure}, with the range of the folds", measure=self.measure)
        return draw_intervals(ax, rows, xlabel=told, sign=self.sign, locale=locale_of(lang))

    def __repr__(self) -> str:
        return self.to_text()

    def tables_html(self, *, lang: str | Locale = "en") -> str:
        """Return the learners and the evaluation as HTML tables, without the notes.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        tables = "".join(html_table(rows, caption=title, locale=locale) for title, rows in self._tables())
        return tables + str(self.evaluation.to_html(lang=locale))

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the choice, notes and tables as a fragment of HTML.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        told = bullet_html([self.headline(), *self.notes()], locale=locale)
        return alarms_html(self.alarms, locale=locale) + told + self.tables_html(lang=locale)

    def _repr_html_(self) -> str:
        return self.to_html()


@checked
def fit_diagnosis(
    train: float,
    test: float,
    *,
    baseline: float | None = None,
    uncertainty: float = 0.0,
    task: Task = "classification",
) -> Message:
    """Say whether scores (higher is better, at most 1) are a sign of over- or underfitting.

    Parameters
    ----------
    train, test : float
        The same measure on the training rows and on other rows: of predicted numbers, R².
    baseline : float, optional
        Score of always predicting the largest class, or the mean.
    uncertainty : float
        Half the width of the interval of ``test``: a smaller gap is not reported.
    task : {"classification", "regression"}
        What is predicted.

    Examples
    --------
    >>> fit_diagnosis(1.0, 0.81)
    'Overfitting: 1.00 on the training rows, 0.81 on other rows (gap 0.19). Simplify the model, prune it or add rows.'
    >>> fit_diagnosis(0.62, 0.61, baseline=0.6).split(",")[0]
    'Underfitting: 0.62 on the training rows'
    """
    gap = train - test
    measure = "R² " if task == "regression" else ""
    told = {"measure": measure, "train": train, "test": test, "gap": gap}
    clear = gap > _CLEAR_GAP or (gap > _SMALL_GAP and gap > (1 - test) / 2)
    if clear and gap > uncertainty:
        return Message(
            "overfitting",
            "Overfitting: {measure}{train:.2f} on the training rows, {test:.2f} on other rows (gap {gap:.2f}). "
            "Simplify the model, prune it or add rows.",
            **told,
        )
    if baseline is not None and train - baseline < 0.25 * (1 - baseline):
        usual = text("the mean") if task == "regression" else text("the largest class")
        return Message(
            "underfitting",
            "Underfitting: {measure}{train:.2f} on the training rows, hardly above the {baseline:.2f} of always "
            "predicting {usual}. Use a more flexible model or add columns.",
            measure=measure,
            train=train,
            baseline=baseline,
            usual=usual,
        )
    if gap < -max(uncertainty, _SMALL_GAP):
        return Message(
            "test-better-than-training",
            "Unusual: {measure}{train:.2f} on the training rows, {test:.2f} on other rows. The test rows may be "
            "easier, or too few.",
            **told,
        )
    return Message(
        "no-overfitting",
        "No sign of over- or underfitting: {measure}{train:.2f} on the training rows, {test:.2f} on other rows.",
        **told,
    )
