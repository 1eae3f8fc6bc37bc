"""Apply a policy to the findings of an audit: a cleaned copy of the table, and a log of the changes.

What was done to the values can be repeated on other rows: a model knows only the cleaned ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import clip, listed
from vaglio.quality.checks.context import Context, Finding
from vaglio.quality.checks.missingness import placeholder_mask, placeholder_text
from vaglio.quality.checks.outliers import forbidden_mask, outlier_mask
from vaglio.quality.checks.repetition import fingerprint, repeated_groups, surplus
from vaglio.table import Column, Table

if TYPE_CHECKING:
    from vaglio.quality.auditing import Audit

__all__ = [
    "RARE",
    "Cleaned",
    "Policy",
    "ValueChange",
    "clean_table",
    "merge_categories",
    "repeat_changes",
    "value_changes",
]

# The value that rare ones become.
RARE = "(rare)"

# What each field of a policy may be.
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
    "missing": ("keep", "forest"),
}
# Fields of a policy that change values; the others leave out columns or rows, of which new rows have none.
_OF_VALUES = ("impossible", "placeholders", "spelling", "rare", "outliers")


@dataclass(frozen=True)
class Policy:
    """What to do about each kind of finding. The defaults do what is safe; "keep" changes nothing.

    Outliers are kept by default, because they may be true. So are missing values: what fills them in carries
    information from the test rows into training, so that imputation belongs inside the cross-validation folds (see
    :class:`~vaglio.ForestImputer`).

    Parameters
    ----------
    impossible : {"keep", "missing"}
        Values that break the rules of the audit.
    placeholders : {"keep", "missing"}
        Values such as 999 or "unknown" that may stand for a missing one.
    spelling : {"keep", "merge"}
        Values that seem to be one value with several spellings: they differ in case, spaces or accents, or a rare one
        differs from a frequent one by one letter. Digits and marks are never merged. The finding lists each group.
    rare : {"keep", "merge"}
        Values that occur in very few rows.
    outliers : {"keep", "missing", "clip"}
        Numbers outside the fences of the quartiles.
    identifiers : {"keep", "mark"}
        Columns that name the row; marked ones are left out of training.
    constant : {"keep", "drop"}
        Columns with one value.
    missing_class : {"keep", "drop"}
        Rows without a class.
    mostly_missing : {"keep", "drop"}
        Columns in which most values are missing.
    duplicates : {"keep", "drop"}
        Rows equal to an earlier one.
    inconsistent : {"keep", "drop", "majority"}
        Rows with the same attributes and different classes; "majority" keeps those of the most frequent class.
    missing : {"keep", "forest"}
        Missing values; "forest" fills them in as :class:`~vaglio.ForestImputer` does, which needs the class. Last of
        all, when values and rows are clean.
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
    missing: str = "keep"

    def __post_init__(self) -> None:
        for option in fields(self):
            value, allowed = getattr(self, option.name), _CHOICES[option.name]
            if value not in allowed:
                raise InputError(
                    "unknown-choice",
                    "{name} is {value!r}; it must be {allowed}.",
                    name=option.name,
                    value=value,
                    allowed=listed(allowed, quoted=True, last="or"),
                )


class Cleaned(NamedTuple):
    """A cleaned table and the changes.

    Attributes
    ----------
    table : Table
    log : tuple of str
        One line per change.
    """

    table: Table
    log: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join([repr(self.table), *(f"- {line}" for line in self.log or (text("Nothing was changed."),))])


def clean_table(context: Context, findings: Sequence[Finding], policy: Policy) -> Cleaned:
    """Apply a policy: first to values, then to columns, then to rows.

    Values come first, because two rows may be equal only after their spellings have been merged.
    """
    table = context.table
    log: list[str] = []
    for option, kind, change in _VALUE_CHANGES:
        choice = getattr(policy, option)
        for finding in _of(findings, kind) if choice != "keep" else ():
            before = table.column(finding.columns[0])
            after, said = change(context, before, finding, choice)
            # What the log says is counted in the table itself: an earlier step may have changed the same cells.
            # The number of cells whose value is another one.
            if before.kind == "numeric":
                same = (before.data == after.data) | (before.missing & after.missing)
            else:
                same = before.values == after.values
            n = int(np.count_nonzero(~same))
            if n:
                table = table.with_column(after)
                log.append(text("Column {column!r}: {change}", column=before.name, change=said(n)))
    table, lines = _columns(table, findings, policy)
    log += lines
    table, lines = _rows(context, table, policy)
    log += lines
    if policy.missing == "forest":
        table, lines = _filled(context, table)
        log += lines
    return Cleaned(table, tuple(log))


# The changed column, and the words for a number of changed cells.
Change = tuple[Column, Callable[[int], Message]]


def _of(findings: Sequence[Finding], kind: str) -> list[Finding]:
    return [finding for finding in findings if finding.kind == kind]


def _without(column: Column, mask: np.ndarray) -> Column:
    """Return the column with missing values where the mask is true."""
    absent = {"numeric": np.nan, "nominal": -1, "text": None}[column.kind]
    data = column.data.copy()
    data[mask] = absent
    return column.replace(data=data)


