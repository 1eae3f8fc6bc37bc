"""Reading a CSV file of a million rows and ten columns: numbers, words, dates, missing values.

The readers use all threads they can: pandas from 3.1 on reads a large file in parallel. vaglio also decides the
kind of each column and looks for codes, units and broken lines; the others find types by their own defaults, and pandas
leaves dates as text. The score is the number of missing values found, in millions.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from packaging.version import Version

import vaglio
from benchmarks.runner import OURS, Row, measure
from vaglio.runtime.threads import resolve_threads

ROWS = 1_000_000


def run() -> list[Row]:
    threads = resolve_threads(-1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, ROWS)
        readers: list[tuple[str, int, Callable[[], Any], Callable[[Any], int]]] = [
            (OURS, threads, partial(vaglio.read, path), lambda table: sum(c.n_missing for c in _columns(table))),
            (
                f"pandas {pd.__version__}",
                threads if Version(pd.__version__) >= Version("3.1") else 1,
                partial(pd.read_csv, path),
                lambda frame: int(frame.isna().to_numpy().sum()),
            ),
        ]
        if importlib.util.find_spec("polars"):
            import polars

            readers.append(
                (
                    f"polars {version('polars')}",
                    threads,
                    partial(polars.read_csv, path, try_parse_dates=True),
                    lambda frame: int(frame.null_count().sum_horizontal()[0]),
                )
            )
        rows = []
        for who, used, read, missing in readers:
            seconds, table = measure(read)
            rows.append(Row(f"read {ROWS} x 10", who, used, seconds, missing(table) / 1e6))
        return rows


def write_table(path: Path, rows: int) -> None:
    """Write the same table every time."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "amount": random.lognormal(3, 1, rows).round(2),
            "height": random.normal(170, 10, rows).round(1),
            "visits": random.poisson(3, rows),
            "score": random.normal(size=rows).round(6),
            "ratio": random.random(rows).round(4),
            "year": random.integers(1990, 2025, rows),
            "colour": random.choice(["red", "green", "blue", "grey"], rows),
            "town": random.choice([f"town {k}" for k in range(200)], rows),
            "member": random.choice(["yes", "no"], rows),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 1500, rows), unit="D"),
        }
    )
    for name in ("height", "colour"):
        frame.loc[random.random(rows) < 0.05, name] = None
    frame.to_csv(path, index=False)


def _columns(table: vaglio.Table) -> list[Any]:
    return [table.column(name) for name in table.columns]
