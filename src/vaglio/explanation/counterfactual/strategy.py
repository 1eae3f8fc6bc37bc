"""From rows and a model to the smallest changes: the way of the model's kind where it has one, else the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._explanation import Explanation
from vaglio.explanation.by_kind import changes, cuts
from vaglio.explanation.counterfactual.counterfactual import Change, Counterfactual
from vaglio.explanation.counterfactual.distance import Ruler
from vaglio.explanation.counterfactual.search import Question, search
from vaglio.explanation.counterfactual.variants import Variants
from vaglio.model.base import class_codes


def find_counterfactuals(
    model: Any, matrix: EncodedMatrix, context: Context, explanations: Sequence[Explanation] = ()
) -> list[Counterfactual | None]:
    """Return for each row the smallest change found that gives it another class; None where none was found.

    Parameters
    ----------
    model : Model
    matrix : EncodedMatrix
        The rows.
    context : Context
    explanations : sequence of Explanation
        Of the rows: of a very wide table, columns they name are tried first.
    """
    assert context.classes is not None
    if len(context.classes) < 2 or not matrix.n_rows:
        return [None] * matrix.n_rows
    cuts_of = cuts.find(model.kind)
    ruler = Ruler(context, None if cuts_of is None else cuts_of(model, context))
    question = Question(model, matrix, class_codes(model, matrix), ruler, _named(explanations, context))
    found = (changes.find(model.kind) or search)(question, np.arange(matrix.n_rows))
    # Every change is checked by the model: one that does not give another class is dropped.
    changed = Variants.of_lists([(row, found[row]) for row in sorted(found)])
    become = dict(zip(changed.row.tolist(), question.ask(changed).tolist()))
    far = dict(zip(changed.row.tolist(), question.distance(changed).tolist()))
    return [
        _told(question, row, found[row], become[row], far[row])
        if row in found and become[row] != question.codes[row]
        else None
        for row in range(matrix.n_rows)
    ]


def _named(explanations: Sequence[Explanation], context: Context) -> tuple[int, ...]:
    """The columns that explanations name, in the order of their first mention."""
    place = {feature.name: j for j, feature in enumerate(context.features)}
    said = (reason.feature for e in explanations for reason in (*e.reasons, *e.against))
    return tuple(dict.fromkeys(place[name] for name in said if name is not None))


def _told(question: Question, row: int, changed: list[tuple[int, float]], code: int, far: float) -> Counterfactual:
    context = question.context
    return Counterfactual(
        tuple(_change(question, row, j, value) for j, value in changed), context.label(code), round(far, 6)
    )


def _change(question: Question, row: int, j: int, value: float) -> Change:
    feature = question.context.features[j]
    now = question.context.value(question.matrix, row, j)
    if feature.kind == "text":
        return Change(feature.name, now, feature.categories[int(value)], is_word=True)
    return Change(feature.name, now, question.context.decoded(j, value))
