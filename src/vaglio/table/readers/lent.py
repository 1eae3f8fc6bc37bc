"""A stream that is lent to pyarrow, and awaited back."""

from __future__ import annotations

import io
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["lent"]

# A thread that is not done by then is not at work on the stream any more.
_PATIENCE_SECONDS = 5.0


class _Lent(io.RawIOBase):
    """Reads from a stream; to close it leaves the stream open."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> Any:
        return self._stream.read(size)


@contextmanager
def lent(stream: Any) -> Iterator[list[Any]]:
    """Lend a stream to pyarrow's readers; at the end, wait until its threads have let go of it.

    A thread of pyarrow may hold the stream for a moment after the last batch was given. If Python ended just then, the
    thread would be unwound while it lets go of the stream, and the process would abort.

    Parameters
    ----------
    stream : file object

    Yields
    ------
    list
        It holds the stream that is lent. The reader takes it out (``pop``) and must be deleted before the end.
    """
    released = threading.Event()
    box: list[Any] = [_Lent(stream)]
    weakref.finalize(box[0], released.set)
    try:
        yield box
    finally:
        box.clear()
        released.wait(_PATIENCE_SECONDS)
