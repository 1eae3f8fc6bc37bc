"""What one might do next, as commands that work when pasted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vaglio.cli._recipe import shell

__all__ = ["after_model", "next_line", "with_table"]


def next_line(*commands: str) -> str:
    """``Next: …, or …``."""
    return "Next: " + ", or ".join(commands)


def with_table(command: str, table: str, target: str | None, *more: object) -> str:
    """A command about the user's table."""
    named = [] if target is None else ["--target", target]
    return shell("vaglio", command, table, *named, *more)


def after_model(fitted: Any, model: Path, table: str | None = None) -> str:
    """What a model is good for."""
    commands = []
    if fitted.model.kind in ("tree", "rules"):  # a forest has thousands of rules, which nobody reads
        commands.append(shell("vaglio", "rules", model))
    if table is None or table == "-":
        commands.append(f"{shell('vaglio', 'predict', model)} TABLE")
    else:
        commands.append(shell("vaglio", "explain", model, table))
        commands.append(shell("vaglio", "predict", model, table, "--out", "predictions.csv"))
    return next_line(*commands)
