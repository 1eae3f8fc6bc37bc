"""What scikit-learn has and does not publish.

No other module imports it, so that a version which moves or changes something is mended here. What a learner declares
of its parameters (``sklearn.utils._param_validation``) is imported where it is declared.
"""

from __future__ import annotations

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as effective_n_threads
from sklearn.utils.metaestimators import _BaseComposition as Composition
from sklearn.utils.multiclass import _check_partial_fit_first_call as check_partial_fit_first_call
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "Composition",
    "check_method_params",
    "check_partial_fit_first_call",
    "check_sample_weight",
    "effective_n_threads",
    "num_samples",
    "safe_indexing",
]
