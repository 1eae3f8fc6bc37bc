"""Put other code into functions of modules that are imported already, or into a module before it is imported again.

Files are never touched. A function keeps its identity and gets another code object, so that every place that holds it
(a property, a registry, a cache) sees the change.
"""

from __future__ import annotations

import ast
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

Functions = dict[str, list[FunctionType]]


class CannotSwap(Exception):
    """The functions of a file cannot take the new code: it uses other variables of the functions around them."""


def functions_of(paths: Iterable[Path]) -> Functions:
    """Return the living functions of every file."""
    found: Functions = {str(path): [] for path in paths}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename in found:
            found[thing.__code__.co_filename].append(thing)
    return found


def swap(tree: ast.Module, path: Path, functions: Functions) -> None:
    """Give the functions of a file the code of a tree whose lines have the same numbers."""
    codes = defaultdict(list)
    for code in _codes(compile(tree, str(path), "exec")):
        codes[_key(code)].append(code)
    changes = []
    for function in functions[str(path)]:
        new = codes.get(_key(function.__code__), [])
        if function.__code__ in new:
            continue
        if len(new) != 1 or len(new[0].co_freevars) != len(function.__code__.co_freevars):
            raise CannotSwap
        changes.append((function, new[0]))
    for function, code in changes:
        function.__code__ = code


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def forget(package: str, tree: ast.Module, path: Path) -> None:
    """Forget the modules of a package and the tests; when they are imported again, one of them has another tree."""
    for name, module in list(sys.modules.items()):
        compiled = isinstance(getattr(module, "__loader__", None), importlib.machinery.ExtensionFileLoader)
        if name.split(".")[0] in (package, "tests") and not compiled:
            del sys.modules[name]
    sys.meta_path.insert(0, _Finder(tree, path))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, tree: ast.Module, path: Path) -> None:
        self.tree, self.path = tree, path

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin != str(self.path):
            return None
        spec.loader = _Loader(name, str(self.path), self.tree)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self.tree = tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.tree, self.path, "exec")
