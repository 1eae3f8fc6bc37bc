"""Models read by docs/model-file.md alone, without vaglio: what the page says is enough to predict."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vaglio

PAGE = Path(__file__).parents[2] / "docs" / "model-file.md"
_TYPES = {"F64": "<f8", "I64": "<i8", "I32": "<i4", "U32": "<u4", "U16": "<u2", "U8": "|u1"}


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return body and arrays, by the sections "Container" and "Body"."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    envelope = json.loads(header.pop("__metadata__")["vaglio"])
    arrays = {}
    for name, entry in header.items():
        low, high = entry["data_offsets"]
        values = np.frombuffer(content[8 + length + low : 8 + length + high], _TYPES[entry["dtype"]])
        arrays[name] = values.reshape(entry["shape"])
    digest = hashlib.sha256(envelope["body"].encode())
    for name in sorted(arrays):
        digest.update(f"\n{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode())
        digest.update(arrays[name].tobytes())
    assert digest.hexdigest() == envelope["checksum"]
    assert f"**{envelope['format']}**" in PAGE.read_text(encoding="utf-8")
    return json.loads(envelope["body"]), arrays


def encode(row: dict[str, Any], features: list[dict[str, Any]]) -> list[float]:
    """Return one number or code per column, by the section "Codebook"; missing is NaN or -1."""
    encoded: list[float] = []
    for feature in features:
        value = row[feature["name"]]
        absent = value is None or value != value
        if feature["kind"] == "nominal":
            encoded.append(-1 if absent or value not in feature["categories"] else feature["categories"].index(value))
        else:
            encoded.append(math.nan if absent else float(value))
    return encoded


def missing(value: float, feature: dict[str, Any]) -> bool:
    return value < 0 if feature["kind"] == "nominal" else math.isnan(value)


def leaf_values(
    tree: dict[str, np.ndarray], model: dict[str, Any], row: list[float], features: list[Any], node: int = 0
) -> np.ndarray:
    """Return the class weights of the leaves that a row reaches, by the section "tree"."""
    kind, column = tree["node_kind"][node], tree["feature"][node]
    if kind == 0:
        shares: np.ndarray = tree["value"][node] / tree["value"][node].sum()
        return shares
    children = range(tree["first_child"][node], tree["first_child"][node] + tree["n_children"][node])
    if missing(row[column], features[column]):
        branch = tree["missing_branch"][node]
        if branch < 0:
            weights = tree["weight"][list(children)] / tree["weight"][list(children)].sum()
            return sum(w * leaf_values(tree, model, row, features, child) for w, child in zip(weights, children))
    elif kind == 1:
        below = row[column] < tree["threshold"][node] if model["strict"] else row[column] <= tree["threshold"][node]
        branch = 0 if below else 1
    elif kind == 2:
        code = int(row[column])
        branch = int(tree["tables"][tree["table_start"][node] + code // 32]) >> code % 32 & 1
    else:
        branch = int(tree["tables"][tree["table_start"][node] + int(row[column])])
    return leaf_values(tree, model, row, features, children[branch])


def forest_values(
    arrays: dict[str, np.ndarray], row: list[float], features: list[Any], tree: int, node: int = 0
) -> np.ndarray:
    """Return the row of `leaves` that a row reaches in a tree, by the section "forest"."""
    at = int(arrays["starts"][tree]) + node
    link = int(arrays["link"][at])
    if link < 0:
        found: np.ndarray = arrays["leaves"][~link]
        return found
    inner = int((arrays["link"][:at] >= 0).sum())
    column, threshold = int(arrays["feature"][inner]), arrays["threshold"][inner]
    if missing(row[column], features[column]):
        second = bool(arrays["missing_right"][inner // 8] >> 7 - inner % 8 & 1)
    elif features[column]["kind"] == "nominal":
        code = int(row[column])
        second = bool(int(arrays["tables"][int(threshold) + code // 32]) >> code % 32 & 1)
    else:
        second = row[column] > threshold
    return forest_values(arrays, row, features, tree, link + second)


def linear_scores(arrays: dict[str, np.ndarray], model: dict[str, Any], row: list[float], features: list[Any]) -> Any:
    """Return coef·x + intercept of the encoded row, by the section "Models of encoded columns"."""
    encoded: list[float] = []
    numeric = 0
    for value, feature in zip(row, features):
        if feature["kind"] == "nominal":
            first = 1 if model["encoder"]["drop_first"] else 0
            encoded += [float(value == code) for code in range(first, len(feature["categories"]))]
        else:
            value = arrays["encoder_fill"][numeric] if math.isnan(value) else value
            encoded.append((value - arrays["encoder_centre"][numeric]) / arrays["encoder_scale"][numeric])
            numeric += 1
    return arrays["coef"] @ np.array(encoded) + arrays["intercept"]


def probabilities(body: dict[str, Any], arrays: dict[str, np.ndarray], row: list[float]) -> np.ndarray:
    features, model = body["codebook"]["features"], body["model"]
    if body["kind"] == "tree":
        return leaf_values(arrays, model, row, features)
    if body["kind"] == "linear":
        scores = linear_scores(arrays, model, row, features)
    else:
        trees = [forest_values(arrays, row, features, tree) for tree in range(len(arrays["starts"]) - 1)]
        if body["kind"] == "forest":
            return np.mean([weights / weights.sum() for weights in trees], axis=0)
        values = np.array([value for value, _ in trees]).reshape(-1, len(arrays["baseline"]))
        scores = arrays["baseline"] + values.sum(axis=0)
    likelihood = np.exp(scores - scores.max())
    softmax: np.ndarray = likelihood / likelihood.sum()
    return softmax


@pytest.mark.parametrize(
    "learner",
    [
        vaglio.ID3Classifier(),
        vaglio.C45Classifier(),
        vaglio.CARTClassifier(max_depth=5),
        vaglio.RandomForestClassifier(5, random_state=0),
        vaglio.HistGradientBoostingClassifier(max_iter=5, random_state=0),
        vaglio.LogisticRegression(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_another_program_can_predict(learner: Any, tmp_path: Path) -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    fitted = learner.fit(X, y).fitted_
    fitted.save(tmp_path / "model.vaglio")
    body, arrays = read_file(tmp_path / "model.vaglio")
    features = body["codebook"]["features"]
    rows = X.to_frame().to_dict("records")[::9]
    found = np.array([probabilities(body, arrays, encode(row, features)) for row in rows])
    np.testing.assert_allclose(found, fitted.predict_proba(X)[::9], atol=1e-9)


def test_every_kind_and_every_key_is_described(tmp_path: Path) -> None:
    from vaglio.model.families import KINDS

    page = PAGE.read_text(encoding="utf-8")
    assert not [kind for kind in KINDS if f"`{kind}`" not in page]
    X, y = vaglio.datasets.load("play").xy("play")
    vaglio.C45Classifier().fit(X, y).save(tmp_path / "model.vaglio")
    body, arrays = read_file(tmp_path / "model.vaglio")
    named = [
        *body,
        *arrays,
        *body["codebook"],
        *body["model"],
        *(key for f in body["codebook"]["features"] for key in f),
    ]
    assert not [key for key in named if f"`{key}`" not in page]
