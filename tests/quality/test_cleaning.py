"""A policy applied to the findings of an audit."""

from __future__ import annotations

import random
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio.errors import InputError
from vaglio.quality import Policy
from vaglio.quality.cleaning import _CHOICES, repeat_changes, value_changes
from vaglio.table import Table

RNG = np.random.default_rng(0)
ALL = Policy(placeholders="missing", spelling="merge", rare="merge", outliers="clip")


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


def test_duplicate_and_contradicting_rows_are_dropped_on_request():
    table = Table.from_any({"a": [1.0, 1, 1, 2, 2, 3], "y": ["p", "p", "q", "p", "q", "p"]})
    found = vaglio.audit(table, "y")
    assert len(found.clean().table) == 6
    assert len(found.clean(duplicates="drop").table) == 5
    assert len(found.clean(inconsistent="drop").table) == 1
    assert found.clean(inconsistent="majority").table["y"].tolist() == ["p", "p", "p"]
    with pytest.raises(InputError, match="duplicates is 'remove'"):
        found.clean(duplicates="remove")


def test_outliers_are_clipped_or_made_missing_on_request():
    values = np.append(np.arange(20.0), [100.0])
    found = vaglio.audit(Table.from_any({"v": values}))
    assert found.clean(Policy(outliers="missing")).table.column("v").n_missing == 1
    clipped = found.clean(outliers="clip").table["v"]
    assert clipped.max() == found.of_kind("outliers")[0].details["high"]


def _wild(seed: int) -> Table:
    """A table in which every kind of finding is likely; the placeholders are outliers, too."""
    rng = np.random.default_rng(seed)
    n = 240
    age = rng.normal(40, 5, n).round(int(rng.integers(0, 3)))
    age[rng.integers(0, n, rng.integers(0, 36))] = 999
    age[rng.integers(0, n, 4)] = rng.choice([-3, 120, 7], 4)
    town = rng.choice(["Rome", "Paris", "Berlin"], n).astype(object)
    town[rng.integers(0, n, 6)] = rng.choice(["rome", "PARIS", "Ghent", "unknown", "Bern"], 6)
    empty = np.where(rng.random(n) < 0.7, None, "x")
    y = rng.choice(["p", "q"], n).astype(object)
    y[rng.integers(0, n, rng.integers(0, 3))] = None
    data = {"key": [f"k{i}" for i in range(n)], "age": age, "town": town, "empty": empty, "one": ["c"] * n, "y": y}
    rows = np.sort(rng.integers(0, n, n)) if seed % 2 else np.arange(n)
    return Table.from_any({name: np.asarray(values, dtype=object)[rows].tolist() for name, values in data.items()})


def _n_different(before: Table, after: Table, name: str) -> int:
    pairs = zip(before.column(name).values.tolist(), after.column(name).values.tolist())
    return sum(not (a == b or (a != a and b != b)) for a, b in pairs)


_VALUES = ("impossible", "placeholders", "spelling", "rare", "outliers")


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.fixed_dictionaries({name: st.sampled_from(_CHOICES[name]) for name in _CHOICES}))
def test_the_log_says_what_changed_whatever_is_asked_for(seed, choices):
    table = _wild(seed)
    found = vaglio.audit(table, "y", rules={"age": (0, None)})
    cleaned, log = found.clean(**choices)
    assert not any(re.search(r"\b0 ", line) for line in log)
    # Values, without the changes of rows: every cell that is counted differs, and every cell that differs is counted.
    kept = dict.fromkeys(set(choices) - set(_VALUES), "keep")
    values, said = found.clean(**{**choices, **kept})
    for name in table.columns:
        counted = [int(re.search(r"(\d+) (?:cell|impossible|placeholder|outlier)", line)[1])
                   for line in said if line.values.get("column") == name]  # fmt: skip
        different = _n_different(table, values, name)
        assert max(counted, default=0) <= different <= sum(counted), (name, said)
    # Rows and columns.
    left_out = sum(int(line.split()[0]) for line in log if line[0].isdigit())
    assert len(table) - len(cleaned) == left_out
    gone = [line.values["column"] for line in log if "left out because" in line]
    assert sorted(gone) == sorted(set(table.columns) - set(cleaned.columns))
    marked = [line.values["column"] for line in log if "declared an identifier" in line]
    assert all(cleaned.column(name).role == "identifier" for name in marked)
    assert bool(log) == (cleaned != table)


@pytest.mark.parametrize("option", _VALUES)
def test_one_change_alone_is_counted_exactly(option):
    table = _wild(4)
    found = vaglio.audit(table, "y", rules={"age": (0, None)})
    for choice in _CHOICES[option][1:]:
        values, log = found.clean(**{**dict.fromkeys(_CHOICES, "keep"), option: choice})
        counted = sum(int(re.search(r"(\d+) (?:cell|impossible|placeholder|outlier)", line)[1]) for line in log)
        assert counted == sum(_n_different(table, values, name) for name in table.columns) > 0


def test_outliers_that_were_placeholders_are_not_moved_again():
    values = np.append(np.tile(np.arange(20.0), 10), [999.0] * 36)
    log = vaglio.audit(Table.from_any({"v": values})).clean(placeholders="missing", outliers="clip").log
    assert log == ("Column 'v': 36 placeholders (999) made missing.",)


