"""The line of Python that a model file keeps makes the learner again, whatever its parameters are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral
from typing import Any, get_args

import pytest
from sklearn.utils._param_validation import Interval, Options

import vaglio
from vaglio.learners.provenance import learner_source
from vaglio.learners.registry import learners_of
from vaglio.model.families import Task


def values_of(constraint: Any) -> Iterator[Any]:
    """Yield values that a declared limit allows: its ends, something between, infinity."""
    if constraint is None or constraint is bool or constraint == "boolean":
        yield from [None] if constraint is None else [True, False]
    elif isinstance(constraint, Options):
        yield from sorted(constraint.options, key=str)
    elif isinstance(constraint, Interval):
        given = [constraint.left, constraint.right, 1, 2, 0.1234567890123, math.inf, -math.inf]
        kind = int if constraint.type is Integral else float
        for value in given:
            if value is not None and value in constraint and (math.isfinite(value) or kind is float):
                yield kind(value)
    elif constraint == "random_state":
        yield 3
    elif constraint in (dict, list, tuple, "array-like"):
        yield from ({"a": math.inf}, [1.0, -math.inf], ("a",), [("a", "b")])


def parameters(estimator: Any) -> str:
    return str({name: value for name, value in estimator.get_params(deep=False).items() if name != "n_jobs"})


@pytest.mark.slow
@pytest.mark.parametrize("task", get_args(Task))
def test_the_source_makes_the_learner_again(task: Task) -> None:
    for entry in learners_of(task).values():
        tried = 0
        for name, constraints in entry.cls._parameter_constraints.items():
            for value in (value for constraint in constraints for value in values_of(constraint)):
                estimator = entry.make(**{name: value})
                again = eval(learner_source(estimator), {"vaglio": vaglio})
                assert parameters(again) == parameters(estimator), (name, value)
                tried += 1
        assert tried, entry.id


def test_learners_inside_a_learner() -> None:
    inner = vaglio.SVC(kernel="linear", C=math.inf)
    outer = vaglio.VotingClassifier([("a", inner), ("b", vaglio.C45Classifier(min_gain=0.5))])
    source = learner_source(outer)
    assert source.startswith("vaglio.VotingClassifier(estimators=[('a', vaglio.SVC(")
    assert learner_source(eval(source, {"vaglio": vaglio})) == source
