"""Metadata for the members of an ensemble, routed as scikit-learn does: each gets what it has asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params, _num_samples

from vaglio.errors import InputError, NotSupportedError
from vaglio.model.base import class_proba
from vaglio.table.lazy import is_outside_memory


class RoutesMetadata:
    """For ensembles that hand metadata to their members; placed before the class that fits.

    The ensemble writes ``_routes()``: name and estimator of each member, and which of its methods each method of the
    ensemble calls.
    """

    _routes: Callable[[], list[tuple[str, Any, Mapping[str, str]]]]

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what is routed to the members, for scikit-learn.

        Returns
        -------
        MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        for name, member, calls in self._routes():
            mapping = MethodMapping()
            for caller, callee in calls.items():
                mapping.add(caller=caller, callee=callee)
            router.add(**{name: member}, method_mapping=mapping)
        return router

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from rows and what is to be predicted.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            String, boolean and categorical columns are nominal; missing values may stay missing.
        y : array-like of shape (n_samples,)
            Class labels, or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, relative to the others or in absolute terms: see :ref:`weights`.

        Returns
        -------
        self
        """
        routed = self._routed("fit", fit_params)
        if routed and (is_outside_memory(X) or (sample_weight is not None and not np.all(sample_weight))):
            raise NotSupportedError(
                "Metadata for the members needs all rows in memory, and none of weight 0: read the table, and leave "
                "such rows out."
            )
        self._fit_metadata = (routed, _num_samples(X) if routed else 0)
        try:
            super().fit(X, y, sample_weight)  # type: ignore[misc]
        finally:
            del self._fit_metadata
        return self

    def _metadata_of(self, name: str, rows: np.ndarray) -> dict[str, Any]:
        """Return what a member's ``fit`` is given beside these rows; of one entry per row, it gets those of its own."""
        routed, n = self.__dict__.get("_fit_metadata", ({}, 0))
        given: dict[str, Any] = routed[name]["fit"] if routed else {}
        return _check_method_params(np.empty((n, 0)), given, indices=rows) if given else {}

    def _routed(self, method: str, metadata: Mapping[str, Any]) -> Any:
        """Return by name of a member and by method what its methods are given; empty without metadata."""
        if metadata and not get_config()["enable_metadata_routing"]:
            raise InputError(
                f"{sorted(metadata)} are not supported if metadata routing is not enabled: call "
                "sklearn.set_config(enable_metadata_routing=True), and let the members ask for them."
            )
        return process_routing(self, method, **metadata) if metadata else {}


class PredictsWithMetadata(RoutesMetadata):
    """For ensembles that also predict with metadata: ``_model_with(method, metadata)`` is the model that does."""

    fitted_: Any
    _encode: Callable[[Any], Any]
    _model_with: Callable[[str, Mapping[str, Any]], Any]

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """Return the prediction for each row of X.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            A lazy table gives a lazy result, a Dask frame a Dask series.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if not params:
            return super().predict(X)  # type: ignore[misc, no-any-return]
        model = self._model_with("predict", params)
        return replace(self.fitted_, model=model).predict_encoded(self._encode(X))  # type: ignore[no-any-return]

    @available_if(is_classifier)
    def predict_proba(self, X: Any, **params: Any) -> np.ndarray:
        """Return the probability of each class for each row, in the order of ``classes_``.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if not params:
            return super().predict_proba(X)  # type: ignore[misc, no-any-return]
        return class_proba(self._model_with("predict_proba", params), self._encode(X))

    @available_if(is_classifier)
    def predict_log_proba(self, X: Any, **params: Any) -> np.ndarray:
        """Return the logarithm of :meth:`predict_proba`.

        Metadata for the members is given by name, where metadata routing is enabled and they have asked for it.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if not params:
            return super().predict_log_proba(X)  # type: ignore[misc, no-any-return]
        with np.errstate(divide="ignore"):
            found: np.ndarray = np.log(class_proba(self._model_with("predict_log_proba", params), self._encode(X)))
        return found
