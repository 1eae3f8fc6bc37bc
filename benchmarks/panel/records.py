"""Scores that are kept in a file, so that a long run can be interrupted, divided and printed again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import nan
from pathlib import Path

from benchmarks.panel.bounded import within_cpu
from benchmarks.panel.pairs import Maker
from benchmarks.panel.scores import Score, cross_validate, mean_score
from benchmarks.panel.tables import PanelTable

Key = tuple[str, str, int, int]


@dataclass
class Records:
    """Scores by name of the learner, table, seed and number of folds.

    Parameters
    ----------
    path : Path, optional
        A file with one line of JSON per score: those it has are not computed again, new ones are added to it.
    seeds : list of int
    folds : int
    cpu_seconds : int, optional
        Processor time that one score may take; one that takes longer is given up, and its figures are nan.
    """

    path: Path | None = None
    seeds: list[int] = field(default_factory=lambda: [1])
    folds: int = 10
    cpu_seconds: int | None = None
    _known: dict[Key, Score] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self._known[tuple(entry["key"])] = Score(**entry["score"])

    def score(self, name: str, make: Maker, table: PanelTable) -> Score:
        """Return the mean score over the seeds."""
        return mean_score([self.one(name, make, table, seed) for seed in self.seeds])

    def one(self, name: str, make: Maker, table: PanelTable, seed: int) -> Score:
        """Return the score of one seed."""
        return self.kept(
            (name, table.name, seed, self.folds), lambda: cross_validate(make, table.X, table.y, seed, self.folds)
        )

    def kept(self, key: Key, measure: Callable[[], Score]) -> Score:
        """Return the score that is known by this key, or measure and keep it."""
        if key not in self._known:
            if sys.stderr.isatty():
                print(f"\r\033[K{key[0]}: {key[1]}", end="\r", file=sys.stderr, flush=True)
            self._known[key] = self._measured(measure)
            if self.path is not None:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "score": asdict(self._known[key])}) + "\n")
        return self._known[key]

    def _measured(self, measure: Callable[[], Score]) -> Score:
        if self.cpu_seconds is None:
            return measure()
        return within_cpu(self.cpu_seconds, measure) or Score(*[nan] * 5)
