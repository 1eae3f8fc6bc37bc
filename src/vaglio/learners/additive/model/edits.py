"""Changes that an expert makes to an additive model: flatten, make monotone, set, remove a term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from vaglio.errors import ArgumentError, InputError, as_own_errors
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.additive.model.forms import scored_classes, slot_labels
from vaglio.messages.sentences import did_you_mean

# Of a cell without rows, for isotonic regression.
_LEAST_WEIGHT = 1e-12
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

    To remove the term of a column, or make it monotone, does the same to the pairs of that column: otherwise it would
    still count, or bend the prediction, through them.

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
    where = _plain(where)
    told = {"term": model.name_of(at), "action": action, "where": where, "value": value, "label": label}
    if action == "remove":
        if where is not None or label is not None:
            raise InputError(
                "partial-removal", "A term can only be removed as a whole. To remove a part of it, use 'flatten'."
            )
        pairs = _pairs_of(model, at)
        names = {"pairs": [{"term": model.name_of(pair)} for pair in pairs]} if pairs else {}
        return _without(model, [at, *pairs]), {**told, **names, "before": [], "after": []}
    outputs = _outputs(model, classes, label)
    cells = _cells(model, at, where)
    changes: dict[str, Callable[[], list[Change]]] = {
        "flatten": lambda: [Change(at, cells, _flattened(model, cells, outputs))],
        "monotone": lambda: _monotone(model, at, cells, outputs, direction, where),
        "set": lambda: [Change(at, cells, np.full((len(cells), len(outputs)), float(value or 0.0)))],
    }
    scores, deviations = model.scores.copy(), model.deviations.copy()
    recorded = []
    for change in changes[action]():
        if not np.isfinite(change.scores).all():
            raise InputError("score-not-finite", "A score must be a finite number.")
        place = np.ix_(change.cells, outputs)
        name = model.name_of(change.term)
        recorded.append({"term": name, "before": scores[place].tolist(), "after": change.scores.tolist()})
        scores[place] = change.scores
        # What an expert decides has no spread over the bags.
        deviations[place] = 0.0
    found = replace(model, scores=scores, deviations=deviations)
    if not found.is_bounded:
        raise InputError("score-too-large", "The new score is too large to add up. Choose a smaller one.")
    own, *pairs_changed = recorded
    names = {"pairs": pairs_changed} if pairs_changed else {}
    return found, {**told, "direction": direction, **own, **names}


class Change(NamedTuple):
    """The new scores of some cells of a term, one row per cell."""

    term: int
    cells: np.ndarray
    scores: np.ndarray


def _pairs_of(model: Additive, at: int) -> list[int]:
    """Return the terms of pairs of the column of a term; a pair has none."""
    feature, second = model.terms[at].tolist()
    if second >= 0:
        return []
    return [t for t, columns in enumerate(model.terms.tolist()) if t != at and feature in columns]


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
        with as_own_errors():
            return [None if end is None else float(end) for end in where]
    value = where.item() if hasattr(where, "item") and getattr(where, "ndim", 1) == 0 else where
    if value is not None and not isinstance(value, (str, Number)):
        raise ArgumentError(
            "edit-where", "where must be a value or a pair (low, high), not {type}.", type=type(where).__name__
        )
    return value


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
) -> list[Change]:
    """Fit the term of a column by isotonic regression, and its pairs at every value of their other column."""
    feature, second = model.terms[at].tolist()
    if second >= 0 or model.features[feature].is_nominal or where is not None:
        raise InputError(
            "not-monotonic-term", "Only a whole term of one numeric or ordinal column can be made monotonic."
        )
    if direction not in (None, 1, -1):
        raise InputError("invalid-direction", "direction must be 1 or -1, not {direction!r}.", direction=direction)
    found: np.ndarray = model.scores[np.ix_(cells, outputs)].copy()
    directions = []
    for k in range(found.shape[1]):
        ways = {d: _isotonic(found[:, k], model.weights[cells], d) for d in (1, -1)}
        weight = np.maximum(_weights(model, cells), _LEAST_WEIGHT)
        lost = {d: float(weight @ (found[:, k] - way) ** 2) for d, way in ways.items()}
        directions.append(direction or (1 if lost[1] <= lost[-1] else -1))
        found[:, k] = ways[directions[-1]]
    changes = [Change(at, cells, found)]
    for pair in _pairs_of(model, at):
        axis = model.terms[pair].tolist().index(feature)
        # Lines of the table along the column, one for each group of the other.
        scores = np.moveaxis(model.table(pair)[..., outputs], axis, 0).copy()
        weights = np.moveaxis(model.table(pair, "weights"), axis, 0)
        for other in range(scores.shape[1]):
            for k, way in enumerate(directions):
                scores[:, other, k] = _isotonic(scores[:, other, k], weights[:, other], way)
        own = np.arange(int(model.cell_start[pair]), int(model.cell_start[pair + 1]))
        changes.append(Change(pair, own, np.moveaxis(scores, 0, axis).reshape(len(own), len(outputs))))
    return changes


def _isotonic(scores: np.ndarray, weights: np.ndarray, direction: int) -> np.ndarray:
    """Return the scores as isotonic regression by weight has them; the last, of missing values, has no order."""
    from sklearn.isotonic import isotonic_regression  # no other part of a model needs scikit-learn

    own = weights[:-1]
    weight = np.maximum(own if own.sum() > 0 else np.ones(len(own)), _LEAST_WEIGHT)
    found: np.ndarray = scores.copy()
    found[:-1] = isotonic_regression(scores[:-1], sample_weight=weight, increasing=direction > 0)
    return found


def _without(model: Additive, terms: list[int]) -> Additive:
    keep = np.ones(len(model.scores), dtype=bool)
    for at in terms:
        keep[int(model.cell_start[at]) : int(model.cell_start[at + 1])] = False
    # A new object: what the old one has kept of its layout does not fit.
    return replace(
        model,
        terms=np.delete(model.terms, terms, axis=0),
        scores=model.scores[keep],
        deviations=model.deviations[keep],
        weights=model.weights[keep],
    )
