"""Columns that say what another one says are found, and only these."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio import datasets
from vaglio.quality.checks import copies


def found(frame: pd.DataFrame, target: str) -> dict[str, str]:
    audit = vaglio.audit(vaglio.read(frame, target))
    return {finding.columns[0]: finding.message.code for finding in audit.of_kind("copy")}


def test_copies_multiples_and_recodings() -> None:
    frame = datasets.load("penguins").to_frame()
    frame["again"] = frame["bill_length_mm"]
    frame["kilograms"] = frame["body_mass_g"] / 1000
    frame["fahrenheit"] = 32 + 1.8 * frame["bill_depth_mm"]
    frame["code"] = frame["island"].astype(str).map({"Biscoe": 7, "Dream": 2, "Torgersen": 3})
    frame["isola"] = frame["island"].astype(str).str.upper()
    frame["noise"] = np.random.default_rng(0).permutation(frame["body_mass_g"])
    assert found(frame, "species") == {
        "again": "copied-column",
        "kilograms": "multiple-of-column",
        "fahrenheit": "multiple-of-column",
        "code": "recoded-column",
        "isola": "recoded-column",
    }
    told = next(iter(vaglio.audit(vaglio.read(frame, "species")).about("kilograms")))
    assert "0.001 times 'body_mass_g'" in str(told.message)
    assert "naive Bayes counts" in str(told.advice)


def test_a_copy_in_a_small_table_and_none_by_chance() -> None:
    play = datasets.load("play").to_frame()
    assert found(play.assign(sky=play["outlook"].astype(str)), "play") == {"sky": "copied-column"}
    random = np.random.default_rng(1)
    rare = {f"x{i}": np.where(random.random(60) < 0.03, "yes", "no") for i in range(30)}
    assert found(pd.DataFrame(rare).assign(y=np.where(random.random(60) < 0.5, "a", "b")), "y") == {}


def test_copies_among_many_columns_of_measurements() -> None:
    """All of them divide the rows alike, so that only their values tell which is a copy of which."""
    random = np.random.default_rng(2)
    frame = pd.DataFrame({f"x{j}": random.normal(1e6 if j % 2 else 0, size=80) for j in range(40)})
    frame.loc[3, ["x5", "x6"]] = np.nan
    frame.loc[4, ["x7", "x8"]] = np.inf
    for j in (0, 5, 7, 38):
        frame[f"same as x{j}"] = frame[f"x{j}"]
    for j in (1, 6, 39):
        frame[f"follows from x{j}"] = 3 - 0.5 * frame[f"x{j}"]
    for j in (2, 3):
        frame[f"order of x{j}"] = frame[f"x{j}"].rank()
    frame["name"] = pd.Categorical([f"n{row * 3 // 4}" for row in range(80)])
    frame["name again"], frame["another name"] = frame["name"], frame["name"].cat.rename_categories(str.upper)
    codes = found(frame.assign(y=np.repeat(["a", "b"], 40)), "y")
    assert codes == {
        **{f"same as x{j}": "copied-column" for j in (0, 5, 7, 38)},
        **{f"follows from x{j}": "multiple-of-column" for j in (1, 6, 39)},
        "name again": "copied-column",
    }


def test_many_columns_are_not_compared_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    relation = copies._relation
    monkeypatch.setattr(copies, "_relation", lambda *pair: compared.append(pair) or relation(*pair))
    random = np.random.default_rng(3)
    table = vaglio.Table.from_any({"y": ["a", "b"] * 30, **{f"x{j}": random.normal(size=60) for j in range(50)}})
    assert not vaglio.audit(table, "y").of_kind("copy")
    assert compared == []


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "penguins"])
def test_ordinary_tables_have_no_copies(name: str) -> None:
    assert not vaglio.audit(datasets.load(name)).of_kind("copy")


def test_what_a_copy_does_to_naive_bayes() -> None:
    """The odds that one column gives are squared by its copy: 80% becomes 94%."""
    y = np.repeat(["a", "b"], 50)
    x = np.where(np.arange(100) % 5 == 0, np.repeat(["v", "u"], 50), np.repeat(["u", "v"], 50))
    once, twice = (
        vaglio.NaiveBayesClassifier(alpha=0).fit(np.column_stack([x] * n), y).predict_proba([["u"] * n])[0, 0]
        for n in (1, 2)
    )
    assert (round(once, 2), round(twice, 2)) == (0.80, 0.94)


def test_placeholders_in_a_small_table() -> None:
    ages = [*range(21, 38), 999, 999, -1]
    audit = vaglio.audit(vaglio.read(pd.DataFrame({"age": [float(a) for a in ages], "y": ["a", "b"] * 10}), "y"))
    assert audit.of_kind("placeholder")[0].details["values"] == [-1.0, 999.0]
    usual = [*range(21, 39), 60, 75]
    audit = vaglio.audit(vaglio.read(pd.DataFrame({"age": [float(a) for a in usual], "y": ["a", "b"] * 10}), "y"))
    assert not audit.of_kind("placeholder")
