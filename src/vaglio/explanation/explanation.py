"""The one form of an explanation, the same for every learner, and how it is made from a model and rows.

The reasons differ by kind of model: the module of each family makes them. This module makes what all kinds have in
common: the sentences, conditions as reasons, notes about unknown values, and the call that finds the counterfactual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.explanation.context import PROPOSED_DIGITS, Context, shown
from vaglio.messages.figures import figure
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Number, Option, join, text
from vaglio.messages.options import changing
from vaglio.messages.sentences import listed
from vaglio.model.condition import Condition, LinearCondition, condition_text
from vaglio.model.families import KINDS, Lookup
from vaglio.runtime.arguments import checked

if TYPE_CHECKING:
    from vaglio.model.base import Model

# Classes whose expected cost is told; those of least cost.
_MOST_COSTS = 5
# Measures of weights that are in the unit of the number that is predicted.
_IN_UNITS = ("share-in-mean", "share-in-prediction", "lost-prediction")
# Columns named beside a predicted number; what the others add is one term.
_MOST_TERMS = 3
# Similar training rows that are named: a person compares a few rows, not many.
_MOST_SIMILAR = 3
# Explanations that are shown together.
_MOST_SHOWN = 20


# -- the form ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Reason:
    """One reason for or against the decision.

    Attributes
    ----------
    text : str
        In the names and units of the user's table, e.g. ``"flipper_length_mm <= 206"``; a message, which a locale
        writes in another language.
    feature : str or None
        The column it is about; None when it is about several or none.
    value : object
        What the row has there; None when missing or not about one column.
    weight : float or None
        How much it counts, in the learner's own measure (log-odds, votes, contribution); None for a crisp condition.
    """

    text: str
    feature: str | None = None
    value: Any = None
    weight: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON: the text with its code and values, column, value and weight."""
        return {**_as_data(self.text), "feature": self.feature, "value": self.value, "weight": self.weight}


@dataclass(frozen=True)
class Change:
    """One value that would change.

    Attributes
    ----------
    feature : str
        The column.
    value : object
        What the row has there; None when missing.
    instead : object
        What it would be. In a column of free text: the word that would be left out, or added.
    is_word : bool
        Whether it is about a word.
    """

    feature: str
    value: Any
    instead: Any
    is_word: bool = False

    @property
    def in_words(self) -> Message:
        """The change as the end of "it would be … if …"."""
        if self.is_word and self.value == "no":
            return Message("word-added", "{column} had the word “{word}”", column=self.feature, word=self.instead)
        if self.is_word:
            return Message(
                "word-removed", "{column} did not have the word “{word}”", column=self.feature, word=self.instead
            )
        instead = shown(self.instead, PROPOSED_DIGITS)
        if self.value is None:
            return Message(
                "value-filled", "{column} were {instead} (it is missing)", column=self.feature, instead=instead
            )
        return Message(
            "value-changed",
            "{column} were {instead} instead of {value}",
            column=self.feature,
            instead=instead,
            value=shown(self.value),
        )

    def __str__(self) -> str:
        return str(self.in_words)


@dataclass(frozen=True)
class Counterfactual:
    """A smallest change found that gives the row another class, or moves its number; it was checked by the model.

    Small means: fewest columns first, then least distance, with a number measured in standard deviations of the
    training rows, an ordered category by its share of the scale, any other category and a missing value counting 1.
    Whole numbers stay whole, and values stay within those training saw.

    Attributes
    ----------
    changes : tuple of Change
    decision : object
        The class the row would get.
    distance : float
        Sum over the changes, as above.
    goal : str or None
        Of a predicted number: how far it would move, as a message such as "at least 10% lower".
    """

    changes: tuple[Change, ...]
    decision: Any
    distance: float
    goal: str | None = None

    @property
    def in_words(self) -> str:
        """The changes as the end of "it would be … if …"."""
        return listed([change.in_words for change in self.changes], len(self.changes))

    def __str__(self) -> str:
        return str(self.in_words)


