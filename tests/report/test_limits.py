"""A page stays below its limit and is made once, whatever the table is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.report.conftest import run_study

import vaglio
from vaglio.report import rendering, report_html, summary
from vaglio.report.limits import MOST_BYTES
from vaglio.study import Study
from vaglio.table import Table

# Every character needs the most bytes: "<" has six in a script, "\"" five in HTML, the emoji four in UTF-8.
HOSTILE = '<"&🦉' * 49


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The name of each step of making a page, whenever it is taken."""
    steps: list[str] = []

    def counting(module, name):
        real = getattr(module, name)

        def step(*given, **named):
            steps.append(name)
            return real(*given, **named)

        monkeypatch.setattr(module, name, step)

    counting(rendering, "summarize_study")
    counting(rendering, "render_html")
    for chapter in ("data", "learners", "performance", "model", "examples", "method"):
        counting(summary, f"{chapter}_chapter")
    return steps


def page_of(study: Study, made: list[str], **given: str) -> str:
    """The page, after it was checked that it is small enough and that nothing was done twice."""
    page = report_html(study, **given)
    assert len(page.encode()) < MOST_BYTES
    assert sorted(made) == sorted(set(made))
    assert len(made) == 8
    return page


def name_of(i: int) -> str:
    """A name of 200 characters."""
    return f"{HOSTILE[:-4]}{i:08d}"


@pytest.mark.slow
@pytest.mark.parametrize("count", [600, pytest.param(3000, marks=pytest.mark.nightly)])
def test_very_many_columns(count, made):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(40, count))
    columns = {name_of(j): values[:, j] for j in range(count)}
    table = Table.from_any({**columns, "y": np.repeat(["a", "b"], 20)})
    study = run_study(table, "y", ["naive-bayes"], strategy="quick", selection_options={"test_size": 0.5})
    page = page_of(study, made, name=HOSTILE)
    assert f"{count - 36:,} columns without a picture" in page


def hostile_classes(n_rows: int, seed: int = 2) -> Table:
    """300 classes and a nominal column of 300 values, all of them with names of 200 characters."""
    rng = np.random.default_rng(seed)
    classes = np.array([name_of(k) for k in range(300)])
    codes = np.concatenate([np.arange(300), rng.integers(0, 300, n_rows - 300)])
    values = np.array([f"v{name_of(k)}" for k in range(300)])
    return Table.from_any(
        {
            name_of(900): codes + rng.normal(scale=3, size=n_rows),
            name_of(901): values[(codes + rng.integers(0, 9, n_rows)) % 300],
            "y": classes[codes],
        }
    )


LEARNERS = ["cart", "cn2", "naive-bayes", "logistic", "knn", vaglio.RandomForestClassifier(n_estimators=3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [each if each in ("cart", "naive-bayes") else pytest.param(each, marks=pytest.mark.nightly) for each in LEARNERS],
    ids=str,
)
def test_three_hundred_classes(learner, made):
    """Large trees, many rules, many weights: the parts of every model are limited."""
    study = run_study(hostile_classes(900), "y", [learner], strategy="quick", selection_options={"test_size": 0.4})
    page = page_of(study, made, name=HOSTILE)
    assert "others" in page


@pytest.mark.slow
def test_seventy_outer_folds(made):
    rng = np.random.default_rng(3)
    x = rng.normal(size=140)
    table = Table.from_any({HOSTILE: x, "y": np.where(x + rng.normal(size=140) > 0, "a", "b")})
    study = run_study(table, "y", ["c45", "naive-bayes"], selection_options={"outer_folds": 70, "folds": 2})
    assert "The first 60 of 70 folds are shown" in page_of(study, made)


@pytest.mark.slow
def test_costs_of_many_classes_and_a_long_command(made):
    table = hostile_classes(600, seed=4)
    labels = sorted(set(table["y"]))
    cost = {(a, b): 1.0 for a in labels[:100] for b in labels[:100] if a != b}
    study = run_study(table, "y", ["naive-bayes"], strategy="quick", cost=cost, selection_options={"test_size": 0.4})
    page = page_of(
        study, made, command=f"vaglio report t.csv {'--nominal ' + HOSTILE} " * 1000, source="x" * 10_000_000
    )
    assert "cost=...," in page
    assert "table = ..." in page


def test_the_fixed_part_of_a_page_is_small():
    """Styles and script are in every page; the limits leave them this much room."""
    templates = Path(rendering.__file__).with_name("templates")
    assert sum(path.stat().st_size for path in templates.iterdir()) < 100_000
