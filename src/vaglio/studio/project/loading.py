"""From a state to its table: read the file as the steps say, then clean it as they say. A program says the same."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from vaglio import datasets
from vaglio.errors import InputError
from vaglio.quality import Policy, audit
from vaglio.runtime.memory import usable_memory
from vaglio.studio.project.steps import TableState
from vaglio.table import MISSING, Table, read
from vaglio.table.lazy.footprint import bytes_in_memory

__all__ = ["Loaded", "clean", "load_table", "policy_of", "program_lines", "read_table", "reading_keywords"]


@dataclass(frozen=True)
class Loaded:
    """A table with what cleaning did.

    Attributes
    ----------
    table : Table
    log : tuple of str
    """

    table: Table
    log: tuple[str, ...] = ()


def load_table(state: TableState, folder: Path) -> Loaded:
    """Read and clean.

    Parameters
    ----------
    state : TableState
    folder : Path
        Where the tables of the project are.
    """
    return clean(read_table(state, folder), state)


def read_table(state: TableState, folder: Path) -> Table:
    """Read as the steps say, without cleaning."""
    given = reading_keywords(state)
    if state.bundled:
        return Table.from_any(datasets.load(state.name), **given)
    _refuse_beyond_memory(folder / state.name)
    return read(folder / state.name, state.target, **given)


def _refuse_beyond_memory(path: Path) -> None:
    needed = bytes_in_memory(path)
    if needed > usable_memory():
        raise InputError(
            f"{path.name} needs about {needed >> 30} GB in memory, more than there is: open a sample of its rows "
            "(vaglio.scan(file).sample(100000)), or work on it with the commands, which read it in parts."
        )


def clean(table: Table, state: TableState) -> Loaded:
    """Clean as the steps say."""
    if not state.policy:
        return Loaded(table)
    return Loaded(*audit(table, n_jobs=-1).clean(policy_of(state)))


def reading_keywords(state: TableState) -> dict[str, Any]:
    """Return what the reading is told beside the source and the class."""
    roles = dict(state.roles)
    if state.bundled and state.target is not None:
        usual = datasets.describe(state.name).target
        roles = {usual: "input", **roles} if usual != state.target else roles
        roles[state.target] = "target"
    given: dict[str, Any] = {"levels": dict(state.levels), "roles": roles}
    if state.missing and not state.bundled:
        given["missing"] = (*MISSING, *state.missing)
    return {name: value for name, value in given.items() if value}


def policy_of(state: TableState) -> Policy:
    """Return how to clean: what no step asks for is kept."""
    return Policy(**{**{each.name: "keep" for each in fields(Policy)}, **state.policy})


def program_lines(state: TableState) -> list[str]:
    """Return Python lines that make ``table`` in the same way, with the file beside the program."""
    given = reading_keywords(state)
    extra = []
    if "missing" in given:
        extra = [f"missing=(*MISSING, {', '.join(map(repr, state.missing))})"]
        del given["missing"]
    said = ", ".join([*(f"{name}={value!r}" for name, value in given.items()), *extra])
    if state.bundled:
        loaded = f"vaglio.datasets.load({state.name!r})"
        lines = [f"table = vaglio.Table.from_any({loaded}{', ' + said if said else ''})"]
    else:
        target = f", {state.target!r}" if state.target is not None else ""
        lines = [f"table = vaglio.read({state.name!r}{target}{', ' + said if said else ''})"]
    if state.policy:
        choices = {**{each.name: "keep" for each in fields(Policy)}, **state.policy}
        written = ", ".join(f"{name}={choice!r}" for name, choice in choices.items())
        lines.append(f"table, log = vaglio.audit(table).clean(Policy({written}))")
    return lines
