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
from vaglio.explanation.contributions import log_odds_over, more_columns
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.bayes.model.bayes_net import BayesNetModel
from vaglio.learners.bayes.model.count_bayes import BernoulliModel, CountBayesModel
from vaglio.learners.bayes.model.joint_bayes import JointBayesModel
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.posterior import log_of
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import listed

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
            return Number("1")
        if model.table.reliability[t] < 1:
            return in_figures(float(evidence[feature][row, label]))
        counts, alpha = model.table.counts(t)[label], model.table.alpha
        return Number(f"{counts[cell] + alpha:g}/{counts.sum() + alpha * model.table.values[t]:g}")

    return explain_by_evidence(model, evidence, matrix, context, factor)


def explain_densities(model: Any, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of joint Gaussian densities, column by column given those before it."""
    return explain_by_evidence(model, model.evidence(matrix), matrix, context)


def explain_network(model: BayesNetModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of a Bayesian network, each attribute given its parents."""
    evidence = model.evidence(matrix)

    def factor(row: int, feature: int, label: int) -> str:
        return Number(f"{np.exp(evidence[feature][row, label]):.4g}")

    return explain_by_evidence(model, evidence, matrix, context, factor, model.parents)


def explain_joint_table(model: JointBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of the joint table: the combination as a whole, as it was counted."""
    explanations = []
    rows = zip(model.bins.cells(matrix), model.likelihood(matrix), model.predict_proba(matrix))
    for cells, likelihood, probability in rows:
        order = context.ranked(probability)
        known = [
            text("{column} {values}", column=context.features[j].name, values=model.bins.condition(j, cell))
            for j, cell in enumerate(cells.tolist())
            if cell >= 0
        ]
        notes = [
            _product(
                context.label(c),
                [Number(f"{likelihood[c]:.4g}"), _prior_factor(model, c)],
                float(log_of(likelihood[c])) + float(model.log_prior[c]),
            )
            for c in order[:2]
        ]
        odds = []
        if len(order) > 1:
            weight = gap(log_of(likelihood), *order[:2])
            together = (
                Message("all-columns", "together: {values}", values=join(", ", known))
                if known
                else Message("all-missing", "together: every value is missing")
            )
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

    def told(self, row: int, feature: int) -> str:
        """The attribute and its value, and those it is conditional on."""
        told = self.context.said(feature, self.value(row, feature))
        above = [] if self.parents is None else self.parents[feature]
        if not above or any(self.value(row, p) is None for p in above):
            return told
        given = listed([self.context.said(p, self.value(row, p)) for p in above])
        return Message("value-given-parents", "{value} given {parents}", value=told, parents=given)


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
            odds.append((weight, Reason(scene.told(row, j), name, scene.value(row, j), weight)))
    odds.sort(key=lambda entry: -abs(entry[0]))
    rest = [entry for entry in odds[MOST_REASONS:] if entry[0] != 0]
    if len(rest) > 1:
        weight = float(sum(weight for weight, _ in rest))
        together = (weight, Reason(more_columns(len(rest)), weight=weight))
        odds = sorted([*odds[:MOST_REASONS], together], key=lambda entry: -abs(entry[0]))
    notes = []
    if scene.factor is not None and len(present) <= MOST_FACTORS:
        for c in (best, *others):
            factors = [*(scene.factor(row, j, c) for j in present), _prior_factor(scene.model, c)]
            total = sum(float(scene.evidence[j][row, c]) for j in present) + float(scene.model.log_prior[c])
            notes.append(_product(scene.context.label(c), factors, total))
    return _explanation(scene.context, probability, odds, notes)


def _product(label: Any, factors: Sequence[str], log_total: float) -> Message:
    """Return the product of likelihoods and prior that a class is ranked by."""
    return Message(
        "product-of-likelihoods",
        "{label}: {factors} = {product}",
        label=str(label),
        factors=join(" · ", factors),
        product=in_figures(log_total),
    )


def _prior_odds(model: Any, best: int, second: int) -> tuple[float, Reason]:
    weight = gap(model.log_prior, best, second)
    return weight, Reason(Message("prior", "prior: how frequent the class is"), weight=weight)


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
        measure=log_odds_over(runner_up) if others else None,
        total=float(sum(weight for weight, _ in odds)) if others else None,
    )


def gap(log_likelihood: np.ndarray, best: int, second: int) -> float:
    """Difference of two log-likelihoods; when both are impossible they say nothing against each other."""
    first, other = float(log_likelihood[best]), float(log_likelihood[second])
    return 0.0 if first == other else first - other


def _prior_factor(model: Any, label: int) -> str:
    count = getattr(model, "class_count", None)
    if count is not None and np.isclose(count[label], model.prior[label] * count.sum()):
        return Number(f"{count[label]:g}/{count.sum():g}")
    return Number(f"{model.prior[label]:.4g}")


def in_figures(log_number: float) -> Number:
    """Write a number given by its logarithm, however small: 0.0053, 1.2e-812."""
    if np.isneginf(log_number):
        return Number("0")
    if log_number > np.log(0.001):
        number = np.exp(log_number)
        return Number(f"{number:.4f}" if number < 1000 else f"{number:.4g}")
    exponent = int(np.floor(log_number / np.log(10)))
    return Number(f"{np.exp(log_number - exponent * np.log(10)):.2f}e{exponent}")


def explain_counts(model: CountBayesModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain every row of multinomial or Bernoulli naive Bayes."""
    values, left = count_block(matrix).values, Message("other-words", "words of smaller weight together")
    if isinstance(model, BernoulliModel):
        values = model.presence(matrix)[0]
        left = Message("absent-and-other-words", "all absent words and words of smaller weight together")
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
                odds.append((rest, Reason(left, weight=rest)))
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
        word: str = str(feature.name if sparse else feature.categories[column - first[model.owner[column]]])
        if count != 1:
            word = text("{word} × {times:g}", word=word, times=count)
        if feature.kind == "text" and len(features) > 1:
            word = text("{column}: {word}", column=feature.name, word=word)
        words.append((weight, Reason(word, feature.name, None, weight)))
    return sorted(words, key=lambda entry: -abs(entry[0]))[:MOST_WORDS]
