"""Reading CSV files by the kernel of the core and by pyarrow alone, inside vaglio: is the second way worth its code?

Four files of about 60 MB as programs and people write them: plain numbers and words, every text in quotes, two thousand
columns, and columns in which a few cells do not fit. Both rows of a file read it with all threads into the same table.
The kernel leaves what it does not know to pyarrow, so that it cannot be much slower there; where it reads the file, it
should be at least 1.3 times as fast. The score is the number of cells of the table, in millions.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal
from unittest import mock

import numpy as np

import vaglio
from benchmarks.runner import OURS, Row, measure
from vaglio.runtime.threads import resolve_threads
from vaglio.table.readers import plain_csv

Lines = Iterator[list[str]]
Quoting = Literal[0, 1, 2, 3]


def run() -> list[Row]:
    threads = resolve_threads(-1)
    rows = []
    for name, (lines, quoting) in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            write(path, lines, quoting)
            read = partial(vaglio.read, path)
            seconds, table = measure(read)
            cells = len(table) * len(table.columns) / 1e6
            rows.append(Row(f"read {name}", OURS, threads, seconds, cells))
            with mock.patch.object(plain_csv, "_LARGE", 1 << 60):
                seconds, table = measure(read)
            rows.append(Row(f"read {name}", "pyarrow alone", threads, seconds, cells))
    return rows


def write(path: Path, lines: Callable[[int], Lines], quoting: Quoting, size: int = 60_000_000) -> None:
    """Write a file of about this many bytes, the same every time."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=quoting)
        for line in lines(size):
            writer.writerow(line)


def plain(size: int) -> Lines:
    """Numbers, words and dates; a twentieth of the words is missing."""
    random = np.random.default_rng(0)
    yield ["amount", "visits", "town", "day"]
    for _ in range(size // 30):
        word = "" if random.random() < 0.05 else f"town {random.integers(200)}"
        yield [f"{random.lognormal(3):.2f}", str(random.integers(99)), word, f"2020-01-{random.integers(1, 29):02}"]


def wide(size: int) -> Lines:
    """Two thousand columns of numbers."""
    random = np.random.default_rng(0)
    yield [f"x{j}" for j in range(2000)]
    for _ in range(size // (2000 * 7)):
        yield [f"{value:.3f}" for value in random.normal(size=2000)]


def mixed(size: int) -> Lines:
    """The plain file with a remark in place of a number, once in a thousand rows behind those that show the types."""
    random = np.random.default_rng(0)
    for number, (amount, visits, town, day) in enumerate(plain(size)):
        yield [amount, "about five" if number > 10_000 and random.random() < 1e-3 else visits, town, day]


FILES: dict[str, tuple[Callable[[int], Lines], Quoting]] = {
    "plain numbers and words": (plain, csv.QUOTE_MINIMAL),
    "text in quotes": (plain, csv.QUOTE_ALL),
    "2000 columns": (wide, csv.QUOTE_MINIMAL),
    "cells that do not fit": (mixed, csv.QUOTE_MINIMAL),
}
