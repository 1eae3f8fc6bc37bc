"""Each learner of the registry, the whole way through the command line."""

from __future__ import annotations

import pytest

from vaglio.learn.registry import LEARNERS

from .conftest import run_here


@pytest.mark.parametrize("learner", LEARNERS)
def test_train_inspect_predict(learner, penguins, tmp_path):
    model, out = tmp_path / "m.vaglio", tmp_path / "predictions.csv"
    trained = run_here("train", penguins, "--target", "species", "--learner", learner, "--holdout", "0.3", "-o", model)
    assert trained.code == 0, trained.err
    assert "accuracy" in trained.out
    inspected = run_here("inspect", model)
    assert inspected.code == 0, inspected.err
    assert learner in inspected.out
    predicted = run_here("predict", model, penguins, "--out", out)
    assert predicted.code == 0, predicted.err
    assert len(out.read_text().splitlines()) == 345
    rules = run_here("rules", model)
    assert rules.code == (0 if "vaglio rules" in inspected.err else 1)
    assert ("IF " in rules.out) == (rules.code == 0)
