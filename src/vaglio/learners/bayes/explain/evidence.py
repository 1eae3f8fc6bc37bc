"""Why a Bayes classifier decided so: the evidence of each attribute as log-odds that add up to the decision.

Beside it stands the product itself, in fractions where the likelihood is a frequency:
``2/9 · 3/9 · 3/9 · 3/9 · 9/14 = 0.0053``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.bayes.model.bayes_net import BayesNetModel
from vaglio.learners.bayes.model.joint_bayes import JointBayesModel
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.posterior import log_of

# A longer product is a column of figures nobody reads; the log-odds say the same.
MOST_FACTORS = 24
# Attributes listed one by one; the evidence of the others is summed up in one line.
MOST_REASONS = 30

Factor = Callable[[int, int, int], str]


def explain_naive_bayes(model: NaiveBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of naive Bayes."""
    evidence = model.evidence(matrix)
    return explain_by_evidence(model, evidence, matrix, context, _factors(model, matrix, evidence))


def explain_densities(model: Any, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of joint Gaussian densities, column by column given those before it."""
    return explain_by_evidence(model, model.evidence(matrix), matrix, context)


def explain_network(model: BayesNetModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of a Bayesian network, each attribute given its parents."""
    evidence = model.evidence(matrix)

    def factor(row: int, feature: int, label: int) -> str:
        return f"{np.exp(evidence[feature][row, label]):.4g}"

    return explain_by_evidence(model, evidence, matrix, context, factor, model.parents)


def explain_joint_table(model: JointBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of the joint table: the combination as a whole, as it was counted."""
    cells = model.bins.cells(matrix)
    likelihood = model.likelihood(matrix)
    probability = model.predict_proba(matrix)
    return [
        _explain_cell(model, cells[row], likelihood[row], probability[row], context) for row in range(matrix.n_rows)
    ]


def _explain_cell(
    model: JointBayesModel, cells: np.ndarray, likelihood: np.ndarray, probability: np.ndarray, context: Context
) -> Explanation:
    order = context.ranked(probability)
    best, second = order[0], order[1] if len(order) > 1 else None
    known = [f"{context.features[j].name} {_cell_text(model, j, int(c))}" for j, c in enumerate(cells) if c >= 0]
    notes = [
        f"{context.label(c)}: {likelihood[c]:.4g} · {_prior_factor(model, c)} = "
        f"{in_figures(float(log_of(likelihood[c])) + float(model.log_prior[c]))}"
        for c in order[:2]
    ]
    odds = []
    if second is not None:
        combination = "together: " + (", ".join(known) or "nothing is known")
        odds = [(gap(log_of(likelihood), best, second), combination)]
        odds.append((gap(model.log_prior, best, second), "prior: how frequent the class is"))
    reasons = [(weight, Reason(text, None, None, weight)) for weight, text in odds]
    return Explanation(
        decision=context.label(best),
        probability=float(probability[best]),
        runner_up=None if second is None else context.label(second),
        reasons=tuple(reason for weight, reason in reasons if weight > 0),
        against=tuple(reason for weight, reason in reasons if weight < 0),
        notes=tuple(notes),
        **in_log_odds(odds, second, context),
    )


def _cell_text(model: JointBayesModel, feature: int, cell: int) -> str:
    label = model.bins.label(feature, cell)
    return label if model.bins.features[feature].kind == "numeric" else f"= {label}"


def explain_by_evidence(
    model: Any,
    evidence: dict[int, np.ndarray],
    matrix: EncodedMatrix,
    context: Context,
    factor: Factor | None = None,
    parents: Sequence[Sequence[int]] | None = None,
) -> list[Explanation]:
    """Explain rows whose joint log-likelihood is log prior plus the evidence of single attributes.

    Parameters
    ----------
    model : Model
        With ``log_prior`` and ``predict_proba``.
    evidence : dict of int to ndarray (n, K)
        Log P(x|c) by feature.
    factor : callable, optional
        ``factor(row, feature, class)`` writes one likelihood as a fraction or number.
    parents : sequence of sequences of int, optional
        Features each feature's evidence is conditional on.
    """
    probability = model.predict_proba(matrix)
    scene = _Scene(model, evidence, matrix, context, factor, parents)
    return [_explain_row(scene, row, probability[row]) for row in range(matrix.n_rows)]


@dataclass(frozen=True)
class _Scene:
    """What is the same for every row."""

    model: Any
    evidence: dict[int, np.ndarray]
    matrix: EncodedMatrix
    context: Context
    factor: Factor | None
    parents: Sequence[Sequence[int]] | None

    def value(self, row: int, feature: int) -> Any:
        return self.context.value(self.matrix, row, feature)

    def text(self, row: int, feature: int) -> str:
        """The attribute and its value, and those it is conditional on."""
        told = self.context.said(feature, self.value(row, feature))
        above = [] if self.parents is None else self.parents[feature]
        if not above or any(self.value(row, p) is None for p in above):
            return told
        given = " and ".join(self.context.said(p, self.value(row, p)) for p in above)
        return f"{told} given {given}"


def _explain_row(scene: _Scene, row: int, probability: np.ndarray) -> Explanation:
    order = scene.context.ranked(probability)
    best, second = order[0], order[1] if len(order) > 1 else None
    label = scene.context.label
    present = [j for j in scene.evidence if scene.value(row, j) is not None]
    odds = [] if second is None else _log_odds(scene, row, best, second, present)
    odds = _heaviest(odds)
    notes: list[str] = []
    if scene.factor is not None and len(present) <= MOST_FACTORS:
        shown = [best] if second is None else [best, second]
        notes += [f"{label(c)}: {_product(scene, row, c, present)}" for c in shown]
    return Explanation(
        decision=label(best),
        probability=float(probability[best]),
        runner_up=None if second is None else label(second),
        reasons=tuple(reason for weight, reason in odds if weight > 0),
        against=tuple(reason for weight, reason in odds if weight < 0),
        notes=tuple(notes),
        **in_log_odds(odds, second, scene.context),
    )


def _log_odds(scene: _Scene, row: int, best: int, second: int, present: list[int]) -> list[tuple[float, Reason]]:
    """What each attribute adds to log P(best|x) - log P(second|x); together with the prior they add up to it."""
    weight = gap(scene.model.log_prior, best, second)
    odds = [(weight, Reason("prior: how frequent the class is", None, None, weight))]
    for j in present:
        weight = gap(scene.evidence[j][row], best, second)
        name = scene.context.features[j].name
        odds.append((weight, Reason(scene.text(row, j), name, scene.value(row, j), weight)))
    return odds


def _heaviest(odds: list[tuple[float, Reason]]) -> list[tuple[float, Reason]]:
    """Sort by weight; of very many, the least become one."""
    odds.sort(key=lambda entry: -abs(entry[0]))
    rest = [entry for entry in odds[MOST_REASONS:] if entry[0] != 0]
    if len(rest) < 2:
        return odds
    weight = float(sum(weight for weight, _ in rest))
    together = (weight, Reason(f"{len(rest)} more columns together", weight=weight))
    return sorted([*odds[:MOST_REASONS], together], key=lambda entry: -abs(entry[0]))


def in_log_odds(odds: Sequence[tuple[float, Any]], second: int | None, context: Context) -> dict[str, Any]:
    """Say that weights are log-odds, and what they add up to."""
    if second is None:
        return {}
    return {"measure": f"log-odds over {context.label(second)}", "total": float(sum(weight for weight, _ in odds))}


def gap(log_likelihood: np.ndarray, best: int, second: int) -> float:
    """Difference of two log-likelihoods; when both are impossible they say nothing against each other."""
    first, other = float(log_likelihood[best]), float(log_likelihood[second])
    return 0.0 if first == other else first - other


def _product(scene: _Scene, row: int, label: int, present: list[int]) -> str:
    assert scene.factor is not None
    factors = [scene.factor(row, j, label) for j in present]
    factors.append(_prior_factor(scene.model, label))
    total = sum(float(scene.evidence[j][row, label]) for j in present) + float(scene.model.log_prior[label])
    return f"{' · '.join(factors)} = {in_figures(total)}"


def _prior_factor(model: Any, label: int) -> str:
    count = getattr(model, "class_count", None)
    if count is not None and np.isclose(count[label], model.prior[label] * count.sum()):
        return f"{count[label]:g}/{count.sum():g}"
    return f"{model.prior[label]:.4g}"


def in_figures(log_number: float) -> str:
    """Write a number given by its logarithm, however small: 0.0053, 1.2e-812."""
    if np.isneginf(log_number):
        return "0"
    if log_number > np.log(0.001):
        number = np.exp(log_number)
        return f"{number:.4f}" if number < 1000 else f"{number:.4g}"
    exponent = int(np.floor(log_number / np.log(10)))
    return f"{np.exp(log_number - exponent * np.log(10)):.2f}e{exponent}"


def _factors(model: NaiveBayesModel, matrix: EncodedMatrix, evidence: dict[int, np.ndarray]) -> Factor:
    """Return how to write one likelihood of naive Bayes: a fraction of smoothed counts, or the density."""
    tables = {int(j): t for t, j in enumerate(model.table.feature)}

    def write(row: int, feature: int, label: int) -> str:
        if feature not in tables:
            return in_figures(float(evidence[feature][row, label]))
        t, column = tables[feature], matrix.position[feature]
        nominal = matrix.features[feature].is_nominal
        cell = model.table.cell(t, float((matrix.codes if nominal else matrix.numeric)[row, column]))
        if cell < 0:
            return "1"
        if model.table.reliability[t] < 1:
            return in_figures(float(evidence[feature][row, label]))
        counts, alpha = model.table.counts(t)[label], model.table.alpha
        return f"{counts[cell] + alpha:g}/{counts.sum() + alpha * model.table.values[t]:g}"

    return write
