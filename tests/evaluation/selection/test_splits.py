from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.datasets import load_iris
from sklearn.model_selection import LeaveOneOut

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import (
    EvaluationPlan,
    SplitRules,
    advise_split,
    make_folds,
    make_holdout,
    make_random_splits,
    make_three_way,
)
from vaglio.evaluation.selection.splits import test_share
from vaglio.learners.registry import LEARNERS


def _entropy(y):
    return entropy(np.unique(y, return_counts=True)[1], base=2)


def test_a_stratified_half_keeps_the_entropy_of_iris():
    y = load_iris().target
    train, test = make_holdout(y, "50-50")
    assert round(_entropy(y), 2) == 1.58
    assert _entropy(y[train]) == _entropy(y[test]) == _entropy(y)


@pytest.mark.parametrize("rules", [SplitRules(), SplitRules(stratify=False), SplitRules(time_ordered=True)])
def test_parts_share_nothing_and_leave_nothing(rules):
    y = np.arange(97) % 3
    parts = make_three_way(y, rules=rules)
    assert sorted(np.concatenate(parts).tolist()) == list(range(97))
    for train, test in make_folds(y, 5, rules=rules):
        assert not set(train) & set(test)


def test_each_row_is_tested_once_in_each_repetition():
    y = np.arange(50) % 2
    folds = make_folds(y, 10, n_repeats=3)
    assert len(folds) == 30
    tested = np.concatenate([test for _, test in folds])
    assert (np.bincount(tested) == 3).all()
    assert isinstance(make_folds(y, leave_one_out=True), LeaveOneOut)


def test_random_holdouts_differ():
    y = np.arange(60) % 3
    splits = make_random_splits(y, 5, "67-33")
    assert len(splits) == 5
    assert len({tuple(test) for _, test in splits}) == 5
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(np.unique(y[test])) == 3
    with pytest.raises(InputError, match="past and future would be mixed"):
        make_random_splits(y, rules=SplitRules(time_ordered=True))


def test_groups_stay_together():
    groups = np.repeat(np.arange(12), 5)
    y = np.tile([0, 1, 0, 1, 1], 12)
    rules = SplitRules(groups=groups)
    for train, test in [make_holdout(y, 0.25, rules), *make_folds(y, 4, rules=rules)]:
        assert not set(groups[train]) & set(groups[test])


def test_the_future_judges_the_past():
    y = np.arange(40) % 2
    train, test = make_holdout(y, 0.25, SplitRules(time_ordered=True))
    assert train.max() < test.min()
    assert all(train.max() < test.min() for train, test in make_folds(y, 4, rules=SplitRules(time_ordered=True)))


def test_rare_classes_do_not_stop_a_split():
    y = np.array(["a"] * 30 + ["b"] * 5 + ["c"])
    train, test = make_holdout(y, 0.2)
    assert "c" in y[train]
    assert {"a", "b"} <= set(y[test])
    assert len(make_folds(y, 10)) == 10
    few = np.array(["a", "b", "c"])
    assert len(make_holdout(few, 0.4)[1]) >= 1
    assert len(make_folds(few, 3)) == 3


def test_same_seed_same_split():
    y = np.arange(60) % 4
    for seed in (0, 1):
        a, b = (make_holdout(y, 0.3, SplitRules(seed=seed))[1] for _ in range(2))
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(make_holdout(y, 0.3, SplitRules(seed=0))[1], make_holdout(y, 0.3, SplitRules(seed=1))[1])


