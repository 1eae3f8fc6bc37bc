"""Categories that hardly occur, that are one value spelt in several ways, or numbers and words mixed."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator

import numpy as np

from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding, listed_rows
from vaglio.text.sentences import plural

__all__ = ["mixed_types", "rare_categories", "spelling_key", "spelling_variants", "variant_groups"]

# Comparing every pair of a longer list takes long and finds chance neighbours.
_MAX_COMPARED = 200


def rare_categories(context: Context) -> Iterator[Finding]:
    """Categories with so few rows that nothing can be learnt of them."""
    n = len(context.table)
    if n < 200:
        return
    limit = max(3, int(0.001 * n))
    for name in context.inputs:
        profile, column = context.profiles[name], context.columns[name]
        if profile.counts is None or name in context.identifiers:
            continue
        rare = np.flatnonzero((profile.counts > 0) & (profile.counts <= limit))
        if not len(rare):
            continue
        rows = np.isin(column.data, rare)
        some = ", ".join(repr(column.categories[i]) for i in rare[:5])
        yield Finding(
            "rare-categories",
            "low",
            f"{name}: {len(rare)} of {profile.n_distinct} values with at most {limit} rows each ({some}"
            f"{' …' if len(rare) > 5 else ''})",
            "clean(rare='merge') makes them one value; many rare values invite overfitting.",
            (name,),
            listed_rows(rows),
            int(np.count_nonzero(rows)),
            {"values": [column.categories[i] for i in rare[:50]], "limit": limit},
        )


def spelling_key(value: str) -> str:
    """What remains of a word without case, accents, blanks and punctuation.

    >>> spelling_key(" São-Paulo") == spelling_key("sao paulo")
    True
    """
    plain = unicodedata.normalize("NFKD", value.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    # Signs carry meaning (<=50K and >50K, + and −); blanks, dots, dashes between letters do not.
    return re.sub(r"(?<=\w)[\s._\-]+(?=\w)|^\s+|[\s.]+$", "", plain)


def variant_groups(values: list[tuple[str, int]]) -> list[list[str]]:
    """Groups of words that seem one value, the commonest first.

    >>> variant_groups([("Rome", 90), ("rome ", 3), ("Paris", 40), ("Rmoe", 1)])
    [['Rome', 'rome ', 'Rmoe']]
    """
    groups: dict[str, list[tuple[str, int]]] = {}
    for value, count in sorted(values, key=lambda pair: -pair[1]):
        groups.setdefault(spelling_key(value), []).append((value, count))
    heads = list(groups)
    if len(heads) <= _MAX_COMPARED:
        _join_misspelt(heads, groups)
    return [[value for value, _ in group] for group in groups.values() if len(group) > 1]


def _join_misspelt(heads: list[str], groups: dict[str, list[tuple[str, int]]]) -> None:
    """Add a rare word to a common one that differs from it by a slip."""
    weight = {head: sum(count for _, count in groups[head]) for head in heads}
    for rare in sorted(heads, key=weight.__getitem__):
        if len(rare) < 4 or rare not in groups:
            continue
        common = [h for h in groups if weight[h] >= 20 * weight[rare] and abs(len(h) - len(rare)) <= 1]
        near = [h for h in common if _one_slip(rare, h)]
        if len(near) == 1:
            groups[near[0]] += groups.pop(rare)


def _one_slip(a: str, b: str) -> bool:
    """One letter changed, added, lost, or two swapped; digits count as meant."""
    if re.sub(r"\D", "", a) != re.sub(r"\D", "", b):
        return False
    if sorted(a) == sorted(b):
        return sum(x != y for x, y in zip(a, b)) == 2
    changes = [op for op in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if op[0] != "equal"]
    if len(changes) != 1 or min(len(a), len(b)) < 5:
        return False
    _, a1, a2, b1, b2 = changes[0]
    # A change of the first or last letter more often makes another word (male, female; 1st, 2nd).
    return max(a2 - a1, b2 - b1) == 1 and a1 > 0 and a2 < len(a)


def spelling_variants(context: Context) -> Iterator[Finding]:
    """One value spelt in several ways."""
    for name, column in context.columns.items():
        profile = context.profiles[name]
        if profile.counts is None or name in context.identifiers:
            continue
        used = [(v, int(c)) for v, c in zip(column.categories, profile.counts) if c and isinstance(v, str)]
        groups = variant_groups(used)
        if not groups:
            continue
        odd = [column.categories.index(value) for group in groups for value in group[1:]]
        rows = np.isin(column.data, odd)
        more = "; …" if len(groups) > 4 else ""
        shown = "; ".join(" = ".join(repr(v) for v in group) for group in groups[:4])
        yield Finding(
            "spelling",
            "medium",
            f"{name}: {plural(len(groups), 'value')} spelt in several ways, it seems ({shown}{more})",
            "If so, clean(spelling='merge') takes the commonest spelling.",
            (name,),
            listed_rows(rows),
            int(np.count_nonzero(rows)),
            {"groups": groups},
        )


def mixed_types(context: Context) -> Iterator[Finding]:
    """Columns of words most of which are numbers."""
    for name in context.inputs:
        column, profile = context.columns[name], context.profiles[name]
        if profile.counts is None:
            continue
        numbers = np.array([_is_number(value) for value in column.categories], dtype=bool)
        if not numbers.any() or numbers.all() or not any(isinstance(v, str) for v in column.categories):
            continue
        n_numbers = int(profile.counts[numbers].sum())
        n_words = profile.n_present - n_numbers
        if not n_words or n_numbers < 0.8 * profile.n_present or int(numbers.sum()) < 5:
            continue
        words = np.flatnonzero(~numbers & (profile.counts > 0))
        rows = np.isin(column.data, words)
        shown = ", ".join(repr(column.categories[i]) for i in words[:5])
        yield Finding(
            "mixed-types",
            "high",
            f"{name}: {n_numbers} values are numbers and {n_words} are not ({shown})",
            "Read the column as numbers, with those words among the missing=… ones.",
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
