"""Bundled tables by name, wherever a command takes a TABLE. A file of that name is read instead, and a note says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vaglio.errors import DataWarning, warn

if TYPE_CHECKING:
    from vaglio.table import Table


def is_bundled(source: str) -> bool:
    """Whether a TABLE of the command line is the name of a bundled table, and no file."""
    return _is_name(source) and not Path(source).exists()


def _is_name(source: str) -> bool:
    # Nearly every file has a suffix: then the catalogue need not be imported.
    if source == "-" or Path(source).suffix or Path(source).name != source:
        return False
    from vaglio import datasets

    return source in datasets.names()


def note_file(source: str) -> None:
    """Say that a file is read although a bundled table has the same name."""
    if _is_name(source) and Path(source).exists():
        told = DataWarning(
            "file-hides-bundled",
            "{source!r} is a file in this folder: vaglio reads the file, not the bundled table of that name.",
            source=source,
        )
        warn(told)


def load_bundled(name: str, target: str | None, levels: Mapping[str, Any], roles: Mapping[str, str]) -> Table:
    """Load a bundled table, with the class, levels and roles that the options name."""
    from vaglio import datasets
    from vaglio.table import Table

    table = datasets.load(name)
    return Table.from_any(table, levels=levels, roles={**_class(name, _column(table, target)), **roles})


def _column(table: Table, target: str | None) -> str | None:
    if target is None:
        return None
    # Digits that are no name are a position.
    return table.resolve(int(target) if target not in table and target.lstrip("-").isdigit() else target)


def _class(name: str, target: str | None) -> dict[str, str]:
    """The roles that make another column the class; none if it is the class already."""
    from vaglio import datasets

    usual = datasets.describe(name).target
    return {} if target in (None, usual) else {usual: "input", str(target): "target"}


def loading(name: str, target: str | None, levels: Mapping[str, Any], roles: Mapping[str, str]) -> str:
    """The Python expression that loads a bundled table in the same way."""
    loaded = f"vaglio.datasets.load({name!r})"
    said = {"levels": dict(levels), "roles": {**_class(name, target), **roles}}
    given = ", ".join(f"{key}={value!r}" for key, value in said.items() if value)
    return f"vaglio.Table.from_any({loaded}, {given})" if given else loaded
