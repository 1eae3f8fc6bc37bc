"""What stands around the model in its file: versions, classes, the description. Each is checked, up to its limit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as dump
from tests.hostile.model_file import reloaded

import vaglio
from vaglio.errors import ModelFileError, NotSupportedError
from vaglio.fitted import Fitted
from vaglio.fitted.file import FORMAT, _checksum, _open, from_bytes, to_bytes

X = np.array([[0.0], [1.0], [2.0], [3.0]])


def tree(y: Any = ("a", "a", "b", "b")) -> Fitted:
    return vaglio.CARTClassifier().fit(X, np.asarray(y)).fitted_


def sealed(content: Any, /, **envelope: Any) -> bytes:
    arrays = _open(to_bytes(tree()))[1]
    text = content if isinstance(content, str) else json.dumps(content)
    whole = {"format": FORMAT, "checksum": _checksum(arrays, text), "body": text, **envelope}
    return dump(arrays, metadata={"vaglio": json.dumps(whole)})


def body() -> dict[str, Any]:
    return _open(to_bytes(tree()))[0]


def version_of(content: bytes) -> int:
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return json.loads(header["__metadata__"]["vaglio"])["format"]


def test_a_file_without_costs_can_be_read_by_the_first_edition() -> None:
    plain = tree()
    assert version_of(to_bytes(plain)) == 1
    assert version_of(to_bytes(plain.with_cost([[0, 1], [2, 0]]))) == FORMAT - 1 == 2


@pytest.mark.parametrize(
    ("envelope", "message"),
    [
        ({"format": True}, "no format version"),
        ({"format": 0}, "no format version"),
        ({"format": 1.0}, "no format version"),
        ({"format": None}, "no format version"),
        ({"format": 4}, "has format 4, but this version of vaglio reads up to format 3"),
        ({"body": None}, "its description is missing"),
        ({"checksum": "0"}, "the checksum does not match"),
    ],
)
def test_an_envelope_that_is_refused(envelope: dict[str, Any], message: str) -> None:
    for version in (1, 2):
        assert from_bytes(sealed(body(), format=version)).learner == "cart"
    with pytest.raises(ModelFileError, match=message):
        from_bytes(sealed(body(), **envelope))


@pytest.mark.parametrize("text", ["[]", "1", "{", '{"a": NaN}', '{"a": -Infinity}', '{"a": 1e999}', '"\\ud800"'])
def test_a_description_that_is_not_readable(text: str) -> None:
    with pytest.raises(ModelFileError, match="its description is not readable"):
        from_bytes(sealed(text))


def test_an_envelope_that_is_no_object() -> None:
    with pytest.raises(ModelFileError, match="its header is not readable"):
        from_bytes(dump({"a": np.zeros(1)}, metadata={"vaglio": "[]"}))
    with pytest.raises(ModelFileError, match="not a vaglio model file"):
        from_bytes(dump({"a": np.zeros(1)}, metadata={"other": "{}"}))


@pytest.mark.parametrize(("levels", "fits"), [(31, True), (32, False)])
def test_levels_of_lists_are_counted(levels: int, fits: bool) -> None:
    deep: Any = 1
    for _ in range(levels - 1):
        deep = [deep]
    content = {**body(), "params": {"deep": deep}}
    if fits:
        assert from_bytes(sealed(content)).params == {"deep": deep}
    else:
        with pytest.raises(ModelFileError, match="not readable"):
            from_bytes(sealed(content))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("learner", None, "does not name its learner"),
        ("learner", 7, "does not name its learner"),
        ("params", None, "its parameters are not readable"),
        ("provenance", [], "its parameters are not readable"),
        ("model", None, "the description of the model is missing"),
        ("kind", None, "unknown kind None"),
        ("kind", [], "unknown kind"),
        ("classes", [], "the classes are not readable"),
        ("classes", {"labels": "ab", "dtype": "<U1"}, "the classes are not readable"),
        ("classes", {"labels": [], "dtype": "<U1"}, "the number of classes is impossible"),
        ("classes", {"labels": ["a", None], "dtype": "|O"}, "the classes are not readable"),
        ("classes", {"labels": ["a", "a"], "dtype": "<U1"}, "a class is listed twice"),
        ("classes", {"labels": ["a", "b"]}, "the classes have no type"),
        ("classes", {"labels": ["a", "b"], "dtype": "f16"}, "the classes have no type"),
        ("classes", {"labels": ["a", "b"], "dtype": "<i8"}, "the classes do not fit their type"),
        ("classes", {"labels": [1, 10**30], "dtype": "<i8"}, "the classes do not fit their type"),
        ("codebook", None, "model file"),
    ],
)
def test_an_entry_that_is_refused(name: str, value: Any, message: str) -> None:
    for changed in ({**body(), name: value}, *([] if value is not None else [without(name)])):
        with pytest.raises(ModelFileError, match=message):
            from_bytes(sealed(changed))


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in body().items() if key != name}


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "a", "long", "long"]),
        np.array([1, 1, -2, -2], dtype=np.int16),
        np.array([0, 0, 200, 200], dtype=np.uint8),
        np.array([0.0, 0.0, 2.0, 2.0]),
        np.array([0.0, 0.0, 2.0, 2.0], dtype=np.float32),
        np.array([True, True, False, False]),
        np.array(["a", "a", "b", "b"], dtype=object),
        np.array([1, 1, 2, 2], dtype=">i4"),
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_come_back_as_they_were(labels: np.ndarray) -> None:
    model = tree(labels)
    again = from_bytes(to_bytes(model))
    assert again.classes.dtype == model.classes.dtype
    assert [type(label) for label in again.predict(X).tolist()] == [type(label) for label in labels.tolist()]
    assert again.predict(X).tolist() == labels.tolist()


def test_numbers_of_numpy_in_the_description_become_plain_ones() -> None:
    noted = tree().with_provenance(one=np.float32(0.5), many=np.arange(3), flag=np.bool_(True))
    assert from_bytes(to_bytes(noted)).provenance | {"version": ""} == noted.provenance | {
        "version": "",
        "one": 0.5,
        "many": [0, 1, 2],
        "flag": True,
    }
    for bad in (object(), float("nan"), 10**400):
        with pytest.raises(NotSupportedError, match="cannot be saved as data"):
            to_bytes(tree().with_provenance(bad=bad))


def test_an_error_of_the_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.vaglio"
    path.write_bytes(sealed(body(), checksum="0"))
    with pytest.raises(ModelFileError, match=r"broken\.vaglio: The model file is damaged: the checksum"):
        vaglio.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda cost: cost.update(matrix=[[0, 1], [1, 0], [0, 0]]), "do not fit its classes"),
        (lambda cost: cost.update(matrix=[[0, 1, 2], [1, 0, 2]]), "do not fit its classes"),
        (lambda cost: cost.update(matrix=[[0, "1"], [1, 0]]), "a cost is not a number"),
        (lambda cost: cost.update(matrix=None), "do not fit its classes"),
        (lambda cost: cost.pop("decide"), "does not say how it decides"),
    ],
)
def test_costs_that_are_refused(change: Callable[[dict[str, Any]], Any], message: str) -> None:
    careful = tree().with_cost([[0, 1], [2, 0]])
    with pytest.raises(ModelFileError, match=message):
        reloaded(careful, lambda content, arrays: change(content["cost"]))
    alike = {"dtype": "|O", "labels": ["1", 1]}
    with pytest.raises(ModelFileError, match="damaged: its costs are not valid"):
        reloaded(careful, lambda content, arrays: content.update(classes=alike))
    numbers = vaglio.DecisionTreeRegressor().fit(X, [0.0, 0.0, 1.0, 1.0]).fitted_
    cost = {"matrix": [], "decide": "cost"}
    with pytest.raises(ModelFileError, match="its costs are not readable"):
        reloaded(numbers, lambda content, arrays: content.update(cost=cost))
