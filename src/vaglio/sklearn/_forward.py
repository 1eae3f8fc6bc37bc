"""Names and modules that vaglio does not have come from scikit-learn, when they are asked for."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from vaglio.sklearn._fallbacks import count_class


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
