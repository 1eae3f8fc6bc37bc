"""What one request may ask for at most."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Bounds"]


@dataclass(frozen=True)
class Bounds:
    """Limits of a service; every request beyond one of them is refused.

    Attributes
    ----------
    body : int
        Bytes of a request.
    rows : int
        Rows of a request.
    text : int
        Characters of one value.
    nesting : int
        Levels of lists and objects in JSON.
    seconds : float
        Time for one request: to send it, and to compute its answer.
    waiting : int
        Requests that may be at work or waiting at the same time.
    """

    body: int = 16 << 20
    rows: int = 10_000
    text: int = 10_000
    nesting: int = 16
    seconds: float = 30.0
    waiting: int = 256
