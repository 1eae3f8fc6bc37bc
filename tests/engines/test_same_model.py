"""The same file from memory, from disk in chunks of any size, and on any partitioning."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from tests.engines.conftest import make_frame, sha
from tests.engines.learners import ALL, EXACT, NEAR, NOT_IN_PASSES, NUMBERS, OF_COUNTS

import vaglio
from vaglio import scan, streaming
from vaglio.engines import value_counts
from vaglio.errors import NotSupportedError
from vaglio.learners import registry
from vaglio.learners.linear.estimators import logistic_solver

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def small_sample(monkeypatch):
    """Let logistic regression stream already with a few thousand rows."""
    monkeypatch.setattr(logistic_solver, "_SAMPLE_ROWS", 600)
    monkeypatch.setattr(logistic_solver, "_ROWS_PER_COEFFICIENT", 1)


def columns_for(name, frame):
    return frame[["count", "word", "flag", "target"]] if name.startswith(OF_COUNTS) else frame.drop(columns="weight")


def in_memory(name, frame):
    rows = columns_for(name, frame)
    return clone(ALL[name]).fit(rows.drop(columns="target"), rows["target"].to_numpy(str))


def in_passes(name, lazy, rows):
    data = lazy.select(["count", "word", "flag", "target"]) if name.startswith(OF_COUNTS) else lazy
    with streaming("4GB", chunk_rows=rows):
        return clone(ALL[name]).fit(*data.xy("target"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_chunks_of_any_size_give_one_file(name, lazy):
    assert len({sha(in_passes(name, lazy, rows)) for rows in (130, 512, 10_000)}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_counts_give_the_file_of_a_training_in_memory(name, lazy, frame):
    assert sha(in_passes(name, lazy, 512)) == sha(in_memory(name, frame))


# Weights by how they are made from numbers between 0 and 1: none in proportion to each other, some tiny; multiples of
# a number without a binary form, some 0; all the same.
WEIGHTS = {
    "any": lambda share: np.exp(6 * share),
    "multiples": lambda share: np.floor(4 * share) * 0.7,
    "alike": lambda share: np.full(len(share), 2.7),
}
WEIGHED = [
    pytest.param(name, kind, marks=[] if kind == "any" else pytest.mark.nightly) for name in NUMBERS for kind in WEIGHTS
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), WEIGHED)
def test_weighted_numbers_give_the_file_of_a_training_in_memory(name, kind, frame, tmp_path):
    columns = ["tenths", "word", "flag", "count", "many"]
    weighed = frame[[*columns, "real"]].assign(weight=WEIGHTS[kind](np.random.default_rng(2).random(len(frame))))
    theirs = clone(NUMBERS[name]).fit(weighed[columns], weighed["real"], sample_weight=weighed["weight"])
    weighed.to_parquet(tmp_path / "rows.parquet", row_group_size=700)
    made = {sha(theirs)}
    for chunk in (130, 10_000):
        data = scan(tmp_path / "rows.parquet", part_rows=800)
        with streaming("4GB", chunk_rows=chunk):
            X, target = data.select([*columns, "real"]).xy("real")
            made.add(sha(clone(NUMBERS[name]).fit(X, target, sample_weight=data["weight"])))
    if kind == "any":
        dask = pytest.importorskip("dask.dataframe")
        lazy = dask.from_pandas(weighed, npartitions=3)
        with streaming("4GB"):
            far = clone(NUMBERS[name]).fit(lazy[columns], lazy["real"], sample_weight=lazy["weight"])
        made.add(sha(far))
    assert len(made) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NEAR)
def test_sums_agree_with_a_training_in_memory(name, lazy, frame):
    rows = columns_for(name, frame).drop(columns="target")
    ours, theirs = in_passes(name, lazy, 512), in_memory(name, frame)
    method = "predict_proba" if hasattr(theirs, "predict_proba") else "decision_function"
    np.testing.assert_allclose(getattr(ours, method)(rows), getattr(theirs, method)(rows), atol=1e-8)


def table_of_agreement() -> list[tuple[str, str, str]]:
    """Return learner, parameters and what agrees out of core, as the documentation says."""
    page = Path(__file__).parents[2] / "docs" / "out-of-core.md"
    section = page.read_text().split("### Agreement with training in memory")[1].split("\n## ")[0]
    lines = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `")]
    return [tuple(cell.strip().strip("`") for cell in cells[:3]) for cells in lines if cells[3].strip()]


def estimator_of(learner: str, parameters: str):
    given = eval(f"dict({parameters})", {name: getattr(vaglio, name) for name in vaglio.__all__})
    return registry.find(learner).cls(**given) if given else registry.find(learner).cls()


def test_the_documentation_says_what_agrees():
    said = {
        (str(type(made)), str(made.get_params()), how)
        for made, how in ((estimator_of(learner, parameters), how) for learner, parameters, how in table_of_agreement())
        if how != "different"
    }
    groups = {"same bytes": EXACT, "within 1e-8": NEAR, "refused": NOT_IN_PASSES}
    tested = {
        (str(type(made)), str(made.get_params()), how) for how, group in groups.items() for made in group.values()
    }
    assert said == tested
    assert {learner for learner, _, _ in table_of_agreement()} == set(registry.LEARNERS)


DIFFERENT = [(learner, parameters) for learner, parameters, how in table_of_agreement() if how == "different"]


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "parameters"), DIFFERENT)
def test_what_differs_by_design_says_so(learner, parameters, lazy, frame):
    rows = frame.drop(columns=["weight", "target"])
    made = estimator_of(learner, parameters)
    elsewhere, here = clone(made).fit(*lazy.xy("target")), clone(made).fit(rows, frame["target"].to_numpy(str))
    assert sha(elsewhere) != sha(here)
    assert elsewhere.fitted_.provenance["learned_with"]["max_bins"] == 255
    assert "learned_with" not in here.fitted_.provenance


@pytest.mark.slow
@pytest.mark.parametrize("name", ["naive-bayes, intervals", "gaussian-map", "logistic"])
def test_files_and_row_groups_make_no_difference(name, lazy, frame, tmp_path):
    rows = frame.drop(columns="weight")
    for at, (first, last) in enumerate([(0, 1), (1, 1), (1, 1500), (1500, 3000)]):
        rows.iloc[first:last].to_parquet(tmp_path / f"{at}.parquet", row_group_size=333)
    assert sha(in_passes(name, scan(tmp_path), 400)) == sha(in_passes(name, lazy, 10_000))


def test_threads_make_no_difference(lazy):
    X, y = lazy.xy("target")
    models = []
    for threads in (1, 3):
        with streaming(chunk_rows=200):
            models.append(sha(clone(EXACT["naive-bayes, intervals"]).set_params(n_jobs=threads).fit(X, y)))
    assert models[0] == models[1]


@pytest.fixture
def few_are_large(monkeypatch):
    """Let tables of more than a thousand rows count their numbers on bins, as very large ones do."""
    monkeypatch.setattr(value_counts, "EXACT_ROWS", 1000)
    monkeypatch.setattr(value_counts, "MOST_BINS", 64)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in EXACT if name.startswith(("naive-bayes", "joint-bayes", "bayes-net"))]
)
def test_large_tables_give_one_file_too(name, request, lazy, frame):
    exact = in_memory(name, frame)
    request.getfixturevalue("few_are_large")
    files = {sha(in_passes(name, lazy, rows)) for rows in (130, 10_000)} | {sha(in_memory(name, frame))}
    assert len(files) == 1
    rows, y = columns_for(name, frame).drop(columns="target"), frame["target"]
    assert abs(in_memory(name, frame).score(rows, y) - exact.score(rows, y)) < 0.02


def test_weights_of_large_tables_count_as_in_memory(path, frame, few_are_large):
    check_weights(path, frame)


@pytest.mark.parametrize("name", NOT_IN_PASSES)
def test_others_say_what_they_need(name, lazy):
    with pytest.raises(NotSupportedError, match=r"in memory.* 3,000 rows take \d+\.\d MB"):
        NOT_IN_PASSES[name].fit(*lazy.xy("target"))


def test_weights_count_as_in_memory(path, frame):
    check_weights(path, frame)


def check_weights(path, frame):
    data = scan(path)
    X, y = data.drop(["weight"]).xy("target")
    weighted = clone(EXACT["naive-bayes, intervals"])
    with streaming(chunk_rows=333):
        weighted.fit(X, y, sample_weight=data["weight"])
    rows, true = frame.drop(columns=["weight", "target"]), frame["target"].to_numpy(str)
    assert sha(weighted) == sha(clone(weighted).fit(rows, true, sample_weight=frame["weight"]))


def test_a_sample_is_the_same_rows_in_any_chunks(path, monkeypatch):
    from vaglio.table.scanned import scanned_table

    whole = scan(path).sample(100, seed=3)
    monkeypatch.setattr(scanned_table, "CHUNK_ROWS", 50)
    assert len(whole) == 100
    assert whole.to_arrow().equals(scan(path, part_rows=100).sample(100, seed=3).to_arrow())
    assert scan(path).sample(10_000).shape[0] == 3000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["naive-bayes, intervals", "logistic", "gaussian-map"])
def test_columns_without_values_and_one_value(name, tmp_path):
    rows = make_frame(400).drop(columns="weight").assign(empty=np.nan, constant=3.0)
    rows.to_parquet(tmp_path / "a.parquet", row_group_size=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [in_passes(name, scan(tmp_path / "a.parquet"), rows) for rows in (64, 400)]
    assert sha(models[0]) == sha(models[1])
    assert np.isfinite(models[0].predict_proba(rows.drop(columns="target"))).all()
