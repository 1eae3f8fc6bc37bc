"""Rows of a table explained, with their true class."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.explained_rows import choose_rows, explain_table, true_classes


@pytest.fixture(scope="module")
def table() -> vaglio.Table:
    return vaglio.datasets.load("penguins")


@pytest.fixture(scope="module")
def model(table):
    X, y = table.xy("species")
    return vaglio.C45Classifier(max_depth=2).fit(X, y).fitted_


def test_wrong_rows_are_those_the_model_gets_wrong(model, table):
    true = true_classes(model, table, "species")
    chosen = choose_rows(model, table, true, wrong=True)
    assert chosen.tolist() == np.flatnonzero(model.predict(table) != np.array(true)).tolist()
    assert all(", wrong: the true class is" in row.heading for row in explain_table(model, table, chosen, true))


def test_unsure_rows_come_in_the_order_of_their_probability(model, table):
    chosen = choose_rows(model, table, [None] * len(table), unsure=True)
    probability = model.predict_proba(table).max(axis=1)[chosen]
    assert (np.diff(probability) >= 0).all()
    assert sorted(chosen) == list(range(len(table)))


def test_rows_have_the_number_a_person_counts(model, table):
    true = true_classes(model, table, None)
    chosen = choose_rows(model, table, true, numbers=[3, 1])
    explained = explain_table(model, table, chosen, true)
    assert [row.number for row in explained] == [3, 1]
    assert explained[0].to_text().startswith("Row 3\n")
    with pytest.raises(InputError, match="There is no row 345"):
        choose_rows(model, table, true, numbers=[345])


def test_a_learner_without_probabilities_cannot_order_its_rows(table):
    X, y = table.xy("species")
    model = vaglio.Perceptron().fit(X, y).fitted_
    with pytest.raises(InputError, match="no probabilities"):
        choose_rows(model, table, [None] * len(table), unsure=True)
