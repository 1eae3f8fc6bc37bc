"""Learning chunk by chunk: the first chunk fixes columns, categories and classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import InputError
from vaglio.fitted import Fitted
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.parameters import estimator
from vaglio.learners.provenance import describe_training, plain_params
from vaglio.model.base import Model


@estimator
class ChunkLearner(VaglioClassifier):
    """Base of classifiers whose ``partial_fit`` goes on from the present model."""

    def _take_chunk(
        self, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> tuple[Codebook, EncodedMatrix, np.ndarray, np.ndarray | None]:
        """Encode a chunk for ``partial_fit``: the first one fixes columns, categories and classes."""
        if hasattr(self, "fitted_"):
            codebook, matrix = self.fitted_.codebook, self._encode(X)
        else:
            self._validate_params()
            if classes is None:
                raise InputError(
                    "classes must be passed on the first call to partial_fit: later chunks may hold others."
                )
            codebook, matrix = self._encode_training(X)
            self.classes_ = np.unique(classes)
            if len(self.classes_) < 2:
                raise InputError(
                    f"partial_fit needs at least two classes; got one class: {self.classes_.tolist()[0]!r}."
                )
        labels = column_or_1d(y)
        codes = np.searchsorted(self.classes_, labels).clip(0, len(self.classes_) - 1)
        if (self.classes_[codes] != labels).any():
            strange = labels[self.classes_[codes] != labels].tolist()[0]
            raise InputError(f"The label {strange!r} is not among the classes named on the first call to partial_fit.")
        check_consistent_length(matrix, codes)
        return codebook, matrix, codes, self._weight_of_chunk(X, codes, sample_weight)

    def _keep_chunk(self, codebook: Codebook, model: Model, matrix: EncodedMatrix, codes: np.ndarray) -> None:
        provenance = {"version": __version__, "training": describe_training(matrix, codes)}
        self.fitted_ = Fitted(codebook, model, self.classes_, self._learner_id, plain_params(self), provenance)
