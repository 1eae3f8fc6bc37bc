"""An overview of a table: its columns described, ranked by what they tell about the target, and drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from vaglio.engines.mapped_table import table_of
from vaglio.engines.sources import joined
from vaglio.errors import InputError
from vaglio.messages.figures import figure
from vaglio.messages.listing import html_table, plain_data, text_table
from vaglio.messages.locale import ENGLISH, Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.plot.distributions import BoxStatistics, draw_boxes, draw_counts, draw_histogram, draw_pairs
from vaglio.plot.style import class_legend, panel_grid
from vaglio.quality.association import Associations, TargetScore, associations, is_packed, rank_attributes
from vaglio.quality.auditing import Audit, audit
from vaglio.quality.levels import describe, describe_profile
from vaglio.quality.profile import distinct_codes, profile_column, sample_rows
from vaglio.runtime.arguments import checked
from vaglio.table import Column, Table, as_table, decide_task
from vaglio.typing import ColumnLike, TableSource

__all__ = ["FIGURES", "Exploration", "box_plots", "box_statistics", "explore", "histograms", "pair_plot"]

# Panels of one figure: six lines of four fill a page.
_MAX_PANELS = 24
# Points of a scatter plot: more cover each other and make the file large.
_MAX_POINTS = 2000
# Numbers to predict are drawn in so many groups of equal size: more cannot be told apart at a glance.
_GROUPS = 3
# Outliers drawn beside a box, for the same reason.
_MAX_OUTLIERS = 200
FIGURES = ("histograms", "boxes", "pairs", "associations")
# Statistics and kinds of columns as a reader meets them; names that are not here stay as they are.
_WORDS = {
    str(word): word
    for word in (
        text("column"),
        text("kind"),
        text("level"),
        text("values"),
        text("unit"),
        text("missing"),
        text("distinct"),
        text("mode"),
        text("median"),
        text("mean"),
        text("deviation"),
        text("gain"),
        text("beyond chance"),
        text("gain ratio"),
        text("explained"),
        text("rank correlation"),
        text("known"),
    )
}
_CELLS = {
    str(word): word
    for word in (
        text("numeric"),
        text("nominal"),
        text("text"),
        text("date"),
        text("ordinal"),
        text("interval"),
        text("ratio"),
        text("nominal, asymmetric"),
        text("ordinal, asymmetric"),
        text("interval, asymmetric"),
        text("ratio, asymmetric"),
        text("discrete"),
        text("continuous"),
        text("binary"),
    )
}
_CELL_COLUMNS = ("kind", "level", "values")
# More lines than this scroll out of a terminal; as text only these are shown.
_MAX_LINES = 60
_PERCENTILE = re.compile(r"p\d+(\.\d+)?")
# Statistics that are values of the column: of a column of dates they are dates.
_POSITION = re.compile(rf"mode|min|q1|median|q3|max|mean|{_PERCENTILE.pattern}")


def box_statistics(values: np.ndarray, name: str = "") -> BoxStatistics:
    """Return quartiles, whiskers that end at the last value inside the fences, and the values outside.

    >>> box = box_statistics(np.array([1.0, 2, 3, 4, 100]))
    >>> box.low, box.median, box.high, box.outliers.tolist()
    (1.0, 3.0, 4.0, [100.0])
    """
    values = values[~np.isnan(values)]
    profile = profile_column(Column.numeric("x", values))
    if profile.quantiles is None or profile.whiskers is None or profile.fences is None:
        raise InputError("box-plot-without-values", "A box plot needs at least one value.")
    low, high = profile.fences
    outside = np.unique(values[(values < low) | (values > high)])
    if len(outside) > _MAX_OUTLIERS:
        outside = outside[np.linspace(0, len(outside) - 1, _MAX_OUTLIERS).astype(int)]
    return BoxStatistics(
        name,
        profile.whiskers[0],
        profile.quantiles[1],
        profile.quantiles[2],
        profile.quantiles[3],
        profile.whiskers[1],
        outside,
        profile.fences,
    )


def _drawable(table: Table, columns: Sequence[str] | None) -> list[Column]:
    """Return the columns to choose from: those named, or all; without those of a sparse block and without text."""
    names = columns if columns is not None else table.columns
    found = [table.column(name) for name in names if table.sparse is None or name not in table.sparse]
    return [column for column in found if column.kind != "text" and not column.missing.all()]


def _numeric_inputs(table: Table, columns: Sequence[str] | None, target: str | None) -> list[Column]:
    found = _drawable(table, columns)
    return [column for column in found if column.kind == "numeric" and column.role == "input" and column.name != target]


def predicts_numbers(table: Table, target: str | None, task: str) -> bool:
    return target is not None and decide_task(table.column(target), task).task == "regression"


def target_groups(table: Table, target: str | None, task: str = "auto") -> tuple[np.ndarray, list[Any]]:
    """Return the class of each row as a code (-1 is missing), and the classes, which pictures colour.

    Without a target all rows are of one class. Numbers are cut into three groups of about as many rows.

    Parameters
    ----------
    table : Table
    target : str or None
        The column to predict.
    task : {"auto", "classification", "regression"}
        Whether it has classes or numbers; by default its values decide.

    Examples
    --------
    >>> import vaglio
    >>> table = vaglio.Table.from_any({"price": [10.5, 80.0, 30.0, 45.0, 70.0, 12.0]})
    >>> codes, groups = target_groups(table, "price")
    >>> codes.tolist(), [str(group) for group in groups]
    ([0, 2, 1, 1, 2, 0], ['price < 30', '30 – 70', '≥ 70'])
    """
    if target is None:
        return np.zeros(len(table), dtype=np.int64), [""]
    column = table.column(target)
    codes, labels = distinct_codes(column.values, column.missing)
    if not predicts_numbers(table, target, task) or not len(labels):
        return codes, labels.tolist()
    numbers = labels.astype(np.float64)
    cuts, groups = groups_of_numbers(np.sort(numbers[codes[codes >= 0]]), target)
    return np.where(codes < 0, -1, np.searchsorted(cuts, numbers, side="right")[codes]), groups


def groups_of_numbers(values: np.ndarray, name: str = "y") -> tuple[np.ndarray, list[Message]]:
    """Return where the second and third of three groups of about as many numbers begin, and names of the groups.

    Parameters
    ----------
    values : ndarray
        Sorted.
    name : str
        What they are.

    Examples
    --------
    >>> cuts, groups = groups_of_numbers(np.array([10.5, 12.0, 30.0, 45.0, 70.0, 80.0]), "price")
    >>> cuts.tolist(), [str(group) for group in groups]
    ([30.0, 70.0], ['price < 30', '30 – 70', '≥ 70'])
    """
    cuts = np.unique(values[[len(values) * k // _GROUPS for k in range(1, _GROUPS)]])
    cuts = cuts[cuts > values[0]]
    if not len(cuts):
        return cuts, [text("{low} – {high}", low=figure(values[0]), high=figure(values[-1]))]
    ends = [figure(float(cut)) for cut in cuts]
    return cuts, [
        text("{target} < {value}", target=clip(name, 20), value=ends[0]),
        *(text("{low} – {high}", low=low, high=high) for low, high in pairwise(ends)),
        text("≥ {value}", value=ends[-1]),
    ]


def named(label: Any, locale: Locale) -> str:
    """Return a class, or a group of numbers, as text."""
    return locale.text(label) if isinstance(label, Message) else str(label)


def box_plots(
    table: TableSource,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    fences: bool = False,
    lang: str | Locale = "en",
    task: str = "auto",
) -> Any:
    """Draw a box plot per numeric column, one box per class, or per third of the numbers to predict.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The column to predict.
    columns : sequence of str, optional
        The columns to draw; by default all.
    fences : bool, default=False
        Draw Q1 − 1.5·IQR and Q3 + 1.5·IQR, beyond which values are outliers.
    lang : str or Locale, default="en"
        The language of the words and numbers.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.
    """
    data, locale = Table.from_any(table), locale_of(lang)
    chosen = _numeric_inputs(data, columns, target)
    codes, labels = target_groups(data, target, task)
    figure, axes = panel_grid(min(len(chosen), _MAX_PANELS))
    class_legend(figure, (), _panel_note(len(chosen)), locale=locale)
    for ax, column in zip(axes, chosen, strict=False):
        groups = [
            (locale.text(str(label)) if isinstance(label, str) else str(label), column.data[codes == k])
            for k, label in enumerate(labels)
        ]
        draw_boxes(
            ax,
            [box_statistics(v, name) for name, v in groups if (~np.isnan(v)).any()],
            title=column.name,
            fences=fences,
            locale=locale,
        )
    return figure


def histograms(
    table: TableSource,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    lang: str | Locale = "en",
    task: str = "auto",
) -> Any:
    """Draw a histogram per column (bars of categories or bins of numbers), stacked by class or by third of the target.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The column to predict.
    columns : sequence of str, optional
        The columns to draw; by default all.
    lang : str or Locale, default="en"
        The language of the words and numbers.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.
    """
    data, locale = Table.from_any(table), locale_of(lang)
    chosen = [column for column in _drawable(data, columns) if column.role in ("input", "target")]
    codes, labels = target_groups(data, target, task)
    figure, axes = panel_grid(min(len(chosen), _MAX_PANELS))
    class_legend(figure, labels if target else (), _panel_note(len(chosen)), locale=locale)
    for ax, column in zip(axes, chosen, strict=False):
        if column.kind == "numeric":
            parts = [column.data[(codes == k) & ~column.missing] for k in range(len(labels))]
            draw_histogram(ax, parts, title=column.name, locale=locale)
        else:
            counts = np.array(
                [np.bincount(column.data[(codes == k) & (column.data >= 0)], minlength=len(column.categories))
                 for k in range(len(labels))]
            )  # fmt: skip
            draw_counts(ax, counts, column.categories, title=column.name, locale=locale)
    return figure


def pair_plot(
    table: TableSource,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    max_columns: int = 5,
    diag: Literal["hist", "kde"] = "hist",
    seed: int = 0,
    lang: str | Locale = "en",
    task: str = "auto",
) -> Any:
    """Draw a scatter plot per pair of numeric columns, coloured by class; a numeric target is one of them.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str, optional
        The column to predict.
    columns : sequence of str, optional
        The columns to draw; by default those that tell most about the target.
    max_columns : int, default=5
        How many of them, if `columns` does not name them.
    diag : {"hist", "kde"}, default="hist"
        What is on the diagonal: histograms, or kernel densities of the classes.
    seed : int, default=0
        Seed of the sample of rows.
    lang : str or Locale, default="en"
        The language of the words and numbers.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.
    """
    data, locale = Table.from_any(table), locale_of(lang)
    chosen = _numeric_inputs(data, columns, target)
    if len(chosen) > max_columns and columns is None:
        if target is not None:
            ranked = [score.attribute for score in rank_attributes(data, target, seed=seed, task=task)]
            chosen.sort(key=lambda column: ranked.index(column.name))
        chosen = chosen[:max_columns]
    if target is not None and columns is None and predicts_numbers(data, target, task):
        chosen = [column for column in [data.column(target)] if column.kind == "numeric"] + chosen[: max_columns - 1]
    if len(chosen) < 2:
        raise InputError("too-few-columns", "A pair plot needs at least two numeric columns.")
    codes, labels = target_groups(data, target, task)
    rows = np.flatnonzero(codes >= 0)
    note = ""
    if len(rows) > _MAX_POINTS:
        note = text("{n:,} of {total:,} rows", n=_MAX_POINTS, total=len(rows))
        rows = sample_rows(rows, _MAX_POINTS, seed)
    values = np.column_stack([column.data[rows] for column in chosen])
    names = [column.name for column in chosen]
    return draw_pairs(values, names, codes[rows], labels if target else [], note=note, diag=diag, locale=locale)


def _panel_note(n: int) -> str:
    return text("the first {n:,} of {total:,} columns", n=_MAX_PANELS, total=n) if n > _MAX_PANELS else ""


@dataclass(frozen=True, repr=False, eq=False)
class Exploration:
    """An overview of a table; each part is computed when it is first used. Make one with :func:`vaglio.explore`.

    Attributes
    ----------
    table : Table
    target : str or None
        The column to predict.
    seed : int
        Seed of the samples that are drawn from large tables.
    percentiles : tuple of float
        Percentiles that are shown beside the other statistics.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.
    """

    table: Table
    target: str | None = None
    seed: int = 0
    percentiles: tuple[float, ...] = ()
    task: str = "auto"

    @property
    def predicts_numbers(self) -> bool:
        """Whether there is a target, and it has numbers."""
        return predicts_numbers(self.table, self.target, self.task)

    @cached_property
    def ranking(self) -> tuple[TargetScore, ...]:
        """Columns by what they tell about the target: information gain beyond chance, or variance explained."""
        if self.target is None:
            return ()
        return tuple(rank_attributes(self.table, self.target, seed=self.seed, task=self.task))

    @cached_property
    def associations(self) -> Associations:
        """How strongly the columns depend on each other."""
        return associations(self.table, seed=self.seed)

    @cached_property
    def audit(self) -> Audit:
        """What is missing, wrong or repeated in the table."""
        return audit(self.table, self.target, seed=self.seed, task=self.task)

    @checked
    def statistics_of(self, name: str) -> dict[str, Any]:
        """Return the statistics that the level of a column permits.

        Parameters
        ----------
        name : str
            The column.
        """
        known, context = self.table.column(name).name, self.audit.context
        return describe_profile(context.columns[known], context.profiles[known], self.percentiles)

    def classes(self) -> list[dict[str, Any]]:
        """Return rows and share of each class, the most frequent first; none of a numeric target."""
        if self.target is None or self.predicts_numbers:
            return []
        y = self.table.xy(self.target)[1]
        labels, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [
            {text("class"): labels[i].item() if hasattr(labels[i], "item") else labels[i],
             text("rows"): int(counts[i]), text("share"): float(counts[i] / counts.sum())}
            for i in order
        ]  # fmt: skip

    def numbers(self) -> list[dict[str, Any]]:
        """Return rows, mean, deviation, quartiles and ends of a numeric target as one row; none of classes."""
        if self.target is None or not self.predicts_numbers:
            return []
        y = self.table.xy(self.target, task="regression")[1]
        low, q1, median, q3, high = np.quantile(y, [0, 0.25, 0.5, 0.75, 1]).tolist()
        deviation = float(y.std(ddof=1)) if len(y) > 1 else None
        return [
            {text("rows"): len(y), text("mean"): float(y.mean()), text("deviation"): deviation, text("minimum"): low,
             text("first quartile"): q1, text("median"): median, text("third quartile"): q3, text("maximum"): high}
        ]  # fmt: skip

    def columns(self) -> list[dict[str, Any]]:
        """Return one row per column: kind, level, role and the statistics its level permits; best ranked first."""
        place = {score.attribute: i for i, score in enumerate(self.ranking)}
        scores = {score.attribute: score for score in self.ranking}
        rows = []
        for name in self.table.columns:
            # Often thousands of items: a line for each tells little, and unpacking them would cost the memory saved.
            if is_packed(self.table, name):
                continue
            column = self.table.column(name)
            kind = "date" if column.is_date else column.kind
            row = {"column": name, "kind": kind, **describe(column, self.percentiles)}
            if column.is_date:
                row = {what: _date(value) if _POSITION.fullmatch(what) else value for what, value in row.items()}
            score = scores.get(name)
            if score is not None:
                row |= score.statistics()
                # The gain, and what is explained, is weighed by this share.
                row |= {"known": score.known} if score.known < 1 else {}
            rows.append(row)
        return sorted(rows, key=lambda row: place.get(row["column"], len(place)))

    @checked
    def draw(self, figure: str = "histograms", *, lang: str | Locale = "en") -> Any:
        """Draw a figure.

        Parameters
        ----------
        figure : {"histograms", "boxes", "pairs", "associations"}
        lang : str or Locale, default="en"
            The language of the words and numbers.
        """
        drawings: dict[str, Callable[[], Any]] = {
            "histograms": lambda: histograms(self.table, self.target, lang=lang, task=self.task),
            "boxes": lambda: box_plots(self.table, self.target, lang=lang, task=self.task),
            "pairs": lambda: pair_plot(self.table, self.target, seed=self.seed, lang=lang, task=self.task),
            "associations": lambda: self.associations.plot(lang=lang).figure,
        }
        if figure not in drawings:
            raise InputError(
                "unknown-figure",
                "There is no figure {figure!r}; {hint}",
                figure=figure,
                hint=did_you_mean(figure, FIGURES),
            )
        return drawings[figure]()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        data = {
            "rows": len(self.table),
            "target": self.target,
            "classes": self.classes(),
            "numbers": self.numbers(),
            "columns": self.columns(),
            "associations": self.associations.strongest(),
        }
        plain: dict[str, Any] = plain_data(data)
        return plain

    @checked
    def to_text(self, *, all_pairs: bool = False, lang: str | Locale = "en") -> str:
        """Return the overview as text.

        Parameters
        ----------
        all_pairs : bool, default=False
            Show more than the eight strongest associations.
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        parts = [locale.text(self._title())]
        if self.target is not None:
            parts.append(text_table(self.numbers() or self.classes(), max_rows=20, locale=locale))
        parts += [text_table(_headed(_main_statistics(self.columns())), max_rows=_MAX_LINES, locale=locale)]
        strongest = self.associations.strongest(200 if all_pairs else 8)
        if strongest:
            parts.append(f"{locale.say('Strongest associations')}\n{text_table(strongest, locale=locale)}")
        return "\n\n".join(parts)

    def _title(self) -> Message:
        n, p = self.table.shape
        if self.target is None:
            return text("{rows:,} rows, {columns:,} columns", rows=n, columns=p)
        if self.predicts_numbers:
            return text(
                "{rows:,} rows, {columns:,} columns, numeric target {target}", rows=n, columns=p, target=self.target
            )
        return text("{rows:,} rows, {columns:,} columns, class {target}", rows=n, columns=p, target=self.target)

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the overview as a fragment of HTML; :func:`vaglio.report.exploration_html` makes a page with figures.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        return self._tables(locale)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self._tables(ENGLISH)

    def _tables(self, locale: Locale) -> str:
        about = (
            text("Values of {target}", target=self.target)
            if self.predicts_numbers
            else text("Classes of {target}", target=self.target)
        )
        statistics = _headed(_main_statistics(self.columns()))
        strongest = text("Strongest associations")
        return "".join(
            (
                html_table(self.numbers() or self.classes(), caption=about, max_rows=50, locale=locale),
                html_table(statistics, caption=self._title(), max_rows=200, locale=locale),
                html_table(self.associations.strongest(), caption=strongest, locale=locale),
            )
        )


