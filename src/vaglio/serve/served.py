"""A model that is being served: what it says of one row at once, and of many rows in a thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import InputError
from vaglio.fitted import Fitted, load
from vaglio.fitted.one_row import OneRow
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text
from vaglio.messages.printable import is_whole_text
from vaglio.messages.sentences import clip, listed, near_names
from vaglio.model.base import codes_and_proba
from vaglio.serve.counters import Counters
from vaglio.serve.http.application import Deadline
from vaglio.serve.http.responses import refuse
from vaglio.serve.monitor import Monitor, Seen
from vaglio.table import Table, matching_columns

__all__ = ["Answers", "MatchedRow", "Served", "plain_json"]

# Rows that are computed between two looks at the clock.
_CHUNK = 1024
# Seconds for one row beyond which a model leaves it to a thread, and the rows that are timed.
_SLOW, _TRIALS = 0.002, 5
# The share of rows whose number lies in the interval that is told with it.
COVERAGE = 0.9
# Hexadecimal digits of a fingerprint that tell models apart.
_DIGITS = 16

_NUMBER: frozenset[type] = frozenset({int, float, type(None)})
_WORD: frozenset[type] = frozenset({str, type(None)})
_ANY: frozenset[type] = frozenset({str, int, float, bool, type(None)})
_EXPECTED = {
    _NUMBER: text("a number or null"),
    _WORD: text("a string or null"),
    _ANY: text("a string, a number, true, false or null"),
}


@dataclass(frozen=True)
class Answers:
    """What a model says of some rows.

    Attributes
    ----------
    labels : list
        The class, or the number, of each row.
    probabilities : list of lists, or None
    costs : list of lists, or None
        What predicting each class is expected to cost, if the model decides by costs.
    likeliest : list, or None
        Then: the most probable class of each row.
    """

    labels: list[Any]
    probabilities: list[list[float]] | None = None
    costs: list[list[float]] | None = None
    likeliest: list[Any] | None = None


class MatchedRow(dict[str, Any]):
    """A row whose columns are written otherwise than in training; the answer tells which."""

    matches: dict[str, str]


class Served:
    """A model under its name.

    Parameters
    ----------
    name : str
    path : Path
    fitted : Fitted
    monitor : Monitor
    longest : int
        Characters that one value may have.
    """

    def __init__(self, name: str, path: Path, fitted: Fitted, monitor: Monitor, longest: int) -> None:
        self.name, self.path, self.fitted, self.monitor, self.longest = name, path, fitted, monitor, longest
        self.one = OneRow(fitted)
        self.labels = self.one.labels
        # Keys of JSON objects are texts, whatever a class is.
        self.keys = None if self.labels is None else [str(label) for label in self.labels]
        self.cost = fitted.decision_cost
        # Costs that stand for a threshold decide, but nobody pays them.
        self.interval = self._interval()
        self.priced = self.cost is not None and self.cost.limit is None
        self.columns = [(feature.name, allowed_types(feature)) for feature in fitted.codebook.columns]
        self.names = fitted.codebook.names
        self.named = fitted.codebook.named
        self.digest = fitted.digest[:_DIGITS]
        self.seconds = self._trial()

    @classmethod
    def load(cls, name: str, path: Path, decide: str | None, counters: Counters, longest: int) -> Served:
        """Read a model file, and see that the model answers."""
        fitted = load(path)
        if decide is not None and fitted.cost is not None:
            fitted = fitted.with_decision_rule(decide)
        return cls(name, path, fitted, Monitor(name, counters, fitted), longest)

    def _trial(self) -> float:
        """Return the seconds that one row takes, after a row without values, which every model answers."""
        self.of_one(dict.fromkeys(self.names))
        codebook = self.fitted.codebook
        spreads = dict(zip((f.name for f in codebook.features if f.in_numeric_block), codebook.spreads))
        row: dict[str, Any] = {}
        for feature in codebook.columns:
            spread = spreads.get(feature.name)
            known = spread.values if spread is not None and feature.kind == "numeric" else feature.categories
            row[feature.name] = known[len(known) // 2] if known and not feature.is_date else None
        taken = []
        for _ in range(_TRIALS):
            # The time of this thread alone: how busy the machine is says nothing about the model.
            began = time.thread_time()
            self.of_one(row)
            taken.append(time.thread_time() - began)
        return min(taken)

    def _interval(self) -> tuple[float, float] | None:
        """Return what is added to a number for the ends of its interval, if the model keeps enough errors for one."""
        residuals = self.fitted.residuals
        return residuals.ends(COVERAGE) if residuals is not None and residuals.most >= COVERAGE else None

    def around(self, number: float) -> dict[str, float]:
        """Return the interval of a number as it goes into JSON."""
        assert self.interval is not None
        low, high = self.interval
        return {"low": number + low, "high": number + high, "coverage": COVERAGE}

    @property
    def is_slow(self) -> bool:
        """Whether one row takes so long that others would wait for it."""
        return self.seconds > _SLOW

    # -- one row -------------------------------------------------------------------------------------------------------
    def check(self, row: object, number: int | None = None) -> dict[str, Any]:
        """Return a row with the columns of the model, if it is one; further columns are dropped.

        Parameters
        ----------
        row : object
            From JSON.
        number : int, optional
            Its place among others, from 1.
        """
        if type(row) is not dict:
            refuse(
                422,
                Message(
                    "row-not-object",
                    "{where}: expected an object with one value per column, not {found}.",
                    where=_where(number),
                    found=_kind(row),
                ),
            )
        checked = {}
        for name, types in self.columns:
            try:
                value = checked[name] = row[name]
            except KeyError:
                return self._matched(row, number)
            if type(value) not in types:
                refuse(
                    422,
                    Message(
                        "value-type",
                        "{where}, column {column!r}: expected {expected}, not {found}.",
                        where=_where(number),
                        column=clip(name),
                        expected=_EXPECTED[types],
                        found=_kind(value),
                    ),
                )
            if type(value) is str and (len(value) > self.longest or not is_whole_text(value)):
                self._refuse_text(value, name, number)
        return checked

    def _matched(self, row: dict[str, Any], number: int | None) -> dict[str, Any]:
        """Return a row whose columns are written otherwise than in training, if every column has its one."""
        try:
            matches = matching_columns(self.names, row)
        except InputError as error:
            refuse(422, error.at(_where(number)).message)
        if len(matches) < len(self.names):
            self._refuse_missing(row, number)
        found = MatchedRow(self.check({name: row[given] for name, given in matches.items()}, number))
        found.matches = {given: name for name, given in matches.items() if given != name}
        return found

    def _refuse_text(self, value: str, name: str, number: int | None) -> None:
        where = {"where": _where(number), "column": clip(name)}
        if len(value) > self.longest:
            refuse(
                413,
                Message(
                    "value-too-long",
                    "{where}, column {column!r}: the text has more than {limit:,} characters.",
                    **where,
                    limit=self.longest,
                ),
            )
        refuse(
            422,
            Message(
                "value-not-unicode",
                "{where}, column {column!r}: the text has half of a surrogate pair.",
                **where,
            ),
        )

    def _refuse_missing(self, row: dict[str, Any], number: int | None) -> None:
        absent = [name for name in self.names if name not in row]
        values = {"where": _where(number), "columns": listed(absent, quoted=True)}
        near = near_names(absent[0], [key for key in row if key not in self.names])
        if near:
            refuse(
                422,
                Message(
                    "row-columns-misspelled",
                    "{where} has no {columns}. Did you write {near} instead? Send every column of the model, "
                    "with null for missing values.",
                    **values,
                    near=listed(near, quoted=True, last="or"),
                ),
            )
        refuse(
            422,
            Message(
                "row-columns-missing",
                "{where} has no {columns}. Send every column of the model, with null for missing values.",
                **values,
            ),
        )

    def in_order(self, row: dict[str, Any]) -> Any:
        """Return a row as the model takes it: by names, or in the order of columns that had no names."""
        return row if self.named else [row[name] for name in self.names]

    def of_one(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one row, as it goes into JSON; the monitor does not see it."""
        code, values = self.one.answer(self.in_order(row))
        label = self.one.label_of(code, values)
        answer: dict[str, Any] = {"predicted": label}
        if self.interval is not None:
            answer["interval"] = self.around(label)
        if isinstance(row, MatchedRow):
            answer["matched_columns"] = row.matches
        if self.keys is not None and values is not None:
            answer["probabilities"] = dict(zip(self.keys, values))
            if self.cost is not None and self.priced:
                answer["likeliest"] = self.labels[code]  # type: ignore[index]
                costs = self.cost.expected(np.array([values]))[0]
                answer["expected_costs"] = dict(zip(self.keys, costs.tolist()))
        return answer

    def answer_one(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one row that was checked, and let the monitor see both."""
        answer = self.of_one(row)
        self.monitor.see_row(self.one, row, answer["predicted"])
        return answer

    # -- many rows -----------------------------------------------------------------------------------------------------
    def table_of(self, rows: Sequence[dict[str, Any]]) -> Table:
        """Return rows that were checked as a table with the columns of the model."""
        return Table.from_any({name: [row[name] for row in rows] for name in self.names})

    def of_many(self, table: Table, deadline: Deadline) -> tuple[Answers, Seen]:
        """Return the answers to the rows of a table, and what the monitor should know of them.

        Parameters
        ----------
        table : Table
        deadline : Deadline
        """
        parts = []
        seen = self.monitor.nothing()
        for start in range(0, len(table), _CHUNK):
            deadline.check()
            part = self._of_chunk(table[start : start + _CHUNK], seen)
            parts.append(part)
        return _joined(parts), seen

    def _of_chunk(self, chunk: Table, seen: Seen) -> Answers:
        fitted = self.fitted
        matrix = fitted.codebook.encode(chunk)
        if self.labels is None:
            answers = Answers(fitted.predict_encoded(matrix).tolist())
        else:
            codes, chances = codes_and_proba(fitted.model, matrix, self.cost, fitted.calibration)
            answers = Answers([self.labels[code] for code in codes.tolist()])
            if chances is not None:
                answers = replace(answers, probabilities=chances.tolist())
            if chances is not None and self.cost is not None and self.priced:
                best = [self.labels[code] for code in codes_and_proba(fitted.model, matrix)[0].tolist()]
                answers = replace(answers, likeliest=best, costs=self.cost.expected(chances).tolist())
        self.monitor.examine(seen, chunk, matrix, answers.labels)
        return answers

    def explain(
        self,
        rows: Sequence[dict[str, Any]],
        counterfactual: bool,
        changeable: Sequence[str],
        locale: Locale,
        deadline: Deadline,
    ) -> list[dict[str, Any]]:
        """Return why each row gets its class, as plain data.

        Parameters
        ----------
        rows : sequence of dict
            Rows that were checked.
        counterfactual : bool
            Whether to look for what would change it.
        changeable : sequence of str
            Columns that this may change although their names say that nobody can.
        locale : Locale
            The language of the reasons.
        deadline : Deadline
        """
        found = []
        for row in rows:
            deadline.check()
            table = self.table_of([row])
            explanation = self.fitted.explain(table, counterfactual=counterfactual, changeable=changeable)[0]
            found.append(plain_json(explanation.to_dict(), locale))
        return found


def allowed_types(feature: Feature) -> frozenset[type]:
    """Return the types of JSON values that a column takes."""
    if feature.kind == "text" or feature.is_date:
        return _WORD
    return _NUMBER if feature.kind == "numeric" else _ANY


def _joined(parts: list[Answers]) -> Answers:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        raise InputError("no-rows-to-predict", "There are no rows to predict.")

    def together(lists: list[Any]) -> Any:
        return None if lists[0] is None else [each for part in lists for each in part]

    names = ("labels", "probabilities", "costs", "likeliest")
    return Answers(*(together([getattr(part, name) for part in parts]) for name in names))


def _where(number: int | None) -> Message:
    return text("The row") if number is None else text("Row {number:,}", number=number)


def _kind(value: object) -> str:
    """Return what a JSON value is, in words."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return text("a number")
    return (
        text("a string") if isinstance(value, str) else text("a list") if isinstance(value, list) else text("an object")
    )


def plain_json(data: object, locale: Locale) -> Any:
    """Return data in the types of JSON: strings as keys, null for numbers that are not finite, messages in a language.

    Parameters
    ----------
    data : object
    locale : Locale
    """
    if isinstance(data, dict):
        return {str(key): plain_json(value, locale) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain_json(value, locale) for value in data]
    if isinstance(data, str):
        return locale.text(data)
    if isinstance(data, np.generic):
        data = data.item()
    if isinstance(data, float) and not np.isfinite(data):
        return None
    return data if data is None or isinstance(data, (str, int, float, bool)) else str(data)
