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
    [
        ([[0, 1]], "2×2"),
        ([[0, np.inf], [1, 0]], "finite"),
        ({("yes", "perhaps"): 1}, "is not a .true, predicted. pair"),
    ],
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
    with pytest.raises(InputError, match="not a finite number"):
        CostMatrix.read_csv(path)
    path.write_text(",yes,no\nyes,0,2\nno,1,0\n")
    with pytest.raises(InputError, match="no class 'maybe'"):
        CostMatrix.from_any(path, labels=("yes", "maybe"))


def test_a_threshold_is_that_of_the_last_class_and_lies_between_0_and_1():
    cost = CostMatrix(np.array([[0.0, 1.0], [3.0, 0.0]]), ("no", "yes"))
    assert cost.threshold() == cost.threshold("yes") == 0.25
    assert cost.threshold("no") == 0.75
    # Costs of correct predictions and gains count too.
    assert CostMatrix(np.array([[1.0, 2.0], [2.0, -1.0]]), ("no", "yes")).threshold() == 0.25
    assert CostMatrix(np.array([[0.0, -1.0], [3.0, 0.0]]), ("no", "yes")).threshold() == 0.0
    assert CostMatrix(np.array([[0.0, 3.0], [-1.0, 0.0]]), ("no", "yes")).threshold() == 1.0
    with pytest.raises(InputError, match="no threshold is optimal"):
        CostMatrix(np.array([[0.0, 1.0], [-1.0, 0.0]]), ("no", "yes")).threshold()
    with pytest.raises(InputError, match="needs two classes; there are 3"):
        CostMatrix(np.eye(3), tuple("abc")).threshold()


def test_weights_of_classes_by_their_mean_cost_of_an_error():
    cost = CostMatrix(np.array([[1.0, 2, 4], [1, 0, 1], [9, 9, 0]]), tuple("abc"))
    weights = cost.class_weight()
    assert list(weights.values()) == pytest.approx(np.array([2, 1, 9]) * 3 / 12)
    assert CostMatrix(np.array([[-1.0, 0], [3, 0]]), ("no", "yes")).class_weight() == {"no": 0.5, "yes": 1.5}
    for row in ([0.0, 0, 0], [5.0, 1, 1]):
        with pytest.raises(InputError, match="Errors on 'a' do not"):
            CostMatrix(np.array([row, [1, 0, 1], [9, 9, 0]]), tuple("abc")).class_weight()


def test_decisions_take_the_first_among_equals_and_need_probabilities():
    cost = CostMatrix(np.array([[0.0, 1], [1, 0]]), ("no", "yes"))
    assert cost.decide(np.array([[0.5, 0.5], [0.4, 0.6]])).tolist() == [0, 1]
    assert (cost.decide_one([0.5, 0.5]), cost.decide_one([0.4, 0.6])) == (0, 1)
    with pytest.raises(InputError, match="needs probabilities"):
        cost.decide(None)
    true, predicted = np.array([0, 1, 1]), np.array([1, 1, 0])
    assert cost.mean_cost(true, predicted) == pytest.approx(2 / 3)
    assert cost.mean_cost(true, predicted, np.array([1.0, 2, 5])) == pytest.approx(6 / 8)


def test_classes_are_matched_by_how_they_are_written(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text("\ufeff, 1 ,2,3\n2,4,0,5\n\n 3,6,7,0\n1,0,1,2\n", encoding="utf-8")
    from_file = CostMatrix.read_csv(path)
    assert from_file.labels == ("1", "2", "3")
    assert from_file.matrix.tolist() == [[0, 1, 2], [4, 0, 5], [6, 7, 0]]
    fewer = CostMatrix.from_any(from_file, labels=[3, 1])
    assert (fewer.labels, fewer.matrix.tolist()) == ((3, 1), [[0, 6], [2, 0]])
    assert fewer.to_rows() == [
        {"true \\ predicted": "3", "3": 0.0, "1": 6.0},
        {"true \\ predicted": "1", "3": 2.0, "1": 0.0},
    ]


@pytest.mark.parametrize("text", ["", ",\n", ",a,b\na,0,1\nc,1,0\n", ",a,b\na,0,1\nb,1\n", "\n"])
def test_a_file_that_is_no_square_of_classes(text, tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="same classes"):
        CostMatrix.read_csv(path)


def test_what_is_no_matrix_of_costs_is_named(tmp_path):
    for cost, message in (
        ("nowhere.csv", "costs in .* cannot be read"),
        ([[0, "x"], [1, 0]], "a square array of numbers"),
        ({("no", "yes"): "x"}, r"\('no', 'yes'\) is 'x', which is not a number"),
        ({("no",): 1}, "is not a .true, predicted. pair"),
        ({"no": 1}, "is not a .true, predicted. pair"),
        ({("no", "yes", "no"): 1}, "is not a .true, predicted. pair"),
        ({("perhaps", "yes"): 1}, "is not a .true, predicted. pair"),
        ([[0, 1, 2], [1, 0, 2], [1, 2, 0]], "2×2"),
        ([[0, 1], [np.nan, 0]], "predicting 'no' for 'yes' costs nan"),
    ):
        with pytest.raises(InputError, match=message):
            CostMatrix.from_any(cost, labels=("no", "yes"))
    with pytest.raises(InputError, match="the class '1' twice"):
        CostMatrix(np.zeros((3, 3)), ("0", "1", 1))
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match="not a CSV file"):
        CostMatrix.read_csv(tmp_path / "binary.csv")