def test_the_adviser():
    small = advise_split(np.arange(100) % 2)
    assert (small.strategy, small.test_size) == ("cross-validation", 0.2)
    assert advise_split(np.arange(100) % 2, complex_learner=True).test_size == 0.1
    large = advise_split(np.arange(100_000) % 2)
    assert (large.strategy, large.test_size) == ("validation", 0.3)
    assert advise_split(np.arange(100_000) % 2, critical=True).test_size == 0.4
    rare = advise_split(np.array([0] * 990 + [1] * 10))
    assert any("rarest class has 10 rows" in reason for reason in rare.reasons)
    assert "stratified" in str(rare)
    assert advise_split(np.arange(100) % 2, quick=True).strategy == "quick"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_holdout(np.arange(9), "70-40"), "no split"),
        (lambda: make_holdout(np.arange(9), 1.5), "between 0 and 1"),
        (lambda: make_holdout(np.arange(1), 0.5), "cannot be split into training and test rows"),
        (lambda: make_folds(np.arange(3), 4), "cannot be divided"),
        (lambda: make_three_way(np.arange(9), (0.5, 0.5, 0.5)), "sum to 1"),
        (lambda: SplitRules(groups=np.arange(3), time_ordered=True), "not by both"),
    ],
)
def test_impossible_splits_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def labels(n: int) -> np.ndarray:
    return np.repeat(["a", "b"], n // 2)


@pytest.mark.parametrize("n", [200, 5000, 100_000])
def test_simple_learners_get_more_test_rows_and_complex_ones_fewer(n: int):
    usual = advise_split(labels(n)).test_size
    assert advise_split(labels(n), simple_learner=True).test_size > usual
    assert advise_split(labels(n), complex_learner=True).test_size < usual
    assert advise_split(labels(n), critical=True).test_size > usual
    assert 0.1 <= advise_split(labels(n), complex_learner=True).test_size <= 0.5
    assert advise_split(labels(n), simple_learner=True, critical=True, stable_estimate=True).test_size <= 0.5


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_is_advised_on(learner: str):
    y = labels(5000)
    by_name = advise_split(y, learner=learner)
    assert by_name == advise_split(y, learner=LEARNERS[learner].make())
    simple = {"naive-bayes", "logistic", "perceptron", "multinomial-nb", "bernoulli-nb"}
    flexible = {"random-forest", "bagging", "adaboost", "gradient-boosting", "mlp", "svm", "knn"}
    usual = advise_split(y).test_size
    assert (by_name.test_size > usual) >= (learner in simple)
    assert (by_name.test_size < usual) >= (learner in flexible)


def test_time_decides_how_many_folds():
    y = labels(5000)
    assert advise_split(y, seconds_per_fit=1, time_budget=100).folds == 10
    assert advise_split(y, seconds_per_fit=1, time_budget=6).folds == 5
    assert advise_split(y, seconds_per_fit=1, time_budget=3).strategy == "validation"
    assert advise_split(y, seconds_per_fit=2, time_budget=3).strategy == "quick"
    assert "5 folds" in str(advise_split(y, seconds_per_fit=1, time_budget=6))
    with pytest.raises(InputError, match="positive numbers of seconds"):
        advise_split(y, seconds_per_fit=0, time_budget=3)
    with pytest.raises(InputError, match="not both"):
        advise_split(y, simple_learner=True, complex_learner=True)


def test_splits_by_name():
    assert [test_share(name) for name in ("80-20", "67-33", "50-50", "90-10")] == [0.2, 0.33, 0.5, 0.1]
    assert EvaluationPlan(holdout="67-33") == EvaluationPlan(holdout=0.33)
    assert len(make_holdout(labels(100), "70-30")[1]) == 30
    X, y = vaglio.datasets.load("play").xy("play")
    assert vaglio.select(X, y, learners=["c45"], strategy="quick", test_size="50-50").n_train == 7
    for wrong in ("80-30", "100-0", "80", "a-b", "-20-120"):
        with pytest.raises(InputError, match="sum to 100"):
            test_share(wrong)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_every_fold_has_numbers_of_every_size(unit):
    y = unit * np.exp(np.random.default_rng(0).normal(size=200))
    top = np.argsort(y)[-20:]
    for train, test in make_folds(y, 10, rules=SplitRules(seed=3), task="regression"):
        assert len(np.intersect1d(test, top)) == 2
        assert abs(np.median(y[test]) / np.median(y[train]) - 1) < 0.35
    train, test = make_holdout(y, 0.2, SplitRules(seed=3), task="regression")
    assert len(np.intersect1d(test, top)) == 4
