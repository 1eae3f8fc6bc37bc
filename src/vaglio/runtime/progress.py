"""The progress of long work: a bar on a terminal, or a call to a function of the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

__all__ = ["ProgressOption", "Report", "progress_bar", "reporting", "time_left"]

# Steps done, steps in all, and the name of the present step.
Report = Callable[[int, int, str], None]
# None shows a bar on a terminal only; a bool decides; a function is called instead of drawing a bar.
ProgressOption = bool | Report | None


def _silent(done: int, total: int, what: str) -> None:
    """Report nothing."""


def time_left() -> ProgressColumn:
    """Return the column of the time left, empty as long as it is not known."""
    from rich.progress import Task, TimeRemainingColumn
    from rich.text import Text

    class TimeLeft(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return Text("") if task.time_remaining is None else super().render(task)

    return TimeLeft()


@contextmanager
def reporting(progress: ProgressOption) -> Iterator[Report]:
    """Give a function ``report(done, total, what)``.

    Parameters
    ----------
    progress : bool, callable or None
        None shows a bar only if standard error is a terminal.
    """
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
    )

    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), time_left())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, before = bar.add_task("", total=None), (0, 0)

        def report(done: int, total: int, what: str) -> None:
            nonlocal before
            if done < before[0] or total != before[1]:  # the time left is that of this part, and not of those before
                bar.reset(task)
            before = done, total
            bar.update(task, completed=done, total=total, description=what)

        yield report


@contextmanager
def progress_bar(what: str, wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give the progress callback of a kernel, which moves a bar with an estimate of the time left.

    Parameters
    ----------
    what : str
        The text beside the bar.
    wanted : bool
        If False, None is given instead of a callback.
    """
    if not wanted:
        yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), time_left()
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
