"""``vaglio datasets``."""

from __future__ import annotations

import json

import pytest
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


@pytest.mark.slow
def test_a_bundled_table_is_used_by_name_wherever_a_table_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_here("trace", "play").code == 0
    assert run_here("train", "penguins", "--out", "m.vaglio").code == 0
    for words in (
        ["predict", "m.vaglio", "penguins"],
        ["evaluate", "m.vaglio", "penguins"],
        ["explain", "m.vaglio", "penguins", "--row", "1"],
        ["audit", "iris"],
        ["explore", "wine", "--percentile", "90"],
    ):
        outcome = run_here(*words)
        assert outcome.code == 0, outcome.err
    assert "vaglio.datasets.load('penguins')" in run_here("inspect", "m.vaglio").out
    assert run_here("train", "penguins", "--target", "island", "--out", "n.vaglio").code == 0
    assert "roles={'species': 'input', 'island': 'target'}" in run_here("inspect", "n.vaglio").out
    refused = run_here("audit", "penguins", "--read", "delimiter=;")
    assert (refused.code, "bundled table" in refused.err) == (2, True)


def test_a_file_of_that_name_wins_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "play").write_text("a,y\n" + "".join(f"{i * 3},{'pq'[i % 2]}\n" for i in range(20)))
    outcome = run_here("audit", "play", "--target", "y")
    assert outcome.code == 0
    assert "'play' is a file in this folder" in outcome.err
    assert "20 rows" in outcome.out


def test_transactions_are_audited_learned_and_predicted(tmp_path):
    baskets, new, model = tmp_path / "baskets.txt", tmp_path / "new.txt", tmp_path / "m.vaglio"
    baskets.write_text(
        "".join(f"t{i},{'milk,jam' if i % 3 else 'beer,chips'}{',bread' * (i % 2)}\n" for i in range(30))
    )
    new.write_text("n1,milk\nn2,chips,wine\n")
    how = ["--read", "kind=transactions"]
    for command in ("audit", "explore"):
        outcome = run_here(command, baskets, "--target", "beer", *how)
        assert outcome.code == 0, outcome.err
        assert "inconsistent" not in outcome.out
    assert "milk" in outcome.out
    assert run_here("train", baskets, "--target", "beer", "--out", model, *how).code == 0
    lines = run_here("predict", model, new, *how).out.splitlines()
    assert [line.split(",")[-3] for line in lines[1:]] == ["false", "true"]
    assert run_here("audit", baskets, "--read", "kind=baskets").code == 2
