"""Chapter 2: the learners that were compared, their scores with intervals, and which differences are significant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.evaluation import Estimate, Selection, nadeau_bengio, wilson_interval
from vaglio.evaluation.comparison.significance import corrected_interval, holm
from vaglio.evaluation.selection.race import LEVEL
from vaglio.evaluation.selection.trials import Trial
from vaglio.learners.registry import LEARNERS
from vaglio.messages.figures import figure, percent
from vaglio.messages.sentences import clip, listed, plural
from vaglio.report.limits import Limits
from vaglio.study import Study

__all__ = ["learners_chapter", "params_text"]

# Significance level of every test here, the usual one.
_ALPHA = 0.05


def learners_chapter(study: Study, limits: Limits) -> dict[str, Any]:
    """Everything the chapter says, as plain data."""
    selection = study.selection
    best = _best_trials(selection)
    versus = _against_winner(selection, best)
    rows = [_row(selection, trial, versus.get(trial.learner)) for trial in best[: limits.learners]]
    return {
        "lead": _lead(selection, best, versus),
        "score": _score_name(selection),
        "how": _how(selection),
        "accuracy": selection.scoring == "accuracy",
        "scale": _scale(rows, _baseline(study)),
        "baseline": _baseline(study),
        "rows": rows,
        "left_out": max(0, len(best) - limits.learners),
        "failures": [
            {"learner": clip(trial.learner, 40), "error": clip(trial.error, 240)}
            for trial in _failed(selection)[: limits.learners]
        ],
        "settings": _settings(selection, limits),
        "n_settings": len(selection.trials),
        "outer": [_outer_row(i, fold) for i, fold in enumerate(selection.outer[: limits.settings], start=1)],
        "n_outer": len(selection.outer),
        "notes": _notes(selection),
    }


def params_text(trial: Trial) -> str:
    """Parameters as name=value."""
    return clip(trial.setting, 120) or "defaults"


def _best_trials(selection: Selection) -> list[Trial]:
    """The best setting of each learner, best first; failures left out."""
    best: dict[str, Trial] = {}
    for trial in selection.trials:
        if trial.error or not math.isfinite(trial.score):
            continue
        if trial.learner not in best or trial.rank > best[trial.learner].rank:
            best[trial.learner] = trial
    return sorted(best.values(), key=lambda trial: trial.rank, reverse=True)


def _failed(selection: Selection) -> list[Trial]:
    """One failure per learner of which every setting failed."""
    sound = {trial.learner for trial in selection.trials if not trial.error}
    return list({trial.learner: trial for trial in selection.failures if trial.learner not in sound}.values())


def _fold_sizes(selection: Selection) -> tuple[float, float]:
    n_test = selection.n_train / len(selection.best.scores)
    return selection.n_train - n_test, n_test


def _estimate(selection: Selection, trial: Trial) -> Estimate:
    """The score with its interval: over folds if there are several, else from the number of test rows."""
    n_train, n_test = _fold_sizes(selection)
    if len(trial.scores) > 1:
        estimate = corrected_interval(trial.scores, n_train=n_train, n_test=n_test)
        if selection.scoring != "accuracy":
            return estimate
        # Folds may agree by chance: the interval is never narrower than the number of rows allows.
        n = n_test * len(trial.scores)
        rows = wilson_interval(estimate.value * n, n)
        return replace(estimate, low=min(estimate.low, rows.low), high=max(estimate.high, rows.high))
    if selection.scoring == "accuracy" and selection.strategy.chosen_on_test:
        n = selection.evaluation.n_rows
        return wilson_interval(trial.score * n, n)
    if selection.scoring == "accuracy" and trial.behind is not None:
        return wilson_interval(trial.score * n_test, n_test)
    return Estimate(trial.score, float("nan"), float("nan"))


def _against_winner(selection: Selection, best: Sequence[Trial]) -> dict[str, float]:
    """Corrected p of each learner with all folds against the best, after Holm; empty when there is one fold only."""
    others = [trial for trial in best[1:] if trial.behind is None]
    if not others or len(best[0].scores) < 2:
        return {}
    n_train, n_test = _fold_sizes(selection)
    shares = selection.scoring == "accuracy"
    p = [
        nadeau_bengio(best[0].scores, other.scores, n_train=n_train, n_test=n_test, shares=shares)[1]
        for other in others
    ]
    return dict(zip((trial.learner for trial in others), holm(p).tolist(), strict=True))


def _row(selection: Selection, trial: Trial, p: float | None) -> dict[str, Any]:
    estimate = _estimate(selection, trial)
    entry = LEARNERS.get(trial.learner)
    winner = trial.learner == selection.best.learner
    return {
        "learner": clip(trial.learner, 40),
        "help": entry.help if entry else "",
        "params": params_text(trial),
        "winner": winner,
        "score": trial.score,
        "low": estimate.low if math.isfinite(estimate.low) else None,
        "high": estimate.high if math.isfinite(estimate.high) else None,
        "text": _score_text(selection, trial.score),
        "interval": _interval_text(selection, estimate),
        "training": _score_text(selection, trial.train_score),
        "p": p if trial.behind is None else trial.behind,
        "verdict": "chosen" if winner else _verdict(p) if trial.behind is None else _stopped(selection, trial),
        "seconds": _seconds(trial.fit_seconds),
    }


def _verdict(p: float | None) -> str:
    if p is None:
        return "not tested"
    return "significantly different" if p < _ALPHA else "no significant difference"


def _stopped(selection: Selection, trial: Trial) -> str:
    return f"clearly behind after {len(trial.scores)} of {len(selection.best.scores)} folds, not continued"


def _seconds(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def _score_text(selection: Selection, value: float) -> str:
    if selection.scoring == "accuracy":
        return percent(value, selection.n_train)
    return figure(-value if selection.cost is not None else value)


def _interval_text(selection: Selection, estimate: Estimate) -> str:
    if not math.isfinite(estimate.low):
        return "not known"
    ends = (_score_text(selection, value) for value in (estimate.low, estimate.high))
    return " to ".join(ends if selection.cost is None else reversed(tuple(ends)))


def _score_name(selection: Selection) -> str:
    return "cost per row" if selection.cost is not None else selection.scoring


def _how(selection: Selection) -> str:
    k = len(selection.best.scores)
    rows = f"{selection.n_train:,} rows"
    if k > 1:
        return f"mean over {k} folds of {rows}; interval and test corrected for overlapping training sets"
    if selection.strategy.name == "zero":
        return f"on the {rows} of the training"
    if selection.strategy.chosen_on_test:
        return f"on {selection.evaluation.n_rows:,} test rows, which also choose the learner"
    return "on one validation set, so no interval can be given"


def _baseline(study: Study) -> float | None:
    """Accuracy of always predicting the most frequent class."""
    if study.selection.scoring != "accuracy":
        return None
    support = study.evaluation.rates.support
    return float(support.max() / support.sum())


def _scale(rows: list[dict[str, Any]], baseline: float | None) -> list[float]:
    """Ends of the axis of the picture, with a margin on both sides."""
    values = [v for row in rows for v in (row["score"], row["low"], row["high"]) if v is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if baseline is not None:
        low = min(low, baseline)
    room = max(0.04 * (high - low), 0.005 * max(abs(low), abs(high)), 1e-9)
    return [low - room, high + room]


def _lead(selection: Selection, best: Sequence[Trial], versus: dict[str, float]) -> list[str]:
    winner = clip(selection.best.learner, 40)
    score = _score_text(selection, selection.best.score)
    measure = {"accuracy": f"accuracy {score}"}.get(selection.scoring, f"{_score_name(selection)} {score}")
    if len(best) == 1:
        said = [f"One learner was evaluated, {winner}: {measure} ({_how(selection)})."]
    else:
        own = selection.best
        tied = [trial.learner for trial in best if trial.learner != own.learner and trial.score == own.score]
        beside = f", the same as {listed(tied)}, and comes first in the list" if tied else ""
        said = [f"Of {len(best)} learners, {winner} has the best score{beside}: {measure} ({_how(selection)})."]
    equal = [name for name, p in versus.items() if p >= _ALPHA]
    worse = [name for name, p in versus.items() if p < _ALPHA]
    if equal:
        said.append(f"No significant difference from {winner}: {listed(equal)}.")
    if worse:
        said.append(f"Significantly different from {winner}: {listed(worse)}.")
    stopped = [trial.learner for trial in best if trial.behind is not None]
    if stopped:
        said.append(
            f"Clearly behind before the last fold, and not tried on the others: {listed(stopped)} (McNemar's test "
            f"against the best on the same rows, p < {LEVEL} for all of them together). Their scores are those of "
            "the folds they were tried on."
        )
    readable = [name for name in equal if _is_readable(name)]
    if readable and not _is_readable(winner):
        said.append(f"If people must be able to read and check the model, {readable[0]} may be the better choice.")
    if len(best) > 1 and not versus and not stopped:
        said.append("Each learner was measured once, so the differences cannot be tested for significance.")
    return said


def _is_readable(learner: str) -> bool:
    """Whether a person can read the models of this learner; one of another library is not known to be readable."""
    return learner in LEARNERS and LEARNERS[learner].is_readable


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


def _outer_row(i: int, fold: Any) -> dict[str, str]:
    return {
        "fold": str(i),
        "learner": clip(fold.choice.learner, 40),
        "params": params_text(fold.choice),
        "rows": f"{len(fold.rows):,}",
        "accuracy": percent(float(np.mean(fold.true == fold.predicted)), len(fold.rows)),
    }


def _notes(selection: Selection) -> list[str]:
    said = []
    if selection.strategy.chosen_on_test and len({t.learner for t in selection.trials if not t.error}) > 1:
        said.append("The test rows also chose the learner, so the score of the chosen learner is likely too high.")
    if selection.outer:
        said.append(_repeated(selection))
    if selection.out_of_time:
        said.append("The time budget ended the search early.")
    if selection.interrupted:
        said.append("The search was interrupted: this is the best of the finished trials.")
    return said


def _repeated(selection: Selection) -> str:
    """How often the same learner was chosen when the selection was repeated."""
    chosen = selection.best.learner
    others = sorted({fold.choice.learner for fold in selection.outer} - {chosen})
    again = sum(fold.choice.learner == chosen for fold in selection.outer)
    winner = clip(chosen, 40)
    repeated = f"The whole selection was repeated in {plural(len(selection.outer), 'outer fold')}"
    if not others:
        return f"{repeated}: {winner} was chosen every time."
    if not again:
        return f"{repeated}: {listed(others)} was chosen there and {winner} never, so the learners are close."
    return f"{repeated}: {winner} was chosen in {again} of them, {listed(others)} in the others."
