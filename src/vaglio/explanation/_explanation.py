"""The one form of an explanation, the same for every learner."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from vaglio.explanation.counterfactual.counterfactual import Counterfactual


@dataclass(frozen=True)
class Reason:
    """One reason for or against the decision.

    Attributes
    ----------
    text : str
        In the names and units of the user's table, e.g. ``"flipper_length_mm <= 206"``.
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
        Remarks a person should know: a default rule, a missing value on the path, a probability that disagrees.
    counterfactual : Counterfactual or None
        A smallest change found that flips the class, checked by the model; None when none was found or looked for.
    measure : str or None
        What the weights of the reasons are; None where they have none.
    total : float or None
        What the weights of all reasons, for and against, add up to; None where they are not meant to be added.

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

    @property
    def headline(self) -> str:
        """The decision with its probability and the runner-up, in one line."""
        chance = "" if self.probability is None else f" ({self.probability:.1%})"
        second = "" if self.runner_up is None else f", next {self.runner_up}"
        return f"{self.decision}{chance}{second}"

    @property
    def sum_in_words(self) -> str | None:
        """What the weights are and what they add up to; None where there are none."""
        if self.measure is None:
            return None
        return f"weights: {self.measure}" + ("" if self.total is None else f"; together {self.total:+.3g}")

    def to_text(self) -> str:
        """Return the explanation as lines a person reads."""
        lines = [self.headline]
        lines += [f"  {line}" for line in _lines("because", self.reasons)]
        lines += [f"  {line}" for line in _lines("against it", self.against)]
        lines += [f"  {self.sum_in_words}"] if self.sum_in_words else []
        lines += [f"  note: {note}" for note in self.notes]
        if self.counterfactual:
            lines.append(f"  it would be {self.counterfactual.decision} if {self.counterfactual}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON; the counterfactual also in words."""
        data = asdict(self)
        if self.counterfactual is not None:
            data["counterfactual"]["text"] = str(self.counterfactual)
        return data

    def to_html(self) -> str:
        """Return a fragment of HTML with bars for the weights, to be set into any page, light or dark."""
        from vaglio.explanation._html import to_fragment

        return to_fragment(self)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def _lines(title: str, reasons: tuple[Reason, ...]) -> list[str]:
    if not reasons:
        return []
    lines = []
    for reason in reasons:
        weight = "" if reason.weight is None else f"  [{reason.weight:+.3g}]"
        lines.append(f"  {reason.text}{weight}")
    return [f"{title}:", *lines]
