"""The one form in which every learner explains itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Reason:
    """One thing that spoke for or against the decision.

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
        What spoke for the decision and what against it, strongest first.
    notes : tuple of str
        Remarks a person should know: a default rule, a missing value on the path, a probability that disagrees.
    counterfactual : str or None
        A smallest change found that flips the class.
    """

    decision: Any
    probability: float | None = None
    runner_up: Any = None
    reasons: tuple[Reason, ...] = ()
    against: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    counterfactual: str | None = None

    def to_text(self) -> str:
        """Return the explanation as lines a person reads."""
        lines = [self._headline()]
        lines += [f"  {line}" for line in self._lines("because", self.reasons)]
        lines += [f"  {line}" for line in self._lines("against it", self.against)]
        lines += [f"  note: {note}" for note in self.notes]
        if self.counterfactual:
            lines.append(f"  it would change if {self.counterfactual}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return self.to_text()

    def _headline(self) -> str:
        chance = "" if self.probability is None else f" ({self.probability:.1%})"
        second = "" if self.runner_up is None else f", next {self.runner_up}"
        return f"{self.decision}{chance}{second}"

    @staticmethod
    def _lines(title: str, reasons: tuple[Reason, ...]) -> list[str]:
        if not reasons:
            return []
        lines = []
        for reason in reasons:
            weight = "" if reason.weight is None else f"  [{reason.weight:+.3g}]"
            lines.append(f"  {reason.text}{weight}")
        return [f"{title}:", *lines]

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self._headline())}</b></p>"]
        for title, reasons in (("because", self.reasons), ("against it", self.against)):
            if reasons:
                items = "".join(
                    f"<li>{escape(r.text)}" + ("" if r.weight is None else f" <small>{r.weight:+.3g}</small>") + "</li>"
                    for r in reasons
                )
                parts.append(f"<p>{title}</p><ul>{items}</ul>")
        parts += [f"<p><i>{escape(note)}</i></p>" for note in self.notes]
        if self.counterfactual:
            parts.append(f"<p>It would change if {escape(self.counterfactual)}.</p>")
        return f'<div class="vaglio-explanation">{"".join(parts)}</div>'
