"""Warnings of learners in the language of the reader."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.cli.conftest import run_here

import vaglio
from vaglio.errors import reason_of
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message

STOPPED = {
    "logistic": (vaglio.LogisticRegression(max_iter=1), "Aumenta max_iter"),
    "perceptron": (vaglio.Perceptron(max_iter=2), "max_iter è troppo piccolo"),
    "perceptron, no progress": (vaglio.Perceptron(n_iter_no_change=1), "dopo 1 passata senza"),
    "svm": (vaglio.SVC(max_iter=1), "riscala le colonne"),
    "optimal-tree": (vaglio.OptimalTreeClassifier(max_depth=4, work_limit=0.0001), "La ricerca si è fermata"),
    "optimal-tree, time": (vaglio.OptimalTreeClassifier(max_depth=4, time_limit=1e-6, work_limit=None), "può trovare"),
}


@pytest.mark.parametrize("name", STOPPED)
def test_training_that_stopped_early_is_told_in_italian(name):
    estimator, words = STOPPED[name]
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 2, 200)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    (message,) = [reason_of(each.message) for each in told if each.category is ConvergenceWarning]
    assert isinstance(message, Message)
    assert words in Locale("it").text(message)


def test_the_command_line_shows_it_in_italian(tmp_path, monkeypatch):
    monkeypatch.setenv("VAGLIO_LANG", "it")
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(60, 2)), rng.choice(["yes", "no"], 60)
    lines = [f"{a:.3f},{b:.3f},{label}" for (a, b), label in zip(rows, labels, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c", *lines]))
    how = ("--target", "c", "--learner", "perceptron", "--set", "max_iter=2", "-o", tmp_path / "m.vaglio")
    shown = run_here("train", tmp_path / "t.csv", *how)
    assert shown.code == 0, shown.err
    assert "max_iter è troppo piccolo" in shown.err
