from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from tests.tables import PLAY_X as X
from tests.tables import PLAY_Y as y

import vaglio
from vaglio import RIPPERClassifier, _core
from vaglio.errors import ColumnError, InputError, NotSupportedError


def two_bands(n: int = 600, noise: float = 0.0, seed: int = 0):
    rng = np.random.default_rng(seed)
    table = rng.random((n, 4))
    labels = ((table[:, 0] > 0.7) | ((table[:, 1] > 0.8) & (table[:, 2] <= 0.5))).astype(int)
    flip = rng.random(n) < noise
    return table, np.where(flip, 1 - labels, labels)


def test_description_length_by_hand():
    # The derivation is written out in docs/rules.md.
    assert _core.subset_bits(8, 2, 0.25) == pytest.approx(2 * 2 + 6 * -math.log2(0.75))
    # Two conditions of ten: the length 2 takes log2(2) + 2·log2(log2 2) = 1 bit; halved for redundancy.
    assert _core.theory_bits(2, 10) == pytest.approx(0.5 * (1 + _core.subset_bits(10, 2, 0.2)))
    assert _core.theory_bits(1, 10) == pytest.approx(0.5 * _core.subset_bits(10, 1, 0.1))
    assert _core.theory_bits(0, 10) == 0
    # Fourteen rows, three covered, all rightly; of the class two more: the larger side is the uncovered one.
    bits = math.log2(15) + _core.subset_bits(11, 2, (1 - 5 / 14) * 2 / 11)
    assert _core.exception_bits(5 / 14, 3, 11, 0, 2) == pytest.approx(bits)
    # Most rows covered: the expected share of false positives prices the covered side.
    bits = math.log2(15) + _core.subset_bits(10, 2, 0.4 * 3 / 10) + _core.subset_bits(4, 1, 1 / 4)
    assert _core.exception_bits(0.4, 10, 4, 2, 1) == pytest.approx(bits)


def test_the_worked_example_of_the_documentation():
    nothing = _core.exception_bits(5 / 14, 0, 14, 0, 5)
    sunny_and_high = _core.exception_bits(5 / 14, 3, 11, 0, 2)
    theory = _core.theory_bits(2, 10)
    assert [round(bits, 2) for bits in (nothing, sunny_and_high, theory)] == [17.91, 11.71, 4.11]
    assert round(nothing - sunny_and_high - theory, 2) == 2.08


def test_rules_of_the_play_table():
    rules = RIPPERClassifier(prune=False).fit(X, y).rules()
    assert {str(rule) for rule in rules} == {
        "IF humidity = high AND outlook = sunny THEN N",
        'IF outlook = rain AND windy = "true" THEN N',
    }
    assert rules.default_label == "P"


def test_few_rules_for_a_simple_truth():
    table, labels = two_bands(noise=0.05)
    model = RIPPERClassifier().fit(table, labels)
    clean, truth = two_bands(seed=1)
    assert model.score(clean, truth) > 0.95
    assert len(model.rules()) <= 4
    assert {rule.label for rule in model.rules()} == {1}


def test_classes_from_rare_to_frequent():
    rng = np.random.default_rng(0)
    table = rng.random((300, 1))
    labels = np.digitize(table[:, 0], [0.15, 0.45])
    rules = RIPPERClassifier().fit(table, labels).rules()
    order = list(dict.fromkeys(rule.label for rule in rules))
    assert order == [0, 1]
    assert rules.default_label == 2


def test_optimisation_revises_the_rules():
    table, labels = two_bands(noise=0.15, seed=4)
    built = RIPPERClassifier(optimizations=0).fit(table, labels).rules()
    revised = RIPPERClassifier(optimizations=2).fit(table, labels).rules()
    assert built != revised


def test_limits():
    table, labels = two_bands(noise=0.1)
    rules = RIPPERClassifier(max_rules=1, max_conditions=1).fit(table, labels).rules()
    assert len(rules) == 1
    assert len(rules[0]) == 1


def test_the_seed_makes_the_split():
    table, labels = two_bands(noise=0.2)
    one, again, other = (RIPPERClassifier(random_state=s).fit(table, labels).rules() for s in (1, 1, 2))
    assert one == again
    assert one != other


