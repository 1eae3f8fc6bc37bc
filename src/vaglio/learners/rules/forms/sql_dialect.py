"""The quotes of SQL in databases that do not follow the standard."""

from __future__ import annotations

import re

from vaglio.errors import InputError

__all__ = ["DIALECTS", "in_dialect"]

# "mysql": a backslash in a text is an escape, and names stand in backticks. MySQL, MariaDB and Spark read it.
# The last three are standard in their quotes, and each has its own way to compute with dates.
DIALECTS = ("standard", "mysql", "sqlite", "duckdb", "postgresql")
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
    >>> from vaglio.learners.rules.forms.sql_dialect import in_dialect
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
