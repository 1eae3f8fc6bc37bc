"""The rules by which `read` types columns from their values. All rules are written here and nowhere else.

They are tried in this order on each column; `levels=` and `roles=` overrule them, and each decision that could
surprise a user is a remark in `Table.remarks`. Declared types (ARFF attributes, categorical dtypes, dates) are kept.
The target is never taken for an identifier or for text.

1.  **Missing.** The tokens of `MISSING` (settable by `missing=`) and empty fields are missing. Blanks around a
    value do not count. Two tokens are values where the others show it: - beside +, and NA among at least five codes of
    two letters. In columns of numbers and dates the words of `NO_NUMBER` (unknown, keine Angabe …) are missing, too. A
    column with no value at all is ignored.
2.  **Yes and no.** A column whose values, whatever their case, are one of the pairs of `WORD_PAIRS` is nominal, in
    the order no, yes. Spellings that differ in case stay different values, so that later rows are read in the same
    way; a remark names them.
3.  **Codes.** Digits with a leading zero, or with more than 15 digits, are codes: nominal.
4.  **Numbers.** A column of numbers is numeric. They may have a decimal point or comma, a mark between thousands
    (point, comma, apostrophe, blank), a currency or percent sign, and a unit; marks and unit must be the same in the
    whole column. In ``1.234`` the other columns decide what the point is, then the column itself (it separates
    thousands if five numbers have it and numbers below 1000 do not), else it is a decimal mark; a remark says so. If
    at least `NUMERIC_SHARE` of the values and at least `FEWEST_NUMBERS` different ones are numbers, the other cells are
    errors: they count as missing, `Column.unread` keeps them, and a remark names them. So is an infinite number.
5.  **Dates.** Words that are dates of one format (ISO 8601; day, month and year of the usual national formats, with
    or without a time) are numeric, interval, counted in days. Whether the day or the month comes first is shown by one
    day above 12 in any column, or by decimal commas; else the words stay words, with a remark. Single words that are
    no dates are errors, as under 4.
6.  **Text.** At least half the values differ and they have 4 words or more on average: free text.
7.  **Identifiers.** At least `FEWEST_ROWS` rows; words of which at least 95 % differ (all of them, in fewer than
    `MANY_ROWS` rows); whole numbers that all differ and count the rows up from 0 or 1, or have a name that says so
    (id, key, uuid, index, …). They are left out of training. A declared nominal column only gets a remark.
8.  **Numbers that are codes.** Whole numbers with a name such as zip, postcode, phone, code, or an id that repeats,
    are nominal.
9.  **Binary.** Whole numbers 0 and 1, both present, are nominal; asymmetric when at most 10 % are 1.
10. **Level.** Other numbers are ratio if none is negative and the name does not say temperature or year, else
    interval. Words are nominal; ordinal only when the order is given: ``levels={"size": ["small", "large"]}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from vaglio import _core
from vaglio.messages.sentences import listed
from vaglio.runtime.threads import resolve_threads
from vaglio.table._absent import MISSING, tidy
from vaglio.table._column import Column
from vaglio.table._convert import as_nominal, as_text
from vaglio.table._patterns import Words
from vaglio.table._remarks import Remarks
from vaglio.table._words import Clues, is_plain, read_words

WORD_PAIRS = (
    *(("no", "yes"), ("false", "true"), ("f", "t"), ("n", "y"), ("no", "sì"), ("no", "si"), ("no", "sí")),
    *(("nein", "ja"), ("non", "oui"), ("falso", "vero"), ("falsch", "wahr"), ("faux", "vrai")),
)
# In fewer rows all values of any column may differ; below the second number a few equal values decide.
FEWEST_ROWS = 5
MANY_ROWS = 50
# Below this number of rows, threads take longer to start than to help.
_MANY = 100_000

_ID_NAME = re.compile(r"(?:^|[\W_])(?:id|key|uuid|guid|index|idx|rowid|serial|nr|no|column_1)$|[a-z](?:Id|ID)$")
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|zip_?code|post_?code|postal_?code|plz|code|phone|fips|isbn|ean|sku|id)$|[a-z](?:Id|ID|Code)$"
)
_INTERVAL_NAME = re.compile(r"temp|year|date|celsius|fahrenheit|latitude|longitude", re.IGNORECASE)


def infer(
    columns: Sequence[Column],
    *,
    missing: Sequence[str] = MISSING,
    target: str | None = None,
    levels: Mapping[str, Any] | None = None,
    settled: Iterable[str] = (),
    typed: bool = False,
    clues: Clues | None = None,
) -> tuple[list[Column], list[str]]:
    """Apply the rules; return the typed columns and the remarks.

    Parameters
    ----------
    columns : sequence of Column
    missing : sequence of str
        Words that mean "no value".
    target : str or None
        Name of the class column.
    levels : mapping, optional
        Columns whose kind the user has chosen, and that kind.
    settled : iterable of str
        Columns whose role the user has chosen.
    typed : bool
        The source declares its types.
    clues : Clues, optional
        What the source shows of its numbers and dates.
    """
    remarks, clues, chosen = Remarks(), clues or Clues(), levels or {}
    looks = _looks(columns)
    tidied = [_tidied(column, looks, missing, clues, remarks) for column in columns]
    numbers = {} if typed else _numbers_in_words(tidied, clues, remarks, target, chosen)
    roles_given = set(settled)
    out = []
    for column in tidied:
        is_target = column.name == target
        column = numbers.get(column.name, column)
        if column.name not in chosen:
            column = _words(column, remarks, is_target)
            look = looks.get(column.name) or _look_at(column)
            if column.name not in roles_given:
                column = _role(column, look, remarks, is_target)
            if column.kind == "numeric" and not typed and not is_target and column.role == "input":
                column = _numbers(column, look, remarks)
        unit = clues.units.get(column.name, "")
        out.append(column.replace(unit=unit) if unit and column.kind == "numeric" and not column.unit else column)
    return out, remarks.sentences()


class _Look(NamedTuple):
    """What one pass over the numbers of a column shows."""

    low: float
    high: float
    missing: int
    short: bool
    whole: bool


def _look_at(column: Column) -> _Look | None:
    return _Look(*_core.look_at(np.ascontiguousarray(column.data))) if column.kind == "numeric" else None


def _looks(columns: Sequence[Column]) -> dict[str, _Look]:
    """Look at all columns of numbers; threads share the work of a large table."""
    numbers = [column for column in columns if column.kind == "numeric"]
    if not numbers or len(numbers[0]) < _MANY:
        found = list(map(_look_at, numbers))
    else:
        with ThreadPoolExecutor(resolve_threads(-1)) as pool:
            found = list(pool.map(_look_at, numbers))
    return {column.name: look for column, look in zip(numbers, found) if look}


def _tidied(column: Column, looks: dict[str, _Look], missing: Sequence[str], clues: Clues, remarks: Remarks) -> Column:
    """Apply rule 1."""
    if column.kind == "numeric":
        look = looks[column.name]
        if look.low == -np.inf or look.high == np.inf:
            column = column.without_infinite()
            remarks.unread(column, "finite number")
            del looks[column.name]
        return column
    keep = clues.keep_words.get(column.name, ())
    tidied, taken, spared = tidy(column, missing, tuple(keep))
    remarks.taken(column.name, taken)
    for word in spared:
        why = "the others are signs" if word != "NA" else "the others are codes of two letters"
        remarks.add(f"column {column.name!r}: {word!r} is a value, because {why}; missing=[{word!r}] makes it missing")
    return tidied


def _numbers_in_words(
    columns: Sequence[Column], clues: Clues, remarks: Remarks, target: str | None, levels: Mapping[str, Any]
) -> dict[str, Column]:
    """Apply rules 4 and 5 to all columns of words, except those that are yes and no or stay words by request."""
    wanted = [name for name, level in levels.items() if level in ("numeric", "interval", "ratio", "date")]
    found: dict[str, Column] = {}
    open_ones = []
    for column in columns:
        if not _of_words(column) or _pair(column) or (column.name in levels and column.name not in wanted):
            continue
        words = Words(column.categories)
        if is_plain(words):
            numbers = np.append(words.arrow.cast(pa.float64()).to_numpy(), np.nan)[column.data]
            found[column.name] = Column.numeric(column.name, numbers, role=column.role)
        else:
            open_ones.append(column)
    return {**found, **read_words(open_ones, clues, remarks, target=target, wanted=wanted)} if open_ones else found


def _of_words(column: Column) -> bool:
    undeclared = column.kind == "nominal" and not column.declared and bool(column.categories)
    return undeclared and all(isinstance(value, str) for value in column.categories)


def _words(column: Column, remarks: Remarks, is_target: bool) -> Column:
    """Apply rules 2 and 6, for columns of words."""
    if not _of_words(column):
        return column
    if pair := _pair(column):
        return _yes_or_no(column, pair, remarks)
    if not is_target and _is_text(column):
        remarks.add(f"column {column.name!r} is read as free text")
        return as_text(column)
    return column


def _pair(column: Column) -> tuple[str, str] | None:
    folded = {value.lower() for value in column.categories}
    return next((pair for pair in WORD_PAIRS if folded <= set(pair)), None)


def _yes_or_no(column: Column, pair: tuple[str, str], remarks: Remarks) -> Column:
    if len({value.lower() for value in column.categories}) < len(column.categories):
        spellings = listed(column.categories)
        remarks.add(f"column {column.name!r} spells {listed(pair)} in several ways ({spellings}): use one spelling")
    ordered = sorted(column.categories, key=lambda value: (pair.index(value.lower()), value))
    if ordered == list(column.categories):
        return column
    code_of = {value: code for code, value in enumerate(ordered)}
    lookup = np.array([*(code_of[value] for value in column.categories), -1], dtype=np.int32)
    return column.replace(data=lookup[column.data], categories=tuple(ordered))


def _is_text(column: Column) -> bool:
    present = len(column) - column.n_missing
    if present < FEWEST_ROWS or len(column.categories) * 2 < present:
        return False
    return bool(Words(column.categories).count(r"\S+").mean() >= 4)


def _role(column: Column, look: _Look | None, remarks: Remarks, is_target: bool) -> Column:
    """Apply rules 1 and 7: empty columns are ignored, identifiers are left out of training."""
    if is_target or column.role != "input" or not len(column):
        return column
    present = len(column) - (look.missing if look else column.n_missing)
    if present == 0:
        remarks.add(f"column {column.name!r} has no values and is ignored")
        return column.replace(role="ignored")
    if present < FEWEST_ROWS or column.kind == "text" or column.is_date:
        return column
    distinct = _distinct_if_identifier(column, look, present)
    if not distinct:
        return column
    looks = f"column {column.name!r} looks like an identifier ({distinct:,} distinct values in {len(column):,} rows)"
    if column.declared:
        remarks.add(f'{looks} but is declared nominal and kept; roles={{{column.name!r}: "identifier"}} leaves it out')
        return column
    remarks.add(f"{looks} and is left out of training")
    return column.replace(role="identifier")


def _distinct_if_identifier(column: Column, look: _Look | None, present: int) -> int:
    if look is None:
        enough = 0.95 * present if present >= MANY_ROWS else present
        distinct = column.n_distinct if len(column.categories) >= enough else 0
        return distinct if distinct >= enough else 0
    if look.missing or not look.whole:
        return 0
    counting = look.low in (0, 1) and look.high == look.low + len(column) - 1
    if counting:
        counting = np.array_equal(column.data, look.low + np.arange(len(column)))
    if counting or (_ID_NAME.search(column.name) and column.n_distinct == present):
        return present
    return 0


def _numbers(column: Column, look: _Look | None, remarks: Remarks) -> Column:
    """Apply rules 8 to 10, for columns of numbers."""
    if column.is_date or look is None:
        return column
    whole = look.whole and look.missing < len(column)
    if whole and _CODE_NAME.search(column.name):
        remarks.add(f"column {column.name!r} holds codes, not quantities, and is read as nominal")
        return as_nominal(column)
    if whole and look.low == 0 and look.high == 1:
        return as_nominal(column).replace(asymmetric=bool(np.nanmean(column.data) <= 0.1))
    interval = column.level == "interval" or look.low < 0 or _INTERVAL_NAME.search(column.name)
    return column.replace(level="interval" if interval else "ratio")
