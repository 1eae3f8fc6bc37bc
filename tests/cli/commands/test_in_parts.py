"""Commands on tables that are read in parts: the same answers as in memory, or a sentence."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.cli import _capacity


@pytest.mark.parametrize("command", ["audit", "explore"])
def test_looking_at_a_table_gives_the_same_from_disk(penguins, command):
    base = [command, penguins, "--target", "species", "--json"]
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
    monkeypatch.setattr(_capacity, "_needed", lambda source: 1 << 50)
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
        (["audit", "--nominal", "island"], "--nominal"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(penguins, options, said):
    command, *more = options
    memory = [] if "--scheduler" in more else ["--memory", "4GB"]
    done = run_here(command, penguins, "--target", "species", *memory, *more)
    assert done.code == 2
    assert said in done.err