def _impossible(context: Context, column: Column, finding: Finding, choice: str) -> Change:
    mask = forbidden_mask(column, context.rules[column.name])
    return _without(column, mask), lambda n: text("{n:,} {n:impossible value|impossible values} made missing.", n=n)


def _placeholders(context: Context, column: Column, finding: Finding, choice: str) -> Change:
    values = finding.details["values"]
    shown = placeholder_text(values)
    mask = placeholder_mask(column, tuple(values))
    return _without(column, mask), lambda n: text(
        "{n:,} {n:placeholder|placeholders} ({values}) made missing.", n=n, values=shown
    )


def _spelling(context: Context, column: Column, finding: Finding, choice: str) -> Change:
    into = {odd: group[0] for group in finding.details["groups"] for odd in group[1:]}
    occurring = {column.categories[code] for code in np.unique(column.data[~column.missing])}
    merged = {odd: head for odd, head in into.items() if odd in occurring}
    shown = listed((f"{odd!r} → {head!r}" for odd, head in merged.items()), len(merged) or 1)
    return merge_categories(column, merged), lambda n: text(
        "{spellings:,} {spellings:spelling|spellings} merged in {n:,} {n:cell|cells} ({pairs}).",
        spellings=len(merged),
        n=n,
        pairs=shown,
    )


def _rare(context: Context, column: Column, finding: Finding, choice: str) -> Change:
    counts = np.bincount(column.data + 1, minlength=len(column.categories) + 1)[1:]
    rare = [v for v, count in zip(column.categories, counts) if 0 < count <= finding.details["limit"]]
    # Merging one value would only rename it; merged ordinal values would have no place in the order.
    if len(rare) < 2 or column.level != "nominal":
        rare = []
    merged = merge_categories(column, dict.fromkeys(rare, RARE))
    return merged, lambda n: text(
        "{values:,} rare values merged as {merged!r} in {n:,} {n:cell|cells}.", values=len(rare), merged=RARE, n=n
    )


def _outliers(context: Context, column: Column, finding: Finding, choice: str) -> Change:
    profile = context.profiles[column.name]
    if choice == "missing":
        return _without(column, outlier_mask(column, profile)), lambda n: text(
            "{n:,} {n:outlier|outliers} made missing.", n=n
        )
    low, high = finding.details["low"], finding.details["high"]
    clipped = column.replace(data=np.clip(column.data, low, high))
    return clipped, lambda n: text(
        "{n:,} {n:outlier|outliers} clipped to the fences {low:.4g} and {high:.4g}.", n=n, low=low, high=high
    )


def merge_categories(column: Column, into: Mapping[Any, Any]) -> Column:
    """Return the column with categories renamed; those with the same new name become one."""
    names = [into.get(value, value) for value in column.categories]
    kept = tuple(dict.fromkeys(names))
    place = np.array([*(kept.index(name) for name in names), -1], dtype=np.int32)
    return column.replace(data=place[column.data], categories=kept)


# Field of the policy, kind of finding, and what changes a column; in the order in which they are applied.
_VALUE_CHANGES: tuple[tuple[str, str, Callable[[Context, Column, Finding, str], Change]], ...] = (
    ("impossible", "impossible", _impossible),
    ("placeholders", "placeholder", _placeholders),
    ("spelling", "spelling", _spelling),
    ("rare", "rare-categories", _rare),
    ("outliers", "outliers", _outliers),
)


def _columns(table: Table, findings: Sequence[Finding], policy: Policy) -> tuple[Table, list[str]]:
    log: list[str] = []
    for kind, choice, why in (
        ("constant", policy.constant, text("left out because it has only one value.")),
        ("mostly-missing", policy.mostly_missing, text("left out because most of its values are missing.")),
    ):
        names = [f.columns[0] for f in _of(findings, kind) if f.columns[0] in table]
        if choice == "drop" and names:
            table = table.drop(names)
            log += [text("Column {column!r}: {change}", column=name, change=why) for name in names]
    found = [f.columns[0] for f in _of(findings, "identifier") if f.columns[0] in table]
    marked = [name for name in found if table.column(name).role != "identifier"]
    if policy.identifiers == "mark" and marked:
        table = table.with_roles(dict.fromkeys(marked, "identifier"))
        role = text("declared an identifier.")
        log += [text("Column {column!r}: {change}", column=name, change=role) for name in marked]
    return table, log


