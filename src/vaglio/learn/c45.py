"""C4.5 (Quinlan 1993), with the numeric correction of its release 8."""

from __future__ import annotations

from vaglio.learn._preset import preset
from vaglio.learn.decision_tree import DecisionTreeClassifier


@preset(
    criterion="gain_ratio",
    nominal_split="multiway",
    missing="fractional",
    min_samples_leaf=2,
    pruning="error_based",
)
class C45Classifier(DecisionTreeClassifier):
    """C4.5: gain ratio, one branch per value, missing values shared out over the branches, error-based pruning.

    A :class:`DecisionTreeClassifier` with other defaults: ``criterion="gain_ratio"``, ``nominal_split="multiway"``,
    ``missing="fractional"``, ``min_samples_leaf=2``, ``pruning="error_based"`` at ``confidence_factor=0.25``. A
    numeric split pays for the number of thresholds it was chosen from, and leaves more rows on either side where
    there are many.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> len(vaglio.C45Classifier().fit(X, y).rules())
    5
    """

    _learner_id = "c45"
    _reuse_nominal = False
    _c45_numeric = True
    _require_gain = True
