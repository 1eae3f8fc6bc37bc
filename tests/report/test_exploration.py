"""The page of an exploration: whole, small, in every language, for tables of every kind."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.report.test_rendering import read

import vaglio
from vaglio.messages.locale import Locale
from vaglio.report import exploration_html, exploration_summary
from vaglio.table import Table


def _kinds() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 60
    columns = {
        "number": rng.normal(size=n),
        "whole": rng.integers(0, 5, n),
        "always": np.ones(n),
        "word": rng.choice(["a</script>", "b&amp;"], n),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
        "gone": np.full(n, np.nan),
        "many": rng.integers(0, 60, n).astype(str),
        "flag": rng.random(n) < 0.5,
    }
    frame = pd.DataFrame(columns)
    frame.loc[:9, ["number", "word"]] = None
    return pd.concat([frame, frame.head(4)], ignore_index=True)


TABLES = {
    "every kind": (_kinds, None),
    "classes": (_kinds, "word"),
    "sixty classes": (_kinds, "many"),
    "numbers": (_kinds, "number"),
    "one column": (lambda: {"x": [1.0, 2.0]}, None),
    "one row": (lambda: {"x": [1.0], "y": ["a"]}, None),
    "nothing known": (lambda: {"x": [None, None], "y": [None, None]}, None),
    "texts": (lambda: Table.from_any({"t": [f"a text of words {k}" for k in range(40)]}), None),
    "sparse": (lambda: Table.from_any(sparse.random(50, 300, 0.1, "csr", random_state=0)), None),
}


@pytest.mark.parametrize("lang", ["en", "it"])
@pytest.mark.parametrize("table", TABLES)
def test_a_page_of_every_table_is_whole_and_loads_nothing(table, lang):
    make, target = TABLES[table]
    page = exploration_html(vaglio.explore(make(), target), name="<b>.csv", lang=lang)
    elements = read(page).elements
    assert [tag for tag, _ in elements if tag in ("link", "iframe", "img", "object", "b")] == []
    assert not re.search(r"url\((?!#)|@import|fetch\(|XMLHttpRequest", page)
    assert all(given["href"].startswith("#") for _, given in elements if "href" in given)
    names = [given["id"] for _, given in elements if "id" in given]
    assert len(names) == len(set(names))
    assert dict(elements)["html"]["lang"] == lang
    assert ("Valori mancanti" in page) == (lang == "it")


def test_the_page_says_what_the_table_has():
    seen = vaglio.explore(_kinds(), "word")
    told = exploration_summary(seen, "t.csv")
    assert (told["overview"]["rows"], told["overview"]["columns"], told["overview"]["duplicates"]) == (64, 8, 4)
    assert next(card["name"] for card in told["cards"]) == "word"
    assert {card["name"] for card in told["cards"]} == set(seen.table.columns)
    missing = {row["label"]: row["count"] for row in told["missing"]["columns"]}
    assert missing == {"gone": 64, "number": 14, "word": 14}
    assert [Locale("en").text(said) for said in told["missing"]["patterns"]] == [
        "22% of the rows lack gone, number and word"
    ]
    strengths = {(p["a"], p["b"]): p["rest"][1] for p in told["associations"]["pairs"]}
    assert all(0 <= abs(strength) <= 1 for strength in strengths.values())
    assert len(told["duplicates"]["table"]["rows"]) == 4
    assert [row["number"] for row in told["rows"]["rows"]] == [1, 2, 3, 4, 5, 60, 61, 62, 63, 64]


def test_a_page_of_three_hundred_columns_stays_small():
    """Cards are drawn when they come into view; the page has all of them, below 2.5 kB each."""
    rng = np.random.default_rng(0)
    columns = {f"x{k}": rng.normal(size=200) if k % 2 else rng.choice(list("abcdefgh"), 200) for k in range(300)}
    page = exploration_html(vaglio.explore({**columns, "y": rng.choice(["no", "yes"], 200)}, "y"))
    assert page.count('<article class="column">') == 301
    assert len(page.encode()) < 301 * 2500
    assert "content-visibility: auto" in page
