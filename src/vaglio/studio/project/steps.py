"""The steps that lead from a file to a table: each is plain data, and the state is what they add up to.

The table of a state is read from the file as the steps say, then cleaned as they say. A program says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from vaglio import datasets
from vaglio.errors import InputError
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip
from vaglio.quality import Policy, audit
from vaglio.runtime.memory import usable_memory
from vaglio.table import MISSING, Table, read
from vaglio.table.scanned.scanning import bytes_in_memory

__all__ = [
    "Loaded",
    "Step",
    "TableState",
    "add_up",
    "check_step",
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
        Further missing-value markers.
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


_UNKNOWN_STEP = Message(
    "unknown-step", "The project has a step that this version of vaglio does not know. Update vaglio."
)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_column(value: Any) -> bool:
    return value is None or isinstance(value, str)


# What each step says: its fields, and what each may be. A field that stands in neither is ignored.
_FIELDS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "open": {"name": _is_text},
    "target": {"column": _is_text},
    "level": {"column": _is_text, "level": lambda value: _is_text(value) or _are_texts(value)},
    "role": {"column": _is_text, "role": _is_text},
    "missing": {"words": _are_texts},
    "clean": {"finding": lambda value: value in {each.name for each in fields(Policy)}, "choice": _is_text},
}


def check_step(step: Step) -> None:
    """Refuse a step that no page can have written.

    Parameters
    ----------
    step : mapping
    """
    known = _FIELDS.get(step["do"]) if isinstance(step.get("do"), str) else None
    if known is None:
        raise InputError(_UNKNOWN_STEP)
    strange = [name for name, test in known.items() if not test(step.get(name))]
    if strange or not _is_column(step.get("target")):
        raise InputError(
            "damaged-step",
            "A step of the project ({do}) has no valid {field!r}.",
            do=step["do"],
            field=(strange or ["target"])[0],
        )


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
            raise InputError(_UNKNOWN_STEP)
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
    # A project may come from somebody else: neither a name nor a link leads out of it.
    if Path(state.name).name != state.name or "\0" in state.name or path.resolve().parent != folder.resolve():
        raise InputError("table-outside-project", "{name!r} is not a table of the project.", name=clip(state.name))
    needed = bytes_in_memory(path)
    if needed > usable_memory():
        raise InputError(
            "table-larger-than-memory",
            "{file} needs about {size:,} GB of memory, more than is available. Open a sample of its rows "
            "(vaglio.scan(file).sample(100000)), or use the commands, which read it in chunks.",
            file=path.name,
            size=needed >> 30,
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
