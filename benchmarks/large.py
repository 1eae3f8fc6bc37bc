"""Write a mixed Parquet file of any number of rows and 20 columns: ``python -m benchmarks.large FILE ROWS``.

Six columns of fractions (one with missing values), four of whole numbers, eight of words (one with missing values), one
truth value, and the class. Rows are written in groups, so that memory does not grow with the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

CHUNK = 500_000
TARGET = "late"


def write_large(path: Path, rows: int, seed: int = 0) -> None:
    """Write the file; the first rows of a longer file are those of a shorter one, in groups of half a million."""
    writer = None
    for number, first in enumerate(range(0, rows, CHUNK)):
        table = pa.table(_columns(np.random.default_rng((seed, number)), min(CHUNK, rows - first)))
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def large_file(folder: Path, rows: int) -> Path:
    """Return the file of so many rows in a folder; it is written if it is not there yet, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"large-{rows}.parquet"
    if not path.exists():
        begun = path.with_suffix(".begun")
        write_large(begun, rows)
        begun.rename(path)
    return path


def _columns(rng: np.random.Generator, n: int) -> dict[str, object]:
    score = rng.normal(size=n)
    columns: dict[str, object] = {}
    for i in range(6):
        x = rng.normal(size=n) * (i + 1) + 0.2 * i * score
        x[rng.random(n) < (0.05 if i == 5 else 0.0)] = np.nan
        columns[f"fraction{i}"] = x
    for i in range(4):
        columns[f"whole{i}"] = np.floor(np.abs(rng.normal(size=n) + 0.3 * score) * 10**i).astype(np.int32)
    for i in range(8):
        words = np.array([f"w{i}_{j}" for j in range(3 * (i + 1))])
        codes = (rng.integers(0, len(words), n) + (score > 1)) % len(words)
        mask = rng.random(n) < (0.05 if i == 7 else 0.0)
        columns[f"word{i}"] = pa.DictionaryArray.from_arrays(pa.array(codes, mask=mask), words).cast(pa.string())
    columns["flag"] = rng.random(n) + 0.2 * score > 0.5
    columns[TARGET] = pa.array(np.where(score + rng.normal(size=n) > 0.3, "yes", "no"))
    return columns


if __name__ == "__main__":
    write_large(Path(sys.argv[1]), int(sys.argv[2]))
