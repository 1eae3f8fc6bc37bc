"""What a learner knows of one input column: name, kind and categories, and a summary of the training rows' numbers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from vaglio import _core
from vaglio.errors import as_own_errors, damaged_model_file
from vaglio.messages.message import text
from vaglio.table import MISSING, WORD_PAIRS, CellFormat, Column, plain_word
from vaglio.typing import ColumnLike

FeatureKind = Literal["numeric", "ordinal", "nominal", "text"]
KINDS: tuple[FeatureKind, ...] = ("numeric", "ordinal", "nominal", "text")

# Types that JSON gives back unchanged: a category must be the same after the model file has been read.
_SCALARS = (str, bool, int, float)

# The two values of a boolean column; the first means absence.
_PAIRS = (*WORD_PAIRS, ("0", "1"))
_ABSENT = tuple(absent for absent, _ in _PAIRS)
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d{0,14})(\.\d*)?([eE][-+]?\d{1,2})?")

# Numbers with more decimals are measurements without a resolution.
_MOST_DECIMALS = 6
# Quantiles per column; in a table of more columns than `_WIDE` only quartiles, minimum and maximum.
_QUANTILES = 17
_WIDE, _QUANTILES_OF_WIDE = 500, 5
# A sample of evenly spaced rows, smaller in a wide table, so that training does not become slower.
_MOST_ROWS = 1000
_MOST_CELLS = 1 << 17


@dataclass(frozen=True)
class Feature:
    """Name, kind and known categories of one input column.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"numeric", "ordinal", "nominal", "text"}
        An ordinal feature is encoded as the rank of its value (0, 1, …) in the numeric block, a nominal one as a
        category code.
    categories : tuple
        The known values of a nominal or ordinal feature, in code order; the vocabulary of a text feature; empty for
        numbers.
    is_date : bool
        The numbers count days since 1970: words are read as dates.
    default : int or None
        The code of the value that means absence (False, 0, no; else the most frequent one) of a nominal column that
        is boolean or asymmetric; None for other columns.
    asymmetric : bool
        Only presence matters: that two rows both lack it says nothing.
    word : (str, str) or None
        A text column and a word: the feature is whether the text contains it, ``no`` or ``yes``.
    cell_format : CellFormat or None
        How the cells were written that the training rows were read from; None if nothing had to be decided.
    """

    name: str
    kind: FeatureKind = "numeric"
    categories: tuple[Any, ...] = ()
    is_date: bool = False
    default: int | None = None
    asymmetric: bool = False
    word: tuple[str, str] | None = None
    cell_format: CellFormat | None = None

    @classmethod
    def of_word(cls, column: str, word: str) -> Feature:
        """Return the feature that tells whether a text column contains a word."""
        return cls(f'{column} contains "{word}"', "nominal", ("no", "yes"), word=(column, word))

    @property
    def column(self) -> str:
        """The column of the table that the feature is read from."""
        return self.name if self.word is None else self.word[0]

    @property
    def is_nominal(self) -> bool:
        """Whether the feature is a column of the code block."""
        return self.kind == "nominal"

    @property
    def in_numeric_block(self) -> bool:
        """Whether the feature is a column of the numeric block."""
        return self.kind in ("numeric", "ordinal")

    @cached_property
    def reading(self) -> CellFormat:
        """How cells are read, on whatever way they come."""
        kind = "date" if self.is_date else self.kind
        return replace(self.cell_format or CellFormat(), kind=kind).with_categories(self.categories)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Code of each category, by its canonical spelling."""
        return {spelling(value): code for code, value in enumerate(self.categories)}

    @cached_property
    def _code_of_folded(self) -> dict[str, int]:
        """Code of yes, no and the like in lower case, if only one category has that spelling."""
        folded = [spelling(value).lower() for value in self.categories]
        if not any(set(folded) <= set(pair) for pair in WORD_PAIRS):
            return {}
        return {word: code for code, word in enumerate(folded) if folded.count(word) == 1}

    @cached_property
    def _code_of_number(self) -> dict[str, int]:
        """Code of each category that is a number or a truth value, if only one category is that number."""
        numbers = [number_spelled(value) for value in self.categories]
        return {number: code for code, number in enumerate(numbers) if number and numbers.count(number) == 1}

    @cached_property
    def _code_of_plain(self) -> dict[str, int]:
        """Code of each category without blanks around it, if only one category has that spelling."""
        plain = [plain_word(value) if isinstance(value, str) else "" for value in self.categories]
        return {word: code for code, word in enumerate(plain) if word and plain.count(word) == 1}

    @property
    def folds_case(self) -> bool:
        """Whether YES is yes: in a column of yes and no and the like."""
        return bool(self._code_of_folded)

    def code(self, value: object) -> int:
        """Return the code of a value; -1 if no training row has it.

        In a column of yes and no, YES is yes. True, 1, 1.0 and "1" are one value unless the column tells them apart.
        """
        word = spelling(value)
        if word in self.code_of:
            return self.code_of[word]
        if isinstance(value, str):
            word = spelling(plain_word(value))
            if word in self.code_of:
                return self.code_of[word]
        if word.lower() in self._code_of_folded:
            return self._code_of_folded[word.lower()]
        if word in self._code_of_plain:
            return self._code_of_plain[word]
        number = number_spelled(value)
        if not number and isinstance(value, str) and self.reading.form == "number":
            number = number_spelled(self.reading.number(word))
        return self._code_of_number.get(number, -1)

    def is_missing(self, value: object) -> bool:
        """Return whether a value that is no category is a word for "no value"."""
        return isinstance(value, str) and plain_word(value) in self._absent

    @cached_property
    def _absent(self) -> frozenset[str]:
        return frozenset((*MISSING, *self.reading.missing))

    def to_state(self) -> dict[str, Any]:
        """Return JSON for the model file."""
        state = {"name": self.name, "kind": self.kind, "categories": list(self.categories)}
        if self.word is not None:
            return {**state, "word": list(self.word)}
        cell_format = None if self.cell_format is None else self.cell_format.to_state() or None
        more = {
            "is_date": self.is_date,
            "default": self.default,
            "asymmetric": self.asymmetric,
            "cell_format": cell_format,
        }
        return {**state, **{key: value for key, value in more.items() if value is not None and value is not False}}

    @classmethod
    def from_state(cls, state: Any) -> Feature:
        """Rebuild from a model file, trusting nothing in it."""
        if not isinstance(state, dict) or not isinstance(state.get("name"), str) or state.get("kind") not in KINDS:
            raise damaged_model_file(text("a column has no valid name and kind"))
        categories = state.get("categories")
        if not isinstance(categories, list) or not all(isinstance(value, _SCALARS) for value in categories):
            raise damaged_model_file(text("the categories of column {column!r} are not readable", column=state["name"]))
        numeric = state["kind"] == "numeric"
        if (numeric and categories) or (state.get("is_date") is True and not numeric):
            raise damaged_model_file(text("the kind of column {column!r} does not fit it", column=state["name"]))
        default = state.get("default")
        if default is not None and not (type(default) is int and 0 <= default < len(categories)):
            raise damaged_model_file(text("the default value of column {column!r} is invalid", column=state["name"]))
        flags = state.get("is_date") is True, default, state.get("asymmetric") is True
        cell_format = CellFormat.from_state(state["cell_format"], state["name"]) if "cell_format" in state else None
        feature = cls(state["name"], state["kind"], tuple(categories), *flags, cell_format=cell_format)
        if len(feature.code_of) != len(categories):
            raise damaged_model_file(text("a category of column {column!r} appears twice", column=feature.name))
        if "word" not in state:
            return feature
        word = state["word"]
        if not isinstance(word, list) or [type(part) for part in word] != [str, str]:
            raise damaged_model_file(text("the word of column {column!r} is not readable", column=feature.name))
        if feature != replace(cls.of_word(*word), word=None):
            raise damaged_model_file(text("the word of column {column!r} is invalid", column=feature.name))
        return cls.of_word(*word)


