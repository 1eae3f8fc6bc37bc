"""What every check of an audit looks at."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.quality.profile import Profile, profile_column
from vaglio.table import Column, Table

__all__ = ["Context"]

# Checks that compare every column with the class look at so many rows.
SAMPLE_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class Context:
    """A table, its class column, and what was learnt of the columns."""

    table: Table
    target: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    reference: Table | None = None
    seed: int = 0
    n_jobs: int = 1

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Columns to look at one by one; those of a sparse block are counted as a whole."""
        hidden = set(self.table.sparse.names) if self.table.sparse is not None else set()
        return {name: self.table.column(name) for name in self.table.columns if name not in hidden}

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        columns = list(self.columns.values())
        if self.n_jobs > 1 and len(self.table) > 100_000:
            # Sorting happens outside the interpreter lock.
            with ThreadPoolExecutor(self.n_jobs) as pool:
                found = list(pool.map(profile_column, columns))
        else:
            found = [profile_column(column) for column in columns]
        return {profile.name: profile for profile in found}

    @cached_property
    def inputs(self) -> list[str]:
        """Columns a model would learn from."""
        return [name for name, column in self.columns.items() if column.role == "input" and name != self.target]

    @cached_property
    def identifiers(self) -> list[str]:
        """Columns that name the row: declared so, or with hardly a value twice."""
        return [name for name in self.columns if name != self.target and self._names_rows(name)]

    def _names_rows(self, name: str) -> bool:
        profile = self.profiles[name]
        if profile.role == "identifier":
            return True
        if profile.role != "input" or profile.n_present < 20:
            return False
        if profile.kind == "text":
            # Free text is seldom repeated and yet no name of its row: short single words are.
            return False
        if profile.kind == "nominal":
            return profile.n_distinct >= 0.95 * profile.n_present
        if profile.quantiles is None or not profile.whole or profile.n_distinct < profile.n_present:
            return False
        # Numbers 1, 2, 3 … n, in any order and with few gaps.
        return profile.quantiles[4] - profile.quantiles[0] < 1.5 * profile.n_present

    @cached_property
    def sample(self) -> np.ndarray:
        """Rows for the checks that need not see them all; every row of a small table."""
        n = len(self.table)
        if n <= SAMPLE_ROWS:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.seed).choice(n, SAMPLE_ROWS, replace=False))

    @property
    def sampled(self) -> str:
        """A remark where a check looked at a sample."""
        if len(self.sample) == len(self.table):
            return ""
        return f" (seen on a sample of {len(self.sample)} rows)"

    @cached_property
    def classes(self) -> tuple[np.ndarray, tuple] | None:
        """Class codes (−1 is missing) and labels."""
        if self.target is None:
            return None
        column = self.columns[self.target]
        if column.kind == "nominal":
            return column.data, column.categories
        present = ~column.missing
        labels, inverse = np.unique(column.data[present], return_inverse=True)
        codes = np.full(len(column), -1, dtype=np.int64)
        codes[present] = inverse
        return codes, tuple(labels.tolist())
