"""Chapter 2: the learners that were compared, their scores with intervals, and which differences are significant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.evaluation import Estimate, Selection, nadeau_bengio, wilson_interval
from vaglio.evaluation.comparison.significance import Contrast, corrected_interval
from vaglio.evaluation.metrics.intervals import accuracy_of_folds
from vaglio.evaluation.selection.race import LEVEL, chances_together
from vaglio.evaluation.selection.selection_result import RACE_TESTS
from vaglio.evaluation.selection.trials import Trial
from vaglio.learners.registry import learners_of
from vaglio.messages.figures import count, figure, percent
from vaglio.messages.message import text
from vaglio.messages.sentences import clip, listed
from vaglio.model.families import Task
from vaglio.report.limits import Limits
from vaglio.study import Study

__all__ = ["learners_chapter", "params_text"]

# Significance level of every test here, the usual one.
_ALPHA = 0.05


def learners_chapter(study: Study, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    selection = study.selection
    # The best setting of each learner, best first; failures left out.
    by_learner: dict[str, Trial] = {}
    for trial in selection.trials:
        if trial.error or not math.isfinite(trial.score):
            continue
        if trial.learner not in by_learner or trial.rank > by_learner[trial.learner].rank:
            by_learner[trial.learner] = trial
    best = sorted(by_learner.values(), key=lambda trial: trial.rank, reverse=True)
    versus = _against_winner(selection, best)
    rows = [_row(selection, trial, versus.get(trial.learner)) for trial in best[: limits.learners]]
    # One failure per learner of which every setting failed.
    sound = {trial.learner for trial in selection.trials if not trial.error}
    failed = {trial.learner: trial for trial in selection.failures if trial.learner not in sound}
    # Ends of the axis of the picture, with a margin on both sides.
    baseline = _baseline(study)
    values = [v for row in rows for v in (row["score"], row["low"], row["high"]) if v is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if baseline is not None:
        low = min(low, baseline)
    room = max(0.04 * (high - low), 0.005 * max(abs(low), abs(high)), 1e-9)
    return {
        "lead": _lead(selection, best, versus),
        "score": _score_name(selection),
        "how": _how(selection),
        "accuracy": selection.scoring == "accuracy",
        "scale": [low - room, high + room],
        "baseline": baseline,
        "rows": rows,
        "left_out": max(0, len(best) - limits.learners),
        "failures": [
            {"learner": clip(trial.learner, 40), "error": clip(trial.error, 240)}
            for trial in list(failed.values())[: limits.learners]
        ],
        "settings": _settings(selection, limits),
        "n_settings": len(selection.trials),
        "outer": [
            {
                "fold": str(i),
                "learner": clip(fold.choice.learner, 40),
                "params": params_text(fold.choice),
                "rows": count(len(fold.rows)),
                "accuracy": figure(float(np.sqrt(np.mean(np.square(fold.predicted - fold.true)))))
                if selection.task == "regression"
                else percent(float(np.mean(fold.true == fold.predicted)), len(fold.rows)),
            }
            for i, fold in enumerate(selection.outer[: limits.settings], start=1)
        ],
        "n_outer": len(selection.outer),
        "of_folds": text("RMSE") if selection.task == "regression" else text("accuracy"),
        "notes": _notes(selection),
    }


def params_text(trial: Trial) -> str:
    """Parameters as name=value."""
    return clip(trial.setting, 120) or text("defaults")


def _fold_sizes(selection: Selection) -> tuple[float, float]:
    n_test = selection.n_train / len(selection.best.scores)
    return selection.n_train - n_test, n_test


def _estimate(selection: Selection, trial: Trial) -> Estimate:
    """The score with its interval: over folds if there are several, else from the number of test rows."""
    n_train, n_test = _fold_sizes(selection)
    if len(trial.scores) > 1:
        of_folds = accuracy_of_folds if selection.scoring == "accuracy" else corrected_interval
        found = of_folds(trial.scores, n_train=n_train, n_test=n_test)
        # No R² is above 1.
        return replace(found, high=min(found.high, 1.0)) if selection.scoring == "r2" else found
    if selection.scoring == "accuracy" and selection.strategy.chosen_on_test:
        n = selection.evaluation.n_rows
        return wilson_interval(trial.score * n, n)
    if selection.scoring == "accuracy" and trial.behind is not None:
        return wilson_interval(trial.score * n_test, n_test)
    return Estimate(trial.score, float("nan"), float("nan"))


def _against_winner(selection: Selection, best: Sequence[Trial]) -> dict[str, float]:
    """Corrected p of each learner with all folds against the best; empty when there is one fold only.

    The best is not named beforehand, so that the level is kept for all pairs, as in a race.
    """
    others = [trial for trial in best[1:] if trial.behind is None]
    if not others or len(best[0].scores) < 2:
        return {}
    n_train, n_test = _fold_sizes(selection)
    chances = {i: _chance(selection, best[0], other, n_train, n_test) for i, other in enumerate(others)}
    together = chances_together(chances)
    return {other.learner: together[i] for i, other in enumerate(others)}


def _chance(selection: Selection, best: Trial, other: Trial, n_train: float, n_test: float) -> float:
    accuracy = selection.scoring == "accuracy"
    if accuracy and best.row_scores is not None and other.row_scores is not None:
        return Contrast.of_trials(best, other, n_train=n_train, n_test=n_test).p
    return nadeau_bengio(best.scores, other.scores, n_train=n_train, n_test=n_test, shares=accuracy)[1]


def _row(selection: Selection, trial: Trial, p: float | None) -> dict[str, Any]:
    estimate = _estimate(selection, trial)
    entry = learners_of(selection.task).get(trial.learner)
    winner = trial.learner == selection.best.learner
    return {
        "learner": clip(trial.learner, 40),
        "help": text(entry.help) if entry else "",
        "params": params_text(trial),
        "winner": winner,
        "score": trial.score,
        "low": estimate.low if math.isfinite(estimate.low) else None,
        "high": estimate.high if math.isfinite(estimate.high) else None,
        "text": _score_text(selection, trial.score),
        "interval": _interval_text(selection, estimate),
        "training": _score_text(selection, trial.train_score),
        "p": p if trial.behind is None else trial.behind,
        "verdict": text("chosen") if winner else _verdict(selection, trial, p),
        "seconds": _seconds(trial.fit_seconds),
    }


def _verdict(selection: Selection, trial: Trial, p: float | None) -> str:
    if trial.behind is not None:
        return text(
            "clearly behind after {n} of {total} folds, not continued",
            n=len(trial.scores),
            total=len(selection.best.scores),
        )
    if p is None:
        return text("not tested")
    return text("significant difference") if p < _ALPHA else text("no significant difference")


def _seconds(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return text("{n:.0f} ms", n=1000 * value) if value < 1 else text("{n:.1f} s", n=value)


def _score_text(selection: Selection, value: float) -> str:
    if selection.scoring == "accuracy":
        return percent(value, selection.n_train)
    return figure(selection.sign * value)


def _interval_text(selection: Selection, estimate: Estimate) -> str:
    if not math.isfinite(estimate.low):
        return text("not known")
    ends = [_score_text(selection, value) for value in (estimate.low, estimate.high)]
    # A low score is a high cost.
    low, high = ends if selection.sign > 0 else reversed(ends)
    return text("{low} to {high}", low=low, high=high)


def _score_name(selection: Selection) -> str:
    if selection.cost is not None:
        return text("cost per row")
    return selection.measure


def _how(selection: Selection) -> str:
    k = len(selection.best.scores)
    n = selection.n_train
    if k > 1:
        return text(
            "mean over {k} folds of {n:,} rows; interval and test corrected for overlapping training sets", k=k, n=n
        )
    if selection.strategy.name == "zero":
        return text("on the {n:,} training rows", n=n)
    if selection.strategy.chosen_on_test:
        return text("on {n:,} test rows, which also choose the learner", n=selection.evaluation.n_rows)
    return text("on one validation set, so there is no interval")


def _baseline(study: Study) -> float | None:
    """Accuracy of always predicting the most frequent class; R² of always predicting the mean."""
    if study.selection.scoring == "r2":
        return 0.0
    if study.selection.scoring != "accuracy":
        return None
    support = study.evaluation.rates.support
    return float(support.max() / support.sum())


def _lead(selection: Selection, best: Sequence[Trial], versus: dict[str, float]) -> list[str]:
    winner = clip(selection.best.learner, 40)
    score = _score_text(selection, selection.best.score)
    told: dict[str, Any] = {
        "learner": winner,
        "measure": _score_name(selection),
        "score": score,
        "how": _how(selection),
    }
    said: list[str]
    if len(best) == 1:
        said = [text("One learner was evaluated, {learner}: {measure} {score} ({how}).", **told)]
    else:
        own = selection.best
        tied = [trial.learner for trial in best if trial.learner != own.learner and trial.score == own.score]
        told["n"] = len(best)
        said = [
            text("Of {n} learners, {learner} has the best score: {measure} {score} ({how}).", **told)
            if not tied
            else text(
                "Of {n} learners, {learner} has the best score, tied with {tied}, and comes first in the list: "
                "{measure} "
                "{score} ({how}).",
                **told,
                tied=listed(tied),
            )
        ]
    equal = [name for name, p in versus.items() if p >= _ALPHA]
    worse = [name for name, p in versus.items() if p < _ALPHA]
    if equal:
        said.append(text("Not significantly different from {learner}: {names}.", learner=winner, names=listed(equal)))
    if worse:
        said.append(text("Significantly different from {learner}: {names}.", learner=winner, names=listed(worse)))
    stopped = [trial.learner for trial in best if trial.behind is not None]
    if stopped:
        said.append(
            text(
                "Clearly behind before the last fold and not tried on the others: {names} ({test} against the best on "
                "the same rows, p < {level} for all of them together after each fold). Their scores come from the "
                "folds they were tried on.",
                names=listed(stopped),
                test=RACE_TESTS[selection.task],
                level=LEVEL,
            )
        )
    readable = [name for name in equal if _is_readable(name, selection.task)]
    if readable and not _is_readable(winner, selection.task):
        said.append(
            text(
                "If the model must be interpretable, choose {learner}: the difference is not significant.",
                learner=readable[0],
            )
        )
    if len(best) > 1 and not versus and not stopped:
        said.append(text("Each learner was measured once, so the differences cannot be tested for significance."))
    return said


def _is_readable(learner: str, task: Task) -> bool:
    """Whether a person can read the models of this learner; one of another library is not known to be readable."""
    known = learners_of(task)
    return learner in known and known[learner].is_readable


def _settings(selection: Selection, limits: Limits) -> list[dict[str, str]]:
    """The best settings, if parameters were searched."""
    if len({trial.learner for trial in selection.trials}) == len(selection.trials):
        return []
    sound = sorted((t for t in selection.trials if not t.error), key=lambda t: t.rank, reverse=True)
    return [
        {
            "learner": clip(trial.learner, 40),
            "params": params_text(trial),
            "score": _score_text(selection, trial.score),
            "training": _score_text(selection, trial.train_score),
        }
        for trial in sound[: limits.settings]
    ]


def _notes(selection: Selection) -> list[str]:
    said: list[str] = []
    if selection.strategy.chosen_on_test and len({t.learner for t in selection.trials if not t.error}) > 1:
        said.append(
            text("The learner was chosen on the test rows, so the score of the chosen learner is likely too high.")
        )
    if selection.outer:
        said.append(_repeated(selection))
    if selection.out_of_time:
        said.append(text("The time budget ended the search early."))
    if selection.interrupted:
        said.insert(0, text("The search was interrupted: this is the best of the finished trials."))
    return said


def _repeated(selection: Selection) -> str:
    """How often the same learner was chosen when the selection was repeated."""
    chosen = selection.best.learner
    others = sorted({fold.choice.learner for fold in selection.outer} - {chosen})
    again = sum(fold.choice.learner == chosen for fold in selection.outer)
    winner = clip(chosen, 40)
    told = {"n": len(selection.outer), "learner": winner, "others": listed(others), "again": again}
    if not others:
        return text("The whole selection was repeated in {n} outer folds: {learner} was chosen every time.", **told)
    if not again:
        return text(
            "The whole selection was repeated in {n} outer folds: {others} was chosen there and {learner} never, "
            "so the "
            "learners are close.",
            **told,
        )
    return text(
        "The whole selection was repeated in {n} outer folds: {learner} was chosen in {again} of them, {others} in the "
        "others.",
        **told,
    )
