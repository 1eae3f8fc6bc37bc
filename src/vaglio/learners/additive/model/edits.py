"""Changes that an expert makes to an additive model: flatten, make monotone, set, remove a term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.forms import scored_classes, slot_labels
from vaglio.messages.sentences import did_you_mean

ACTIONS = ("flatten", "monotone", "remove", "set")


def edited(
    model: Additive,
    classes: np.ndarray | None,
    term: str | int,
    action: str,
    *,
    where: Any = None,
    value: float | None = None,
    direction: int | None = None,
    label: object = None,
) -> tuple[Additive, dict[str, Any]]:
    """Return the changed model, and what was changed as plain data, with the scores before and after.

    Parameters
    ----------
    model : Additive
    classes : ndarray or None
    term : str or int
        Name or position of the term.
    action : {"flatten", "monotone", "remove", "set"}
    where : object, optional
        Of a term of one column, what is flattened or set: a category, "missing", or (low, high) of numbers; None at an
        end leaves it open. Without it, all.
    value : float, optional
        The score that "set" gives.
    direction : {1, -1}, optional
        Of "monotone"; without it, the one that changes less.
    label : object, optional
        The class whose score is changed; without it, all.
    """
    at = term_position(model, term)
    if action not in ACTIONS:
        raise InputError(
            "unknown-edit", "There is no edit {action!r}: {hint}", action=action, hint=did_you_mean(action, ACTIONS)
        )
    if (value is not None) != (action == "set"):
        raise InputError("edit-value", "The edit 'set' needs value=, the new score; the other edits do not take it.")
    told = {"term": model.name_of(at), "action": action, "where": _plain(where), "value": value, "label": label}
    if action == "remove":
        if where is not None or label is not None:
            raise InputError(
                "partial-removal", "A term can only be removed as a whole. To remove a part of it, use 'flatten'."
            )
        return _without(model, at), {**told, "before": [], "after": []}
    outputs = _outputs(model, classes, label)
    cells = _cells(model, at, where)
    changes: dict[str, Callable[[], np.ndarray]] = {
        "flatten": lambda: _flattened(model, cells, outputs),
        "monotone": lambda: _monotone(model, at, cells, outputs, direction, where),
        "set": lambda: np.full((len(cells), len(outputs)), float(value or 0.0)),
    }
    changed = changes[action]()
    if not np.isfinite(changed).all():
        raise InputError("score-not-finite", "A score must be a finite number.")
    scores, deviations = model.scores.copy(), model.deviations.copy()
    before = scores[np.ix_(cells, outputs)]
    scores[np.ix_(cells, outputs)] = changed
    # What an expert decides has no spread over the bags.
    deviations[np.ix_(cells, outputs)] = 0.0
    found = replace(model, scores=scores, deviations=deviations)
    if not found.is_bounded:
        raise InputError("score-too-large", "The new score is too large to add up. Choose a smaller one.")
    return found, {**told, "direction": direction, "before": before.tolist(), "after": changed.tolist()}


def term_position(model: Additive, term: str | int) -> int:
    """Return the place of a term that is given by name or place."""
    names = [model.name_of(t) for t in range(model.n_terms)]
    if isinstance(term, str):
        if term not in names:
            turned = " & ".join(reversed(term.split(" & ")))
            if turned in names:
                return names.index(turned)
            raise InputError(
                "unknown-term", "The model has no term {term!r}: {hint}", term=term, hint=did_you_mean(term, names)
            )
        return names.index(term)
    if not isinstance(term, (int, np.integer)) or not 0 <= int(term) < len(names):
        raise InputError(
            "unknown-term-position",
            "The model has no term {term!r}. Give a name, or a position below {n_terms}.",
            term=term,
            n_terms=len(names),
        )
    return int(term)


def _plain(where: Any) -> Any:
    if isinstance(where, (tuple, list)):
        return [None if end is None else float(end) for end in where]
    return where.item() if hasattr(where, "item") else where


def _outputs(model: Additive, classes: np.ndarray | None, label: object) -> np.ndarray:
    if label is None:
        return np.arange(model.outputs)
    scored = scored_classes(model, classes)
    if classes is None or label not in scored:
        raise InputError(
            "class-without-score",
            "There is no score for the class {label!r}: {hint}",
            label=label,
            hint=did_you_mean(str(label), map(str, scored)),
        )
    return np.array([scored.index(label)])


def _cells(model: Additive, at: int, where: Any) -> np.ndarray:
    """Return the cells of a term that are meant."""
    cells = np.arange(int(model.cell_start[at]), int(model.cell_start[at + 1]))
    if where is None:
        return cells
    feature, second = model.terms[at].tolist()
    if second >= 0:
        raise InputError(
            "pair-with-where",
            "The term {term!r} is a pair, which can only be changed as a whole. Leave where= out.",
            term=model.name_of(at),
        )
    column = model.features[feature]
    if isinstance(where, (tuple, list)):
        if column.categories or len(where) != 2:
            raise InputError(
                "where-needs-value",
                "where=(low, high) applies to numeric columns only. For {column!r}, give a value.",
                column=column.name,
            )
        low, high = (-np.inf if where[0] is None else where[0], np.inf if where[1] is None else where[1])
        cuts = model.cuts_of(feature)
        begins, ends = np.append(-np.inf, cuts), np.append(cuts, np.inf)
        # An interval counts if the range reaches into it: both ends of the range are changed.
        chosen = np.flatnonzero((ends > low) & (begins < high))
        if not chosen.size:
            raise InputError("empty-range", "where= is empty: {low:g} is not below {high:g}.", low=low, high=high)
        return cells[chosen]
    names = slot_labels(model, feature)
    known = {**dict(zip(names, cells)), **dict(zip(column.categories if column.is_nominal else (), cells))}
    if where not in known:
        raise InputError(
            "unknown-value",
            "Column {column!r} has no value {value!r}: {hint}",
            column=column.name,
            value=where,
            hint=did_you_mean(str(where), names),
        )
    return np.array([known[where]])


def _weights(model: Additive, cells: np.ndarray) -> np.ndarray:
    own = model.weights[cells]
    return own if own.sum() > 0 else np.ones(len(cells))


def _flattened(model: Additive, cells: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """The mean by weight everywhere; of a whole term that is zero but for rounding and edits before."""
    mean = np.average(model.scores[np.ix_(cells, outputs)], axis=0, weights=_weights(model, cells))
    return np.repeat(mean[None, :], len(cells), axis=0)


def _monotone(
    model: Additive, at: int, cells: np.ndarray, outputs: np.ndarray, direction: int | None, where: Any
) -> np.ndarray:
    feature, second = model.terms[at].tolist()
    if second >= 0 or model.features[feature].is_nominal or where is not None:
        raise InputError(
            "not-monotonic-term", "Only a whole term of one numeric or ordinal column can be made monotonic."
        )
    if direction not in (None, 1, -1):
        raise InputError("invalid-direction", "direction must be 1 or -1, not {direction!r}.", direction=direction)
    from sklearn.isotonic import isotonic_regression  # no other part of a model needs scikit-learn

    found: np.ndarray = model.scores[np.ix_(cells, outputs)].copy()
    weight = np.maximum(_weights(model, cells[:-1]), 1e-12)  # the last cell, of missing values, has no order
    for k in range(found.shape[1]):
        own = found[:-1, k]
        ways = {d: isotonic_regression(own, sample_weight=weight, increasing=d > 0) for d in (1, -1)}
        lost = {d: float(weight @ (own - way) ** 2) for d, way in ways.items()}
        found[:-1, k] = ways[direction or (1 if lost[1] <= lost[-1] else -1)]
    return found


def _without(model: Additive, at: int) -> Additive:
    keep = np.ones(len(model.scores), dtype=bool)
    keep[int(model.cell_start[at]) : int(model.cell_start[at + 1])] = False
    # A new object: what the old one has kept of its layout does not fit.
    return replace(
        model,
        terms=np.delete(model.terms, at, axis=0),
        scores=model.scores[keep],
        deviations=model.deviations[keep],
        weights=model.weights[keep],
    )
