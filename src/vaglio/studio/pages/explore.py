"""Explore: columns ranked by what they tell, one or two of them drawn by target, the rows behind a bar or point."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.locale import Locale
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.plot import svg
from vaglio.quality import associations, rank_attributes
from vaglio.quality.profile import Profile
from vaglio.studio.pages.page import Page, Panels, cell_texts, value_text
from vaglio.studio.project.workbench import OpenTable
from vaglio.table import Column, Table

__all__ = ["ExplorePage"]

# Columns that are ranked on a page, bins, categories, points and rows that are shown.
_RANKED, _BINS, _CATEGORIES, _POINTS, _ROWS = 60, 24, 16, 700, 20
# Columns among which associations are looked for: their number grows with the square.
_ASSOCIATED = 60


class ExplorePage(Page):
    """The page Explore."""

    title = text("Explore")
    lead = text("See how the columns relate to the target and to each other.")

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return the ranking and the chosen pictures."""
        opened = self.bench.need_table()
        # Ranking and associations take longer than a page may.
        panels = Panels()
        ranking: list[dict[str, Any]] = panels.show(text("Ranked columns"), lambda: self._ranking(opened), [])
        pairs: list[Any] = panels.show(text("Associated columns"), lambda: self._associations(opened), [])
        names = [name for name in opened.table.columns if opened.table.column(name).kind != "text"]
        if not names:
            raise InputError("only-text-columns", "Every column is free text, so there is nothing to plot.")
        ranked = [row["column"] for row in ranking]
        first = next((name for name in [query.get("x", ""), *ranked, *names] if name in names), names[0])
        second = query.get("y", "") if query.get("y", "") in names and query.get("y") != first else ""
        return {
            "target": opened.target,
            "of_numbers": bool(ranking) and "explained" in ranking[0],
            "labels": opened.label_names,
            "ranking": ranking[:_RANKED],
            "associations": pairs,
            "names": names,
            "x": first,
            "y": second,
            "pictures": panels.show(text("Chart"), lambda: _pictures(opened, first, second, locale), []),
            "rows": panels.show(text("Rows"), lambda: _rows(opened, first, second, query), None),
            "sampled": len(opened.sample) if len(opened.sample) < len(opened.table) else 0,
            "n_rows": len(opened.table),
            "problems": panels.problems,
        }

    def _ranking(self, opened: OpenTable) -> list[dict[str, Any]]:
        return self.results.get(("ranking", opened.key), lambda: _ranking(opened))

    def _associations(self, opened: OpenTable) -> list[Any]:
        return self.results.get(("associations", opened.key), lambda: _associations(opened))


def _ranking(opened: OpenTable) -> list[dict[str, Any]]:
    if opened.target is None or not opened.target_varies:
        return []
    scores = rank_attributes(opened.sample, opened.target)
    most = max((score.strength for score in scores), default=0.0) or 1.0
    return [
        {"column": score.attribute, "strength": (strength := max(score.strength, 0.0)), "share": strength / most}
        | score.statistics()
        for score in scores
    ]


def _associations(opened: OpenTable) -> list[Any]:
    sample = opened.sample
    few = [name for name in sample.columns if sample.column(name).kind != "text"][:_ASSOCIATED]
    return list(associations(sample.select(few)).strongest(12)) if len(few) > 1 else []


# -- pictures ----------------------------------------------------------------------------------------------------------
def _pictures(opened: OpenTable, x: str, y: str, locale: Locale) -> list[dict[str, str]]:
    return _two(opened, x, y, locale) if y else _one(opened, x, locale)


def _one(opened: OpenTable, name: str, locale: Locale) -> list[dict[str, str]]:
    column, profile = opened.sample.column(name), opened.profile(name)
    labels, codes = opened.label_names, opened.codes
    groups, names = _groups(column, profile)
    k = max(len(labels), 1)
    counts = np.zeros((len(names), k))
    known = (groups >= 0) & (codes >= 0)
    np.add.at(counts, (groups[known], codes[known]), 1)
    addresses = [f"/explore?{urlencode({'x': name, 'bin': b})}#rows" for b in range(len(names))]
    told = {"name": clip(name, 40)}
    title = locale.say("Rows by {name} and target", **told) if labels else locale.say("Rows by {name}", **told)
    found = [
        {"title": title, "svg": svg.class_bars(counts.tolist(), names, title, addresses, bool(labels), locale=locale)}
    ]
    if column.kind == "numeric" and labels:
        title = locale.say("{name} by target: median, quartiles, extremes", name=clip(name, 40))
        fives = [(locale.text(label), _five(column.data[codes == code])) for code, label in enumerate(labels)]
        drawn = [(label, five) for label, five in fives if five is not None]
        if drawn:
            boxes = svg.class_boxes(drawn, title, clip(name, 40), dates=column.is_date, locale=locale)
            found.append({"title": title, "svg": boxes})
    return found


