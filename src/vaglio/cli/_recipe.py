"""How to get a result again: the command, and the same in Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vaglio.cli import _options as options

__all__ = ["Recipe", "Source", "call", "learner_source", "shell"]


def shell(*words: object) -> str:
    """Words as a line that can be pasted into a shell."""
    return shlex.join([str(word) for word in words])


def call(name: str, *arguments: object, **keywords: object) -> str:
    """The source of a function call; keywords that are None or empty are left out."""
    parts = [repr(argument) for argument in arguments]
    parts += [f"{key}={value!r}" for key, value in keywords.items() if value is not None and value != {}]
    return f"{name}({', '.join(parts)})"


class Source(str):
    """Text that stands for itself in :func:`call`, as the name of a variable does."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Recipe:
    """What a model was made from. Files are named without their folder, so that the model holds no path.

    Attributes
    ----------
    command : str
        ``train``, ``tune`` or ``select``.
    table, target : str
    reading : Reading
        What the options said about the columns.
    options : mapping
        Further options: name -> value, a list of values, or None.
    """

    command: str
    table: str
    target: str
    reading: options.Reading
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shell(self) -> str:
        """The command line."""
        words: list[Any] = ["vaglio", self.command, self._file(), "--target", self.target]
        for name, value in {**self.options, **self.reading.to_options()}.items():
            for one in value if isinstance(value, list) else [value]:
                words += [] if one is None else [f"--{name}", f"{one:g}" if isinstance(one, float) else one]
        return shell(*words)

    def python(self, *lines: str) -> str:
        """Python lines that read the table, followed by those that make ``model``."""
        read = call("vaglio.read", self._file(), self.target, **self.keywords())
        imports = [line for line in lines if line.startswith("from ")]
        rest = [line for line in lines if line not in imports]
        return "\n".join(["import vaglio", *imports, "", f"table = {read}", *rest])

    def keywords(self) -> dict[str, Any]:
        """How the table was read."""
        return self.reading.to_keywords()

    def facts(self, *lines: str) -> dict[str, str]:
        """What a model file keeps of it."""
        return {"command": self.shell, "python": self.python(*lines)}

    def _file(self) -> str:
        return self.table if self.table == "-" else Path(self.table).name


def learner_source(estimator: Any) -> str:
    """The source that makes an estimator again; the number of threads is left out, it changes no model."""
    default = type(estimator)().get_params(deep=False)
    given = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "n_jobs" and not _same(value, default[name])
    }
    parts = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"vaglio.{type(estimator).__name__}({parts})"


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)
