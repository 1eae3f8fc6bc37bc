"""The steps that lead from a file to a table: each is plain data, and the state is what they add up to.

The table of a state is read from the file as the steps say, then cleaned as they say. A program says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from vaglio import datasets
from vaglio.errors import InputError
from vaglio.quality import Policy, audit
from vaglio.runtime.memory import usable_memory
from vaglio.table import MISSING, Table, read
from vaglio.table.scanned.scanning import bytes_in_memory

__all__ = [
    "Loaded",
    "Step",
    "TableState",
    "add_up",
    "clean",
    "load_table",
    "policy_of",
    "program_lines",
    "read_table",
    "reading_keywords",
]

# {"id": 3, "do": "level", "column": "size", "level": "ordinal"}
Step = Mapping[str, Any]


@dataclass(frozen=True)
class TableState:
    """Which table, how it is read, and how it is cleaned.

    Attributes
    ----------
    name : str
        The file in the project, or the name of a bundled table.
    bundled : bool
    target : str or None
    levels : dict
        Column -> level, or its values in order.
    roles : dict
        Column -> role.
    missing : tuple of str
        Further words that mean "no value".
    policy : dict
        Field of :class:`~vaglio.quality.Policy` -> choice; what is not named is kept as it is.
    """

    name: str
    bundled: bool = False
    target: str | None = None
    levels: dict[str, Any] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    policy: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TableState:
        """Rebuild from plain data."""
        return cls(**{**data, "missing": tuple(data.get("missing", ()))})


def _changed(state: TableState, step: Step) -> TableState | None:
    """Return the state after a step; None if this version does not know the step."""
    match step["do"]:
        case "target":
            # A column has one role: the new class is no longer ignored, the old one is an input again.
            roles = {name: role for name, role in state.roles.items() if name != step["column"]}
            return replace(state, target=step["column"], roles=roles)
        case "level":
            return replace(state, levels={**state.levels, step["column"]: step["level"]})
        case "role":
            target = None if state.target == step["column"] else state.target
            return replace(state, roles={**state.roles, step["column"]: step["role"]}, target=target)
        case "missing":
            return replace(state, missing=tuple(step["words"]))
        case "clean":
            return replace(state, policy={**state.policy, step["finding"]: step["choice"]})
    return None


def add_up(steps: Iterable[Step]) -> TableState | None:
    """Return what the steps lead to; None before a table is opened.

    Parameters
    ----------
    steps : iterable of mapping

    Examples
    --------
    >>> add_up([{"do": "open", "name": "play", "bundled": True}, {"do": "target", "column": "windy"}]).target
    'windy'
    """
    state: TableState | None = None
    for step in steps:
        if step["do"] == "open":
            state = TableState(step["name"], bool(step.get("bundled")), step.get("target"))
        else:
            state = None if state is None else _changed(state, step)
        if state is None:
            raise InputError(
                "project-has-step-version",
                "The project has a step {step!r} that this version does not know: update vaglio.",
                step=step["do"],
            )
    return state


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
    path = folder / state.name
    needed = bytes_in_memory(path)
    if needed > usable_memory():
        raise InputError(
            "needs-about-gb-memory-2",
            "{name} needs about {needed} GB in memory, more than there is: open a sample of its rows "
            "(vaglio.scan(file).sample(100000)), or work on it with the commands, which read it in "
            "parts.",
            name=path.name,
            needed=needed >> 30,
        )
    return read(path, state.target, **given)


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
