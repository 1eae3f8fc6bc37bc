"""What cleaning did to values, done to other rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio
from vaglio.quality import Policy
from vaglio.quality.cleaning import repeat_changes, value_changes
from vaglio.table import Table

ALL = Policy(placeholders="missing", spelling="merge", rare="merge", outliers="clip")


def messy(seed: int = 0, rows: int = 300) -> Table:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(50, 5, rows)
    numbers[:6], numbers[6:12] = 400, 9999
    city = rng.choice(["Roma", "roma", "Bari", "Pisa"], rows, p=[0.5, 0.1, 0.3, 0.1]).astype(object)
    city[:30] = [f"village {'abcdefghij'[i // 3] * 4}" if i % 3 else f"{'klmnopqrst'[i // 3] * 5}" for i in range(30)]
    word = rng.choice(["a", "b", "unknown"], rows)
    return Table.from_any({"x": numbers, "city": city, "word": word, "y": rng.choice(["p", "q"], rows)})


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
    assert "fences" in told["x"]


def test_where_nothing_is_cleaned_nothing_is_repeated():
    audit = vaglio.audit(messy(), "y")
    kept = Policy(impossible="keep", spelling="keep", identifiers="keep", constant="keep", missing_class="keep")
    assert value_changes(audit, kept) == []
    rows = messy(3)
    assert repeat_changes(rows, []) == (rows, {})
    with pytest.raises(vaglio.errors.InputError):
        Policy(spelling="guess")
