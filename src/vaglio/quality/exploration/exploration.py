"""A table at a glance: its columns described, ranked and drawn (D2, D5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.page import figure_svg
from vaglio.quality.exploration.association import Associations, associations
from vaglio.quality.exploration.figures import box_plots, histograms, pair_plot
from vaglio.quality.exploration.ranking import AttributeScore, rank_attributes
from vaglio.quality.statistics import describe
from vaglio.table import Table
from vaglio.text.listing import html_table, plain_data, text_table

__all__ = ["FIGURES", "Exploration", "explore"]

FIGURES = ("histograms", "boxes", "pairs", "associations")
_MAX_LINES = 60


@dataclass(frozen=True, repr=False, eq=False)
class Exploration:
    """What a table shows; everything is computed when asked for. Make one with :func:`explore`.

    Attributes
    ----------
    table : Table
    target : str or None
    seed : int
        Of the samples that are drawn from large tables.
    """

    table: Table
    target: str | None = None
    seed: int = 0

    @cached_property
    def ranking(self) -> tuple[AttributeScore, ...]:
        """Columns by information gain, best first (with a target)."""
        return () if self.target is None else tuple(rank_attributes(self.table, self.target, seed=self.seed))

    @cached_property
    def associations(self) -> Associations:
        """How strongly the columns go together."""
        return associations(self.table, seed=self.seed)

    def classes(self) -> list[dict[str, Any]]:
        """Rows and share of each class, commonest first."""
        if self.target is None:
            return []
        y = self.table.xy(self.target)[1]
        labels, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [
            {"class": labels[i].item() if hasattr(labels[i], "item") else labels[i], "rows": int(counts[i]),
             "share": float(counts[i] / counts.sum())}
            for i in order
        ]  # fmt: skip

    def columns(self) -> list[dict[str, Any]]:
        """A row a column: kind, level, role, and the statistics its level permits; the best for the class first."""
        place = {score.attribute: i for i, score in enumerate(self.ranking)}
        gain = {score.attribute: score for score in self.ranking}
        rows = []
        packed = set() if self.table.sparse is None else set(self.table.sparse.names)
        for name in self.table.columns:
            if name in packed:  # thousands of items: their sums tell little, and unpacking them costs the memory saved
                continue
            column = self.table.column(name)
            row = {"column": name, "kind": "date" if column.is_date else column.kind, **describe(column)}
            score = gain.get(name)
            told = (
                {} if score is None else {"gain": score.gain, "gain ratio": score.gain_ratio, "p (χ²)": score.p_value}
            )
            rows.append({**row, **told})
        return sorted(rows, key=lambda row: place.get(row["column"], len(place)))

    def draw(self, figure: str = "histograms") -> Any:
        """A figure: "histograms", "boxes", "pairs" or "associations"."""
        drawings: dict[str, Callable[[], Any]] = {
            "histograms": lambda: histograms(self.table, self.target),
            "boxes": lambda: box_plots(self.table, self.target),
            "pairs": lambda: pair_plot(self.table, self.target, seed=self.seed),
            "associations": lambda: self.associations.plot().figure,
        }
        if figure not in drawings:
            raise InputError(f"There is no figure {figure!r}; there are {', '.join(FIGURES)}.")
        return drawings[figure]()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return plain_data(
            {
                "rows": len(self.table),
                "target": self.target,
                "classes": self.classes(),
                "columns": self.columns(),
                "associations": self.associations.strongest(),
            }
        )

    def to_text(self, *, all_pairs: bool = False) -> str:
        """What a person reads in a terminal; the strongest associations, more of them with ``all_pairs``."""
        n, p = self.table.shape
        parts = [f"{n} rows, {p} columns{f', class {self.target}' if self.target else ''}"]
        if self.target is not None:
            parts.append(text_table(self.classes(), max_rows=20))
        parts += [text_table(_described(self.columns()), max_rows=_MAX_LINES)]
        strongest = self.associations.strongest(200 if all_pairs else 8)
        if strongest:
            parts.append(f"Columns that go together\n{text_table(strongest)}")
        return "\n\n".join(parts)

    def to_html(self) -> str:
        """Tables and every figure that can be drawn of them."""
        return self._repr_html_() + "".join(self._drawings())

    def _drawings(self) -> list[str]:
        drawn = []
        for name in FIGURES:
            try:
                drawn.append(f"<h2>{name.capitalize()}</h2>{figure_svg(self.draw(name), name)}")
            except InputError:  # a table without numbers has no boxes and no pairs
                continue
        return drawn

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return "".join(
            (
                html_table(self.classes(), caption=f"Classes of {self.target}", max_rows=50),
                html_table(_described(self.columns()), caption=f"{len(self.table)} rows", max_rows=200),
                html_table(self.associations.strongest(), caption="Columns that go together"),
            )
        )


def _described(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns of statistics that fit a screen."""
    wanted = (
        "column",
        "kind",
        "level",
        "missing",
        "distinct",
        "mode",
        "median",
        "mean",
        "deviation",
        "gain",
        "gain ratio",
    )
    return [{name: row.get(name) for name in wanted if any(name in other for other in rows)} for row in rows]


def explore(table: Any, target: str | int | None = None, *, seed: int = 0) -> Exploration:
    """Look at a table: its columns, what they tell about the class, how they go together.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str or int, optional
        The class column; by default the one with the role "target".
    seed : int
        Of the samples that are drawn from large tables.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.quality import explore
    >>> seen = explore(vaglio.datasets.load("play"))
    >>> seen.columns()[0]["column"], round(seen.columns()[0]["gain"], 4)
    ('outlook', 0.2467)
    """
    data = Table.from_any(table)
    return Exploration(data, data.target if target is None else data.resolve(target), seed)