def _rows(context: Context, table: Table, policy: Policy) -> tuple[Table, list[str]]:
    log: list[str] = []
    if policy.missing_class == "drop" and context.target is not None:
        absent = table.column(context.target).missing
        if absent.any():
            table = table[~absent]
            log.append(text("{n:,} {n:row|rows} without a target left out.", n=int(absent.sum())))
    if policy.duplicates == "drop":
        columns = [table.column(name) for name in table.columns]
        again = surplus(*repeated_groups(fingerprint(columns, len(table)), columns))
        if len(again):
            table = table[np.setdiff1d(np.arange(len(table)), again)]
            log.append(text("{n:,} {n:duplicate row|duplicate rows} left out.", n=len(again)))
    if policy.inconsistent != "keep" and context.predicts_numbers:
        raise InputError(
            "inconsistent-numbers",
            "inconsistent={choice!r} is for classes. Rows that differ only in their numbers do not contradict each "
            "other.",
            choice=policy.inconsistent,
        )
    if policy.inconsistent != "keep" and context.target is not None:
        majority = policy.inconsistent == "majority"
        dropped = _contradicting(table, context.target, context.identifiers, majority=majority)
        if len(dropped):
            table = table[np.setdiff1d(np.arange(len(table)), dropped)]
            log.append(
                text("{n:,} {n:row|rows} left out: the minority among equal rows.", n=len(dropped))
                if majority
                else text("{n:,} {n:row|rows} left out: equal to rows of another class.", n=len(dropped))
            )
    return table, log


def _filled(context: Context, table: Table) -> tuple[Table, list[str]]:
    """Fill in the missing values of the inputs by the similarity of a forest."""
    from vaglio.learners.forest.estimators.forest_imputer import ForestImputer

    if context.target is None:
        raise InputError(
            "imputation-without-class",
            "missing='forest' compares rows by a forest that predicts the class. Name the target.",
        )
    X, y = table.xy(context.target)
    lacking = [name for name in X.columns if table.column(name).missing.any()]
    if not lacking:
        return table, []
    # Rows without a class teach nothing about similarity, and are filled in all the same.
    imputer = ForestImputer(random_state=context.seed).fit(X, y)
    filled = Table.from_any(imputer.transform(table.drop([n for n in table.columns if n not in X.columns])))
    log: list[str] = []
    for name in lacking:
        column, values = table.column(name), filled.column(name)
        n = int((column.missing & ~values.missing).sum())
        if n:
            table = table.with_column(_with_values(column, values))
            said = text("{n:,} missing {n:value|values} filled in by the similarity of a forest.", n=n)
            log.append(text("Column {column!r}: {change}", column=name, change=said))
    if log:
        log.append(
            text(
                "Filled in values know the classes of all rows: accuracy estimated on this copy is too high. For an "
                "estimate, impute inside the folds (ForestImputer)."
            )
        )
    return table, log


def _with_values(column: Column, values: Column) -> Column:
    """Return a column with the values of another where its own are missing."""
    if column.kind == "numeric":
        return column.replace(data=np.where(column.missing, values.data, column.data))
    code_of = {str(value): code for code, value in enumerate(column.categories)}
    recode = np.array([*(code_of.get(str(value), -1) for value in values.categories), -1], dtype=np.int32)
    return column.replace(data=np.where(column.missing, recode[values.data], column.data))


def _contradicting(table: Table, target: str, identifiers: Sequence[str], *, majority: bool) -> np.ndarray:
    """Return rows whose attributes occur with several classes; with ``majority``, only those of the smaller classes."""
    skip = {target, *identifiers}
    columns = [table.column(other) for other in table.columns if other not in skip]
    rows, group = repeated_groups(fingerprint(columns, len(table)), columns)
    labels = table.column(target).values
    dropped = []
    for members in np.split(rows, np.flatnonzero(np.diff(group)) + 1) if len(rows) else ():
        values, inverse, counts = np.unique(labels[members].astype(str), return_inverse=True, return_counts=True)
        if len(values) > 1:
            # Of several equally frequent classes none is the majority: all their rows are left out.
            leads = (counts == counts.max()) & majority & ((counts == counts.max()).sum() == 1)
            dropped.append(members[~leads[inverse]])
    return np.concatenate(dropped) if dropped else np.empty(0, dtype=np.int64)


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

    def in_words(self, n: int) -> Message:
        """Return a sentence on what was repeated in so many cells."""
        # Spellings first: of rare values, which all become one, there may be many.
        pairs = sorted(self.into.items(), key=lambda pair: pair[1] == RARE)
        shown = [f"{clip(old, 30)!r} → {clip(new, 30)!r}" for old, new in pairs if new is not None]
        gone = [repr(clip(old, 30)) for old, new in self.into.items() if new is None]
        gone += [Number(f"{value:g}") for value in self.absent]
        told: list[str] = [listed(shown, 4)] if shown else []
        told += [text("missing: {values}", values=listed(gone, 4))] if gone else []
        if self._fenced:
            ends = {"low": self.low, "high": self.high}
            told.append(
                text("clipped to {low:.4g} … {high:.4g}", **ends)
                if self.clipped
                else text("missing outside {low:.4g} … {high:.4g}", **ends)
            )
        return text(
            "Column {column!r}: {n:,} {n:cell|cells} changed as in the cleaned table ({changes}).",
            column=self.column,
            n=n,
            changes=join("; ", told),
        )


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
        # Category -> what its rows have after cleaning, for those that have another one.
        rows = np.flatnonzero(~before.missing)
        codes, first = np.unique(before.data[rows], return_index=True)
        pairs = zip(codes.tolist(), after.data[rows[first]].tolist())
        found = {before.categories[old]: after.categories[new] if new >= 0 else None for old, new in pairs}
        return ValueChange(before.name, {old: new for old, new in found.items() if old != new})
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
