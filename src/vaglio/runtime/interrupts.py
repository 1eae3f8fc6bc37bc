"""Ctrl-C that cannot get lost."""

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
        """Raise KeyboardInterrupt if it was."""
        if self.pressed:
            raise KeyboardInterrupt


@contextmanager
def noticing_interrupts() -> Iterator[Interrupts]:
    """Remember Ctrl-C beside raising it as usual.

    Some learners catch it and hand back a half-trained model (scikit-learn's neural network does): whoever runs them
    asks afterwards. Outside the main thread Python delivers no signals, and nothing is changed.
    """
    seen = Interrupts()
    usual = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
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
