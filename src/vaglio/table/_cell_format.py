"""How the cells of a column are written: decided once, when a table is read first, and kept by the models it trains.

Cells that come later are read by this record, each by itself, and by nothing else: neither the other cells of their
file, nor the format they come in, nor how many rows come with them changes what a cell means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from vaglio.errors import InputError, damaged_model_file
from vaglio.messages.message import Message, text
from vaglio.messages.options import as_missing, reading
from vaglio.table._column import Column, unit_of_words
from vaglio.table._convert import as_date, as_nominal, as_text
from vaglio.table._dates import CLOCK, FORMS, days_like, seconds_of_day
from vaglio.table._numerals import numbers_like
from vaglio.table._words import MISSING, is_no_number, plain_word, tidy, word_counts

KINDS = ("numeric", "nominal", "ordinal", "text", "date")
# From this share of its cells on, a column of numbers with a few words is a column of numbers.
NUMERIC_SHARE = 0.8
_DECIMALS = ("", ".", ",")
# What a model file does not say of a column, or elsewhere.
_UNSTORED = {"kind", "keep", "provisional", "written"}
# Booleans that were written as words: they are 0 and 1 wherever the column holds numbers.
_TRUTH = {"false": 0.0, "true": 1.0}


class Unread(NamedTuple):
    """The cells that are not what their column holds.

    Attributes
    ----------
    cells : Column
        They, as words; missing wherever the cell was read.
    n : int
        How many they are.
    present : int
        How many cells of the column are not missing, these among them.
    """

    cells: Column
    n: int
    present: int

    @property
    def first(self) -> tuple[int, str]:
        """The first of them: its row, from 0, and its text."""
        row = int(np.flatnonzero(~self.cells.missing)[0])
        return row, self.cells.categories[self.cells.data[row]]

    def refusal(self, column: str, cell_format: CellFormat) -> InputError:
        """Return the error that names the first of them."""
        row, cell = self.first
        return InputError(
            "cell-not-read",
            "Column {column!r} has {cell!r} in row {row:,}; expected {expected}.{why} Correct the value, or make it "
            "missing ({missing}).",
            column=column,
            cell=cell,
            row=row + 1,
            expected=cell_format.expected,
            why=cell_format.why(cell),
            missing=as_missing(cell),
        )


@dataclass(frozen=True)
class CellFormat:
    """How the cells of a column are written.

    Attributes
    ----------
    kind : {"numeric", "nominal", "ordinal", "text", "date"}
        What the cells become.
    form : str
        Of dates: "iso", "zoned" (ISO 8601 with a time zone), or the strptime format of the day with the day before the
        month; "" if any date of one meaning is read. Of numbers: "clock" if they are times of day. Of categories:
        "number" if they are numbers.
    decimal : {".", ",", ""}
        The decimal mark; "" if nothing showed it, so that a number must have one meaning.
    unit : str
        The unit or currency that cells may name; "" for none.
    dayfirst : bool or None
        Whether the day stands before the month; None if nothing showed it, so that a date must have one meaning.
    missing : tuple of str
        Words that mean "no value", besides the usual ones.
    keep : tuple of str or None
        Words that are values although they usually mean "no value"; None if the other words of the column show it.
    lenient : bool
        Some cells were neither values nor missing when the column was read first. They counted as missing, and so do
        all later ones; else such a cell is refused.
    provisional : bool
        Rules inferred this from the first rows of a table that is read in parts. Of all its rows, as of one that is
        read whole, a few cells may be something else and count as missing. No model keeps it.
    written : {".", ",", ""}
        The decimal mark of numbers that are written beside the cells, where `decimal` is "".

    Examples
    --------
    >>> from vaglio.table import Column, CellFormat
    >>> cells = Column.nominal("price", [0, 1], ("1.472", "€ 3,50"))
    >>> CellFormat(decimal=",", unit="€").read(cells)[0].values.tolist()
    [1472.0, 3.5]
    """

    kind: str = "numeric"
    form: str = ""
    decimal: str = ""
    unit: str = ""
    dayfirst: bool | None = None
    missing: tuple[str, ...] = ()
    keep: tuple[str, ...] | None = None
    lenient: bool = False
    provisional: bool = False
    written: str = ""

    @classmethod
    def of(cls, column: Column) -> CellFormat:
        """Return how the cells of a column that was read are written."""
        known = column.cell_format or cls()
        kind = "date" if column.is_date else "ordinal" if column.level == "ordinal" else column.kind
        lenient = known.lenient or column.unread is not None
        return replace(known, kind=kind, lenient=lenient, provisional=False).with_categories(column.categories)

    @classmethod
    def of_numbers(cls, column: Column) -> CellFormat:
        """Return how the cells of a target of numbers are written, also of one that was read as words: "€ 10"."""
        known = cls.of(column)
        if known.kind not in ("nominal", "ordinal"):
            return known
        return cls(unit=unit_of_words(column.categories), missing=known.missing)

    def with_categories(self, categories: Sequence[Any]) -> CellFormat:
        """Return the record of a column that has these categories: they are values, and numbers are found as numbers.

        Parameters
        ----------
        categories : sequence
        """
        if self.kind not in ("nominal", "ordinal"):
            return self
        form = "number" if categories and all(map(_is_number, categories)) else self.form
        usual = {*MISSING, *self.missing}
        return replace(self, form=form, keep=tuple(each for each in categories if each in usual))

    @classmethod
    def given(cls, like: Any) -> CellFormat:
        """Return what a caller says of a column: a record, or no more than its kind."""
        found = like if isinstance(like, cls) else cls(like) if isinstance(like, str) else None
        if found is None or found.kind not in KINDS:
            raise InputError(
                "unknown-kind-of-column",
                "{like!r} does not say how a column is read. Give its cell format, from Fitted.cell_formats, or one of "
                "the kinds 'numeric', 'nominal', 'text' and 'date'.",
                like=like,
            )
        return found

    def told(self, decimal: str | None, dayfirst: bool | None, missing: Sequence[str]) -> CellFormat:
        """Return the record with what the reader of a file is told about it, which counts more."""
        known = {*MISSING, *self.missing}
        return replace(
            self,
            decimal=decimal or self.decimal,
            dayfirst=self.dayfirst if dayfirst is None else dayfirst,
            missing=(*self.missing, *(word for word in missing if word not in known)),
        )

    def values(self, words: Sequence[str]) -> np.ndarray:
        """Return the number of each word, which has no blanks around it; NaN where it has none.

        Parameters
        ----------
        words : sequence of str
        """
        if self.kind == "date":
            return days_like(words, self.form, self.dayfirst)
        if self.form == CLOCK:
            return seconds_of_day(words)
        return numbers_like(words, self.decimal, self.unit)

    def refuses(self, n: int, present: int) -> bool:
        """Return whether cells that are not what the column holds are refused; else they count as missing.

        Parameters
        ----------
        n, present : int
            How many they are, and how many cells are not missing. They only count where rules inferred the record from
            other rows of the same table: for a model, no other row decides what a cell means.
        """
        few = self.provisional and n <= (1 - NUMERIC_SHARE) * present
        return not self.lenient and not few

    def read(self, column: Column) -> tuple[Column, Unread | None]:
        """Return a column as it was read first, and its cells that are not what it held then.

        Parameters
        ----------
        column : Column
            Of words; one that has types already keeps its values.
        """
        if column.kind == "numeric" and self.kind in ("numeric", "date"):
            if column.is_date and self.kind == "numeric" and not column.missing.all():
                raise InputError(
                    "dates-not-numbers",
                    "Column {column!r} holds dates; expected numbers. Give the numbers that training had.",
                    column=column.name,
                )
            return (as_date(column) if self.kind == "date" else column), None
        words = column if column.kind == "nominal" else as_nominal(column)
        if self.kind in ("numeric", "date"):
            return self._numbers(words)
        words = tidy(words, (*MISSING, *self.missing), self.keep).column
        if self.kind == "text":
            return (column if column.kind == "text" else as_text(words)), None
        named = self._with_numbers(words) if self.form == "number" else as_nominal(words)
        level: Any = "ordinal" if self.kind == "ordinal" else "nominal"
        return named.replace(level=level, cell_format=self), None

    def _numbers(self, column: Column) -> tuple[Column, Unread | None]:
        """Return words as numbers or dates; booleans and numbers among them are numbers."""
        typed = np.array([np.nan if isinstance(value, str) else value for value in column.categories], dtype=np.float64)
        at = [code for code, value in enumerate(column.categories) if isinstance(value, str)]
        words = [plain_word(column.categories[code]) for code in at]
        missing = {*MISSING, *self.missing}
        absent = np.array([word in missing or is_no_number(word) for word in words], dtype=bool)
        typed[at] = np.where(absent, np.nan, self.values(words))
        if self.what == "number" and not self.unit:
            truth = [_TRUTH.get(word.lower(), np.nan) for word in words]
            typed[at] = np.where(np.isnan(truth), typed[at], truth)
        wrong = np.zeros(len(typed), dtype=bool)
        wrong[at] = np.isnan(typed[at]) & ~absent
        unread = _unread(column, wrong) if wrong.any() else None
        level: Any = "interval" if self.kind == "date" or self.form == CLOCK else "ratio"
        data = np.append(typed, np.nan)[column.data]
        cells = None if unread is None else unread.cells
        more = {"is_date": self.kind == "date", "unit": self.unit, "role": column.role, "cell_format": self}
        return Column.numeric(column.name, data, level=level, unread=cells, **more), unread

    def _with_numbers(self, column: Column) -> Column:
        """Return categories in which a word that is a number, however it is written, is that number."""
        values = [self.number(each) if isinstance(each, str) else each for each in column.categories]
        ordered = sorted(set(values), key=lambda each: (isinstance(each, str), each))
        code_of = {value: code for code, value in enumerate(ordered)}
        lookup = np.array([*(code_of[value] for value in values), -1], dtype=np.int32)
        return Column.nominal(column.name, lookup[column.data], list(code_of), role=column.role, cell_format=self)

    def number(self, word: str) -> Any:
        """Return the number that a category is, an int if it is whole; a word that is none as it is."""
        value = float(self.values([word])[0])
        if np.isnan(value):
            return word
        return int(value) if value.is_integer() and abs(value) <= 2**53 else value

    @property
    def what(self) -> Literal["number", "date", "time"]:
        """What a cell is."""
        return "date" if self.kind == "date" else "time" if self.form == CLOCK else "number"

    @property
    def bare(self) -> bool:
        """Whether a number without anything around it is a cell."""
        return self.kind == "numeric" and self.what == "number" and self.unit not in ("%", "‰")

    @property
    def expected(self) -> Message:
        """What a cell is, in words."""
        if self.what == "number" and self.unit:
            return text("a number in {unit}", unit=self.unit)
        return {"number": text("a number"), "date": text("a date"), "time": text("a time of day")}[self.what]

    @property
    def held(self) -> Message:
        """What the column held, in words."""
        if self.what == "number" and self.unit:
            return text("numbers in {unit}", unit=self.unit)
        return {"number": text("numbers"), "date": text("dates"), "time": text("times of day")}[self.what]

    def why(self, cell: str) -> Message:
        """Return what would make a cell one that the column can have; "" if nothing would."""
        if self.kind == "date":
            by_day, by_month = (replace(self, dayfirst=first).values([cell])[0] for first in (True, False))
            if np.isnan(by_day) and np.isnan(by_month):
                return text("")
            first = np.isnan(by_month) if self.dayfirst is None else not self.dayfirst
            return text(
                " Its day and month could be exchanged; set {dayfirst}.", dayfirst=reading("dayfirst", bool(first))
            )
        by_point, by_comma = (replace(self, decimal=mark).values([cell])[0] for mark in ".,")
        if self.form or (np.isnan(by_point) and np.isnan(by_comma)):
            return text("")
        if not np.isnan(by_point) and not np.isnan(by_comma):
            return text(
                " It could be {first:.12g} or {second:.12g}; set {decimal}.",
                first=by_point,
                second=by_comma,
                decimal=reading("decimal", "."),
            )
        mark = "," if np.isnan(by_point) else "."
        return text(" It has another decimal mark; set {decimal}.", decimal=reading("decimal", mark))

    # -- in a model file -----------------------------------------------------------------------------------------------
    def to_state(self) -> dict[str, Any]:
        """Return JSON for the model file: what is not as usual."""
        usual = CellFormat()
        named = [(each.name, getattr(self, each.name)) for each in fields(self) if each.name not in _UNSTORED]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in named
            if value != getattr(usual, name)
        }

    @classmethod
    def from_state(cls, state: Any, column: str) -> CellFormat:
        """Rebuild from a model file, trusting nothing in it."""
        names = {each.name for each in fields(cls)} - _UNSTORED
        sound = isinstance(state, dict) and set(state) <= names and isinstance(state.get("missing", []), list)
        found = cls(**{**state, "missing": tuple(state.get("missing", ()))}) if sound else cls()
        sound = sound and found.form in ("", "number", *FORMS) and found.decimal in _DECIMALS
        sound = sound and isinstance(found.unit, str) and isinstance(found.lenient, bool)
        sound = sound and (found.dayfirst is None or isinstance(found.dayfirst, bool))
        if not sound or not all(isinstance(word, str) for word in found.missing):
            raise damaged_model_file(text("the cell format of column {column!r} is not readable", column=column))
        return found


def _unread(column: Column, wrong: np.ndarray) -> Unread | None:
    counts = word_counts(column)
    code = np.full(len(wrong) + 1, -1, dtype=np.int32)
    code[:-1][wrong] = np.arange(wrong.sum())
    words = [column.categories[at] for at in np.flatnonzero(wrong)]
    n = int(counts[wrong].sum())
    return Unread(Column.nominal(column.name, code[column.data], words), n, int(counts.sum())) if n else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
