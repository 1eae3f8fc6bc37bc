"""scikit-learn-intelex, where it is installed: its estimators, limited to a number of threads."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any


@dataclass(frozen=True)
class Peer:
    """Name and version of a library, and the class of its estimator."""

    name: str
    make: Callable[..., Any]


def intelex(module: str, name: str, threads: int) -> Peer | None:
    """Return the accelerated estimator ``sklearnex.<module>.<name>``, or None if the package is not installed."""
    if importlib.util.find_spec("sklearnex") is None:
        return None
    from daal4py import daalinit

    daalinit(threads)
    cls = getattr(importlib.import_module(f"sklearnex.{module}"), name)
    return Peer(f"scikit-learn-intelex {version('scikit-learn-intelex')}", cls)
