"""What every writer of SQL shares: names, values, sums, and the quotes of databases that do not follow the standard."""

from __future__ import annotations

import math
import re
from typing import Any

from vaglio.errors import InputError

__all__ = ["DIALECTS", "in_dialect", "sql_name", "sql_number", "sql_sum", "sql_value"]

# "mysql": a backslash in a text is an escape, and names stand in backticks. MySQL, MariaDB and Spark read it.
# The last three are standard in their quotes, and each has its own way to compute with dates.
DIALECTS = ("standard", "mysql", "sqlite", "duckdb", "postgresql")
# Engines limit the depth of an expression (SQLite: 1000), and a plain sum of n terms is n deep.
_TERMS = 200
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
    >>> from vaglio.export.sql import in_dialect
    >>> print(in_dialect("\"a\" = 'it''s \\'", "mysql"))
    `a` = 'it''s \\'
    """
    if dialect not in DIALECTS:
        raise InputError(f"There is no SQL dialect {dialect!r}; there are {', '.join(DIALECTS)}.")
    return _QUOTED.sub(_requoted, sql) if dialect == "mysql" else sql


def _requoted(found: re.Match[str]) -> str:
    text = found.group()
    if text.startswith("'"):
        return text.replace("\\", "\\\\")
    return "`" + text[1:-1].replace('""', '"').replace("`", "``") + "`"


def sql_sum(terms: list[str]) -> str:
    """Return a sum whose depth stays below what engines allow."""
    if not terms:
        return "0.0"
    while len(terms) > 1:
        chunks = [terms[i : i + _TERMS] for i in range(0, len(terms), _TERMS)]
        terms = [f"({' + '.join(chunk)})" for chunk in chunks]
    return terms[0]


def sql_name(name: str) -> str:
    """Return the name of a column or a table in quotes."""
    return '"' + _printable(name).replace('"', '""') + '"'


def sql_value(value: Any) -> str:
    """Return a text, a number or a truth value as a literal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise InputError(f"SQL has no portable way to write {value}.")
        return f"({value!r})" if value < 0 else repr(value)
    return "'" + _printable(str(value)).replace("'", "''") + "'"


def sql_number(value: float) -> str:
    """Return a number to compute with: the exponent makes it one of floating point, not of fixed decimals."""
    text = sql_value(value)
    return text if "e" in text or "." not in text else text.replace(")", "e0)") if text[0] == "(" else f"{text}e0"


def _printable(text: str) -> str:
    if "\0" in text:
        raise InputError(f"SQL cannot hold a NUL character, as in {text!r}.")
    return text
