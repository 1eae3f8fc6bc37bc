"""What learners say of targets that they cannot learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from vaglio import CARTClassifier
from vaglio.errors import InputError

_MISSING = {"None": None, "NaN": float("nan"), "NumPy's NaN": np.float32("nan"), "NA": pd.NA, "NaT": pd.NaT}
_FORMS: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "objects": lambda labels: np.array(labels, dtype=object),
    "pandas": lambda labels: pd.Series(labels, dtype=object),
    "category": pd.Categorical,
}


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("absent", _MISSING)
def test_a_missing_class_is_named_as_such_in_every_form(form: str, absent: str) -> None:
    for at in range(4):
        labels: list[Any] = ["a", "b", "a", "b"]
        labels[at] = _MISSING[absent]
        with pytest.raises(InputError, match=r"y contains NaN\. Remove the rows without a class"):
            CARTClassifier().fit(np.arange(4.0)[:, None], _FORMS[form](labels))


def test_numbers_among_words_are_named() -> None:
    for labels in (["a", 1, "b", 2], ("a", 1.5, "b", "c"), np.array(["a", 1, "b", 2], dtype=object)):
        with pytest.raises(InputError, match=r"both text \('a'\) and numbers \(1"):
            CARTClassifier().fit(np.arange(4.0)[:, None], labels)
