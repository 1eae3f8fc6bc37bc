"""Repeat on other rows what cleaning did to the values of a table: a model knows only the cleaned ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from vaglio.messages.sentences import clip, listed, plural
from vaglio.quality.auditing import Audit
from vaglio.quality.cleaning import RARE, Policy, merge_categories
from vaglio.table import Column, Table

__all__ = ["ValueChange", "repeat_changes", "value_changes"]

# Fields of a policy that change values; the others leave out columns or rows, of which new rows have none.
_OF_VALUES = ("impossible", "placeholders", "spelling", "rare", "outliers")


@dataclass(frozen=True)
class ValueChange:
    """What cleaning did to the values of one column.

    Attributes
    ----------
    column : str
    into : mapping
        Category -> the one it became; None where it became missing.
    absent : tuple of float
        Numbers that became missing.
    low, high : float
        The fences of outliers.
    clipped : bool
        Whether outliers were moved to the fences; else they became missing.
    """

    column: str
    into: Mapping[Any, Any] = field(default_factory=dict)
    absent: tuple[float, ...] = ()
    low: float = -np.inf
    high: float = np.inf
    clipped: bool = False

    def __bool__(self) -> bool:
        return bool(self.into or self.absent or self._fenced)

    @property
    def _fenced(self) -> bool:
        return bool(np.isfinite([self.low, self.high]).any())

    def apply(self, column: Column) -> Column:
        """Return the column with the same changes.

        Parameters
        ----------
        column : Column
        """
        if column.kind == "nominal":
            gone = [code for code, value in enumerate(column.categories) if self.into.get(value, value) is None]
            data = np.where(np.isin(column.data, gone), -1, column.data).astype(column.data.dtype)
            return merge_categories(
                column.replace(data=data), {old: new for old, new in self.into.items() if new is not None}
            )
        if column.kind != "numeric":
            return column
        data = np.where(np.isin(column.data, self.absent), np.nan, column.data)
        if self.clipped:
            return column.replace(data=np.clip(data, self.low, self.high))
        return column.replace(data=np.where((data < self.low) | (data > self.high), np.nan, data))

    def in_words(self, n: int) -> str:
        """Say what was repeated in so many cells."""
        # Spellings first: of rare values, which all become one, there may be many.
        pairs = sorted(self.into.items(), key=lambda pair: pair[1] == RARE)
        shown = [f"{clip(old, 30)!r} → {clip(new, 30)!r}" for old, new in pairs if new is not None]
        gone = [repr(clip(old, 30)) for old, new in self.into.items() if new is None]
        gone += [f"{value:g}" for value in self.absent]
        told = [listed(shown, 4)] if shown else []
        told += [f"missing: {listed(gone, 4)}"] if gone else []
        if self._fenced:
            what = "moved to the fences" if self.clipped else "missing outside"
            told.append(f"{what} {self.low:.4g} … {self.high:.4g}")
        return f"{self.column}: {plural(n, 'cell')} changed as in the cleaned table ({'; '.join(told)})"


def value_changes(audit: Audit, policy: Policy) -> list[ValueChange]:
    """Return what a policy changes in the values of the audited table, column by column.

    Parameters
    ----------
    audit : Audit
    policy : Policy

    Examples
    --------
    >>> import vaglio
    >>> table = vaglio.Table.from_any({"city": ["Roma", "roma", "Roma", "Bari"] * 5, "y": ["a", "b"] * 10})
    >>> value_changes(vaglio.audit(table, "y"), vaglio.quality.Policy())[0].into
    {'roma': 'Roma'}
    """
    kept = {each.name: "keep" for each in fields(Policy) if each.name not in _OF_VALUES}
    chosen = Policy(**{**{name: getattr(policy, name) for name in _OF_VALUES}, **kept})
    before, after = audit.table, audit.clean(chosen).table
    found = []
    for name in before.columns:
        if name == before.target:
            continue
        change = _change(audit, chosen, before.column(name), after.column(name))
        if change:
            found.append(change)
    return found


def _change(audit: Audit, policy: Policy, before: Column, after: Column) -> ValueChange:
    if before.kind == "nominal":
        return ValueChange(before.name, _renamed(before, after))
    if before.kind != "numeric":
        return ValueChange(before.name)
    about = {finding.kind: finding.details for finding in audit.about(before.name) if finding.columns[0] == before.name}
    absent: tuple[float, ...] = ()
    if policy.placeholders == "missing" and "placeholder" in about:
        absent = tuple(float(value) for value in about["placeholder"]["values"])
    if policy.outliers == "keep" or "outliers" not in about:
        return ValueChange(before.name, absent=absent)
    fences = about["outliers"]
    return ValueChange(
        before.name,
        absent=absent,
        low=float(fences["low"]),
        high=float(fences["high"]),
        clipped=policy.outliers == "clip",
    )


def _renamed(before: Column, after: Column) -> dict[Any, Any]:
    """Category -> what its rows have after cleaning, for those that have another one."""
    rows = np.flatnonzero(~before.missing)
    codes, first = np.unique(before.data[rows], return_index=True)
    pairs = zip(codes.tolist(), after.data[rows[first]].tolist())
    found = {before.categories[old]: after.categories[new] if new >= 0 else None for old, new in pairs}
    return {old: new for old, new in found.items() if old != new}


def repeat_changes(table: Table, changes: list[ValueChange]) -> tuple[Table, dict[str, int]]:
    """Return the rows with the changes, and how many cells of each column are another value.

    Parameters
    ----------
    table : Table
        Other rows; columns that it lacks are left out.
    changes : list of ValueChange
    """
    counts: dict[str, int] = {}
    for change in changes:
        if change.column not in table:
            continue
        before = table.column(change.column)
        after = change.apply(before)
        same = (before.values == after.values) | (before.missing & after.missing)
        counts[change.column] = int(np.count_nonzero(~same))
        table = table.with_column(after)
    return table, counts
