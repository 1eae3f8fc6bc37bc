"""Everyday programs give the same with one changed import."""

from __future__ import annotations

import warnings
from types import FunctionType, ModuleType

import pytest

from . import combinations, inspections, pipelines
from .programs import Program, assert_alike, with_changed_imports


def programs_of(*modules: ModuleType) -> list[Program]:
    return [value for module in modules for value in vars(module).values() if _is_program(value, module)]


def _is_program(value: object, module: ModuleType) -> bool:
    return isinstance(value, FunctionType) and value.__module__ == module.__name__


PROGRAMS = programs_of(pipelines, inspections, combinations)


def test_there_are_thirty() -> None:
    assert len(PROGRAMS) >= 30


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_one_changed_import(program: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_alike(with_changed_imports(program), program(), program.difference)  # type: ignore[attr-defined]
