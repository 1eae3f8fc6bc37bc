"""Rows out of core, divided by the hash of their number: comparisons, selections and evaluations."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import vaglio
from vaglio import scan, streaming
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation import CostSensitiveClassifier, compare, permutation_importance, select
from vaglio.evaluation.rows import Rows
from vaglio.evaluation.rows_out_of_core import LabelNoise, MissingValues
from vaglio.evaluation.selection.splits import SplitRules

LEARNERS = ["naive-bayes", "id3"]


def read_all(rows: Rows) -> tuple[vaglio.Table, np.ndarray]:
    whole = rows.y.table.read()
    return whole.xy(rows.y.name)


def test_folds_cover_every_row_once_and_do_not_depend_on_the_parts(path):
    rows = Rows.of(scan(path, part_rows=800), "target")
    others = Rows.of(scan(path), "target")
    folds = rows.folds(4, SplitRules(seed=3))
    assert sum(rows.count(test) for _, test in folds) == 3000
    for (train, test), (_, again) in zip(folds, others.folds(4, SplitRules(seed=3))):
        assert rows.count(train) + rows.count(test) == 3000
        assert read_all(rows.take(test))[0] == read_all(others.take(again))[0]
    assert rows.count(rows.folds(4, SplitRules(seed=4))[0][1]) != rows.count(folds[0][1])


@pytest.mark.slow
def test_a_comparison_has_the_scores_of_a_training_on_the_same_rows_in_memory(path):
    data = scan(path, part_rows=800).drop(["weight"])
    learners = {"bayes": vaglio.NaiveBayesClassifier(likelihood="mdl"), "tree": vaglio.ID3Classifier(max_bins=64)}
    with streaming("4GB"):
        found = compare(data, "target", learners=learners, folds=3, noise=(), missing=(), sizes=())
    rows = Rows.of(data, "target")
    folds = [[read_all(rows.take(part)) for part in fold] for fold in rows.folds(3, SplitRules())]
    for report, learner in zip(found.reports, learners.values()):
        assert not report.error
        assert report.scores.tolist() == [clone(learner).fit(*train).score(*test) for train, test in folds]


@pytest.mark.slow
def test_a_comparison_measures_noise_missing_values_and_growth(path):
    found = compare(scan(path, part_rows=800).drop(["weight"]), "target", learners=["naive-bayes"], folds=2)
    (report,) = found.reports
    assert report.noise[0.2] is not None
    assert report.noise[0.2] <= report.score.value + 0.02
    assert report.missing[0.2] < report.score.value
    assert [point["rows"] for point in report.scaling] == sorted({point["rows"] for point in report.scaling})
    assert report.scaling[-1]["rows"] == 3000


@pytest.mark.slow
def test_a_learner_that_needs_its_rows_is_listed_and_says_what_to_do(path):
    data = scan(path).drop(["weight"])
    found = compare(data, "target", learners=["naive-bayes", "ripper"], folds=2, noise=(), missing=(), sizes=())
    assert [report.learner for report in found.reports if report.error] == ["ripper"]
    assert "sample" in found.reports[1].error


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy",
    [
        "standard",
        "cross-validation",
        *(pytest.param(each, marks=pytest.mark.nightly) for each in ("zero", "quick", "validation")),
    ],
)
def test_every_strategy_selects_from_disk(path, strategy):
    data = scan(path, part_rows=800).drop(["weight"])
    found = select(data, "target", learners=LEARNERS, strategy=strategy, n_iter=1, folds=2)
    assert found.best.learner in LEARNERS
    assert found.fitted.classes.tolist() == ["maybe", "no", "yes"]
    tested = 3000 if strategy == "zero" else found.evaluation.n_rows
    assert found.n_train + (0 if strategy == "zero" else tested) == 3000
    again = select(scan(path).drop(["weight"]), "target", learners=LEARNERS, strategy=strategy, n_iter=1, folds=2)
    assert (again.score, again.best.score) == (found.score, found.best.score)


@pytest.mark.slow
def test_a_nested_selection_and_other_scores(path):
    data = scan(path).drop(["weight"])
    found = select(data, "target", learners=LEARNERS, n_iter=1, folds=2, outer_folds=2, scoring="neg_log_loss")
    assert found.evaluation.n_rows == 3000
    assert found.score < 0
    assert len(found.outer) == 2


def test_what_needs_positions_of_rows_is_refused(path):
    data = scan(path)
    with pytest.raises(NotSupportedError, match="search"):
        select(data, "target", search="halving")
    with pytest.raises(NotSupportedError, match="groups"):
        select(data, "target", groups=np.zeros(3000))
    with pytest.raises(NotSupportedError, match="weights of the rows"):
        CostSensitiveClassifier(vaglio.SVC(), 1 - np.eye(3)).fit(*data.xy("target"))
    with pytest.raises(InputError, match="Name the target"):
        compare(data)


@pytest.mark.slow
def test_trials_resume_from_a_checkpoint(path, tmp_path, monkeypatch):
    data = scan(path).drop(["weight"])
    options = {"learners": ["naive-bayes"], "folds": 2, "noise": (), "missing": (), "sizes": ()}
    with streaming(checkpoint=tmp_path / "kept"):
        first = compare(data, "target", **options)
    with pytest.raises(InputError, match="resume"), streaming(checkpoint=tmp_path / "kept"):
        compare(data, "target", **options)
    fitted = []
    fit = vaglio.NaiveBayesClassifier.fit
    monkeypatch.setattr(
        vaglio.NaiveBayesClassifier, "fit", lambda self, *a, **k: fitted.append(1) or fit(self, *a, **k)
    )
    with streaming(checkpoint=tmp_path / "kept", resume=True):
        second = compare(data, "target", **options)
    assert second.reports[0].scores.tolist() == first.reports[0].scores.tolist()
    assert not fitted
    assert second.reports[0].size == first.reports[0].size


def test_changes_are_those_of_the_row_and_not_of_its_chunk(path):
    data = scan(path)
    noise = LabelNoise("target", ("maybe", "no", "yes"), 0.25, 5)
    gone = MissingValues("target", 0.25, 5)
    whole = data.read()
    noisy, again = (data.changing(noise).read(), scan(path, part_rows=800).changing(noise).read())
    assert noisy == again
    assert 0.2 < np.mean(noisy["target"] != whole["target"]) < 0.3
    assert noisy.drop("target") == whole.drop("target")
    incomplete = data.changing(gone).read()
    assert incomplete.column("target") == whole.column("target")
    assert 0.2 < incomplete.column("real").missing.mean() < 0.3
    assert incomplete == scan(path, part_rows=800).changing(gone).read()


def test_permutation_importance_from_disk(path):
    X, y = scan(path, part_rows=800).drop(["weight"]).xy("target")
    model = vaglio.NaiveBayesClassifier(likelihood="mdl").fit(X, y)
    found = permutation_importance(model, X, y)
    assert found.n_rows == 1000
    assert found == permutation_importance(model, *scan(path).drop(["weight"]).xy("target"))
    drawn = Rows.of(X, y).sample(1000)
    assert found == permutation_importance(model, drawn.X, drawn.y)


@pytest.mark.slow
def test_a_dask_frame_is_divided_like_a_scanned_table(frame, path):
    pytest.importorskip("distributed")
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    data = scan(path, part_rows=1500).drop(["weight"])
    options = {"learners": {"bayes": vaglio.BernoulliNB()}, "folds": 2, "noise": (0.2,), "missing": ()}
    from_disk = compare(data, "target", sizes=(), **options)
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        parts = dd.from_pandas(frame.drop(columns="weight"), npartitions=2, sort=False)
        on_dask = compare(parts, "target", sizes=(), **options)
        with streaming(client=client):
            by_tasks = compare(data, "target", sizes=(), **options)
        audited = vaglio.audit(parts, "target")
    for other in (on_dask, by_tasks):
        assert not other.reports[0].error
        assert other.reports[0].scores.tolist() == from_disk.reports[0].scores.tolist()
        assert other.reports[0].noise == from_disk.reports[0].noise
    assert audited.to_dict() == vaglio.audit(data, "target").to_dict()
