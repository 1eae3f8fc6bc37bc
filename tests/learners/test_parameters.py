"""Parameters that are declared once: signature, limits and docstring of a family of estimators."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import field
from typing import Any, ClassVar

import pytest
from sklearn.base import BaseEstimator, clone

from vaglio.learners.parameters import COUNT, SHARE, estimator


@estimator
class Parent(BaseEstimator):
    """A family.

    Parameters
    ----------
    size : int
        How large.
    rate : float
        How fast; only the child has it.

    Attributes
    ----------
    shared_ : int
        Of all.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"size": COUNT, "rate": SHARE}

    size: int = field(default=3, kw_only=False)
    n_jobs: int | None = None

    shared_: int = field(init=False)


@estimator
class Child(Parent):
    """A member.

    Attributes
    ----------
    own_ : int
        Of the child.

    Examples
    --------
    >>> 1
    1
    """

    size: int = field(default=5, kw_only=False)
    rate: float = 0.5


def test_a_child_has_the_parameters_of_its_parent_with_its_own_defaults() -> None:
    assert Child().get_params() == {"size": 5, "rate": 0.5, "n_jobs": None}
    assert Parent().get_params() == {"size": 3, "n_jobs": None}
    assert Child(7).size == 7
    with pytest.raises(TypeError):
        Child(7, 0.5)
    with pytest.raises(TypeError, match="has no parameter 'speed'"):
        Child(speed=1)


def test_limits_are_inherited_and_name_only_parameters_the_class_has() -> None:
    assert set(Parent._parameter_constraints) == {"size", "n_jobs"}
    assert set(Child._parameter_constraints) == {"size", "n_jobs", "rate"}
    with pytest.raises(ValueError, match="'rate' parameter of Child"):
        Child(rate=2.0)._validate_params()


def test_the_docstring_is_completed_from_the_parent() -> None:
    text = inspect.getdoc(Child) or ""
    assert text.startswith("A member.\n\nParameters\n----------\nsize : int, default=5\n    How large.\nn_jobs : int")
    assert "rate : float, default=0.5\n    How fast" in text
    assert text.index("own_ : int") < text.index("shared_ : int") < text.index("Examples")
    assert "rate" not in (inspect.getdoc(Parent) or "")


def test_fitted_attributes_are_no_parameters_and_do_not_exist_before_fitting() -> None:
    assert "shared_" not in inspect.signature(Child).parameters
    assert not hasattr(Child(), "shared_")


def test_estimators_are_cloned_pickled_printed_and_compared_by_identity() -> None:
    child = Child(2, rate=0.25)
    assert clone(child).get_params() == pickle.loads(pickle.dumps(child)).get_params() == child.get_params()
    assert repr(child) == "Child(rate=0.25, size=2)"
    assert child != clone(child)
    assert {child: 1}[child] == 1


def test_a_parameter_without_a_default_is_refused() -> None:
    with pytest.raises(TypeError, match="default for every parameter"):

        @estimator
        class Wrong(BaseEstimator):
            """Has none."""

            size: int
