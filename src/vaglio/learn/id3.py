"""ID3 (Quinlan 1986)."""

from __future__ import annotations

from vaglio.learn._preset import preset
from vaglio.learn.decision_tree import DecisionTreeClassifier


@preset(criterion="entropy", nominal_split="multiway", missing="branch")
class ID3Classifier(DecisionTreeClassifier):
    """ID3: information gain, one branch per value, no pruning.

    A :class:`DecisionTreeClassifier` with other defaults: ``criterion="entropy"``, ``nominal_split="multiway"``,
    ``missing="branch"``. A nominal column is not tested again below a node that tested it; a numeric column may be,
    with the branches < t and ≥ t; there is no split without a positive gain.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> vaglio.ID3Classifier().fit(X, y).score(X, y)
    1.0
    """

    _learner_id = "id3"
    _reuse_nominal = False
    _strict = True
    _require_gain = True
