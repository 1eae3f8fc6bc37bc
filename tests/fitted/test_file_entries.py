"""Whatever its kind, a model that is read from a file needs every entry of the file, each of its type and size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.fitted.one_per_kind import LEARNERS, OF_NUMBERS, model, rows
from tests.hostile.model_file import Change, changed, reloaded

from vaglio.errors import ModelFileError
from vaglio.fitted.file import to_bytes
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEARNERS, *OF_NUMBERS])
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
@pytest.mark.parametrize("kind", [*LEARNERS, *OF_NUMBERS])
def test_an_unchanged_file_is_the_same_model(kind: str) -> None:
    again = reloaded(model(kind), lambda body, arrays: None)
    assert to_bytes(again) == to_bytes(model(kind))
    assert again.model.size() == model(kind).model.size()
    X = rows()[0]
    assert again.predict(X).tolist() == model(kind).predict(X).tolist()
