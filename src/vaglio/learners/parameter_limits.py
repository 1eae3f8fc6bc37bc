"""The limits of an estimator's parameters, prepared once per class.

scikit-learn reads the signature and builds every limit anew in each fit; on a small table that takes longer than the
learning itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any

from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import make_constraint

# As scikit-learn finds them; called for any class.
_of_signature: Callable[[Any], list[str]] = vars(BaseEstimator)["_get_param_names"].__func__
# No value of a parameter is this.
_NONE_KNOWN = object()


@cache
def parameter_names(cls: Any) -> tuple[str, ...]:
    """Return the names of the parameters of an estimator, sorted."""
    return tuple(_of_signature(cls))


def all_allowed(estimator: Any) -> bool:
    """Return whether every parameter is within its limits, or limits are not to be looked at."""
    kind: Any = type(estimator)
    for name, default, limits in _limits(kind):
        value = getattr(estimator, name)
        if value is not default and not any(limit.is_satisfied_by(value) for limit in limits):
            return bool(get_config()["skip_parameter_validation"])
    return True


@cache
def _limits(cls: Any) -> list[tuple[str, Any, list[Any]]]:
    """Return name, default (if it is within the limits) and limits of each limited parameter of a class."""
    prepared = []
    known_defaults = {name: parameter.default for name, parameter in signature(cls.__init__).parameters.items()}
    for name, alternatives in cls._parameter_constraints.items():
        if name not in parameter_names(cls) or alternatives == "no_validation":
            continue
        limits = [make_constraint(alternative) for alternative in alternatives]
        default = known_defaults.get(name, _NONE_KNOWN)
        known = any(limit.is_satisfied_by(default) for limit in limits)
        prepared.append((name, default if known else _NONE_KNOWN, limits))
    return prepared
