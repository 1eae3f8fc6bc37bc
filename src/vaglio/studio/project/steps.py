"""The steps that lead from a file to a table: each is plain data, and the state is what they add up to.

Nothing but the list of steps is kept. To undo a step is to leave it out and to add up the others again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from vaglio.errors import InputError

__all__ = ["Step", "TableState", "add_up"]

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


def _target(state: TableState, step: Step) -> TableState:
    # A column has one role: the new class is no longer ignored, the old one is an input again.
    roles = {name: role for name, role in state.roles.items() if name != step["column"]}
    return replace(state, target=step["column"], roles=roles)


def _level(state: TableState, step: Step) -> TableState:
    return replace(state, levels={**state.levels, step["column"]: step["level"]})


def _role(state: TableState, step: Step) -> TableState:
    target = None if state.target == step["column"] else state.target
    return replace(state, roles={**state.roles, step["column"]: step["role"]}, target=target)


def _missing(state: TableState, step: Step) -> TableState:
    return replace(state, missing=tuple(step["words"]))


def _clean(state: TableState, step: Step) -> TableState:
    return replace(state, policy={**state.policy, step["finding"]: step["choice"]})


_CHANGES: dict[str, Callable[[TableState, Step], TableState]] = {
    "target": _target,
    "level": _level,
    "role": _role,
    "missing": _missing,
    "clean": _clean,
}


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
        elif state is None or step["do"] not in _CHANGES:
            raise InputError(f"The project has a step {step['do']!r} that this version does not know: update vaglio.")
        else:
            state = _CHANGES[step["do"]](state, step)
    return state
