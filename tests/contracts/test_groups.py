"""Rows of one group stay together wherever rows are divided."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cli.conftest import run_here
from tests.contracts.toy_engine import Pages

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


# Rows out of core: what holds them, from the path of a file that has them.
def _on_disk(path):
    return vaglio.scan(path).grouped("customer")


def _in_parts(path):
    table().to_frame().to_parquet(path.with_suffix(".parquet"), row_group_size=37)
    return vaglio.scan(path.with_suffix(".parquet")).grouped("customer")


def _on_a_cluster(path):
    frame = pytest.importorskip("dask.dataframe").from_pandas(table().to_frame(), npartitions=3)
    return Rows.of(frame, "gone").with_groups(frame["customer"])


def _in_another_engine(path):
    whole = table()
    pages = Pages(tuple(whole[at : at + 41] for at in range(0, len(whole), 41)))
    return Rows.of(pages, "gone").with_groups("customer")


@pytest.fixture
def path(tmp_path):
    vaglio.table.write(table(), tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


HOLDERS = [_on_disk, _in_parts, pytest.param(_on_a_cluster, marks=pytest.mark.slow), _in_another_engine]


@pytest.mark.parametrize("holder", HOLDERS)
def test_no_group_is_divided_out_of_core(holder, path):
    rows, place = Rows.of(holder(path), "gone"), table().column("place").data
    assert rows.columns == ["place"]
    assert "groups kept together" in rows.describe(SplitRules())["divided"]
    outer = rows.split(0.5, SplitRules())[0]
    parts = [*rows.folds(5, SplitRules(), repeats=2), rows.split(0.3, SplitRules(seed=4))]
    inner = rows.folds(4, SplitRules(), within=outer)
    for train, test in [*parts, *inner]:
        own, others = (set(rows.take(part).sample(1000).X["place"].tolist()) for part in (train, test))
        assert own
        assert others
        assert not own & others
        assert set(place[rows.positions(test)].tolist()) == others
    tested = np.concatenate([rows.positions(test) for _, test in parts[:5]])
    assert sorted(tested.tolist()) == list(range(len(place)))
    assert {len(rows.positions(test)) for _, test in parts[:5]} == {len(place) // 5}
    with pytest.raises(InputError, match="40 groups cannot be divided into 41 parts"):
        rows.folds(41, SplitRules())


def test_the_same_rows_are_in_a_fold_wherever_they_are(path):
    found = {
        tuple(tuple(rows.positions(test).tolist()) for _, test in rows.folds(3, SplitRules(seed=1)))
        for rows in (Rows.of(holder(path), "gone") for holder in (_on_disk, _in_parts, _in_another_engine))
    }
    assert len(found) == 1
    data = vaglio.scan(path).grouped("customer")
    table_folds = [test.read().column("place").data.tolist() for _, test in data.folds(3, seed=1)]
    assert table_folds == [table().column("place").data[list(positions)].tolist() for positions in found.pop()]


@pytest.mark.slow
def test_every_way_to_evaluate_out_of_core_keeps_them_together(path):
    data, learners = vaglio.scan(path).grouped("customer"), {"learners": ["cart"], "search": "none"}
    plain = {"noise": (), "missing": (), "sizes": ()}
    evaluations = [
        vaglio.evaluate("cart", data, "gone", folds=5),
        vaglio.evaluate("cart", data, "gone", holdout=0.4),
        vaglio.select(data, "gone", **learners, folds=3).evaluation,
        vaglio.select(vaglio.scan(path), "gone", groups="customer", **learners, outer_folds=3, folds=3).evaluation,
    ]
    compared = vaglio.compare(data, "gone", ["cart", "knn"], folds=5, **plain).to_rows()
    assert max(compared[0]["accuracy"], *(each.accuracy.value for each in evaluations)) < 0.85


@pytest.mark.parametrize("where", [[], ["--memory", "4GB"]], ids=["in memory", "on disk"])
def test_the_group_is_not_the_target_and_the_next_command_keeps_it(where, path):
    refused = run_here("train", path, "--target", "gone", "--group", "gone", *where)
    assert refused.code == 2
    assert "'gone' is the target, so it cannot be the group too" in refused.err
    audited = run_here("audit", path, "--target", "gone", "--group", "customer", *where)
    assert audited.err.count("--group customer") + audited.out.count("--group customer") >= 2


def test_groups_that_are_no_column_of_rows_out_of_core_are_refused(path):
    with pytest.raises(NotSupportedError, match="must be a column of their table"):
        vaglio.select(vaglio.scan(path), "gone", groups=np.zeros(200))
    with pytest.raises(NotSupportedError, match="search"):
        vaglio.select(vaglio.scan(path).grouped("customer"), "gone", search="halving")


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
@pytest.mark.parametrize(
    "where",
    [[], pytest.param(["--memory", "4GB"], marks=pytest.mark.slow)],
    ids=["in memory", "on disk"],
)
def test_commands_take_a_group_and_repeat_it(command, where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vaglio.table.write(table(), "rows.csv")
    name, *options = command
    outcome = run_here(name, "rows.csv", "--target", "gone", "--group", "customer", *options, *where)
    assert outcome.code == 0, outcome.err
    assert "groups kept together" in outcome.out
    if (tmp_path / "m.vaglio").exists():
        model = vaglio.load("m.vaglio")
        assert "--group customer" in model.provenance["command"]
        assert "customer" not in model.codebook.names
        exec(compile(model.provenance["python"], "recorded", "exec"), {})
        assert vaglio.load("model.vaglio").digest == model.digest
