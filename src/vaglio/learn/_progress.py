"""A progress bar for a long kernel, on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a kernel's progress callback that moves a bar with an estimate of the time left; None if not wanted."""
    if not wanted:
        yield None
        return
    from rich.progress import Progress

    with Progress(transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
