import numpy as np
import pandas as pd
import pytest
from scipy import sparse as sp

from vaglio import SVC, LogisticRegression, MLPClassifier, Perceptron


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.normal(40, 10, n), "town": rng.choice(["Bari", "Pisa"], n), "noise": rng.normal(size=n)}
    )
    y = np.where(frame["age"] + 15 * (frame["town"] == "Pisa") + rng.normal(size=n) > 45, "yes", "no")
    return frame, y


def test_contributions_add_up_to_the_log_odds():
    X, y = people()
    model = LogisticRegression().fit(X, y)
    for explanation, value in zip(model.explain(X.head(10)), model.decision_function(X.head(10))):
        parts = sum(reason.weight for reason in (*explanation.reasons, *explanation.against))
        sign = 1 if explanation.decision == "yes" else -1
        assert parts == pytest.approx(sign * value) == pytest.approx(explanation.total)
        assert all(reason.weight > 0 for reason in explanation.reasons)
        assert explanation.probability == pytest.approx(1 / (1 + np.exp(-abs(value))))


def test_reasons_speak_of_the_users_columns():
    X, y = people()
    X.loc[0, "age"] = np.nan
    explanation = LogisticRegression().fit(X, y).explain(X.head(2))
    texts = [reason.text for reason in (*explanation[1].reasons, *explanation[1].against)]
    assert f"age = {X['age'][1]:.6g}" in texts
    assert f"town = {X['town'][1]}" in texts


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_a_linear_machine_adds_up_to_its_lead(classes, shape):
    X, y = people()
    y = np.where(X["age"] < 33, "young", y) if classes == 3 else y
    model = SVC(kernel="linear", decision_function_shape=shape).fit(X, y)
    for explanation in model.explain(X.head(10)):
        parts = sum(reason.weight for reason in (*explanation.reasons, *explanation.against))
        assert parts == pytest.approx(explanation.total)
        assert any(
            note.startswith("nearest support vectors (rows counted from 0): training row") for note in explanation.notes
        )
    if classes == 2:
        values = np.abs(model.decision_function(X.head(10)))
        assert [explanation.total for explanation in model.explain(X.head(10))] == pytest.approx(values)


def test_many_columns_are_summed_up_and_still_add_up():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 15))
    y = (X.sum(axis=1) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    (explanation,) = model.explain(X[:1])
    said = (*explanation.reasons, *explanation.against)
    assert "7 more columns together" in {reason.text for reason in said}
    assert sum(reason.weight for reason in said) == pytest.approx(abs(model.decision_function(X[:1])[0]))


def test_the_smallest_change_lies_on_the_boundary():
    X, y = people()
    model = LogisticRegression().fit(X, y)
    slope = model.coefficients().set_index("name").loc["age", "coefficient"]
    for i, explanation in enumerate(model.explain(X.head(8), changeable=["age"])):
        change = explanation.counterfactual.changes[0]
        if change.feature == "age":
            exact = X["age"][i] - model.decision_function(X.iloc[[i]])[0] / slope
            assert change.instead == pytest.approx(exact, abs=0.02)


def test_networks_and_machines_blame_the_column_that_matters():
    X, y = people()
    for model in (MLPClassifier((6,), solver="lbfgs", max_iter=200, random_state=0), SVC(), SVC(kernel="linear")):
        votes = [
            max((*e.reasons, *e.against), key=lambda reason: abs(reason.weight or 0)).feature
            for e in model.fit(X, y).explain(X.head(20))
        ]
        assert votes.count("noise") < 5


def test_sparse_rows_are_explained_by_their_entries():
    X = sp.csr_array(np.eye(6)[[0, 1, 2, 3, 4, 5] * 4])
    y = [0, 0, 0, 1, 1, 1] * 4
    for model in (LogisticRegression(), Perceptron(), SVC(kernel="linear")):
        (explanation,) = model.fit(X, y).explain(X[[4]])
        assert explanation.reasons[0].feature == "x4"
        assert explanation.decision == 1
