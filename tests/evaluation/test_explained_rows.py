"""Rows of a table explained, with their true class."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.explained_rows import explain_tables, true_classes


@pytest.fixture(scope="module")
def table() -> vaglio.Table:
    return vaglio.datasets.load("penguins")


@pytest.fixture(scope="module")
def model(table):
    X, y = table.xy("species")
    return vaglio.C45Classifier(max_depth=2).fit(X, y).fitted_


def explained(model, table, *args, **options):
    """The rows of the whole table; those of its chunks must be the same."""
    found, chosen = explain_tables(model, [table], *args, **options)
    parts = [table[at : at + 50] for at in range(0, len(table), 50)]
    again, count = explain_tables(model, iter(parts), *args, **options)
    assert [row.to_dict() for row in again] == [row.to_dict() for row in found]
    assert count == chosen
    return found, chosen


def test_wrong_rows_are_those_the_model_gets_wrong(model, table):
    true = true_classes(model, table, "species")
    found, chosen = explained(model, table, "species", wrong=True)
    assert [row.number - 1 for row in found] == np.flatnonzero(model.predict(table) != np.array(true)).tolist()
    assert all(", wrong: the true class is" in row.heading for row in found)
    assert chosen == len(found)


def test_least_confident_rows_come_in_the_order_of_their_probability(model, table):
    found, chosen = explained(model, table, least_confident=True, most=20)
    probability = model.predict_proba(table).max(axis=1)
    assert [row.number - 1 for row in found] == np.argsort(probability, kind="stable")[:20].tolist()
    assert chosen == len(table)


def test_rows_have_the_number_a_person_counts(model, table):
    found, _ = explained(model, table, numbers=[103, 1])
    assert [row.number for row in found] == [103, 1]
    assert found[0].to_text().startswith("Row 103\n")
    with pytest.raises(InputError, match="There is no row 345"):
        explain_tables(model, [table], numbers=[345])


def test_a_learner_without_probabilities_cannot_order_its_rows(table):
    X, y = table.xy("species")
    model = vaglio.Perceptron().fit(X, y).fitted_
    with pytest.raises(InputError, match="no probabilities"):
        explain_tables(model, [table], least_confident=True)
