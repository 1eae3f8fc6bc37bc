"""Remember Ctrl-C even when the code that is running catches it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Interrupts", "noticing_interrupts"]


@dataclass
class Interrupts:
    """Whether Ctrl-C was pressed."""

    pressed: bool = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.pressed:
            raise KeyboardInterrupt


@contextmanager
def noticing_interrupts() -> Iterator[Interrupts]:
    """Record Ctrl-C in the object given, and raise KeyboardInterrupt as usual.

    Some learners catch KeyboardInterrupt and return a half-trained model (scikit-learn's neural network does). The
    caller then asks the object whether Ctrl-C was pressed. Python delivers signals only to the main thread; in any
    other thread nothing is changed.
    """
    seen = Interrupts()
    usual = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    # Not callable: another thread, or a program that ignores Ctrl-C (SIG_IGN).
    if not callable(usual):
        yield seen
        return

    def remember(number: int, frame: FrameType | None) -> None:
        seen.pressed = True
        usual(number, frame)

    signal.signal(signal.SIGINT, remember)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, usual)
