"""How a program is run twice: as it is written, and with every import of scikit-learn changed to ``vaglio.sklearn``."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse as sp

Program = Callable[[], Any]


def same(digits: float) -> Callable[[Program], Program]:
    """Say that both give the same numbers, to a relative or absolute difference of ``digits``."""
    return _expecting(digits)


def near(difference: float) -> Callable[[Program], Program]:
    """Say that the program draws at random, and that its scores differ by no more than this."""
    return _expecting(difference)


def _expecting(difference: float) -> Callable[[Program], Program]:
    def mark(program: Program) -> Program:
        program.difference = difference  # type: ignore[attr-defined]
        return program

    return mark


def with_changed_imports(program: Program) -> Any:
    """Return what the program gives when its imports name ``vaglio.sklearn``."""
    source = textwrap.dedent(inspect.getsource(program))
    source = source[source.index("def ") :]
    changed = source.replace("from sklearn", "from vaglio.sklearn")
    assert changed != source
    names: dict[str, Any] = {"Any": Any}
    exec(compile(changed, program.__name__, "exec"), names)
    return names[program.__name__]()


def assert_alike(found: Any, expected: Any, difference: float) -> None:
    """Compare what two runs gave, part by part."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert_alike(found[name], value, difference)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_alike(one, other, difference)
    elif isinstance(expected, (str, type(None))) or np.asarray(expected).dtype.kind in "OU":
        np.testing.assert_array_equal(found, expected)
    else:
        found, expected = (value.toarray() if sp.issparse(value) else value for value in (found, expected))
        np.testing.assert_allclose(found, expected, rtol=difference, atol=difference)
