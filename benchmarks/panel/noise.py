"""Columns of very many values that tell nothing: they should cost no learner anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.panel.pairs import Maker, Pair
from benchmarks.panel.records import Records
from benchmarks.panel.tables import PanelTable
from vaglio.learners.registry import LEARNERS, find

# Two count words, one is made of others, and the table of all combinations of the last would not fit in memory.
_NOT_MEASURED = {"multinomial-nb", "bernoulli-nb", "voting", "joint-bayes"}
# Their members are trees, which correct for chance.
_OF_TREES = {"bagging": {}, "adaboost": {"max_depth": 3}}
# A program that starts for every fold, searches by folds, thousands of small steps.
_SLOW_PEERS = ("Weka", "grid", "CatBoost", "interpret")
# Small enough for many runs: two to six classes, numbers, categories and both, with missing values and without.
NOISE_TABLES = ("iris", "wine", "autos", "breast.cancer", "glass", "heart.c", "hepatitis", "vote")
# Losses in points, by learner and number of columns; 0 columns: the accuracy itself.
Losses = dict[str, dict[int, list[float]]]


def with_noise(X: pd.DataFrame, columns: int, seed: int) -> pd.DataFrame:
    """Add nominal columns of noise, each with a quarter as many values as there are rows."""
    random = np.random.default_rng([seed, 97])
    values = max(2, len(X) // 4)
    noise = {f"noise{j}": [f"v{code}" for code in random.integers(0, values, len(X))] for j in range(columns)}
    return X.assign(**noise)


def tables_for_noise(tables: Sequence[PanelTable], named: bool) -> list[PanelTable]:
    """Return the tables that get noise: those the user named, else the usual ones, or the smallest instead."""
    if named:
        return list(tables)
    usual = [table for table in tables if table.name in NOISE_TABLES]
    smallest = sorted(tables, key=lambda table: table.X.size)
    return usual if len(usual) == len(NOISE_TABLES) else smallest[: len(NOISE_TABLES)]


def measure_losses(
    sides: Mapping[str, Maker], tables: Sequence[PanelTable], records: Records, added: Sequence[int]
) -> Losses:
    """Return how many points each side loses on every table and seed; the seed is that of noise, folds and learner.

    Seeds come one after the other, so that a run that was interrupted has measured every side. Those that only stand
    beside the learners (the same without the correction, other libraries) are measured with the first seed.
    """
    found: Losses = {name: {k: [] for k in (0, *added)} for name in sides}
    for seed in records.seeds:
        for name, make in sides.items():
            if name not in LEARNERS and seed != records.seeds[0]:
                continue
            for table in tables:
                base = records.one(name, make, table, seed).accuracy
                found[name][0].append(base)
                for k in added:
                    noisy = replace(table, name=f"{table.name} with {k} of noise", X=with_noise(table.X, k, seed))
                    found[name][k].append(base - records.one(name, make, noisy, seed).accuracy)
    return found


def noise_sides(learners: Sequence[str], pairs: Sequence[Pair]) -> dict[str, Maker]:
    """Return whom noise is added for: the learners and the peers of the pairs.

    Learners that correct for chance are measured without the correction too. Peers that take minutes are left out.
    """
    sides: dict[str, Maker] = {}
    for learner in learners:
        if learner in _NOT_MEASURED:
            continue
        sides[learner] = partial(_make, learner, {})
        off = _unguarded(learner)
        if off:
            sides[f"{learner}, no guard"] = partial(_make, learner, off)
    return sides | {pair.peer: pair.theirs for pair in pairs if not any(word in pair.peer for word in _SLOW_PEERS)}


def _unguarded(learner: str) -> dict[str, Any]:
    """Return the parameters that switch the correction off, if the learner corrects."""
    off: dict[str, Any] = {}
    if find(learner).make().get_params().get("high_cardinality") is not None:
        off["high_cardinality"] = None
    if learner in _OF_TREES:
        off["estimator"] = find("cart").make(textbook=False, high_cardinality=None, **_OF_TREES[learner])
    return off


def _make(learner: str, parameters: dict[str, Any], seed: int) -> Any:
    estimator = find(learner).make(**parameters)
    return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator
