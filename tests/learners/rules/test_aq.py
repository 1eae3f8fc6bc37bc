from __future__ import annotations

import numpy as np
import pytest
from tests.tables import PLAY_X as X
from tests.tables import PLAY_Y as y

from vaglio import AQClassifier
from vaglio.errors import InputError


@pytest.mark.parametrize("seed", range(4))
def test_consistent_rules_on_the_play_table(seed):
    model = AQClassifier(min_accuracy=1.0, random_state=seed).fit(X, y)
    assert model.score(X, y) == 1
    assert all(rule.negatives == 0 for rule in model.rules())


def test_every_row_of_a_class_is_covered_by_its_rules():
    model = AQClassifier(min_accuracy=1.0).fit(X, y)
    rules = model.rules()
    labels = np.array(y)
    matrix = model.fitted_.codebook.encode(X)
    for label in ("N", "P"):
        covered = np.any([rule.match(matrix) for rule in rules if rule.label == label], axis=0)
        assert covered[labels == label].all()


def test_the_preference_decides_in_its_order():
    rng = np.random.default_rng(0)
    table = rng.random((120, 3))
    labels = ((table[:, 0] > 0.5) & (table[:, 1] > 0.5)).astype(int)
    pure = AQClassifier(preference=("negatives", "positives"), min_accuracy=1.0).fit(table, labels).rules()
    short = AQClassifier(preference=("conditions", "positives"), min_accuracy=0.5).fit(table, labels).rules()
    assert max(rule.negatives for rule in pure) == 0
    assert max(len(rule) for rule in short) <= max(len(rule) for rule in pure)
    with pytest.raises(InputError, match="There is no criterion"):
        AQClassifier(preference=("beauty",)).fit(table, labels)


def test_a_seed_that_nothing_tells_apart_gets_no_rule():
    table = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    labels = [0, 0, 1, 1, 1, 1]
    rules = AQClassifier(min_accuracy=1.0).fit(table, labels).rules()
    assert [str(rule) for rule in rules] == ["IF x0 <= 0.5 THEN 0", "IF x0 > 0.5 THEN 1"]


@pytest.mark.slow
def test_the_seeds_make_the_rules():
    rng = np.random.default_rng(3)
    table, labels = rng.random((150, 4)), rng.integers(0, 3, 150)
    one, again = (AQClassifier(random_state=5).fit(table, labels).rules() for _ in range(2))
    assert one == again
