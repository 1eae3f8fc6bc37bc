"""Importing this imports scikit-learn, without what it imports and hardly ever uses.

With its base class scikit-learn imports pandas and ``scipy.stats``, which take longer than all the rest of it. Of
pandas it uses nothing there, and of ``scipy.stats`` its metrics use one function. While scikit-learn is imported,
modules stand in for both; whoever uses something of them gets the real one, which is imported then.
"""

from __future__ import annotations

import importlib
import sys
from functools import partial
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["import_sparingly"]

# Module -> functions of it that others take when they are imported and call later.
_STAND_INS: dict[str, tuple[str, ...]] = {"pandas": (), "scipy.stats": ("rankdata",)}


def import_sparingly(*modules: str) -> None:
    """Import modules while others stand in for what they import and hardly ever use.

    Parameters
    ----------
    modules : str
        Their names; what is imported already stays as it is.
    """
    wanted = {name: find_spec(name) for name in _STAND_INS if name not in sys.modules}
    standing = [_StandIn(spec, _STAND_INS[name]) for name, spec in wanted.items() if spec is not None]
    sys.modules |= {module.__name__: module for module in standing}
    try:
        for name in modules:
            importlib.import_module(name)
    finally:
        for module in standing:
            _leave(module)


class _StandIn(ModuleType):
    """A module that imports the real one when something of it is used."""

    def __init__(self, spec: ModuleSpec, functions: tuple[str, ...]) -> None:
        super().__init__(spec.name)
        self.__path__ = spec.submodule_search_locations or []
        for function in functions:
            setattr(self, function, partial(_call, self, function))

    def __getattr__(self, name: str) -> Any:
        return getattr(_real(self), name)


def _leave(module: ModuleType) -> None:
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]


def _real(module: ModuleType) -> ModuleType:
    _leave(module)
    return importlib.import_module(module.__name__)


def _call(module: ModuleType, function: str, *given: Any, **named: Any) -> Any:
    return getattr(_real(module), function)(*given, **named)


# Every learner inherits from the base, and every evaluation needs metrics and splits.
import_sparingly("sklearn.base", "sklearn.metrics", "sklearn.model_selection")
