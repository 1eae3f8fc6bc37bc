from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import EvaluationPlan, advise_split, make_holdout
from vaglio.evaluation.selection.splits import test_share
from vaglio.learners.registry import LEARNERS


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
    with pytest.raises(InputError, match="seconds above 0"):
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
