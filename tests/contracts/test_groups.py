"""Rows of one group stay together wherever rows are divided."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation import evaluate_by_folds
from vaglio.evaluation.rows import Rows
from vaglio.evaluation.selection.splits import SplitRules
from vaglio.evaluation.training import EvaluationPlan, evaluate_learner

PEOPLE = 40


def table():
    """Five rows of each customer, whose class only the customer decides; one column tells the customers apart."""
    rng = np.random.default_rng(0)
    who = rng.permutation(np.repeat(np.arange(PEOPLE), 5))
    gone = rng.random(PEOPLE) < 0.4
    columns = {"customer": [f"c{at}" for at in who], "place": who * 1.0, "gone": np.where(gone[who], "yes", "no")}
    return vaglio.Table.from_any(columns)


def grouped():
    return table().with_roles({"customer": "group", "gone": "target"})


def test_a_group_is_no_input_and_no_split_divides_it():
    rows = Rows.of(grouped())
    who = grouped().groups
    assert rows.columns == ["place"]
    parts = [*rows.folds(5, SplitRules()), rows.split(0.3, SplitRules(seed=4)), *rows.folds(3, SplitRules(), repeats=2)]
    train = rows.split(0.5, SplitRules())[0]
    parts += rows.folds(4, SplitRules(), within=train)
    inner = rows.take(train)
    parts += [(train[some], train[others]) for some, others in inner.folds(3, SplitRules())]
    for some, others in parts:
        assert not set(who[some]) & set(who[others])
    assert "groups kept together" in rows.describe(SplitRules())["divided"]


@pytest.mark.parametrize("learner", ["cart", "knn"])
def test_an_estimate_by_customers_is_lower_than_one_that_knows_them(learner):
    alone = vaglio.evaluate(learner, table().select(["place", "gone"]), "gone", folds=5)
    together = vaglio.evaluate(learner, grouped(), folds=5)
    assert together.accuracy.value < alone.accuracy.value - 0.2


@pytest.mark.slow
def test_every_way_to_evaluate_keeps_them_together():
    learners, plain = {"learners": ["cart"]}, {"noise": (), "missing": (), "sizes": ()}
    compared = vaglio.compare(grouped(), "gone", ["cart", "knn"], folds=5, **plain).to_rows()
    study = vaglio.Study(grouped(), "gone", **learners, strategy="quick").run(progress=False)
    selected = [
        vaglio.select(grouped(), "gone", **learners, search="none", **how) for how in ({"outer_folds": 4}, {"folds": 3})
    ]
    evaluations = [
        evaluate_by_folds(vaglio.CARTClassifier(), grouped(), "gone", n_splits=5),
        evaluate_learner(vaglio.CARTClassifier(), grouped(), None, EvaluationPlan(holdout=0.4)),
        study.evaluation,
        *(each.evaluation for each in selected),
    ]
    assert max(compared[0]["accuracy"], *(each.accuracy.value for each in evaluations)) < 0.85


def test_groups_that_cannot_be_kept_together_are_refused():
    with pytest.raises(InputError, match="40 groups cannot be divided into 41 parts"):
        Rows.of(grouped()).folds(41, SplitRules())
    with pytest.raises(NotSupportedError, match="would divide groups"):
        evaluate_learner(vaglio.C45Classifier(), grouped(), None, EvaluationPlan(leave_one_out=True))


def test_a_missing_group_is_one_of_its_own():
    found = vaglio.Table.from_any({"g": ["a", None, "a", None], "x": [1.0, 2, 3, 4]}).with_roles({"g": "group"}).groups
    assert found[0] == found[2]
    assert len(set(found.tolist())) == 3


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--learner", "c45", "--folds", "5"],
        ["train", "--learner", "c45", "--holdout", "0.3", "--out", "m.vaglio"],
        ["select", "--learner", "c45", "--search", "none", "--folds", "4", "--out", "m.vaglio"],
        ["tune", "--learner", "c45", "--trials", "1", "--folds", "3", "--out", "m.vaglio"],
    ],
    ids=lambda command: command[0],
)
def test_commands_take_a_group_and_repeat_it(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vaglio.table.write(table(), "rows.csv")
    name, *options = command
    outcome = run_here(name, "rows.csv", "--target", "gone", "--group", "customer", *options)
    assert outcome.code == 0, outcome.err
    assert "groups kept together" in outcome.out
    if (tmp_path / "m.vaglio").exists():
        model = vaglio.load("m.vaglio")
        assert "--group customer" in model.provenance["command"]
        assert "customer" not in model.codebook.names
        exec(compile(model.provenance["python"], "recorded", "exec"), {})
        assert vaglio.load("model.vaglio").digest == model.digest


def test_a_group_on_disk_is_refused(tmp_path):
    vaglio.table.write(table(), tmp_path / "rows.csv")
    outcome = run_here("train", tmp_path / "rows.csv", "--target", "gone", "--group", "customer", "--memory", "4GB")
    assert outcome.code == 2
    assert "--group needs the table in memory" in outcome.err
