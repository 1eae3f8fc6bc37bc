"""What holds for the package as a whole: public names, the stub of the core, lazy imports.

What holds for the files of the repository (private modules, words, paths) is in ``test_structure.py``.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

import vaglio
from vaglio import _core

ROOT = Path(__file__).parents[1]


def _submodules() -> list[str]:
    return sorted(module.name for module in pkgutil.walk_packages(vaglio.__path__, "vaglio."))


def test_no_module_shares_a_name_with_a_public_function():
    for name in _submodules():
        if name != "vaglio.__main__":
            importlib.import_module(name)
    modules = [name for name in vaglio.__all__ if isinstance(getattr(vaglio, name), ModuleType)]
    assert modules == list(vaglio._ROOMS)
    # A submodule with the name of a function would hide it as soon as someone imports the submodule.
    functions = set(vaglio.__all__) - set(modules)
    assert not functions & {name.removeprefix("vaglio.") for name in _submodules()}


def test_public_names_say_what_they_are():
    documented = {name: getattr(vaglio, name).__doc__ for name in vaglio.__all__ if name != "__version__"}
    assert [name for name, text in documented.items() if not (text or "").strip()] == []


def _public(names: Iterable[str]) -> list[str]:
    return [name for name in names if not name.startswith("_")]


def _stub_names(tree: ast.AST) -> dict[str, set[str]]:
    """Top-level names of the stub; for a class, those of its members."""
    names: dict[str, set[str]] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            names[node.name] = set(_stub_names(node))
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = set()
    return names


def test_the_stub_lists_what_the_compiled_module_has():
    stub = ast.parse((ROOT / "src/vaglio/_core.pyi").read_text())
    assert set(_public(_stub_names(stub))) == set(_public(dir(_core)))
    for name, members in _stub_names(stub).items():
        value = getattr(_core, name)
        if isinstance(value, type):
            assert {m for m in members if not m.startswith("_")} == {m for m in dir(value) if not m.startswith("_")}


# What a kernel takes or gives that only its options decide, or anything a user may hand over.
UNTYPED = {("encode", "row"), ("score", "row")}
BARE = {"object", "Any", "NDArray", "tuple", "list", "dict", "Sequence"}


def test_the_stub_gives_types_to_what_kernels_take_and_return():
    stub = ast.parse((ROOT / "src/vaglio/_core.pyi").read_text())
    untyped = set()
    for function in (node for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)):
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        given = [(a.arg, a.annotation) for a in arguments if a.arg not in ("self", "arg", "value")]
        for name, annotation in [*given, ("return", function.returns)]:
            if annotation is None or ast.unparse(annotation) in BARE:
                untyped.add((function.name, name))
    assert untyped == UNTYPED


HEAVY = {"sklearn", "pandas", "scipy", "pyarrow", "matplotlib", "polars"}


@pytest.mark.parametrize(
    "code",
    ["import vaglio", "import vaglio; vaglio.__all__; dir(vaglio)"],
    ids=["import", "names"],
)
def test_importing_the_package_imports_nothing_heavy(code: str):
    script = f"{code}\nimport sys, json; print(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert HEAVY & set(json.loads(done.stdout.splitlines()[-1])) == set()
