"""What the studio is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from vaglio.serve.http.bounds import Bounds

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """The choices of the command line.

    Attributes
    ----------
    project : Path
        The folder that the work lives in.
    temporary : bool
        Whether it was made for this session.
    token : str
        The first request carries it; it is good for one browser.
    origin : str
        How a browser addresses the server, as ``http://127.0.0.1:4321``.
    bounds : Bounds
        Limits of a request that is no upload.
    upload : int
        Bytes of a table at most.
    threads : int
        For pages that have to be computed.
    """

    project: Path
    token: str
    origin: str
    temporary: bool = False
    bounds: Bounds = field(default_factory=lambda: Bounds(body=1 << 20, seconds=120.0))
    upload: int = 1 << 30
    threads: int = 4
