"""Audits find what was put into small tables, and nothing in clean ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.quality import Policy
from vaglio.table import Column, Table

RNG = np.random.default_rng(0)


def numbers(n: int = 300, **extra) -> dict:
    return {"a": RNG.normal(size=n), "b": RNG.normal(5, 2, size=n), **extra}


def kinds(found) -> set[str]:
    return {finding.kind for finding in found}


def the(found, kind: str):
    matching = found.of_kind(kind)
    assert len(matching) == 1, found
    return matching[0]


def test_a_clean_table_has_nothing_worse_than_outliers():
    table = Table.from_any(numbers(y=np.tile(["p", "q"], 150)))
    assert kinds(vaglio.audit(table, "y")) <= {"outliers"}


def test_missing_values_are_counted_by_column_and_in_all():
    data = numbers(y=np.tile(["p", "q", None], 100))
    data["a"][:200] = np.nan
    data["b"][5] = np.nan
    found = vaglio.audit(Table.from_any(data), "y")
    missing = the(found, "missing")
    assert missing.details["total"] == 301
    assert missing.details["by_column"] == {"a": 200, "b": 1, "y": 100}
    assert missing.n_rows == 200 + 34 - (0 if data["y"][2] is None else 1)
    assert the(found, "missing-class").n_rows == 100
    assert the(found, "mostly-missing").columns == ("a",)


def test_duplicates_and_rows_that_repeat_without_their_identifier():
    names = [f"animal {i}" for i in range(99)] + ["frog", "frog"]
    legs = np.arange(101) % 7
    table = Table.from_any(
        {"name": names, "legs": legs * 1.0, "tail": np.where(legs > 3, "yes", "no"), "y": legs % 2 == 0}
    )
    found = vaglio.audit(table, "y")
    identifier = the(found, "identifier")
    assert "nearly an identifier (100 values in 101 rows)" in identifier.message
    assert the(found, "repeated-content").n_rows == 101 - 7
    assert the(found, "repeated-key").rows.tolist() == [99, 100]
    assert not found.of_kind("duplicates")
    twice = table[np.append(np.arange(101), [4, 4, 9])]
    again = the(vaglio.audit(twice, "y"), "duplicates")
    assert again.n_rows == 3
    assert again.rows.tolist() == [101, 102, 103]


def test_contradictions():
    table = Table.from_any(
        {"u": ["x", "x", "y", "y", "z"] * 10, "v": np.repeat(np.arange(10.0), 5), "y": ["p", "q", "p", "p", "q"] * 10}
    )
    found = the(vaglio.audit(table, "y"), "inconsistent")
    assert (found.n_rows, found.details["groups"]) == (20, 10)
    assert found.rows.tolist()[:4] == [0, 1, 5, 6]


def test_nulls_stored_as_numbers_and_words():
    n = 300
    pressure = RNG.integers(50, 120, n).astype(float)
    pressure[:20] = 0
    income = RNG.integers(1000, 9000, n).astype(float)
    income[5:15] = 999999
    table = Table.from_any(
        {
            "pressure": pressure,
            "income": income,
            "children": RNG.poisson(1.5, n).astype(float),
            "job": np.array(["cook", "smith", "Unknown"])[np.arange(n) % 3],
        }
    )
    found = {f.columns[0]: f for f in vaglio.audit(table).of_kind("placeholder")}
    assert set(found) == {"pressure", "income", "job"}
    assert found["pressure"].details["values"] == [0]
    assert found["pressure"].n_rows == 20
    assert found["income"].details["values"] == [999999]
    assert found["job"].n_rows == 100


def test_outliers_by_quartiles():
    values = np.append(np.arange(20.0), [100.0, -80.0])
    found = the(vaglio.audit(Table.from_any({"v": values})), "outliers")
    assert found.rows.tolist() == [20, 21]
    assert found.details["whiskers"] == [0, 19]
    q1, q3 = np.quantile(values, [0.25, 0.75])
    assert found.details["low"] == pytest.approx(q1 - 1.5 * (q3 - q1))


def test_constant_and_nearly_constant_columns():
    n = 400
    table = Table.from_any(numbers(n, c=np.full(n, 3.0), d=np.where(np.arange(n) == 7, "odd", "usual")))
    found = vaglio.audit(table)
    assert the(found, "constant").columns == ("c",)
    assert the(found, "near-constant").columns == ("d",)


def test_spelling_variants_and_rare_values():
    town = np.array(["Rome"] * 120 + ["rome"] * 5 + ["Rmoe"] + ["Paris"] * 120 + ["São Paulo"] * 50 + ["Sao-Paulo"] * 4)
    found = vaglio.audit(Table.from_any({"town": town}))
    spelling = the(found, "spelling")
    assert spelling.details["groups"] == [["Rome", "rome", "Rmoe"], ["São Paulo", "Sao-Paulo"]]
    assert spelling.n_rows == 10
    assert the(found, "rare-categories").details["values"] == ["Rmoe"]
    grades = np.array(["grade 1", "grade 2", "male", "female", "<=50K", ">50K"] * 50 + ["grade 3"])
    assert not vaglio.audit(Table.from_any({"g": grades})).of_kind("spelling")


def test_numbers_and_words_in_one_column():
    values = np.array([str(i) for i in range(20)] * 5 + ["twelve", "n.a"])
    found = the(vaglio.audit(Table.from_any({"v": values})), "mixed-types")
    assert sorted(found.details["words"]) == ["n.a", "twelve"]
    assert found.n_rows == 2


def test_rules_of_the_user():
    table = Table.from_any({"age": [30.0, -1.0, 200.0, np.nan], "sex": ["f", "m", "x", None], "name": list("abcd")})
    rules = {"age": (0, 120), "sex": {"f", "m"}, "name": lambda names: names != "b"}
    found = {f.columns[0]: f.rows.tolist() for f in vaglio.audit(table, rules=rules).of_kind("impossible")}
    assert found == {"age": [1, 2], "sex": [2], "name": [1]}
    with pytest.raises(InputError, match="rule of 'sex'"):
        vaglio.audit(table, rules={"sex": (0, 1)})
    with pytest.raises(InputError, match="no column 'aeg'"):
        vaglio.audit(table, rules={"aeg": (0, 1)})


def test_leakage():
    n = 400
    y = np.array(["p", "q"])[RNG.integers(0, 2, n)]
    after = np.where(y == "p", RNG.normal(size=n), np.nan)
    table = Table.from_any(numbers(n, code=np.where(y == "p", "K1", "K9"), after=after, y=y))
    found = vaglio.audit(table, "y").of_kind("leakage")
    assert {f.columns[0] for f in found} == {"code", "after"}
    assert any("Whether after is missing" in f.message for f in found)


def test_the_class():
    table = Table.from_any(numbers(300, y=np.array(["p"] * 280 + ["q"] * 16 + ["r"] * 4)))
    found = vaglio.audit(table, "y")
    assert the(found, "imbalance").details["counts"] == {"p": 280, "q": 16, "r": 4}
    assert "r" in the(found, "rare-classes").message
    alone = vaglio.audit(Table.from_any(numbers(30, y=["p"] * 30)), "y")
    assert the(alone, "one-class").severity == "high"


def test_shape_of_the_table():
    wide = Table.from_any(RNG.normal(size=(30, 40)))
    assert the(vaglio.audit(wide), "dimensionality").severity == "medium"
    mostly_zero = Table.from_any((RNG.random((200, 8)) < 0.1) * RNG.random((200, 8)))
    assert the(vaglio.audit(mostly_zero), "sparsity").severity == "low"
    codes = Table.from_any(numbers(300, stars=RNG.integers(1, 6, 300)))
    assert the(vaglio.audit(codes), "resolution").columns == ("stars",)


def test_drift_between_two_tables():
    before = Table.from_any(numbers(400, c=np.tile(["u", "v"], 200), d=np.tile(["k", "l"], 200), gone=np.arange(400.0)))
    after = Table.from_any(
        {
            "a": RNG.normal(size=400),
            "b": RNG.normal(9, 2, size=400),
            "c": ["u"] * 370 + ["w"] * 30,
            "d": np.tile(["k", "l"], 200),
        }
    )
    found = vaglio.audit(after, reference=before).of_kind("drift")
    about = {f.columns[0] for f in found}
    assert about == {"b", "c", "gone"}
    assert any("not in the reference" in f.message for f in found)
    assert not vaglio.audit(before, reference=before).of_kind("drift")


def test_numbers_one_to_n_are_an_identifier_and_measurements_are_not():
    n = 200
    table = Table.from_any(numbers(n, row=RNG.permutation(n) + 1.0, weight=RNG.permutation(n) * 37.0))
    found = vaglio.audit(table).of_kind("identifier")
    assert [f.columns[0] for f in found] == ["row"]


def test_cleaning_leaves_the_source_alone_and_keeps_a_log():
    n = 220
    town = np.array(["Rome"] * 100 + ["rome"] * 5 + ["Paris"] * 112 + ["A", "B", "C"])
    data = {
        "key": [f"k{i}" for i in range(n)],
        "town": town,
        "age": np.append(RNG.integers(20, 60, n - 4), [-5.0, 999.0, 999, 999]),
        "one": ["same"] * n,
        "y": np.append(np.tile(["p", "q"], n // 2 - 1), [None, "p"]),
    }
    table = Table.from_any(data)
    before = table.to_frame().copy()
    found = vaglio.audit(table, "y", rules={"age": (0, None)})
    cleaned, log = found.clean(placeholders="missing", rare="merge")
    assert before.equals(table.to_frame())
    assert "one" not in cleaned
    assert cleaned.column("key").role == "identifier"
    assert set(cleaned.column("town").categories) == {"Rome", "Paris", "(rare)"}
    assert cleaned.column("age").n_missing == 3  # one of the four was in the row without a class
    assert len(cleaned) == n - 1
    assert len(log) == 7
    assert "spelling merged" in "\n".join(log)
    assert "- " in repr(found.clean())


def test_cleaning_of_rows():
    table = Table.from_any({"a": [1.0, 1, 1, 2, 2, 3], "y": ["p", "p", "q", "p", "q", "p"]})
    found = vaglio.audit(table, "y")
    assert len(found.clean().table) == 6
    assert len(found.clean(duplicates="drop").table) == 5
    assert len(found.clean(inconsistent="drop").table) == 1
    assert found.clean(inconsistent="majority").table["y"].tolist() == ["p", "p", "p"]
    with pytest.raises(InputError, match="duplicates is 'remove'"):
        found.clean(duplicates="remove")


def test_cleaning_of_outliers():
    values = np.append(np.arange(20.0), [100.0])
    found = vaglio.audit(Table.from_any({"v": values}))
    assert found.clean(Policy(outliers="missing")).table.column("v").n_missing == 1
    clipped = found.clean(outliers="clip").table["v"]
    assert clipped.max() == found.of_kind("outliers")[0].details["high"]


def test_every_form_shows_the_findings():
    table = Table.from_any(numbers(60, c=["x"] * 60, y=np.tile(["<b>", "q"], 30)))
    found = vaglio.audit(table, "y")
    assert "Audit of 60 rows and 4 columns" in repr(found)
    assert "<b>" not in found._repr_html_()
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["findings"][0]["kind"] == found.findings[0].kind
    assert len(found.about("c")) == 1
    assert len(found) == len(list(found))
    assert {row["column"] for row in found.statistics()} == {"a", "b", "c", "y"}


def test_any_frame_and_any_number_of_threads():
    frame = Table.from_any(numbers(50, y=np.tile(["p", "q"], 25))).to_frame()
    one, two = (vaglio.audit(frame, "y", n_jobs=n) for n in (1, 2))
    assert repr(one) == repr(two)
    empty = vaglio.audit(Table([Column.numeric("v", [])]))
    assert len(empty.table) == 0


def test_rows_unlike_their_class_are_found_by_a_forest():
    rng = np.random.default_rng(4)
    y = np.repeat(["p", "q"], 150)
    centre = np.where(y == "p", 0.0, 6.0)
    table = Table.from_any({"a": centre + rng.normal(size=300), "b": centre + rng.normal(size=300), "y": y})
    wrong = y.copy()
    wrong[[10, 200]] = ["q", "p"]
    mislabelled = Table.from_any({"a": table["a"], "b": table["b"], "y": wrong})
    found = the(vaglio.audit(mislabelled, "y"), "forest-outliers")
    assert set(found.rows[:2].tolist()) == {10, 200}
    assert found.details["sample"] == 300
