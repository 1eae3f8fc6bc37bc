"""What every SELECT shares: names, values and sums as text, the quotes of each dialect, and the class that decides."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vaglio.encode import Feature
from vaglio.errors import InputError
from vaglio.export.source import Written
from vaglio.messages.figures import moment
from vaglio.messages.sentences import listed

__all__ = [
    "DIALECTS",
    "MOST_LISTED",
    "Statement",
    "in_dialect",
    "sql_list",
    "sql_name",
    "sql_number",
    "sql_sum",
    "sql_value",
]

# "mysql": a backslash in a text is an escape, and names stand in backticks. MySQL, MariaDB and Spark read it.
# The last three are standard in their quotes, and each has its own way to compute with dates.
DIALECTS = ("standard", "mysql", "sqlite", "duckdb", "postgresql")
# Categories of a column that are listed in its conditions; more are numbered first.
MOST_LISTED = 50
# Conditions and values that these engines read within 500 MB and five seconds.
_MOST_READ = {"duckdb": 15_000, "sqlite": 60_000, "postgresql": 50_000}
# Terms that stand beside each other: a plain sum of n terms is n deep.
_TERMS = 8
# A layer with it is computed once per row; without it these engines write its sums out wherever the next layer names
# them, and take gigabytes over it.
_FENCES = {"postgresql": "\nOFFSET 0", "sqlite": "\nLIMIT -1 OFFSET 0"}
# Names of the number that SQLite gives each row of a table; a column may bear one of them.
_ROW_NUMBERS = ("rowid", "oid", "_rowid_")
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")


def in_dialect(sql: str, dialect: str) -> str:
    r"""Return standard SQL with the quotes of a dialect.

    In standard SQL a backslash is a letter as any other. A database that reads it as an escape would take the text
    ``'\'`` for the beginning of a longer one, and what follows for its content.

    Parameters
    ----------
    sql : str
        In standard SQL.
    dialect : {"standard", "mysql", "sqlite", "duckdb", "postgresql"}

    Examples
    --------
    >>> from vaglio.export.sql.statement import in_dialect
    >>> print(in_dialect("\"a\" = 'it''s \\'", "mysql"))
    `a` = 'it''s \\'
    """
    if dialect not in DIALECTS:
        raise InputError(
            "unknown-dialect",
            "There is no SQL dialect {dialect!r}. Dialects: {dialects}.",
            dialect=dialect,
            dialects=listed(DIALECTS),
        )

    def requoted(found: re.Match[str]) -> str:
        text = found.group()
        if text.startswith("'"):
            return text.replace("\\", "\\\\")
        return "`" + text[1:-1].replace('""', '"').replace("`", "``") + "`"

    return _QUOTED.sub(requoted, sql) if dialect == "mysql" else sql


def sql_sum(terms: list[str]) -> str:
    """Return a sum of little depth: engines limit it, and DuckDB hashes what is below at each level."""
    if not terms:
        return "0.0"
    while len(terms) > 1:
        chunks = [terms[i : i + _TERMS] for i in range(0, len(terms), _TERMS)]
        terms = [f"({' + '.join(chunk)})" for chunk in chunks]
    return terms[0]


def sql_name(name: str) -> str:
    """Return the name of a column or a table in quotes."""
    return '"' + _printable(name).replace('"', '""') + '"'


def sql_value(value: object) -> str:
    """Return a text, a number or a truth value as a literal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise InputError("number-not-in-sql", "SQL has no portable way to write {value}.", value=value)
        return f"({value!r})" if value < 0 else repr(value)
    return "'" + _printable(str(value)).replace("'", "''") + "'"


def sql_number(value: float) -> str:
    """Return a number to compute with: the exponent makes it one of floating point, not of fixed decimals."""
    text = sql_value(value)
    return text if "e" in text or "." not in text else text.replace(")", "e0)") if text[0] == "(" else f"{text}e0"


def sql_list(values: Sequence[Any]) -> str:
    """Return what stands in the brackets of IN: nothing is in an empty list."""
    return ", ".join(sql_value(value) for value in values) if len(values) else "NULL"


def _printable(text: str) -> str:
    if "\0" in text:
        raise InputError("nul-in-sql", "SQL cannot contain a NUL character, as in {text!r}.", text=text)
    return text


