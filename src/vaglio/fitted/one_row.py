"""One row at a time, without frames: a service asks for single rows, and making a table of one takes milliseconds.

The codebook becomes a reader of rows and the model a scorer, both compiled once and only read afterwards, so that many
threads may share them. A value that the reader does not know at once, as a date in words, is left to the codebook.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import InputError
from vaglio.model.base import PREDICTIONS, check_finite, codes_and_proba, plain_label
from vaglio.model.families import Lookup
from vaglio.table import matching_columns

if TYPE_CHECKING:
    from vaglio.explanation import Explanation
    from vaglio.fitted.fitted import Fitted

__all__ = ["Decision", "OneRow", "scorers"]

# How the compiled reader takes a value, and what the compiled linear model makes of its sums.
_NUMBER, _CATEGORY, _RANK = range(3)
NO_LINK, LOGISTIC_LINK, SOFTMAX_LINK, EXPONENTIAL_LINK = range(4)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
_MICROSECONDS_PER_DAY = 86_400_000_000


# Kind of model -> its compiled form for one row, or None if this model has none: it then predicts a matrix of one row.
scorers: Lookup[Callable[[Any, tuple[Feature, ...]], Any]] = Lookup(lambda family: family.compile_row)


class Decision(NamedTuple):
    """What a model decides for one row.

    Attributes
    ----------
    label : object
        The class, by the costs of the model if it has any; or the number.
    probability : float or None
        Of that class; None for a model without probabilities.
    reasons : Explanation or None
        Why, if it was asked for.
    """

    label: Any
    probability: float | None
    reasons: Explanation | None = None


class OneRow:
    """A fitted model compiled for single rows.

    Parameters
    ----------
    fitted : Fitted
    """

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = fitted
        self.labels = None if fitted.classes is None else [plain_label(label) for label in fitted.classes]
        self.reader = _reader(fitted)
        compile_model = scorers.find(fitted.model.kind)
        found = None if compile_model is None or self.reader is None else compile_model
        self.scorer = None if found is None else found(fitted.model, fitted.codebook.features)

    def answer(self, row: Any) -> tuple[int, list[float] | None]:
        """Return the code of the class the model itself decides for, and probabilities if it has any.

        For numbers the code is 0 and the list holds the number.
        """
        if self.scorer is not None and row is not None:
            found = self.reader.score(self.scorer, row)
            if found is not None:
                code, values = found
                if self.labels is None:
                    return code, values
                return code, self._calibrated(values) if self.fitted.has_probabilities else None
        matrix = self._matrix(row)
        if self.labels is None:
            model: Any = self.fitted.model
            return 0, check_finite(model.predict(matrix), PREDICTIONS).tolist()
        codes, chances = codes_and_proba(self.fitted.model, matrix)
        return int(codes[0]), None if chances is None else self._calibrated(chances[0].tolist())

    def _calibrated(self, chances: list[float]) -> list[float]:
        calibration = self.fitted.calibration
        return chances if calibration is None else calibration.of_one(chances)

    def label_of(self, code: int, values: list[float] | None) -> Any:
        """Return what is decided: by costs if the model has any."""
        if self.labels is None:
            assert values is not None
            return values[0]
        cost = self.fitted.decision_cost
        return self.labels[code if cost is None or values is None else cost.decide_one(values)]

    def decision(self, row: Any, reasons: bool) -> Decision:
        """Return the class, its probability and, if asked for, why."""
        code, values = self.answer(row)
        label = self.label_of(code, values)
        chance = None if values is None or self.labels is None else values[self.labels.index(label)]
        if not reasons:
            return Decision(label, chance)
        codebook = self.fitted.codebook
        rows = [_as_dict(row, codebook.names, codebook.named)]
        return Decision(label, chance, self.fitted.explain(rows, counterfactual=False)[0])

    def _matrix(self, row: Any) -> EncodedMatrix:
        codebook = self.fitted.codebook
        blocks = None if self.reader is None or row is None else self.reader.encode(row)
        if blocks is not None:
            return EncodedMatrix(codebook.features, *blocks)
        return codebook.encode([_as_dict(row, codebook.names, codebook.named)])


def _as_dict(row: Any, names: list[str], named: bool) -> dict[str, Any]:
    if hasattr(row, "to_dict"):  # a row of a data frame
        row = row.to_dict()
    if isinstance(row, Mapping):
        # Columns that the model does not know are ignored, even if they hold what no table can.
        known = set(matching_columns(names, filter(_is_text, row)).values())
        return {name: value if not named or name in known else None for name, value in row.items()}
    if not isinstance(row, (tuple, list, np.ndarray)) or getattr(row, "ndim", 1) != 1:
        raise InputError(
            "row-type",
            "A row must be a dict, a tuple or a list with one value per column, not a {type}.",
            type=type(row).__name__,
        )
    if len(row) != len(names):
        raise InputError(
            "row-of-other-length",
            "The row has {n:,} {n:value|values}, but the model was trained on {trained:,} columns. Give the same "
            "columns in the same order, or a dict.",
            n=len(row),
            trained=len(names),
        )
    return dict(zip(names, row))


def _is_text(name: object) -> bool:
    return isinstance(name, str)


# -- reading ---------------------------------------------------------------------------------------------------------
def _reader(fitted: Fitted) -> Any:
    """Return the compiled reader; None where a row has free text or comes from a sparse matrix."""
    codebook = fitted.codebook
    if codebook.sparse or any(feature.kind == "text" or feature.word is not None for feature in codebook.features):
        return None
    columns: list[tuple[Any, ...]] = []
    numbers = codes = 0
    for feature in codebook.features:
        if feature.is_nominal:
            convert = _code_converter(feature, codebook.unseen == "error")
            columns.append((feature.name, _CATEGORY, codes, _plain_codes(feature), convert))
            codes += 1
            continue
        if feature.kind == "ordinal":
            columns.append((feature.name, _RANK, numbers, _plain_codes(feature), _code_converter(feature, False)))
        else:
            convert = _number if not feature.is_date else _date if feature.reading.form != "zoned" else _time_in_zone
            columns.append((feature.name, _NUMBER, numbers, {}, convert))
        numbers += 1
    return _core.RowReader(columns, numbers, codes, codebook.named)


def _plain_codes(feature: Feature) -> dict[Any, int]:
    """Return the code of every value that is found by a look into a dict: True, 1 and 1.0 are one key in it."""
    known: dict[Any, int] = {}
    for value in (*feature.categories, *feature.code_of, True, False, 0, 1):
        alike = (value, bool(value), float(value)) if value in (0, 1) and not isinstance(value, str) else (value,)
        codes = {feature.code(each) for each in alike}
        if len(codes) == 1 and min(codes) >= 0 and not isinstance(value, float):
            known[value] = min(codes)
    return known


def _code_converter(feature: Feature, strict: bool) -> Callable[[Any], float | None]:
    """Return a function from any value to its code: -1 if no training row has it, None if the codebook must look."""

    def convert(value: object) -> float | None:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if value != value:
                return -1.0
            if abs(value) > 2**53:  # infinite, or not the same number as a float
                return None
            value = float(value)
        elif not isinstance(value, (str, bool)):
            return None
        code = feature.code(value)
        return None if strict and code < 0 else float(code)

    return convert


def _number(value: object) -> float | None:
    """Return a number that does not come as a float or an int."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return float(value) if abs(value) <= 2**53 or value != value else None
    return None


def _time_in_zone(value: object) -> float | None:
    """Return the same for a column whose words name a time zone, which a day alone does not."""
    return None if isinstance(value, str) else _date(value)


def _date(value: object) -> float | None:
    """Return the days since 1970 of a date, a time without a zone, or an ISO date in words."""
    if type(value) is str and _DAY.fullmatch(value):
        try:
            value = datetime.date.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, (bool, np.bool_)):
        return None
    if type(value) is datetime.date:
        return float(value.toordinal() - _FIRST_DAY)
    if isinstance(value, datetime.datetime):
        if value != value:  # pandas' missing time
            return np.nan
        if value.tzinfo is not None or getattr(value, "nanosecond", 0) != 0:
            return None
        past = value - datetime.datetime(1970, 1, 1)
        return ((past.days * 86400 + past.seconds) * 1_000_000 + past.microseconds) / _MICROSECONDS_PER_DAY
    return _number(value)
