"""Test rows that were used for training are told on every surface, however they come back."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_regressor
from sklearn.datasets import make_classification
from tests.contracts.estimators import classifiers, regressors
from tests.studio.conftest import Visitor

import vaglio
from vaglio.cli.main import main
from vaglio.evaluation import Evaluation, select
from vaglio.evaluation.overlap import Overlap, find_overlap
from vaglio.evaluation.rows import Rows
from vaglio.fitted.file import from_bytes, to_bytes
from vaglio.fitted.row_sketch import MOST_ROWS, RowSketch

pytestmark = pytest.mark.filterwarnings("ignore")


def frame(n: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    columns = {
        "weight": (random.normal(70, 9, n) + 9 * y + shift).round(2),
        "height": random.normal(170, 10, n).round(1),
        "home": np.array(["north", "south", "west"])[random.integers(0, 3, n)],
        "y": np.where(y, "yes", "no"),
    }
    made = pd.DataFrame(columns)
    made.loc[random.random(n) < 0.1, "height"] = np.nan
    return made


TRAINING, OTHER = frame(200, 1), frame(100, 2)


def overlap(model: Any, rows: Rows) -> Overlap | None:
    return find_overlap(model, rows.predict(model, seen=True))


AGAIN = {
    "the same rows": TRAINING,
    "in another order": TRAINING.sample(frac=1, random_state=3),
    "with the columns in another order": TRAINING[["y", "home", "height", "weight"]],
    "with further columns": TRAINING.assign(number=range(200), note="seen"),
    "a share of them": pd.concat([OTHER, TRAINING.iloc[::5]]),
}


def shared(table: pd.DataFrame) -> int:
    return 40 if len(table) == 140 else 200


def cli(*arguments: object) -> str:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit):
        main([str(each) for each in arguments])
    out.flush()
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_five_ways_in_python_and_on_disk(tmp_path: Path) -> None:
    """Frame, table, scanned table; the estimator, its model, and the model read from its file."""
    X, y = TRAINING.drop(columns="y"), TRAINING["y"]
    estimator = vaglio.C45Classifier().fit(X, y)
    estimator.save(tmp_path / "m.vaglio")
    from_file = vaglio.load(tmp_path / "m.vaglio")
    for n, (name, table) in enumerate([*AGAIN.items(), ("other rows", OTHER)]):
        path = tmp_path / f"{n}.csv"
        table.to_csv(path, index=False)
        inputs = vaglio.read(table, "y").xy("y")
        found: dict[str, Evaluation] = {
            "estimator": vaglio.evaluate(estimator, table[list(X.columns)], table["y"]),
            "costs": vaglio.evaluate(estimator.fitted_, *inputs, decide="argmax"),
            "model": vaglio.evaluate(estimator.fitted_, *inputs),
            "file": vaglio.evaluate(from_file, str(path), "y"),
            "disk": vaglio.evaluate(from_file, vaglio.scan(path), "y"),
        }
        for surface, evaluation in found.items():
            assert (evaluation.overlap is not None) == (name != "other rows"), (name, surface)
            if evaluation.overlap is None:
                assert "overlap" not in evaluation.to_dict()
                continue
            # A row of one table may equal a row of another by chance.
            assert abs(evaluation.overlap.shared - shared(table)) <= 1, (name, surface)
            assert evaluation.overlap.exact
            assert evaluation.to_text().startswith(f"WARNING: {evaluation.overlap.in_words()}"[:30])
            assert "used for training" in evaluation.to_html()
            assert evaluation.to_text(lang="it").split("\n")[0] != evaluation.to_text().split("\n")[0]


@pytest.mark.slow
def test_five_ways_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TRAINING.to_csv("training.csv", index=False)
    cli("train", "training.csv", "--target", "y", "--folds", "3", "--out", "m.vaglio")
    cli("train", "training.csv", "--target", "y", "--memory", "4GB", "--out", "disk.vaglio", "--learner", "naive-bayes")
    for name, table in AGAIN.items():
        table.to_csv("test.csv", index=False)
        told = f"{shared(table)} of "
        said = cli("evaluate", "m.vaglio", "test.csv", "--out", "e.html")
        first = said.split("\n\n")[1]
        assert told in first, name
        assert "by 3-fold cross-validation" in first, name
        assert told in Path("e.html").read_text(encoding="utf-8"), name
        data = json.loads(cli("evaluate", "m.vaglio", "test.csv", "--json"))
        assert data["overlap"]["shared"] == shared(table), name
        assert told in cli("evaluate", "disk.vaglio", "test.csv", "--memory", "4GB"), name
        assert told in cli("train", "training.csv", "--target", "y", "--test", "test.csv", "--out", "n.vaglio"), name
        report = ["report", "training.csv", "--target", "y", "--learner", "c45", "--strategy", "validation"]
        cli(*report, "--test", "test.csv", "--out", "r.html")
        assert told in Path("r.html").read_text(encoding="utf-8"), name
    OTHER.to_csv("test.csv", index=False)
    assert "used for training" not in cli("evaluate", "m.vaglio", "test.csv")


@pytest.mark.slow
def test_five_ways_in_the_studio(tmp_path: Path) -> None:
    """A file whose classes are known is predicted: its page says first which rows were used for training."""
    visitor = Visitor(tmp_path / "project")
    visitor.upload("training.csv", TRAINING.to_csv(index=False))
    visitor.post("/table/target", column="y")
    model = f"{visitor.learn_here('naive-bayes', plan='folds_10')}/naive-bayes"
    for n, (name, table) in enumerate([*AGAIN.items(), ("other rows", OTHER)]):
        path = tmp_path / f"{n}.csv"
        table.to_csv(path, index=False)
        visitor.act_here("predict", lambda at=path: visitor.post("/export/predict", model=model, path=str(at)))
        for lang, told in (("en", "used for training"), ("it", "per l&#39;addestramento")):
            page = visitor.get("/export", headers={"accept-language": lang}).text
            section = page[page.index('id="predictions"') :]
            first = section.partition("<a class")[2].partition("<a class")[0]
            assert (told in first) == (name != "other rows"), (name, lang, first)
            assert ('class="flag"' in first) == (name != "other rows"), (name, lang)
            assert f"{len(table)} " in first, (name, lang)
            if name != "other rows":
                assert f"{shared(table)} " in first.partition('class="flag"')[2], (name, lang)
    visitor.close()


@pytest.mark.slow
def test_rows_of_a_selection() -> None:
    test = Rows.of(AGAIN["a share of them"], "y")
    chosen = select(TRAINING, "y", learners=["c45"], strategy="validation", test=test)
    assert chosen.to_text().startswith("WARNING: 40 of the 140 rows")
    assert chosen.to_dict()["evaluation"]["overlap"]
    assert select(TRAINING, "y", learners=["c45"], strategy="validation").evaluation.overlap is None


@pytest.mark.slow
def test_every_learner_keeps_what_it_saw() -> None:
    for estimator in (*classifiers(), *regressors()):
        name = type(estimator).__name__
        target, task = ("weight", "regression") if is_regressor(estimator) else ("y", "classification")
        table = vaglio.read(TRAINING.iloc[:60], target)
        estimator.fit(*table.xy(target, task=task))
        found = overlap(estimator, Rows.of(table, target, task=task))
        assert found is not None, name
        assert found.shared == 60, name
        assert overlap(estimator, Rows.of(OTHER, target, task=task)) is None, name


def test_large_tables_by_a_sample() -> None:
    X, y = make_classification(40_000, 6, random_state=0)
    model = vaglio.NaiveBayesClassifier().fit(X[:20_000], y[:20_000])
    found = overlap(model, Rows.of(X[15_000:35_000], y[15_000:35_000]))
    assert found is not None
    assert not found.exact
    assert abs(found.shared - 5000) < 1500
    assert "About" in str(found.in_words())
    assert overlap(model, Rows.of(X[20_000:], y[20_000:])) is None


def test_rows_that_are_alike_by_nature() -> None:
    """In a table of few distinct rows, new rows equal training rows: nothing is said."""
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (400, 3)).astype(str), random.integers(0, 2, 400)
    model = vaglio.C45Classifier().fit(X[:200], y[:200])
    assert overlap(model, Rows.of(X[200:], y[200:])) is None


def test_sketch_is_small_and_old_files_are_read() -> None:
    X, y = make_classification(5000, 6, random_state=0)
    fitted = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
    assert len(fitted.provenance["training"]["hashes"]) == 4 * MOST_ROWS
    old = {name: value for name, value in fitted.provenance["training"].items() if name != "hashes"}
    loaded = from_bytes(to_bytes(replace(fitted, provenance={"training": old})))
    assert vaglio.evaluate(loaded, X, y).overlap is None
    kept = fitted.provenance["training"]
    for wrong in ({}, None, {**kept, "hashes": "?"}, {**kept, "hashes": "AA"}, {**kept, "fingerprint": "x"}):
        assert RowSketch.from_training(wrong) is None
    assert RowSketch.from_training({**kept, "rows": 3}) is None