def code_of_absence(categories: tuple[Any, ...], asymmetric: bool, counts: np.ndarray) -> int | None:
    """Return the code of the value that means absence: False, 0, no; in an asymmetric column else the most frequent.

    Parameters
    ----------
    categories : tuple
    asymmetric : bool
        Of other columns, only booleans (True and False, 1 and 0, yes and no) have such a value.
    counts : ndarray
        How many training rows have each category.
    """
    if not asymmetric and len(categories) != 2:
        return None
    words = [spelling(value).lower() for value in categories]
    absent = [code for code, word in enumerate(words) if word in _ABSENT]
    if any(sorted(words) == sorted(pair) for pair in _PAIRS) or (asymmetric and len(absent) == 1):
        return absent[0]
    return int(np.argmax(counts)) if asymmetric and len(words) > 1 else None


def presence(column: Column, of: Column | None = None) -> np.ndarray:
    """Return for each row whether an asymmetric or boolean column has something other than its default value.

    Parameters
    ----------
    column : Column
    of : Column, optional
        The whole column, if `column` is a part of it: its most frequent value is the default.
    """
    whole = column if of is None else of
    counts = np.bincount(whole.data + 1, minlength=len(whole.categories) + 1)[1:]
    default = code_of_absence(whole.categories, True, counts)
    found: np.ndarray = (column.data >= 0) & (column.data != (-1 if default is None else default))
    return found


