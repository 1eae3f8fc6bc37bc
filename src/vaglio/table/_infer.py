"""The rules by which `read` types columns from their values. All rules are written here and nowhere else.

They are tried in this order on each column; `levels=` and `roles=` overrule them, and each decision that could
surprise a user is a remark in `Table.remarks`. Declared types (ARFF attributes, categorical dtypes, dates) are kept.
The target is never taken for an identifier or for text.

1.  **Missing.** The tokens of `MISSING` (settable by `missing=`) and empty fields are missing. Blanks around a
    value do not count. A column with no value at all is ignored.
2.  **Yes and no.** A column whose values, whatever their case, are one of the pairs of `WORD_PAIRS` is nominal, in
    the order no, yes. Spellings that differ in case stay different values, so that later rows are read in the same
    way; a remark names them.
3.  **Codes.** Digits with a leading zero, or with more than 15 digits, are codes: nominal.
4.  **Numbers.** A column of numbers is numeric. One in which at least `MOSTLY` of the values, more than
    `MANY_NUMBERS` different ones, are numbers and the rest are words is an error that names the first such word.
5.  **Dates.** Words that are all dates of one format (ISO 8601, or day, month and year in a format that can be
    read in one way only) are numeric, interval, counted in days.
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
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vaglio.errors import ReadError
from vaglio.table._column import Column
from vaglio.table._convert import as_nominal, as_text
from vaglio.table._dates import days_of_words
from vaglio.text.sentences import listed

# What the usual programs write for a missing value.
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "-", ".")
WORD_PAIRS = (("no", "yes"), ("false", "true"), ("f", "t"), ("n", "y"))
# So large a share of numbers is no accident, and so many different ones are no codes.
MOSTLY = 0.8
MANY_NUMBERS = 20
# In fewer rows all values of any column may differ; below the second number a few equal values decide.
FEWEST_ROWS = 5
MANY_ROWS = 50

NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
_CODE = r"^(0\d+|\d{16,})$"
_ID_NAME = re.compile(r"(?:^|[\W_])(?:id|key|uuid|guid|index|idx|rowid|serial|nr|no|column_1)$|[a-z](?:Id|ID)$")
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|zip_?code|post_?code|postal_?code|plz|code|phone|fips|isbn|ean|sku|id)$|[a-z](?:Id|ID|Code)$"
)
_INTERVAL_NAME = re.compile(r"temp|year|date|celsius|fahrenheit|latitude|longitude", re.IGNORECASE)


def infer(
    columns: Sequence[Column],
    *,
    where: str,
    missing: Sequence[str] = MISSING,
    target: str | None = None,
    keep: Iterable[str] = (),
    settled: Iterable[str] = (),
    typed: bool = False,
) -> tuple[list[Column], list[str]]:
    """Apply the rules; return the typed columns and the remarks.

    Parameters
    ----------
    columns : sequence of Column
    where : str
        Name of the source, for errors.
    missing : sequence of str
        Words that mean "no value".
    target : str or None
        Name of the class column.
    keep : iterable of str
        Columns whose kind the user has chosen.
    settled : iterable of str
        Columns whose role the user has chosen.
    typed : bool
        The source declares its types.
    """
    remarks: list[str] = []
    kept, roles_given = set(keep), set(settled)
    out = []
    for column in columns:
        column = tidy(column, missing)
        if column.name not in kept:
            is_target = column.name == target
            column = _words(column, where, remarks, is_target, typed)
            if column.name not in roles_given:
                column = _role(column, remarks, is_target)
            if column.kind == "numeric" and not typed and not is_target and column.role == "input":
                column = _numbers(column, remarks)
        out.append(column)
    return out, remarks


def tidy(column: Column, missing: Sequence[str]) -> Column:
    """Apply rule 1: remove blanks around words, and make tokens of `missing` missing; declared categories are kept."""
    if column.kind != "nominal" or column.declared:
        return column
    absent = set(missing)
    cleaned = [value.strip() if isinstance(value, str) else value for value in column.categories]
    if cleaned == list(column.categories) and not absent.intersection(map(str, cleaned)):
        return column
    kept = sorted({value for value in cleaned if str(value) not in absent})
    code_of = {value: code for code, value in enumerate(kept)}
    lookup = np.array([*(code_of.get(value, -1) for value in cleaned), -1], dtype=np.int32)
    return column.replace(data=lookup[column.data], categories=tuple(kept))


def _words(column: Column, where: str, remarks: list[str], is_target: bool, typed: bool) -> Column:
    """Apply rules 2 to 6, for columns of words."""
    if column.kind != "nominal" or column.declared or not column.categories:
        return column
    if not all(isinstance(value, str) for value in column.categories):
        return column
    paired = _yes_or_no(column, remarks)
    if paired is not None:
        return paired
    words = pa.array(column.categories, pa.string())
    if not typed and not pc.any(pc.match_substring_regex(words, _CODE)).as_py():
        numeric = pc.match_substring_regex(words, NUMBER).to_numpy(zero_copy_only=False)
        if numeric.all():
            numbers = np.append(words.cast(pa.float64()).to_numpy(), np.nan)[column.data]
            return Column.numeric(column.name, numbers, role=column.role)
        if not is_target:
            _refuse_mixture(column, numeric, where)
    days = None if is_target else days_of_words(column.categories)
    if days is not None:
        data = np.append(days, np.nan)[column.data]
        return Column.numeric(column.name, data, level="interval", is_date=True, role=column.role)
    if not is_target and _is_text(column, words):
        remarks.append(f"column {column.name!r} is read as free text")
        return as_text(column)
    return column


def _yes_or_no(column: Column, remarks: list[str]) -> Column | None:
    folded = {value.lower() for value in column.categories}
    pair = next((pair for pair in WORD_PAIRS if folded <= set(pair)), None)
    if pair is None:
        return None
    if len(folded) < len(column.categories):
        spellings = listed(column.categories)
        remarks.append(f"column {column.name!r} spells {listed(pair)} in several ways ({spellings}): use one spelling")
    ordered = sorted(column.categories, key=lambda value: (pair.index(value.lower()), value))
    code_of = {value: code for code, value in enumerate(ordered)}
    lookup = np.array([*(code_of[value] for value in column.categories), -1], dtype=np.int32)
    return column.replace(data=lookup[column.data], categories=tuple(ordered))


def _refuse_mixture(column: Column, numeric: np.ndarray, where: str) -> None:
    counts = np.bincount(column.data + 1, minlength=len(numeric) + 1)[1:]
    share = counts[numeric].sum() / max(1, counts.sum())
    if share < MOSTLY or numeric.sum() <= MANY_NUMBERS:
        return
    row = int(np.flatnonzero((column.data >= 0) & ~np.append(numeric, True)[column.data])[0])
    word = column.categories[column.data[row]]
    raise ReadError(
        f"{where}, row {row + 1}, column {column.name!r}: {word!r} among numbers; correct it, add it to missing=, "
        f'or declare the column nominal (levels={{{column.name!r}: "nominal"}}).'
    )


def _is_text(column: Column, words: pa.Array) -> bool:
    present = len(column) - column.n_missing
    if present < FEWEST_ROWS or len(words) * 2 < present:
        return False
    return bool(pc.mean(pc.count_substring_regex(words, r"\S+")).as_py() >= 4)


def _role(column: Column, remarks: list[str], is_target: bool) -> Column:
    """Apply rules 1 and 7: empty columns are ignored, identifiers are left out of training."""
    if is_target or column.role != "input" or not len(column):
        return column
    present = len(column) - column.n_missing
    if present == 0:
        remarks.append(f"column {column.name!r} has no values and is ignored")
        return column.replace(role="ignored")
    if present < FEWEST_ROWS or column.kind == "text" or column.is_date:
        return column
    distinct = _distinct_if_identifier(column, present)
    if not distinct:
        return column
    looks = f"column {column.name!r} looks like an identifier ({distinct:,} distinct values in {len(column):,} rows)"
    if column.declared:
        remarks.append(
            f'{looks} but is declared nominal and kept; roles={{{column.name!r}: "identifier"}} leaves it out'
        )
        return column
    remarks.append(f"{looks} and is left out of training")
    return column.replace(role="identifier")


def _distinct_if_identifier(column: Column, present: int) -> int:
    if column.kind == "nominal":
        distinct = column.n_distinct
        enough = 0.95 * present if present >= MANY_ROWS else present
        return distinct if distinct >= enough else 0
    numbers = column.data
    if present < len(column) or not np.array_equal(numbers, np.floor(numbers)):
        return 0
    counting = numbers[0] in (0, 1) and np.array_equal(numbers, numbers[0] + np.arange(len(numbers)))
    if counting or (_ID_NAME.search(column.name) and column.n_distinct == present):
        return present
    return 0


def _numbers(column: Column, remarks: list[str]) -> Column:
    """Apply rules 8 to 10, for columns of numbers."""
    if column.is_date:
        return column
    present = column.data[~np.isnan(column.data)]
    low, high = present.min(initial=np.inf), present.max(initial=-np.inf)
    whole = bool(np.isfinite(low)) and np.array_equal(present, np.floor(present))
    if whole and _CODE_NAME.search(column.name):
        remarks.append(f"column {column.name!r} holds codes, not quantities, and is read as nominal")
        return as_nominal(column)
    if whole and low == 0 and high == 1:
        return as_nominal(column).replace(asymmetric=bool(present.mean() <= 0.1))
    interval = column.level == "interval" or low < 0 or _INTERVAL_NAME.search(column.name)
    return column.replace(level="interval" if interval else "ratio")
