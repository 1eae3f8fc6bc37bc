"""Every run can be repeated: the command and the Python lines in a model file give the same model."""

from __future__ import annotations

import contextlib
import shlex

import pytest

import vaglio

from .conftest import run_here

MAKING = {
    "train": ["train", "--learner", "random-forest", "--set", "n_estimators=5", "--seed", "3"],
    "train-holdout": ["train", "--learner", "c45", "--holdout", "0.3", "--ignore", "year"],
    "train-levels": ["train", "--levels", "island=Dream<Biscoe<Torgersen", "--missing", "male", "--identifier", "year"],
    "tune": ["tune", "--learner", "knn", "--try", "n_neighbors=1,5", "--set", "weights=uniform", "--folds", "3"],
    "select": ["select", "--learner", "c45", "--learner", "naive-bayes", "--strategy", "quick", "--holdout", "0.4"],
    "nested": ["select", "--learner", "c45", "--folds", "2", "--outer-folds", "2", "--trials", "1"],
}


@pytest.mark.slow
@pytest.mark.parametrize("making", MAKING.values(), ids=MAKING)
def test_command_and_python_give_the_same_model(penguins, tmp_path, making):
    out = tmp_path / "first.vaglio"
    command, *more = making
    outcome = run_here(command, penguins, "--target", "species", *more, "--out", out)
    assert outcome.code == 0, outcome.err
    made = vaglio.load(out)
    with contextlib.chdir(penguins.parent):
        again = shlex.split(made.provenance["command"])[1:]
        assert run_here(*again, "--jobs", "1", "--out", tmp_path / "second.vaglio").code == 0
        names: dict = {}
        lines = made.provenance["python"].replace("'model.vaglio'", repr(str(tmp_path / "third.vaglio")))
        exec(lines, names)
    # Everything is the same but for how well it was measured to do, which only the command line notes.
    assert vaglio.load(tmp_path / "second.vaglio").digest == made.digest
    assert vaglio.load(tmp_path / "third.vaglio").digest == made.digest == names["model"].digest


def test_inspect_shows_both(penguins, tmp_path):
    out = tmp_path / "m.vaglio"
    run_here("train", penguins, "--target", "species", "--out", out)
    shown = run_here("inspect", out).out
    assert "vaglio train penguins.csv --target species" in shown
    assert "vaglio.read('penguins.csv', 'species')" in shown


@pytest.mark.slow
def test_the_same_command_gives_the_same_bytes(penguins, tmp_path):
    for name in ("a", "b"):
        run_here(
            "train", penguins, "--target", "species", "--learner", "logistic", "--out", tmp_path / f"{name}.vaglio"
        )
    assert (tmp_path / "a.vaglio").read_bytes() == (tmp_path / "b.vaglio").read_bytes()


def test_a_search_that_was_ended_early_says_so(penguins, tmp_path):
    out = tmp_path / "m.vaglio"
    run_here("tune", penguins, "--target", "species", "--budget", "0.001", "--jobs", "1", "--folds", "3", "--out", out)
    assert "ended early" in vaglio.load(out).provenance["python"]
