"""A learner is trained and evaluated as planned."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import EvaluationPlan, evaluate_by_folds, evaluate_learner, train_and_evaluate
from vaglio.evaluation.selection.splits import SplitRules, make_folds, make_holdout, make_random_splits
from vaglio.evaluation.training import learnable, learning_rows
from vaglio.table import Table


@pytest.fixture(scope="module")
def penguins() -> Table:
    return vaglio.datasets.load("penguins")


def test_by_folds_the_model_is_trained_on_all_rows(penguins):
    X, y = penguins.xy()
    training = train_and_evaluate(vaglio.C45Classifier(), X, y, EvaluationPlan(folds=3, seed=2), progress=False)
    assert training.n_rows == len(y)
    expected = evaluate_by_folds(vaglio.C45Classifier(), X, y, n_splits=3, rules=SplitRules(seed=2), progress=False)
    assert training.evaluation is not None
    assert training.evaluation.predicted.tolist() == expected.predicted.tolist()


def test_held_out_rows_are_not_trained_on(penguins):
    X, y = penguins.xy()
    training = train_and_evaluate(vaglio.C45Classifier(), X, y, EvaluationPlan(holdout=0.3), progress=False)
    train, test = make_holdout(y, 0.3)
    assert training.n_rows == len(train)
    assert training.evaluation is not None
    assert training.evaluation.n_rows == len(test)
    assert training.estimator.fitted_.digest == vaglio.C45Classifier().fit(X[train], y[train]).fitted_.digest


def test_a_test_table_may_write_its_classes_in_another_way():
    X, y = Table.from_any({"x": np.arange(20.0), "y": (np.arange(20) > 9).astype(int)}, roles={"y": "target"}).xy()
    test = Table.from_any({"z": [1.0, 2.0], "x": [3.0, 15.0], "y": ["0", "1"]}, roles={"y": "target"})
    training = train_and_evaluate(vaglio.CARTClassifier(), X, y, EvaluationPlan(test=test), progress=False)
    assert training.evaluation is not None
    assert training.evaluation.accuracy.value == 1


def test_without_a_plan_nothing_is_evaluated(penguins):
    X, y = penguins.xy()
    assert train_and_evaluate(vaglio.C45Classifier(), X, y, EvaluationPlan()).evaluation is None
    with pytest.raises(InputError, match="no rows to evaluate on"):
        evaluate_learner(vaglio.C45Classifier(), X, y, EvaluationPlan())


def test_evaluating_a_learner_by_folds_trains_no_further_model(penguins):
    class Counting(vaglio.C45Classifier):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Counting.fits += 1
            return super().fit(X, y, sample_weight)

    evaluation = evaluate_learner(Counting(), *penguins.xy(), EvaluationPlan(folds=3), progress=False)
    assert evaluation.n_rows == 344
    assert Counting.fits == 3


def test_the_positive_class_and_costs_are_checked_before_training(penguins):
    X, y = penguins.xy()
    model = vaglio.C45Classifier()
    with pytest.raises(InputError, match="There is no class 'Emperor'"):
        train_and_evaluate(model, X, y, EvaluationPlan(holdout=0.3), pos_label="Emperor")
    with pytest.raises(InputError, match=r"not a \(true, predicted\) pair of the classes"):
        train_and_evaluate(model, X, y, EvaluationPlan(holdout=0.3), cost={("Emperor", "Adelie"): 1})
    assert not hasattr(model, "fitted_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folds": 3, "holdout": 0.2}, "Choose one of folds, holdout and test"),
        ({"holdout": 1.5}, "between 0 and 1"),
        ({"holdout": float("nan")}, "between 0 and 1"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        EvaluationPlan(**given)


def test_a_plan_says_what_it_is(penguins):
    plans = [EvaluationPlan(), EvaluationPlan(folds=5), EvaluationPlan(holdout=0.25), EvaluationPlan(test=penguins)]
    assert [str(plan) for plan in plans] == [
        "not evaluated",
        "by 5-fold cross-validation",
        "on a hold-out set of 25% of the rows",
        "on the test table",
    ]


def table_of(**columns) -> Table:
    return Table.from_any(columns, roles={"y": "target"})


@pytest.mark.parametrize(
    ("table", "folds", "message"),
    [
        (table_of(y=["a", "b"]), None, "no column to learn from"),
        (table_of(x=[1.0, 2.0], y=["a", "a"]), None, "needs at least two classes"),
        (table_of(x=[1.0, 2.0], y=["a", "b"]), 3, "2 rows cannot be divided into 3 folds"),
    ],
)
def test_a_table_that_teaches_nothing_is_refused(table, folds, message):
    with pytest.raises(InputError, match=message):
        learning_rows(table, folds)
    assert learnable(table) == (folds is not None)


def test_leave_one_out_and_repeated_splits_are_splitters_like_any_other() -> None:
    """Of folds in memory, of an iterable and on the command line; scikit-learn takes them too."""
    X, y = vaglio.datasets.load("play").xy("play")
    folds = make_folds(y, leave_one_out=True)
    assert [test.tolist() for _, test in folds] == [[i] for i in range(14)] == [folds[i][1].tolist() for i in range(14)]
    assert len(folds) == len(list(folds)) == 14
    assert all(len(train) == 13 for train, _ in folds)
    one = evaluate_by_folds(vaglio.C45Classifier(), X, y, cv=folds)
    as_many = evaluate_by_folds(vaglio.C45Classifier(), X, y, n_splits=14)
    planned = evaluate_learner(vaglio.C45Classifier(), X, y, EvaluationPlan(leave_one_out=True))
    given = vaglio.evaluate(vaglio.C45Classifier(), X, y, folds=folds)
    assert one.accuracy.value == as_many.accuracy.value == planned.accuracy.value == given.accuracy.value
    drawn = make_random_splits(y, 5, 0.3)
    assert vaglio.evaluate("c45", X, y, folds=drawn).n_rows == sum(len(test) for _, test in drawn)
    with pytest.raises(InputError, match="without holdout"):
        vaglio.evaluate("c45", X, y, folds=folds, holdout=0.3)
    assert len(one.per_fold()) == 14
    assert list(one.per_fold()[0])[2:] == ["accuracy"]
    scores = cross_val_score(vaglio.C45Classifier(), X.to_frame(), y, cv=folds)
    assert np.mean(scores) == one.accuracy.value


@pytest.mark.slow
def test_repeated_random_sampling() -> None:
    """Mean and spread over the repetitions; the variance is corrected for the rows that training sets share."""
    X, y = vaglio.datasets.load("iris").xy("species")
    learner = vaglio.NaiveBayesClassifier()
    plan = EvaluationPlan(holdout=0.3, repeat=10)
    found = evaluate_learner(learner, X, y, plan)
    splits = make_random_splits(y, 10, 0.3)
    shares = [float(np.mean(learner.fit(X[a], y[a]).predict(X[b]) == y[b])) for a, b in splits]
    assert [fold["accuracy"] for fold in found.per_fold()] == pytest.approx(shares)
    mean, deviation = np.mean(shares), np.std(shares, ddof=1)
    told = found.spread()[0]
    assert (told["mean"], told["standard deviation"]) == pytest.approx((mean, deviation))
    # Nadeau and Bengio, with at most 1 + 105/45 test sets that have no row in common.
    assert told["standard error, corrected"] == pytest.approx(deviation * np.sqrt(1 / (1 + 105 / 45) + 45 / 105))
    once = evaluate_learner(learner, X, y, EvaluationPlan(holdout=0.3))
    assert found.accuracy.high - found.accuracy.low > 0.5 * (once.accuracy.high - once.accuracy.low)
    assert str(plan.in_words()) == "on 10 random hold-out sets of 30% of the rows"
    training = train_and_evaluate(learner, X, y, plan)
    assert training.n_rows == 150
    assert training.evaluation is not None
    again = evaluate_learner(learner, X, y, EvaluationPlan(folds=5, repeat=3))
    assert again.n_rows == 450
    assert len(again.per_fold()) == 15
    assert "Per fold" in again.to_html()
    assert len(again.to_dict()["folds"]) == 15
    assert "standard error" in again.to_text()
    for wrong in ({"repeat": 3}, {"repeat": 0, "folds": 3}, {"leave_one_out": True, "folds": 3}):
        with pytest.raises(InputError):
            EvaluationPlan(**wrong)
