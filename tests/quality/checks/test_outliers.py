"""Outliers by quartiles, values against the rules of the user, and rows unlike the others of their class."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.table import Table

from .findings import the


def test_outliers_by_quartiles():
    values = np.append(np.arange(20.0), [100.0, -80.0])
    found = the(vaglio.audit(Table.from_any({"v": values})), "outliers")
    assert found.rows.tolist() == [20, 21]
    assert found.details["whiskers"] == [0, 19]
    q1, q3 = np.quantile(values, [0.25, 0.75])
    assert found.details["low"] == pytest.approx(q1 - 1.5 * (q3 - q1))


def test_values_against_a_rule_of_the_user_are_reported():
    table = Table.from_any({"age": [30.0, -1.0, 200.0, np.nan], "sex": ["f", "m", "x", None], "name": list("abcd")})
    rules = {"age": (0, 120), "sex": {"f", "m"}, "name": lambda names: names != "b"}
    found = {f.columns[0]: f.rows.tolist() for f in vaglio.audit(table, rules=rules).of_kind("impossible")}
    assert found == {"age": [1, 2], "sex": [2], "name": [1]}
    with pytest.raises(InputError, match="rule for column 'sex'"):
        vaglio.audit(table, rules={"sex": (0, 1)})
    with pytest.raises(InputError, match="no column 'aeg'"):
        vaglio.audit(table, rules={"aeg": (0, 1)})


def test_rows_unlike_their_class_are_found_by_a_forest():
    rng = np.random.default_rng(4)
    y = np.repeat(["p", "q"], 150)
    centre = np.where(y == "p", 0.0, 6.0)
    table = Table.from_any({"a": centre + rng.normal(size=300), "b": centre + rng.normal(size=300), "y": y})
    wrong = y.copy()
    wrong[[10, 200]] = ["q", "p"]
    mislabelled = Table.from_any({"a": table["a"], "b": table["b"], "y": wrong})
    found = the(vaglio.audit(mislabelled, "y"), "forest-outliers")
    assert set(found.rows[:2].tolist()) == {10, 200}
    assert found.details["sample"] == 300
