"""Checks of categories: rare ones, several spellings of one value, numbers mixed with words."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator

import numpy as np

from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context, Finding, cleaning_choice, listed_rows

__all__ = ["mixed_types", "rare_categories", "spelling_key", "spelling_variants", "unread_cells", "variant_groups"]

# Comparing every pair of a longer list takes long and finds pairs that are similar by chance.
_MAX_COMPARED = 200
# In a smaller table every category is rare.
_FEWEST_ROWS = 200
# A category in at most this share of the rows, or in three rows, is rare.
_RARE = 0.001
# A misspelling is at least this many times rarer than the right spelling.
_TIMES_RARER = 20
# A finding names so many groups of spellings at most.
_MOST_GROUPS = 50
# Words among so large a share of numbers are probably missing values or errors.
_MOSTLY_NUMBERS = 0.8


def rare_categories(context: Context) -> Iterator[Finding]:
    """Find categories with too few rows to learn from."""
    n = len(context.table)
    if n < _FEWEST_ROWS:
        return
    limit = max(3, int(_RARE * n))
    for name in context.inputs:
        profile, column = context.profiles[name], context.columns[name]
        if profile.counts is None or name in context.identifiers:
            continue
        rare = np.flatnonzero((profile.counts > 0) & (profile.counts <= limit))
        if not len(rare):
            continue
        rows = np.isin(column.data, rare)
        some = listed((column.categories[i] for i in rare), 5, quoted=True)
        yield Finding(
            "rare-categories",
            "low",
            Message(
                "rare-categories",
                "Column {column!r}: {n:,} of {total:,} values occur in at most {limit:,} rows each ({values}).",
                column=name,
                n=len(rare),
                total=profile.n_distinct,
                limit=limit,
                values=some,
            ),
            text(
                "Many rare values lead to overfitting. {option} merges them into one.",
                option=cleaning_choice("rare", "merge"),
            ),
            (name,),
            listed_rows(rows),
            int(np.count_nonzero(rows)),
            {"values": [column.categories[i] for i in rare[:50]], "limit": limit},
        )


def spelling_key(value: str) -> str:
    """Return a word without case, accents and spaces; digits and marks stay, and so does a space between digits.

    >>> spelling_key(" São  Paulo") == spelling_key("sao paulo"), spelling_key("v1.2") == spelling_key("v12")
    (True, False)
    """
    # Marks have a meaning: 2.02 and 202, v1.2 and v12, <=50K and >50K, + and −.
    plain = unicodedata.normalize("NFD", value.casefold())
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    return re.sub(r"(?<=\d)\s+(?=\d)", " ", re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", plain))


def variant_groups(values: list[tuple[str, int]]) -> list[list[str]]:
    """Return groups of words that seem to be one value, the most frequent spelling first.

    >>> variant_groups([("Rome", 90), ("rome ", 3), ("Paris", 40), ("Rmoe", 1)])
    [['Rome', 'rome ', 'Rmoe']]
    """
    groups: dict[str, list[tuple[str, int]]] = {}
    for value, count in sorted(values, key=lambda pair: -pair[1]):
        groups.setdefault(spelling_key(value), []).append((value, count))
    heads = list(groups)
    if len(heads) <= _MAX_COMPARED:
        # Add a rare word to the group of a frequent word from which it differs by one typing error.
        weight = {head: sum(count for _, count in groups[head]) for head in heads}
        for rare in sorted(heads, key=weight.__getitem__):
            if len(rare) < 4 or rare not in groups:
                continue
            common = [h for h in groups if weight[h] >= _TIMES_RARER * weight[rare] and abs(len(h) - len(rare)) <= 1]
            near = [h for h in common if _one_slip(rare, h)]
            # With two candidates nobody knows which was meant.
            if len(near) == 1:
                groups[near[0]] += groups.pop(rare)
    return [[value for value, _ in group] for group in groups.values() if len(group) > 1]


def _one_slip(a: str, b: str) -> bool:
    """Return whether one letter was changed, added or lost, or two were swapped. Digits and marks must be equal."""
    if [*filter(_is_no_letter, a)] != [*filter(_is_no_letter, b)]:
        return False
    if sorted(a) == sorted(b):
        return sum(x != y for x, y in zip(a, b)) == 2
    changes = [op for op in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if op[0] != "equal"]
    if len(changes) != 1 or min(len(a), len(b)) < 5:
        return False
    _, a1, a2, b1, b2 = changes[0]
    # Words that differ in the first or last letter are more often two words (cat, cats; light, fight).
    return max(a2 - a1, b2 - b1) == 1 and a1 > 0 and a2 < len(a)


def _is_no_letter(character: str) -> bool:
    return not character.isalpha()


def spelling_variants(context: Context) -> Iterator[Finding]:
    """Find values that seem to be one value with several spellings."""
    for name, column in context.columns.items():
        profile = context.profiles[name]
        if profile.counts is None or name in context.identifiers:
            continue
        used = [(v, int(c)) for v, c in zip(column.categories, profile.counts) if c and isinstance(v, str)]
        groups = variant_groups(used)
        if not groups:
            continue
        # Cleaning merges the groups that are named here, and no others.
        groups = groups[:_MOST_GROUPS]
        shown = listed((" = ".join(repr(value) for value in group) for group in groups), _MOST_GROUPS)
        odd = [column.categories.index(value) for group in groups for value in group[1:]]
        rows = np.isin(column.data, odd)
        yield Finding(
            "spelling",
            "medium",
            Message(
                "spelling-variants",
                "Column {column!r}: {n:,} {n:value has|values have} probably several spellings ({groups}).",
                column=name,
                n=len(groups),
                groups=shown,
            ),
            text(
                "If they mean the same, {option} keeps the most frequent spelling.",
                option=cleaning_choice("spelling", "merge"),
            ),
            (name,),
            listed_rows(rows),
            int(np.count_nonzero(rows)),
            {"groups": groups},
        )


def unread_cells(context: Context) -> Iterator[Finding]:
    """Find cells that are neither numbers nor missing, in columns of numbers."""
    for name, column in context.columns.items():
        if column.unread is None or not (rows := np.flatnonzero(~column.unread.missing)).size:
            continue
        first = column.unread.take(rows[:5]).values
        cells = [text("{cell!r} in row {row:,}", cell=str(cell), row=int(row) + 1) for cell, row in zip(first, rows)]
        given = {"column": name, "n": len(rows), "cells": listed(cells + [""] * (len(rows) - 5), 5)}
        yield Finding(
            "wrong-values",
            "medium",
            Message(
                "cell-not-date",
                "Column {column!r}: {n:,} {n:cell is not a date|cells are not dates} ({cells}).",
                **given,
            )
            if column.is_date
            else Message(
                "numbers-with-other-cells",
                "Column {column!r}: {n:,} {n:cell is not a number|cells are not numbers} ({cells}).",
                **given,
            ),
            text("Fix them in the file. Until then they count as missing."),
            (name,),
            listed_rows(rows),
            len(rows),
            {"words": [str(word) for word in dict.fromkeys(column.unread.take(rows[:1000]).values)][:50]},
        )


def mixed_types(context: Context) -> Iterator[Finding]:
    """Find columns of words in which most words are numbers."""
    for name in context.inputs:
        column, profile = context.columns[name], context.profiles[name]
        if profile.counts is None:
            continue
        numbers = np.array([_is_number(value) for value in column.categories], dtype=bool)
        if not numbers.any() or numbers.all() or not any(isinstance(v, str) for v in column.categories):
            continue
        n_numbers = int(profile.counts[numbers].sum())
        n_words = profile.n_present - n_numbers
        if not n_words or n_numbers < _MOSTLY_NUMBERS * profile.n_present or int(numbers.sum()) < 5:
            continue
        words = np.flatnonzero(~numbers & (profile.counts > 0))
        rows = np.isin(column.data, words)
        shown = listed((column.categories[i] for i in words), 5, quoted=True)
        yield Finding(
            "mixed-types",
            "high",
            Message(
                "mixed-types",
                "Column {column!r}: {numbers:,} values are numbers and {words:,} are not ({values}).",
                column=name,
                numbers=n_numbers,
                words=n_words,
                values=shown,
            ),
            text("Read the column as numbers and declare these words missing ({option}).", option=Option("missing")),
            (name,),
            listed_rows(rows),
            n_words,
            {"words": [column.categories[i] for i in words[:50]]},
        )


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return True
    try:
        float(str(value).strip().replace(",", "."))
    except ValueError:
        return False
    return True
