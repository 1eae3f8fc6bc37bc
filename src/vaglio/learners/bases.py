"""scikit-learn's base classes, with the types that scikit-learn does not publish.

mypy takes a class of an untyped library for ``Any``, and a subclass of ``Any`` accepts every keyword and has every
attribute. The classes below stand in for scikit-learn's while types are checked. At run time, and as ancestors of these
for checkers that read untyped libraries themselves (pyright), they are scikit-learn's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

# mypy takes a variable of this name to be true, whatever its value; no other checker does.
MYPY = False

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Method = TypeVar("Method", bound=Callable[..., Any])

    if 0:  # mypy alone reads such a branch
        from builtins import object as _BaseEstimator
        from builtins import object as _ClassifierMixin
        from builtins import object as _Composition
        from builtins import object as _MetaEstimatorMixin
        from builtins import object as _OneToOneFeatureMixin
        from builtins import object as _RegressorMixin
        from builtins import object as _TransformerMixin
    if not MYPY:
        from sklearn.base import BaseEstimator as _BaseEstimator
        from sklearn.base import ClassifierMixin as _ClassifierMixin
        from sklearn.base import MetaEstimatorMixin as _MetaEstimatorMixin
        from sklearn.base import OneToOneFeatureMixin as _OneToOneFeatureMixin
        from sklearn.base import RegressorMixin as _RegressorMixin
        from sklearn.base import TransformerMixin as _TransformerMixin

        from vaglio.runtime.scikit_learn import Composition as _Composition

    class BaseEstimator(_BaseEstimator):
        n_features_in_: int
        feature_names_in_: np.ndarray

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]: ...
        def set_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_partial_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_predict_request(self, **requests: bool | str | None) -> Self: ...
        def set_score_request(self, **requests: bool | str | None) -> Self: ...
        def set_transform_request(self, **requests: bool | str | None) -> Self: ...
        def _validate_params(self) -> None: ...
        def _repr_html_(self) -> str: ...
        def __sklearn_tags__(self) -> Any: ...
        def __sklearn_clone__(self) -> Self: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...

    class ClassifierMixin(_ClassifierMixin): ...

    class RegressorMixin(_RegressorMixin): ...

    class TransformerMixin(_TransformerMixin):
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any: ...
        def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self: ...

    class OneToOneFeatureMixin(_OneToOneFeatureMixin):
        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...

    class MetaEstimatorMixin(_MetaEstimatorMixin): ...

    class Composition(_Composition):
        def _get_params(self, attr: str, deep: bool = True) -> dict[str, Any]: ...
        def _set_params(self, attr: str, **params: Any) -> Self: ...

    def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        MetaEstimatorMixin,
        OneToOneFeatureMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.utils.metaestimators import available_if

    from vaglio.runtime.scikit_learn import Composition

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "Composition",
    "MetaEstimatorMixin",
    "OneToOneFeatureMixin",
    "RegressorMixin",
    "TransformerMixin",
    "available_if",
]
