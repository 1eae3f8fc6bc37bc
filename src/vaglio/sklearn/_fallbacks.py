"""Where scikit-learn's own code does the work: every case is declared with its reason, and counted when it happens."""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

# scikit-learn's modules in which vaglio has classes.
MODULES = ("tree", "ensemble", "neighbors", "svm", "linear_model", "naive_bayes", "neural_network")

_counts: Counter[tuple[str, str]] = Counter()


@dataclass(frozen=True)
class Fallback:
    """One case in which scikit-learn's own code works.

    Attributes
    ----------
    name : str
        Module and class, as ``tree.DecisionTreeRegressor``.
    case : str
        When; "" for a class that is scikit-learn's in every case.
    reason : str
        Why vaglio leaves it to scikit-learn.
    count : int
        How often it happened in this program: fits, or imports of the class.
    """

    name: str
    case: str
    reason: str
    count: int


def fallbacks() -> list[Fallback]:
    """Return every case in which scikit-learn's code works instead of vaglio's, with how often it did in this program.

    Returns
    -------
    list of Fallback
        The declared cases of every class of vaglio, then the classes of scikit-learn that were imported from here.
    """
    found = []
    for module in MODULES:
        home: Any = importlib.import_module(f"vaglio.sklearn.{module}")
        for name in home.OWN:
            for case, reason in getattr(home, name)._cases.items():
                found.append(Fallback(f"{module}.{name}", case, reason, _counts[f"{module}.{name}", case]))
    reason = "vaglio has no learner of this name"
    return found + [Fallback(name, case, reason, count) for (name, case), count in sorted(_counts.items()) if not case]


def count_case(estimator: Any, case: str) -> None:
    """Note that the fit of an estimator is scikit-learn's."""
    cls = next(cls for cls in type(estimator).__mro__ if cls.__module__.startswith("vaglio.sklearn."))
    _counts[f"{cls.__module__.removeprefix('vaglio.sklearn.')}.{cls.__name__}", case] += 1


def count_class(module: str, value: object) -> None:
    """Note that an estimator of scikit-learn was handed out in place of one of vaglio."""
    if isinstance(value, type) and hasattr(value, "fit"):
        _counts[f"{module.removeprefix('sklearn.')}.{value.__name__}", ""] += 1
