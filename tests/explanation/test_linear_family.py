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
        assert parts + sign * model.intercept_[0] == pytest.approx(sign * value)
        assert all(reason.weight > 0 for reason in explanation.reasons)
        assert explanation.probability == pytest.approx(1 / (1 + np.exp(-abs(value))))


def test_reasons_speak_of_the_users_columns():
    X, y = people()
    X.loc[0, "age"] = np.nan
    explanation = LogisticRegression().fit(X, y).explain(X.head(2))
    texts = [reason.text for reason in (*explanation[1].reasons, *explanation[1].against)]
    assert f"age = {X['age'][1]:.6g}" in texts
    assert f"town = {X['town'][1]}" in texts


def test_the_counterfactual_flips_the_class():
    X, y = people()
    model = LogisticRegression().fit(X, y)
    for i, explanation in enumerate(model.explain(X.head(8))):
        name, side, limit = explanation.counterfactual.replace(" were", "").split()
        changed = X.iloc[[i]].copy()
        changed[name] = float(limit) * (1 - 1e-3 if side == "below" else 1 + 1e-3)
        assert model.predict(changed)[0] != explanation.decision


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
