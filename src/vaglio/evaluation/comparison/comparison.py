"""Learners compared on accuracy, speed, robustness, scalability and size, without choosing one."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import get_scorer

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
from vaglio.evaluation.metrics.intervals import Estimate, accuracy_of_folds
from vaglio.evaluation.metrics.scoring import DEFAULT_SCORE, score_in_words
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.evaluation.rows import Part, Rows
from vaglio.evaluation.selection.candidates import Candidate, resolve_learners, task_asked
from vaglio.evaluation.selection.folds import pooled
from vaglio.evaluation.selection.selection_result import division_note, fit_diagnosis
from vaglio.evaluation.selection.splits import SplitRules
from vaglio.evaluation.selection.trials import Trial, run_trials
from vaglio.evaluation.tasks import LONG_WORK, keeping_results
from vaglio.messages.listing import bullet_html, html_table, plain_data, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Option, join, text
from vaglio.model.base import size_words
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.runtime.progress import ProgressOption, reporting
from vaglio.typing import ColumnLike, Learners, TableSource

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "LearnerReport", "compare"]

# Robustness is measured on few folds: every one is trained again for each share of noise and missing values.
_ROBUSTNESS_FOLDS = 3
# Significant pairs that are named in the notes; all are in ``pairs``.
_MAX_PAIRS = 8


def measure_of(task: Task) -> str:
    """Return what learners are compared by: accuracy, or R² of predicted numbers."""
    return score_in_words(DEFAULT_SCORE[task], task)[0]


@dataclass(frozen=True)
class LearnerReport:
    """One learner on all requirements.

    Attributes
    ----------
    learner : str
    scores : ndarray
        Score per fold: accuracy, or R² of predicted numbers.
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
    evaluation : RegressionEvaluation or None
        Of predicted numbers, all measures over the folds.
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
    evaluation: RegressionEvaluation | None = field(default=None, repr=False)

    @property
    def diagnosis(self) -> Message:
        """Over- or underfitting, in a sentence."""
        if self.error:
            return text("Failed: {error}", error=self.error)
        reach = (self.score.high - self.score.low) / 2
        uncertainty = reach if reach == reach else 0.0
        return fit_diagnosis(self.train_score, self.score.value, uncertainty=uncertainty, task=self.task)

    def to_row(self) -> dict[str, Any]:
        """Return the report as one row of a table."""
        row: dict[str, Any] = {
            text("learner"): self.learner,
            measure_of(self.task): self.score.value,
            text("low"): self.score.low,
            text("high"): self.score.high,
            text("training"): self.train_score,
        }
        if self.evaluation is not None:
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
        Corrected paired test of every pair on one table: difference, p, p after Holm's correction, whether they differ
        significantly, and the difference that the test finds on four of five tables like this ("detectable").
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
            lines += [
                text(
                    "{a} and {b} differ significantly, by {difference:+.3f} (p = {p:.3g}).",
                    a=p["a"],
                    b=p["b"],
                    difference=p["difference"],
                    p=p["p holm"],
                )
                for p in real[:_MAX_PAIRS]
            ]
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
            text("{learner}: {diagnosis}", learner=r.learner, diagnosis=r.diagnosis)
            for r in self.reports
            if r.error or r.diagnosis.code == "overfitting"
        ]
        return lines

    def _power(self) -> list[Message]:
        """What the test could find and what the intervals are about, on one table."""
        if not self.pairs:
            return []
        typical = float(np.median([pair["detectable"] for pair in self.pairs]))
        told = {
            "n": self.n_rows,
            "points": typical,
            "half": typical / 2,
            # Errors shrink with the root of the rows.
            "rows": round(4 * self.n_rows, 2 - len(str(4 * self.n_rows))),
        }
        if self.task == "regression":
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
        """Return one row per learner, most accurate first."""
        working = sorted((r for r in self.reports if not r.error), key=lambda r: -r.score.value)
        rows = [report.to_row() for report in working]
        if self.ranks is not None:
            place = dict(zip(self.ranks.names, self.ranks.mean_ranks.tolist(), strict=True))
            rows = [{text("learner"): row["learner"], text("mean rank"): place[row["learner"]], **row} for row in rows]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        data: dict[str, Any] = plain_data(
            {
                "task": self.task,
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
        working = [report for report in self.reports if not report.error]
        rows = [(r.learner, r.score.value, r.score.low, r.score.high) for r in working]
        return draw_intervals(ax, rows, xlabel=measure_of(self.task), locale=locale)

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
        return "\n\n".join(
            (locale.text(self._title()), table, "\n".join(f"- {locale.text(line)}" for line in self.notes()))
        )

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the same as a fragment of HTML.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        table = html_table(self.to_rows(), caption=self._title(), locale=locale)
        return table + bullet_html(self.notes(), locale=locale)

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
    """Compare learners: accuracy (or R² of predicted numbers), speed, robustness, scalability, size.

    Parameters
    ----------
    table, target : table (or its file) and name of its target column, or X and the labels or numbers
        Rows of a scanned table or a Dask frame stay where they are; folds are then made by the hash of the row number.
        A mapping of names to tables (with their targets, or to (table, target) pairs) compares over several tables.
    learners : ids, estimators, or a mapping of names to either
        Trained without calibration, which changes no class; the times do not include it.
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
        return _over_tables(opened, len(table), learners, folds, alpha, seed, n_jobs, progress)
    start = time.perf_counter()
    rows = Rows.of(table, target, task=asked, able=able)
    on_disk = isinstance(table, (str, os.PathLike))
    read_seconds = time.perf_counter() - start if on_disk else None
    candidates, scorer = _candidates(learners, seed, rows.task), get_scorer(DEFAULT_SCORE[rows.task])
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
        keep = rows.task == "regression"
        going = run_trials(rows, parts, settings, scorer, n_jobs=n_jobs, by_row=True, keep=keep)
        trials = []
        for i, candidate in enumerate(candidates):
            report(i, 2 * len(candidates), candidate.name)
            trials.append(next(going))
        reports = [_report(trial, *sizes_of_fold) for trial in trials]
        started = time.perf_counter() - began > LONG_WORK
        slowest_first = sorted(
            (i for i, base in enumerate(reports) if not base.error), key=lambda i: -reports[i].fit_seconds
        )
        more = wanted.run([candidates[i] for i in slowest_first], n_jobs=n_jobs, long=started)
        for done, i in enumerate(slowest_first, start=2 * len(candidates) - len(slowest_first)):
            report(done, 2 * len(candidates), candidates[i].name)
            reports[i] = replace(reports[i], **vars(next(more)))
    # Repetitions test every row again.
    tested = np.concatenate([rows.positions(test) for _, test in parts]) if repeats > 1 else None
    pairs = tuple(_paired(trials, *sizes_of_fold, alpha, tested))
    return Comparison(
        tuple(reports),
        pairs,
        alpha=alpha,
        n_rows=len(rows),
        read_seconds=read_seconds,
        rows=rows.describe(rules),
        task=rows.task,
    )


def _candidates(learners: Learners | None, seed: int, task: Task) -> list[Candidate]:
    return [candidate.for_classes() for candidate in resolve_learners(learners, seed=seed, task=task)]


def _mean_sizes(rows: Rows, parts: Sequence[tuple[Part, Part]]) -> tuple[float, float]:
    """Return the mean numbers of training and test rows of a fold."""
    n_train, n_test = (float(np.mean([rows.count(fold[k]) for fold in parts])) for k in (0, 1))
    return n_train, n_test


def _report(trial: Trial, n_train: float, n_test: float) -> LearnerReport:
    unknown = Estimate(float("nan"), float("nan"), float("nan"))
    if trial.error:
        return LearnerReport(
            trial.learner, trial.scores, unknown, *(float("nan"),) * 3, error=trial.error, task=trial.task
        )
    evaluation = None
    if trial.task == "regression":
        evaluation = replace(pooled(trial.found, task=trial.task, cost=None), test_ratio=n_test / n_train)
        score = evaluation.estimate("r2") or unknown
    else:
        score = accuracy_of_folds(trial.scores, n_train=n_train, n_test=n_test)
    times = trial.train_score, trial.fit_seconds, trial.score_seconds
    return LearnerReport(trial.learner, trial.scores, score, *times, task=trial.task, evaluation=evaluation)


def _paired(
    trials: Sequence[Trial], n_train: float, n_test: float, alpha: float, rows: np.ndarray | None
) -> list[dict[str, Any]]:
    working = [trial for trial in trials if not trial.error]
    n_pairs = math.comb(len(working), 2)
    pairs: list[dict[str, Any]] = []
    for a, b in itertools.combinations(working, 2):
        found = Contrast.of_trials(a, b, n_train=n_train, n_test=n_test, rows=rows)
        pairs.append(
            {
                "a": a.learner,
                "b": b.learner,
                "difference": a.score - b.score,
                "t": found.statistic,
                "p": found.p,
                "detectable": found.detectable(alpha / n_pairs),
            }
        )
    raised = holm([pair["p"] for pair in pairs])
    return [{**pair, "p holm": float(p), "differ": bool(p < alpha)} for pair, p in zip(pairs, raised, strict=True)]


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
    with reporting(progress) as report:
        for i, (name, rows) in enumerate(tables):
            report(i, n_tables, name)
            task = rows.task
            settings: list[Any] = [(candidate, {}) for candidate in _candidates(learners, seed, task)]
            parts = rows.folds(folds, SplitRules(seed=seed))
            found = list(run_trials(rows, parts, settings, get_scorer(DEFAULT_SCORE[task]), n_jobs=n_jobs))
            by_table[name] = {trial.learner: trial.score for trial in found}
            for trial in found:
                trials.setdefault(trial.learner, []).append(trial)
    failed = {
        name: next(t.error for t in found if t.error) for name, found in trials.items() if any(t.error for t in found)
    }
    scores = {name: [t.score for t in found] for name, found in trials.items() if name not in failed}
    ranks = friedman_nemenyi(scores, alpha=alpha) if len(scores) > 1 and len(by_table) > 1 else None
    reports = tuple(_mean_report(name, found, failed.get(name, "")) for name, found in trials.items())
    return Comparison(reports, ranks=ranks, by_table=by_table, alpha=alpha, task=task)


def _mean_report(name: str, trials: Sequence[Trial], error: str) -> LearnerReport:
    scores = np.array([trial.score for trial in trials])
    # Tables are independent of each other, as folds are not: there is nothing to correct.
    interval = corrected_interval(scores, n_train=1, n_test=0)
    train, fit, predict = (
        float(np.mean([getattr(trial, key) for trial in trials]))
        for key in ("train_score", "fit_seconds", "score_seconds")
    )
    return LearnerReport(name, scores, interval, train, fit, predict, error=error, task=trials[0].task)
