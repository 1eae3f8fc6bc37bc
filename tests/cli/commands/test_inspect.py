"""``vaglio inspect``, and model files that are damaged."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.fitted import load


def test_inspect_shows_what_the_file_holds(model):
    outcome = run_here("inspect", model)
    assert outcome.code == 0
    for word in ("c45", "Adelie, Chinstrap, Gentoo", "344 rows", "bill_length_mm", "Biscoe, Dream, Torgersen"):
        assert word in outcome.out
    data = json.loads(run_here("inspect", model, "--json").out)
    assert data["learner"] == "c45"
    assert data["provenance"]["training"]["rows"] == 344


@pytest.mark.parametrize("command", ["inspect", "rules"])
def test_a_damaged_model_is_refused(model, tmp_path, command):
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged = tmp_path / "damaged.vaglio"
    damaged.write_bytes(content)
    outcome = run_here(command, damaged)
    assert outcome.code == 1
    assert "damaged" in outcome.err


def test_inspect_tells_the_proof_of_an_optimal_tree_and_what_folds_chose(penguins, tmp_path):
    made = tmp_path / "made.vaglio"
    run_here(
        "train", penguins, "--target", "species", "--learner", "optimal-tree", "--set", "max_depth=2", "--out", made
    )
    assert "proof       optimal: no tree within the limits has an objective below" in run_here("inspect", made).out
    found = json.loads(run_here("inspect", made, "--json").out)["provenance"]["found"]
    assert found["proved"] is True
    assert found["stopped_by"] is None
    assert found["objective"] == found["lower_bound"] < found["greedy_objective"]
    run_here("train", penguins, "--target", "species", "--learner", "cart", "--set", "shrinkage=cv", "--out", made)
    chosen = json.loads(run_here("inspect", made, "--json").out)["provenance"]["chosen"]
    assert f"shrinkage = {chosen['shrinkage']:g} (by cross-validation)" in run_here("inspect", made).out


def test_inspect_counts_averaged_models_their_rounds_and_all_trees(penguins, tmp_path):
    made = tmp_path / "made.vaglio"
    few = [f"--set={one}" for one in ("max_iter=4", "n_models=2", "random_state=0")]
    run_here("train", penguins, "--target", "species", "--learner", "gradient-boosting", *few, "--out", made)
    size = json.loads(run_here("inspect", made, "--json").out)["size"]
    assert size["averaged_models"] == 2 + 5
    assert size["trees"] == size["averaged_models"] * size["rounds"] * 3
    assert (
        f"7 averaged models, {size['rounds']} rounds each, {size['trees']} trees in total"
        in run_here("inspect", made).out
    )
    text = run_here("rules", made).out
    assert "The model is the mean of 7 models" in text
    assert "divided by 7" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "evaluated",
    [
        ("--test", "some.csv"),
        *(
            pytest.param(words, marks=pytest.mark.nightly)
            for words in (("--folds", 3), ("--holdout", 0.3), ("--loo",), ("--folds", 2, "--repeat", 2))
        ),
    ],
)
def test_the_recipe_of_a_model_of_numbers_makes_its_intervals_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluated: tuple[object, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = vaglio.datasets.load("penguins").to_frame().iloc[::4]
    frame.to_csv("all.csv", index=False)
    frame.iloc[::2].to_csv("some.csv", index=False)
    words = ("train", "all.csv", "--target", "bill_length_mm", "--learner", "linear", *evaluated, "--out", "m.vaglio")
    assert run_here(*words).code == 0
    model, made = load(Path("m.vaglio")), dict[str, Any]()
    exec(model.provenance["python"], made)
    command = [*shlex.split(model.provenance["command"])[1:], "--out", "again.vaglio"]
    assert run_here(*command).code == 0
    for again in (made["model"], load(Path("again.vaglio"))):
        assert again.digest == model.digest
        assert again.residuals.values.tolist() == model.residuals.values.tolist()
        assert again.predicted_numbers == model.predicted_numbers
