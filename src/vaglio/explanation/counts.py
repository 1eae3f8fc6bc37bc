"""Why Bayes on counts decided so: what each word adds to the log-odds, and what the absent ones do."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix, count_block, count_columns
from vaglio.explanation._context import Context
from vaglio.explanation._explanation import Explanation, Reason
from vaglio.explanation.bayes import gap, in_log_odds
from vaglio.model.count_bayes import BernoulliModel, CountBayesModel

# Of a long document, the words that weigh most; the others are summed up in one line.
MOST_WORDS = 20


def explain_counts(model: CountBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of multinomial or Bernoulli naive Bayes."""
    values = model.presence(matrix)[0] if isinstance(model, BernoulliModel) else count_block(matrix).values
    rows = sp.csr_array(values)
    joint = model.joint_log_likelihood(matrix)
    probability = model.predict_proba(matrix)
    names, _ = count_columns(context.features)
    return [
        _explain_row(model, rows[[row]], joint[row], probability[row], names, context) for row in range(matrix.n_rows)
    ]


def _explain_row(
    model: CountBayesModel,
    row: Any,
    joint: np.ndarray,
    probability: np.ndarray,
    names: list[str],
    context: Context,
) -> Explanation:
    order = np.argsort(-probability, kind="stable")
    best = int(order[0])
    if len(order) == 1:
        return Explanation(decision=context.label(best), probability=float(probability[best]))
    second = int(order[1])
    odds: list[tuple[float, str, str | None]] = [
        (gap(model.log_prior, best, second), "prior: how frequent the class is", None)
    ]
    words = _words(model, row, names, best, second)
    odds += words[:MOST_WORDS]
    # What the shown words leave: further words, and in Bernoulli everything that is absent.
    rest = gap(joint, best, second) - sum(weight for weight, _, _ in odds)
    if np.isfinite(rest) and abs(rest) > 1e-12:
        others = isinstance(model, BernoulliModel)
        odds.append((rest, "all that is absent, and lesser words" if others else "all other words", None))
    odds.sort(key=lambda entry: -abs(entry[0]))
    reasons = [(weight, Reason(text, feature, None, weight)) for weight, text, feature in odds]
    return Explanation(
        decision=context.label(best),
        probability=float(probability[best]),
        runner_up=context.label(second),
        reasons=tuple(reason for weight, reason in reasons if weight > 0),
        against=tuple(reason for weight, reason in reasons if weight < 0),
        **in_log_odds(reasons, second, context),
    )


def _words(
    model: CountBayesModel, row: Any, names: list[str], best: int, second: int
) -> list[tuple[float, str, str | None]]:
    """What each word of the row adds to the log-odds, heaviest first."""
    words = []
    for column, count in zip(row.indices.tolist(), row.data.tolist()):
        weight = count * gap(model.log_probability[:, column], best, second)
        times = "" if count == 1 else f" × {count:g}"
        words.append((weight, f"{names[column]}{times}", model.features[model.owner[column]].name))
    return sorted(words, key=lambda word: -abs(word[0]))
