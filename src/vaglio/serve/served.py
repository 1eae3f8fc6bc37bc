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
from vaglio.messages.printable import is_whole_text
from vaglio.messages.sentences import clip, did_you_mean, listed
from vaglio.model.base import codes_and_proba
from vaglio.serve.counters import Counters
from vaglio.serve.http.application import Deadline
from vaglio.serve.http.responses import refuse
from vaglio.serve.monitor import Monitor, Seen
from vaglio.table import Table

__all__ = ["Answers", "Served"]

# Rows that are computed between two looks at the clock.
_CHUNK = 1024
# Seconds for one row beyond which a model leaves it to a thread, and the rows that are timed.
_SLOW, _TRIALS = 0.002, 5
# Hexadecimal digits of a fingerprint that tell models apart.
_DIGITS = 16

_NUMBER: frozenset[type] = frozenset({int, float, type(None)})
_WORD: frozenset[type] = frozenset({str, type(None)})
_ANY: frozenset[type] = frozenset({str, int, float, bool, type(None)})
_EXPECTED = {_NUMBER: "a number or null", _WORD: "a text or null", _ANY: "a text, a number, true, false or null"}


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


class Served:
    """A model under its name.

    Parameters
    ----------
    name : str
    path : Path
    fitted : Fitted
    monitor : Monitor
    text : int
        Characters that one value may have.
    """

    def __init__(self, name: str, path: Path, fitted: Fitted, monitor: Monitor, text: int) -> None:
        self.name, self.path, self.fitted, self.monitor, self.text = name, path, fitted, monitor, text
        self.one = OneRow(fitted)
        self.labels = self.one.labels
        # Keys of JSON objects are texts, whatever a class is.
        self.keys = None if self.labels is None else [str(label) for label in self.labels]
        self.cost = fitted.deciding_cost
        self.columns = [(feature.name, allowed_types(feature)) for feature in fitted.codebook.columns]
        self.names = fitted.codebook.names
        self.named = fitted.codebook.named
        self.digest = fitted.digest[:_DIGITS]
        self.seconds = self._trial()

    @classmethod
    def load(cls, name: str, path: Path, decide: str | None, counters: Counters, text: int) -> Served:
        """Read a model file, and see that the model answers."""
        fitted = load(path)
        if decide is not None and fitted.cost is not None:
            fitted = fitted.deciding(decide)
        return cls(name, path, fitted, Monitor(name, counters, fitted), text)

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

    @property
    def is_slow(self) -> bool:
        """Whether one row takes so long that others would wait for it."""
        return self.seconds > _SLOW

    # -- one row -------------------------------------------------------------------------------------------------------
    def check(self, row: Any, number: int | None = None) -> dict[str, Any]:
        """Return a row with the columns of the model, if it is one; further columns are dropped.

        Parameters
        ----------
        row : object
            From JSON.
        number : int, optional
            Its place among others, from 1.
        """
        if type(row) is not dict:
            refuse(422, f"{_where(number)} is an object with one value per column, not {_kind(row)}.")
        checked = {}
        for name, types in self.columns:
            try:
                value = checked[name] = row[name]
            except KeyError:
                self._lacks(row, number)
            if type(value) not in types:
                refuse(422, f"{_where(number)}, column {clip(name)!r}: {_kind(value)} is not {_EXPECTED[types]}.")
            if type(value) is str and (len(value) > self.text or not is_whole_text(value)):
                long = len(value) > self.text
                refuse(
                    413 if long else 422,
                    f"{_where(number)}, column {clip(name)!r}: the text "
                    + (f"has more than {self.text:,} characters." if long else "holds half of a surrogate pair."),
                )
        return checked

    def _lacks(self, row: dict[str, Any], number: int | None) -> None:
        absent = [name for name in self.names if name not in row]
        near = did_you_mean(absent[0], [key for key in row if key not in self.names], otherwise="it has", quoted=True)
        hint = f" ({near})" if row else ""
        refuse(
            422,
            f"{_where(number)} lacks {listed(absent, quoted=True)}{hint.replace('.)', ')')}: a row has all columns of "
            "the model, with null where a value is missing.",
        )

    def in_order(self, row: dict[str, Any]) -> Any:
        """Return a row as the model takes it: by names, or in the order of columns that had no names."""
        return row if self.named else [row[name] for name in self.names]

    def of_one(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one row, as it goes into JSON; the monitor does not see it."""
        code, values = self.one.answer(self.in_order(row))
        label = self.one.label_of(code, values)
        answer: dict[str, Any] = {"predicted": label}
        if self.keys is not None and values is not None:
            answer["probabilities"] = dict(zip(self.keys, values))
            if self.cost is not None:
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
            codes, chances = codes_and_proba(fitted.model, matrix, self.cost)
            answers = Answers([self.labels[code] for code in codes.tolist()])
            if chances is not None:
                answers = replace(answers, probabilities=chances.tolist())
            if chances is not None and self.cost is not None:
                best = [self.labels[code] for code in codes_and_proba(fitted.model, matrix)[0].tolist()]
                answers = replace(answers, likeliest=best, costs=self.cost.expected(chances).tolist())
        self.monitor.examine(seen, chunk, matrix, answers.labels)
        return answers

    def explain(self, rows: Sequence[dict[str, Any]], counterfactual: bool, deadline: Deadline) -> list[dict[str, Any]]:
        """Return why each row gets its class, as plain data.

        Parameters
        ----------
        rows : sequence of dict
            Rows that were checked.
        counterfactual : bool
            Whether to look for what would change it.
        deadline : Deadline
        """
        found = []
        for row in rows:
            deadline.check()
            explanation = self.fitted.explain(self.table_of([row]), counterfactual=counterfactual)[0]
            found.append(_plain(explanation.to_dict()))
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
        raise InputError("there-row-predict", "There is no row to predict.")

    def together(lists: list[Any]) -> Any:
        return None if lists[0] is None else [each for part in lists for each in part]

    names = ("labels", "probabilities", "costs", "likeliest")
    return Answers(*(together([getattr(part, name) for part in parts]) for name in names))


def _where(number: int | None) -> str:
    return "The row" if number is None else f"Row {number}"


def _kind(value: object) -> str:
    """Return what a JSON value is, in words."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return "a number"
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _plain(data: Any) -> Any:
    """Return data that JSON can say: texts as keys, no NumPy numbers, null for what is no number."""
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if isinstance(data, np.generic):
        data = data.item()
    if isinstance(data, float) and not np.isfinite(data):
        return None
    return data if data is None or isinstance(data, (str, int, float, bool)) else str(data)
