"""What a form cannot take is refused in one sentence that says why, and what can be done."""

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


def _stumps(seed: int) -> vaglio.RandomForestClassifier:
    return vaglio.RandomForestClassifier(3, max_depth=1, random_state=seed)


@pytest.mark.parametrize(
    "ensemble",
    [
        vaglio.BaggingClassifier(vaglio.HistGradientBoostingClassifier(max_iter=2), 2, random_state=0),
        vaglio.VotingClassifier([(str(seed), _stumps(seed)) for seed in range(3)], voting="hard"),
    ],
    ids=["boosted members", "forests that vote"],
)
def test_members_whose_scores_do_not_add_up_are_refused_in_sql(ensemble):
    fitted = ensemble.fit(*vaglio.datasets.load("iris").xy()).fitted_
    for write in (fitted.to_sql, lambda: fitted.export("sql")):
        with pytest.raises(
            NotSupportedError, match=r"not single trees .*; it can be exported as c, javascript or onnx"
        ):
            write()


@pytest.mark.parametrize("form", ["sql", "c", "javascript", "onnx", "pmml"])
def test_a_model_that_holds_a_function_says_so_in_every_form(form):
    X, y = vaglio.datasets.load("iris").xy()
    fitted = vaglio.KNeighborsClassifier(metric=lambda a, b: float(np.abs(a - b).sum())).fit(X, y).fitted_
    with pytest.raises(NotSupportedError, match=f"exported as {form}: its metric is a function of Python; keep the"):
        fitted.export(form)
