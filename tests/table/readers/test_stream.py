"""Streams that threads of pyarrow read from."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path

from vaglio.table import read_chunks
from vaglio.table.readers import stream as lending
from vaglio.table.readers.stream import lent


def test_a_stream_that_is_lent_is_awaited():
    held, released = [], threading.Event()

    def let_go():
        time.sleep(0.05)
        released.set()
        held.clear()

    with lent(io.BytesIO(b"abc")) as box:
        held.append(box.pop())
        assert held[0].read() == b"abc"
        threading.Thread(target=let_go).start()
    assert released.is_set()


def test_no_thread_holds_a_file_whose_rows_are_read(tmp_path: Path, monkeypatch):
    """Whether all rows are taken, or some: nobody waits in vain."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n" * 200_000)
    awaited = []

    class Watched(threading.Event):
        def wait(self, timeout=None):
            awaited.append(super().wait(timeout))
            return awaited[-1]

    monkeypatch.setattr(lending.threading, "Event", Watched)
    assert sum(len(rows) for rows in read_chunks(path)) == 200_000
    some = iter(read_chunks(path, 100))
    next(some)
    some.close()
    assert awaited == [True, True]
