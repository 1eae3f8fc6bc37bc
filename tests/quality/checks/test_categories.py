"""Rare categories, spellings, and numbers mixed with words."""

from __future__ import annotations

import numpy as np

import vaglio
from vaglio.table import Table

from .findings import the


def test_spelling_variants_and_rare_values():
    town = np.array(["Rome"] * 120 + ["rome"] * 5 + ["Rmoe"] + ["Paris"] * 120 + ["São Paulo"] * 50 + ["Sao Paulo"] * 4)
    found = vaglio.audit(Table.from_any({"town": town}))
    spelling = the(found, "spelling")
    assert spelling.details["groups"] == [["Rome", "rome", "Rmoe"], ["São Paulo", "Sao Paulo"]]
    assert spelling.n_rows == 10
    assert the(found, "rare-categories").details["values"] == ["Rmoe"]
    grades = np.array(["grade 1", "grade 2", "male", "female", "<=50K", ">50K"] * 50 + ["grade 3"])
    assert not vaglio.audit(Table.from_any({"g": grades})).of_kind("spelling")


def test_numbers_and_words_in_one_column():
    values = np.array([str(i) for i in range(20)] * 5 + ["twelve", "n.a"])
    found = the(vaglio.audit(Table.from_any({"v": values})), "mixed-types")
    assert sorted(found.details["words"]) == ["n.a", "twelve"]
    assert found.n_rows == 2
