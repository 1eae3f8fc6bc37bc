"""The commands on tables out of core: ``--memory``, ``--workers``, folders and patterns."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.cli import _reading
from vaglio.learners.registry import find


@pytest.mark.slow
@pytest.mark.parametrize("levels", [[], ["--levels", "island=Biscoe<Dream<Torgersen"]])
@pytest.mark.parametrize("command", ["audit", "explore"])
def test_looking_at_a_table_gives_the_same_from_disk(penguins, command, levels):
    base = [command, penguins, "--target", "species", "--json", *levels]
    in_memory, from_disk = run_here(*base), run_here(*base, "--memory", "4GB")
    assert from_disk.code == 0, from_disk.err
    assert json.loads(in_memory.out) == json.loads(from_disk.out)


def test_drift_from_disk(penguins):
    base = ["audit", penguins, "--reference", penguins, "--json"]
    assert json.loads(run_here(*base).out) == json.loads(run_here(*base, "--memory", "4GB").out)


@pytest.mark.slow
def test_compare_and_select_from_disk(penguins, tmp_path):
    learners = ["--learner", "naive-bayes", "--learner", "id3", "--folds", "3", "--memory", "4GB"]
    compared = run_here("compare", penguins, "--target", "species", *learners, "--accuracy-only", "--json")
    assert compared.code == 0, compared.err
    assert {row["learner"] for row in json.loads(compared.out)["learners"]} == {"naive-bayes", "id3"}
    model = tmp_path / "m.vaglio"
    chosen = run_here(
        "select", penguins, "--target", "species", *learners, "--trials", "1", "--out", model,
        "--accept", "accuracy >= 0.5", "--json",
    )  # fmt: skip
    assert chosen.code == 0, chosen.err
    assert vaglio.load(model).target == "species"
    assert json.loads(chosen.out)["acceptance"]["accepted"]


def test_a_table_beyond_memory_streams_with_a_word_or_is_refused(penguins, monkeypatch):
    monkeypatch.setattr(_reading, "_needed", lambda source: 1 << 50)
    streamed = run_here("audit", penguins, "--target", "species")
    assert streamed.code == 0, streamed.err
    assert "is read in chunks" in streamed.err
    refused = run_here("trace", penguins, "--target", "species")
    assert refused.code != 0
    assert "--sample" in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["select", "--search", "halving"], "--search halving"),
        (["select", "--scoring", "nothing"], "--scoring"),
        (["compare", "--learner", "id3", "--learner", "knn", "--sample", "10"], "--sample"),
        (["compare", "--learner", "id3", "--learner", "knn", "--resume"], "--checkpoint"),
        (["audit", "--workers", "2", "--scheduler", "tcp://x:1"], "Use "),
    ],
)
def test_what_does_not_go_together_is_one_sentence(penguins, options, said):
    command, *more = options
    memory = [] if "--scheduler" in more else ["--memory", "4GB"]
    done = run_here(command, penguins, "--target", "species", *memory, *more)
    assert done.code == 2
    assert said in done.err


@pytest.fixture
def folder(penguins, tmp_path):
    # The same cells: they pass through as they are written.
    names, *rows = penguins.read_text().splitlines(keepends=True)
    (tmp_path / "rows").mkdir()
    for number, first in enumerate(range(0, len(rows), 120)):
        (tmp_path / "rows" / f"{number}.csv").write_text("".join([names, *rows[first : first + 120]]))
    return tmp_path / "rows"


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--memory", "4GB"], ["--memory", "1MB"]])
def test_a_folder_and_a_pattern_are_predicted_as_one_file(penguins, folder, tmp_path, options):
    model = tmp_path / "m.vaglio"
    trained = run_here("train", folder, "--target", "species", "--learner", "naive-bayes", "--out", model)
    assert "several files, which are read in chunks" in trained.err
    assert f"explain {model} {folder}" in trained.err
    expected = run_here("predict", model, penguins).out
    assert len(expected.splitlines()) > 300
    for source in (folder, folder / "*.csv"):
        outcome = run_here("predict", model, source, *options)
        assert outcome.code == 0, outcome.err
        assert outcome.out == expected
    assert run_here("explain", model, folder, "--sample", "50").code == 0
    assert run_here("evaluate", model, folder).code == 0


@pytest.mark.slow
def test_workers_predict_what_is_predicted_here(folder, tmp_path):
    model = tmp_path / "m.vaglio"
    run_here("train", folder, "--target", "species", "--learner", "id3", "--out", model)
    here, there = (run_here("predict", model, folder, *more) for more in ([], ["--workers", "2"]))
    assert there.code == 0, there.err
    assert there.out == here.out


def test_codes_of_a_model_are_not_read_as_numbers(tmp_path):
    """What the model takes for words is words in rows that are read in parts, too: 01 is not 1."""
    table, model = tmp_path / "codes.csv", tmp_path / "m.vaglio"
    table.write_text("code,late\n" + "01,no\n1,yes\n" * 30)
    run_here("train", table, "--target", "late", "--nominal", "code", "--learner", "id3", "--out", model)
    said = json.loads(run_here("evaluate", model, table, "--json").out)
    in_parts = run_here("evaluate", model, table, "--memory", "4GB", "--json")
    assert json.loads(in_parts.out)["measures"] == said["measures"]
    assert run_here("predict", model, table, "--memory", "4GB").out == run_here("predict", model, table).out


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


@pytest.mark.slow
def test_a_test_table_and_a_model_are_evaluated_in_parts(table, tmp_path):
    out = tmp_path / "m.vaglio"
    said = ("train", table, "--target", "species", "--learner", "naive-bayes", "--out", out)
    outcome = run_here(*said, "--memory", "4GB", "--test", table, "--json")
    figures = json.loads(outcome.out)["evaluation"]
    assert figures["how"] == "on the test table"
    lazy = json.loads(run_here("evaluate", out, table, "--memory", "4GB", "--json").out)
    eager = json.loads(run_here("evaluate", out, table, "--json").out)
    assert lazy["measures"] == eager["measures"] == figures["measures"]


def test_checkpoints_are_kept_and_resumed(table, tmp_path):
    said = ("train", table, "--target", "species", "--learner", "naive-bayes", "--set", "likelihood=gaussian")
    said = (*said, "--out", tmp_path / "m.vaglio", "--checkpoint", tmp_path / "kept")
    assert run_here(*said).code == 0
    first = vaglio.load(tmp_path / "m.vaglio").digest
    assert "has the checkpoint of an earlier training" in run_here(*said).err
    assert run_here(*said, "--resume").code == 0
    assert vaglio.load(tmp_path / "m.vaglio").digest == first


def test_a_sample_goes_with_every_learner(table, tmp_path):
    out = tmp_path / "m.vaglio"
    outcome = run_here("train", table, "--target", "species", "--learner", "ripper", "--sample", "300", "--out", out)
    assert "Trained ripper on 300 rows" in outcome.out
    outcome = run_here("audit", table, "--target", "species", "--sample", "200")
    assert outcome.code == 0
    assert "200" in outcome.out


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--holdout", "0.3"], ["--folds", "3"]])
def test_a_learner_is_evaluated_on_rows_that_stay_on_disk(how, table, tmp_path):
    said = [table, "--target", "species", "--learner", "naive-bayes", "--memory", "4GB", "--positive", "Adelie", *how]
    outcome = run_here("train", *said, "--accept", "accuracy>=0.9", "--out", tmp_path / "m.vaglio")
    assert outcome.code == 0, outcome.err
    assert "rows assigned by a hash of the row number" in outcome.out
    model = vaglio.load(tmp_path / "m.vaglio")
    assert model.provenance["scores"]["accuracy"] > 0.9
    assert run_here("evaluate", *said).code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memory", "lots"], "--memory: 'lots' is not a size"),
        (["--resume"], "Set --checkpoint"),
        (["--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], "Use "),
        (["--memory", "4GB", "--folds", "3", "--checkpoint", "kept"], "cannot be combined with --folds"),
        (["--memory", "4GB", "--levels", "island=ordinal"], "List them from lowest to highest"),
        (["--memory", "4GB", "--nominal", "nothing"], "There is no column 'nothing'"),
        (["--memory", "64MB"], "set a limit of at least"),
        (["--memory", "4GB", "--learner", "svm"], "--sample N"),
    ],
)
def test_what_does_not_go_together_is_said(options, said, table, tmp_path):
    learner = [] if "--learner" in options else ["--learner", "naive-bayes"]
    outcome = run_here("train", table, "--target", "species", "--out", tmp_path / "m.vaglio", *learner, *options)
    assert outcome.code in (1, 2)
    assert said in outcome.err
