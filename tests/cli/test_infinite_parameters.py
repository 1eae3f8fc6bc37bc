"""``--set name=inf``: every number takes it where its limits allow, and says so where they do not."""

from __future__ import annotations

import math
import warnings
from typing import get_args

import numpy as np
import pytest

import vaglio
from vaglio.cli._learners import make_learner
from vaglio.cli._options import UsageError
from vaglio.errors import VaglioError
from vaglio.learners.parameter_text import parse_value
from vaglio.learners.registry import learners_of
from vaglio.model.families import Task

from .conftest import run_here

NUMBERS = [
    (task, learner, name)
    for task in get_args(Task)
    for learner, entry in learners_of(task).items()
    for name, value in entry.make().get_params(deep=False).items()
    if isinstance(value, float)
]


def test_inf_is_a_number_and_not_a_word() -> None:
    assert parse_value("inf") == math.inf
    assert parse_value("-inf") == -math.inf
    assert parse_value("[inf]") == "[inf]"


@pytest.mark.parametrize(("task", "learner", "name"), NUMBERS)
def test_taken_or_refused_by_the_limits(task: Task, learner: str, name: str) -> None:
    try:
        estimator = make_learner(learner, [f"{name}=inf"], 0, 1, task=task)
    except UsageError as error:
        assert f"'{name}' parameter" in str(error)
        assert "Got inf instead" in str(error)
        return
    assert estimator.get_params()[name] == math.inf
    X, y = vaglio.datasets.load("iris").xy("species")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = estimator.fit(X.to_frame()[:100], y[:100] if task == "classification" else np.arange(100.0))
        except VaglioError:
            return  # a clear word, for example that no hyperplane separates the classes
    assert len(model.predict(X.to_frame()[:3])) == 3


def test_a_hard_margin_from_the_command_line(tmp_path) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.vaglio"
    table.write_text("a,b,c\n" + "".join(f"{i + 0.5},{i % 3},{'low' if i < 20 else 'high'}\n" for i in range(40)))
    options = ("--target", "c", "--learner", "svm", "--set", "kernel=linear", "--set", "C=inf", "-o", model)
    done = run_here("train", table, *options)
    assert done.code == 0, done.err
    assert run_here("predict", model, table).code == 0
    assert str(vaglio.load(model).params["C"]) == "inf"
