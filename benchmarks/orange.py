"""CN2 compared with Orange's, on the folds of ``benchmarks.parity``.

``python -m benchmarks.orange FOLDER --python PYTHON [--seeds 1,2,3] [--limit SECONDS]``, where PYTHON is an interpreter
with Orange3 installed. Orange is not installed here because it needs other versions of common libraries. Both modes of
both libraries run with their defaults. If one of Orange's learners does not finish the ten folds of a table within
the limit, the table is left out for that learner, and the output says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.parity import cross_validated, read_all_inputs, tables

# The program that runs in Orange's interpreter. It gets codes of nominal columns, numbers of the others, NaN where a
# value is missing.
_THEIRS = """
import json, sys
import numpy as np
from Orange.classification.rules import CN2Learner, CN2UnorderedLearner
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
arrays, meta = np.load(sys.argv[1]), json.load(open(sys.argv[2]))
variables = [DiscreteVariable(name, values) if values else ContinuousVariable(name) for name, values in meta["columns"]]
domain = Domain(variables, DiscreteVariable("class", meta["classes"]))
X, y, fold = arrays["X"], arrays["y"], arrays["fold"]
learner = {"ordered": CN2Learner, "unordered": CN2UnorderedLearner}[sys.argv[3]]
hits = 0
for k in range(10):
    train, test = (Table.from_numpy(domain, X[rows], y[rows]) for rows in (fold != k, fold == k))
    hits += int(np.sum(learner()(train)(test) == y[fold == k]))
print(100 * hits / len(y))
"""

MODES = ("ordered", "unordered")


def hand_over(path: Path, seed: int, folder: Path) -> None:
    """Write a table and its folds in the form that Orange's program reads."""
    X, y = read_all_inputs(path)
    classes, codes = np.unique(y.astype(str), return_inverse=True)
    columns, block = [], []
    for name in X.columns:
        column = X.column(name)
        if column.kind == "nominal":
            columns.append((name, [str(value) for value in column.categories]))
            block.append(np.where(column.data < 0, np.nan, column.data))
        else:
            columns.append((name, []))
            block.append(column.data)
    fold = np.empty(len(y), dtype=int)
    for k, (_, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)):
        fold[test] = k
    np.savez(folder / "table.npz", X=np.column_stack(block).astype(float), y=codes.astype(float), fold=fold)
    (folder / "table.json").write_text(json.dumps({"columns": columns, "classes": classes.tolist()}))


def theirs(python: str, path: Path, mode: str, seed: int, limit: float) -> float | None:
    """Return the percentage correct of Orange's learner, or None if it takes too long."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hand_over(path, seed, folder)
        command = [python, "-c", _THEIRS, str(folder / "table.npz"), str(folder / "table.json"), mode]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            raise RuntimeError(f"Orange failed on {path.name}: {done.stderr.strip().splitlines()[-1]}")
        return float(done.stdout.split()[-1])


def compare(python: str, folder: Path, seeds: list[int], limit: float, mode: str) -> None:
    """Print one line per table, then the mean difference and its standard error over tables."""
    differences = []
    print(f"CN2 {mode}: percent correct, ours and Orange's")
    for name, path, test in tables(folder):
        if test is not None:
            continue
        their_scores: list[float] = []
        for seed in seeds:
            score = theirs(python, path, mode, seed, limit)
            if score is None:
                break
            their_scores.append(score)
        if not their_scores:
            print(f"  {name:14} Orange did not finish in {limit:g} s", flush=True)
            continue
        params: dict[str, Any] = {"mode": mode}
        ours, _ = cross_validated("cn2", params, path, seeds[: len(their_scores)])
        mean = statistics.mean(their_scores)
        differences.append(ours - mean)
        print(f"  {name:14} {ours:6.2f} {mean:6.2f}  ({len(their_scores)} seeds)", flush=True)
    if len(differences) > 1:
        error = statistics.stdev(differences) / len(differences) ** 0.5
        print(f"  mean difference over {len(differences)} tables {statistics.mean(differences):+.2f}, s.e. {error:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", required=True, help="an interpreter with Orange3")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for the ten folds of one table")
    parser.add_argument("--mode", choices=MODES, action="append")
    given = parser.parse_args()
    for mode in given.mode or MODES:
        compare(given.python, given.folder, [int(seed) for seed in given.seeds.split(",")], given.limit, mode)


if __name__ == "__main__":
    main()
