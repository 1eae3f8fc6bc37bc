"""One studio at a time works in a project folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vaglio.errors import InputError
from vaglio.studio.project.folder import Project

try:
    import fcntl
except ImportError:  # Windows, where nothing keeps two studios apart
    fcntl = None  # type: ignore[assignment]

__all__ = ["claimed"]


@contextmanager
def claimed(project: Project) -> Iterator[None]:
    """Keep other studios out of the folder; the system opens it again however this process ends.

    Each studio holds the steps in memory and writes all of them: what another one had written would be lost.
    """
    with (project.folder / ".in-use").open("a") as mark:
        if fcntl is not None:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"Another studio works in {project.folder}: go on in its page, end it, or name another folder "
                    "with --project."
                ) from None
        yield
