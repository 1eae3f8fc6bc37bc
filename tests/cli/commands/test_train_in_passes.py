"""``vaglio train --memory`` and its relatives."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.learners.registry import find


@pytest.fixture
def table(tmp_path):
    frame = vaglio.datasets.load("penguins").to_frame()
    frame = frame.loc[frame.index.repeat(6)].reset_index(drop=True)
    frame["row"] = range(len(frame))
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=500, index=False)
    return tmp_path / "rows.parquet"


def test_memory_gives_the_model_of_the_library(table, tmp_path):
    out = tmp_path / "m.vaglio"
    said = ("train", table, "--target", "species", "--learner", "naive-bayes", "--out", out)
    outcome = run_here(*said, "--memory", "4GB", "--set", "likelihood=mdl")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("Trained naive-bayes on 2,064 rows")
    assert "'row'" in outcome.err
    assert "or --test FILE" in outcome.err
    X, y = vaglio.scan(table).drop(["row"]).xy("species")
    expected = find("naive-bayes").make().set_params(likelihood="mdl", n_jobs=-1).fit(X, y)
    assert vaglio.load(out).digest == expected.fitted_.digest


def test_a_test_table_and_a_model_are_evaluated_in_parts(table, tmp_path):
    out = tmp_path / "m.vaglio"
    said = ("train", table, "--target", "species", "--learner", "naive-bayes", "--out", out)
    outcome = run_here(*said, "--memory", "4GB", "--test", table, "--json")
    figures = json.loads(outcome.out)["evaluation"]
    assert figures["how"] == "on the test table, read in parts"
    lazy = json.loads(run_here("evaluate", out, table, "--memory", "4GB", "--json").out)
    eager = json.loads(run_here("evaluate", out, table, "--json").out)
    assert lazy["measures"] == eager["measures"] == figures["measures"]


def test_checkpoints_are_kept_and_resumed(table, tmp_path):
    said = ("train", table, "--target", "species", "--learner", "naive-bayes", "--set", "likelihood=gaussian")
    said = (*said, "--out", tmp_path / "m.vaglio", "--checkpoint", tmp_path / "kept")
    assert run_here(*said).code == 0
    first = vaglio.load(tmp_path / "m.vaglio").digest
    assert "go on from it with resume" in run_here(*said).err
    assert run_here(*said, "--resume").code == 0
    assert vaglio.load(tmp_path / "m.vaglio").digest == first


def test_a_sample_goes_with_every_learner(table, tmp_path):
    out = tmp_path / "m.vaglio"
    outcome = run_here("train", table, "--target", "species", "--learner", "ripper", "--sample", "300", "--out", out)
    assert outcome.out.startswith("Trained ripper on 300 rows")
    outcome = run_here("audit", table, "--target", "species", "--sample", "200")
    assert outcome.code == 0
    assert "200" in outcome.out


@pytest.mark.parametrize("how", [["--holdout", "0.3"], ["--folds", "3"]])
def test_a_learner_is_evaluated_on_rows_that_stay_on_disk(how, table, tmp_path):
    said = [table, "--target", "species", "--learner", "naive-bayes", "--memory", "4GB", "--positive", "Adelie", *how]
    outcome = run_here("train", *said, "--accept", "accuracy>=0.9", "--out", tmp_path / "m.vaglio")
    assert outcome.code == 0, outcome.err
    assert "read in parts" in outcome.out
    model = vaglio.load(tmp_path / "m.vaglio")
    assert model.provenance["scores"]["accuracy"] > 0.9
    assert run_here("evaluate", *said).code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memory", "lots"], "--memory: 'lots' is no size"),
        (["--resume"], "name its folder with --checkpoint"),
        (["--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], "choose one"),
        (["--memory", "4GB", "--folds", "3", "--checkpoint", "kept"], "does not go with --folds"),
        (["--memory", "4GB", "--levels", "island=ordinal"], "give its values in order"),
        (["--memory", "4GB", "--nominal", "nothing"], "there is no column 'nothing'"),
        (["--memory", "64MB"], "is the least that works"),
        (["--memory", "4GB", "--learner", "svm"], "--sample N"),
    ],
)
def test_what_does_not_go_together_is_said(options, said, table, tmp_path):
    learner = [] if "--learner" in options else ["--learner", "naive-bayes"]
    outcome = run_here("train", table, "--target", "species", "--out", tmp_path / "m.vaglio", *learner, *options)
    assert outcome.code in (1, 2)
    assert said in outcome.err
