"""Accept or reject a model by a criterion on its figures: ``f1 >= 0.8 and (cost <= 0.5 or recall[yes] >= 0.9)``.

The criterion is read by a small parser of its own; nothing in it is ever run. ``and`` binds before ``or``, as usual.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scipy.special import ndtr, ndtri

from vaglio.errors import InputError
from vaglio.evaluation.figures import ALSO, FIGURES, OF_A_CLASS, check_figure, names_of
from vaglio.evaluation.labels import find_label
from vaglio.evaluation.metrics.intervals import Estimate
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import did_you_mean

if TYPE_CHECKING:
    from vaglio.evaluation._evaluated_rows import EvaluatedRows
    from vaglio.model.families import Task

__all__ = ["Acceptance", "Check", "Criterion"]

NAMES = tuple(dict.fromkeys(name for task in FIGURES for name in names_of(task)))

_ORDERS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_TOKEN = re.compile(
    r"""\s*(?:(?P<order>>=|<=|>|<)
    |(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?)
    |(?P<name>[A-Za-z_]\w*)(?:\[(?P<label>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]]*)\])?(?:\.(?P<end>\w+))?
    |(?P<bracket>[()]))""",
    re.VERBOSE,
)
# Chance of a wrong acceptance that needs no mention.
_UNLIKELY = 0.05
_EXAMPLE = '"f1 >= 0.8 and recall[yes] >= 0.9"'


@dataclass(frozen=True)
class Check:
    """One comparison of a criterion.

    Attributes
    ----------
    measure : str
        As it was written, for example ``recall[yes]``.
    order : {">=", "<=", ">", "<"}
    limit : float
    value : float or None
        What was measured; None if that is undefined, which never meets a limit.
    interval : Estimate or None
        The measure with its interval, if it has one and the comparison is not with an end of it.
    n_rows : int
        Number of rows it was measured on.
    """

    measure: str
    order: str
    limit: float
    value: float | None
    interval: Estimate | None = None
    n_rows: int = 0

    @property
    def met(self) -> bool:
        """Whether the measure meets the limit."""
        return self.value is not None and _ORDERS[self.order](self.value, self.limit)

    @property
    def risk(self) -> float | None:
        """How likely the true value misses a limit that the measured one meets; None without an interval.

        From the distance to the limit in halves of the interval: .5 where the measured value is the limit itself.
        """
        if self.interval is None or not self.met:
            return None
        value, at_least = self.interval.value, self.order in (">=", ">")
        reach = value - self.interval.low if at_least else self.interval.high - value
        distance = abs(value - self.limit)
        if reach <= 0:
            return 0.0 if distance else 0.5
        return float(ndtr(-distance / reach * ndtri(0.5 + self.interval.confidence / 2)))

    def __str__(self) -> str:
        return str(self.in_words())

    __repr__ = __str__

    def in_words(self) -> Message:
        """Return what was measured, with its interval, and whether it meets the limit."""
        value = text("undefined") if self.value is None else _written(self.value)
        if self.interval is not None:
            value = text(
                "{value} ({low} to {high} on {n:,} {n:row|rows})",
                value=value,
                low=_written(self.interval.low),
                high=_written(self.interval.high),
                n=self.n_rows,
            )
        told = {"measure": self.measure, "value": value, "order": self.order, "limit": self.limit}
        if self.met:
            return text("{measure} is {value}, {order} {limit:g}", **told)
        return text("{measure} is {value}, not {order} {limit:g}", **told)

    def warning(self) -> Message | None:
        """Return how likely the true value misses the limit, if that is not unlikely."""
        if self.risk is None or self.risk <= _UNLIKELY:
            return None
        return text(
            "The true {measure} misses the limit with a chance of {risk:.0%}. To be safe, require {bound} {order} "
            "{limit:g}.",
            measure=self.measure,
            risk=self.risk,
            bound=f"{self.measure}.{'low' if self.order in ('>=', '>') else 'high'}",
            order=self.order,
            limit=self.limit,
        )


@dataclass(frozen=True)
class Acceptance:
    """Whether the figures of a model meet a criterion, and which of its comparisons do.

    Attributes
    ----------
    criterion : str
        As it was written.
    accepted : bool
    checks : tuple of Check
        Every comparison of the criterion, in its order.
    """

    criterion: str
    accepted: bool
    checks: tuple[Check, ...]

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return str(self.in_words())

    __repr__ = __str__

    def in_words(self) -> Message:
        """Return the verdict in a sentence; if it may be wrong, how likely that is."""
        checks = join("; ", [check.in_words() for check in self.checks])
        if not self.accepted:
            return text("Rejected: {checks}.", checks=checks)
        accepted = text("Accepted: {checks}.", checks=checks)
        return join(" ", [accepted, *(told for check in self.checks if (told := check.warning()) is not None)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON and for the model file."""
        return {
            "criterion": self.criterion,
            "accepted": self.accepted,
            "text": self.in_words(),
            "checks": [_as_data(check) for check in self.checks],
        }