def test_threads_change_nothing():
    table, labels = two_bands(20000, noise=0.2)
    one, two = (RIPPERClassifier(n_jobs=n).fit(table, labels).rules() for n in (1, 2))
    assert one == two


# -- what a person says, for all rule learners by the same code -------------------------------------------------------
def test_forbidden_columns_and_tests():
    table, labels = two_bands()
    rules = RIPPERClassifier(forbid=["x0"]).fit(table, labels).rules()
    assert all(0 not in condition.columns for rule in rules for condition in rule.conditions)
    rules = RIPPERClassifier(forbid=["x1 >"]).fit(table, labels).rules()
    assert all(c.low == -math.inf for rule in rules for c in rule.conditions if c.column == 1)
    with pytest.raises(ColumnError, match="forbid contains the column 'race'"):
        RIPPERClassifier(forbid=["race"]).fit(table, labels)


def test_required_conditions_and_columns():
    table, labels = two_bands()
    rules = RIPPERClassifier(require=["x3 <= 0.9"]).fit(table, labels).rules()
    assert len(rules)
    assert all(any(c.column == 3 and c.high <= 0.9 for c in rule.conditions) for rule in rules)
    rules = RIPPERClassifier(require=["x3"]).fit(table, labels).rules()
    assert all(any(c.column == 3 for c in rule.conditions) for rule in rules)


@pytest.mark.parametrize("direction", [1, -1])
def test_monotone_predictions(direction):
    table, labels = two_bands(noise=0.2)
    model = RIPPERClassifier(monotone={"x0": direction}, min_positive=1.0).fit(table, labels)
    before = model.predict(table)
    moved = table.copy()
    moved[:, 0] += 0.3
    after = model.predict(moved)
    assert (direction * (after - before) >= 0).all()


def test_monotone_mistakes():
    table, labels = two_bands(60)
    with pytest.raises(NotSupportedError, match="two classes"):
        RIPPERClassifier(monotone={"x0": 1}).fit(table, np.arange(60) % 3)
    with pytest.raises(InputError, match="must be \\+1 or -1"):
        RIPPERClassifier(monotone={"x0": 2}).fit(table, labels)
    with pytest.raises(InputError, match="no order"):
        RIPPERClassifier(monotone={"outlook": 1}).fit(X, y)


def test_sets_and_negation():
    codes = np.repeat(list("abcdef"), 20)
    labels = np.isin(codes, ["b", "e"]).astype(int)
    table = np.array([[code] for code in codes], dtype=object)
    rules = RIPPERClassifier(value_sets=True).fit(table, labels).rules()
    assert [str(rule) for rule in rules] == ["IF x0 IN {b, e} THEN 1"]
    labels = (codes != "c").astype(int)
    rules = RIPPERClassifier(negation=True).fit(table, 1 - labels).rules()
    assert RIPPERClassifier(negation=True).fit(table, labels).score(table, labels) == 1
    assert len(rules) == 1


def test_missing_values_meet_no_condition():
    table, labels = two_bands()
    table[::3, 0] = np.nan
    model = RIPPERClassifier().fit(table, labels)
    unknown = np.full((1, 4), np.nan)
    assert model.predict(unknown)[0] == model.rules().default_label
    assert "default decides" in str(model.explain(unknown)[0])


@pytest.mark.slow
def test_many_classes_and_columns_finish():
    rng = np.random.default_rng(0)
    table = rng.random((900, 100))
    labels = np.arange(900) % 300
    table[np.arange(900), labels % 100] += labels // 100 + 1
    model = RIPPERClassifier(optimizations=0, prune=False).fit(table, labels)
    assert model.score(table, labels) > 0.9


@pytest.mark.parametrize("names", [("p", "q"), ("q", "p")])
def test_of_tied_classes_the_one_that_presence_tells_has_the_rule(names):
    basket = pd.DataFrame({"milk": np.arange(20) < 10, "jam": np.arange(20) % 2 == 0, "y": np.repeat(names, 10)})
    rows, labels = vaglio.read(basket, levels={"milk": "asymmetric", "jam": "asymmetric"}).xy("y")
    rules = RIPPERClassifier().fit(rows, labels).rules()
    assert str(rules).splitlines()[0] == f"IF milk = true THEN {names[0]}  [10 of 10]"
    assert rules.score(rows, labels) == 1
