"""A further engine is one file: ``toy_engine.py`` holds its rows as a list of tables."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from sklearn.base import clone
from tests.contracts.package_copy import PackageCopy
from tests.contracts.toy_engine import Pages, PagesSource

import vaglio
from vaglio.table import Table


@pytest.fixture(scope="module")
def table() -> Table:
    return vaglio.datasets.load("penguins")


@pytest.fixture(scope="module")
def pages(table) -> Pages:
    whole = table.labelled("species")
    return Pages(tuple(whole[at : at + 100] for at in range(0, len(whole), 100)))


LEARNERS = {"bayes": vaglio.NaiveBayesClassifier(likelihood="mdl"), "cart": vaglio.CARTClassifier(max_bins=16)}


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_model_is_that_of_rows_in_memory(learner, table, pages):
    X, y = table.xy("species")
    ours = clone(LEARNERS[learner]).fit(X, y).fitted_
    source = PagesSource.of_table(pages, "species")
    theirs = clone(LEARNERS[learner]).fit(source.X, source.y).fitted_
    assert theirs.digest == ours.digest
    np.testing.assert_array_equal(theirs.predict(source.X), ours.predict(X))
    np.testing.assert_array_equal(theirs.predict_proba(source.X), ours.predict_proba(X))
    assert vaglio.evaluate(theirs, pages, "species").to_dict() == vaglio.evaluate(ours, X, y).to_dict()


@pytest.mark.slow
def test_everything_that_knows_rows_knows_these(pages):
    selection = vaglio.select(pages, "species", learners=LEARNERS, folds=2, search="none", progress=False)
    assert selection.rows == {"held": "in pages", "divided": "by a hash of the row number"}
    assert selection.score > 0.8
    comparison = vaglio.compare(pages, "species", learners=LEARNERS, folds=2, progress=False)
    assert [report.error for report in comparison.reports] == ["", ""]
    assert comparison.reports[0].missing[0.2] < comparison.reports[0].score.value
    assert vaglio.audit(pages, "species").to_dict()["rows"] == len(PagesSource.of_table(pages, "species"))


@pytest.mark.slow
def test_in_the_package_it_is_one_file_and_no_other_is_changed(tmp_path):
    package = PackageCopy(tmp_path)
    copy(Path(__file__).with_name("toy_engine.py"), package.package / "engines" / "pages.py")
    assert package.touched() == (["engines/pages.py"], [])
    found = package.run("""
from vaglio.engines.pages import Pages, PagesSource
table = vaglio.datasets.load("iris").labelled("species")
pages = Pages(tuple(table[at : at + 60] for at in range(0, len(table), 60)))
bayes = vaglio.NaiveBayesClassifier(likelihood="mdl")
selection = vaglio.select(pages, "species", learners={"bayes": bayes}, folds=2, search="none", progress=False)
found["held"] = selection.rows["held"]
source = PagesSource.of_table(pages, "species")
found["same"] = bayes.fit(source.X, source.y).fitted_.digest == bayes.fit(*table.xy()).fitted_.digest
""")
    assert found == {"held": "in pages", "same": True}
