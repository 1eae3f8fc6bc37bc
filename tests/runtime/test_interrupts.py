"""Ctrl-C is remembered."""

from __future__ import annotations

import contextlib
import signal
import threading

import pytest

from vaglio.runtime.interrupts import noticing_interrupts


def test_an_interrupt_that_the_body_catches_is_remembered():
    before = signal.getsignal(signal.SIGINT)
    with noticing_interrupts() as seen:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            seen.check()
    assert signal.getsignal(signal.SIGINT) is before


def test_without_an_interrupt_nothing_is_raised():
    with noticing_interrupts() as seen:
        seen.check()
    assert not seen.pressed


def test_another_thread_changes_no_handler():
    found = []

    def work() -> None:
        with noticing_interrupts():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]
