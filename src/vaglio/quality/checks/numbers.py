"""Checks of a numeric target: its distribution, doubtful values, columns that give it away, rows that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.learners.forest.estimators.random_forest import RandomForestRegressor
from vaglio.messages.figures import quantity
from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import listed
from vaglio.quality.association import explained_by_groups, rank_correlation
from vaglio.quality.checks.context import Context, Finding, listed_rows, sample_note
from vaglio.quality.checks.outliers import outlier_mask
from vaglio.quality.profile import Profile, far_values, sample_rows, value_codes

__all__ = ["leaks_of_numbers", "misfits_of_numbers", "target_distribution", "target_outliers"]

# Fewer rows show no shape, no leak and no misfit that chance would not.
_FEWEST_ROWS = 30
# The largest or smallest value in more than this share of the rows looks like the end of a scale.
_AT_THE_END = 0.03
# From this ratio of the distances of the 95th and of the 5th percentile from the median on, a tail is long.
_LONG_TAIL = 4.0
# A share of zeros among numbers of which none is below.
_ZEROS = 0.2
# Honest columns seldom explain this share of the variance alone; nor does the mere fact that a value is missing.
_SUSPECT, _SUSPECT_ABSENCE = 0.98, 0.9
# A column of the same order as the target is the target in another unit.
_SAME_ORDER = 0.995
# Chance gives a column that is no leak away less often than this.
_SIGNIFICANT = 0.001
# As for classes: bins that show a curve, and the rows and trees of a forest.
_BINS = 64
_MOST_ROWS, _TREES, _LEAF = 5000, 50, 5


def target_distribution(context: Context) -> Iterator[Finding]:
    """Find a target that hardly varies, that ends at a limit of its scale, has many zeros or a long tail."""
    if context.numbers is None or context.target is None:
        return
    values = np.sort(context.numbers[~np.isnan(context.numbers)])
    if values[0] == values[-1]:
        message = Message(
            "one-number-in-target",
            "The target {target!r} is always {value:.6g}.",
            target=context.target,
            value=float(values[0]),
        )
        yield Finding("constant-target", "high", message, text("There is nothing to predict."), (context.target,))
        return
    if len(values) < _FEWEST_ROWS:
        return
    zeros = float(np.mean(values == 0))
    if values[0] == 0 and zeros >= _ZEROS:
        yield _about_target(
            context,
            "many-zeros",
            Message(
                "many-zeros",
                "The target {target!r} is zero in {share:.0%} of the rows.",
                target=context.target,
                share=zeros,
            ),
            text("Consider two models: one for whether it is zero, one for how large it is."),
            int(np.sum(values == 0)),
        )
    else:
        yield from _ends(context, values)
    yield from _long_tail(context, values)


def _about_target(context: Context, kind: str, message: Message, advice: Message, n_rows: int = 0) -> Finding:
    return Finding(kind, "low", message, advice, (str(context.target),), n_rows=n_rows)


def _ends(context: Context, values: np.ndarray) -> Iterator[Finding]:
    """Find values that stand for all beyond them: the end of a scale recurs, and its neighbours do not."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < _FEWEST_ROWS:
        return
    usual = float(np.median(counts))
    for at, template in ((-1, "largest"), (0, "smallest")):
        n, value = int(counts[at]), float(distinct[at])
        if n < _AT_THE_END * len(values) or n < 5 * usual:
            continue
        told = {"target": context.target, "n": n, "value": value}
        message = (
            Message("cut-off-above", "The target {target!r} is {value:.6g}, its largest value, in {n:,} rows.", **told)
            if template == "largest"
            else Message(
                "cut-off-below", "The target {target!r} is {value:.6g}, its smallest value, in {n:,} rows.", **told
            )
        )
        advice = text(
            "If the scale ends there, the true values lie beyond it. No model can learn them from these rows."
        )
        yield _about_target(context, "cut-off-target", message, advice, n)


def _long_tail(context: Context, values: np.ndarray) -> Iterator[Finding]:
    low, median, high = np.quantile(values, [0.05, 0.5, 0.95])
    below, above = float(median - low), float(high - median)
    if not max(below, above) >= _LONG_TAIL * min(below, above) or len(np.unique(values)) < _FEWEST_ROWS:
        return
    message = Message(
        "long-tail",
        "The target {target!r} is skewed: median {median:.4g}, mean {mean:.4g}, from {low:.4g} to {high:.4g} in nine "
        "of ten rows.",
        target=context.target,
        median=float(median),
        mean=float(values.mean()),
        low=float(low),
        high=float(high),
    )
    advice = text(
        "Squared errors are mostly those of the long tail. Look at the median absolute error too, or minimize it "
        "({option}).",
        option=Option("loss", "absolute_error", flag="--set loss=absolute_error"),
    )
    yield _about_target(context, "skewed-target", message, advice)


