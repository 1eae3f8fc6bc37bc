"""Why a Bayes classifier decided so: the evidence of each attribute, or of each word, as log-odds that add up to it.

Beside it stands the product itself, in fractions where the likelihood is a frequency:
``2/9 · 3/9 · 3/9 · 3/9 · 9/14 = 0.0053``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix, count_block
from vaglio.explanation.context import Context
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.bayes.model.bayes_net import BayesNetModel
from vaglio.learners.bayes.model.count_bayes import BernoulliModel, CountBayesModel
from vaglio.learners.bayes.model.joint_bayes import JointBayesModel
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.posterior import log_of

if TYPE_CHECKING:
    from vaglio.model.base import Model

# A longer product is a column of figures nobody reads; the log-odds say the same.
MOST_FACTORS = 24
# Attributes listed one by one; the evidence of the others is summed up in one line.
MOST_REASONS = 30
# Of a long document, the words that weigh most; the others are summed up in one line.
MOST_WORDS = 20

Factor = Callable[[int, int, int], str]


def explain_naive_bayes(model: NaiveBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of naive Bayes."""
    evidence = model.evidence(matrix)
    tables = {int(j): t for t, j in enumerate(model.table.feature)}

    def factor(row: int, feature: int, label: int) -> str:
        """Write a likelihood: a fraction of smoothed counts, or the density."""
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

    return explain_by_evidence(model, evidence, matrix, context, factor)


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
    explanations = []
    rows = zip(model.bins.cells(matrix), model.likelihood(matrix), model.predict_proba(matrix))
    for cells, likelihood, probability in rows:
        order = context.ranked(probability)
        known = [
            f"{context.features[j].name} {model.bins.condition(j, cell)}"
            for j, cell in enumerate(cells.tolist())
            if cell >= 0
        ]
        notes = [
            f"{context.label(c)}: {likelihood[c]:.4g} · {_prior_factor(model, c)} = "
            f"{in_figures(float(log_of(likelihood[c])) + float(model.log_prior[c]))}"
            for c in order[:2]
        ]
        odds = []
        if len(order) > 1:
            weight = gap(log_of(likelihood), *order[:2])
            together = "together: " + (", ".join(known) or "nothing is known")
            odds = [(weight, Reason(together, weight=weight)), _prior_odds(model, *order[:2])]
        explanations.append(_explanation(context, probability, odds, notes))
    return explanations


