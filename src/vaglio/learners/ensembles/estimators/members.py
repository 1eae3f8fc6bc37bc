"""Members of an ensemble, whatever library they come from: how one is fitted, and which metadata it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix, decode, select_features
from vaglio.engines.passes import TableSummary
from vaglio.engines.sources import is_out_of_core
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import Fitted
from vaglio.learners.ensembles.model import Foreign, Member
from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator
from vaglio.learners.provenance import findings_of, plain_params
from vaglio.learners.trees.estimators.growing import GrowthParameters
from vaglio.runtime.scikit_learn import check_method_params, num_samples
from vaglio.typing import ColumnLike, Estimator, TableLike

if TYPE_CHECKING:
    from vaglio.model.base import Model


def make_member(prototype: Any, seed: int) -> Any:
    """Return an unfitted copy whose every ``random_state``, also of inner estimators, comes from the seed."""
    member = clone(prototype)
    names = sorted(name for name in member.get_params(deep=True) if name.split("__")[-1] == "random_state")
    draws = np.random.SeedSequence(seed).generate_state(max(len(names), 1))
    member.set_params(**{name: int(draw >> 1) for name, draw in zip(names, draws)})
    if isinstance(member, GrowthParameters):
        member._draws_ties = True
    return member


def codebook_of(ensemble: Any, matrix: EncodedMatrix) -> Codebook:
    """Return the codebook the ensemble's rows were encoded by, for its members."""
    named = hasattr(ensemble, "feature_names_in_")
    return Codebook(matrix.features, named, getattr(ensemble, "unseen", "missing"), matrix.sparse is not None)


def looks_for_words(prototype: Any) -> bool:
    """Whether a member learns from the most telling words of a text, and does not count all words itself."""
    return not isinstance(prototype, VaglioEstimator) or prototype._looks_for_words()


def prepare_member(estimator: Estimator, name: str, facts: TableSummary) -> None:
    """Make a member ready to learn in passes, as ``fit`` would; members that cannot are refused."""
    if not isinstance(estimator, VaglioEstimator):
        raise NotSupportedError(
            "foreign-member",
            "The member {member!r} is a {name} of another library, which needs all rows in memory.",
            member=name,
            name=type(estimator).__name__,
        )
    estimator._validate_params()
    estimator._refuse_passes()
    if getattr(estimator, "class_weight", None) is not None:
        raise NotSupportedError(
            "member-weights",
            "The member {member!r} has its own class_weight, which needs all rows in memory. Give "
            "class_weight to the ensemble, or leave weights out.",
            member=name,
        )
    estimator.n_features_in_ = len(facts.codebook.names)
    estimator.feature_names_in_ = np.array(facts.codebook.names, dtype=object)
    if facts.classes is not None and isinstance(estimator, VaglioClassifier):
        estimator.classes_ = facts.classes


def members_codebook(codebook: Codebook, features: np.ndarray | None = None) -> Codebook:
    """Return the codebook of a member that sees these columns; None: all."""
    own = codebook.features if features is None else tuple(codebook.features[j] for j in features)
    return Codebook(own, codebook.named, codebook.unseen, codebook.sparse)


def finish_member(estimator: Any, codebook: Codebook, model: Model, classes: np.ndarray | None) -> None:
    """Make a member, whose model was learned elsewhere, as its own ``fit`` would have left it."""
    estimator.n_features_in_ = len(codebook.features)
    if codebook.named:
        estimator.feature_names_in_ = np.array(codebook.names, dtype=object)
    if classes is not None:
        estimator.classes_ = classes
    provenance: dict[str, Any] = {"version": __version__, **findings_of(estimator)}
    if getattr(estimator, "learned_with_", None):
        provenance["learned_with"] = dict(estimator.learned_with_)
    estimator.fitted_ = Fitted(codebook, model, classes, estimator._learner_id, plain_params(estimator), provenance)


