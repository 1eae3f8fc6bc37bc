"""Learners compared on accuracy or costs, speed, robustness, scalability and size, without choosing one."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation._evaluated_rows import INTERVALS_ABOUT
from vaglio.evaluation.comparison.requirements import RequirementTrials, growth_exponent
from vaglio.evaluation.comparison.significance import (
    Contrast,
    FriedmanNemenyi,
    corrected_interval,
    friedman_nemenyi,
    holm,
)
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.metrics.intervals import Estimate, accuracy_of_folds
from vaglio.evaluation.metrics.scoring import DEFAULT_SCORE, is_accuracy, resolve_scorer, score_in_words
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.evaluation.rows import Part, Rows
from vaglio.evaluation.selection.candidates import Candidate, costs_and_rows, resolve_learners, task_asked, with_costs
from vaglio.evaluation.selection.folds import pooled
from vaglio.evaluation.selection.selection_result import division_note, fit_diagnosis
from vaglio.evaluation.selection.splits import SplitRules
from vaglio.evaluation.selection.trials import Trial, run_trials
from vaglio.evaluation.tasks import LONG_WORK, keeping_results
from vaglio.messages.figures import figure
from vaglio.messages.listing import bullet_html, html_table, plain_data, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Option, join, text
from vaglio.model.base import size_words
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.runtime.progress import ProgressOption, reporting
from vaglio.typing import ColumnLike, CostLike, Learners, TableSource

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "LearnerReport", "compare"]

# Robustness is measured on few folds: every one is trained again for each share of noise and missing values.
_ROBUSTNESS_FOLDS = 3
# Significant pairs that are named in the notes; all are in ``pairs``.
_MAX_PAIRS = 8


@dataclass(frozen=True)
class LearnerReport:
    """One learner on all requirements.

    Attributes
    ----------
    learner : str
    scores : ndarray
        Score per fold: accuracy, R² of predicted numbers, or with costs what a row costs.
    score : Estimate
        Over all folds, with its interval.
    train_score : float
    fit_seconds, predict_seconds : float
        Medians over the folds.
    noise, missing : mapping
        Score by share of changed training targets, and by share of missing values.
    scaling : tuple of mapping
        Median training and prediction time by number of rows, and all training times of that size.
    size : mapping
        Nodes, rules or weights of the model.
    error : str
        Why the learner failed, if it did.
    task : {"classification", "regression"}
    evaluation : Evaluation, RegressionEvaluation or None
        All measures over the folds, of predicted numbers and with costs.
    scoring : str
        What the score is: "accuracy", "r2" or "minus mean cost", which is told as the cost.
    """

    learner: str
    scores: np.ndarray
    score: Estimate
    train_score: float
    fit_seconds: float
    predict_seconds: float
    noise: Mapping[float, float | None] = field(default_factory=dict)
    missing: Mapping[float, float | None] = field(default_factory=dict)
    scaling: tuple[Mapping[str, float], ...] = ()
    size: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    task: Task = "classification"
    evaluation: Evaluation | RegressionEvaluation | None = field(default=None, repr=False)
    scoring: str = "accuracy"

    @property
    def diagnosis(self) -> Message:
        """Over- or underfitting, in a sentence."""
        if self.error:
            return text("Failed: {error}", error=self.error)
        measure, sign = score_in_words(self.scoring, self.task)
        if sign < 0:
            return text(
                "{measure}: {train} on the training rows, {test} on other rows.",
                measure=measure,
                train=figure(self.train_score),
                test=figure(self.score.value),
            )
        reach = (self.score.high - self.score.low) / 2
        uncertainty = reach if reach == reach else 0.0
        return fit_diagnosis(self.train_score, self.score.value, uncertainty=uncertainty, task=self.task)

    def to_row(self) -> dict[str, Any]:
        """Return the report as one row of a table."""
        row: dict[str, Any] = {
            text("learner"): self.learner,
            score_in_words(self.scoring, self.task)[0]: self.score.value,
            text("low"): self.score.low,
            text("high"): self.score.high,
        }
        if isinstance(self.evaluation, Evaluation):
            saved = self.evaluation.savings
            row |= {} if saved is None else {text("saved"): saved.saved.value}
            row[text("accuracy")] = self.evaluation.accuracy.value
        row[text("training")] = self.train_score
        if isinstance(self.evaluation, RegressionEvaluation):
            row |= {text("RMSE"): self.evaluation.rmse, text("MAE"): self.evaluation.mae}
        row |= {text("fit s"): self.fit_seconds, text("predict s"): self.predict_seconds}
        row |= {text("noise {share:.0%}", share=share): value for share, value in self.noise.items()}
        row |= {text("missing {share:.0%}", share=share): value for share, value in self.missing.items()}
        if self.scaling:
            growth = growth_exponent(self.scaling)
            row[text("time ~ rows^")] = round(growth.value, 2)
            row[text("rows^ low")], row[text("rows^ high")] = round(growth.low, 2), round(growth.high, 2)
        row[text("size")] = join(", ", size_words(self.size))
        return row


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Reports of the learners, and which differences are significant.

    Attributes
    ----------
    reports : tuple of LearnerReport
        For one table; for several tables, the mean over them.
    pairs : list of dict
        Corrected paired test of every pair on one table: difference (of the accuracies, R², or costs per row), p, p
        after Holm's correction, whether they differ significantly, and the difference that the test finds on four of
        five tables like this ("detectable").
    ranks : FriedmanNemenyi or None
        For several tables: mean ranks and the critical difference.
    by_table : mapping
        For several tables: score of each learner on each table.
    alpha : float
        Significance level.
    n_rows : int
    read_seconds : float or None
        Seconds to read the table, if it was a file.
    rows : mapping
        Where the rows are ("held") and how folds are made of them ("divided"): in memory stratified by class, or by
        quantiles of the numbers, out of core by the hash of the row number.
    task : {"classification", "regression"}
    scoring : str
        What the learners are compared by: "accuracy", "r2", or "minus mean cost", which is told as the cost.
    """

    reports: tuple[LearnerReport, ...]
    pairs: tuple[dict[str, Any], ...] = ()
    ranks: FriedmanNemenyi | None = None
    by_table: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    alpha: float = 0.05
    n_rows: int = 0
    read_seconds: float | None = None
    rows: Mapping[str, str] = field(default_factory=dict)
    task: Task = "classification"
    scoring: str = "accuracy"

    @property
    def measure(self) -> str:
        """What the learners are compared by, in words."""
        return score_in_words(self.scoring, self.task)[0]

    @property
    def sign(self) -> int:
        """-1 where less is better: costs."""
        return score_in_words(self.scoring, self.task)[1]

    @property
    def ranked(self) -> list[LearnerReport]:
        """The learners that did not fail, the best first."""
        return sorted((r for r in self.reports if not r.error), key=lambda r: -self.sign * r.score.value)

    @checked
    def differ(self, a: str, b: str) -> bool:
        """Whether the scores of two learners differ significantly."""
        if self.ranks is not None:
            return self.ranks.differ(a, b)
        for pair in self.pairs:
            if {pair["a"], pair["b"]} == {a, b}:
                return bool(pair["differ"])
        raise InputError("not-compared", "{a!r} and {b!r} were not compared.", a=a, b=b)

    def notes(self) -> list[Message]:
        """Which differences are significant, and what else to know."""
        lines: list[Message] = []
        if self.ranks is not None:
            r = self.ranks
            told = {"n": len(self.by_table), "p": r.p_value, "difference": r.critical_difference}
            lines.append(
                text(
                    "Over {n} tables the learners differ significantly (Friedman test, p = {p:.3g}); two of them "
                    "differ if "
                    "their mean ranks are more than {difference:.2f} apart.",
                    **told,
                )
                if r.p_value < r.alpha
                else text(
                    "Over {n} tables the learners do not differ significantly (Friedman test, p = {p:.3g}); two of "
                    "them "
                    "differ if their mean ranks are more than {difference:.2f} apart.",
                    **told,
                )
            )
        elif self.pairs:
            real = sorted((pair for pair in self.pairs if pair["differ"]), key=lambda pair: pair["p holm"])
            lines += [self._differing(pair) for pair in real[:_MAX_PAIRS]]
            if len(real) > _MAX_PAIRS:
                lines.append(
                    text("{n:,} more {n:pair differs|pairs differ} significantly; see pairs.", n=len(real) - _MAX_PAIRS)
                )
            if len(real) < len(self.pairs):
                lines.append(
                    text(
                        "{n:,} of {total:,} {total:pair does|pairs do} not differ significantly (corrected paired "
                        "t test, "
                        "Holm's correction, level {alpha:.0%}).",
                        n=len(self.pairs) - len(real),
                        total=len(self.pairs),
                        alpha=self.alpha,
                    )
                )
        lines += self._power()
        if self.read_seconds is not None:
            lines.append(
                text(
                    "Reading the file took {seconds:.2f} s; the training times do not include it.",
                    seconds=self.read_seconds,
                )
            )
        lines += division_note(self.rows)
        lines += [
            text("{learner}: {diagnosis}", learner=r.learner, diagnosis=r.evaluation.advice[0])
            for r in self.reports
            if r.evaluation is not None and r.evaluation.advice[0].code in ("worse-than-mean", "no-better-than-mean")
        ]
        lines += [
            text("{learner}: {diagnosis}", learner=r.learner, diagnosis=r.diagnosis)
            for r in self.reports
            if r.error or r.diagnosis.code == "overfitting"
        ]
        return lines

    def _differing(self, pair: Mapping[str, Any]) -> Message:
        """A significant difference in a sentence."""
        a, b, difference = pair["a"], pair["b"], pair["difference"]
        if self.sign < 0:
            cheap, dear = (a, b) if difference < 0 else (b, a)
            return text(
                "{a} costs {difference} less per row than {b}, which is significant (p = {p:.3g}).",
                a=cheap,
                b=dear,
                difference=figure(abs(difference)),
                p=pair["p holm"],
            )
        return text(
            "{a} and {b} differ significantly, by {difference:+.3f} (p = {p:.3g}).",
            a=a,
            b=b,
            difference=difference,
            p=pair["p holm"],
        )

    def headline(self) -> list[Message]:
        """With costs, which learner costs least and what it saves; otherwise nothing."""
        if self.sign > 0 or not self.ranked:
            return []
        best = self.ranked[0]
        if isinstance(best.evaluation, Evaluation) and best.evaluation.savings is not None:
            saved = best.evaluation.savings.in_words()
            return [text("{learner} costs least. {savings}", learner=best.learner, savings=saved)]
        return [
            text(
                "{learner} costs least: {cost} per row ({confidence:.0%} interval: {low} to {high}).",
                learner=best.learner,
                cost=figure(best.score.value),
                confidence=best.score.confidence,
                low=figure(best.score.low),
                high=figure(best.score.high),
            )
        ]

    def _power(self) -> list[Message]:
        """What the test could find and what the intervals are about, on one table."""
        if not self.pairs:
            return []
        typical = float(np.median([pair["detectable"] for pair in self.pairs]))
        told: dict[str, Any] = {
            "n": self.n_rows,
            "points": typical,
            "half": typical / 2,
            # Errors shrink with the root of the rows.
            "rows": round(4 * self.n_rows, 2 - len(str(4 * self.n_rows))),
        }
        if self.sign < 0:
            told |= {"points": figure(typical), "half": figure(typical / 2)}
            power = text(
                "With {n:,} rows, the test finds a typical difference of {points} per row on four of five such tables, "
                "and smaller ones less often. To find {half} as often, about {rows:,} rows are needed.",
                **told,
            )
        elif self.task == "regression":
            power = text(
                "With {n:,} rows, the test finds a typical difference of {points:.3f} in R² on four of five such "
                "tables, and smaller ones less often. To find {half:.3f} as often, about {rows:,} rows are needed.",
                **told,
            )
        else:
            power = text(
                "With {n:,} rows, the test finds a typical difference of {points:.1%} on four of five such tables, and "
                "smaller ones less often. To find {half:.1%} as often, about {rows:,} rows are needed.",
                **told,
            )
        return [power, INTERVALS_ABOUT["learner"]]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per learner, the most accurate, or with costs the cheapest, first."""
        rows = [report.to_row() for report in self.ranked]
        if self.ranks is not None:
            place = dict(zip(self.ranks.names, self.ranks.mean_ranks.tolist(), strict=True))
            rows = [{text("learner"): row["learner"], text("mean rank"): place[row["learner"]], **row} for row in rows]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        data: dict[str, Any] = plain_data(
            {
                "task": self.task,
                "scoring": self.scoring,
                "headline": self.headline(),
                "learners": self.to_rows(),
                "pairs": self.pairs,
                "tables": self.by_table,
                "rows": self.rows,
                "notes": self.notes(),
            }
        )
        return data

    @checked
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Any:
        """Draw scores with their intervals; for several tables, mean ranks with the critical difference.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.
        """
        from vaglio.plot.evaluation import draw_intervals, draw_mean_ranks

        locale = locale_of(lang)
        if self.ranks is not None:
            ranks = self.ranks
            return draw_mean_ranks(ax, ranks.names, ranks.mean_ranks, ranks.critical_difference, locale=locale)
        rows = [(r.learner, r.score.value, r.score.low, r.score.high) for r in self.ranked]
        measure = text("mean cost per row") if self.sign < 0 else self.measure
        return draw_intervals(ax, rows, xlabel=measure, sign=self.sign, locale=locale)

    def _title(self) -> Message:
        n = len(self.reports)
        if self.by_table:
            return text("{n:,} {n:learner|learners} on {tables:,} tables", n=n, tables=len(self.by_table))
        return text("{n:,} {n:learner|learners} on {rows:,} rows", n=n, rows=self.n_rows)

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the table of the learners and the notes as text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        table = text_table(self.to_rows(), locale=locale)
        first = [locale.text(line) for line in (self._title(), *self.headline())]
        return "\n\n".join((*first, table, "\n".join(f"- {locale.text(line)}" for line in self.notes())))

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the same as a fragment of HTML.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        table = html_table(self.to_rows(), caption=self._title(), locale=locale)
        first = bullet_html(self.headline(), locale=locale) if self.headline() else ""
        return first + table + bullet_html(self.notes(), locale=locale)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


@checked
def compare(
    table: TableSource | Rows,
    target: str | int | ColumnLike | None = None,
    learners: Learners | None = None,
    *,
    cost: CostLike | None = None,
    folds: int = 10,
    repeats: int = 1,
    noise: Sequence[float] = (0.2,),
    missing: Sequence[float] = (0.2,),
    sizes: Sequence[float] = (0.25, 0.5, 1.0),
    alpha: float = 0.05,
    seed: int = 0,
    n_jobs: int | None = None,
    task: str = "auto",
    progress: ProgressOption = None,
) -> Comparison:
    """Compare learners: accuracy (R² of predicted numbers, or costs), speed, robustness, scalability, size.

    Parameters
    ----------
    table, target : table (or its file) and name of its target column, or X and the labels or numbers
        Rows of a scanned table or a Dask frame stay where they are; folds are then made by the hash of the row number.
        A mapping of names to tables (with their targets, or to (table, target) pairs) compares over several tables.
    learners : ids, estimators, or a mapping of names to either
        Trained without calibration, which changes no class; the times do not include it. With costs they are
        calibrated, since the decisions depend on the probabilities.
    cost : CostMatrix, array, dict, words or CSV path, optional
        As in :func:`vaglio.select`. The learners then learn and decide by the costs; the mean cost per row takes the
        place of the accuracy, and the tests go by the costs of the rows.
    folds, repeats : int
        Stratified folds, the same for every learner.
    noise, missing : sequence of float
        Shares of changed training targets and of missing values to measure; empty to leave them out.
    sizes : sequence of float
        Shares of the rows on which the training time is measured; empty to leave it out.
    alpha : float
        Significance level: a difference is significant if its corrected p is below.
    seed : int
        Seed of the folds and of the noise.
    n_jobs : int, optional
        Processes; the result does not depend on it.
    task : {"auto", "classification", "regression"}
        Whether classes or numbers are predicted; by default the target decides.
    progress : bool or callable, optional
        By default a bar on a terminal. A callable gets (done, total, what).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.dummy import DummyClassifier
    >>> import vaglio
    >>> X, y = load_iris(return_X_y=True)
    >>> result = vaglio.compare(X, y, learners={"bayes": GaussianNB(), "guess": DummyClassifier()}, folds=5)
    >>> result.differ("bayes", "guess")
    True
    """
    asked, able = task_asked(task, learners)
    if isinstance(table, Mapping) and target is None:
        opened = _opened(table, asked, able)
        return _over_tables(opened, len(table), learners, cost, folds, alpha, seed, n_jobs, progress)
    start = time.perf_counter()
    rows = Rows.of(table, target, task=asked, able=able)
    on_disk = isinstance(table, (str, os.PathLike))
    read_seconds = time.perf_counter() - start if on_disk else None
    costs, rows = costs_and_rows(cost, rows)
    candidates = _candidates(learners, seed, rows.task, costs)
    scoring, scorer = resolve_scorer(None, costs, rows.task)
    began = time.perf_counter()
    if repeats < 1:
        raise InputError("repeats-out-of-range", "repeats is {n}; it must be at least 1.", n=repeats)
    rules = SplitRules(seed=seed)
    parts = rows.folds(folds, rules, repeats=repeats)
    sizes_of_fold = _mean_sizes(rows, parts)
    few = rows.folds(_ROBUSTNESS_FOLDS, rules)
    wanted = RequirementTrials(rows, few, scorer, noise, missing, sizes, seed)
    with reporting(progress) as report, keeping_results():
        settings: list[Any] = [(c, {}) for c in candidates]
        keep = rows.task == "regression" or costs is not None
        going = run_trials(rows, parts, settings, scorer, n_jobs=n_jobs, by_row=True, keep=keep)
        trials = []
        for i, candidate in enumerate(candidates):
            report(i, 2 * len(candidates), candidate.name)
            trials.append(next(going))
        reports = [_report(trial, *sizes_of_fold, costs, scoring) for trial in trials]
        started = time.perf_counter() - began > LONG_WORK
        slowest_first = sorted(
            (i for i, base in enumerate(reports) if not base.error), key=lambda i: -reports[i].fit_seconds
        )
        more = wanted.run([candidates[i] for i in slowest_first], n_jobs=n_jobs, long=started)
        for done, i in enumerate(slowest_first, start=2 * len(candidates) - len(slowest_first)):
            report(done, 2 * len(candidates), candidates[i].name)
            reports[i] = replace(reports[i], **vars(next(more).told(score_in_words(scoring, rows.task)[1])))
    # Repetitions test every row again.
    tested = np.concatenate([rows.positions(test) for _, test in parts]) if repeats > 1 else None
    how = {"n_train": sizes_of_fold[0], "n_test": sizes_of_fold[1], "rows": tested}
    how |= {"shares": is_accuracy(scorer), "dearest": _dearest(costs)}
    pairs = tuple(_paired(trials, alpha, score_in_words(scoring, rows.task)[1], **how))
    return Comparison(
        tuple(reports),
        pairs,
        alpha=alpha,
        n_rows=len(rows),
        read_seconds=read_seconds,
        rows=rows.describe(rules),
        task=rows.task,
        scoring=scoring,
    )


def _candidates(
    learners: Learners | None, seed: int, task: Task, cost: CostMatrix | UnitCost | None
) -> list[Candidate]:
    found = resolve_learners(learners, seed=seed, task=task)
    return [candidate.for_classes() for candidate in found] if cost is None else with_costs(found, cost)


def _mean_sizes(rows: Rows, parts: Sequence[tuple[Part, Part]]) -> tuple[float, float]:
    """Return the mean numbers of training and test rows of a fold."""
    n_train, n_test = (float(np.mean([rows.count(fold[k]) for fold in parts])) for k in (0, 1))
    return n_train, n_test


def _report(
    trial: Trial, n_train: float, n_test: float, cost: CostMatrix | UnitCost | None, scoring: str
) -> LearnerReport:
    unknown = Estimate(float("nan"), float("nan"), float("nan"))
    what: dict[str, Any] = {"task": trial.task, "scoring": scoring}
    if trial.error:
        return LearnerReport(trial.learner, trial.scores, unknown, *(float("nan"),) * 3, error=trial.error, **what)
    evaluation = None
    if trial.found:
        evaluation = replace(pooled(trial.found, task=trial.task, cost=cost), test_ratio=n_test / n_train)
        score = evaluation.estimate("r2" if cost is None else "cost") or unknown
    else:
        score = accuracy_of_folds(trial.scores, n_train=n_train, n_test=n_test)
    sign = score_in_words(scoring, trial.task)[1]
    told = sign * trial.scores, score, sign * trial.train_score, trial.fit_seconds, trial.score_seconds
    return LearnerReport(trial.learner, *told, evaluation=evaluation, **what)


def _paired(trials: Sequence[Trial], alpha: float, sign: int, **how: Any) -> list[dict[str, Any]]:
    """Test every pair of learners; ``how`` is what :meth:`Contrast.of_trials` takes."""
    working = [trial for trial in trials if not trial.error]
    n_pairs = math.comb(len(working), 2)
    pairs: list[dict[str, Any]] = []
    for a, b in itertools.combinations(working, 2):
        found = Contrast.of_trials(a, b, **how)
        pairs.append(
            {
                "a": a.learner,
                "b": b.learner,
                "difference": sign * (a.score - b.score),
                "t": found.statistic,
                "p": found.p,
                "detectable": found.detectable(alpha / n_pairs),
            }
        )
    raised = holm([pair["p"] for pair in pairs])
    return [{**pair, "p holm": float(p), "differ": bool(p < alpha)} for pair, p in zip(pairs, raised, strict=True)]


def _dearest(cost: CostMatrix | UnitCost | None) -> float:
    """Return how far the costs of two predictions for a row may be apart; of numbers there is no limit to allow for."""
    return float(np.ptp(cost.matrix, axis=1).max()) if isinstance(cost, CostMatrix) else 0.0


def _opened(tables: Mapping[str, Any], asked: str, able: Task | None) -> Iterator[tuple[str, Rows]]:
    """Open one table after the other; what the first asks for, all must."""
    first: Task | None = None
    for name, given in tables.items():
        source = given if isinstance(given, tuple) else (given,)
        rows = Rows.of(*source, task=asked, able=able)
        first = first or rows.task
        if rows.task != first:
            raise InputError(
                "tables-of-several-tasks",
                "The tables ask for different tasks: {name!r} for {task}, those before it for {first}. Compare them "
                "separately, or set {option}.",
                name=name,
                task=rows.task,
                first=first,
                option=Option("task"),
            )
        yield name, rows


def _over_tables(
    tables: Iterator[tuple[str, Rows]],
    n_tables: int,
    learners: Learners | None,
    cost: CostLike | None,
    folds: int,
    alpha: float,
    seed: int,
    n_jobs: int | None,
    progress: ProgressOption,
) -> Comparison:
    """Scores by cross-validation on every table; ranks and their critical difference."""
    by_table: dict[str, dict[str, float]] = {}
    trials: dict[str, list[Trial]] = {}
    task: Task = "classification"
    scoring, sign = DEFAULT_SCORE[task], 1
    with reporting(progress) as report:
        for i, (name, rows) in enumerate(tables):
            report(i, n_tables, name)
            task = rows.task
            costs, rows = costs_and_rows(cost, rows)
            scoring, scorer = resolve_scorer(None, costs, task)
            sign = score_in_words(scoring, task)[1]
            settings: list[Any] = [(candidate, {}) for candidate in _candidates(learners, seed, task, costs)]
            parts = rows.folds(folds, SplitRules(seed=seed))
            found = list(run_trials(rows, parts, settings, scorer, n_jobs=n_jobs))
            by_table[name] = {trial.learner: sign * trial.score for trial in found}
            for trial in found:
                trials.setdefault(trial.learner, []).append(trial)
    failed = {
        name: next(t.error for t in found if t.error) for name, found in trials.items() if any(t.error for t in found)
    }
    scores = {name: [t.score for t in found] for name, found in trials.items() if name not in failed}
    ranks = friedman_nemenyi(scores, alpha=alpha) if len(scores) > 1 and len(by_table) > 1 else None
    reports = tuple(_mean_report(name, found, failed.get(name, ""), scoring) for name, found in trials.items())
    return Comparison(reports, ranks=ranks, by_table=by_table, alpha=alpha, task=task, scoring=scoring)


def _mean_report(name: str, trials: Sequence[Trial], error: str, scoring: str) -> LearnerReport:
    sign = score_in_words(scoring, trials[0].task)[1]
    scores = sign * np.array([trial.score for trial in trials])
    # Tables are independent of each other, as folds are not: there is nothing to correct.
    interval = corrected_interval(scores, n_train=1, n_test=0)
    train, fit, predict = (
        float(np.mean([getattr(trial, key) for trial in trials]))
        for key in ("train_score", "fit_seconds", "score_seconds")
    )
    what: dict[str, Any] = {"error": error, "task": trials[0].task, "scoring": scoring}
    return LearnerReport(name, scores, interval, sign * train, fit, predict, **what)
