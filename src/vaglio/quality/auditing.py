"""The audit: all checks of a table before anything is learned from it, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from vaglio.engines.mapped_table import table_of
from vaglio.engines.sources import joined
from vaglio.messages.listing import html_table, plain_data, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, join, text
from vaglio.quality.association import TargetScore, rank_attributes
from vaglio.quality.checks.categories import mixed_types, rare_categories, spelling_variants, unread_cells
from vaglio.quality.checks.columns import (
    coarse_numbers,
    constant_columns,
    fine_categories,
    fine_numbers,
    identifier_columns,
    shape_of_table,
)
from vaglio.quality.checks.context import SEVERITIES, SEVERITY_WORDS, Context, Finding, severity_count
from vaglio.quality.checks.copies import copied_columns
from vaglio.quality.checks.drift import drift_from
from vaglio.quality.checks.labels import misfits
from vaglio.quality.checks.missingness import missing_values, placeholders
from vaglio.quality.checks.numbers import (
    leaks_of_numbers,
    misfits_of_numbers,
    target_distribution,
    target_outliers,
)
from vaglio.quality.checks.outliers import forbidden_values, quartile_outliers
from vaglio.quality.checks.repetition import repeated_keys, repeated_rows
from vaglio.quality.checks.target import class_balance, leaking_columns, not_a_target
from vaglio.quality.cleaning import Cleaned, Policy, clean_table
from vaglio.quality.levels import describe_profile
from vaglio.runtime.arguments import checked
from vaglio.runtime.threads import resolve_threads
from vaglio.table import Table, as_nominal, as_table
from vaglio.typing import ColumnLike, TableSource

__all__ = ["Audit", "audit", "leaks"]

# The order in which findings of the same severity are listed.
CHECKS: tuple[Callable[[Context], Iterator[Finding]], ...] = (
    missing_values,
    placeholders,
    forbidden_values,
    unread_cells,
    mixed_types,
    repeated_rows,
    repeated_keys,
    identifier_columns,
    constant_columns,
    copied_columns,
    rare_categories,
    spelling_variants,
    quartile_outliers,
    misfits,
    misfits_of_numbers,
    target_outliers,
    target_distribution,
    class_balance,
    leaking_columns,
    leaks_of_numbers,
    shape_of_table,
    coarse_numbers,
    fine_numbers,
    fine_categories,
    drift_from,
)


@dataclass(frozen=True, repr=False, eq=False)
class Audit:
    """The findings about a table, worst first.

    Attributes
    ----------
    table : Table
        As it was given; an audit changes nothing.
    target : str or None
        The column to predict.
    findings : tuple of Finding
    context : Context
        What the checks computed; cleaning uses it again.
    """

    table: Table
    target: str | None
    findings: tuple[Finding, ...]
    context: Context

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @checked
    def of_kind(self, kind: str) -> tuple[Finding, ...]:
        """Return the findings of one kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    @checked
    def about(self, column: str) -> tuple[Finding, ...]:
        """Return the findings that concern a column."""
        return tuple(finding for finding in self.findings if column in finding.columns)

    @checked
    def clean(self, policy: Policy | None = None, **choices: str) -> Cleaned:
        """Return a cleaned copy of the table and a log of the changes; the table itself is not changed.

        Parameters
        ----------
        policy : Policy, optional
            What to do about each kind of finding.
        **choices
            Single choices of :class:`~vaglio.quality.Policy`, such as ``duplicates="drop"``.
        """
        return clean_table(self.context, self.findings, replace(policy or Policy(), **choices))

    @cached_property
    def ranking(self) -> tuple[TargetScore, ...]:
        """Attributes by what they tell about the target, best first: information gain, or variance explained."""
        if self.target is None:
            return ()
        task = "regression" if self.context.predicts_numbers else "classification"
        return tuple(rank_attributes(self.table, self.target, seed=self.context.seed, task=task))

    def statistics(self) -> list[dict[str, Any]]:
        """Return one row per column, with the statistics that its measurement level permits."""
        return [
            describe_profile(self.context.columns[name], profile) for name, profile in self.context.profiles.items()
        ]

    def _title(self) -> Message:
        tally = {level: sum(f.severity == level for f in self.findings) for level in SEVERITIES}
        counts = [severity_count(level, n) for level, n in tally.items() if n]
        n, p = self.table.shape
        shown = {"rows": n, "columns": p, "findings": join(", ", counts) if counts else text("no findings")}
        if self.target is None:
            return text("Audit of {rows:,} rows and {columns:,} columns: {findings}", **shown)
        if self.context.predicts_numbers:
            return text(
                "Audit of {rows:,} rows and {columns:,} columns, numeric target {target}: {findings}",
                **shown,
                target=self.target,
            )
        return text(
            "Audit of {rows:,} rows and {columns:,} columns, class {target}: {findings}", **shown, target=self.target
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per finding: severity, kind, number of rows, finding, advice."""
        return [
            {
                text("severity"): f.severity,
                text("kind"): f.kind,
                text("rows"): f.n_rows or None,
                text("finding"): f.message,
                text("advice"): f.advice,
            }
            for f in self.findings
        ]

    def _shown_rows(self) -> list[dict[str, Any]]:
        """Return the rows with the severity in words."""
        return [
            {name: SEVERITY_WORDS[cell] if name == "severity" else cell for name, cell in row.items()}
            for row in self.to_rows()
        ]

    @checked
    def to_text(self, *, advice: bool = False, lang: str | Locale = "en") -> str:
        """Return the findings as text, worst first.

        Parameters
        ----------
        advice : bool, default=False
            Also say what to do about each finding.
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        head = locale.text(self._title())
        if advice:
            severity = {level: locale.text(word) for level, word in SEVERITY_WORDS.items()}
            lines = [
                f"{severity[f.severity]}: {locale.text(f.message)}\n    {locale.text(f.advice)}" for f in self.findings
            ]
            return "\n".join([head, *lines])
        rows = [{name: cell for name, cell in row.items() if name != "advice"} for row in self._shown_rows()]
        return f"{head}\n{text_table(rows, max_rows=60, locale=locale)}".rstrip()

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the findings as an HTML table.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return html_table(self._shown_rows(), caption=self._title(), max_rows=200, locale=locale_of(lang))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON; its size does not grow with the number of rows."""
        data = {
            "rows": len(self.table),
            "columns": self.table.shape[1],
            "target": self.target,
            "findings": [finding.to_dict() for finding in self.findings],
            "ranking": [score.to_dict() for score in self.ranking],
            "statistics": self.statistics(),
        }
        plain: dict[str, Any] = plain_data(data)
        return plain

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


@checked
def audit(
    table: TableSource,
    target: str | int | ColumnLike | None = None,
    *,
    rules: Mapping[str, Any] | None = None,
    reference: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    task: str = "auto",
) -> Audit:
    """Check a table for missing, wrong, doubtful and repeated values, and for columns that give the target away.

    Parameters
    ----------
    table : Table, path, or anything :meth:`Table.from_any` takes
        A scanned table or a Dask frame is read once; its columns are then checked one by one on disk.
    target : str, int or array-like, optional
        The column to predict, or its value in each row; by default the column with the role "target".
    rules : mapping, optional
        Column -> (low, high), a set of allowed values, or a function from the values to True or False for each.
    reference : table, optional
        The table that this one is compared with, as training rows with test rows: drift is reported.
    seed : int, default=0
        Seed of the samples on which the slowest checks run; their findings say so.
    n_jobs : int, optional
        Threads; -1 for all CPUs.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.

    Examples
    --------
    >>> import vaglio
    >>> table = vaglio.Table.from_any({"age": [31, 40, 40, 212], "ill": ["no", "yes", "yes", "no"]})
    >>> found = vaglio.audit(table, "ill", rules={"age": (0, 120)})
    >>> [finding.kind for finding in found]
    ['impossible', 'duplicates', 'rare-classes']
    """
    whole, target = joined(table, target)
    data = as_table(table_of(whole), finite=False)
    # Numbers that float64 cannot tell apart are codes, as in a table that was read.
    codes = [as_nominal(column) for column in data._columns.values() if column.exact is not None]
    data = data.with_columns(codes) if codes else data
    name = data.target if target is None else data.resolve(target)
    for column in rules or {}:
        data.resolve(column)
    no_target = [] if name is None else list(not_a_target(data, name, task))
    context = Context(
        data,
        None if no_target else name,
        dict(rules or {}),
        None if reference is None else as_table(table_of(reference), finite=False),
        seed,
        resolve_threads(n_jobs),
        task,
    )
    found = no_target + [finding for check in CHECKS for finding in check(context)]
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Audit(data, context.target, tuple(found), context)


def leaks(table: Table, target: str, task: str = "auto") -> list[Finding]:
    """Return the columns that alone give the target away, as the audit finds them.

    Parameters
    ----------
    table : Table
    target : str
        The column to predict.
    task : {"auto", "classification", "regression"}
        Whether it has classes or numbers; by default its values decide.
    """
    context = Context(table, target, task=task)
    return [*leaking_columns(context), *leaks_of_numbers(context)]
