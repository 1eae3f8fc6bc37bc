"""A number in a model file that is just beyond what is possible is refused, with the sentence for that fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.fitted.one_per_kind import model
from tests.hostile.model_file import reloaded

from vaglio.errors import ModelFileError

# Model, entry (an array, or with a colon a word of the description), place in the array, value, what is said.
FAULTS: list[tuple[str, str, Any, Any, str]] = [
    ("svm", ":scheme", None, "ovx", "how its machines vote"),
    ("svm", ":shape", None, "ovx", "how its machines vote"),
    ("svm", ":kernel", None, "cubic", "the kernel is unknown"),
    ("svm", ":degree", None, -1, "a kernel parameter is impossible"),
    ("svm", ":degree", None, 1001, "a kernel parameter is impossible"),
    ("svm", ":kernel", None, "linear", "the weight vector does not belong"),
    ("svm", "support", 0, -1, "a support vector is out of range"),
    ("svm", "class_starts", 0, 1, "not sorted by class"),
    ("svm", "class_starts", -1, 0, "not sorted by class"),
    ("svm", "class_starts", 1, 99, "not sorted by class"),
    ("svm", "vectors", slice(1, None), None, "a support vector is missing"),
    ("svm", "intercept", 0, np.nan, "not finite"),
    ("linear svm", ":kernel", None, "rbf", "the weight vector does not belong"),
    ("forest", "starts", 0, 1, "the trees do not fill the forest"),
    ("forest", "starts", -1, 999, "the trees do not fill the forest"),
    ("forest", "starts", 1, 0, "the trees do not fill the forest"),
    ("forest", "starts", slice(1), None, "the forest has no trees"),
    ("forest", "link", 0, 1 << 30, "the children of a node are impossible"),
    ("forest", "link", 0, 0, "the children of a node are impossible"),
    ("forest", "link", 0, 2, "do not form trees"),
    ("forest", "link", -1, -(1 << 30), "the content of a leaf is out of range"),
    ("forest", "leaves", (0, 0), -1.0, "a leaf has impossible class weights"),
    ("forest", "leaves", 0, 0.0, "a leaf has impossible class weights"),
    ("forest", "threshold", 0, np.nan, "a threshold is not a number"),
    ("forest", "feature", 0, 2, "the feature of a test is out of range"),
    ("forest", "tables", slice(0), None, "a category table is out of range"),
    ("forest", "importances", 0, np.inf, "not finite"),
    ("forest", ":regression", None, True, "do not fit each other"),
    ("boosted", ":link", None, "cubic", "the link of its scores is unknown"),
    ("boosted", ":link", None, "logit", "its link and its classes do not fit"),
    ("boosted", ":link", None, "identity", "its link and its classes do not fit"),
    ("boosted", "baseline", 0, np.nan, "not finite"),
    ("boosted", "baseline", 0, -1e300, "impossible"),
    ("boosted", "baseline", slice(2), None, "'baseline' has the shape"),
    ("boosted", "leaves", (0, 0), 1e300, "the values of its leaves are impossible"),
    ("boosted", "leaves", (0, 0), -1.7e308, "the values of its leaves are impossible"),
    ("boosted", "leaves", (0, 1), -1.0, "a leaf has an impossible weight"),
    ("boosted", "leaves", (0, 1), 1e200, "a leaf has an impossible weight"),
    ("boosted", "link", 0, 0, "the children of a node are impossible"),
    ("boosted", "link", -1, -(1 << 30), "the content of a leaf is out of range"),
    ("boosted", "starts", 1, 0, "the trees do not fill the forest"),
    ("boosted", "threshold", 0, np.nan, "a threshold is not a number"),
    ("boosted", "feature", 0, 2, "the feature of a test is out of range"),
    ("ensemble", ":vote", None, "loud", "its vote is unknown"),
    ("ensemble", ":vote", None, "mean", "its vote is unknown"),
    ("ensemble", ":members", None, [], "the ensemble has no members"),
    ("ensemble", ":members.0.weight", None, -1.0, "the weight of a member is impossible"),
    ("ensemble", ":members.0.weight", None, 1e150, "the weights of its members are impossible"),
    ("ensemble", ":members.0.kind", None, "ensemble", "an ensemble is a member of an ensemble"),
    ("ensemble", ":members.0.kind", None, "what", "unknown kind"),
    ("ensemble", ":members.0.model", None, None, "a member is not described"),
    ("ensemble", ":members.0", None, None, "a member is not described"),
    ("ensemble", "0:classes", 0, 1, "a member lists a class twice"),
    ("ensemble", "0:classes", slice(0, 2), [1, 0], "not in order"),
    ("ensemble", "0:classes", 0, 3, "a class of a member is out of range"),
    ("ensemble", "0:classes", 0, -1, "a class of a member is out of range"),
    ("ensemble", "0:classes", slice(0), None, "a member knows no class"),
    ("some columns", "0:features", 0, 2, "a column of a member is out of range"),
    ("some columns", "0:features", 0, -1, "a column of a member is out of range"),
    ("some columns", "0:features", slice(0), None, "the columns of a member are not in order"),
    ("voting", ":names", None, ["a", "a"], "two of its members have the same name"),
    ("voting", ":names", None, ["a"], "its members have no names"),
    ("voting", ":names", None, ["a", 2], "its members have no names"),
    ("neighbors", "numeric", (1, 0), np.inf, "a stored number is not finite"),
    ("neighbors", "codes", (1, 0), 3, "a stored category is out of range"),
    ("neighbors", "codes", (1, 0), -2, "a stored category is out of range"),
    ("neighbors", "target", 1, 3, "a stored class is out of range"),
    ("neighbors", "target", 1, -1, "a stored class is out of range"),
    ("neighbors", "scale", 0, 0.0, "a scale is not positive"),
    ("neighbors", ":k", None, 0, "its number of neighbours or its metric is impossible"),
    ("neighbors", ":k", None, 1 << 32, "its number of neighbours or its metric is impossible"),
    ("neighbors", ":power", None, 0.0, "its number of neighbours or its metric is impossible"),
    ("neighbors", ":metric", None, "taxi", "its metric or its vote is unknown"),
    ("neighbors", ":vote", None, "loud", "its metric or its vote is unknown"),
    ("neighbors", ":search", None, "far", "its metric or its vote is unknown"),
    ("naive-bayes", ":alpha", None, -0.5, "the smoothing is impossible"),
    ("naive-bayes", ":alpha", None, 1e150, "the smoothing is impossible"),
    ("naive-bayes", "prior", 0, -1.0, "the priors do not add up to one"),
    ("naive-bayes", "prior", 0, 0.99, "the priors do not add up to one"),
    ("naive-bayes", "class_count", 0, -1.0, "impossible counts"),
    ("naive-bayes", "table_table_kind", 0, -1, "the kind of a table is out of range"),
    ("naive-bayes", "table_table_kind", 0, 9, "the kind of a table is out of range"),
    ("naive-bayes", "table_feature", 0, 2, "the index of an attribute is out of range"),
    ("naive-bayes", "table_feature", 0, -1, "the index of an attribute is out of range"),
    ("naive-bayes", "table_feature", slice(None), 1, "a table is of another kind|an attribute occurs twice"),
    ("naive-bayes", "table_size", 0, -1, "the size of a table is out of range"),
    ("naive-bayes", "table_size", 0, 7, "the tables do not fit their counts"),
    ("naive-bayes", "table_values", 0, -1, "a table has more values than cells"),
    ("naive-bayes", "table_values", 0, 99, "a table has more values than cells"),
    ("naive-bayes", "table_count", 0, -1.0, "impossible counts"),
    ("naive-bayes", "quantiles_share", 0, 1.5, "a quantile is beyond 0 and 1"),
    ("naive-bayes", "quantiles_share", 0, -0.5, "a quantile is beyond 0 and 1"),
    ("naive-bayes", "quantiles_share", 1, 1.0, "quantiles do not ascend"),
    ("naive-bayes", "quantiles_value", 0, 99.0, "quantiles do not ascend"),
    ("naive-bayes", "quantiles_start", 0, 1, "the quantiles do not fit the columns"),
    ("naive-bayes", "quantiles_start", -1, 1, "the quantiles do not fit the columns"),
    ("naive-bayes", "quantiles_start", 1, 999, "the quantiles do not fit the columns"),
    ("naive-bayes", "quantiles_feature", 0, 1, "a column without numbers has quantiles"),
    ("naive-bayes", "quantiles_feature", 0, 2, "the index of an attribute is out of range"),
    ("gaussian", "gaussian_variance", (0, 0), 0.0, "a variance is not positive"),
    ("gaussian", "gaussian_feature", 0, 1, "an attribute is of another kind than its likelihood"),
    ("gaussian", "gaussian_mean", (0, 0), np.inf, "not finite"),
    ("kde", "kernel_bandwidth", (0, 0), 0.0, "a bandwidth is not positive"),
    ("kde", "kernel_start", 0, 1, "a density has no values"),
    ("kde", "kernel_start", -1, 1, "a density has no values"),
    ("kde", "kernel_start", 1, 0, "a density has no values"),
    ("kde", "kernel_weight", 0, 0.0, "a weight is not positive"),
    ("kde", "kernel_value", 0, 99.0, "the values of a density do not ascend"),
    ("bayes-net", ":parents", None, [[]], "the network does not fit the columns"),
    ("bayes-net", ":parents", None, [[1], [0]], "the network has a cycle"),
    ("bayes-net", ":parents", None, [[2], []], "the network has an edge from nowhere"),
    ("bayes-net", ":parents", None, [[1, 1], []], "the network has an edge from nowhere"),
    ("bayes-net", "bins_size", 0, 0, "the number of cells is out of range"),
    ("bayes-net", "bins_size", 1, 2, "the cells do not fit the columns"),
    ("bayes-net", "bins_size", 0, 99, "the cut points do not fit the cells"),
    ("bayes-net", "bins_n_values", 0, 0, "a column has more values than cells"),
    ("bayes-net", "bins_n_values", 0, 99, "a column has more values than cells"),
    ("bayes-net", "bins_point", 0, 99.0, "cut points do not ascend"),
    ("joint-bayes", "cell", (0, 0), -1, "a cell is out of range"),
    ("joint-bayes", "cell", (0, 1), 3, "a cell is out of range"),
    ("joint-bayes", "count", (0, 0), -1.0, "impossible counts"),
    ("gaussian-mixture", "start", 0, 1, "the components do not fit the classes"),
    ("gaussian-mixture", "start", -1, 0, "the components do not fit the classes"),
    ("gaussian-mixture", "start", 1, 0, "a class has no component"),
    ("gaussian-mixture", "weight", 0, 0.0, "a class has no component"),
    ("gaussian-mixture", "covariance", (0, 0, 0), -1.0, "not positive definite"),
    ("gaussian-mixture", "feature", 0, 1, "a density is over a column without numbers"),
    ("gaussian-mixture", "feature", 0, 2, "the index of an attribute is out of range"),
    ("bernoulli-nb", "count", (0, 0), 99.0, "a count is larger than its total"),
    ("mlp", ":layers", None, 0, "the number of layers is impossible"),
    ("mlp", ":layers", None, 1001, "the number of layers is impossible"),
    ("mlp", ":activation", None, "step", "the activation is unknown"),
    ("rules", "rule_code", 0, 3, "the class of a rule is out of range"),
    ("rules", "rule_code", 0, -1, "the class of a rule is out of range"),
    ("rules", "rule_weights", (0, 0), -1.0, "a class has an impossible weight"),
    ("rules", "rule_covered", (0, 0), -1.0, "a class has an impossible weight"),
    ("rules", "default", 0, -1.0, "a class has an impossible weight"),
    ("rules", "totals", 0, -1.0, "a class has an impossible weight"),
    ("rules", "kind", 0, 4, "a kind of condition is out of range"),
    ("rules", "kind", 0, 3, "a linear condition is not finite"),
    ("rules", "missing", 0, -0.1, "a share of missing values is impossible"),
    ("rules", "missing", 0, 1.1, "a share of missing values is impossible"),
    ("rules", "column", 0, 2, "a column is out of range"),
    ("rules", "column", 0, -1, "a column is out of range"),
    ("rules", "detail", 0, np.nan, "a bound is not a number"),
    ("rules", "rule_start", 0, 1, "'rule_start' is out of range"),
    ("rules", "rule_start", -1, 99, "'rule_start' is out of range"),
    ("rules", "detail_start", 1, 99, "'detail_start' is out of range"),
    ("rules", "column_start", 0, 1, "'column_start' is out of range"),
    ("rules", ":resolution", None, "fight", "the resolution of the rules is unknown"),
    ("rules", ":smoothing", None, "sand", "no smoothing 'sand'"),
]


def put(body: dict[str, Any], arrays: dict[str, np.ndarray], entry: str, place: Any, value: Any) -> None:
    """Change one number, cut an array (a slice without a value), or change one word of the description."""
    if entry.startswith(":"):
        *way, last = entry[1:].split(".")
        inside: Any = body["model"]
        for step in way:
            inside = inside[int(step) if step.isdecimal() else step]
        inside[int(last) if last.isdecimal() else last] = value
    elif value is None:
        arrays[entry] = arrays[entry][place].copy()
    else:
        arrays[entry][place] = value


@pytest.mark.parametrize(("kind", "entry", "place", "value", "message"), FAULTS)
def test_one_number_that_is_impossible(kind: str, entry: str, place: Any, value: Any, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as refused:
        reloaded(model(kind), lambda body, arrays: put(body, arrays, entry, place, value))
    assert str(refused.value).endswith(".")
    assert not str(refused.value).endswith("..")
