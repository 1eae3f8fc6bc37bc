"""The Bayes kernels against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from vaglio import _core


def rows(n: int, p: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, p)) * 3, 1)
    x[rng.random((n, p)) < 0.2] = np.nan
    return x, rng.integers(0, k, n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments(order: str, weighted: bool) -> None:
    x, y, w = rows(9000, 5, 3, 0)
    x = np.asarray(x + 1e7, order=order)
    weight, mean, deviation = _core.class_moments(x, y, w if weighted else None, 3, 2)
    repeated = np.repeat(np.arange(len(x)), w.astype(int)) if weighted else np.arange(len(x))
    for c in range(3):
        part = x[repeated][y[repeated] == c]
        np.testing.assert_allclose(weight[c], np.isfinite(part).sum(axis=0))
        np.testing.assert_allclose(mean[c], np.nanmean(part, axis=0), rtol=1e-14)
        np.testing.assert_allclose(deviation[c] / weight[c], np.nanvar(part, axis=0), rtol=1e-9)


def test_moments_do_not_depend_on_threads() -> None:
    x, y, w = rows(30_000, 4, 3, 1)
    for one, many in zip(_core.class_moments(x, y, w, 3, 1), _core.class_moments(x, y, w, 3, 3)):
        np.testing.assert_array_equal(one, many)


def test_code_counts_leave_missing_and_unknown_codes_out() -> None:
    codes = np.array([[0, 2], [1, -1], [0, 7]], dtype=np.int32)
    flat = _core.code_counts(codes, np.array([2, 3]), np.array([0, 1, 1]), None, 2, 1)
    assert flat[:4].reshape(2, 2).tolist() == [[1, 0], [1, 1]]
    assert flat[4:].reshape(2, 3).tolist() == [[0, 0, 1], [0, 0, 0]]


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 4))
@example(668, 58, 2)  # two cuts that are mirror images of each other
@settings(max_examples=40, deadline=None)
def test_mdl_finds_the_cuts_of_the_definition(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, n).astype(float)
    y = np.clip((x / 12 * k + rng.normal(0, 0.3, n)).astype(int), 0, k - 1).astype(np.int64)
    counts = _core.value_counts(x[:, None], y, None, k, 1)[0]
    np.testing.assert_allclose(_core.mdl_cuts(*counts, k), sorted(cuts_by_definition(x, y)))


def cuts_by_definition(x: np.ndarray, y: np.ndarray) -> list[float]:
    """Fayyad and Irani, word by word."""

    def entropy(labels: np.ndarray) -> float:
        p = np.unique(labels, return_counts=True)[1] / len(labels)
        return float(-(p * np.log2(p)).sum())

    values = np.unique(x)
    middles = (values[1:] + values[:-1]) / 2
    if not len(middles):
        return []
    after = [(np.sum(x < t) * entropy(y[x < t]) + np.sum(x >= t) * entropy(y[x >= t])) / len(x) for t in middles]
    best = int(np.flatnonzero(np.array(after) <= min(after) + 1e-12)[0])
    t = middles[best]
    left, right = y[x < t], y[x >= t]
    k, k1, k2 = (len(np.unique(part)) for part in (y, left, right))
    gain = entropy(y) - after[best]
    delta = np.log2(3.0**k - 2) - (k * entropy(y) - k1 * entropy(left) - k2 * entropy(right))
    if not gain > (np.log2(len(x) - 1) + delta) / len(x):
        return []
    return [t, *cuts_by_definition(x[x < t], left), *cuts_by_definition(x[x >= t], right)]


def test_weights_count_as_repetitions_in_mdl() -> None:
    x, y, w = rows(300, 1, 2, 4)
    y = (np.nan_to_num(x[:, 0]) + y > 0.5).astype(np.int64)
    again = np.repeat(np.arange(300), w.astype(int))
    weighted = _core.value_counts(x, y, w, 2, 1)[0]
    repeated = _core.value_counts(x[again], y[again], None, 2, 1)[0]
    np.testing.assert_array_equal(_core.mdl_cuts(*weighted, 2), _core.mdl_cuts(*repeated, 2))


def test_kernel_density_is_exact() -> None:
    rng = np.random.default_rng(5)
    values, weights = np.sort(rng.normal(size=500)), rng.random(500) + 0.1
    queries = np.concatenate([rng.normal(size=50) * 3, [1e6, -80.0]])
    for bandwidth in (0.001, 0.1, 5.0):
        exact = logsumexp(-0.5 * ((queries[:, None] - values) / bandwidth) ** 2, b=weights, axis=1)
        exact -= np.log(weights.sum() * bandwidth * np.sqrt(2 * np.pi))
        found = _core.kernel_log_density(queries, values, weights, bandwidth, 1)
        np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-12)


def test_bad_arguments_are_refused() -> None:
    x, y = np.zeros((3, 1)), np.array([0, 1, 2])
    with pytest.raises(ValueError, match="out of range"):
        _core.class_moments(x, y, None, 2, 1)
    with pytest.raises(ValueError, match="one label per row"):
        _core.class_moments(x, y[:2], None, 3, 1)
    with pytest.raises(ValueError, match="ascend"):
        _core.kernel_log_density(x[:, 0], np.array([2.0, 1.0]), np.ones(2), 1.0, 1)
    term = [np.array([1], np.int32), np.array([0], np.int32), np.array([9]), np.array([0]), np.zeros(2)]
    with pytest.raises(ValueError, match="impossible"):
        _core.naive_bayes_joint(x, np.zeros((3, 1), np.int32), np.zeros(2), *term, 1)
