"""The condition kernel against every condition scored one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.model.rule_trees import FEATURES, random_matrix

from vaglio.encode import EncodedMatrix
from vaglio.learners.rules.estimators.condition_scorer import (
    ABOVE,
    AT_MOST,
    EQUAL,
    IN_REACH,
    MEASURES,
    ONE_OF,
    SIGNIFICANT,
    UNEQUAL,
    ConditionScorer,
    KernelCondition,
)
from vaglio.learners.rules.trace.covering import likelihood_ratio

ALL_TESTS = 0x1F


def entropy(counts: np.ndarray) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())


def score(measure: str, counts: np.ndarray, before: np.ndarray, target: int, m: float, prior: np.ndarray) -> float:
    p, n, k = counts[target], counts.sum(), len(counts)
    if measure == "foil_gain":
        return p * (math.log2(p / n) - math.log2(before[target] / before.sum())) if p > 0 else 0.0
    if measure == "target_laplace":
        return (p + 1) / (n + k)
    if measure == "target_m-estimate":
        return (p + m * prior[target]) / (n + m)
    if measure == "target_entropy":
        lesser = 2 * p < n
        return entropy(np.array([p, n - p])) - 2 if lesser else -entropy(np.array([p, n - p]))
    if measure == "difference":
        return 2 * p - n
    if measure == "entropy":
        return -entropy(counts)
    if measure == "laplace":
        return (counts.max() + 1) / (n + k)
    return float(((counts + m * prior) / (n + m)).max())


def every_condition(scorer: ConditionScorer, rows: np.ndarray) -> list[KernelCondition]:
    """All thresholds between neighbouring values of the rows, all values equal or not; no sets."""
    conditions: list[KernelCondition] = []
    matrix = scorer.matrix
    n_numeric = len(matrix.numeric_features)
    for column, feature in enumerate(scorer.features):
        position = matrix.position[feature]
        if column < n_numeric:
            values = matrix.ranks().values[position]
            present = np.unique(matrix.numeric[rows, position])
            present = present[~np.isnan(present)]
            for low, high in itertools.pairwise(present):
                cut = int(np.searchsorted(values, low / 2 + high / 2, side="right")) - 1
                conditions += [(column, test, cut, low / 2 + high / 2, []) for test in (AT_MOST, ABOVE)]
        else:
            codes = matrix.codes[rows, position]
            for code in np.unique(codes[codes >= 0]).tolist():
                conditions += [(column, test, code, 0.0, []) for test in (EQUAL, UNEQUAL)]
    return conditions


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), weighted=st.booleans(), measure=st.sampled_from(MEASURES))
def test_the_best_condition_is_the_best_of_all(seed, n, weighted, measure):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, n)
    y = rng.integers(0, 3, n)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    scorer = ConditionScorer(matrix, y, weight, 3)
    rows = np.flatnonzero(rng.random(n) < 0.8).astype(np.uint32)
    before = scorer.class_weights(rows)
    target = int(rng.integers(3))
    if before[target] == 0:
        return
    prior = before / before.sum()
    allowed = np.full(len(scorer.features), ALL_TESTS & ~(1 << ONE_OF), dtype=np.uint8)
    found = scorer.best(rows, measure, target=target, m=1.5, priors=prior, keep=4, allowed=allowed)
    expected = []
    for condition in every_condition(scorer, rows):
        met = scorer.condition(condition).match(matrix)[rows]
        counts = scorer.class_weights(rows[met])
        assert (scorer.meeting(rows, condition) == rows[met]).all()
        if 0 < counts.sum() < before.sum():
            expected.append(score(measure, counts, before, target, 1.5, prior))
    expected = sorted(expected, reverse=True)[:4]
    np.testing.assert_allclose([each.score for each in found], expected, atol=1e-9)
    for each in found:
        counts = scorer.class_weights(scorer.meeting(rows, each.condition))
        assert counts.sum() == pytest.approx(each.weight)
        assert score(measure, counts, before, target, 1.5, prior) == pytest.approx(each.score, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
@example(seed=130020)
def test_no_set_of_values_is_better_than_the_one_found(seed):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, 50)
    y = rng.integers(0, 2, 50)
    scorer = ConditionScorer(matrix, y, None, 2)
    rows = scorer.all_rows()
    column = 3  # "colour", six values
    allowed = np.zeros(len(scorer.features), dtype=np.uint8)
    allowed[column] = 1 << EQUAL | 1 << ONE_OF
    best = scorer.best(rows, "foil_gain", target=1, allowed=allowed)
    before = scorer.class_weights(rows)
    scores = []
    for bits in range(1, 64):
        codes = [code for code in range(6) if bits >> code & 1]
        counts = scorer.class_weights(scorer.meeting(rows, (column, ONE_OF, 0, 0.0, codes)))
        scores.append(score("foil_gain", counts, before, 1, 0, before))
    # All values together only tell rows with a value from those without: no test. Where they would win, nothing is
    # promised about the sets that leave a value out.
    assume(scores.pop() < max(scores))
    assert max(scores) == pytest.approx(best[0].score if best else 0.0, abs=1e-9)


def test_conditions_meet_the_seed_and_exclude_the_other_row():
    rng = np.random.default_rng(0)
    matrix = random_matrix(rng, 80)
    scorer = ConditionScorer(matrix, rng.integers(0, 2, 80), None, 2)
    allowed = np.full(len(FEATURES), ALL_TESTS, dtype=np.uint8)
    for seed, other in ((0, 1), (2, 3), (4, 5)):
        found = scorer.best(
            scorer.all_rows(), "target_laplace", keep=500, allowed=allowed, meets_row=seed, excludes_row=other
        )
        assert found
        for each in found:
            met = scorer.meeting(np.array([seed, other], dtype=np.uint32), each.condition)
            assert met.tolist() == [seed]


def test_any_number_of_threads_finds_the_same():
    rng = np.random.default_rng(1)
    matrix = random_matrix(rng, 20000)
    y = rng.integers(0, 3, 20000)
    weight = rng.random(20000)
    one, two = (ConditionScorer(matrix, y, weight, 3, threads=threads) for threads in (1, 2))
    for measure in ("foil_gain", "entropy"):
        options = {"keep": 20, "target": 1}
        assert one.best(one.all_rows(), measure, **options) == two.best(two.all_rows(), measure, **options)


def test_walking_a_long_column_finds_what_counting_finds():
    # Columns of more than 65 536 values are walked in their order when only the best gain is asked for.
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(70_000, 2))
        table[rng.random(table.shape) < 0.03 * (seed % 2)] = np.nan
        y = ((np.nan_to_num(table[:, 0]) > 0.3) ^ (rng.random(len(table)) < 0.2)).astype(int)
        scorer = ConditionScorer(EncodedMatrix.from_arrays(table), y, None, 2)
        rows = np.flatnonzero(rng.random(len(table)) < (0.2, 0.9)[seed // 2]).astype(np.uint32)
        walked = scorer.best(rows, "foil_gain", target=1)
        counted = scorer.best(rows, "foil_gain", target=1, keep=2)
        assert walked[0] == counted[0]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 60), measure=st.sampled_from(["entropy", "target_laplace"]))
def test_significant_is_what_the_likelihood_ratio_says(seed, n, measure):
    rng = np.random.default_rng(seed)
    matrix, y = random_matrix(rng, n), rng.integers(0, 3, n)
    scorer = ConditionScorer(matrix, y, None, 3)
    rows, target = scorer.all_rows(), int(y[0])
    prior = scorer.class_weights(rows) / n
    limits = {"min_ratio": 5.0, "min_ratio_of_one": 3.0, "few": 3.0}
    options = {"target": target, "priors": prior, "keep": 100, **limits}
    found = scorer.best(rows, measure, proof=IN_REACH, **options)
    for each in found:
        counts = scorer.class_weights(scorer.meeting(rows, each.condition))
        one_class, needed = measure != "entropy" or counts.sum() < 3, 5.0
        if one_class:
            picked = [target] if measure != "entropy" else np.flatnonzero(counts == counts.max()).tolist()
            ratios = [
                likelihood_ratio(np.array([counts[c], counts.sum() - counts[c]]), np.array([prior[c], 1 - prior[c]]))
                for c in picked
                if counts[c] >= prior[c] * counts.sum()
            ]
            ratio, needed = max(ratios, default=-1.0), 3.0
        else:
            ratio = likelihood_ratio(counts, prior)
        assume(abs(ratio - needed) > 1e-9)
        assert each.significant == (ratio >= needed)
    # Asked for alone, the best significant one is the first of all that are.
    best = scorer.best(rows, measure, proof=SIGNIFICANT, **{**options, "keep": 1})
    assert [each.score for each in best] == [each.score for each in found if each.significant][:1]
