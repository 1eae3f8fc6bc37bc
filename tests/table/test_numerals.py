"""Numbers in the marks of several countries are read back as they were meant."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.table import read
from vaglio.table._numerals import read_numerals

# Decimal mark and mark of thousands.
STYLES = {
    "Italian": (",", "."),
    "American": (".", ","),
    "French": (",", "\u202f"),
    "French, no-break": (",", "\u00a0"),
    "Swedish": (",", " "),
    "Swiss": (".", "'"),
    "Swiss, typographic": (".", "’"),
    "plain": (".", ""),
    "plain comma": (",", ""),
}
AROUND = {
    "": "{}",
    "€": "€ {}",
    "$": "${}",
    "CHF": "{} CHF",
    "%": "{}%",
    "kg": "{} kg",
    "m²": "{} m²",
    "anni": "{} anni",
}


def written(number: float, decimals: int, style: tuple[str, str]) -> str:
    decimal, group = style
    return f"{number:,.{decimals}f}".replace(",", "\0").replace(".", decimal).replace("\0", group)


def numbers(words: list[str], **more):
    return read_numerals(words, np.ones(len(words)), **more)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30),
    decimals=st.integers(0, 4),
    around=st.sampled_from(sorted(AROUND)),
    delimiter=st.sampled_from([";", "\t", "|"]),
)
def test_what_is_written_in_a_style_is_read_back(style, values, decimals, around, delimiter):
    meant = [value / 10**decimals for value in values]
    cells = [AROUND[around].format(written(number, decimals, STYLES[style])) for number in meant]
    # A second column shows which mark is the decimal one, as other columns of a table do.
    shown = written(0.5, 1, STYLES[style])
    rows = [delimiter.join(["x", "witness", "c"]), *(delimiter.join([cell, shown, "w"]) for cell in cells)]
    table = read(io.StringIO("\n".join(rows) + "\n"), header=True, levels={"x": "numeric"})
    assert table["x"].tolist() == [float(f"{number:.{decimals}f}") for number in meant]
    assert table.column("x").unit == ("anni" if around == "anni" else around)


@pytest.mark.parametrize(
    ("words", "values", "unit"),
    [
        (["1.234,50", "12,5", "-3"], [1234.5, 12.5, -3], ""),
        (["1,234", "12,500.5", "2.5"], [1234, 12500.5, 2.5], ""),
        (["(1,234.50)", "$5.00", "-$3"], [-1234.5, 5, -3], "$"),
        (["EUR 5", "7 €", "8 Euro"], [5, 7, 8], "€"),
        (["1 anno", "2 anni", "30 anni"], [1, 2, 30], "anni"),
        (["12 kg", "13"], [12, 13], "kg"),
        (["1.234.567", "2.345"], [1234567, 2345], ""),
        (["−5", "–6", "+7"], [-5, -6, 7], ""),
        (["1e5", "2.5E-3", ".5", "5."], [1e5, 0.0025, 0.5, 5], ""),
    ],
)
def test_words_that_are_numbers(words, values, unit):
    read_as = numbers(words)
    assert (read_as.values.tolist(), read_as.unit) == (values, unit)


@pytest.mark.parametrize(
    "words",
    [
        ["12A", "14B"],
        ["01.02.2024"],
        ["192.168.1.1"],
        ["1.2.3"],
        ["18-25"],
        ["A4"],
        ["12,34.5,6"],
        ["1.23.456"],
        ["<5"],
    ],
)
def test_words_that_are_none(words):
    assert not numbers(words).good.any()


def test_a_percent_sign_is_needed_in_every_cell_and_units_are_not_mixed():
    assert numbers(["12%", "3%", "0.2"]).good.tolist() == [True, True, False]
    assert numbers(["12 kg", "3 kg", "500 g"]).good.tolist() == [True, True, False]


def test_a_mark_of_two_meanings_is_decided_by_the_table_then_by_the_column_then_by_default():
    three = ["1.234", "12.500", "2.345", "7.345", "17.345"]
    assert numbers(three).values[0] == 1.234
    assert numbers(three).doubtful
    assert numbers(three, decimal=",").values[0] == 1234
    with_short = numbers([*three, "999"])
    assert (with_short.values[0], with_short.doubtful) == (1234, False)
    assert numbers(["0.234", "1.234"]).why == ""
