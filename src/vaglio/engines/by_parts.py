"""Something done with each part of a table outside memory, the results in the order of the rows.

Without a cluster the parts are read here, chunk by chunk. With one, a task per part reads it where it runs, and only
what it returns is sent; a few tasks are under way at a time, so that results do not pile up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from vaglio.engines.work_settings import present_settings
from vaglio.runtime.cluster import Waiting, active_client, lost_named
from vaglio.table import LazyTable, Table
from vaglio.table.lazy import Part, Reading

# Rows that are read at a time.
_ROWS = 1 << 16
# Parts under way per thread of the cluster.
_AHEAD = 2


def each_table(function: Callable[[Table], Any], source: Any, rows: int = _ROWS) -> Iterator[Any]:
    """Yield what a function returns for the tables that follow each other in a lazy table or a Dask frame.

    Parameters
    ----------
    function : callable
        From a Table with one row at least; picklable.
    source : LazyTable or Dask frame
    rows : int, default=65536
        Rows of a lazy table that are read at a time, at most.
    """
    client = present_settings().client
    if not isinstance(source, LazyTable):
        client = active_client() if client is None else client
        frames = source.to_delayed(optimize_graph=True)
        if client is None:
            yield from (found for frame in frames for found in _of_frame(function, frame.compute()))
            return
        told = _sent(client, function)
        calls = (partial(client.submit, _of_frame, told, frame) for frame in client.compute(frames))
        yield from _gathered(client, calls)
    elif client is not None:
        told = _sent(client, function)
        calls = (partial(client.submit, _of_part, told, part, source.reading, rows) for part in source.parts)
        yield from _gathered(client, calls)
    else:
        yield from (function(table) for table in source.chunks(rows) if len(table))


def _gathered(client: Any, calls: Iterator[Callable[..., Any]]) -> Iterator[Any]:
    ahead = _AHEAD * max(1, sum(client.nthreads().values()))
    running: deque[Any] = deque()
    waiting = Waiting(client, present_settings().worker_timeout)
    try:
        for call in calls:
            running.append(call(pure=False))
            if len(running) >= ahead:
                yield from waiting.fetch(running.popleft(), "parts")
        while running:
            yield from waiting.fetch(running.popleft(), "parts")
    finally:
        for future in running:
            future.cancel()


def _sent(client: Any, function: Callable[[Table], Any]) -> Any:
    """Send a function, which may hold a model, once instead of with every part."""
    with lost_named():
        return client.submit(as_it_is, function, pure=False)


def _of_part(function: Callable[[Table], Any], part: Part, reading: Reading, rows: int) -> list[Any]:
    return [function(table) for table in part.tables(reading, rows) if len(table)]


def _of_frame(function: Callable[[Table], Any], frame: Any) -> list[Any]:
    table = Table.from_any(frame.rename(columns=str))
    return [function(table)] if len(table) else []


def as_it_is(thing: Any) -> Any:
    """Return what is given: for rows that are wanted themselves."""
    return thing