def messy(seed: int = 0, rows: int = 300) -> Table:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(50, 5, rows)
    numbers[:6], numbers[6:12] = 400, 9999
    city = rng.choice(["Roma", "roma", "Bari", "Pisa"], rows, p=[0.5, 0.1, 0.3, 0.1]).astype(object)
    city[:30] = [f"village {'abcdefghij'[i // 3] * 4}" if i % 3 else f"{'klmnopqrst'[i // 3] * 5}" for i in range(30)]
    word = rng.choice(["a", "b", "unknown"], rows)
    return Table.from_any({"x": numbers, "city": city, "word": word, "y": rng.choice(["p", "q"], rows)})


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 30), st.sampled_from(["missing", "clip", "keep"]), st.sampled_from(["merge", "keep"]))
def test_the_same_rows_become_what_cleaning_made_of_them(seed, outliers, spelling):
    audit = vaglio.audit(messy(seed), "y")
    policy = Policy(
        placeholders="missing", spelling=spelling, rare="merge", outliers=outliers, identifiers="keep", constant="keep"
    )
    cleaned, _ = audit.clean(policy)
    again, counts = repeat_changes(audit.table, value_changes(audit, policy))
    for name in cleaned.columns:
        a, b = cleaned.column(name), again.column(name)
        np.testing.assert_array_equal(a.missing, b.missing)
        assert a.values[~a.missing].tolist() == b.values[~b.missing].tolist()
    assert all(n > 0 for n in counts.values())


def test_other_rows_are_changed_alike_and_what_is_new_stays():
    changes = value_changes(vaglio.audit(messy(), "y"), ALL)
    rows = Table.from_any({"x": [50.0, 9999, 400, 300], "city": ["roma", "village cccc", "Genova", None]})
    changed, counts = repeat_changes(rows, changes)
    assert changed.column("city").values.tolist() == ["Roma", "(rare)", "Genova", None]
    x = changed.column("x").data
    assert x[0] == 50
    assert np.nanmax(x) < 100
    assert counts["city"] == 2
    told = {change.column: change.in_words(counts.get(change.column, 0)) for change in changes}
    assert "'roma' → 'Roma'" in told["city"]
    assert "2 cells changed as in the cleaned table" in told["city"]
    assert "clipped to" in told["x"]


def test_where_nothing_is_cleaned_nothing_is_repeated():
    audit = vaglio.audit(messy(), "y")
    kept = Policy(impossible="keep", spelling="keep", identifiers="keep", constant="keep", missing_class="keep")
    assert value_changes(audit, kept) == []
    rows = messy(3)
    assert repeat_changes(rows, []) == (rows, {})
    with pytest.raises(vaglio.errors.InputError):
        Policy(spelling="guess")


SPELLINGS = (
    *(
        "Census Tract 2.02",
        "Census Tract 202",
        "Census Tract 20 2",
        "v12",
        "v1.2",
        "V1.2",
        "1 2",
        "12",
        "<=50K",
        ">50K",
    ),
    *("A-1", "A1", "a 1", "Sao-Paulo", "São Paulo", "sao  paulo", "St. Louis", "St Louis", "O'Neill", "ONeill", "C++"),
    *("C", "c", "C#", "non-fat", "nonfat", "Berlin", "berlin", "Berlln", "B+", "B-", "10%", "10", "Straße", "strasse"),
)


def _marks(word: str) -> str:
    """Return digits and marks, with a blank between digits, which no merging may change."""
    word = re.sub(r"(?<=\d)\s+(?=\d)", "_", unicodedata.normalize("NFC", word))
    return "".join(letter for letter in word if not letter.isalpha() and not letter.isspace())


@pytest.mark.slow
def test_cleaning_merges_what_is_listed_and_never_digits_or_marks():
    for seed in range(6):
        draw = random.Random(seed)
        words = draw.sample(SPELLINGS, 12)
        cells = draw.choices(words, [draw.choice((1, 1, 30, 300)) for _ in words], k=600)
        found = vaglio.audit(Table.from_any({"word": cells, "y": ["a", "b"] * 300}), "y")
        after = found.clean(identifiers="keep").table["word"]
        pairs = {(old, new) for old, new in zip(cells, after) if old != new}
        listed = "".join(str(finding.message) for finding in found.of_kind("spelling"))
        for old, new in pairs:
            assert _marks(old) == _marks(new), (old, new)
            # A sentence has one blank where the words have two.
            assert " ".join(repr(old).split()) in listed, (old, new)
            assert " ".join(repr(new).split()) in listed, (old, new)


def test_missing_values_are_filled_in_last_and_only_these():
    penguins = vaglio.datasets.load("penguins")
    found = vaglio.audit(penguins, "species", seed=0)
    cleaned, log = found.clean(missing="forest")
    X, y = found.clean().table.xy("species")
    filled = Table.from_any(vaglio.ForestImputer(random_state=0).fit_transform(X, y))
    for name in X.columns:
        before, after = penguins.column(name), cleaned.column(name)
        assert not after.missing.any()
        assert (after.values[~before.missing] == before.values[~before.missing]).all()
        assert after.values.astype(str).tolist() == filled.column(name).values.astype(str).tolist()
    assert sum("filled in" in line for line in log) == 5
    assert "inside the folds" in log[-1]
    assert "filled" not in str(found.clean().log)
    with pytest.raises(InputError, match="Name the target"):
        vaglio.audit(penguins.to_frame()).clean(missing="forest")
