"""The model file: same bytes, same answers, and nothing hostile gets through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError, ModelFileError, NotSupportedError
from vaglio.fitted.file import FORMAT, _checksum, from_bytes, load_arrays, to_bytes


@pytest.fixture(scope="module")
def penguins() -> tuple[Any, Any]:
    return vaglio.datasets.load("penguins").xy("species")


@pytest.fixture(scope="module")
def fitted(penguins: tuple[Any, Any]) -> Any:
    return vaglio.C45Classifier().fit(*penguins).fitted_


@pytest.mark.slow
def test_a_new_process_gives_the_same_bytes(fitted: Any, penguins: tuple[Any, Any], tmp_path: Path) -> None:
    X, _ = penguins
    fitted.save(tmp_path / "model.vaglio")
    script = (
        "import sys, vaglio; X, _ = vaglio.datasets.load('penguins').xy('species'); "
        "sys.stdout.buffer.write(vaglio.load(sys.argv[1]).predict_proba(X).tobytes())"
    )
    out = subprocess.run([sys.executable, "-c", script, tmp_path / "model.vaglio"], capture_output=True, check=True)
    assert out.stdout == fitted.predict_proba(X).tobytes()


def test_same_model_same_file(penguins: tuple[Any, Any], fitted: Any) -> None:
    assert to_bytes(vaglio.C45Classifier().fit(*penguins).fitted_) == to_bytes(fitted)


def test_file_holds_no_path_and_no_time(fitted: Any) -> None:
    content = to_bytes(fitted)
    assert os.getcwd().encode() not in content
    assert b"20" + b"26-" not in content


def test_loading_never_unpickles(fitted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a pickle was read")

    monkeypatch.setattr(pickle, "loads", refuse)
    monkeypatch.setattr(pickle, "load", refuse)
    monkeypatch.setattr(pickle, "Unpickler", refuse)
    fitted.save(tmp_path / "model.vaglio")
    vaglio.load(tmp_path / "model.vaglio")


def outcome(content: bytes, X: Any) -> str:
    """Load and use a file: it is refused with our own error, or works."""
    try:
        model = from_bytes(content)
    except ModelFileError as error:
        assert "\n" not in str(error)
        return "refused"
    try:
        assert model.predict_proba(X).shape[0] == len(X)
    except InputError as error:  # a column by another name, say
        assert "\n" not in str(error)
    model.rules().to_text()
    return "harmless"


@pytest.mark.slow
def test_flipped_bytes_are_refused_or_harmless(fitted: Any, penguins: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(0)
    content = to_bytes(fitted)
    X = penguins[0][:20]
    outcomes = set()
    for _ in range(1500):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        outcomes.add(outcome(bytes(damaged), X))
    assert "refused" in outcomes


def test_truncated_files_are_refused(fitted: Any) -> None:
    content = to_bytes(fitted)
    for size in [0, 1, 7, 8, 9, 100, len(content) // 2, len(content) - 1]:
        with pytest.raises(ModelFileError):
            from_bytes(content[:size])


def reseal(arrays: dict[str, np.ndarray], body: str) -> bytes:
    """Return a file whose checksum is right whatever it holds."""
    from safetensors.numpy import save as dump

    envelope = {"format": FORMAT, "checksum": _checksum(arrays, body), "body": body}
    return dump(arrays, metadata={"vaglio": json.dumps(envelope, sort_keys=True)})


def unseal(content: bytes) -> tuple[dict[str, np.ndarray], str]:
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return load_arrays(content), json.loads(header["__metadata__"]["vaglio"])["body"]


@pytest.mark.slow
def test_hostile_numbers_behind_a_right_checksum(fitted: Any, penguins: tuple[Any, Any]) -> None:
    """Bytes of the arrays and characters of the description are changed, and the checksum made to fit."""
    rng = np.random.default_rng(1)
    arrays, body = unseal(to_bytes(fitted))
    X = penguins[0][:20]
    extremes = [0, 1, 0x7F, 0x80, 0xFF]
    outcomes = []
    for trial in range(1500):
        changed = {name: value.copy() for name, value in arrays.items()}
        text = body
        if trial % 3:
            name = sorted(changed)[int(rng.integers(len(changed)))]
            raw = changed[name].view(np.uint8).reshape(-1) if changed[name].size else None
            if raw is None:
                continue
            at = int(rng.integers(len(raw)))
            raw[at : at + int(rng.integers(1, 9))] = extremes[int(rng.integers(len(extremes)))]
        else:
            at = int(rng.integers(len(text)))
            text = text[:at] + rng.choice(list('0123456789-e."{}[]:,ntf')) + text[at + 1 :]
        outcomes.append(outcome(reseal(changed, text), X))
    assert {"refused", "harmless"} <= set(outcomes)


def test_later_format_says_upgrade(fitted: Any) -> None:
    arrays, body = unseal(to_bytes(fitted))
    from safetensors.numpy import save as dump

    envelope = {"format": FORMAT + 1, "checksum": _checksum(arrays, body), "body": body}
    with pytest.raises(ModelFileError, match="Upgrade"):
        from_bytes(dump(arrays, metadata={"vaglio": json.dumps(envelope)}))


def test_unknown_kind_is_refused(fitted: Any) -> None:
    arrays, body = unseal(to_bytes(fitted))
    with pytest.raises(ModelFileError, match="unknown kind"):
        from_bytes(reseal(arrays, body.replace('"kind": "tree"', '"kind": "os.system"')))


def test_interrupted_writing_leaves_nothing(fitted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "model.vaglio"
    target.write_bytes(b"the model of yesterday")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.save(target)
    assert target.read_bytes() == b"the model of yesterday"
    assert [p.name for p in tmp_path.iterdir()] == ["model.vaglio"]


def test_writing_where_one_cannot_is_one_sentence(fitted: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        fitted.save(tmp_path / "no such folder" / "model.vaglio")
    with pytest.raises(InputError, match="cannot be read"):
        vaglio.load(tmp_path / "nothing.vaglio")


def test_labels_that_are_no_data_are_refused(tmp_path: Path) -> None:
    y = np.array([(0, 1), (1, 0), (0, 1)], dtype="i4,i4").astype(object)
    tree = vaglio.C45Classifier().fit(np.arange(3.0).reshape(-1, 1), np.array(["a", "b", "a"], dtype=object))
    object.__setattr__(tree.fitted_, "classes", y[:2])
    with pytest.raises(NotSupportedError, match="Convert the labels"):
        tree.save(tmp_path / "model.vaglio")
    assert not list(tmp_path.iterdir())


def test_columns_are_aligned_by_name(fitted: Any, penguins: tuple[Any, Any]) -> None:
    X, _ = penguins
    frame = X.to_frame()
    shuffled = frame[frame.columns[::-1]].assign(extra=1)
    np.testing.assert_array_equal(fitted.predict(shuffled), fitted.predict(frame))
    with pytest.raises(KeyError, match="lacks"):
        fitted.predict(frame.drop(columns=frame.columns[0]))


def with_entry(content: bytes, **entries: Any) -> bytes:
    """The same file with further entries in its body, behind a right checksum."""
    arrays, body = unseal(content)
    return reseal(arrays, json.dumps({**json.loads(body), **entries}))


def test_costs_are_kept_and_a_file_without_them_is_as_before(play: tuple):
    X, y = play
    plain = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
    careful = plain.with_cost({("no", "yes"): 20, ("yes", "no"): 1})
    assert b'\\"cost\\"' not in to_bytes(plain)
    for model in (careful, careful.with_decision_rule("argmax")):
        again = from_bytes(to_bytes(model))
        assert again.decide == model.decide
        np.testing.assert_array_equal(again.cost.matrix, model.cost.matrix)
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert to_bytes(again) == to_bytes(model)
    assert careful.digest != plain.digest


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1], [1, 0]], "not readable"),
        ({"matrix": [[0, 1]], "decide": "cost"}, "do not fit"),
        ({"matrix": [[0, 1], [1]], "decide": "cost"}, "do not fit"),
        ({"matrix": [[0, True], [1, 0]], "decide": "cost"}, "not a number"),
        ({"matrix": [[0, 10**400], [1, 0]], "decide": "cost"}, "damaged"),
        ({"matrix": [[0, 1], [1, 0]], "decide": "guess"}, "how it decides"),
    ],
)
def test_impossible_costs_are_refused(cost: object, message: str, play: tuple):
    content = to_bytes(vaglio.NaiveBayesClassifier().fit(*play).fitted_)
    with pytest.raises(ModelFileError, match=message):
        from_bytes(with_entry(content, cost=cost))


def test_costs_without_probabilities_are_refused(play: tuple):
    content = to_bytes(vaglio.Perceptron(random_state=0).fit(*play).fitted_)
    cost = {"matrix": [[0, 1], [1, 0]], "decide": "cost"}
    with pytest.raises(ModelFileError, match="no probabilities"):
        from_bytes(with_entry(content, cost=cost))