@dataclass(frozen=True)
class Explanation:
    """The decision for one row, and why.

    Attributes
    ----------
    decision : object
        The class (or number) given.
    probability : float or None
        Of the decision; None where the learner means no probability.
    runner_up : object
        The second most likely class, or None.
    reasons, against : tuple of Reason
        Reasons for the decision and against it, strongest first.
    notes : tuple of str
        Messages about what a person should know: a default rule, a missing value on the path, a probability that
        disagrees.
    counterfactual : Counterfactual or None
        A smallest change found that flips the class, checked by the model; None when none was found or looked for.
    measure : str or None
        What the weights of the reasons are; None where they have none.
    total : float or None
        What the weights of all reasons, for and against, add up to; None where they are not meant to be added.
    expected_costs : dict or None
        Of a model that decides by costs: what predicting each class is expected to cost; the decision costs least.
    likeliest : object
        Of such a model: the most probable class, which may be another than the decision.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.C45Classifier().fit(X, y)
    >>> print(model.explain(X[[200]])[0])  # doctest: +NORMALIZE_WHITESPACE
    Gentoo (100.0%), next Chinstrap
      because:
        flipper_length_mm > 206.5
        island = Biscoe
      note: the leaf holds 122.4 training rows, 122.4 of them Gentoo
      it would be Chinstrap if island were Dream instead of Biscoe
    """

    decision: Any
    probability: float | None = None
    runner_up: Any = None
    reasons: tuple[Reason, ...] = ()
    against: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    counterfactual: Counterfactual | None = None
    measure: str | None = None
    total: float | None = None
    expected_costs: dict[Any, float] | None = None
    likeliest: Any = None

    @property
    def headline(self) -> Message:
        """The decision with its probability and the runner-up, in one line; a number with the terms of its sum."""
        if isinstance(self.decision, float) and self.measure is not None and self.total is not None:
            return self._sum_in_one_line
        decided = _answer(self.decision)
        if self.probability is not None:
            decided = text("{decision} ({probability:.1%})", decision=decided, probability=self.probability)
        if self.runner_up is not None:
            return text("{decided}, next {runner_up}", decided=decided, runner_up=str(self.runner_up))
        return decided if isinstance(decided, Message) else text("{decided}", decided=decided)

    @checked
    def reasons_for(self, label: Any = None) -> tuple[Reason, ...]:
        """Return the reasons for a class, by default the decision.

        What speaks against one of two classes speaks for the other. Reasons that have no sides, as the conditions of a
        rule, are those of the decision.

        Parameters
        ----------
        label : optional
            The class.
        """
        return self.reasons if label is None or label == self.decision or not self.against else self.against

    @property
    def in_units(self) -> bool:
        """Whether the weights of the reasons are in the unit of the number that is predicted."""
        return isinstance(self.decision, float) and getattr(self.measure, "code", "") in _IN_UNITS

    @property
    def _sum_in_one_line(self) -> Message:
        """The number, where its sum starts, and what the strongest columns add."""
        decided = text("{decided}", decided=_answer(self.decision))
        everything = sorted((*self.reasons, *self.against), key=lambda reason: -abs(reason.weight or 0.0))
        starts = [reason for reason in everything if _is_start(reason)]
        others = [reason for reason in everything if not _is_start(reason)]
        if not self.in_units or not starts:
            return decided
        terms: list[str] = [
            text("{amount} on average", amount=figure(reason.weight))
            if _is_mean(reason)
            else text("{amount} to start from", amount=figure(reason.weight))
            for reason in starts
        ]
        named = others[:_MOST_TERMS] if len(others) > _MOST_TERMS + 1 else others
        terms += [text("{amount} for {column}", amount=_signed(r.weight), column=r.text) for r in named]
        rest = others[len(named) :]
        if rest:
            terms.append(text("{amount} for the others", amount=_signed(sum(r.weight or 0.0 for r in rest))))
        return text("{decision}: {terms}", decision=decided, terms=join(", ", terms))

    @property
    def told_for(self) -> tuple[Reason, ...]:
        """The reasons that are listed: the mean that the sum of a number starts at stands in its headline."""
        return self._without_start(self.reasons)

    @property
    def told_against(self) -> tuple[Reason, ...]:
        """The same of those against it."""
        return self._without_start(self.against)

    def _without_start(self, reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
        return tuple(reason for reason in reasons if not (self.in_units and _is_mean(reason)))

    @checked
    def weight_in_words(self, reason: Reason) -> str:
        """Return the weight of a reason as text: in the unit of the predicted number, or with three digits."""
        if reason.weight is None:
            return ""
        return _signed(reason.weight) if self.in_units else Number(f"{reason.weight:+.3g}")

    @property
    def sum_in_words(self) -> Message | None:
        """What the weights are and what they add up to; None where there are none."""
        if self.measure is None:
            return None
        if self.total is None:
            return text("weights: {measure}", measure=self.measure)
        if self.in_units:
            return text("weights: {measure}; together {total}", measure=self.measure, total=figure(self.total, 6))
        return text("weights: {measure}; together {total:+.3g}", measure=self.measure, total=self.total)

    @property
    def cost_in_words(self) -> Message | None:
        """That the decision was made by costs, and what each class is expected to cost; None where it was not."""
        if self.expected_costs is None:
            return None
        cheapest = sorted(self.expected_costs.items(), key=lambda entry: entry[1])
        named = [text("{label} {cost}", label=str(label), cost=shown(cost)) for label, cost in cheapest[:_MOST_COSTS]]
        told = text("decided by least expected cost: {costs}", costs=join(", ", named))
        if len(cheapest) > _MOST_COSTS:
            more = len(cheapest) - _MOST_COSTS
            told = text("{costs}, and {n:,} more {n:class|classes}", costs=told, n=more)
        if self.likeliest == self.decision:
            return told
        return text("{costs}; the most probable class is {label}", costs=told, label=str(self.likeliest))

    @property
    def change_in_words(self) -> Message | None:
        """The smallest change that was found; None where there is none."""
        if self.counterfactual is None:
            return None
        if self.counterfactual.goal is not None:
            return text(
                "it would be {goal} ({decision}) if {changes}",
                goal=self.counterfactual.goal,
                decision=_answer(self.counterfactual.decision),
                changes=self.counterfactual.in_words,
            )
        return text(
            "it would be {decision} if {changes}",
            decision=str(self.counterfactual.decision),
            changes=self.counterfactual.in_words,
        )

    def to_text(self, lang: str | Locale = "en") -> str:
        """Return the explanation as lines a person reads.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language of the text.
        """
        locale = locale_of(lang)
        lines = [locale.text(self.headline)]
        lines += [f"  {locale.text(self.cost_in_words)}"] if self.cost_in_words else []
        for_it, against_it = locale.say("because:"), locale.say("against it:")
        if self.in_units:
            for_it, against_it = locale.say("it is higher for:"), locale.say("it is lower for:")
        lines += [f"  {line}" for line in self._lines(for_it, self.told_for, locale)]
        lines += [f"  {line}" for line in self._lines(against_it, self.told_against, locale)]
        lines += [f"  {locale.text(self.sum_in_words)}"] if self.sum_in_words else []
        lines += [f"  {locale.say('note: {note}', note=note)}" for note in self.notes]
        lines += [f"  {locale.text(self.change_in_words)}"] if self.change_in_words else []
        return "\n".join(lines)

    def _lines(self, title: str, reasons: tuple[Reason, ...], locale: Locale) -> list[str]:
        if not reasons:
            return []
        lines = []
        for reason in reasons:
            weight = f"  [{locale.text(self.weight_in_words(reason))}]" if reason.weight is not None else ""
            lines.append(f"  {locale.text(reason.text)}{weight}")
        return [title, *lines]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON; reasons and notes with their codes and values, changes also in words.

        The texts are messages, which a page writes in its language.
        """
        data = asdict(self)
        data["reasons"] = [reason.to_dict() for reason in self.reasons]
        data["against"] = [reason.to_dict() for reason in self.against]
        data["notes"] = [_as_data(note) for note in self.notes]
        data["measure"] = self.measure
        if self.counterfactual is not None:
            data["counterfactual"]["text"] = self.counterfactual.in_words
        return data

    def to_html(self, lang: str | Locale = "en") -> str:
        """Return a fragment of HTML with bars for the weights, to be set into any page, light or dark.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language of the text.
        """
        from vaglio.explanation.html import to_fragment

        return to_fragment(self, locale_of(lang))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()


class Explanations(list[Explanation]):
    """The explanations of several rows: a list that prints as text and shows as HTML in a notebook.

    Parameters
    ----------
    iterable : iterable of Explanation

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> vaglio.ID3Classifier(calibrate=None).fit(X, y).explain(X[:2], counterfactual=False)
    Row 1: no (100.0%), next yes
      because:
        outlook = sunny
        humidity = high
      note: the leaf holds 3 training rows, 3 of them no
    <BLANKLINE>
    Row 2: no (100.0%), next yes
      because:
        outlook = sunny
        humidity = high
      note: the leaf holds 3 training rows, 3 of them no
    """

    @overload
    def __getitem__(self, at: SupportsIndex) -> Explanation: ...
    @overload
    def __getitem__(self, at: slice) -> Explanations: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Explanation | Explanations:
        found = super().__getitem__(at)
        return Explanations(found) if isinstance(found, list) else found

    def to_text(self, lang: str | Locale = "en") -> str:
        """Return the explanations as text, of many rows the first twenty.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language of the text.
        """
        locale = locale_of(lang)
        shown = [
            f"{locale.say('Row {n:,}', n=n)}: {each.to_text(locale)}" for n, each in enumerate(self[:_MOST_SHOWN], 1)
        ]
        return "\n\n".join(shown + [locale.text(line) for line in self._rest()])

    def to_html(self, lang: str | Locale = "en") -> str:
        """Return a fragment of HTML, of many rows the first twenty.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language of the text.
        """
        from vaglio.explanation.html import to_fragments

        return to_fragments(self[:_MOST_SHOWN], self._rest(), locale_of(lang))

    def _rest(self) -> list[Message]:
        more = len(self) - _MOST_SHOWN
        return [text("… and {n:,} more {n:row|rows}", n=more)] if more > 0 else []

    def __repr__(self) -> str:
        return self.to_text() if self else "[]"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return self.to_html()


def _answer(decision: Any) -> str:
    """Return a class as it is, and a number that was predicted as a language writes it."""
    return figure(decision, 6) if isinstance(decision, float) else str(decision)


def _is_start(reason: Reason) -> bool:
    return getattr(reason.text, "code", "").startswith("start-")


def _is_mean(reason: Reason) -> bool:
    return getattr(reason.text, "code", "") == "start-at-mean"


def _signed(weight: float | None) -> Number:
    """Return what a column adds to a number, with its sign."""
    told = figure(weight)
    return told if weight is None or weight < 0 else Number(f"+{told}")


def _as_data(told: str) -> dict[str, Any]:
    known = told.as_data() if isinstance(told, Message) and told.code else {"code": "", "values": {}}
    return known | {"text": told}


# -- conditions as reasons ---------------------------------------------------------------------------------------------
def reasons_of(conditions: Iterable[Condition], matrix: EncodedMatrix, row: int, context: Context) -> list[Reason]:
    """Return one reason per condition, with what the row has in its column."""
    reasons = []
    for condition in conditions:
        if isinstance(condition, LinearCondition):
            reasons.append(Reason(condition_text(condition)))
        else:
            column = condition.columns[0]
            value = context.value(matrix, row, column)
            reasons.append(Reason(condition_text(condition), context.features[column].name, value))
    return reasons


# -- from a model and rows to explanations -----------------------------------------------------------------------------
# Kind of model -> why each row got its class. Every kind needs one.
explainers: Lookup[Callable[[Any, EncodedMatrix, Context], list[Explanation]]] = Lookup(lambda family: family.explain)

# Kind of model -> the leaf of each row in each tree, (n, trees), and the weight of each tree; None of a model that is
# not made of trees.
leaves: Lookup[Callable[[Any, EncodedMatrix], tuple[np.ndarray, np.ndarray] | None]] = Lookup(
    lambda family: family.leaves
)


def explain_rows(
    model: Model,
    matrix: EncodedMatrix,
    context: Context,
    counterfactual: bool = True,
    training: EncodedMatrix | None = None,
) -> Explanations:
    """Explain the decision of a model for every row.

    Parameters
    ----------
    model : Model
    matrix : EncodedMatrix
        The rows.
    context : Context
        The names, categories and units of the user's table.
    counterfactual : bool
        Whether to look for what would change the decision.
    training : EncodedMatrix, optional
        The training rows, for an ensemble of trees to name those most like each row.
    """
    explain = explainers.find(model.kind)
    if explain is None:
        raise NotSupportedError("unexplained-kind", "vaglio cannot explain models of kind {kind!r}.", kind=model.kind)
    explanations = explain(model, matrix, context)
    explanations = [
        replace(explanation, notes=(*unknown, *explanation.notes)) if unknown else explanation
        for explanation, unknown in zip(explanations, _unknown(model, matrix, context))
    ]
    if training is not None:
        alike = _similar_rows(model, matrix, training)
        explanations = [replace(e, notes=(*e.notes, note)) for e, note in zip(explanations, alike)]
    if context.cost is not None or context.calibration is not None:
        given = model.predict_proba(matrix)
        if context.calibration is not None:
            explanations = _calibrated(explanations, given, context)
        if context.cost is not None:
            explanations = _with_costs(explanations, context.calibrated(given), context)
    if not counterfactual:
        return Explanations(explanations)
    # Imported late: many callers ask for explanations without counterfactuals.
    from vaglio.explanation.counterfactual import find_counterfactuals

    found = find_counterfactuals(model, matrix, context, explanations)
    return Explanations(
        replace(each, counterfactual=other, notes=(*each.notes, *_kept(each, other, context)))
        for each, other in zip(explanations, found)
    )


def _kept(explanation: Explanation, change: Counterfactual | None, context: Context) -> list[Message]:
    """Say which columns the advice leaves as they are, where they have part in the decision or no advice was found."""
    told = {reason.feature for reason in (*explanation.reasons, *explanation.against)}
    names = [name for name in context.assumed_fixed if change is None or name in told]
    if not names:
        return []
    return [
        Message(
            "columns-kept-fixed",
            "advice keeps {columns} fixed; to allow a change, set {changeable}",
            columns=listed(names, len(names)),
            changeable=changing(names),
        )
    ]


def _calibrated(explanations: list[Explanation], given: np.ndarray, context: Context) -> list[Explanation]:
    """Tell the calibrated probability of every decision, and note what the reasons amount to without it."""
    labels = [context.label(k) for k in range(given.shape[1])]
    found = []
    for explanation, own, chance in zip(explanations, given, context.calibrated(given)):
        k = labels.index(explanation.decision)
        told = Message(
            "calibrated-probability",
            "the probability is calibrated; that of the reasons alone is {probability:.1%}",
            probability=float(own[k]),
        )
        found.append(replace(explanation, probability=float(chance[k]), notes=(*explanation.notes, told)))
    return found


def _with_costs(explanations: list[Explanation], probability: np.ndarray, context: Context) -> list[Explanation]:
    """Add to every explanation what each class is expected to cost, or the threshold."""
    assert context.cost is not None
    if context.cost.limit is not None:
        label, threshold = context.cost.limit
        told = Message(
            "decided-by-threshold",
            "decided by a threshold: {label} from a probability of {threshold:g}",
            label=label,
            threshold=threshold,
        )
        return [replace(explanation, notes=(*explanation.notes, told)) for explanation in explanations]
    labels = [context.label(k) for k in range(probability.shape[1])]
    return [
        replace(explanation, expected_costs=dict(zip(labels, costs)), likeliest=labels[int(np.argmax(chance))])
        for explanation, costs, chance in zip(explanations, context.cost.expected(probability).tolist(), probability)
    ]


def _unknown(model: Model, matrix: EncodedMatrix, context: Context) -> list[list[str]]:
    """Return for every row which values are missing or were never seen, and how the model treats them."""
    notes: list[list[str]] = [[] for _ in range(matrix.n_rows)]
    for (row, j), value in context.unseen.items():
        notes[row].append(
            Message(
                "explained-row-unseen-category",
                "{column} = {value} does not occur in the training set and counts as missing",
                column=context.features[j].name,
                value=shown(value),
            )
        )
    fate = KINDS[model.kind].missing if model.kind in KINDS else None
    if matrix.sparse is None and fate is not None:
        missing = matrix.missing
        for row in np.flatnonzero(missing.any(axis=1)).tolist():
            names = dict.fromkeys(context.features[j].column for j in np.flatnonzero(missing[row]))
            notes[row].append(
                Message(
                    "explained-row-missing-values",
                    "missing values of {columns}: {fate}",
                    fate=fate,
                    columns=listed(names, len(names)),
                )
            )
    return notes


def _similar_rows(model: Model, matrix: EncodedMatrix, training: EncodedMatrix) -> list[str]:
    """Name for each row the training rows that share its leaf in most trees, by their number from 0."""
    find_leaves = leaves.find(model.kind)
    here = None if find_leaves is None else find_leaves(model, matrix)
    there = None if find_leaves is None else find_leaves(model, training)
    if here is None or there is None:
        raise NotSupportedError(
            "similarity-needs-trees",
            "Similar training rows are found by the leaves of many trees, and this model has no trees. Leave "
            "{option} out.",
            option=Option("training"),
        )
    notes: list[str] = []
    for row in here[0]:
        similarity = (there[0] == row) @ here[1]
        nearest = [i for i in np.argsort(-similarity, kind="stable")[:_MOST_SIMILAR].tolist() if similarity[i] > 0]
        named = [text("{row} ({share:.0%})", row=str(i), share=float(similarity[i])) for i in nearest]
        notes.append(
            Message(
                "similar-rows",
                "most similar training rows (counted from 0; share of trees with the same leaf): {rows}",
                rows=join(", ", named) if named else text("none"),
            )
        )
    return notes