def target_outliers(context: Context) -> Iterator[Finding]:
    """Find values of the target that are far from all others, as the shape of the others does not explain."""
    if context.numbers is None or context.target is None:
        return
    profile: Profile = context.profiles[context.target]
    if not profile.n_far or profile.fences is None:
        return
    column = context.columns[context.target]
    ends = [*map(quantity, profile.far), *[""] * (profile.n_far - len(profile.far))]
    rows = np.flatnonzero(outlier_mask(column, profile))
    rows = rows[np.argsort(-np.abs(column.data[rows] - np.nanmedian(column.data)), kind="stable")][: profile.n_far]
    yield Finding(
        "target-outliers",
        "medium",
        Message(
            "target-outliers",
            "The target {target!r}: {n:,} {n:value is|values are} far from all others ({ends}), in {n:row|rows} "
            "{rows}.",
            target=context.target,
            n=profile.n_far,
            ends=listed(ends, len(profile.far)),
            rows=listed((rows + 1).tolist(), 8),  # counted from 1, as an editor counts
        ),
        text("Check them: a single wrong value can decide the squared error of a whole table."),
        (context.target,),
        listed_rows(np.sort(rows)),
        profile.n_far,
        {"extremes": list(profile.far)},
    )


def leaks_of_numbers(context: Context) -> Iterator[Finding]:
    """Find columns that alone determine the target, or are filled in only for some of its values."""
    if context.numbers is None:
        return
    rows = context.sample[~np.isnan(context.numbers[context.sample])]
    y = context.numbers[rows]
    if len(rows) < _FEWEST_ROWS or not np.ptp(y) > 0:
        return
    for name in context.inputs:
        if name in context.identifiers:
            continue
        column = context.columns[name].take(rows)
        missing = column.missing
        if 0.02 <= missing.mean() <= 0.98:
            share, p = explained_by_groups(missing.astype(np.int64), y)
            if share >= _SUSPECT_ABSENCE and p < _SIGNIFICANT:
                message = Message(
                    "leaking-absence-of-numbers",
                    "Whether column {column!r} is missing explains {share:.1%} of the variance of the target{sampled}.",
                    column=name,
                    share=share,
                    sampled=context.sampled,
                )
                advice = text("If it is filled in only once the target is known, leave it out.")
                yield _leak(message, advice, name, share, int(missing.sum()))
        if missing.mean() > 0.5:
            continue
        share, p = explained_by_groups(value_codes(column, _BINS), y)
        same = rank_correlation(column, y)
        if p < _SIGNIFICANT and (share >= _SUSPECT or abs(same or 0.0) >= _SAME_ORDER):
            message = (
                Message(
                    "leaking-order",
                    "Column {column!r} has nearly the same order as the target (rank correlation {same:.4f}){sampled}.",
                    column=name,
                    same=same,
                    sampled=context.sampled,
                )
                if same is not None and abs(same) >= _SAME_ORDER
                else Message(
                    "leaking-column-of-numbers",
                    "Column {column!r} alone explains {share:.1%} of the variance of the target{sampled}.",
                    column=name,
                    share=share,
                    sampled=context.sampled,
                )
            )
            yield _leak(message, text("If its value is not known before the target, leave it out."), name, share)


def _leak(message: Message, advice: Message, name: str, share: float, n_rows: int = 0) -> Finding:
    return Finding("leakage", "high", message, advice, (name,), n_rows=n_rows, details={"explained": share})


def misfits_of_numbers(context: Context) -> Iterator[Finding]:
    """Find rows of which a forest that was not trained on them predicts something very different."""
    if context.numbers is None:
        return
    rows = sample_rows(np.flatnonzero(~np.isnan(context.numbers)), _MOST_ROWS, context.seed)
    names = [
        name for name in context.inputs if name not in context.identifiers and context.columns[name].kind != "text"
    ]
    y = context.numbers[rows]
    if len(rows) < _FEWEST_ROWS or not names or not np.ptp(y) > 0:
        return
    X = context.table.select(names)[rows]
    forest = RandomForestRegressor(
        _TREES, min_samples_leaf=_LEAF, oob_score=True, random_state=context.seed, n_jobs=context.n_jobs
    ).fit(X, y)
    residuals = y - forest.oob_prediction_
    known = ~np.isnan(residuals)
    rows, residuals, y, predicted = rows[known], residuals[known], y[known], forest.oob_prediction_[known]
    ordered = np.argsort(residuals, kind="stable")
    n_low, n_high = far_values(residuals[ordered], float(np.median(residuals)))
    found = np.concatenate([ordered[:n_low], ordered[len(ordered) - n_high :]])
    # What is far in itself is told with the target.
    told = set(context.columns[str(context.target)].data[listed_rows(_outlying(context))].tolist())
    found = np.array([at for at in found.tolist() if y[at] not in told], dtype=np.int64)
    if not len(found):
        return
    found = found[np.argsort(-np.abs(residuals[found]), kind="stable")]
    first = int(found[0])
    yield Finding(
        "forest-outliers",
        "low",
        Message(
            "rows-unlike-their-number",
            "{n:,} {n:row has|rows have} a value of {target!r} very different from what a forest expects{sampled}: "
            "{rows}; row {first}: {value:.6g} instead of about {expected:.6g}.",
            n=len(found),
            target=context.target,
            sampled=sample_note(len(rows), len(context.table)),
            rows=listed((rows[found] + 1).tolist(), 8),
            first=int(rows[first]) + 1,
            value=float(y[first]),
            expected=float(predicted[first]),
        ),
        text("Check them for a wrong value, or for what the columns do not say."),
        (str(context.target),),
        listed_rows(np.sort(rows[found])),
        len(found),
        {"sample": len(rows)},
    )


def _outlying(context: Context) -> np.ndarray:
    """Return the rows whose target is far from all others."""
    profile = context.profiles[str(context.target)]
    found = outlier_mask(context.columns[str(context.target)], profile) if profile.n_far else np.zeros(0, dtype=bool)
    return np.flatnonzero(found)
