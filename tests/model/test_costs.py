from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.errors import InputError
from vaglio.model.costs import CostMatrix, row_costs_decision


@given(st.floats(0.1, 50), st.floats(0.1, 50), st.floats(0, 1))
@settings(max_examples=50, deadline=None)
def test_the_threshold_is_where_the_cheaper_call_changes(miss, alarm, p):
    cost = CostMatrix(np.array([[0, alarm], [miss, 0]]), ("no", "yes"))
    if abs(p - cost.threshold("yes")) > 1e-9:
        assert (cost.decide(np.array([[1 - p, p]]))[0] == 1) == (p > cost.threshold("yes"))


def test_the_same_costs_from_every_source(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text(",yes,no\nyes,0,10\nno,1,0\n")
    from_file = CostMatrix.from_any(path, labels=("no", "yes"))
    from_pairs = CostMatrix.from_any({("yes", "no"): 10, ("no", "yes"): 1}, labels=("no", "yes"))
    from_array = CostMatrix.from_any([[0, 1], [10, 0]], labels=("no", "yes"))
    profit = CostMatrix.from_profit([[0, -1], [-10, 0]], labels=("no", "yes"))
    for other in (from_pairs, from_array, profit):
        np.testing.assert_array_equal(from_file.matrix, other.matrix)
    assert from_file.class_weight() == {"no": pytest.approx(2 / 11), "yes": pytest.approx(20 / 11)}
    assert from_file.mean_cost(np.array([0, 1]), np.array([1, 0])) == 5.5
    assert "true \\ predicted" in repr(from_file)
    assert "<table" in from_file._repr_html_()


def test_expected_cost_of_three_classes_by_hand():
    cost = CostMatrix(np.array([[0, 2, 4], [1, 0, 1], [9, 9, 0]]), tuple("abc"))
    p = np.array([[0.5, 0.3, 0.2]])
    np.testing.assert_allclose(cost.expected(p), [[0.3 + 1.8, 1.0 + 1.8, 2.0 + 0.3]])
    assert cost.decide(p).tolist() == [0]


def test_costs_that_differ_by_row():
    p = np.full((2, 2), 0.5)
    costs = np.array([[[0, 1], [5, 0]], [[0, 5], [1, 0]]])
    assert row_costs_decision(p, costs).tolist() == [1, 0]
    with pytest.raises(InputError, match="shape"):
        row_costs_decision(p, costs[0])


@pytest.mark.parametrize(
    ("cost", "message"),
    [([[0, 1]], "2×2"), ([[0, np.inf], [1, 0]], "finite"), ({("yes", "perhaps"): 1}, "names no")],
)
def test_bad_costs_are_refused(cost, message):
    with pytest.raises(InputError, match=message):
        CostMatrix.from_any(cost, labels=("no", "yes"))


def test_a_bad_file_is_refused(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text(",yes,no\nyes,0,10\n")
    with pytest.raises(InputError, match="same classes"):
        CostMatrix.read_csv(path)
    path.write_text(",yes,no\nyes,0,x\nno,1,0\n")
    with pytest.raises(InputError, match="not a number"):
        CostMatrix.read_csv(path)
    path.write_text(",yes,no\nyes,0,2\nno,1,0\n")
    with pytest.raises(InputError, match="no class 'maybe'"):
        CostMatrix.from_any(path, labels=("yes", "maybe"))
