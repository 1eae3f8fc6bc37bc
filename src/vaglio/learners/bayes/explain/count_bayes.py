"""Why Bayes on counts decided so: what each column or word adds to the log-odds, and what the absent ones do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix, count_block
from vaglio.explanation.context import Context
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.bayes.explain.evidence import gap, in_log_odds
from vaglio.learners.bayes.model.count_bayes import BernoulliModel, CountBayesModel

# Of a long document, the words that weigh most; the others are summed up in one line.
MOST_WORDS = 20


@dataclass(frozen=True)
class _Scene:
    """What is the same for every row."""

    model: CountBayesModel
    matrix: EncodedMatrix
    context: Context
    rows: Any
    joint: np.ndarray
    probability: np.ndarray


def explain_counts(model: CountBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of multinomial or Bernoulli naive Bayes."""
    values = model.presence(matrix)[0] if isinstance(model, BernoulliModel) else count_block(matrix).values
    joint, probability = model.joint_log_likelihood(matrix), model.predict_proba(matrix)
    scene = _Scene(model, matrix, context, sp.csr_array(values), joint, probability)
    return [_explain_row(scene, row) for row in range(matrix.n_rows)]


def _explain_row(scene: _Scene, row: int) -> Explanation:
    probability, context = scene.probability[row], scene.context
    order = context.ranked(probability)
    best = order[0]
    if len(order) == 1:
        return Explanation(decision=context.label(best), probability=float(probability[best]))
    second = order[1]
    odds = [_prior(scene, best, second), *_columns(scene, row, best, second), *_words(scene, row, best, second)]
    # What those leave: further words, and in Bernoulli everything that is absent.
    rest = gap(scene.joint[row], best, second) - sum(weight for weight, _ in odds)
    if np.isfinite(rest) and abs(rest) > 1e-9:
        others = (
            "all absent words, and words of smaller weight"
            if isinstance(scene.model, BernoulliModel)
            else "words of smaller weight"
        )
        odds.append((rest, Reason(f"{others} together", weight=rest)))
    odds.sort(key=lambda entry: -abs(entry[0]))
    return Explanation(
        decision=context.label(best),
        probability=float(probability[best]),
        runner_up=context.label(second),
        reasons=tuple(reason for weight, reason in odds if weight > 0),
        against=tuple(reason for weight, reason in odds if weight < 0),
        **in_log_odds(odds, second, context),
    )


def _prior(scene: _Scene, best: int, second: int) -> tuple[float, Reason]:
    weight = gap(scene.model.log_prior, best, second)
    return weight, Reason("prior: how frequent the class is", weight=weight)


def _columns(scene: _Scene, row: int, best: int, second: int) -> list[tuple[float, Reason]]:
    """What each number and each category adds; a category with what its absent siblings say, in Bernoulli."""
    if scene.matrix.sparse is not None:
        return []
    model, context, found = scene.model, scene.context, []
    counts = scene.rows[[row]].toarray()[0]
    for j, feature in enumerate(context.features):
        value = None if feature.kind == "text" else context.value(scene.matrix, row, j)
        if value is None:
            continue
        weight = 0.0
        for column in np.flatnonzero(model.owner == j).tolist():
            if counts[column]:
                weight += float(counts[column]) * gap(model.log_probability[:, column], best, second)
            elif isinstance(model, BernoulliModel):
                weight += gap(model.log_absence[:, column], best, second)
        found.append((weight, Reason(context.said(j, value), feature.name, value, weight)))
    return found


def _words(scene: _Scene, row: int, best: int, second: int) -> list[tuple[float, Reason]]:
    """What each word of the row (or entry, of a sparse one) adds to the log-odds, heaviest first."""
    model, features = scene.model, scene.context.features
    one = scene.rows[[row]]
    first = np.searchsorted(model.owner, np.arange(len(features)))
    words = []
    for column, count in zip(one.indices.tolist(), one.data.tolist()):
        feature = features[model.owner[column]]
        if scene.matrix.sparse is None and feature.kind != "text":
            continue
        weight = count * gap(model.log_probability[:, column], best, second)
        times = "" if count == 1 else f" × {count:g}"
        word = (
            feature.name if scene.matrix.sparse is not None else feature.categories[column - first[model.owner[column]]]
        )
        prefix = f"{feature.name}: " if feature.kind == "text" and len(features) > 1 else ""
        words.append((weight, Reason(f"{prefix}{word}{times}", feature.name, None, weight)))
    return sorted(words, key=lambda entry: -abs(entry[0]))[:MOST_WORDS]
