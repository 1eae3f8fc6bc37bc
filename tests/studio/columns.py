"""One small table per kind of column, as a person would upload it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

__all__ = ["KINDS", "KindOfColumn"]

_ROWS = 60
Cells = Mapping[str, list[Any]]


@dataclass(frozen=True)
class KindOfColumn:
    """A kind of column.

    Attributes
    ----------
    make : callable
        Columns of this kind, from random numbers and the class of each row as 0 or 1.
    classes : int, default=2
    rows : int
    steps : tuple of (str, dict)
        Forms of the page Table that declare what the columns are.
    """

    make: Callable[[np.random.Generator, np.ndarray], Cells]
    classes: int = 2
    rows: int = _ROWS
    steps: tuple[tuple[str, dict[str, str]], ...] = ()

    def text(self) -> str:
        """Return the table as CSV, with the class last."""
        random = np.random.default_rng(11)
        y = np.arange(self.rows) % self.classes
        columns = {**self.make(random, y), "outcome": [f"class {code:02}" for code in y.tolist()]}
        out = io.StringIO()
        writer = csv.writer(out, delimiter=";", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return out.getvalue()


def _days(random: np.random.Generator, y: np.ndarray) -> list[date]:
    return [date(2024, 1, 1) + timedelta(days=int(d)) for d in 200 * y + random.integers(0, 300, len(y))]


def _minutes(random: np.random.Generator, y: np.ndarray) -> list[int]:
    return [int(m) for m in 400 * y + random.integers(0, 900, len(y))]


def _numbers(random: np.random.Generator, y: np.ndarray) -> list[str]:
    return [f"{value:.2f}" for value in y + random.normal(0, 0.8, len(y))]


def _words(random: np.random.Generator, y: np.ndarray, words: list[str]) -> list[str]:
    return [words[(int(code) + int(random.random() < 0.3)) % len(words)] for code in y]


def _dates(random: np.random.Generator, y: np.ndarray) -> Cells:
    days, more = _days(random, y), _days(random, y)
    return {
        "ordered on": [day.isoformat() for day in days],
        "pagato il": [f"{day:%d/%m/%Y}" if i % 9 else "" for i, day in enumerate(more)],
        "amount": _numbers(random, y),
    }


def _times(random: np.random.Generator, y: np.ndarray) -> Cells:
    minutes = _minutes(random, y)
    return {
        "came at": [f"{m // 60:02}:{m % 60:02}" for m in minutes],
        "seen at": [f"{day} {m // 60:02}:{m % 60:02}:00" for day, m in zip(_days(random, y), minutes, strict=True)],
        "amount": _numbers(random, y),
    }


def _texts(random: np.random.Generator, y: np.ndarray) -> Cells:
    words = ["late", "broken", "fine", "again", "never", "thanks", "refund", "città"]
    return {
        "comment": [f"{' '.join(random.choice(words, 6))} {i} <b>&amp;</b>" for i in range(len(y))],
        "note": [f"{' '.join(random.choice(words, 9))}, {i}" for i in range(len(y))],
        "amount": _numbers(random, y),
    }


def _booleans(random: np.random.Generator, y: np.ndarray) -> Cells:
    return {
        "member": _words(random, y, ["true", "false"]),
        "sì o no": _words(random, y, ["sì", "no"]),
        "flag": [int(c) if random.random() < 0.7 else 1 - int(c) for c in y],
    }


def _missing(random: np.random.Generator, y: np.ndarray) -> Cells:
    return {"empty": [""] * len(y), "unknown": ["NA"] * len(y), "amount": _numbers(random, y)}


def _wide(random: np.random.Generator, y: np.ndarray) -> Cells:
    return {
        f"column {j}": _numbers(random, y) if j % 3 else _words(random, y, ["a", "b", "c"]) for j in range(300)
    }  # fmt: skip


def _many(random: np.random.Generator, y: np.ndarray) -> Cells:
    return {"amount": _numbers(random, y), "zone": _words(random, y, [f"zone {i}" for i in range(60)])}


def _ordinal(random: np.random.Generator, y: np.ndarray) -> Cells:
    return {
        "size": _words(random, y, ["small", "large", "medium"]),
        "grade": [int(c) + int(random.integers(1, 4)) for c in y],
        "amount": _numbers(random, y),
    }


def _mixed(random: np.random.Generator, y: np.ndarray) -> Cells:
    amounts = _numbers(random, y)
    return {
        "amount": ["n/d" if i % 11 == 0 else f"{v} €" if i % 2 else v for i, v in enumerate(amounts)],
        "day or word": [day.isoformat() if i % 4 else "soon" for i, day in enumerate(_days(random, y))],
        "id": [f"C{1000 + i}" for i in range(len(y))],
        "constant": ["IT"] * len(y),
        "city": [["Milano", "milano", "", "Roma"][int(k)] for k in random.integers(0, 4, len(y))],
        "when": [day.isoformat() for day in _days(random, y)],
        "member": _words(random, y, ["true", "false"]),
    }


KINDS: dict[str, KindOfColumn] = {
    "dates": KindOfColumn(_dates),
    "times": KindOfColumn(_times),
    "text": KindOfColumn(_texts, steps=(("column", {"column": "note", "level": "text", "role": "input"}),)),
    "booleans": KindOfColumn(_booleans),
    "all missing": KindOfColumn(_missing),
    "300 columns": KindOfColumn(_wide),
    "60 classes": KindOfColumn(_many, classes=60, rows=240),
    "ordinal": KindOfColumn(_ordinal, steps=(("order", {"column": "size", "values": "small < medium < large"}),)),
    "mixed": KindOfColumn(_mixed),
}