def _main_statistics(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the statistics that fit a screen side by side."""
    wanted = (
        "column",
        "kind",
        "level",
        "values",
        "unit",
        "missing",
        "distinct",
        "mode",
        "median",
        "mean",
        "deviation",
        "gain",
        "beyond chance",
        "gain ratio",
        "explained",
        "rank correlation",
        "known",
    )
    asked = [name for row in rows for name in row if _PERCENTILE.fullmatch(name)]
    after = wanted.index("median") + 1
    shown = dict.fromkeys([*wanted[:after], *asked, *wanted[after:]])
    return [{name: row.get(name) for name in shown if any(name in other for other in rows)} for row in rows]


def _headed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of statistics with headings and words of the package as messages; modes and units are data."""
    return [
        {
            _WORDS.get(name, name): _CELLS.get(value, value) if name in _CELL_COLUMNS else value
            for name, value in row.items()
        }
        for row in rows
    ]


def _date(days: float | None) -> str | None:
    """Return days since 1970 as a date."""
    return None if days is None else str(np.datetime64(int(days), "D"))


@checked
def explore(
    table: TableSource,
    target: str | int | ColumnLike | None = None,
    *,
    seed: int = 0,
    percentiles: Sequence[float] = (),
    task: str = "auto",
) -> Exploration:
    """Describe a table: its columns, what they tell about the target, how they depend on each other.

    Parameters
    ----------
    table : Table, path, or anything :meth:`~vaglio.Table.from_any` takes
        A scanned table or a Dask frame is read once, and its columns are then described one by one on disk.
    target : str, int or array-like, optional
        The column to predict, or its value in each row; by default the column with the role "target".
    seed : int, default=0
        Seed of the samples that are drawn from large tables.
    percentiles : sequence of float
        Percentiles to show beside the other statistics, from 0 to 100.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.quality import explore
    >>> seen = explore(vaglio.datasets.load("play"))
    >>> seen.columns()[0]["column"], round(seen.columns()[0]["gain"], 4)
    ('outlook', 0.2467)
    """
    whole, target = joined(table, target)
    data = as_table(table_of(whole), finite=False)
    return Exploration(data, data.target if target is None else data.resolve(target), seed, tuple(percentiles), task)
