"""What classifiers that model P(x, c) share: log probabilities, priors, new rows drawn from the model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import InputError
from vaglio.fitted import Fitted
from vaglio.learn._parameters import estimator
from vaglio.learn.bayes._sampled_rows import decode_rows, empty_rows
from vaglio.learn.estimator import VaglioClassifier, plain_params
from vaglio.model.base import Model
from vaglio.text.sentences import did_you_mean


@estimator
class Generative(VaglioClassifier):
    """Base of the classifiers that model how the rows of a class come about, and so can draw new ones."""

    def _looks_for_words(self) -> bool:
        return False

    def _encode_training(self, X: Any) -> tuple[Codebook, EncodedMatrix]:
        self._schema = empty_rows(X)
        return super()._encode_training(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class, exact where the probability is rounded to 0 or 1.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        matrix = self._encode(X)
        model: Any = self.fitted_.model
        logarithms: np.ndarray = model.predict_log_proba(matrix)
        return logarithms

    def sample(self, n: int = 1, label: Any = None, random_state: Any = None) -> Any:
        """Draw new rows from the model.

        Parameters
        ----------
        n : int
            Number of rows.
        label : object, optional
            Class to draw from; by default each row's class is drawn by the priors.
        random_state : int, RandomState or None

        Returns
        -------
        frame
            With the columns of the training rows, in their own types. Missing values are not drawn.
        """
        check_is_fitted(self, "fitted_")
        if n < 0:
            raise InputError(f"n is {n}: the number of rows to draw cannot be negative.")
        rng = np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        labels = self._labels_to_draw(n, label, rng)
        model: Any = self.fitted_.model
        return decode_rows(model.draw(labels, rng), self.fitted_.codebook.features, n, self._schema)

    def _keep(self, codebook: Codebook, model: Model, rows: float) -> Self:
        """Keep a model that was learned in parts."""
        provenance = {"version": __version__, "training": {"rows": rows, "columns": len(codebook.features)}}
        self.fitted_ = Fitted(codebook, model, self.classes_, self._learner_id, plain_params(self), provenance)
        return self

    def _labels_to_draw(self, n: int, label: Any, rng: np.random.Generator) -> np.ndarray:
        if label is None:
            model: Any = self.fitted_.model
            return rng.choice(len(self.classes_), size=n, p=model.prior)
        found = np.flatnonzero(self.classes_ == label)
        if not found.size:
            near = did_you_mean(str(label), map(str, self.classes_), otherwise="the classes are", quoted=True)
            raise InputError(f"There is no class {label!r} to draw from: {near}")
        return np.full(n, found[0], dtype=np.int64)


def known_labels(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return the code of each label, which must be one of the classes named in the first call of partial_fit."""
    y = column_or_1d(y)
    codes: np.ndarray = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    strange = classes[codes] != y
    if strange.any():
        raise InputError(
            f"The class {y[strange][0]!r} was not among those given in the first call of partial_fit: list all "
            "classes there."
        )
    return codes.astype(np.int64)


def resolve_priors(priors: Any, class_weight: np.ndarray) -> np.ndarray:
    """Return the prior of each class: learned (None), equal ("equal") or given."""
    if priors is None:
        shares: np.ndarray = class_weight / class_weight.sum()
        return shares
    if isinstance(priors, str):
        return np.full(len(class_weight), 1.0 / len(class_weight))
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != class_weight.shape:
        raise InputError(
            f"{given.size} priors were given for {len(class_weight)} classes: give one each, in the order of classes_."
        )
    if not (given >= 0).all() or not np.isclose(given.sum(), 1.0):
        raise InputError("The priors must not be negative and must add up to 1.")
    # Given numbers may be a rounding away from a sum of 1.
    exact: np.ndarray = given / given.sum()
    return exact
