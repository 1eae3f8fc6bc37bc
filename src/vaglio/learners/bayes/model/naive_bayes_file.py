"""A naive Bayes model as arrays and plain data, and back with every number checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.bayes.model.likelihood import (
    CATEGORY,
    INTERVAL,
    VALUE,
    GaussianGroup,
    KernelGroup,
    TableGroup,
    points_of,
)
from vaglio.learners.bayes.model.named_likelihood import NamedGroup
from vaglio.learners.bayes.model.quantiles import Quantiles
from vaglio.learners.bayes.model.text_likelihood import WordGroup
from vaglio.model import checks
from vaglio.model.base import State

if TYPE_CHECKING:
    from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel

# Group of attributes -> its arrays in the file, with their types.
_GROUPS: dict[str, dict[str, Any]] = {
    "gaussian": {"feature": np.int64, "mean": np.float64, "variance": np.float64},
    "table": {
        "feature": np.int64,
        "table_kind": np.int32,
        "size": np.int64,
        "count": np.float64,
        "point": np.float64,
        "values": np.int64,
    },
    "kernel": {
        "feature": np.int64,
        "bandwidth": np.float64,
        "start": np.int64,
        "value": np.float64,
        "weight": np.float64,
    },
    "named": {"feature": np.int64, "distribution": np.int32, "mean": np.float64, "variance": np.float64},
    "words": {"feature": np.int64, "vocabulary": np.int64, "count": np.float64, "length": np.float64},
}


def write(model: NaiveBayesModel) -> State:
    arrays = {"class_count": model.class_count, "prior": model.prior}
    for group, fields in _GROUPS.items():
        for name, dtype in fields.items():
            arrays[f"{group}_{name}"] = np.asarray(getattr(getattr(model, group), name), dtype=dtype)
    if (model.table.reliability < 1).any():
        arrays["table_reliability"] = model.table.reliability
    return {**arrays, **model.quantiles.state()}, {"alpha": float(model.table.alpha)}


def read(
    arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
) -> dict[str, Any]:
    alpha = check_alpha(meta)
    prior = check_prior(arrays, n_classes)
    class_count = checks.counts(arrays, "class_count", (n_classes,))
    groups: dict[str, Any] = {
        "gaussian": _read_gaussian(arrays, features, n_classes),
        "table": _read_table(arrays, features, n_classes, alpha),
        "kernel": _read_kernel(arrays, features, n_classes),
        "named": NamedGroup.from_state(arrays, features, n_classes),
        "words": _read_words(arrays, features, n_classes, alpha),
    }
    used = np.concatenate([group.feature for group in groups.values()])
    checks.need(len(np.unique(used)) == len(used), "an attribute occurs twice")
    quantiles = Quantiles.from_state(arrays, features, n_classes)
    return {"class_count": class_count, "prior": prior, "quantiles": quantiles, **groups}


def check_alpha(meta: dict[str, Any]) -> float:
    """Fetch the smoothing constant."""
    alpha = float(checks.number(meta, "alpha"))
    checks.need(0 <= alpha < checks.LARGEST, "the smoothing is impossible")
    return alpha


def read_reliability(arrays: dict[str, np.ndarray], name: str, size: int) -> np.ndarray:
    """Fetch how far each table is believed; where nothing is said, wholly."""
    if name not in arrays:
        return np.ones(size)
    found = checks.array(arrays, name, np.float64, (size,), finite=True)
    checks.need(((found >= 0) & (found <= 1)).all(), "how far a table is believed is impossible")
    return found


def check_prior(arrays: dict[str, np.ndarray], n_classes: int) -> np.ndarray:
    """Fetch priors: not negative, adding up to one."""
    checks.need(n_classes > 0, "it has no classes")
    prior = checks.array(arrays, "prior", np.float64, (n_classes,), finite=True)
    checks.need((prior >= 0).all() and abs(prior.sum() - 1) < 1e-6, "the priors do not add up to one")
    return prior


def _features(
    arrays: dict[str, np.ndarray], group: str, features: tuple[Feature, ...], kinds: tuple[str, ...]
) -> np.ndarray:
    index = checks.array(arrays, f"{group}_feature", np.int64, (None,))
    checks.within(index, 0, len(features), "the index of an attribute")
    checks.need(all(features[j].kind in kinds for j in index), "an attribute is of another kind than its likelihood")
    return index


def _read_gaussian(arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int) -> GaussianGroup:
    index = _features(arrays, "gaussian", features, ("numeric", "ordinal"))
    mean = checks.array(arrays, "gaussian_mean", np.float64, (len(index), k), finite=True)
    variance = checks.array(arrays, "gaussian_variance", np.float64, (len(index), k), finite=True)
    checks.need((variance > 0).all(), "a variance is not positive")
    return GaussianGroup(index, mean, variance)


def _read_table(arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int, alpha: float) -> TableGroup:
    index = _features(arrays, "table", features, ("numeric", "ordinal", "nominal"))
    kind = checks.array(arrays, "table_table_kind", np.int32, index.shape)
    checks.within(kind, CATEGORY, VALUE + 1, "the kind of a table")
    size = checks.array(arrays, "table_size", np.int64, index.shape)
    count = checks.counts(arrays, "table_count", (None,))
    point = checks.array(arrays, "table_point", np.float64, (None,), finite=True)
    checks.within(size, 0, len(count) + 1, "the size of a table")
    checks.need(int(size.sum()) * k == len(count), "the tables do not fit their counts")
    checks.need(int(points_of(kind, size).sum()) == len(point), "the tables do not fit their points")
    # Files of the first edition smooth over all declared values.
    values = checks.array(arrays, "table_values", np.int64, index.shape) if "table_values" in arrays else size
    checks.need(((values >= 0) & (values <= np.maximum(size, 1))).all(), "a table has more values than cells")
    reliability = read_reliability(arrays, "table_reliability", len(index))
    checks.need((kind[reliability < 1] == CATEGORY).all(), "a table of numbers is not believed")
    group = TableGroup(index, kind, size, count, point, alpha, k, values, reliability)
    for t, j in enumerate(index):
        nominal = features[j].is_nominal
        checks.need(nominal == (kind[t] == CATEGORY), "a table is of another kind than its attribute")
        checks.need(not nominal or size[t] == len(features[j].categories), "a table does not fit its categories")
        checks.need(kind[t] != INTERVAL or size[t] > 0, "an attribute has no interval")
        checks.need((np.diff(group.points(t)) >= 0).all(), "cut points do not ascend")
    return group


def _read_kernel(arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int) -> KernelGroup:
    index = _features(arrays, "kernel", features, ("numeric", "ordinal"))
    bandwidth = checks.array(arrays, "kernel_bandwidth", np.float64, (len(index), k), finite=True)
    checks.need((bandwidth > 0).all(), "a bandwidth is not positive")
    start = checks.array(arrays, "kernel_start", np.int64, (len(index) * k + 1,))
    value = checks.array(arrays, "kernel_value", np.float64, (None,), finite=True)
    weight = checks.counts(arrays, "kernel_weight", value.shape)
    checks.need(start[0] == 0 and start[-1] == len(value) and (np.diff(start) > 0).all(), "a density has no values")
    checks.need((weight > 0).all(), "a weight is not positive")
    ascends = np.diff(value) > 0
    ascends[start[1:-1] - 1] = True
    checks.need(ascends.all(), "the values of a density do not ascend")
    return KernelGroup(index, bandwidth, start, value, weight)


def _read_words(arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int, alpha: float) -> WordGroup:
    index = _features(arrays, "words", features, ("text",))
    vocabulary = checks.array(arrays, "words_vocabulary", np.int64, index.shape)
    known = [len(features[j].categories) for j in index]
    checks.need(vocabulary.tolist() == known, "the words do not fit the vocabulary")
    count = checks.counts(arrays, "words_count", (int(sum(known)) * k,))
    length = checks.array(arrays, "words_length", np.float64, (len(index), k), finite=True)
    checks.need((length >= 0).all() and (length < 1e9).all(), "the length of a document is impossible")
    return WordGroup(index, vocabulary, count, length, alpha)
