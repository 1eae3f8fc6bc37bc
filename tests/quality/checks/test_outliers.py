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


def test_one_far_value_is_reported_however_few_values_differ_and_clipped():
    found = vaglio.audit({"v": [*range(1, 10), 30.0]})
    assert the(found, "outliers").details["far"] == 1
    assert found.clean(outliers="clip").table["v"].max() == pytest.approx(14.5)
    assert vaglio.quality.exploration.box_statistics(np.array([*range(1, 10), 30.0])).outliers.tolist() == [30]
    assert not vaglio.audit({"v": np.random.default_rng(0).normal(size=1000)}).of_kind("outliers")
