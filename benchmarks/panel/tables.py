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
MOST_ROWS = 400
BUNDLED = ("iris", "wine", "breast_cancer", "digits")


@dataclass(frozen=True)
class PanelTable:
    """A table of the panel; ``source`` is "bundled", "generated" or "real"."""

    name: str
    source: str
    X: pd.DataFrame
    y: np.ndarray


def panel_tables(folder: Path | None, most_rows: int = MOST_ROWS, seed: int = 0) -> Iterator[PanelTable]:
    """Yield the tables in a fixed order, those of ``folder`` last; of larger ones a random sample of rows."""
    for name in BUNDLED:
        bundled: Any = getattr(datasets, f"load_{name}")(as_frame=True)
        y = bundled.target.to_numpy().astype(str)
        yield _cut(PanelTable(name.replace("_", "-"), "bundled", bundled.data, y), most_rows)
    for name in families.FAMILIES:
        yield PanelTable(name, "generated", *families.make(name, seed))
    if folder is not None:
        for name, path, _ in files_of(folder):
            if name not in BUNDLED:
                X, y = read_all_inputs(path)
                yield _cut(PanelTable(name, "real", X.to_frame(), y.astype(str)), most_rows)


def _cut(table: PanelTable, most_rows: int) -> PanelTable:
    if len(table.y) <= most_rows:
        return table
    rows = np.sort(np.random.default_rng(0).permutation(len(table.y))[:most_rows])
    return PanelTable(table.name, table.source, table.X.iloc[rows].reset_index(drop=True), table.y[rows])
