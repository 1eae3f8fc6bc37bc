"""The progress of long work: a bar on a terminal, or a call to a function of the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ProgressOption", "Report", "progress_bar", "reporting"]

# Steps done, steps in all, and the name of the present step.
Report = Callable[[int, int, str], None]
# None shows a bar on a terminal only; a bool decides; a function is called instead of drawing a bar.
ProgressOption = bool | Report | None


def _silent(done: int, total: int, what: str) -> None:
    """Report nothing."""


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
        TimeRemainingColumn,
    )

    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, shown = bar.add_task("", total=None), ""

        def report(done: int, total: int, what: str) -> None:
            nonlocal shown
            if what != shown:  # the time left is that of this step, and not of those before
                bar.reset(task)
                shown = what
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
    from rich.progress import Progress

    with Progress(transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
