"""How to get a result again: the command and the Python lines that a model file keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vaglio.cli._bundled import is_bundled, loading
from vaglio.cli._output import shell

if TYPE_CHECKING:
    from vaglio.cli._reading import ReadingOptions
    from vaglio.model.families import Task


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
        ``train``, ``tune``, ``select`` or ``report``.
    table : str
    target : str or None
        The column with the class; None leaves the choice to :func:`vaglio.read`.
    reading : ReadingOptions
        What the options said about the columns.
    options : mapping
        Further options: name -> value, a list of values, or None.
    left_out : tuple of str, optional
        For a table that is scanned: the columns that are not learned from. None for one that is read.
    task : {"classification", "regression"}
        Whether the target holds classes or numbers.
    """

    command: str
    table: str
    target: str | None
    reading: ReadingOptions
    options: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] | None = None
    task: Task = "classification"

    @property
    def shell(self) -> str:
        """The command line."""
        words: list[Any] = ["vaglio", self.command, self._file()]
        for name, value in {"target": self.target, **self.options, **self.reading.to_options()}.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    words.append(f"--{name}")
                if one is not None and one is not True:
                    words.append(repr(one).removesuffix(".0") if isinstance(one, float) else one)
        return shell(*words)

    def python(self, *lines: str) -> str:
        """Python lines that read the table, followed by those that make ``model``."""
        imports = [line for line in lines if line.startswith("from ")]
        rest = [line for line in lines if line not in imports]
        return "\n".join(["import vaglio", *imports, "", f"table = {self.read()}", *rest])

    def read(self, table: str | None = None) -> str:
        """The Python expression that reads the table, or another one in the same way."""
        source = self.table if table is None else table
        if is_bundled(source):
            said = self.reading.to_keywords()
            return loading(source, self.target, said["levels"], said["roles"])
        name = self._file() if table is None else Path(table).name
        if self.left_out is None:
            like = {} if table is None else {"like": Source("table.cell_formats")}
            return call("vaglio.read", name, self.target, **self.reading.to_keywords(), **like)
        said = {key: value for key, value in self.reading.to_keywords().items() if key != "roles"}
        scanned = call("vaglio.scan", name, **said)
        if table is not None:
            return scanned
        dropped = f".drop({list(self.left_out)!r})" if self.left_out else ""
        return f"{scanned}{dropped}{f'.grouped({self.reading.group!r})' if self.reading.group is not None else ''}"

    def training_rows(self, holdout: float | str | None, seed: int) -> list[str]:
        """Python lines from ``table`` to the rows ``X``, ``y`` that a model is trained on."""
        if self.left_out is not None:
            if holdout is None:
                return [f"X, y = table.xy({self.target!r})"]
            return [f"train, test = table.split({holdout!r}, seed={seed})", f"X, y = train.xy({self.target!r})"]
        told = "" if self.task == "classification" else f"task={self.task!r}"
        if holdout is None:
            return [f"X, y = table.xy({told})"]
        groups = "" if self.reading.group is None else ", groups=table.labelled().groups"
        rules = ", ".join(filter(None, (f"SplitRules(seed={seed}{groups})", told)))
        return [
            f"X, y = table.xy({told})",
            "from vaglio.evaluation import SplitRules, make_holdout",
            f"train, test = make_holdout(y, {holdout!r}, {rules})",
            "X, y = X[train], y[train]",
        ]

    def facts(self, *lines: str) -> dict[str, str]:
        """What a model file keeps of it."""
        return {"command": self.shell, "python": self.python(*lines)}

    def _file(self) -> str:
        return self.table if self.table == "-" else Path(self.table).name