def explain_by_evidence(
    model: Model,
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
    best, *others = scene.context.ranked(probability)[:2]
    present = [j for j in scene.evidence if scene.value(row, j) is not None]
    odds: list[tuple[float, Reason]] = []
    for second in others:
        # What each attribute adds to log P(best|x) - log P(second|x); together with the prior they add up to it.
        odds.append(_prior_odds(scene.model, best, second))
        for j in present:
            weight = gap(scene.evidence[j][row], best, second)
            name = scene.context.features[j].name
            odds.append((weight, Reason(scene.text(row, j), name, scene.value(row, j), weight)))
    odds.sort(key=lambda entry: -abs(entry[0]))
    rest = [entry for entry in odds[MOST_REASONS:] if entry[0] != 0]
    if len(rest) > 1:
        weight = float(sum(weight for weight, _ in rest))
        together = (weight, Reason(f"{len(rest)} more columns together", weight=weight))
        odds = sorted([*odds[:MOST_REASONS], together], key=lambda entry: -abs(entry[0]))
    notes = []
    if scene.factor is not None and len(present) <= MOST_FACTORS:
        for c in (best, *others):
            factors = [*(scene.factor(row, j, c) for j in present), _prior_factor(scene.model, c)]
            total = sum(float(scene.evidence[j][row, c]) for j in present) + float(scene.model.log_prior[c])
            notes.append(f"{scene.context.label(c)}: {' · '.join(factors)} = {in_figures(total)}")
    return _explanation(scene.context, probability, odds, notes)


def _prior_odds(model: Any, best: int, second: int) -> tuple[float, Reason]:
    weight = gap(model.log_prior, best, second)
    return weight, Reason("prior: how frequent the class is", weight=weight)


def _explanation(
    context: Context, probability: np.ndarray, odds: list[tuple[float, Reason]], notes: Sequence[str] = ()
) -> Explanation:
    """Return the decision for the most probable class with what speaks for and against it, in log-odds."""
    best, *others = context.ranked(probability)[:2]
    runner_up = context.label(others[0]) if others else None
    return Explanation(
        decision=context.label(best),
        probability=float(probability[best]),
        runner_up=runner_up,
        reasons=tuple(reason for weight, reason in odds if weight > 0),
        against=tuple(reason for weight, reason in odds if weight < 0),
        notes=tuple(notes),
        measure=f"log-odds over {runner_up}" if others else None,
        total=float(sum(weight for weight, _ in odds)) if others else None,
    )


def gap(log_likelihood: np.ndarray, best: int, second: int) -> float:
    """Difference of two log-likelihoods; when both are impossible they say nothing against each other."""
    first, other = float(log_likelihood[best]), float(log_likelihood[second])
    return 0.0 if first == other else first - other


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


def explain_counts(model: CountBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of multinomial or Bernoulli naive Bayes."""
    values, left = count_block(matrix).values, "words of smaller weight"
    if isinstance(model, BernoulliModel):
        values, left = model.presence(matrix)[0], "all absent words, and words of smaller weight"
    counts = sp.csr_array(values)
    explanations = []
    for row, (joint, probability) in enumerate(zip(model.joint_log_likelihood(matrix), model.predict_proba(matrix))):
        odds: list[tuple[float, Reason]] = []
        sides = context.ranked(probability)[:2]
        if len(sides) == 2:
            odds.append(_prior_odds(model, *sides))
            odds += _of_columns(model, matrix, row, counts[[row]], sides, context)
            odds += _of_words(model, matrix, counts[[row]], sides, context)
            # What those leave: further words, and in Bernoulli everything that is absent.
            rest = gap(joint, *sides) - sum(weight for weight, _ in odds)
            if np.isfinite(rest) and abs(rest) > 1e-9:
                odds.append((rest, Reason(f"{left} together", weight=rest)))
            odds.sort(key=lambda entry: -abs(entry[0]))
        explanations.append(_explanation(context, probability, odds))
    return explanations


def _of_columns(
    model: CountBayesModel, matrix: EncodedMatrix, row: int, one: sp.csr_array, sides: list[int], context: Context
) -> list[tuple[float, Reason]]:
    """What each number and each category adds; a category with what its absent siblings say, in Bernoulli."""
    found: list[tuple[float, Reason]] = []
    if matrix.sparse is not None:
        return found
    counts = one.toarray()[0]
    for j, feature in enumerate(context.features):
        value = None if feature.kind == "text" else context.value(matrix, row, j)
        if value is None:
            continue
        weight = 0.0
        for column in np.flatnonzero(model.owner == j).tolist():
            if counts[column]:
                weight += float(counts[column]) * gap(model.log_probability[:, column], *sides)
            elif isinstance(model, BernoulliModel):
                weight += gap(model.log_absence[:, column], *sides)
        found.append((weight, Reason(context.said(j, value), feature.name, value, weight)))
    return found


def _of_words(
    model: CountBayesModel, matrix: EncodedMatrix, one: sp.csr_array, sides: list[int], context: Context
) -> list[tuple[float, Reason]]:
    """What each word of the row (or entry, of a sparse one) adds to the log-odds, heaviest first."""
    features, sparse = context.features, matrix.sparse is not None
    first = np.searchsorted(model.owner, np.arange(len(features)))
    words = []
    for column, count in zip(one.indices.tolist(), one.data.tolist()):
        feature = features[model.owner[column]]
        if not sparse and feature.kind != "text":
            continue
        weight = count * gap(model.log_probability[:, column], *sides)
        times = "" if count == 1 else f" × {count:g}"
        word = feature.name if sparse else feature.categories[column - first[model.owner[column]]]
        prefix = f"{feature.name}: " if feature.kind == "text" and len(features) > 1 else ""
        words.append((weight, Reason(f"{prefix}{word}{times}", feature.name, None, weight)))
    return sorted(words, key=lambda entry: -abs(entry[0]))[:MOST_WORDS]
