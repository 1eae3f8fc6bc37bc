"""How far the work is: a bar on a terminal, or a function of the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ProgressOption", "Report", "reporting"]

Report = Callable[[int, int, str], None]
ProgressOption = bool | Report | None


def _silent(done: int, total: int, what: str) -> None:
    """Say nothing."""


@contextmanager
def reporting(progress: ProgressOption) -> Iterator[Report]:
    """A function ``report(done, total, what)``. None shows a bar only where a person looks at it."""
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = sys.stderr.isatty()
    if not progress:
        yield _silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
