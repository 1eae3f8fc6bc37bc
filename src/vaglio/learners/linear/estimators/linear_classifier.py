"""What linear classifiers and networks share: learning chunk by chunk, coefficients and decision values."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse as sp
from sklearn.utils.validation import check_is_fitted, column_or_1d

from vaglio._version import __version__
from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import Fitted
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.inputs import check_same_length, learn_column_reliability
from vaglio.learners.learned import Learned
from vaglio.learners.linear.model import LinearModel
from vaglio.learners.parameters import COUNT, estimator
from vaglio.learners.provenance import describe_training, plain_params
from vaglio.messages.options import setting
from vaglio.model.base import DECISION_VALUES, Model, check_finite
from vaglio.table import as_frame
from vaglio.typing import ClassWeight, ColumnLike, RandomState, TableLike


class TakenChunk(NamedTuple):
    """A chunk of a larger table, encoded: the first one fixes columns, categories, classes and the encoder."""

    first: bool
    codebook: Codebook
    encoder: DenseEncoder
    matrix: EncodedMatrix
    codes: np.ndarray
    weight: np.ndarray | None = None


@estimator
class ChunkLearner(VaglioClassifier):
    """Base of classifiers of encoded rows whose ``partial_fit`` goes on from the present model."""

    def _encoder(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> DenseEncoder:
        """Learn how rows become numbers."""
        raise NotImplementedError

    def _take_chunk(self, X: TableLike, y: ColumnLike, classes: Any, sample_weight: ColumnLike | None) -> TakenChunk:
        """Encode a chunk for ``partial_fit``."""
        first = not hasattr(self, "fitted_")
        if first:
            self._validate_params()
            if classes is None:
                raise InputError(
                    "missing-classes",
                    "classes must be passed on the first call to partial_fit, because later chunks may "
                    "contain other classes.",
                )
            codebook, matrix = self._encode_training(X)
            self.classes_ = np.unique(classes)
            if len(self.classes_) < 2:
                raise InputError(
                    "one-class-in-partial-fit",
                    "partial_fit needs at least two classes; got one class: {label!r}.",
                    label=self.classes_.tolist()[0],
                )
        else:
            codebook, matrix = self.fitted_.codebook, self._encode(X)
        labels = column_or_1d(y)
        codes = np.searchsorted(self.classes_, labels).clip(0, len(self.classes_) - 1)
        if (self.classes_[codes] != labels).any():
            strange = labels[self.classes_[codes] != labels].tolist()[0]
            raise InputError(
                "late-class",
                "The class {label!r} was not declared in the first call of partial_fit. List all classes there.",
                label=strange,
            )
        check_same_length(matrix, codes)
        weight = self._weight_of_chunk(X, codes, sample_weight)
        model: Any = None if first else self.fitted_.model
        encoder = self._encoder(matrix, codes, weight) if first else model.encoder
        return TakenChunk(first, codebook, encoder, matrix, codes, weight)

    def _keep_chunk(self, chunk: TakenChunk, model: Model) -> Self:
        provenance = {"version": __version__, "training": describe_training(chunk.matrix, chunk.codes)}
        self.fitted_ = Fitted(chunk.codebook, model, self.classes_, self._learner_id, plain_params(self), provenance)
        return self


@estimator
class LinearClassifier(ChunkLearner):
    """Base of classifiers whose model is one linear function per class, or a single one for two classes.

    Parameters
    ----------
    fit_intercept : bool
        Whether the linear functions have an intercept; without it they pass through the origin.
    degree : int
        Above 1, the products of up to so many numbers are columns too, such as x², x·y and y²: the boundary is then a
        curve. ``encoded_names_`` has their names; an explanation divides a product among its factors.
    warm_start : bool
        Whether a further fit starts from the present coefficients, instead of zero.

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions, n_encoded)
        Coefficients in the encoded space; :meth:`coefficients` gives them in the units of the table. Setting them, or
        the intercepts, changes what is predicted.
    intercept_ : ndarray of shape (n_functions,)
        Intercept of each linear function.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.
    """

    _accepts_sparse = True
    _min_classes = 2
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fit_intercept": ["boolean"],
        "degree": COUNT,
        "warm_start": ["boolean"],
    }

    fit_intercept: bool = True
    degree: int = 1
    class_weight: ClassWeight = None
    preprocess: Literal["auto"] | None = "auto"
    high_cardinality: float | None = 0.0
    warm_start: bool = False
    random_state: RandomState = 0

    coef_ = Learned[np.ndarray]("coef", shown=lambda self, coef: sp.csr_matrix(coef) if self._sparse_coef else coef)
    intercept_ = Learned[np.ndarray]("intercept")
    _sparse_coef = False
    encoded_names_: np.ndarray = field(init=False)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Return w·x + b for each row.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One value per row for two classes (positive is the second), else one per row and class.
        """
        matrix = self._encode(X)
        return check_finite(self._model().decision_function(matrix), DECISION_VALUES)

    def coefficients(self) -> Any:
        """Return the coefficients in the units of the table, one line per class and encoded column.

        Returns
        -------
        DataFrame
            ``class`` (a positive coefficient makes it more likely), ``name``, ``coefficient``; the intercept first.
        """
        check_is_fitted(self, "fitted_")
        rows = self.fitted_.coefficients()
        return as_frame({name: [row[name] for row in rows] for name in rows[0]})

    def sparsify(self) -> Self:
        """Show ``coef_`` as a sparse matrix from now on, for models with most coefficients at zero.

        Returns
        -------
        self
        """
        check_is_fitted(self, "fitted_")
        self._sparse_coef = True
        return self

    def densify(self) -> Self:
        """Show ``coef_`` as an array again.

        Returns
        -------
        self
        """
        check_is_fitted(self, "fitted_")
        self._sparse_coef = False
        return self

    def _takes_tables(self) -> bool:
        return self.preprocess is not None

    def _encoder(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> DenseEncoder:
        belief = learn_column_reliability(self, matrix, y, weight)
        return DenseEncoder.learn(
            matrix, weight, self.preprocess, reliability=belief, degree=self.degree, **self._encoding()
        )

    def _refuse_passes(self) -> None:
        super()._refuse_passes()
        refuse_products_in_passes(self.degree)

    def _encoding(self) -> dict[str, bool]:
        """Return further options of the encoder."""
        return {}

    def _present_weights(self) -> np.ndarray:
        """Return coefficients and intercepts, which a further chunk moves."""
        return np.column_stack([self._model().coef, self.intercept_])

    def _held_start(self, shape: tuple[int, int]) -> np.ndarray | None:
        """Return the coefficients and intercepts that a warm start goes on from."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef: Any = self.coef_
        held = np.column_stack([coef.toarray() if self._sparse_coef else coef, self.intercept_])
        if held.shape != shape:
            raise InputError(
                "warm-start-shape",
                "warm_start continues {before} functions of {before_columns} columns, but now there are "
                "{now} of {now_columns}. Fit a new estimator.",
                before=held.shape[0],
                before_columns=held.shape[1] - 1,
                now=shape[0],
                now_columns=shape[1] - 1,
            )
        if not np.isfinite(held).all():
            raise InputError(
                "warm-start-not-finite",
                "warm_start continues from coef_ and intercept_, which contain NaN or infinity. Fit a new estimator.",
            )
        return np.ascontiguousarray(held, dtype=np.float64)

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _model(self) -> LinearModel:
        model = self.fitted_.model
        assert isinstance(model, LinearModel)
        return model

    def _publish(self, model: LinearModel) -> LinearModel:
        """Set the fitted attributes of scikit-learn's linear classifiers."""
        self._sparse_coef = False
        for name in ("coef_", "intercept_"):  # what a user set before fitting was the start
            self.__dict__.pop(name, None)
        self.encoded_names_ = np.array(model.encoder.names, dtype=object)
        return model


def refuse_products_in_passes(degree: int) -> None:
    """Raise an error for products of columns, whose means are known after a pass of their own."""
    if degree > 1:
        raise NotSupportedError(
            "products-in-passes",
            "Products of columns need all rows in memory. Set {one} for a scanned table.",
            one=setting("degree", 1),
        )


def as_labels(codes: np.ndarray) -> np.ndarray:
    """Return class codes as the kernels take them."""
    return np.ascontiguousarray(codes, dtype=np.int32)
