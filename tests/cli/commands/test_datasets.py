"""``vaglio datasets``."""

from __future__ import annotations

import json

from tests.cli.conftest import run_here

import vaglio


def test_datasets_lists_and_writes(tmp_path):
    listing = run_here("datasets")
    assert "penguins" in listing.out
    assert {entry["name"] for entry in json.loads(run_here("datasets", "--json").out)} == set(vaglio.datasets.names())
    out = tmp_path / "iris.parquet"
    outcome = run_here("datasets", "iris", "--out", out)
    assert "--target species" in outcome.err
    assert vaglio.read(out).shape == (150, 5)


def test_a_dataset_that_is_not_there():
    outcome = run_here("datasets", "penguin")
    assert outcome.code == 1
    assert "did you mean 'penguins'" in outcome.err
