"""Every learner of numbers, served: JSON, CSV and tensors say what the model says, and the metrics count them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.serve.test_watching import metrics

import vaglio
from vaglio.learners.registry import learners_of

QUICK = {
    "mlp": {"hidden_layer_sizes": (3,), "max_iter": 5},
    "random-forest": {"n_estimators": 5},
    "gradient-boosting": {"max_iter": 5},
    "additive": {"max_rounds": 10, "outer_bags": 2},
}
ROWS: list[dict[str, Any]] = [
    {"size": 52.5, "zone": "north"},
    {"size": None, "zone": "south"},
    {"size": 1e6, "zone": None},
    {"size": 120, "zone": "never seen"},
]


def homes(n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.uniform(30, 200, n), "zone": rng.choice(["north", "south"], n)})
    price = 2000.5 * frame["size"] + 20_000 * (frame["zone"] == "south") + rng.normal(0, 5000, n)
    frame.loc[::9, "size"], frame.loc[::11, "zone"] = np.nan, None
    return frame, price.to_numpy()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", learners_of("regression"))
def test_every_way_in_gives_the_number_of_the_model(serve: Any, tmp_path: Path, name: str) -> None:
    learner = learners_of("regression")[name].cls(**QUICK.get(name, {}))
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    X, y = homes()
    fitted = learner.fit(X, y).fitted_.with_residuals(np.linspace(-9.0, 11.0, 50))
    fitted.save(tmp_path / "m.vaglio")
    client, _ = serve(models=(("m", tmp_path / "m.vaglio"),))
    expected = fitted.predict(pd.DataFrame(ROWS))
    one = [client.post("/models/m/predict", json=row).json() for row in ROWS]
    many = client.post("/models/m/predict", json=ROWS).json()
    for answers in (one, many):
        np.testing.assert_allclose([each["predicted"] for each in answers], expected, rtol=1e-9)
        ends = [[each["interval"]["low"], each["interval"]["high"]] for each in answers]
        np.testing.assert_allclose(ends, fitted.predict_interval(pd.DataFrame(ROWS)), rtol=1e-9)
    sent = pd.DataFrame(ROWS).to_csv(index=False)
    told = client.post("/models/m/predict", content=sent, headers={"content-type": "text/csv"})
    found = pd.read_csv(io.StringIO(told.text))
    assert found.columns.tolist() == ["predicted", "low", "high"]
    np.testing.assert_allclose(found["predicted"], expected, rtol=1e-9)
    tensors = [
        {"name": "size", "shape": [1], "datatype": "FP64", "data": [52.5]},
        {"name": "zone", "shape": [1], "datatype": "BYTES", "data": ["north"]},
    ]
    outputs = client.post("/v2/models/m/infer", json={"inputs": tensors}).json()["outputs"]
    assert outputs[0]["data"] == pytest.approx([expected[0]], rel=1e-9)
    assert metrics(client)['vaglio_predictions_total{model="m",class=""}'] == 3 * len(ROWS) + 1


@pytest.mark.parametrize("lang", ["en", "it"])
def test_the_page_of_a_number_is_served(serve: Any, tmp_path: Path, lang: str) -> None:
    X, y = homes()
    vaglio.LinearRegression().fit(X, y).fitted_.save(tmp_path / "m.vaglio")
    client, _ = serve(models=(("m", tmp_path / "m.vaglio"),))
    assert client.get("/", headers={"accept-language": lang}).status_code == 200
