"""From findings to a cleaner table, with a log; the source is never changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from vaglio.errors import InputError
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding
from vaglio.quality.checks.identity import fingerprint, repeated_groups
from vaglio.quality.checks.missingness import placeholder_mask
from vaglio.quality.checks.outliers import forbidden_mask, outlier_mask
from vaglio.quality.checks.repetition import surplus
from vaglio.quality.profile import quartile_fences
from vaglio.table import Column, Table

__all__ = ["Cleaned", "Policy", "clean_table"]

_CHOICES = {
    "impossible": ("keep", "missing"),
    "placeholders": ("keep", "missing"),
    "spelling": ("keep", "merge"),
    "outliers": ("keep", "missing", "clip"),
    "rare": ("keep", "merge"),
    "identifiers": ("keep", "mark"),
    "constant": ("keep", "drop"),
    "missing_class": ("keep", "drop"),
    "mostly_missing": ("keep", "drop"),
    "duplicates": ("keep", "drop"),
    "inconsistent": ("keep", "drop", "majority"),
}


@dataclass(frozen=True)
class Policy:
    """What to do about each kind of finding. The defaults do what is safe; "keep" does nothing.

    Outliers and imputation are left alone by default: the first may be the truth, the second belongs inside the folds
    (see :class:`~vaglio.ForestImputer`), lest test rows tell the training rows their means.

    Parameters
    ----------
    impossible, placeholders : {"keep", "missing"}
    spelling, rare : {"keep", "merge"}
        Values spelt in several ways; values of hardly any rows.
    outliers : {"keep", "missing", "clip"}
    identifiers : {"keep", "mark"}
        Marked, they keep out of training.
    constant, missing_class, mostly_missing, duplicates : {"keep", "drop"}
        Columns with one value; rows without a class; columns that are mostly gaps; rows equal to an earlier one.
    inconsistent : {"keep", "drop", "majority"}
        Rows with the same attributes and another class.
    """

    impossible: str = "missing"
    placeholders: str = "keep"
    spelling: str = "merge"
    outliers: str = "keep"
    rare: str = "keep"
    identifiers: str = "mark"
    constant: str = "drop"
    missing_class: str = "drop"
    mostly_missing: str = "keep"
    duplicates: str = "keep"
    inconsistent: str = "keep"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, allowed = getattr(self, field.name), _CHOICES[field.name]
            if value not in allowed:
                raise InputError(f"{field.name} is {value!r}; it can be {', '.join(map(repr, allowed))}.")


class Cleaned(NamedTuple):
    """A new table, and what was done to get it.

    Attributes
    ----------
    table : Table
    log : tuple of str
        What was done, in sentences.
    """

    table: Table
    log: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join([repr(self.table), *(f"- {line}" for line in self.log or ("nothing was changed",))])


def clean_table(context: Context, findings: Sequence[Finding], policy: Policy) -> Cleaned:
    """Apply a policy: values first, then columns, then rows."""
    table, log = context.table, []
    for step in (_impossible, _placeholders, _spelling, _rare, _outliers):
        for column, line in step(context, table, findings, policy):
            table = table.with_column(column)
            log.append(line)
    table, lines = _columns(context, table, findings, policy)
    log += lines
    table, lines = _rows(context, table, policy)
    return Cleaned(table, (*log, *lines))


Steps = Iterator[tuple[Column, str]]


def _of(findings: Sequence[Finding], kind: str) -> list[Finding]:
    return [finding for finding in findings if finding.kind == kind]


def _without(column: Column, mask: np.ndarray) -> Column:
    """The column with missing values where the mask is true."""
    absent = {"numeric": np.nan, "nominal": -1, "text": None}[column.kind]
    data = column.data.copy()
    data[mask] = absent
    return column.replace(data=data)


def _impossible(context: Context, table: Table, findings: Sequence[Finding], policy: Policy) -> Steps:
    if policy.impossible == "keep":
        return
    for finding in _of(findings, "impossible"):
        name = finding.columns[0]
        column = table.column(name)
        mask = forbidden_mask(column, context.rules[name])
        yield _without(column, mask), f"{name}: {int(mask.sum())} impossible values made missing"


def _placeholders(context: Context, table: Table, findings: Sequence[Finding], policy: Policy) -> Steps:
    if policy.placeholders == "keep":
        return
    for finding in _of(findings, "placeholder"):
        name = finding.columns[0]
        column = table.column(name)
        mask = placeholder_mask(column, tuple(finding.details["values"]))
        values = ", ".join(map(str, finding.details["values"]))
        yield _without(column, mask), f"{name}: {int(mask.sum())} placeholders ({values}) made missing"


def _spelling(context: Context, table: Table, findings: Sequence[Finding], policy: Policy) -> Steps:
    if policy.spelling == "keep":
        return
    for finding in _of(findings, "spelling"):
        name = finding.columns[0]
        column = table.column(name)
        into = {odd: group[0] for group in finding.details["groups"] for odd in group[1:]}
        merged = _merged(column, into)
        shown = ", ".join(f"{odd!r} → {head!r}" for odd, head in list(into.items())[:4])
        yield merged, f"{name}: {len(into)} spellings merged ({shown}{' …' if len(into) > 4 else ''})"


def _merged(column: Column, into: dict) -> Column:
    """Categories renamed; those that fall together become one."""
    names = [into.get(value, value) for value in column.categories]
    kept = tuple(dict.fromkeys(names))
    place = np.array([*(kept.index(name) for name in names), -1], dtype=np.int32)
    return column.replace(data=place[column.data], categories=kept)


def _rare(context: Context, table: Table, findings: Sequence[Finding], policy: Policy) -> Steps:
    if policy.rare == "keep":
        return
    for finding in _of(findings, "rare-categories"):
        name = finding.columns[0]
        column = table.column(name)
        counts = np.bincount(column.data + 1, minlength=len(column.categories) + 1)[1:]
        rare = [v for v, count in zip(column.categories, counts) if 0 < count <= finding.details["limit"]]
        if len(rare) > 1 and column.level == "nominal":
            yield _merged(column, dict.fromkeys(rare, "(rare)")), f"{name}: {len(rare)} rare values merged as '(rare)'"


def _outliers(context: Context, table: Table, findings: Sequence[Finding], policy: Policy) -> Steps:
    if policy.outliers == "keep":
        return
    for finding in _of(findings, "outliers"):
        name = finding.columns[0]
        column, profile = table.column(name), context.profiles[name]
        if policy.outliers == "missing":
            mask = outlier_mask(column, profile)
            yield _without(column, mask), f"{name}: {int(mask.sum())} outliers made missing"
        elif profile.quantiles is not None:
            low, high = quartile_fences(profile.quantiles[1], profile.quantiles[3])
            clipped = column.replace(data=np.clip(column.data, low, high))
            yield clipped, f"{name}: {profile.n_outliers} outliers moved to the fences {low:.4g} and {high:.4g}"


def _columns(context: Context, table: Table, findings: Sequence[Finding], policy: Policy) -> tuple[Table, list[str]]:
    log = []
    for kind, choice, why in (
        ("constant", policy.constant, "it has one value only"),
        ("mostly-missing", policy.mostly_missing, "most of its values are missing"),
    ):
        names = [f.columns[0] for f in _of(findings, kind) if f.columns[0] in table]
        if choice == "drop" and names:
            table = table.drop(names)
            log += [f"{name}: left out, {why}" for name in names]
    marked = [f.columns[0] for f in _of(findings, "identifier")]
    if policy.identifiers == "mark" and marked:
        table = table.with_roles(dict.fromkeys(marked, "identifier"))
        log += [f"{name}: given the role 'identifier'" for name in marked]
    return table, log


def _rows(context: Context, table: Table, policy: Policy) -> tuple[Table, list[str]]:
    log = []
    if policy.missing_class == "drop" and context.target is not None:
        absent = table.column(context.target).missing
        if absent.any():
            table = table[~absent]
            log.append(f"{int(absent.sum())} rows without a class left out")
    if policy.duplicates == "drop":
        columns = [table.column(name) for name in table.columns]
        again = surplus(*repeated_groups(fingerprint(columns, len(table)), columns))
        if len(again):
            table = table[np.setdiff1d(np.arange(len(table)), again)]
            log.append(f"{len(again)} duplicate rows left out")
    if policy.inconsistent != "keep" and context.target is not None:
        doomed = _contradicting(table, context, majority=policy.inconsistent == "majority")
        if len(doomed):
            table = table[np.setdiff1d(np.arange(len(table)), doomed)]
            what = "outvoted by rows with the same attributes" if policy.inconsistent == "majority" else "contradicting"
            log.append(f"{len(doomed)} rows left out, {what}")
    return table, log


def _contradicting(table: Table, context: Context, *, majority: bool) -> np.ndarray:
    """Rows whose attributes occur with several classes; with ``majority``, only those of the smaller classes."""
    name = context.target
    assert name is not None
    skip = {name, *context.identifiers}
    columns = [table.column(other) for other in table.columns if other not in skip]
    rows, group = repeated_groups(fingerprint(columns, len(table)), columns)
    labels = table.column(name).values
    doomed = []
    for members in np.split(rows, np.flatnonzero(np.diff(group)) + 1) if len(rows) else ():
        values, inverse, counts = np.unique(labels[members].astype(str), return_inverse=True, return_counts=True)
        if len(values) > 1:
            leads = (counts == counts.max()) & majority & ((counts == counts.max()).sum() == 1)
            doomed.append(members[~leads[inverse]])
    return np.concatenate(doomed) if doomed else np.empty(0, dtype=np.int64)
