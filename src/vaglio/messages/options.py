"""Parameters that messages advise to set, each with the option of the command line that does the same."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from vaglio.messages.message import Option

__all__ = [
    "as_identifier",
    "as_input",
    "as_missing",
    "as_nominal",
    "changing",
    "in_one_fold",
    "in_order",
    "limit",
    "reading",
    "renaming",
    "setting",
]


def as_nominal(column: str) -> Option:
    """Return the option that declares a column nominal.

    >>> as_nominal("my size"), as_nominal("my size").on_command_line()
    ("levels={'my size': 'nominal'}", "--nominal 'my size'")
    """
    return Option("levels", {column: "nominal"}, flag=f"--nominal {shlex.quote(column)}")


def in_order(column: str, values: Sequence[Any]) -> Option:
    """Return the option that declares a column ordinal; the values show what a list of them looks like.

    >>> in_order("size", ["S", "M"]), in_order("size", ["S", "M"]).on_command_line()
    ("levels={'size': ['S', 'M']}", "--levels 'size=S<M'")
    """
    order = shlex.quote(f"{column}={'<'.join(map(str, values))}")
    return Option("levels", {column: list(values)}, flag=f"--levels {order}")


def as_identifier(column: str) -> Option:
    """Return the option that leaves a column out of training.

    >>> as_identifier("nr"), as_identifier("nr").on_command_line()
    ("roles={'nr': 'identifier'}", '--identifier nr')
    """
    return Option("roles", {column: "identifier"}, flag=f"--identifier {shlex.quote(column)}")


def changing(columns: Sequence[str]) -> Option:
    """Return the option that lets advice change columns.

    >>> changing(["age"]), changing(["age", "my sex"]).on_command_line()
    ("changeable=['age']", "--changeable age --changeable 'my sex'")
    """
    return Option("changeable", list(columns), flag=" ".join(f"--changeable {shlex.quote(name)}" for name in columns))


def in_one_fold(column: str) -> Option:
    """Return the option that keeps rows with the same value of a column in one fold.

    >>> in_one_fold("customer"), in_one_fold("customer").on_command_line()
    ("roles={'customer': 'group'}", '--group customer')
    """
    return Option("roles", {column: "group"}, flag=f"--group {shlex.quote(column)}")


def as_input(column: str) -> Option:
    """Return the option that keeps a column for training.

    >>> as_input("nr"), as_input("nr").on_command_line()
    ("roles={'nr': 'input'}", '--keep nr')
    """
    return Option("roles", {column: "input"}, flag=f"--keep {shlex.quote(column)}")


def as_missing(word: str) -> Option:
    """Return the option that makes a word mean a missing value.

    >>> as_missing("n. a."), as_missing("n. a.").on_command_line()
    ("missing=['n. a.']", "--missing 'n. a.'")
    """
    return Option("missing", [word], flag=f"--missing {shlex.quote(word)}")


def reading(name: str, value: Any = None) -> Option:
    """Return a parameter of :func:`vaglio.read` that ``--read`` sets.

    >>> reading("decimal", ","), reading("encoding"), reading("encoding").on_command_line()
    ("decimal=','", 'encoding', '--read encoding=…')
    """
    written = "…" if value is None else str(value).lower() if isinstance(value, bool) else shlex.quote(str(value))
    return Option(name, value, flag=f"--read {name}={written}")


def limit(name: str, value: int) -> Option:
    """Return the option that raises a limit of reading.

    >>> limit("cells", 10), limit("cells", 10).on_command_line()
    ("limits={'cells': 10}", '--read limit_cells=10')
    """
    return Option("limits", {name: value}, flag=f"--read limit_{name}={value}")


def renaming(old: str, new: str) -> Option:
    """Return the option that gives a column of a table the name that a model knows.

    >>> renaming("N. claims", "claims"), renaming("N. claims", "claims").on_command_line()
    ("rename={'N. claims': 'claims'}", "--rename 'N. claims=claims'")
    """
    return Option("rename", {old: new}, flag=f"--rename {shlex.quote(f'{old}={new}')}")


def setting(name: str, value: Any) -> Option:
    """Return a parameter of a learner.

    >>> setting("unseen", "missing"), setting("unseen", "missing").on_command_line()
    ("unseen='missing'", '--set unseen=missing')
    """
    return Option(name, value, flag=f"--set {name}={value}")
