"""vaglio's classes in place of scikit-learn's, for a whole program."""

from __future__ import annotations

import importlib
from typing import Any

from vaglio.sklearn._fallbacks import MODULES

# What was replaced: (module, name) -> scikit-learn's class.
_replaced: dict[tuple[str, str], Any] = {}


def patch() -> None:
    """Put vaglio's classes in place of scikit-learn's: ``from sklearn.svm import SVC`` then gives vaglio's.

    Call it before the program imports the classes: a name that was imported already keeps its class. The public modules
    (``sklearn.tree``, ``sklearn.ensemble`` …) are changed, scikit-learn's inner parts are not.
    """
    # All are imported before one is changed: scikit-learn's inner parts go on with scikit-learn's classes.
    ours_of: dict[str, Any] = {module: importlib.import_module(f"vaglio.sklearn.{module}") for module in MODULES}
    for module, ours in ours_of.items():
        theirs: Any = importlib.import_module(f"sklearn.{module}")
        for name in ours.OWN:
            _replaced.setdefault((module, name), getattr(theirs, name))
            setattr(theirs, name, getattr(ours, name))


def unpatch() -> None:
    """Give scikit-learn its own classes back. Objects that were made in between stay what they are."""
    for (module, name), original in _replaced.items():
        setattr(importlib.import_module(f"sklearn.{module}"), name, original)
    _replaced.clear()
