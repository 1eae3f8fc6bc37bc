"""Both engines of patterns say the same, and a wide table of short columns needs none that compiles in every call."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaglio import read
from vaglio.table import _dates, _infer, _numerals, _words
from vaglio.table._words import Words

PATTERNS = (
    *(_numerals.SHAPE, _numerals.NUMBER, _numerals.CODE, _infer._OPEN, r"\.", r"\,", "[ ]", r"\S+"),
    *(_numerals._grouped(group, mark) for mark, groups in _numerals._GROUPS.items() for group in groups),
    *_dates._SHAPES,
)
PIECES = (
    "1",
    "23",
    "456",
    "٣",
    ".",
    ",",
    "'",
    "’",
    " ",
    "\u00a0",
    "\n",
    "-",
    "−",
    "+",
    "(",
    ")",
    "e5",
    "/",
    ":",
    "T",
    "Z",
)
PIECES = (*PIECES, "€", "kg", "m²", "%", "US$", "Fr.", "é", "abc", "2020-01-02", "03/04/2024", "12:30", " PM", "0")
words = st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), min_size=1, max_size=5)


@pytest.mark.slow
@given(words=words)
def test_the_engines_agree(words: list[str]) -> None:
    """Few words are read by `re`, many by RE2: a word means the same among few and among many."""
    few, many = Words(words), Words(words * (_words.FEW + 1))
    for pattern in PATTERNS:
        assert few.match(pattern).tolist() == many.match(pattern)[: len(words)].tolist(), pattern
        assert few.count(pattern).tolist() == many.count(pattern)[: len(words)].tolist(), pattern
    (good, part), (good_of_many, part_of_many) = few.parts(_numerals.SHAPE), many.parts(_numerals.SHAPE)
    assert good.tolist() == good_of_many[: len(words)].tolist()
    for name, held in part.items():
        assert held.tolist() == part_of_many[name][: len(words)].tolist(), name


def test_a_wide_table_compiles_no_pattern_per_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """RE2 compiles its pattern in each call: with thousands of columns that was nearly all of the time."""

    def refuse(*_: Any) -> None:
        raise AssertionError("RE2 is called for a handful of words")

    for name in ("match_substring_regex", "extract_regex", "count_substring_regex"):
        monkeypatch.setattr(_words.pc, name, refuse)
    cells = np.array(["abc", "x y", "12 kg", "2020-01-02", "1.234,5", "€ 5"])
    lines = [
        ",".join(f"c{at}" for at in range(300)),
        *(",".join(f'"{cell}"' for cell in np.tile(cells, 50)) for _ in "ab"),
    ]
    table = read(io.StringIO("\n".join(lines)))
    kinds = ["nominal", "nominal", "numeric", "numeric", "numeric", "numeric"]
    assert [table.column(name).kind for name in table.columns] == kinds * 50
