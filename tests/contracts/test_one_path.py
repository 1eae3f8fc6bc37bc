"""One path, wherever the rows are: in memory, on disk and with Dask every function gives the same record.

Fields that may differ are named in a table of docs/out-of-core.md, each with its reason; all others are compared, field
by field. Folds are stratified in memory and made by hash out of core. Where they decide, rows in memory are divided by
hash too (:class:`HashedRows`), so that values are compared and not only the names of fields.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

import vaglio
from vaglio.cli.main import app
from vaglio.engines.sources import is_out_of_core
from vaglio.errors import NotSupportedError
from vaglio.evaluation import CostSensitiveClassifier, EvaluationPlan, train_and_evaluate
from vaglio.evaluation.rows import MemoryRows, Rows
from vaglio.evaluation.selection.splits import SplitRules
from vaglio.report.data import data_chapter
from vaglio.report.examples import examples_chapter
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import model_chapter

pytestmark = pytest.mark.filterwarnings("ignore")

COST = {("yes", "no"): 5.0, ("no", "yes"): 1.0}
# Learners whose model has the same bytes wherever it is trained (docs/out-of-core.md).
LEARNERS = {"bayes": vaglio.NaiveBayesClassifier(likelihood="mdl"), "cart": vaglio.CARTClassifier(max_bins=16)}
PAGE = Path(__file__).parents[2] / "docs" / "out-of-core.md"
# The fields that may differ between rows in memory and out of core.
DIFFERENT = re.findall(r"`(.*?)`", re.search(r"\| field \|.*?\n\n", PAGE.read_text(encoding="utf-8"), re.S)[0])
# What follows from the rows of a fold: compared between engines that divide alike, not with rows in memory.
OF_FOLDS = ("score", "spread", "training", "chosen_by", "evaluation", "notes", "outer", "learners", "pairs")


def frame(n: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    made = {
        "size": np.round(random.normal(y, 1), 1),
        "word": np.array(["x", "y", "z"])[(random.integers(0, 3, n) + y) % 3],
        "late": np.array(["no", "yes"])[y],
    }
    rows = pd.DataFrame(made)
    rows.loc[random.random(n) < 0.05, "size"] = np.nan
    return rows


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("one_path")
    frame(300, 0).to_csv(folder / "train.csv", index=False)
    frame(120, 1).to_csv(folder / "test.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def in_memory(file: Path):
    return vaglio.read(file, "late")


def on_disk(file: Path):
    return vaglio.scan(file)


def with_dask(file: Path):
    import dask.dataframe as dd

    return dd.from_pandas(pd.read_csv(file), npartitions=3, sort=False)


PLACES = {"memory": in_memory, "disk": on_disk, "dask": with_dask}


@dataclass(frozen=True)
class HashedRows(MemoryRows):
    """Rows in memory that are divided as rows out of core are: a part is what ``division`` says it is."""

    division: Any = None

    @classmethod
    def read(cls, file: Path) -> HashedRows:
        ours = MemoryRows.of_arrays(in_memory(file), "late")
        return cls(ours.X, ours.y, ours.weight, division=Rows.of(on_disk(file), "late"))

    @property
    def whole(self):
        return self.division.whole

    def take(self, part):
        return super().take(self.division.positions(part))

    def count(self, part):
        return len(self.division.positions(part))

    def folds(self, n_splits, rules, *, repeats=1, within=None):
        return self.division.folds(n_splits, rules, repeats=repeats, within=within)

    def split(self, share, rules, within=None):
        return self.division.split(share, rules, within)

    def in_order(self, part):
        return part

    def positions(self, part):
        return self.division.positions(part)

    def sample(self, most, rng=None):
        return MemoryRows(self.X, self.y, self.weight).sample(most, rng)


@pytest.fixture(params=["disk", "dask"])
def elsewhere(request, files, client):
    """Open a file of the folder out of core."""
    return lambda name: PLACES[request.param](files / name)


@pytest.fixture
def memory(files):
    return lambda name: in_memory(files / name)


def differing(a, b, path: str = "", without: tuple[str, ...] = ()) -> list[str]:
    """Return the paths of all fields that differ; those of ``without`` and DIFFERENT are left out."""
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return [f"{path}: {sorted(a.keys() ^ b.keys())}"]
        left = [key for key in a if key not in DIFFERENT and key not in without]
        return [found for key in left for found in differing(a[key], b[key], f"{path}.{key}", without)]
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return [f"{path}: {len(a)} and {len(b)} entries"]
        pairs = enumerate(zip(a, b, strict=True))
        return [found for i, (one, other) in pairs for found in differing(one, other, f"{path}[{i}]", without)]
    if isinstance(a, float) and isinstance(b, float):
        return [] if math.isclose(a, b, rel_tol=1e-12) or (a != a and b != b) else [f"{path}: {a} and {b}"]
    return [] if a == b else [f"{path}: {a!r} and {b!r}"]


def record(training) -> dict:
    """What a training leaves: its model, its rows, its evaluation, its costs."""
    fitted = training.estimator.fitted_
    return {
        "digest": fitted.digest,
        "provenance": fitted.provenance,
        "params": {key: str(value) for key, value in fitted.params.items()},
        "cost": None if fitted.cost is None else fitted.cost.matrix.tolist(),
        "n_rows": training.n_rows,
        "how": training.how,
        "evaluation": None if training.evaluation is None else training.evaluation.to_dict(),
    }


def on_disk_or_a_cluster(cases: list[tuple]) -> list[Any]:
    """Return every case on disk; with Dask the first by day, the others nightly."""
    on_cluster = [("dask", *case) for case in cases]
    later = [pytest.param(*case, marks=pytest.mark.nightly) for case in on_cluster[1:]]
    return [*(("disk", *case) for case in cases), on_cluster[0], *later]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elsewhere", "learner", "cost"),
    on_disk_or_a_cluster([(learner, cost) for learner in LEARNERS for cost in (COST, None)]),
    indirect=["elsewhere"],
)
def test_train_and_evaluate_on_a_test_table(learner, cost, memory, elsewhere):
    def trained(opened):
        estimator = clone(LEARNERS[learner])
        rows, test = (Rows.of(opened(name), "late") for name in ("train.csv", "test.csv"))
        plan = EvaluationPlan(test=opened("test.csv"))
        found = train_and_evaluate(estimator, rows, None, plan, cost=cost, pos_label="yes", progress=False)
        again = vaglio.evaluate(found.estimator.fitted_, test.X, test.y, pos_label="yes")
        assert not differing(found.evaluation.to_dict(), again.to_dict())
        return record(found)

    assert differing(trained(memory), trained(elsewhere)) == []


@pytest.mark.slow
def test_evaluate_decides_by_costs_or_without_them(memory, elsewhere):
    model = CostSensitiveClassifier(LEARNERS["bayes"], COST).fit(*memory("train.csv").xy()).fitted_
    for options in ({}, {"decide": "argmax"}, {"cost": {("yes", "no"): 2.0}}, {"decide": "argmax", "cost": COST}):
        found = [vaglio.evaluate(model, *columns(opened("test.csv")), **options) for opened in (memory, elsewhere)]
        assert differing(found[0].to_dict(), found[1].to_dict()) == []


def columns(table) -> tuple:
    rows = Rows.of(table, "late")
    return rows.X, rows.y


@pytest.mark.slow
def test_predictions_and_explanations(memory, elsewhere):
    model = vaglio.CARTClassifier(max_bins=16).fit(*columns(elsewhere("train.csv"))).fitted_
    X, _ = memory("test.csv").xy()
    answers = [np.asarray(model.predict(columns(opened("test.csv"))[0])) for opened in (memory, elsewhere)]
    np.testing.assert_array_equal(*answers)
    shares = [np.asarray(model.predict_proba(columns(opened("test.csv"))[0])) for opened in (memory, elsewhere)]
    np.testing.assert_array_equal(*shares)
    same = vaglio.CARTClassifier(max_bins=16).fit(*memory("train.csv").xy()).fitted_
    said = [[one.to_dict() for one in fitted.explain(X[:5])] for fitted in (model, same)]
    assert differing(*said) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elsewhere", "options"),
    on_disk_or_a_cluster([({"cost": COST},), ({"race": True},), ({},)]),
    indirect=["elsewhere"],
)
def test_select_on_a_test_table(options, memory, elsewhere):
    """The choice is made by other folds; the chosen model and its evaluation on a test table are the same."""

    def selected(opened):
        return vaglio.select(
            opened("train.csv"), "late", test=opened("test.csv"), learners={"bayes": LEARNERS["bayes"]}, folds=3,
            search="none", progress=False, **options,
        )  # fmt: skip

    ours, theirs = selected(memory), selected(elsewhere)
    assert ours.fitted.digest == theirs.fitted.digest
    assert differing(ours.evaluation.to_dict(), theirs.evaluation.to_dict()) == []
    assert (ours.score, ours.n_train, repr(ours.cost)) == (theirs.score, theirs.n_train, repr(theirs.cost))
    assert differing(ours.to_dict(), theirs.to_dict(), without=OF_FOLDS) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy",
    [
        *("zero", "cross-validation"),
        *(pytest.param(strategy, marks=pytest.mark.nightly) for strategy in ("quick", "validation", "nested")),
    ],
)
def test_every_strategy_has_the_same_record_on_disk_and_with_dask(strategy, files, client):
    options = {"strategy": strategy} if strategy != "nested" else {"outer_folds": 2}

    def selected(place):
        space = {"cart": (LEARNERS["cart"], {"max_depth": [2, 4]})}
        table = {**PLACES, "hashed": HashedRows.read}[place](files / "train.csv")
        return vaglio.select(table, "late", learners=space, folds=2, n_iter=2, progress=False, **options).to_dict()

    disk, dask, memory, hashed = (selected(place) for place in ("disk", "dask", "memory", "hashed"))
    assert differing(disk, dask, without=("notes",)) == []
    assert differing(disk, hashed, without=("notes",)) == []
    assert memory.keys() == disk.keys()
    assert memory["rows"] == {"held": "in memory", "divided": "stratified by class"}
    assert disk["rows"] == {"held": "on disk", "divided": "by a hash of the row number"}
    if strategy != "zero":
        assert any("by a hash of the row number" in note for note in disk["notes"])
        assert any("stay on a cluster" in note for note in dask["notes"])
        assert not any("hash" in note for note in memory["notes"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elsewhere", "plan", "cost"),
    on_disk_or_a_cluster([(plan, cost) for plan in ({"folds": 3}, {"holdout": 0.3}) for cost in (COST, None)]),
    indirect=["elsewhere"],
)
def test_train_and_evaluate_on_the_same_folds(plan, cost, files, elsewhere):
    def trained(rows):
        estimator = clone(LEARNERS["cart"])
        found = train_and_evaluate(estimator, rows, None, EvaluationPlan(**plan), cost=cost, progress=False)
        return record(found)

    ours, theirs = trained(HashedRows.read(files / "train.csv")), trained(Rows.of(elsewhere("train.csv"), "late"))
    assert ours["evaluation"] is not None
    assert differing(ours, theirs) == []


NUMBERS = {
    "cart": vaglio.DecisionTreeRegressor(max_bins=16, max_depth=3, random_state=0),
    "forest": vaglio.RandomForestRegressor(3, max_bins=16, random_state=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("learner", NUMBERS)
def test_a_model_of_numbers_keeps_the_same_errors_and_predictions(learner, files, client, monkeypatch):
    monkeypatch.setattr("vaglio.evaluation.model_evaluation._MOST_PREDICTED", 100)

    def kept(place):
        open_table = {**PLACES, "memory": lambda file: vaglio.read(file, "size")}[place]
        rows = Rows.of(open_table(files / "train.csv"), "size", task="regression")
        plan = EvaluationPlan(test=open_table(files / "test.csv"))
        training = train_and_evaluate(clone(NUMBERS[learner]), rows, None, plan, progress=False)
        fitted = training.estimator.fitted_.with_residuals(training.evaluation)
        facts = {name: fitted.provenance[name] for name in ("residuals", "predicted")}
        assert sum(fitted.predicted_numbers.trained) == 100
        return {"digest": fitted.digest, **facts, "ends": fitted.interval_ends(0.9)}

    memory, disk, dask = map(kept, PLACES)
    assert differing(memory, disk) == differing(memory, dask) == []


@pytest.mark.slow
def test_a_comparison_has_the_same_record(files, client):
    def compared(place):
        table = {**PLACES, "hashed": HashedRows.read}[place](files / "train.csv")
        bayes = {"bayes": LEARNERS["bayes"], "smooth": clone(LEARNERS["bayes"]).set_params(alpha=3)}
        return vaglio.compare(table, "late", learners=bayes, folds=2, sizes=(), progress=False).to_dict()

    memory, disk, dask, hashed = map(compared, (*PLACES, "hashed"))
    assert differing(disk, dask, without=("notes",)) == []
    assert differing(disk, hashed, without=("notes",)) == []
    assert memory.keys() == disk.keys()
    assert [row.keys() for row in memory["learners"]] == [row.keys() for row in disk["learners"]]


def test_an_audit_has_the_same_record(files, elsewhere):
    ours = vaglio.audit(pd.read_csv(files / "train.csv"), "late")
    assert differing(ours.to_dict(), vaglio.audit(elsewhere("train.csv"), "late").to_dict()) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["audit", "explore", "compare", "evaluate", "report"])
def test_a_command_gives_the_same_record(command, files, tmp_path):
    more = {
        "compare": ("--learner", "naive-bayes", "--learner", "id3", "--folds", 2, "--accuracy-only", "--jobs", 1),
        "evaluate": ("--learner", "naive-bayes", "--set", "likelihood=mdl", "--test", files / "test.csv", "--jobs", 1),
        "report": ("--learner", "naive-bayes", "--strategy", "zero", "--jobs", 1, "--out", tmp_path / "report.html"),
    }
    words = (command, files / "train.csv", "--target", "late", *more.get(command, ()))
    ours, theirs = ran(*words), ran(*words, "--memory", "4GB")
    # The page of rows out of core says where they are.
    without = {"compare": OF_FOLDS, "report": ("bytes",)}.get(command, ())
    assert differing(ours, theirs, without=without) == []


@pytest.mark.slow
@pytest.mark.parametrize("choice", [(), ("--wrong",), ("--least-confident",), ("--row", "70-72")], ids=" ".join)
def test_rows_are_explained_alike(choice, files, tmp_path):
    model = tmp_path / "model.vaglio"
    ran("train", files / "train.csv", "--target", "late", "--learner", "cart", "--jobs", 1, "--out", model)
    ours, theirs = (ran("explain", model, files / "test.csv", *choice, *more) for more in ((), ("--memory", "4GB")))
    assert len(ours["explanations"]) >= 3
    assert differing(ours, theirs) == []


def test_single_rows_out_of_core_are_refused_with_what_to_do(memory, elsewhere):
    estimator = vaglio.CARTClassifier().fit(*memory("train.csv").xy())
    X, y = columns(elsewhere("test.csv"))
    for refused in (
        lambda: estimator.explain(X),
        lambda: estimator.fitted_.explain(X),
        lambda: vaglio.trace("cart", X, y),
    ):
        with pytest.raises(NotSupportedError, match=r"needs rows in memory: take some of them, e\.g\. X\.head\(100\)"):
            refused()
    assert len(estimator.fitted_.explain(X.head(3))) == 3


@pytest.mark.slow
def test_a_report_of_rows_out_of_core_is_that_of_rows_in_memory(files, elsewhere):
    """With the same division, every chapter says the same: figures, importances, examples."""

    def chapters(table):
        study = vaglio.Study(
            table, "late", learners={"bayes": LEARNERS["bayes"]}, selection_options={"search": "none", "folds": 2}
        ).run(progress=False)
        evaluation = study.evaluation
        return {
            "data": data_chapter(study, Limits()),
            "model": model_chapter(study, Limits()),
            "examples": examples_chapter(study, evaluation, Limits()),
            "judged": study.selection.judged.tolist(),
            "study": study.to_dict(),
        }

    ours, theirs = chapters(on_disk(files / "train.csv")), chapters(elsewhere("train.csv"))
    assert differing(ours, theirs, without=("notes", "summary")) == []
    table = in_memory(files / "train.csv")
    for group in theirs["examples"]["groups"]:
        for example in group["examples"]:
            row = int(example["row"]) - 1
            assert example["true"] == table["late"][row]
            assert row in theirs["judged"]


@pytest.mark.slow
def test_rows_answer_alike(memory, elsewhere):
    ours, theirs = (Rows.of(opened("train.csv"), "late") for opened in (memory, elsewhere))
    assert not is_out_of_core(ours.X)
    assert is_out_of_core(theirs.X)
    assert len(ours) == len(theirs) == 300
    assert ours.classes().tolist() == theirs.classes().tolist() == ["no", "yes"]
    assert ours.columns == theirs.columns == ["size", "word"]
    rules = SplitRules(seed=3)
    for rows in (ours, theirs):
        folds = rows.folds(4, rules)
        assert sum(rows.count(test) for _, test in folds) == 300
        rest, held = rows.split(0.25, rules)
        assert rows.count(rest) + rows.count(held) == 300
        inner = rows.folds(2, rules, within=rest)
        assert sum(rows.count(test) for _, test in inner) == rows.count(rest)
        assert min(rows.count(test) for _, test in inner) > 50
        assert len(rows.take(held)) == rows.count(held)
        assert len(rows.sample(50)) in (50, 60)
        assert rows.key


@pytest.mark.slow
def test_a_model_of_rows_here_is_tested_on_rows_elsewhere(memory, elsewhere):
    found = []
    for train, test in ((memory, elsewhere), (elsewhere, memory), (memory, memory)):
        rows = Rows.of(train("train.csv"), "late")
        unseen = rows.like(test("test.csv"), "late")
        model = rows.fit(clone(LEARNERS["bayes"]))
        found.append(vaglio.evaluate(model, unseen).to_dict())
    assert differing(found[0], found[2]) == []
    assert differing(found[1], found[2]) == []


def ran(*words: object) -> dict:
    answer = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert answer.exit_code == 0, answer.output + str(answer.exception)
    return json.loads(answer.stdout)


COMMANDS = {
    "train": ("--learner", "naive-bayes", "--set", "likelihood=mdl", "--accept", "accuracy>=0.2"),
    "tune": ("--learner", "naive-bayes", "--set", "likelihood=mdl", "--try", "alpha=1000000", "--folds", "2"),
    "select": ("--learner", "naive-bayes", "--folds", "2", "--search", "none"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_writes_the_same_file(command, files, tmp_path):
    """With --memory the file has the recipe, the scores and the acceptance that it has without."""
    costs = tmp_path / "costs.csv"
    costs.write_text(",no,yes\nno,0,1\nyes,5,0\n")
    common = (files / "train.csv", "--target", "late", "--test", files / "test.csv", "--cost", costs)
    made, said = [], []
    for name, more in (("a", ()), ("b", ("--memory", "4GB"))):
        out = tmp_path / f"{name}.vaglio"
        said.append(ran(command, *common, *COMMANDS[command], "--jobs", 1, "--out", out, *more))
        made.append(vaglio.load(out))
    ours, theirs = made
    assert ours.digest == theirs.digest
    without = ("model", "selection") if command == "train" else ("model", "selection", *OF_FOLDS, "trials")
    assert differing(ours.provenance, theirs.provenance, without=without) == []
    assert differing(said[0], said[1], without=without) == []
    assert {"command", "python", "target", "scores"} <= ours.provenance.keys()
    assert theirs.provenance["command"] == ours.provenance["command"] + " --memory 4GB"
    shown = [CliRunner().invoke(app, ["inspect", str(tmp_path / f"{name}.vaglio")]).stdout for name in "ab"]
    for text in shown:
        assert "Made by" in text
        assert "The same in Python" in text


@pytest.mark.slow
def test_the_recipe_of_a_scanned_table_makes_the_model_again(files, tmp_path, monkeypatch):
    out = tmp_path / "model.vaglio"
    ran("train", files / "train.csv", "--target", "late", "--learner", "cart", "--set", "max_bins=16", "--holdout", 0.3,
        "--memory", "4GB", "--jobs", 1, "--out", out)  # fmt: skip
    fitted = vaglio.load(out)
    assert fitted.provenance["scores"]["how"].endswith("rows assigned by a hash of the row number")
    monkeypatch.chdir(files)
    made: dict = {}
    exec(fitted.provenance["python"], made)
    assert made["model"].digest == fitted.digest