class Statement:
    """One SELECT over a table; it counts what it writes, so that a model that is too large is refused.

    Where sums are named more than once, inner SELECTs compute them, one layer above the other. The outer SELECT leaves
    the columns of the layers out: each dialect has a way of its own, and the standard has none but to name the columns.

    Parameters
    ----------
    table : str
    features : tuple of Feature
        The columns of the table.
    dialect : {"standard", "mysql", "sqlite", "duckdb", "postgresql"}
    """

    def __init__(self, table: str, features: tuple[Feature, ...], dialect: str = "standard") -> None:
        self.table, self.features, self.dialect = sql_name(table), features, dialect
        limit = _MOST_READ.get(dialect)
        self.written = Written("sql" if limit is None else f"{dialect} sql", limit)
        self.prefix = "vaglio_"  # of the names of further columns
        while any(feature.name.startswith(self.prefix) for feature in features):
            self.prefix = f"_{self.prefix}"
        # What the layers are made of, and the columns they add.
        self.rows, self.row = self.table, f"{self.prefix}row"
        self.added: list[str] = []
        if dialect == "postgresql":
            self.rows = f"{self.prefix}table"  # not the name of the table, which a column may have too

    def names(self, letter: str, count: int) -> list[str]:
        """Return the names of the columns of a layer."""
        return [f"{self.prefix}{letter}{i}" for i in range(count)]

    def layer(self, letter: str, columns: Mapping[str, str], layers: str = "", joins: str = "") -> str:
        """Return a SELECT, in brackets, that adds columns to those below it.

        Parameters
        ----------
        letter : str
        columns : mapping of str to str
            Name -> expression.
        layers : str
            The layer below; by default the table.
        joins : str
            What is joined with the table.
        """
        self.added += columns
        every = "*" if layers else f"{self._numbered()}{self.rows}.*"
        below = layers or f"{self.table}{f' AS {self.rows}' if self.rows != self.table else ''}{joins}"
        written = ",\n".join(f"{expression} AS {name}" for name, expression in columns.items())
        fence = _FENCES.get(self.dialect, "")
        return f"(SELECT {every},\n{written}\nFROM {below}{fence}) AS {self.prefix}{letter}"

    def _numbered(self) -> str:
        """The column by which the outer SELECT finds the row of the table again."""
        if self.dialect == "postgresql":
            return f"{self.rows} AS {self.row}, "
        return f"{self.table}.{self._row_number()} AS {self.row}, " if self.dialect == "sqlite" else ""

    def _row_number(self) -> str:
        taken = {feature.name.lower() for feature in self.features}
        return next((name for name in _ROW_NUMBERS if name not in taken), _ROW_NUMBERS[0])

    def outer(self, layers: str, columns: str) -> str:
        """Return the SELECT over the layers: the columns of the table, and further ones."""
        if not layers:
            return f"SELECT *,\n{columns}\nFROM {self.table}"
        if self.dialect == "duckdb":
            return f"SELECT * EXCLUDE ({', '.join(self.added)}),\n{columns}\nFROM {layers}"
        if self.dialect == "postgresql":
            return f"SELECT ({self.row}).*,\n{columns}\nFROM {layers}"
        if self.dialect == "sqlite":
            where = f"{self.table}.{self._row_number()} = {self.row}"
            return f"SELECT {self.table}.*,\n{columns}\nFROM {layers}\nJOIN {self.table} ON {where}"
        given = dict.fromkeys(feature.column for feature in self.features)
        return f"SELECT {', '.join(map(sql_name, given))},\n{columns}\nFROM {layers}"

    @staticmethod
    def literal_of(feature: Feature) -> Callable[[float], str]:
        """Return how a threshold of a column is written."""
        return (lambda days: sql_value(moment(days))) if feature.is_date else sql_value

    def rank(self, feature: Feature) -> str:
        """Return the rank of an ordered category, or the code of another one, as a number."""
        self.written.add(len(feature.categories))
        ranks = " ".join(f"WHEN {sql_value(value)} THEN {rank}.0" for rank, value in enumerate(feature.categories))
        return f"CASE {sql_name(feature.name)} {ranks} END"

    @staticmethod
    def decision(labels: Sequence[Any], scores: list[str], order: str = ">=", first: Sequence[str] = ()) -> str:
        """Return the class of the largest score (>=), or of the smallest (<=); ties to the first.

        Parameters
        ----------
        labels : sequence
        scores : list of str
            One expression per class.
        order : {">=", "<="}
        first : sequence of str
            Cases that come before.
        """
        lines = list(first)
        for k, label in enumerate(labels[:-1]):
            better = " AND ".join(f"{scores[k]} {order} {other}" for other in scores[k + 1 :])
            lines.append(f"  WHEN {better} THEN {sql_value(label)}")
        if not lines:
            return f"{sql_value(labels[0])} AS prediction"
        return "\n".join(["CASE", *lines, f"  ELSE {sql_value(labels[-1])}", "END AS prediction"])