def _two(opened: OpenTable, x: str, y: str, locale: Locale) -> list[dict[str, str]]:
    a, b = opened.sample.column(x), opened.sample.column(y)
    title = locale.say("{x} and {y}", x=clip(x, 40), y=clip(y, 40))
    if a.kind == "numeric" and b.kind == "numeric":
        known = np.flatnonzero(~np.isnan(a.data) & ~np.isnan(b.data))
        if len(known) > _POINTS:
            known = np.sort(np.random.default_rng(0).choice(known, _POINTS, replace=False))
        codes = opened.codes if opened.label_names else np.full(len(a), -1)
        points = [(float(a.data[i]), float(b.data[i]), int(codes[i])) for i in known]
        numbers = opened.pictured[known]
        addresses = [f"/explore?{urlencode({'x': x, 'y': y, 'row': int(i) + 1})}#rows" for i in numbers]
        named = [locale.say("row {n:,}", n=int(i) + 1) for i in numbers]
        dates = (a.is_date, b.is_date)
        drawn = svg.scatter(points, (clip(x, 40), clip(y, 40)), title, addresses, named, dates=dates, locale=locale)
        return [{"title": title, "svg": drawn}]
    if a.kind == "numeric" or b.kind == "numeric":
        number, groups = (a, b) if a.kind == "numeric" else (b, a)
        codes, names = _groups(groups, opened.profile(groups.name))
        fives = [(name, _five(number.data[codes == code])) for code, name in enumerate(names)]
        boxes = [(name, five) for name, five in fives if five is not None]
        axis = clip(number.name, 40)
        drawn = svg.class_boxes(boxes, title, axis, coloured=False, dates=number.is_date, locale=locale)
        return [{"title": title, "svg": drawn}]
    (across, columns), (down, lines) = _groups(a, opened.profile(x)), _groups(b, opened.profile(y))
    counts = np.zeros((len(lines), len(columns)))
    both = (across >= 0) & (down >= 0)
    np.add.at(counts, (down[both], across[both]), 1)
    return [{"title": title, "svg": svg.count_grid(counts.tolist(), columns, lines, title, locale=locale)}]


def _groups(column: Column, profile: Profile) -> tuple[np.ndarray, list[str]]:
    """The bin or the category of each row, -1 for none, and the names of the groups."""
    if column.kind == "nominal":
        assert profile.counts is not None
        shown = np.argsort(-profile.counts, kind="stable")[:_CATEGORIES]
        shown = shown[profile.counts[shown] > 0]
        if column.level == "ordinal":
            shown = np.sort(shown)
        place = np.full(len(column.categories) + 1, -1)
        place[shown] = np.arange(len(shown))
        return place[column.data], [clip(column.categories[i], 40) for i in shown]
    if profile.quantiles is None:
        return np.full(len(column), -1), []
    low, high = profile.quantiles[0], profile.quantiles[4]
    edges = np.linspace(low, high, _BINS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    if profile.whole and high - low < _BINS:
        edges = np.arange(low, high + 2) - 0.5
    bins = np.clip(np.searchsorted(edges, column.data, side="right") - 1, 0, len(edges) - 2)
    middles = ((edges[:-1] + edges[1:]) / 2).tolist()
    # A day, or a minute, says enough of a bin of dates; a number its first digits.
    unit = 1 if edges[1] - edges[0] >= 1 else 1440
    cut = [float(np.floor(x * unit) / unit) if column.is_date else float(f"{x:.3g}") for x in middles]
    names = [value_text(column, value) or "" for value in cut]
    return np.where(np.isnan(column.data), -1, bins), names


def _five(values: np.ndarray) -> tuple[float, ...] | None:
    known = values[~np.isnan(values)]
    return tuple(np.quantile(known, [0, 0.25, 0.5, 0.75, 1]).tolist()) if len(known) else None


# -- the rows behind a bar or a point ------------------------------------------------------------------------------
def _rows(opened: OpenTable, x: str, y: str, query: dict[str, str]) -> dict[str, Any] | None:
    table = opened.table
    if query.get("row", "").isdecimal() and 1 <= int(query["row"][:12]) <= len(table):
        return rows_view(table, np.array([int(query["row"][:12]) - 1]), 1)
    if not query.get("bin", "").isdecimal():
        return None
    groups, names = _groups(opened.sample.column(x), opened.profile(x))
    wanted = int(query["bin"][:6])
    if wanted >= len(names):
        return None
    found = np.flatnonzero(groups == wanted)
    return rows_view(table, opened.pictured[found[:_ROWS]], len(found)) | {"value": names[wanted]}


def rows_view(table: Table, at: np.ndarray, total: int, across: int = 16) -> dict[str, Any]:
    """Return rows as a page shows them.

    Parameters
    ----------
    table : Table
    at : ndarray
        Their positions.
    total : int
        How many there are in all.
    across : int, default=16
        Columns at most.
    """
    names = list(table.columns)[:across]
    part = table.select(names).take(at)
    columns = [part.column(name) for name in names]
    return {
        "numbers": (at + 1).tolist(),
        "names": [clip(name, 40) for name in names],
        "rows": list(zip(*map(cell_texts, columns))),
        "total": total,
        "value": "",
    }
