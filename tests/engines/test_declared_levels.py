"""Levels that are declared for a table on disk: the model of the same table in memory, from every source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.engines.conftest import sha

import vaglio
from vaglio import scan, streaming
from vaglio.errors import ColumnError, InputError
from vaglio.table import write

LEVELS = {"code": "nominal", "size": ["small", "medium", "large"], "rare": "asymmetric", "day": "date"}


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(8)
    n = 900
    rows = pd.DataFrame(
        {
            "real": random.normal(size=n),
            "count": random.integers(0, 30, n),
            "code": random.choice([4, 10, 7, 300], n),
            "size": random.choice(["small", "large", "medium"], n),
            "rare": random.choice(["no", "yes"], n, p=[0.9, 0.1]),
            "day": pd.Timestamp("2024-03-01").strftime("%Y-%m-%d"),
        }
    )
    rows.loc[random.random(n) < 0.1, "real"] = np.nan
    rows["target"] = np.where(rows["real"].fillna(0) + (rows["code"] == 7) + random.normal(size=n) > 0.5, "yes", "no")
    return rows


@pytest.fixture(scope="module", params=["rows.parquet", "rows.csv", "rows.jsonl"])
def source(request, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / request.param
    write(rows, path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", [vaglio.NaiveBayesClassifier(likelihood="mdl"), vaglio.CARTClassifier(max_bins=32, random_state=0)]
)
def test_the_model_is_that_of_the_table_in_memory(source, rows, learner):
    X, y = vaglio.read(rows, "target", levels=LEVELS, roles={"day": "input"}).xy()
    expected = sha(learner.fit(X, y))
    data = scan(source, levels=LEVELS)
    assert data.kinds["code"] == "nominal"
    assert data.kinds["day"] == "date"
    for chunk in (70, 1000):
        with streaming(chunk_rows=chunk):
            assert sha(learner.fit(*data.xy("target"))) == expected
    assert sha(learner.fit(*data.read().xy("target"))) == expected


def test_all_sources_of_the_same_types_give_one_model(rows, tmp_path):
    """Numbers, words and missing values are the same in every format; codes are what they are declared to be."""
    found = set()
    for name in ("rows.parquet", "rows.csv", "rows.jsonl"):
        write(rows.drop(columns="day"), tmp_path / name)
        data = scan(tmp_path / name, levels={"code": "numeric"})
        found.add(sha(vaglio.NaiveBayesClassifier().fit(*data.xy("target"))))
    assert len(found) == 1


def test_samples_and_heads_have_the_levels(source):
    data = scan(source, levels=LEVELS)
    for table in (data.head(20), data.sample(30), *data.chunks(400)):
        assert table.column("code").kind == "nominal"
        assert table.column("size").level == "ordinal"
        assert table.column("size").categories == ("small", "medium", "large")


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"size": "ordinal"}, "List them from lowest to highest"),
        ({"size": "text"}, "Free text must fit in memory"),
        ({"size": "wrong"}, "the level must be"),
    ],
)
def test_levels_that_cannot_be_are_refused(source, levels, said):
    with pytest.raises(InputError, match=said):
        scan(source, levels=levels)


def test_a_value_outside_the_order_and_a_column_that_is_not_there_are_named(source):
    data = scan(source, levels={"size": ["small", "medium"]})
    with pytest.raises(InputError, match=r"rows\..*'large' in row .*not in the given order"):
        vaglio.NaiveBayesClassifier().fit(*data.xy("target"))
    with pytest.raises(ColumnError, match="nothing"):
        scan(source, levels={"nothing": "nominal"})