def _written(value: float) -> Number:
    """Four decimals; of a figure in units that are large or small, as many digits as tell it apart."""
    return Number(f"{value:.4f}" if 1e-3 <= abs(value) < 1000 or value == 0 else f"{value:.6g}")


def _as_data(check: Check) -> dict[str, Any]:
    data = {name: getattr(check, name) for name in ("measure", "order", "limit", "value", "met")}
    if check.interval is None:
        return data
    ends = {"low": check.interval.low, "high": check.interval.high, "rows": check.n_rows}
    return {**data, **ends, **({} if check.risk is None else {"risk": check.risk})}


@dataclass(frozen=True)
class _Comparison:
    name: str
    label: str | None
    end: str | None
    order: str
    limit: float

    @property
    def measure(self) -> str:
        return (
            self.name + ("" if self.label is None else f"[{self.label}]") + ("" if self.end is None else f".{self.end}")
        )

    def check(self, evaluation: EvaluatedRows) -> Check:
        check_figure(self.name, evaluation.task)
        of: Any = evaluation
        label = None if self.label is None else find_label(self.label, of.labels)
        found = evaluation.estimate(self.name, label)
        if found is None or math.isnan(found.value):
            return Check(self.measure, self.order, self.limit, None)
        bounded = math.isfinite(found.low) and math.isfinite(found.high)
        if self.end is not None and not bounded:
            raise InputError(
                "measure-without-interval",
                "{name} has no interval here. Leave out .{end}.",
                name=self.name,
                end=self.end,
            )
        interval = found if bounded and self.end is None else None
        value = getattr(found, self.end or "value")
        return Check(self.measure, self.order, self.limit, float(value), interval, evaluation.n_rows)


# A criterion: one comparison, or "and" or "or" and its parts.
_Tree = _Comparison | tuple[str, list[Any]]


@dataclass(frozen=True)
class Criterion:
    """A criterion, read and checked: an unknown measure or a slip is reported before any work is done.

    Parameters
    ----------
    text : str
        Comparisons of measures with numbers, joined by ``and``, ``or`` and parentheses. ``recall[yes]`` is the recall
        of the class *yes*, ``accuracy.low`` and ``cost.high`` are ends of confidence intervals, 80% is the number 0.8.

    Examples
    --------
    >>> from vaglio.evaluation import Evaluation
    >>> result = Evaluation.from_predictions(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> print(result.accept("accuracy >= 0.9"))
    Rejected: accuracy is 0.7500 (0.3006 to 0.9544 on 4 rows), not >= 0.9.
    """

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tree", _Reader(self.text).whole())

    def check_task(self, task: Task) -> None:
        """Refuse a criterion with a measure of the other task: of classes where numbers are predicted, and reversely.

        Parameters
        ----------
        task : {"classification", "regression"}
        """
        for name in _names(self._tree):  # type: ignore[attr-defined]
            check_figure(name, task)

    def decide(self, evaluation: EvaluatedRows) -> Acceptance:
        """Compare the criterion with the figures of a model.

        Parameters
        ----------
        evaluation : Evaluation or RegressionEvaluation
        """
        checks: list[Check] = []
        accepted = _decide(self._tree, evaluation, checks)  # type: ignore[attr-defined]
        return Acceptance(self.text, accepted, tuple(checks))


