"""Whatever its kind, a model that is read from a file needs every entry of the file, each of its type and size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.fitted.one_per_kind import LEARNERS, NUMBERS, model, rows
from tests.hostile.model_file import Change, changed, reloaded

from vaglio.errors import ModelFileError, VaglioError
from vaglio.fitted.file import to_bytes
from vaglio.learners.registry import REGRESSORS
from vaglio.model.families import KINDS

# Entries that files of the first edition do not have.
LATER = ("table_values", "named_feature", "quantiles_feature", "bins_n_values", "holds", "contains_training_rows")
# Entries that may be None or any number.
FREE = ("binarize", "coef0", "gamma")


def entries(kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    found: list[Any] = []
    changed(model(kind), lambda body, arrays: found.extend((body["model"], arrays)))
    return found[0], found[1]


def damage(kind: str) -> Iterator[tuple[str, Change]]:
    """Yield every change that no file of this kind may have, with its name."""
    described, arrays = entries(kind)

    def put(name: str, value: Any) -> Change:
        return lambda body, arrays: arrays.update({name: value})

    def say(name: str, value: Any) -> Change:
        return lambda body, arrays: body["model"].update({name: value})

    for name, value in arrays.items():
        last = name.split(".")[-1].split("naive_")[-1]
        if last not in LATER:
            yield f"no {name}", lambda body, arrays, name=name: arrays.pop(name)
        yield f"{name} with one dimension more", put(name, value[None])
        yield f"{name} of another type", put(name, np.zeros(value.shape, "f4" if value.dtype != "f4" else "f8"))
    for name in described:
        if name not in (*LATER, *FREE):
            for other in (None, {"what": 1}, "what"):
                yield f"{other!r} as {name}", say(name, other)


def test_every_kind_is_tried() -> None:
    assert set(LEARNERS) == set(KINDS)
    assert {name.removesuffix(" of numbers") for name in NUMBERS} == set(REGRESSORS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEARNERS, *NUMBERS])
def test_a_file_without_an_entry_or_with_another_is_refused(kind: str) -> None:
    accepted = []
    for name, change in damage(kind):
        try:
            reloaded(model(kind), change)
        except ModelFileError as error:
            assert "model file" in str(error), name
        else:
            accepted.append(name)
    assert not accepted


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEARNERS, *NUMBERS])
def test_an_unchanged_file_is_the_same_model(kind: str) -> None:
    again = reloaded(model(kind), lambda body, arrays: None)
    assert to_bytes(again) == to_bytes(model(kind))
    assert again.model.size() == model(kind).model.size()
    X = rows()[0]
    assert again.predict(X).tolist() == model(kind).predict(X).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", NUMBERS)
def test_a_number_of_a_file_that_no_training_gives_is_refused_or_harmless(kind: str) -> None:
    """Every array of a model of numbers, with one value changed: a sentence, or as many predicted numbers."""
    X = rows()[0]
    for name, value in entries(kind)[1].items():
        if not value.size or value.dtype.kind not in "fiu":
            continue
        ends = np.iinfo(value.dtype) if value.dtype.kind != "f" else None
        wrong = (np.nan, np.inf, -1e308, -1.0) if ends is None else (ends.min, ends.max, 0)
        for number in wrong:

            def change(body: dict[str, Any], arrays: dict[str, np.ndarray], name=name, number=number) -> None:
                changed_array = arrays[name].copy()
                changed_array.flat[-1] = number
                arrays[name] = changed_array

            try:
                strange = reloaded(model(kind), change)
                found = strange.predict(X)
                strange.explain(X[:2])
            except VaglioError:
                continue
            assert found.shape == (40,), (name, number)
            assert found.dtype == np.float64, (name, number)
