"""What every class of this room shares: scikit-learn's estimator outside, a learner of vaglio inside.

A preset inherits scikit-learn's class for its name, parameters, defaults, documentation, tags and every method that
reads fitted attributes only. ``fit`` checks the rows as scikit-learn does and hands them as plain numbers (no encoding,
no scaling) to a learner of :mod:`vaglio.learners`, then writes scikit-learn's attributes from its model. Where a
parameter has a value that vaglio does not serve, ``fit`` is scikit-learn's own; these cases are declared and counted.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any, ClassVar, Self

import sklearn
from sklearn.base import ClassifierMixin
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from vaglio.errors import NotSupportedError, warn
from vaglio.sklearn._names import InPlace, count_case
from vaglio.typing import ColumnLike, TableLike

PARTS = "partial_fit"
# Where scikit-learn's estimators keep their version when they are stored.
_VERSION = "_sklearn_version"


@cache
def _imported(path: str) -> Any:
    """Return a class, given its module and its name."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


class Preset(metaclass=InPlace):
    """Placed before scikit-learn's class: ``class SVC(Preset, svm.SVC)``.

    A subclass names its ``_learner``, declares the ``_cases`` it leaves to scikit-learn, and writes :meth:`_case`,
    :meth:`_settings`, :meth:`_check` and :meth:`_publish` as far as the common ones do not serve.

    Attributes
    ----------
    learner_ : estimator of vaglio or None
        The learner that was trained, with ``explain``, ``save`` and what else vaglio's own classes have; None where
        scikit-learn's code did the fit.
    """

    # Module and class of the learner, imported by the first fit.
    _learner: ClassVar[str]
    # Parameters of the learner that are fixed here.
    _fixed: ClassVar[dict[str, Any]] = {}
    # What is left to scikit-learn: the case, as a reader would write it, and the reason.
    _cases: ClassVar[dict[str, str]] = {}

    learner_: Any

    def __dir__(self) -> list[str]:
        """Leave out ``learner_``: programs that walk over the attributes would take it for a member."""
        return [name for name in super().__dir__() if name != "learner_"]

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn from rows and their targets, as scikit-learn's class of this name does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._fit_ours(X, y, sample_weight) or self._fit_theirs(X, y, sample_weight=sample_weight)

    def _fit_ours(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self | None:
        """Learn with vaglio's learner; None where the case is one of scikit-learn's."""
        self._begin()
        if self._left_to_scikit_learn(X, y, sample_weight):
            return None
        X, y, sample_weight = self._check(X, y, sample_weight)
        learner = self._make()
        self._train(learner, X, y, sample_weight)
        self._publish(learner, X, y, sample_weight)
        self.learner_ = learner
        return self

    def _begin(self) -> None:
        """Check the parameters as scikit-learn does."""
        self._validate_params()

    def _left_to_scikit_learn(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> bool:
        """Whether the fit is one of the declared cases, which is then counted."""
        case = self._case(X, y, sample_weight)
        if case is None:
            return False
        if case not in self._cases:
            raise KeyError(f"{type(self).__name__} does not declare the case {case!r}.")
        count_case(self, case)
        return True

    def _fit_theirs(self, *args: Any, **kwargs: Any) -> Self:
        """Fit with scikit-learn's own code, and forget an earlier learner."""
        self.__dict__.pop("learner_", None)
        super().fit(*args, **kwargs)  # type: ignore[misc]
        self.learner_ = None
        return self

    def _fit_part(self, X: TableLike, y: ColumnLike, **others: Any) -> Self:
        """Go on with scikit-learn's own ``partial_fit``; what vaglio learned before no longer holds."""
        count_case(self, PARTS)
        self.__dict__.pop("learner_", None)
        super().partial_fit(X, y, **others)  # type: ignore[misc]
        self.learner_ = None
        return self

    @classmethod
    def _get_param_names(cls: Any) -> list[str]:
        from vaglio.learners.parameters import parameter_names

        return list(parameter_names(cls))

    def _validate_params(self) -> None:
        from vaglio.learners.parameters import check_parameters

        check_parameters(self)

    def _given_params(self) -> dict[str, Any]:
        """Return the parameters of scikit-learn's class by the attributes of the estimator.

        As scikit-learn reads them: ``get_params`` of a subclass may lack those that it fixes, and has its own.
        """
        from vaglio.learners.parameters import parameters_of

        return parameters_of(self)

    # -- what a class writes -----------------------------------------------------------------------------------------
    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        """Return which of ``_cases`` this fit is, if any."""
        return None

    def _settings(self) -> dict[str, Any]:
        """Return the parameters of the learner that are not its defaults: those that both have, by default."""
        own = self._learner_class()._get_param_names()
        return {name: value for name, value in self._given_params().items() if name in own} | self._fixed

    def _check(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> tuple[Any, Any, Any]:
        """Return rows, targets and weights as scikit-learn would take them."""
        raise NotImplementedError

    def _train(self, learner: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> None:
        """Fit the learner."""
        learner.fit(X, y, sample_weight=sample_weight)

    def _publish(self, learner: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> None:
        """Write scikit-learn's fitted attributes from the learner's."""
        raise NotImplementedError

    # -- common ------------------------------------------------------------------------------------------------------
    @classmethod
    def _learner_class(cls) -> Any:
        return _imported(cls._learner)

    def _make(self) -> Any:
        return self._learner_class()(**self._settings())

    def score(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> float:
        """Return the accuracy, or the coefficient of determination where numbers are predicted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        from vaglio.learners.plain_arrays import accuracy, determination

        measure = accuracy if isinstance(self, ClassifierMixin) else determination
        return measure(y, self.predict(X), sample_weight)  # type: ignore[attr-defined]

    @property
    def _ours(self) -> bool:
        """Whether vaglio's learner was trained; raises scikit-learn's error where nothing was."""
        if "learner_" not in self.__dict__:
            check_is_fitted(self)
        return self.__dict__.get("learner_") is not None

    def _is_preset(self) -> bool:
        """Whether this is one of scikit-learn's names, or of its own modules, not of a class that a program derived."""
        return type(self).__module__.startswith(("vaglio.sklearn.", "sklearn."))

    def _get_doc_link(self) -> str:
        """Return the page of scikit-learn's class, which describes parameters and attributes."""
        page: str = self._doc_link_template  # type: ignore[attr-defined]
        module = type(self).__module__.removeprefix("vaglio.")
        return page.format(estimator_module=module, estimator_name=type(self).__name__) if self._is_preset() else ""

    def __getstate__(self) -> dict[str, Any]:
        # As in scikit-learn's own classes: what is stored may hold its objects, which change with its version.
        version = {_VERSION: sklearn.__version__} if self._is_preset() else {}
        return {**super().__getstate__(), **version}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.get(_VERSION, "pre-0.18")
        if self._is_preset() and stored != sklearn.__version__:
            warn(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=sklearn.__version__,
                    original_sklearn_version=stored,
                )
            )
        self.__dict__.update({name: value for name, value in state.items() if name != _VERSION})

    def explain(self, X: TableLike, *, counterfactual: bool = True, **how: Any) -> Any:
        """Say for each row of X why it got its prediction: see :meth:`vaglio.DecisionTreeClassifier.explain`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        counterfactual : bool, default=True
            Whether to look also for the smallest change that would give the row another class.
        **how
            Further arguments of that method: ``training``, ``fixed``, ``changeable``.

        Returns
        -------
        list of Explanation
        """
        return self._trained().explain(X, counterfactual=counterfactual, **how)

    def save(self, path: Any) -> None:
        """Write the trained model to a file that :func:`vaglio.load` reads.

        Parameters
        ----------
        path : str or path-like
        """
        self._trained().save(path)

    def _trained(self) -> Any:
        if not self._ours:
            raise NotSupportedError(
                "fallback-model",
                "This {name} was fitted by scikit-learn's own code, so vaglio can neither explain nor "
                "save it. vaglio.sklearn.fallbacks() gives the reason.",
                name=type(self).__name__,
            )
        return self.learner_


class LearnsInParts(Preset):
    """A preset of an estimator that can go on learning from more rows."""

    _cases: ClassVar[dict[str, str]] = {PARTS: "scikit-learn's own method goes on from what was learned before"}

    def partial_fit(
        self, X: TableLike, y: ColumnLike, classes: ColumnLike | None = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn from some rows, in addition to those seen before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes; needed on the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._fit_part(X, y, classes=classes, sample_weight=sample_weight)
