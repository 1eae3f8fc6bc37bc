"""Limits of parameters, prepared once per class: the verdict and the sentence are scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError, generate_invalid_param_val, make_constraint

import vaglio
from vaglio.learners.parameter_limits import all_allowed, parameter_names

from .estimators import all_estimators, name_of

X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("estimator", all_estimators(), ids=name_of)
def test_the_names_are_those_of_the_signature(estimator):
    assert list(parameter_names(type(estimator))) == sorted(estimator.get_params(deep=False))


@pytest.mark.parametrize("estimator", all_estimators(), ids=name_of)
def test_a_value_outside_the_limits_is_seen(estimator):
    cls = type(estimator)
    assert all_allowed(cls())
    for name, alternatives in cls._parameter_constraints.items():
        limits = [make_constraint(alternative) for alternative in alternatives]
        wrong = object()
        for limit in limits:
            try:
                wrong = generate_invalid_param_val(limit)
            except NotImplementedError:
                continue
        if any(limit.is_satisfied_by(wrong) for limit in limits):
            wrong = object()
        changed = cls()
        setattr(changed, name, wrong)
        assert not all_allowed(changed), name
        with pytest.raises(InvalidParameterError, match=name):
            changed._validate_params()


def test_limits_that_are_not_to_be_looked_at():
    wrong = vaglio.CARTClassifier(criterion="none of ours")
    assert not all_allowed(wrong)
    with sklearn.config_context(skip_parameter_validation=True):
        assert all_allowed(wrong)


def test_a_subclass_has_its_own_parameters():
    class Stump(vaglio.CARTClassifier):
        def __init__(self, criterion="gini"):
            super().__init__(criterion=criterion, max_depth=1)

    assert parameter_names(Stump) == ("criterion",) == tuple(BaseEstimator.get_params(Stump()))
    assert Stump().fit(X, Y).fitted_.model.n_nodes == 3
