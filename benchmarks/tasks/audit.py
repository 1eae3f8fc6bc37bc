"""Audit of a Parquet file of 5 million rows and 20 columns, compared with reading it; the score is the peak in GB."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.runner import OURS, Row

ROWS, CHUNK = 5_000_000, 500_000

# Measured in a new process, because the peak memory of this one includes the writing of the file.
_MEASURE = """
import resource, sys, time
import vaglio
start = time.perf_counter()
table = vaglio.read(sys.argv[1], "y")
read = time.perf_counter()
vaglio.audit(table, n_jobs=2)
print(read - start, time.perf_counter() - read, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.parquet"
        _write(path)
        command = [sys.executable, "-c", _MEASURE, str(path)]
        runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(3)]
    read, audit, peak = np.median([[float(v) for v in line.split()] for line in runs], axis=0)
    task = "audit 5000000 x 20"
    return [Row(task, OURS, 2, float(audit), float(peak)), Row(task, "reading it", 2, float(read), float(peak))]


def _write(path: Path) -> None:
    """Write ten columns of fractions (one with missing values), five of whole numbers, four of codes, and a class."""
    rng = np.random.default_rng(0)
    writer = None
    for _ in range(0, ROWS, CHUNK):
        columns: dict[str, np.ndarray] = {f"f{i}": rng.normal(size=CHUNK) * (i + 1) for i in range(10)}
        columns["f9"][rng.random(CHUNK) < 0.05] = np.nan
        columns |= {f"i{i}": rng.integers(0, 10 ** (i + 1), CHUNK) for i in range(5)}
        words = np.array([f"w{i}" for i in range(80)])
        columns |= {f"c{i}": words[rng.integers(0, 5 * (i + 1) ** 2, CHUNK)] for i in range(4)}
        columns["y"] = np.where(columns["f0"] + rng.normal(size=CHUNK) > 0, "yes", "no")
        table = pa.table(columns)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
