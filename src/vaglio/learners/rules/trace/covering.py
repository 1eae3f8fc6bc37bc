"""Rules learned by covering: every condition tried with its score, every rule accepted and the rows it covers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.impurity import entropy
from vaglio.document.notation import count, fixed, fraction
from vaglio.document.training import Training
from vaglio.learners.rules.estimators.foil import covering_bits
from vaglio.model.condition import Condition, RangeCondition, SetCondition

# Conditions per table: the best ones show why the first was chosen.
_SHOWN = 12


@dataclass(frozen=True)
class Tried:
    """A condition, with the rows and class weights it would cover."""

    condition: Condition
    rows: np.ndarray
    positive: float
    negative: float
    score: float


def foil_gain(positive: float, negative: float, before_positive: float, before_negative: float) -> float:
    """pos'·[log2(pos'/(pos'+neg')) − log2(pos/(pos+neg))]; 0 if no positive row is covered.

    >>> round(foil_gain(4, 0, 9, 5), 4), round(foil_gain(6, 1, 9, 5), 4)
    (2.5497, 2.4902)
    """
    if positive <= 0 or before_positive <= 0:
        return 0.0
    now, before = positive / (positive + negative), before_positive / (before_positive + before_negative)
    return positive * float(np.log2(now) - np.log2(before))


def likelihood_ratio(counts: np.ndarray, prior: np.ndarray) -> float:
    """2·Σ n·ln(n / (N·prior)): how far class counts are from what the prior would give."""
    expected = counts.sum() * prior
    here = counts > 0
    return float(2.0 * np.sum(counts[here] * np.log(counts[here] / expected[here])))


def conditions_of(training: Training, rows: np.ndarray, negation: bool) -> list[Condition]:
    """Every condition on a value or a threshold that occurs in these rows."""
    matrix, found = training.matrix, list[Condition]()
    for j in [*matrix.numeric_features.tolist(), *matrix.nominal_features.tolist()]:
        feature, position = matrix.features[j], matrix.position[j]
        if feature.is_nominal:
            codes = np.unique(matrix.codes[rows, position])
            known = codes[codes >= 0].tolist()
            everything = frozenset(range(len(feature.categories)))
            found += [SetCondition(j, feature, frozenset([code])) for code in known]
            if negation and len(known) > 2:
                found += [SetCondition(j, feature, everything - {code}) for code in known]
        else:
            values = np.unique(matrix.numeric[rows, position])
            for low, high in pairwise(values[~np.isnan(values)]):
                middle = low / 2 + high / 2
                found += [RangeCondition(j, feature, high=middle), RangeCondition(j, feature, low=middle)]
    return found


def trace_foil(page: Page, training: Training) -> None:
    """FOIL, computed again from its definition; this is exact, since FOIL draws nothing at random."""
    estimator, say = training.estimator, page.say
    page.section(say("data"))
    page.text(say("foil_rule", accuracy=fixed(estimator.min_accuracy)))
    found: list[str] = []
    sets = estimator.value_sets is True or any(estimator.reliability_.values())
    plain = not (estimator.forbid or estimator.require or estimator.monotone or sets)
    if not plain:
        page.text(say("rules_constrained"))
    for code, label in enumerate(training.classes):
        page.section(say("rules_for", label=label))
        found += Covering(page, training, code).write()
    page.facts["rules"] = found
    _result(page, training)


class Covering:
    """The rules of one class, one after the other, until its rows are covered."""

    def __init__(self, page: Page, training: Training, code: int) -> None:
        self.page, self.say, self.training, self.code = page, page.say, training, code
        self.estimator = training.estimator

    def write(self) -> list[str]:
        """Write the search for each rule; return the rules."""
        rows, found = np.arange(len(self.training.y)), list[str]()
        while (self.training.y[rows] == self.code).any() and len(found) < (self.estimator.max_rules or 1 << 30):
            self.page.section(self.say("rule_number", n=len(found) + 1), level=2)
            conditions, covered = self._grow(rows, first=not found)
            positive, negative = self._weights(covered)
            accuracy = positive / (positive + negative)
            if not conditions or accuracy < self.estimator.min_accuracy:
                self.page.text(self.say("rule_refused", accuracy=f"{fraction(positive, positive + negative)}"))
                break
            text = " AND ".join(map(str, conditions))
            found.append(f"IF {text} THEN {self.training.classes[self.code]}")
            mine = covered[self.training.y[covered] == self.code]
            self.page.text(
                self.say("rule_accepted", rule=found[-1], positive=count(positive), negative=count(negative))
            )
            rows = np.setdiff1d(rows, mine)
            left = int((self.training.y[rows] == self.code).sum())
            self.page.text(self.say("positives_left", n=left))
        return found

    def _weights(self, rows: np.ndarray) -> tuple[float, float]:
        counts = self.training.class_weights(rows)
        return float(counts[self.code]), float(counts.sum() - counts[self.code])

    def _grow(self, rows: np.ndarray, first: bool) -> tuple[list[Condition], np.ndarray]:
        conditions: list[Condition] = []
        start = self.training.class_weights(rows).sum()
        while len(conditions) < (self.estimator.max_conditions or 1 << 30):
            before = self._weights(rows)
            if before[1] == 0:
                break
            tried = self._try(rows, before)
            if not tried or tried[0].score <= self.estimator.min_gain:
                self.page.text(self.say("nothing_gains"))
                break
            best = tried[0]
            self._show(tried, before, conditions)
            if first and not conditions:
                self.page.facts.setdefault("first_conditions", {})[self.training.classes[self.code]] = {
                    str(each.condition): each.score for each in tried
                }
            if self.estimator.encoding_limit and self._bits(len(conditions) + 1) > covering_bits(start, best.positive):
                self.page.text(self.say("too_long"))
                break
            conditions.append(best.condition)
            rows = best.rows
        return conditions, rows

    def _try(self, rows: np.ndarray, before: tuple[float, float]) -> list[Tried]:
        found = []
        for condition in conditions_of(self.training, rows, self.estimator.negation):
            met = rows[np.asarray(condition.match(self.training.matrix))[rows] == 1]
            positive, negative = self._weights(met)
            if 0 < len(met) < len(rows) and positive >= self.estimator.min_positive:
                found.append(Tried(condition, met, positive, negative, foil_gain(positive, negative, *before)))
        return sorted(found, key=lambda each: -round(each.score, 12))

    def _show(self, tried: list[Tried], before: tuple[float, float], so_far: list[Condition]) -> None:
        page, say = self.page, self.say
        if so_far:
            page.text(say("rule_so_far", rule=" AND ".join(map(str, so_far))))
        page.text(say("covered_before", positive=count(before[0]), negative=count(before[1])))
        rows = [[str(t.condition), count(t.positive), count(t.negative), fixed(t.score)] for t in tried]
        columns = [say("col_condition"), "pos'", "neg'", say("foil_gain")]
        page.table(columns, rows, chosen=[0], most=_SHOWN)
        best = tried[0]
        after, start = fraction(best.positive, best.positive + best.negative), fraction(before[0], sum(before))
        page.formula(
            f"{say('foil_gain')}({best.condition}) = {count(best.positive)}·[log2({after}) − log2({start})] "
            f"= {fixed(best.score)}"
        )

    def _bits(self, length: int) -> float:
        """Bits that a rule with this number of conditions takes to write."""
        matrix = self.training.matrix
        possible = 2 * sum(len(np.unique(c[~np.isnan(c)])) for c in matrix.numeric.T) + int(matrix.n_categories.sum())
        return length * (1 + float(np.log2(max(possible, 1)))) - float(np.log2(np.arange(1, length + 1)).sum())


# -- other learners ----------------------------------------------------------------------------------------------------
def trace_rules(page: Page, training: Training) -> None:
    """The rules of CN2, AQ and RIPPER, condition by condition, on the rows that earlier rules left uncovered.

    These learners search in a beam, from random seeds or on random parts of the rows. The trace does not show that
    search, but how much each condition of an accepted rule changes its scores.
    """
    say, learner = page.say, training.estimator._learner_id
    page.section(say("data"))
    page.text(say(f"{learner}_rule"))
    page.text(say("rules_replayed"))
    rows = np.arange(len(training.y))
    page.section(say("rules_found"))
    ordered = training.estimator.rules().resolution in ("first",)
    for number, rule in enumerate(training.estimator.rules(), start=1):
        if not rule.conditions:
            continue
        page.section(say("rule_number", n=number), level=2)
        rows = _read_rule(page, training, rule, rows if ordered else np.arange(len(training.y)), ordered)
    _result(page, training)


def _read_rule(page: Page, training: Training, rule: Any, rows: np.ndarray, ordered: bool) -> np.ndarray:
    """Add one condition after the other; return the rows the next rule starts from."""
    say, code, k = page.say, rule.code, len(training.classes)
    covered, lines = rows, []
    for condition in rule.conditions:
        before = training.class_weights(covered)
        covered = covered[np.asarray(condition.match(training.matrix))[covered] == 1]
        counts = training.class_weights(covered)
        positive, negative = counts[code], counts.sum() - counts[code]
        gain = foil_gain(positive, negative, before[code], before.sum() - before[code])
        laplace = (positive + 1) / (counts.sum() + k)
        lines.append([str(condition), count(positive), count(negative), fixed(gain), fixed(laplace)])
        lines[-1].append(fixed(float(entropy(counts))))
    columns = [say("col_condition"), "pos", "neg", say("foil_gain"), "Laplace", say("entropy")]
    page.text(say("rule_is", rule=str(rule).split("  [")[0]))
    page.table(columns, lines)
    counts = training.class_weights(covered)
    if training.estimator._learner_id == "cn2" and counts.sum() > 0:
        start = training.class_weights(rows)
        ratio = likelihood_ratio(counts, start / start.sum())
        page.formula(f"LR = 2·Σ n·ln(n/e) = {fixed(ratio)}")
    return np.setdiff1d(rows, covered) if ordered else rows


def _result(page: Page, training: Training) -> None:
    page.section(page.say("rules_result"))
    rules = training.estimator.rules()
    lines = [line for line in rules.to_text().splitlines() if line.startswith(("IF", "ELSE"))]
    page.table([page.say("rule")], [[line] for line in lines])
    page.facts["fitted_rules"] = [str(rule).split("  [")[0] for rule in rules]