def fit_member(
    estimator: Estimator,
    codebook: Codebook,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    classes: np.ndarray | None,
    features: np.ndarray | None = None,
    scaled: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> Member:
    """Fit on encoded rows. ``y`` are class codes, or numbers when ``classes`` is None.

    ``scaled`` says that the weights sum to the number of rows, which spares them another rounding. ``metadata`` is what
    else the ``fit`` of an estimator of another library is given.
    """
    if features is not None:
        matrix = select_features(matrix, features)
        codebook = members_codebook(codebook, features)
    known, target, labels = np.empty(0, np.int64), y, None
    if classes is not None:
        # The classes that occur, and the code of each row's class among them.
        every = np.bincount(y, minlength=len(classes)).all()
        known, target = (np.arange(len(classes)), y) if every else np.unique(y, return_inverse=True)
        labels = classes[known]
    if learns_encoded(estimator):
        model = _fit_own(estimator, codebook, matrix, target, weight, labels, scaled)
    else:
        model = _fit_foreign(estimator, codebook, matrix, target, weight, labels, metadata or {})
    return Member(model, 1.0, known.astype(np.int64), features)


def learns_encoded(estimator: object) -> bool:
    """Whether a member learns from encoded rows: one whose class has a ``fit`` of its own must have it called."""
    return isinstance(estimator, VaglioEstimator) and type(estimator).fit.__module__.startswith("vaglio.")


def _fit_own(
    estimator: Any,
    codebook: Codebook,
    matrix: EncodedMatrix,
    target: np.ndarray,
    weight: np.ndarray | None,
    labels: np.ndarray | None,
    scaled: bool,
) -> Any:
    """Do what ``fit`` does after encoding: the rows are encoded already."""
    estimator._validate_params()
    estimator.n_features_in_ = matrix.n_features
    if codebook.named:
        estimator.feature_names_in_ = np.array(codebook.names, dtype=object)
    if labels is not None:
        estimator.classes_ = labels
        if len(labels) < estimator._min_classes:
            raise InputError(
                "sample-of-one-class",
                "A sample for {name} has only one class. Draw more rows.",
                name=type(estimator).__name__,
            )
        scaled = scaled and getattr(estimator, "class_weight", None) is None
        weight = weight if scaled else estimator._with_class_weight(target, weight)
    estimator._finish(codebook, matrix, target, weight, scaled, member=True)
    return estimator.fitted_.model


def _fit_foreign(
    estimator: Any,
    codebook: Codebook,
    matrix: EncodedMatrix,
    target: np.ndarray,
    weight: np.ndarray | None,
    labels: np.ndarray | None,
    metadata: Mapping[str, Any],
) -> Foreign:
    rows = decode(matrix, codebook.named)
    given = target if labels is None else labels[target]
    if weight is None:
        estimator.fit(rows, given, **metadata)
    elif has_fit_parameter(estimator, "sample_weight"):
        estimator.fit(rows, given, sample_weight=weight, **metadata)
    else:
        raise InputError(
            "no-sample-weights",
            "{name} does not take sample weights. Leave them out, or draw samples by weight instead.",
            name=type(estimator).__name__,
        )
    return Foreign(estimator, codebook.named)


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

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None, **fit_params: Any) -> Self:
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
        if routed and (is_out_of_core(X) or (sample_weight is not None and not np.all(np.asarray(sample_weight)))):
            raise NotSupportedError(
                "metadata-out-of-core",
                "Metadata for the members needs all rows in memory, none of them with weight 0. Read the "
                "table, and remove such rows.",
            )
        self._fit_metadata = (routed, num_samples(X) if routed else 0)
        try:
            super().fit(X, y, sample_weight)  # type: ignore[misc]
        finally:
            del self._fit_metadata
        return self

    def _metadata_of(self, name: str, rows: np.ndarray) -> dict[str, Any]:
        """Return what a member's ``fit`` is given beside these rows; of one entry per row, it gets those of its own."""
        routed, n = self.__dict__.get("_fit_metadata", ({}, 0))
        given: dict[str, Any] = routed[name]["fit"] if routed else {}
        return check_method_params(np.empty((n, 0)), given, indices=rows) if given else {}

    def _routed(self, method: str, metadata: Mapping[str, Any]) -> Any:
        """Return by name of a member and by method what its methods are given; empty without metadata."""
        if metadata and not get_config()["enable_metadata_routing"]:
            raise InputError(
                "metadata-routing-disabled",
                "{metadata} are not supported if metadata routing is not enabled. Call "
                "sklearn.set_config(enable_metadata_routing=True), and let the members request them.",
                metadata=sorted(metadata),
            )
        return process_routing(self, method, **metadata) if metadata else {}
