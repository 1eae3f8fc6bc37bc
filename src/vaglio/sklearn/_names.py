"""Whose code works under a name: vaglio's, or scikit-learn's own, which is then declared and counted.

Names and modules that vaglio does not have come from scikit-learn when they are asked for; :func:`patch` puts vaglio's
classes in place of scikit-learn's for a whole program.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from abc import ABCMeta
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
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


def forward(module: str, own: Sequence[str]) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a module whose other names are scikit-learn's.

    Parameters
    ----------
    module : str
        The module of this room, ``vaglio.sklearn.<path>``; ``sklearn.<path>`` has the other names.
    own : sequence of str
        What the module defines itself.
    """
    theirs = module.removeprefix("vaglio.")
    names = sorted({*getattr(sys.modules.get(theirs) or importlib.import_module(theirs), "__all__", ()), *own})

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            value = getattr(importlib.import_module(theirs), name)
        except AttributeError:
            raise AttributeError(f"module {module!r} has no attribute {name!r}") from None
        count_class(theirs, value)
        return value

    return names, get, lambda: names


def top_level(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of the package: modules not imported yet, and functions of scikit-learn."""

    def get(name: str) -> Any:
        value = None
        if name == "__version__" or not name.startswith("_"):
            value = getattr(importlib.import_module("sklearn"), name, None)
        if value is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}") if isinstance(value, ModuleType) else value

    return get


class _Forwarding(ModuleType):
    """A module all names of which are those of a module of scikit-learn."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(self.__name__.removeprefix("vaglio.")), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__.removeprefix("vaglio.")))


class _Finder(MetaPathFinder, Loader):
    """Finds ``vaglio.sklearn.<path>`` where only scikit-learn has the path."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        parent, _, last = name.rpartition(".")
        if not name.startswith(f"{self.package}.") or last.startswith("__"):
            return None
        # What vaglio has itself is found by Python's own finders, which come first.
        if parent == self.package and last.startswith("_"):
            return None
        try:
            found = importlib.util.find_spec(name.removeprefix("vaglio."))
        except ModuleNotFoundError:
            return None
        return (
            None if found is None else ModuleSpec(name, self, is_package=found.submodule_search_locations is not None)
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Forwarding(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        importlib.import_module(module.__name__.removeprefix("vaglio."))


def install(package: str) -> None:
    """Let every module of scikit-learn be imported from below the package, once per program."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder(package))


# Inner modules of scikit-learn that hand out estimators of a class by default, which a program then looks at.
_DEFAULTS = {"DecisionTreeRegressor": ("ensemble._weight_boosting",), "LogisticRegression": ("ensemble._stacking",)}
# While they are replaced: vaglio's class -> scikit-learn's, and the modules that have it.
_replaced: dict[type, tuple[type, Sequence[str]]] = {}


class InPlace(ABCMeta):
    """Lets a class of vaglio stand for scikit-learn's in every question a program asks while it is in its place.

    An estimator that scikit-learn's inner parts made, that is of a class derived from scikit-learn's, or that was
    stored before, is then an instance: ``isinstance(LogisticRegressionCV(), LogisticRegression)``. That an estimator
    of vaglio is one of scikit-learn's follows from inheritance.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or cls._stands_for(type(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or cls._stands_for(subclass)

    def _stands_for(cls, other: Any) -> bool:
        # By inheritance alone: to ask scikit-learn's class would ask this one again.
        return cls in _replaced and _replaced[cls][0] in getattr(other, "__mro__", ())


def patch() -> None:
    """Put vaglio's classes in place of scikit-learn's: ``from sklearn.svm import SVC`` then gives vaglio's.

    Call it before the program imports the classes: a name that was imported already keeps its class. The public modules
    (``sklearn.tree``, ``sklearn.ensemble`` …) are changed, scikit-learn's inner parts are not, but for the members that
    ``AdaBoostRegressor`` and ``StackingClassifier`` have by default. What inner parts make or inherit is of
    scikit-learn's classes, and ``isinstance`` takes it for an instance of vaglio's until :func:`unpatch`.
    """
    # All are imported before one is changed: scikit-learn's inner parts go on with scikit-learn's classes.
    ours_of: dict[str, Any] = {module: importlib.import_module(f"vaglio.sklearn.{module}") for module in MODULES}
    for module, ours in ours_of.items():
        for name in ours.OWN:
            places = [place for place in (module, *_DEFAULTS.get(name, ())) if hasattr(_theirs(place), name)]
            _replaced.setdefault(getattr(ours, name), (getattr(_theirs(module), name), places))
            _put(name, getattr(ours, name), places)


def unpatch() -> None:
    """Give scikit-learn its own classes back. Objects that were made in between stay what they are."""
    for ours, (theirs, places) in _replaced.items():
        _put(ours.__name__, theirs, places)
    _replaced.clear()


def _theirs(module: str) -> ModuleType:
    return importlib.import_module(f"sklearn.{module}")


def _put(name: str, value: type, modules: Sequence[str]) -> None:
    for module in modules:
        setattr(_theirs(module), name, value)
