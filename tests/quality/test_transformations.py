"""Changes of values that keep their meaning."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.errors import InputError
from vaglio.quality import (
    check_transformation,
    transform,
)
from vaglio.table import Column


@pytest.mark.parametrize(
    ("level", "function", "permitted"),
    [
        ("ratio", lambda x: 2.54 * x, True),
        ("ratio", lambda x: x + 1, False),
        ("interval", lambda x: 1.8 * x + 32, True),
        ("interval", lambda x: -x, False),
        ("interval", np.log, False),
        ("ordinal", np.log, True),
        ("ordinal", lambda x: -x, False),
        ("ordinal", np.floor, False),
    ],
)
def test_transformations_are_checked_against_the_level(level, function, permitted):
    column = Column.numeric("v", [1.0, 2.5, 2.7, 9.0, np.nan], level=level)
    if permitted:
        changed = transform(column, function)
        assert np.isnan(changed.data[-1])
        np.testing.assert_allclose(changed.data[:-1], function(column.data[:-1]))
    else:
        with pytest.raises(InputError, match=f"On the {level} level"):
            transform(column, function)


def test_renaming_keeps_different_values_different():
    column = Column.nominal("c", [0, 1], ("a", "b"))
    assert transform(column, str.upper).categories == ("A", "B")
    with pytest.raises(InputError, match="nominal level"):
        transform(column, lambda value: "same")
    check_transformation("nominal", list("aab"), list("xxy"))
    with pytest.raises(InputError, match="text"):
        transform(Column.text("t", ["a"]), str.upper)
    with pytest.raises(InputError, match="give two flat lists of equal length"):
        check_transformation("ratio", [1, 2], [1])
