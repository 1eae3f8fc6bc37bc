"""One threshold, set once: every surface of every learner with probabilities predicts by it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.cli.conftest import run_here
from tests.contracts.estimators import classifiers

import vaglio
from vaglio.errors import InputError
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.serve.counters import Counters
from vaglio.serve.served import Served

pytestmark = pytest.mark.filterwarnings("ignore")


def frame(n: int = 80) -> pd.DataFrame:
    random = np.random.default_rng(5)
    y = random.random(n) < 0.4
    size = (random.normal(0, 1, n) + y).round(2) + 5
    colour = np.where(random.random(n) < 0.7, np.where(y, "red", "blue"), "green")
    return pd.DataFrame({"size": size, "colour": colour, "y": np.where(y, "sick", "well")})


def decided(probability: np.ndarray, t: float) -> list[str]:
    return np.where(probability >= t - 1e-9 * t, "sick", "well").tolist()


@pytest.mark.slow
def test_every_learner_on_every_surface(tmp_path: Path) -> None:
    table = frame()
    X, y = table.drop(columns="y"), table["y"]
    rows = X.to_dict("records")
    for made in classifiers():
        name = type(made).__name__
        fitted = clone(made).fit(X, y).fitted_
        if not fitted.has_probabilities:
            with pytest.raises(InputError, match="does not give"):
                fitted.with_threshold(0.2)
            continue
        p = fitted.predict_proba(X)[:, 0]
        for t in (0.2, float(np.sort(p)[len(p) // 2]) or 0.5):
            if not 0 < t < 1:
                continue
            model = fitted.with_threshold(t, "sick")
            wanted = decided(p, t)
            assert model.predict(X).tolist() == wanted, name
            assert from_bytes(to_bytes(model)).threshold == ("sick", t), name
            assert [model.predict_one(row) for row in rows[:5]] == wanted[:5], name
            evaluation = vaglio.evaluate(model, X, y)
            assert [evaluation.labels[k] for k in evaluation.predicted] == wanted, name
            assert evaluation.cost is None, name
            assert (
                vaglio.evaluate(model, X, y, decide="argmax").predicted == vaglio.evaluate(fitted, X, y).predicted
            ).all()
            why = model.explain(X.head(2))
            assert [each.decision for each in why] == wanted[:2], name
            assert all("decided by a threshold: sick" in " ".join(map(str, each.notes)) for each in why), name
        model.save(tmp_path / "m.vaglio")
        served = Served.load("m", tmp_path / "m.vaglio", None, Counters(), 100)
        answer = served.of_one(rows[0])
        assert answer["predicted"] == wanted[0], name
        assert "expected_costs" not in answer, name


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame().to_csv("t.csv", index=False)
    said = run_here("train", "t.csv", "--target", "y", "--learner", "naive-bayes", "--threshold", "sick=0.2",
                    "--folds", "4", "--out", "m.vaglio")  # fmt: skip
    assert said.code == 0
    assert "predicts sick from a probability of 0.2" in said.out
    run_here("train", "t.csv", "--target", "y", "--learner", "naive-bayes", "--out", "plain.vaglio")
    run_here("edit", "plain.vaglio", "--threshold", "sick=0.2", "--out", "edited.vaglio")
    p = vaglio.load("plain.vaglio").predict_proba(frame())[:, 0]
    found = {}
    for name, given in {"m.vaglio": [], "edited.vaglio": [], "plain.vaglio": ["--threshold", "sick=0.2"]}.items():
        run_here("predict", name, "t.csv", "--out", "p.csv", *given)
        found[name] = pd.read_csv("p.csv")["predicted"].tolist()
    assert all(each == decided(p, 0.2) for each in found.values())
    assert json.loads(run_here("inspect", "m.vaglio", "--json").out)["threshold"] == {
        "class": "sick",
        "probability": 0.2,
    }
    assert "--threshold sick=0.2" in run_here("inspect", "m.vaglio").out
    with pytest.raises(InputError, match="between 0 and 1"):
        vaglio.load("plain.vaglio").with_threshold(1.5)
    assert run_here("predict", "plain.vaglio", "t.csv", "--threshold", "often").code == 2
    iris = vaglio.datasets.load("iris").xy("species")
    with pytest.raises(InputError, match="two classes"):
        vaglio.NaiveBayesClassifier().fit(*iris).fitted_.with_threshold(0.3)


def test_top_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame().to_csv("t.csv", index=False)
    run_here("train", "t.csv", "--target", "y", "--learner", "naive-bayes", "--out", "m.vaglio")
    model = vaglio.load("m.vaglio")
    p = model.predict_proba(frame())[:, 0]
    order = np.argsort(-p, kind="stable")
    assert (model.rank(frame(), "sick", n=10) == order[:10]).all()
    run_here("predict", "m.vaglio", "t.csv", "--sort", "sick", "--top", "10", "--out", "p.csv")
    top = pd.read_csv("p.csv")
    assert top["rank"].tolist() == list(range(1, 11))
    assert np.allclose(top["p_sick"], p[order[:10]])
    assert (top["size"] == frame()["size"].iloc[order[:10]].values).all()
    run_here("predict", "m.vaglio", "t.csv", "--sort", "sick", "--out", "p.csv", "--memory", "4GB")
    assert np.allclose(pd.read_csv("p.csv")["p_sick"], p[order])
    assert run_here("predict", "m.vaglio", "t.csv", "--top", "10").code == 2
