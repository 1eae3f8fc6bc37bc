from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vaglio import RIPPERClassifier, RuleSet
from vaglio.fitted import Fitted

TEXT = """
CLASSES no, yes
CHOOSE {}
ROWS [no 10, yes 10]
IF age > 60 AND income <= 100 THEN yes [yes 5]
IF age > 40 AND member = true THEN no [no 4, yes 1]
IF income > 500 THEN yes [no 1, yes 3]
ELSE no [no 5, yes 1]
"""


def explain(resolution="first", **row):
    fitted = Fitted.from_rules(RuleSet.parse(TEXT.format(resolution)))
    return fitted.explain([{"age": None, "income": None, "member": None} | row])[0]


def test_the_rule_that_fired():
    said = explain(age=70.0, income=50.0, member=False)
    assert said.decision == "yes"
    assert [(r.text, r.feature, r.value) for r in said.reasons] == [
        ("age > 60", "age", 70.0),
        ("income <= 100", "income", 50.0),
    ]
    assert any("almost" in note and "not met: member" in note for note in said.notes)


def test_the_default_says_so():
    said = explain(age=20.0, income=50.0)
    assert said.decision == "no"
    assert not said.reasons
    assert "no rule fires, so the default decides: no" in said.notes


def test_what_would_change_it_really_does():
    said = explain(age=20.0, income=50.0, member=False)
    assert str(said.counterfactual) == "income were 501 instead of 50"
    assert said.counterfactual.decision == "yes"


def test_a_later_rule_that_also_fired_is_named():
    said = explain(age=70.0, income=50.0, member=True)
    assert any("also met, but not used" in note and "THEN no" in note for note in said.notes)


def test_votes_for_and_against():
    said = explain("vote", age=70.0, income=50.0, member=True)
    assert said.decision == "yes"
    assert len(said.reasons) == 1
    assert len(said.against) == 1
    assert said.probability == pytest.approx(0.6)


def test_every_counterfactual_of_a_learned_list_is_true():
    rng = np.random.default_rng(0)
    table = rng.random((200, 3)).round(2)
    labels = ((table[:, 0] > 0.6) | (table[:, 1] < 0.2)).astype(int)
    model = RIPPERClassifier().fit(table, labels)
    for row, said in zip(table[:40], model.explain(table[:40])):
        assert said.decision == model.predict(row[None])[0]
        assert said.counterfactual


def test_no_advice_leads_into_a_rule_that_no_value_meets():
    rules = RuleSet.parse("CLASSES no, yes\nCOLUMN c: u, v\nIF c = u AND age > 60 THEN yes\nELSE no")
    never = replace(rules[0].conditions[0], codes=frozenset())
    shut = replace(rules, entries=(replace(rules[0], conditions=(never, *rules[0].conditions[1:])),))
    (open_said,) = Fitted.from_rules(rules).explain([{"age": 70.0, "c": "v"}])
    (shut_said,) = Fitted.from_rules(shut).explain([{"age": 70.0, "c": "v"}])
    assert str(open_said.counterfactual) == "c were u instead of v"
    assert shut_said.counterfactual is None
