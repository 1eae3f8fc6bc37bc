"""Arguments of wrong types: one sentence of this package, whatever is passed where."""

from __future__ import annotations

import inspect
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils._param_validation import InvalidParameterError
from tests.hostile.wrong_arguments import Call, calls, parameter_calls, wrong_values

import vaglio
from vaglio import evaluation
from vaglio.errors import InputError, VaglioError
from vaglio.evaluation.selection.splits import make_folds

# Calls that train many models: tried at night.
SLOW = ("compare", "select", "tune", "LearningCurveDisplay.from_estimator", "ValidationCurveDisplay.from_estimator")
# An argument of a wrong type must be noticed, not worked on: more than any good call takes.
_SECONDS = 20
# Right types: every learner is trained, or many rounds.
_RIGHT = {
    ("compare", "learners", "none"),
    ("select", "learners", "none"),
    ("classification gradient-boosting", "scoring", "none"),
}
# Parameters that take functions: what these raise is the caller's own.
_FUNCTIONS = ("progress", "scoring", "kernel", "phi", "metric", "weights", "oob_score")


@pytest.mark.slow
def test_every_argument_of_every_function_refuses_wrong_types_in_a_sentence(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    quick = [call for call in calls(tmp_path) if call.name not in SLOW]
    assert _foreign(quick, share=8) == []


@pytest.mark.slow
def test_every_public_function_is_tried(tmp_path: Path) -> None:
    tried = {call.name for call in calls(tmp_path)}
    for module in (vaglio, evaluation):
        assert {name for name in module.__all__ if inspect.isfunction(getattr(module, name))} <= tried


@pytest.mark.nightly
def test_every_function_and_learner_refuses_every_wrong_type(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert _foreign([*calls(tmp_path), *parameter_calls()], share=1) == []


X = np.arange(12.0).reshape(6, 2)
LABELS: dict[str, Any] = {
    "missing text": ["a", None, "a", "b", "b", "a"],
    "missing number": [1, None, 1, 2, 2, 1],
    "nan": [1.0, float("nan")] * 3,
    "pandas NA": pd.Series(["a", pd.NA] * 3),
    "no date": pd.Series([pd.Timestamp("2024-01-01"), pd.NaT] * 3),
    "mixed": ["a", 1] * 3,
    "mixed truth values": [True, "a"] * 3,
    "mixed objects": np.array(["a", 1] * 3, dtype=object),
    "dates": np.array(["2024-01-01", "2024-01-02"] * 3, dtype="datetime64[D]"),
    "date objects": [pd.Timestamp("2024-01-01").date()] * 6,
    "durations": pd.to_timedelta([1, 2] * 3),
    "periods": pd.period_range("2020", periods=6),
    "sets": [{1}, {2}] * 3,
    "ragged": [[1], [2, 3]] * 3,
    "large": [1, 2**70] * 3,
    "complex": np.array([1j, 2.0] * 3),
    "too few": [0, 1],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_that_are_no_classes_are_refused(kind: str) -> None:
    for make in (vaglio.CARTClassifier, vaglio.LogisticRegression, vaglio.NaiveBayesClassifier, vaglio.FOILClassifier):
        with pytest.raises(InputError):
            make().fit(X, LABELS[kind])
    if kind != "large":
        with pytest.raises(InputError):
            vaglio.DecisionTreeRegressor().fit(X, LABELS[kind])


def test_the_named_mistakes_say_what_to_pass() -> None:
    with pytest.raises(InputError, match="n_splits must be an integer, not 'leave-one-out'"):
        make_folds(np.array([0, 1] * 5), "leave-one-out")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"estimator must be an estimator, such as .* not 'cart' \(str\)"):
        vaglio.shatters("cart", X[:2])  # type: ignore[arg-type]
    model = vaglio.CARTClassifier().fit(X, [0, 1] * 3).fitted_
    with pytest.raises(InputError, match="cost"):
        model.with_cost(np.zeros(3))


def _foreign(made: list[Call], share: int) -> list[str]:
    """Return what is wrong with the answers to wrong arguments, of every n-th kind per argument."""
    found = []
    for at, (call, argument) in enumerate((each, argument) for each in made for argument in each.arguments()):
        for kind, value in list(wrong_values().items())[at % share :: share]:
            if (call.name, argument, kind) in _RIGHT or (argument in _FUNCTIONS and callable(value)):
                continue
            try:
                with _limited(), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call.function(**{**call.good, argument: value})
            except (VaglioError, InvalidParameterError) as error:
                assert str(error).strip(), (call.name, argument, kind)
            except Exception as error:  # noqa: BLE001 - every other error is what this test looks for
                found.append(f"{call.name}({argument}={kind}): {type(error).__name__}: {error}"[:200])
    return found


@contextmanager
def _limited() -> Iterator[None]:
    """End a call that does not end by itself."""

    def end(number: int, frame: FrameType | None) -> None:
        raise RuntimeError("no end within the time limit")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
