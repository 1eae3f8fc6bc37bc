"""The tables of the panel: scikit-learn's bundled ones, the generated families, and the real ones of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from benchmarks.panel import families
from benchmarks.parity import read_all_inputs
from benchmarks.parity import tables as files_of

# Larger tables take most of the time and say no more about a default.
MOST_ROWS = 2000


@dataclass(frozen=True)
class PanelTable:
    """A table of the panel; ``source`` is "bundled", "generated" or "real"."""

    name: str
    source: str
    X: pd.DataFrame
    y: np.ndarray


def panel_tables(folder: Path | None, seed: int = 0) -> Iterator[PanelTable]:
    """Yield the tables in a fixed order; those of ``folder`` last."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        bundled: Any = getattr(datasets, f"load_{name}")(as_frame=True)
        yield _cut(PanelTable(name.replace("_", "-"), "bundled", bundled.data, bundled.target.to_numpy().astype(str)))
    for name in families.FAMILIES:
        yield PanelTable(name, "generated", *families.make(name, seed))
    if folder is not None:
        for name, path, test in files_of(folder):
            if path.suffix == ".arff" and test is None:
                X, y = read_all_inputs(path)
                yield _cut(PanelTable(name, "real", X.to_frame(), y.astype(str)))


def _cut(table: PanelTable) -> PanelTable:
    if len(table.y) <= MOST_ROWS:
        return table
    rows = np.sort(np.random.default_rng(0).permutation(len(table.y))[:MOST_ROWS])
    return PanelTable(table.name, table.source, table.X.iloc[rows].reset_index(drop=True), table.y[rows])
