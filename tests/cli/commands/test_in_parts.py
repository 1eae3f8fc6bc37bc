"""Commands on tables that are read in parts: the same answers as in memory, or a sentence."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.cli import _reading


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
    assert "it is read in parts" in streamed.err
    refused = run_here("report", penguins, "--target", "species")
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
        (["audit", "--workers", "2", "--scheduler", "tcp://x:1"], "choose one"),
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
    rows = vaglio.read(penguins).to_frame()
    (tmp_path / "rows").mkdir()
    for number, first in enumerate(range(0, len(rows), 120)):
        rows.iloc[first : first + 120].to_csv(tmp_path / "rows" / f"{number}.csv", index=False)
    return tmp_path / "rows"


@pytest.mark.parametrize("options", [[], ["--memory", "4GB"], ["--memory", "1MB"]])
def test_a_folder_and_a_pattern_are_predicted_as_one_file(penguins, folder, tmp_path, options):
    model = tmp_path / "m.vaglio"
    trained = run_here("train", folder, "--target", "species", "--learner", "naive-bayes", "--out", model)
    assert "several files: they are read in parts" in trained.err
    assert f"explain {model} {folder} --sample 1000" in trained.err
    expected = run_here("predict", model, penguins).out
    assert len(expected.splitlines()) > 300
    for source in (folder, folder / "*.csv"):
        outcome = run_here("predict", model, source, *options)
        assert outcome.code == 0, outcome.err
        assert outcome.out == expected
    assert run_here("explain", model, folder, "--sample", "50").code == 0
    assert run_here("evaluate", model, folder).code == 0


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
