"""What a service knows of the rows it has seen: counts, and how far they are from the training rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp
from tests.fitted.one_per_kind import LEARNERS, model, rows

import vaglio
from vaglio.encode import Codebook
from vaglio.evaluation import EvaluationPlan, train_and_evaluate
from vaglio.fitted import load
from vaglio.learners.provenance import describe_training, shares_from
from vaglio.quality.checks.drift import population_stability
from vaglio.serve.counters import Counters
from vaglio.serve.monitor import column_drift
from vaglio.serve.service import FEW


def metrics(client: Any) -> dict[str, float]:
    text = client.get("/metrics").text
    assert text.endswith("\n")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'[a-z_]+(\{([a-z]+="(\\.|[^"\\])*",?)*\})? \S+', line) for line in lines)
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def seen(client: Any) -> dict[str, float]:
    return {
        name: value for name, value in metrics(client).items() if re.match("vaglio_.*(values|predictions|window)", name)
    }


ODD = [
    {"number": None, "word": "x"},
    {"number": 1e6, "word": "never"},
    {"number": 0.1, "word": None},
    {"number": -0.3, "word": "z"},
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEARNERS, "number"])
def test_rows_count_the_same_one_by_one_and_together(serve, tmp_path: Path, files, kind: str):
    path = files["number"] if kind == "number" else tmp_path / "m.vaglio"
    if kind != "number":
        model(kind).save(path)
    sent = ODD * FEW if kind != "number" else [{"x0": 0, "x1": 99, "x2": None}] * 40
    single, _ = serve(models=(("m", path),))
    for row in sent:
        assert single.post("/models/m/predict", json=row).status_code == 200
    together, _ = serve(models=(("m", path),))
    assert together.post("/models/m/predict", json=sent).status_code == 200
    assert seen(single) == seen(together)
    found = seen(single)
    assert (
        sum(value for name, value in found.items() if "predictions" in name)
        == len(sent)
        == found['vaglio_window_rows{model="m"}']
    )
    if kind in ("tree", "linear", "neighbors"):
        assert found['vaglio_unseen_values_total{model="m",column="word"}'] == FEW
        assert found['vaglio_missing_values_total{model="m",column="word"}'] == FEW
        assert found['vaglio_outside_values_total{model="m",column="number"}'] == FEW
        assert found['vaglio_rows_with_missing_values_total{model="m"}'] == 2 * FEW


def test_drift_is_that_of_the_audit(serve, files):
    client, _ = serve("penguins")
    table = vaglio.datasets.load("penguins")
    frame = table.to_frame().drop(columns="species")
    heavy = frame[frame["body_mass_g"] > 4500]
    sent = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in heavy.to_dict("records")]
    assert client.post("/models/penguins/predict", json=sent).status_code == 200
    found = metrics(client)
    told = {name: value for name, value in found.items() if name.startswith("vaglio_drift{")}
    mass = told['vaglio_drift{model="penguins",column="body_mass_g",measure="ks"}']
    # Known at the ends of ten bins only, the distance is at most one bin too small.
    exact = ks_2samp(frame["body_mass_g"].dropna(), heavy["body_mass_g"].dropna()).statistic
    assert exact - 0.1 <= mass <= exact + 1e-9
    shares = [[(f["island"] == place).sum() for place in ("Biscoe", "Dream", "Torgersen")] for f in (frame, heavy)]
    island = told['vaglio_drift{model="penguins",column="island",measure="psi"}']
    assert island == pytest.approx(population_stability(*map(np.array, shares)))
    drifted = {re.search('column="(.*?)"', n)[1] for n, v in found.items() if n.startswith("vaglio_drifted") and v}
    audit = vaglio.audit(vaglio.read(heavy), reference=vaglio.read(frame))
    named = {column for finding in audit.findings if finding.kind == "drift" for column in finding.columns}
    assert drifted == named
    assert "body_mass_g" in named


def test_rows_like_those_of_training_do_not_drift(serve):
    client, _ = serve("penguins")
    frame = vaglio.datasets.load("penguins").to_frame().drop(columns="species")
    sent = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in frame.to_dict("records")]
    client.post("/models/penguins/predict", json=sent)
    assert not any(value for name, value in metrics(client).items() if name.startswith("vaglio_drifted"))


def test_shares_of_training_are_exact_on_small_tables_and_survive_the_file():
    frame, _ = rows()
    matrix = Codebook.learn(frame).encode(frame)
    state = json.loads(json.dumps(describe_training(matrix, np.zeros(len(frame)))["shares"]))
    number, word = shares_from(state, matrix.features)
    values = frame["number"].dropna().to_numpy()
    assert (number.low, number.high) == (values.min(), values.max())
    assert list(number.counts) == np.bincount(np.searchsorted(number.edges, values)).tolist()
    assert list(word.counts) == frame["word"].value_counts().sort_index().tolist()
    assert max(number.counts) <= -(-len(values) // 10) + 1


@pytest.mark.parametrize(
    "state",
    [None, [], [1, 2], [[[1, 2]], [[1, 1, 1]]], [[[1], [], 0.0, float("nan")], None], [[[1], [], 2.0, 1.0], None],
     [[[1, 2], [1.0], 0, 1.0], None], [[["a"], [], 0.0, 1.0], [[-1, 1, 1]]],
     [[[1] * 3, [2.0, 1.0], 0.0, 1.0], [[1, 1]]]],
)  # fmt: skip
def test_shares_of_a_strange_file_are_left_aside(state: Any):
    frame, _ = rows()
    found = shares_from(state, Codebook.learn(frame).features)
    assert len(found) == 2
    assert found[0] is None
    assert column_drift(found[0], [100]) is None


def test_a_model_of_an_earlier_version_is_served_without_drift(serve):
    old = sorted((Path(__file__).parents[1] / "saved").glob("*-0.1.0.vaglio"))
    assert old
    client, service = serve(models=tuple((f"m{at}", path) for at, path in enumerate(old[:5])))
    for served in service.store:
        row = dict.fromkeys(served.names)
        assert client.post(f"/models/{served.name}/predict", json=row).status_code == 200
        assert client.get(f"/models/{served.name}/schema").status_code == 200
    assert not any(name.startswith("vaglio_drift") for name in metrics(client))


def test_processes_add_up_what_they_counted(tmp_path: Path):
    mine, other = Counters(tmp_path), Counters(tmp_path)
    mine.add("vaglio_reloads_total", 2, "m", "taken")
    other.add("vaglio_reloads_total", 3, "m", "taken")
    for each in (mine, other):
        each.took("predict", 0.002)
        each.windows = {"m": (4, [[1, 2], [0, 1]])}
    other.publish()
    (next(tmp_path.glob("*.json"))).rename(tmp_path / "1.json")
    total = mine.aggregate()
    assert total.values["vaglio_reloads_total", "m", "taken"] == 5
    assert total.windows == {"m": (8, [[2, 4], [0, 2]])}
    assert 'vaglio_request_seconds_bucket{route="predict",le="0.0025"} 2' in total.text()
    assert mine.values["vaglio_reloads_total", "m", "taken"] == 2


def _of_numbers(tmp_path: Path, estimator: Any, noise: float) -> tuple[Path, Any]:
    """The file of a model that was evaluated by folds, and a function that draws rows like those of training."""
    rng = np.random.default_rng(3)

    def draw(n: int, shift: float = 0.0) -> pd.DataFrame:
        return pd.DataFrame(rng.normal(shift, 1, size=(n, 3)), columns=["a", "b", "c"])

    X = draw(400)
    y = 2 * X["a"] + X["b"] ** 2 + noise * rng.normal(size=len(X))
    training = train_and_evaluate(estimator, X, y, EvaluationPlan(folds=10))
    path = tmp_path / "numbers.vaglio"
    training.estimator.fitted_.with_residuals(training.evaluation).save(path)
    return path, draw


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "noise"),
    [
        # Folds of a small tree have other leaves; a forest of noise follows its training rows too closely.
        (vaglio.DecisionTreeRegressor(max_depth=2), 4.0),
        (vaglio.RandomForestRegressor(20, random_state=0), 8.0),
        (vaglio.LinearRegression(), 1.0),
    ],
)
def test_predicted_numbers_drift_with_the_rows_and_not_without(serve, tmp_path: Path, estimator: Any, noise: float):
    path, draw = _of_numbers(tmp_path, estimator, noise)
    for shift in (0.0, 2.0):
        client, _ = serve(models=(("m", path),))
        sent = draw(400, shift).to_dict("records")
        assert client.post("/models/m/predict", json=sent[:390]).status_code == 200
        for row in sent[390:]:
            assert client.post("/models/m/predict", json=row).status_code == 200
        found, told = metrics(client), client.get("/models/m/seen").json()["predictions"]
        assert bool(found['vaglio_prediction_drifted{model="m"}']) == bool(shift)
        assert found['vaglio_prediction_drift{model="m",measure="ks"}'] == told["drift"]["value"]
        predicted = load(path).predict(pd.DataFrame(sent))
        assert told["window"] == np.bincount(np.searchsorted(told["edges"], predicted), minlength=10).tolist()
        bins = [found[f'vaglio_window_predictions{{model="m",le="{edge!r}"}}'] for edge in told["edges"]]
        assert bins == [(predicted <= edge).sum() for edge in told["edges"]]


@pytest.mark.parametrize(
    "state",
    [None, {}, {"edges": [], "outside": [1]}, {"edges": [1.0], "outside": [1]}, {"edges": [1], "outside": [1, 1]},
     {"edges": [2.0, 1.0], "outside": [1, 1, 1]}, {"edges": [1.0], "outside": [0, 0]}, {"edges": [1.0]},
     {"edges": [1.0], "outside": [1, 1], "trained": [1, -1]}],
)  # fmt: skip
def test_predictions_of_a_strange_file_are_left_aside(serve, files, tmp_path: Path, state: Any):
    path = tmp_path / "m.vaglio"
    load(files["number"]).with_provenance(predicted=state).save(path)
    client, _ = serve(models=(("m", path),))
    assert client.post("/models/m/predict", json=[dict.fromkeys(("x0", "x1", "x2"), 0.5)] * 60).status_code == 200
    assert "predictions" not in client.get("/models/m/seen").json()
    assert not any(name.startswith("vaglio_prediction_drift") for name in metrics(client))
