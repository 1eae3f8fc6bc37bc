"""Names that a form cannot take are refused in one sentence that says what can be done."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.errors import NotSupportedError


@pytest.mark.parametrize(
    ("name", "why"), [("", "its column 1 has no name"), ("label", "its column 'label' has the name of an output")]
)
def test_names_that_onnx_cannot_take(name, why):
    X = pd.DataFrame({name: np.arange(20.0), "b": np.arange(20.0)[::-1]})
    fitted = vaglio.C45Classifier().fit(X, np.arange(20) > 9).fitted_
    with pytest.raises(NotSupportedError, match=why):
        fitted.to_onnx()
