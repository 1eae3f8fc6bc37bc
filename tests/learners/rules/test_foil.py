from __future__ import annotations

import numpy as np
import pytest
from tests.tables import PLAY_X as X
from tests.tables import PLAY_Y as y

from vaglio import FOILClassifier
from vaglio.encode import Codebook
from vaglio.learners.rules.estimators.condition_scorer import ConditionScorer
from vaglio.learners.rules.estimators.foil import covering_bits, rule_bits


def test_gains_on_the_play_table():
    matrix = Codebook.learn(X).encode(X)
    scorer = ConditionScorer(matrix, np.array([label == "P" for label in y]).astype(int), None, 2)
    found = scorer.best(scorer.all_rows(), "foil_gain", target=1, keep=20)
    gains = {str(scorer.condition(each.condition)): each.score for each in found}
    assert gains["outlook = overcast"] == pytest.approx(2.5497, abs=5e-5)
    assert gains["humidity = normal"] == pytest.approx(2.4902, abs=5e-5)
    assert next(iter(gains)) == "outlook = overcast"


def test_rules_of_the_play_table():
    model = FOILClassifier().fit(X, y)
    assert model.score(X, y) == 1
    assert [str(rule) for rule in model.rules()] == [
        "IF humidity = high AND outlook = sunny THEN N",
        'IF outlook = rain AND windy = "true" THEN N',
        "IF outlook = overcast THEN P",
        'IF humidity = normal AND windy = "false" THEN P',
    ]


def test_a_rule_below_the_quality_threshold_is_given_up():
    x = np.zeros((10, 1))
    x[:5] = 1
    labels = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1])  # x > 0.5 is right in three of five rows
    strict = FOILClassifier(min_accuracy=0.7, encoding_limit=False).fit(x, labels)
    loose = FOILClassifier(min_accuracy=0.6, encoding_limit=False).fit(x, labels)
    assert not [rule for rule in strict.rules() if rule.label == 1]
    assert [str(rule) for rule in loose.rules() if rule.label == 1] == ["IF x0 > 0.5 THEN 1"]


def test_encoding_lengths():
    # Choosing 2 of 4 rows: log2(4) for the number, log2(6) for which.
    assert covering_bits(4, 2) == pytest.approx(2 + np.log2(6))
    matrix = Codebook.learn(X).encode(X)
    scorer = ConditionScorer(matrix, np.zeros(14, dtype=int), None, 1)
    # Ten values in four columns; two conditions in either order.
    assert rule_bits(scorer, np.ones(4), 2) == pytest.approx(2 * (1 + np.log2(10)) - 1)
    # Without Outlook and its three values.
    assert rule_bits(scorer, np.array([0, 1, 1, 1]), 2) == pytest.approx(2 * (1 + np.log2(7)) - 1)


def test_the_encoding_limit_shortens_rules():
    rng = np.random.default_rng(0)
    noise = rng.random((200, 5))
    labels = rng.integers(0, 2, 200)
    free = FOILClassifier(encoding_limit=False, min_accuracy=0.5).fit(noise, labels).rules()
    held = FOILClassifier(encoding_limit=True, min_accuracy=0.5).fit(noise, labels).rules()
    assert held.size()["conditions"] < free.size()["conditions"]