def aligned_labels(y: ColumnLike, classes: Any) -> np.ndarray:
    """Return labels in the spelling of the known classes: 1, 1.0, "1" and True are one class, as in a column.

    Parameters
    ----------
    y : array-like of labels
        A label that is no known class stays as it is.
    classes : array-like of labels

    Examples
    --------
    >>> from vaglio.encode import aligned_labels
    >>> aligned_labels([True, False], [0, 1]).tolist(), aligned_labels(["1", "2"], [0, 1]).tolist()
    ([1, 0], [1, '2'])
    """
    with as_own_errors():  # ragged lists
        given, known = np.asarray(y), np.asarray(classes)
    alike = given.dtype.kind == known.dtype.kind and given.dtype.kind != "O"
    if given.ndim != 1 or known.ndim != 1 or not len(known) or alike or given.dtype.kind not in "biufUSO":
        return given
    feature, values = Feature("class", "nominal", tuple(known.tolist())), given.tolist()
    code_of = {value: feature.code(value) for value in set(values)}
    if min(code_of.values(), default=0) >= 0:
        found: np.ndarray = known[[code_of[value] for value in values]]
        return found
    mixed = np.empty(len(values), dtype=object)
    mixed[:] = [value if code_of[value] < 0 else feature.categories[code_of[value]] for value in values]
    return mixed


def spelling(value: object) -> str:
    """Return one spelling for values that mean the same category.

    A column of codes may arrive as integers in one table, as floats in the next (because of a missing value) and as
    strings in a third: 7, 7.0 and "7" are the same category, and so are True and "true".
    """
    if isinstance(value, str):
        return value if value.lower() not in ("true", "false") else value.lower()
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def number_spelled(value: object) -> str:
    """Return the number that a value is or spells, in one spelling: True is "1", "3.0" is "3"; "" for other words.

    Digits with a leading zero are a code, no number.
    """
    word = {"true": "1", "false": "0"}.get(spelling(value), spelling(value))
    if not _NUMBER.fullmatch(word):
        return ""
    return spelling(float(word))


@dataclass(frozen=True)
class Spread:
    """Quantiles, scale and resolution of one column of numbers, from a sample of the training rows.

    Counterfactuals propose values like these.

    Parameters
    ----------
    values : tuple of float
        Values that occurred, ascending: the smallest and largest of the sample and evenly spaced ones between.
    scale : float
        Standard deviation; 1 where the column does not vary.
    decimals : int or None
        Digits after the point that all values need at most, 0 for whole numbers; None if they need more than six.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.encode import spreads_of
    >>> spreads_of(np.array([[1.5], [3.5]]))[0]
    Spread(values=(1.5, 3.5), scale=1.0, decimals=1)
    """

    values: tuple[float, ...] = ()
    scale: float = 1.0
    decimals: int | None = None

    @property
    def median(self) -> float:
        """The middle one of the values."""
        return self.values[len(self.values) // 2]

    def to_state(self) -> list[Any]:
        """Return JSON for the model file."""
        return [list(self.values), self.scale, self.decimals]

    @classmethod
    def from_state(cls, state: Any) -> Spread:
        """Rebuild from a model file, trusting nothing in it."""
        sound = isinstance(state, list) and len(state) == 3 and isinstance(state[0], list)
        values, scale, decimals = state if sound else ([], None, None)
        sound = sound and all(type(number) is float and np.isfinite(number) for number in [*values, scale])
        sound = sound and (decimals is None or (type(decimals) is int and 0 <= decimals <= _MOST_DECIMALS))
        if not sound or scale <= 0 or values != sorted(values):
            raise damaged_model_file(text("the summary of a numeric column is not readable"))
        return cls(tuple(values), scale, decimals)


def spread_rows(n: int, p: int) -> np.ndarray:
    """Return the rows of a table of n rows and p columns of numbers that its spreads are learned from."""
    most = max(16, min(_MOST_ROWS, _MOST_CELLS // max(p, 1)))
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def spreads_of(sample: np.ndarray) -> tuple[Spread, ...]:
    """Return a spread per column of the rows that :func:`spread_rows` chooses."""
    return _spreads(ordered_columns(sample))


def ordered_columns(sample: np.ndarray) -> np.ndarray:
    """Return each column in ascending order, missing values last."""
    # One layout: in another, sums over the rows add in another order.
    ordered: np.ndarray = np.sort(np.ascontiguousarray(sample), axis=0)
    ordered += 0.0  # no negative zero
    return ordered


def _spreads(sample: np.ndarray) -> tuple[Spread, ...]:
    most = min(_QUANTILES if sample.shape[1] <= _WIDE else _QUANTILES_OF_WIDE, len(sample))
    found = _core.spread_columns(sample, most)
    scales = _deviations(sample, [known for _, _, known in found])
    return tuple(Spread(values, scale, decimals) for (values, decimals, _), scale in zip(found, scales))


def _deviations(sample: np.ndarray, known: list[int]) -> list[float]:
    """Return the standard deviation of each column; 1 where it is 0 or no number."""
    whole = min(known) == len(sample)
    rows = len(sample) if whole else np.maximum(known, 1)
    unknown = None if whole else np.isnan(sample)
    with np.errstate(over="ignore", invalid="ignore"):  # squares of extreme numbers are no numbers
        mean = np.add.reduce(sample if unknown is None else np.where(unknown, 0.0, sample), axis=0) / rows
        distance = sample - mean
        if unknown is not None:
            distance[unknown] = 0.0
        distance *= distance
        variance = np.add.reduce(distance, axis=0) / rows
    return [math.sqrt(value) if 0 < value < math.inf else 1.0 for value in variance.tolist()]
