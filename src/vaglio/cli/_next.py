"""What one might do next, as commands that work when pasted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vaglio.cli._recipe import shell
from vaglio.model.kinds import KINDS

__all__ = ["after_model", "next_line", "with_model", "with_table"]


def next_line(*commands: str) -> str:
    """``Next: …, or …``."""
    return "Next: " + ", or ".join(commands)


def with_table(command: str, table: str, target: str | None, *more: object) -> str:
    """A command about the user's table; what came through a pipe is gone and needs a name."""
    named = [] if target is None else ["--target", target]
    return shell("vaglio", command, "TABLE" if table == "-" else table, *named, *more)


def with_model(command: str, model: object, table: str, *more: object) -> str:
    """A command about the user's model and table."""
    return shell("vaglio", command, model, "TABLE" if table == "-" else table, *more)


def after_model(fitted: Any, model: Path, table: str | None = None) -> str:
    """What a model is good for."""
    commands = []
    kind = KINDS.get(fitted.model.kind)
    if kind is not None and kind.readable and hasattr(fitted.model, "rules"):  # nobody reads the rules of a forest
        commands.append(shell("vaglio", "rules", model))
    if table is not None:
        commands.append(with_model("explain", model, table))
    commands.append(with_model("predict", model, table or "-", "--out", "predictions.csv"))
    return next_line(*commands)
