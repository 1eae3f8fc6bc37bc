"""Findings of the audit and of the server on clean tables, and what they find in tables with planted faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from sklearn.base import clone

import vaglio
from tools.honest.simulation import Simulation
from vaglio.evaluation import BiasVariance
from vaglio.learners.provenance import Shares
from vaglio.serve.monitor import column_drift
from vaglio.table import Table

__all__ = ["SIMULATIONS"]

Draw = Callable[[np.random.Generator, int], np.ndarray]
_ZIPF = 1 / np.arange(1, 21) / (1 / np.arange(1, 21)).sum()
# Columns without a fault: normal, skewed, heavy-tailed, discrete and categorical.
COLUMNS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(50, 10, n),
    "uniform": lambda rng, n: rng.random(n),
    "lognormal": lambda rng, n: rng.lognormal(2, 1, n),
    "exponential": lambda rng, n: rng.exponential(3, n),
    "t with 3 degrees": lambda rng, n: rng.standard_t(3, n),
    "two groups": lambda rng, n: rng.normal(size=n) + 6 * (rng.random(n) < 0.3),
    "counts": lambda rng, n: rng.poisson(1, n).astype(float),
    "rare counts": lambda rng, n: rng.poisson(0.2, n).astype(float),
    "whole numbers": lambda rng, n: rng.normal(50, 10, n).round(),
    "mostly zero": lambda rng, n: rng.exponential(3, n) * (rng.random(n) < 0.4),
    "two categories": lambda rng, n: rng.choice(["m", "f"], n),
    "five categories": lambda rng, n: rng.choice(list("ABCDE"), n, p=[0.6, 0.2, 0.1, 0.07, 0.03]),
    "twenty categories": lambda rng, n: rng.choice([f"town {i}" for i in range(20)], n, p=_ZIPF),
}
# What is true of a table whatever its rows (so many values are missing) has no false alarms.
KINDS = (
    "drift", "forest-outliers", "identifier", "inconsistent", "leakage", "mislabelled", "mixed-types", "outliers",
    "placeholder", "spelling",
)  # fmt: skip


def _columns(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    return {name: draw(rng, n) for name, draw in COLUMNS.items()}


def _clean(n: int, classes: str, seed: int) -> dict[str, float]:
    """Return which kinds of findings a clean table has; its class depends on columns, or on none."""
    rng = np.random.default_rng((seed, n, *classes.encode()))
    columns, before = _columns(rng, n), _columns(rng, n)
    score = (columns["normal"] - 50) / 10 + columns["two groups"] / 3
    score = {
        "independent": rng.normal(size=n),
        "overlapping": score + rng.normal(size=n),
        "nearly apart": score + 0.1 * rng.normal(size=n),
        "one in ten": score + rng.normal(size=n),
    }[classes]
    y = np.where(score > np.quantile(score, 0.9 if classes == "one in ten" else 0.5), "yes", "no")
    found = vaglio.audit(Table.from_any({**columns, "y": y}), "y", reference=Table.from_any(before))
    return {kind: float(bool(found.of_kind(kind))) for kind in KINDS}


def _served(n: int, seed: int) -> dict[str, float]:
    """Return in which columns the server reports drift between rows drawn alike."""
    rng = np.random.default_rng(seed)
    fired = {}
    for name, draw in COLUMNS.items():
        before, now = draw(rng, n), draw(rng, n)
        if before.dtype.kind == "f":
            edges = np.unique(np.quantile(before, np.linspace(0, 1, 11)[1:-1]))
            counts = [np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in (before, now)]
            shares = Shares(tuple(counts[0].tolist()), tuple(edges.tolist()), before.min(), before.max())
        else:
            known = np.unique(before)
            counts = [np.array([(x == value).sum() for value in known]) for x in (before, now)]
            shares = Shares(tuple(counts[0].tolist()), (), float("nan"), float("nan"))
        drift = column_drift(shares, [*counts[1].tolist(), int(n - counts[1].sum())], len(COLUMNS))
        fired[name] = float(drift is not None and drift.severity is not None)
    return fired


def _far(n: int, seed: int) -> dict[str, float]:
    """Return in which columns of numbers the audit finds planted values."""
    rng = np.random.default_rng(seed)
    found = {}
    for name in ("normal", "uniform", "exponential", "lognormal", "counts", "whole numbers"):
        clean = COLUMNS[name](rng, n)
        usual = float(np.median(clean[clean > np.median(clean)]))
        spread = clean.std()
        plants = {
            "ten times": [10 * usual],
            "a hundred times": [100 * usual],
            "12 deviations off": [clean.mean() + 12 * spread],
            "3 % ten times": (10 * clean[: max(1, round(0.03 * n))]).tolist(),
        }
        for plant, values in plants.items():
            column = np.append(clean[len(values) :], values)
            findings = vaglio.audit(Table.from_any({"x": column, "z": rng.normal(size=n)})).of_kind("outliers")
            found[f"{name}, {plant}"] = float(any(f.columns == ("x",) for f in findings))
    return found


def _leak(n: int, seed: int) -> dict[str, float]:
    """Return which columns that give the class away are found."""
    rng = np.random.default_rng(seed)
    yes = rng.random(n) < 0.4
    columns = {
        "threshold": np.where(yes, 10.0, 0.0) + rng.uniform(0, 10, n),
        "interval": np.where(yes, rng.uniform(4, 6, n), rng.choice([0, 6], n) + rng.uniform(0, 4, n)),
        "categories": np.where(yes, rng.choice(["a", "b"], n), rng.choice(["c", "d"], n)),
        "absence": np.where(yes, np.nan, rng.normal(size=n)),
        "none": rng.normal(size=n),
    }
    found = vaglio.audit(Table.from_any({**columns, "y": np.where(yes, "yes", "no")}), "y").of_kind("leakage")
    about = {name for finding in found for name in finding.columns}
    return {name: float(name in about) for name in columns}


def _drifted(n: int, seed: int) -> dict[str, float]:
    """Return which columns that changed are found."""
    rng = np.random.default_rng(seed)
    before = {
        "moved by one deviation": rng.normal(size=n),
        "a quarter in another category": rng.choice(list("ABC"), n, p=[0.6, 0.3, 0.1]),
        "a tenth in a new category": rng.choice(list("ABC"), n),
    }
    after = {
        "moved by one deviation": rng.normal(1, 1, n),
        "a quarter in another category": rng.choice(list("ABC"), n, p=[0.35, 0.3, 0.35]),
        "a tenth in a new category": rng.choice(list("ABCD"), n, p=[0.3, 0.3, 0.3, 0.1]),
    }
    found = vaglio.audit(Table.from_any(after), reference=Table.from_any(before)).of_kind("drift")
    return {name: float(any(name in finding.columns for finding in found)) for name in before}


def _mislabelled(n: int, apart: float, share: float, seed: int) -> dict[str, float]:
    """Return how many of the mislabelled rows are found, how many found rows are right, and how many it says."""
    rng = np.random.default_rng(seed)
    yes = rng.random(n) < 0.5
    X = rng.normal(size=(n, 6))
    X[:, :2] += yes[:, None] * apart / np.sqrt(2)
    wrong = rng.random(n) < share
    table = {f"x{j}": X[:, j] for j in range(6)} | {"y": np.where(yes ^ wrong, "yes", "no")}
    found = vaglio.audit(Table.from_any(table), "y")
    rows = {row for kind in ("mislabelled", "forest-outliers") for f in found.of_kind(kind) for row in f.rows.tolist()}
    said = sum(f.details["false"] for f in found.of_kind("mislabelled"))
    planted = set(np.flatnonzero(wrong).tolist())
    return {
        "tables with a finding": float(bool(rows)),
        "share of the wrong rows found": len(rows & planted) / max(len(planted), 1),
        "right rows among 100 found": 100 * len(rows - planted) / len(rows) if rows else np.nan,
        "right rows that it says": 100 * said / len(rows) if rows else np.nan,
    }


_TRUTH_RUNS = 400
_ROWS = 300


def _sine(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.random((n, 2))
    expected = np.sin(6 * X[:, 0])
    return X, expected + 0.5 * rng.standard_normal(n), expected


def _line(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.random((n, 2))
    p = np.where(X.sum(axis=1) > 1, 0.85, 0.15)
    return X, (rng.random(n) < p).astype(int), p


_LEARNERS = {
    "tree of numbers": (vaglio.DecisionTreeRegressor(random_state=0), _sine, 0.25),
    "stump of numbers": (vaglio.DecisionTreeRegressor(max_depth=1, random_state=0), _sine, 0.25),
    "tree": (vaglio.DecisionTreeClassifier(random_state=0), _line, 0.85 * 0.15),
    "stump": (vaglio.DecisionTreeClassifier(max_depth=1, random_state=0), _line, 0.85 * 0.15),
}


@cache
def _true_parts(name: str) -> tuple[float, float]:
    """Return bias² and variance of a learner, from many training sets as large as those of bias_variance."""
    learner, draw, _ = _LEARNERS[name]
    rng = np.random.default_rng(10**6)
    X, _, expected = draw(rng, 1000)
    predicted = np.array(
        [clone(learner).fit(*draw(rng, _ROWS // 3)[:2]).predict(X).astype(float) for _ in range(_TRUTH_RUNS)]
    )
    variance = predicted.var(axis=0, ddof=1).mean()
    return float(((predicted.mean(axis=0) - expected) ** 2).mean() - variance / _TRUTH_RUNS), float(variance)


def _parts(name: str, seed: int) -> dict[str, float]:
    """Return by how much the parts of the error that bias_variance gives are too large."""
    learner, draw, noise = _LEARNERS[name]
    X, y, _ = draw(np.random.default_rng(seed), _ROWS)
    found = vaglio.bias_variance(learner, X, y, noise=noise, n_rounds=20, random_state=seed)
    assert isinstance(found, BiasVariance)
    bias, variance = _true_parts(name)
    return {"bias": found.bias - bias, "variance": found.variance - variance}


SIMULATIONS = [
    *(
        Simulation(f"audit, {classes} classes, {n:,} rows", "false alarms", partial(_clean, n, classes), short, long)
        for n, short, long in ((100, 12, 250), (1000, 0, 80), (10_000, 0, 20))
        for classes in ("independent", "overlapping", "nearly apart", "one in ten")
    ),
    *(
        Simulation(f"drift in the server, {n:,} rows", "false alarms", partial(_served, n), short, 1000)
        for n, short in ((50, 200), (100, 0), (1000, 20), (10_000, 0))
    ),
    *(
        Simulation(f"outliers, {n:,} rows", "power", partial(_far, n), short, 15)
        for n, short in ((100, 3), (1000, 0), (10_000, 0))
    ),
    *(
        Simulation(f"leaks, {n} rows", "power", partial(_leak, n), short, 50)
        for n, short in ((30, 5), (60, 5), (1000, 0))
    ),
    *(
        Simulation(f"drift, {n:,} rows", "power", partial(_drifted, n), short, 50)
        for n, short in ((50, 5), (100, 0), (1000, 0))
    ),
    *(
        Simulation(
            f"{share:.0%} wrong labels, classes {apart} deviations apart, {n:,} rows",
            "power",
            partial(_mislabelled, n, apart, share),
            0,
            10,
        )
        for n in (300, 1000)
        for apart in (3, 5, 8)
        for share in (0.03, 0.07, 0.15, 0.25)
    ),
    *(Simulation(f"bias and variance, {name}", "bias", partial(_parts, name), 20, 60) for name in _LEARNERS),
]
