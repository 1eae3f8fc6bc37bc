from __future__ import annotations

import pandas as pd
import pytest

from vaglio.encode import Codebook, Feature
from vaglio.table import Column, Table


@pytest.mark.parametrize("known", [("no", "yes"), ("No", "Yes"), ("N", "Y"), ("f", "t")])
def test_words_for_yes_and_no_are_met_in_any_case(known: tuple[str, str]):
    feature = Feature("a", "nominal", known)
    assert [feature.code(spelt) for word in known for spelt in (word.lower(), word.upper())] == [0, 0, 1, 1]
    assert feature.code("maybe") == -1


def test_other_words_keep_their_case():
    assert Feature("a", "nominal", ("red", "blue")).code("RED") == -1


def test_spellings_that_training_kept_apart_stay_apart():
    feature = Feature("a", "nominal", ("NO", "YES", "yes"))
    assert [feature.code(word) for word in ("YES", "yes", "Yes", "no")] == [1, 2, -1, 0]


def test_true_in_several_spellings_is_one_category():
    table = Table([Column.nominal("a", [0, 1, 2, 3], ("FALSE", "TRUE", "True", "false"))])
    codebook = Codebook.learn(table)
    (feature,) = codebook.features
    assert len(feature.categories) == 2
    assert Feature.from_state(feature.to_state()) == feature
    assert codebook.encode(table).codes[:, 0].tolist() == [0, 1, 1, 0]
    assert codebook.encode(pd.DataFrame({"a": [True, False]})).codes[:, 0].tolist() == [1, 0]


def test_dates_are_kept_and_words_are_read_as_dates():
    codebook = Codebook.learn(pd.DataFrame({"when": pd.to_datetime(["2024-01-01", "2024-01-03"]), "n": [1.0, 2.0]}))
    again = Codebook.from_state(codebook.to_state())
    assert {name: cell_format.kind for name, cell_format in again.cell_formats.items()} == {
        "when": "date",
        "n": "numeric",
    }
    days = again.encode(pd.DataFrame({"when": ["2024-01-02"], "n": [1.0]})).numeric[0, 0]
    assert days == (pd.Timestamp("2024-01-02") - pd.Timestamp("1970-01-01")).days


def test_states_without_dates_are_as_before():
    assert Feature("n").to_state() == {"name": "n", "kind": "numeric", "categories": []}
