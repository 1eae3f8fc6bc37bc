"""Rules learned by covering: every condition tried with its score, every rule accepted and the rows it covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame, marks_of
from vaglio.document.document import Page
from vaglio.document.impurity import entropy
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.learners.rules.estimators.foil import covering_bits
from vaglio.learners.rules.forms.text import rule_text
from vaglio.messages.message import text
from vaglio.model.condition import Condition, RangeCondition, SetCondition, condition_text, value_text

# Conditions per table: the best ones show why the first was chosen.
_SHOWN = 12
_SEARCH = {
    "cn2": text(
        "CN2 keeps the best few conjunctions, specialises each of them, and takes the best one that is significant by "
        "the likelihood-ratio test."
    ),
    "aq": text(
        "AQ takes a row of the class as seed and searches for the best conjunction that covers it and excludes rows of "
        "other classes."
    ),
    "ripper": text(
        "RIPPER grows each rule by FOIL gain on one part of the rows, prunes it on the other part, and stops by "
        "description length. It learns the classes from the rarest to the most frequent."
    ),
}


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


def all_of(say: Notation, conditions: Iterable[Condition]) -> str:
    """Return conditions in the language of the trace, joined by AND."""
    shown = ""
    for condition in conditions:
        one = say.text(condition_text(condition))
        shown = say("{first} AND {more}", first=shown, more=one) if shown else one
    return shown


def trace_foil(page: Page, training: Training) -> None:
    """FOIL, computed again from its definition; this is exact, since FOIL draws nothing at random."""
    estimator, say = training.estimator, page.say
    page.section(say("The data"))
    page.text(
        say(
            "For each class, a rule starts empty and takes the condition with the largest FOIL gain = "
            "pos'·[log2(pos'/(pos'+neg')) − log2(pos/(pos+neg))], until it covers no other class. The rows of the "
            "class that it covers are then removed, and the search for the next rule begins."
        )
    )
    if estimator.min_accuracy:
        page.text(
            say(
                "A rule is accepted if at least {accuracy:.0%} of the rows it covers belong to the class.",
                accuracy=estimator.min_accuracy,
            )
        )
    found: list[str] = []
    sets = estimator.value_sets is True or any(estimator.reliability_.values())
    plain = not (estimator.forbid or estimator.require or estimator.monotone or sets)
    if not plain:
        page.text(say("The parameters set constraints or allow sets of values. Here every single condition is tried."))
    for code, label in enumerate(training.classes):
        page.section(say("Rules for {label}", label=label))
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
            self.page.section(self.say("Rule {n}", n=len(found) + 1), level=2)
            conditions, covered = self._grow(rows, first=not found)
            positive, negative = self._weights(covered)
            accuracy = positive / (positive + negative)
            if not conditions or accuracy < self.estimator.min_accuracy:
                self.page.text(
                    self.say(
                        "Rejected: only {accuracy} of the rows it covers belong to the class. No more rules are "
                        "learned for this class.",
                        accuracy=f"{self.say.fraction(positive, positive + negative)}",
                    )
                )
                break
            self.page.about_rows(covered)
            label = self.training.classes[self.code]
            found.append(f"IF {' AND '.join(map(str, conditions))} THEN {label}")
            shown = self.say("IF {conditions} THEN {label}", conditions=all_of(self.say, conditions), label=label)
            mine = covered[self.training.y[covered] == self.code]
            self.page.text(
                self.say(
                    "Accepted: {rule}. It covers {positive} rows of the class and {negative} other rows.",
                    rule=shown,
                    positive=self.say.count(positive),
                    negative=self.say.count(negative),
                )
            )
            rows = np.setdiff1d(rows, mine)
            left = int((self.training.y[rows] == self.code).sum())
            self.page.text(self.say("Rows of the class not covered yet: {n}.", n=left))
        return found

    def _weights(self, rows: np.ndarray) -> tuple[float, float]:
        counts = self.training.class_weights(rows)
        return float(counts[self.code]), float(counts.sum() - counts[self.code])

    def _grow(self, rows: np.ndarray, first: bool) -> tuple[list[Condition], np.ndarray]:
        conditions: list[Condition] = []
        start, matrix = self.training.class_weights(rows).sum(), self.training.matrix
        possible = 2 * sum(len(np.unique(c[~np.isnan(c)])) for c in matrix.numeric.T) + int(matrix.n_categories.sum())
        while len(conditions) < (self.estimator.max_conditions or 1 << 30):
            before = self._weights(rows)
            if before[1] == 0:
                break
            tried = self._try(rows, before)
            if not tried or tried[0].score <= self.estimator.min_gain:
                self.page.text(self.say("No further condition has a gain."))
                break
            best = tried[0]
            self._show(tried, before, conditions)
            if first and not conditions:
                self.page.facts.setdefault("first_conditions", {})[self.training.classes[self.code]] = {
                    str(each.condition): each.score for each in tried
                }
            length = len(conditions) + 1
            # Bits that a rule with this number of conditions takes to write.
            bits = length * (1 + float(np.log2(max(possible, 1)))) - float(np.log2(np.arange(1, length + 1)).sum())
            if self.estimator.encoding_limit and bits > covering_bits(start, best.positive):
                self.page.text(
                    self.say(
                        "Encoding the rule would take more bits than encoding the rows it covers: no further "
                        "condition is added."
                    )
                )
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
            page.text(say("So far: {rule}.", rule=all_of(say, so_far)))
        page.text(
            say(
                "Covered: pos = {positive}, neg = {negative}.",
                positive=say.count(before[0]),
                negative=say.count(before[1]),
            )
        )
        rows = [
            [say.text(condition_text(t.condition)), say.count(t.positive), say.count(t.negative), say.fixed(t.score)]
            for t in tried
        ]
        columns = [say("condition"), "pos'", "neg'", say("FOIL gain")]
        page.table(columns, rows, chosen=[0], most=_SHOWN)
        best = tried[0]
        after, start = say.fraction(best.positive, best.positive + best.negative), say.fraction(before[0], sum(before))
        page.formula(
            f"{say('FOIL gain')}({say.text(condition_text(best.condition))}) = "
            f"{say.count(best.positive)}·[log2({after}) − log2({start})] = {say.fixed(best.score)}"
        )


# -- other learners ----------------------------------------------------------------------------------------------------
def trace_rules(page: Page, training: Training) -> None:
    """The rules of CN2, AQ and RIPPER, condition by condition, on the rows that earlier rules left uncovered.

    These learners search in a beam, from random seeds or on random parts of the rows. The trace does not show that
    search, but how much each condition of an accepted rule changes its scores.
    """
    say, learner = page.say, training.estimator._learner_id
    page.section(say("The data"))
    page.text(say.text(_SEARCH[learner]))
    page.text(
        say(
            "The search itself compares many conjunctions at once or uses a random part of the rows. Here "
            "each accepted rule is shown condition by condition, with its scores on the rows that earlier "
            "rules left uncovered."
        )
    )
    rows = np.arange(len(training.y))
    page.section(say("The rules found"))
    ordered = training.estimator.rules().resolution in ("first",)
    for number, rule in enumerate(training.estimator.rules(), start=1):
        if not rule.conditions:
            continue
        page.section(say("Rule {n}", n=number), level=2)
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
        lines.append(
            [
                say.text(condition_text(condition)),
                say.count(positive),
                say.count(negative),
                say.fixed(gain),
                say.fixed(laplace),
            ]
        )
        lines[-1].append(say.fixed(float(entropy(counts))))
    page.about_rows(covered)
    columns = [say("condition"), "pos", "neg", say("FOIL gain"), "Laplace", say("entropy")]
    page.text(say.text(rule_text(rule)))
    page.table(columns, lines)
    counts = training.class_weights(covered)
    if training.estimator._learner_id == "cn2" and counts.sum() > 0:
        start = training.class_weights(rows)
        ratio = likelihood_ratio(counts, start / start.sum())
        page.formula(f"LR = 2·Σ n·ln(n/e) = {say.fixed(ratio)}")
    return np.setdiff1d(rows, covered) if ordered else rows


def _result(page: Page, training: Training) -> None:
    page.section(page.say("The rules of the model"))
    say, rules = page.say, training.estimator.rules()
    lines = []
    for rule in rules:
        counts = {"correct": say.count(rule.positives), "covered": say.count(sum(rule.covered))}
        lines.append([say.text(rule_text(rule)), say("{correct} of {covered}", **counts)])
    lines.append([say("ELSE {label}", label=value_text(rules.default_label)), ""])
    page.table([say("rule"), say("correct rows")], lines)
    page.facts["fitted_rules"] = [str(rule) for rule in rules]


def animate_rules(context: AnimationContext) -> list[Frame]:
    """Make one picture per rule."""
    if context.plane is None:
        return []
    rules = context.estimator.rules()
    return [
        Frame(context.say("Rules: {n}", n=n), marks_of(context, replace(rules, entries=rules.entries[:n])))
        for n in range(min(len(rules), MAX_FRAMES) + 1)
    ]