def _names(tree: _Tree) -> list[str]:
    return [tree.name] if isinstance(tree, _Comparison) else [name for part in tree[1] for name in _names(part)]


def _decide(tree: _Tree, evaluation: EvaluatedRows, checks: list[Check]) -> bool:
    if isinstance(tree, _Comparison):
        checks.append(tree.check(evaluation))
        return checks[-1].met
    # Every part is looked at, also where the first decides: a person wants to see all figures.
    parts = [_decide(part, evaluation, checks) for part in tree[1]]
    return all(parts) if tree[0] == "and" else any(parts)


class _Reader:
    """Reads a criterion by recursive descent."""

    def __init__(self, criterion: str) -> None:
        self.text, self.at = criterion, 0
        self.tokens: list[re.Match[str]] = []
        place = 0
        while criterion[place:].strip():
            found = _TOKEN.match(criterion, place)
            if found is None:
                raise self._error(text("cannot read {words!r}", words=criterion[place:].strip()[:20]))
            self.tokens.append(found)
            place = found.end()

    def whole(self) -> _Tree:
        tree = self._joined("or", 0)
        if self.at < len(self.tokens):
            raise self._error(text("'and' or 'or' is missing before {words!r}", words=self._peek()))
        return tree

    def _joined(self, word: str, depth: int) -> _Tree:
        if depth > 100:
            raise self._error(text("it has too many parentheses"))
        parts = [self._joined("and", depth) if word == "or" else self._part(depth)]
        while self._accept(word):
            parts.append(self._joined("and", depth) if word == "or" else self._part(depth))
        return parts[0] if len(parts) == 1 else (word, parts)

    def _part(self, depth: int) -> _Tree:
        if self._accept("("):
            tree = self._joined("or", depth + 1)
            if not self._accept(")"):
                raise self._error(text("a closing parenthesis is missing"))
            return tree
        return self._comparison()

    def _comparison(self) -> _Comparison:
        found = self._take("name", text("the name of a measure"))
        name, label, end = found["name"], found["label"], found["end"]
        if name not in NAMES:
            raise InputError(
                "unknown-measure",
                "There is no measure {measure!r}; {hint}",
                measure=name,
                hint=did_you_mean(name, NAMES, most=len(NAMES)),
            )
        if label is not None and ALSO.get(name, name) not in OF_A_CLASS:
            raise self._error(
                text("{name} is a measure of all classes together, so leave out [{label}]", name=name, label=label)
            )
        if end is not None and end not in ("low", "high"):
            raise self._error(text("an interval has .low and .high, not .{end}", end=end))
        order = self._take("order", text("one of >=, <=, > and <"))["order"]
        number = self._take("number", text("a number"))["number"]
        limit = float(number.rstrip("%")) / (100 if number.endswith("%") else 1)
        return _Comparison(name, None if label is None else _unquoted(label), end, order, limit)

    def _take(self, kind: str, what: Message) -> re.Match[str]:
        if self.at >= len(self.tokens) or self.tokens[self.at][kind] is None:
            if self._peek() is None:
                raise self._error(text("expected {what} at the end", what=what))
            raise self._error(text("expected {what} at {words!r}", what=what, words=self._peek()))
        self.at += 1
        return self.tokens[self.at - 1]

    def _peek(self) -> str | None:
        return self.tokens[self.at].group().strip() if self.at < len(self.tokens) else None

    def _accept(self, word: str) -> bool:
        here = self._peek()
        found = here is not None and here.lower() == word
        self.at += found
        return found

    def _error(self, what: Message) -> InputError:
        return InputError(
            "wrong-criterion",
            "Cannot read the criterion {criterion!r}: {what}. Write for example {example}.",
            criterion=self.text,
            what=what,
            example=_EXAMPLE,
        )


def _unquoted(label: str) -> str:
    if len(label) >= 2 and label[0] == label[-1] and label[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", label[1:-1])
    return label.strip()
