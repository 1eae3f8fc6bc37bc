"""Columns of very many values in one table: ``python -m benchmarks.panel.many_values planted``, or a file.

``planted`` hides a signal in a column of many values and prints the accuracy on new rows, with the correction for
chance and without. A file (CSV) is learned from its even rows, or from every n-th; the area under the ROC curve on the
odd rows is printed with some columns and without them.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from vaglio.learners.registry import LEARNERS, find

# Two count words, one is made of others, and the last would need a table of all combinations.
_LEFT_OUT = {"multinomial-nb", "bernoulli-nb", "voting", "joint-bayes"}


def planted(values: int, per_value: int, strength: float, seed: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    """Return twice as many rows as are learned from: of each value, one class has the share ½ + ``strength``."""
    random = np.random.default_rng(seed)
    rows = 2 * values * per_value
    codes = random.integers(0, values, rows)
    share = np.where(random.random(values) < 0.5, 0.5 - strength, 0.5 + strength)[codes]
    y = (random.random(rows) < share).astype(int)
    X = {"code": [f"c{code}" for code in codes], "a": random.normal(size=rows), "b": random.choice(list("xyz"), rows)}
    return pd.DataFrame(X), y


def _made(learner: str, **parameters: Any) -> Any:
    made = find(learner).make(**parameters)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


def print_planted(learners: list[str], values: int, per_value: int, strength: float) -> None:
    X, y = planted(values, per_value, strength)
    half = len(y) // 2
    for learner in learners:
        corrects = _made(learner).get_params().get("high_cardinality") is not None
        settings: list[dict[str, Any]] = [{}, {"high_cardinality": None}] if corrects else [{}]
        found = [_made(learner, **each).fit(X[:half], y[:half]).score(X[half:], y[half:]) for each in settings]
        print(f"{learner:20}", *(f"{100 * score:.1f}" for score in found), flush=True)


def print_areas(learners: list[str], frame: pd.DataFrame, target: str, dropped: list[str], step: int) -> None:
    y, X = frame[target].astype(str).to_numpy(), frame.drop(columns=target)
    positive = np.unique(y)[1]
    for learner in learners:
        areas = []
        for columns in (X, X.drop(columns=dropped)):
            model, test = _made(learner).fit(columns[::step], y[::step]), columns[1::2]
            if hasattr(model, "predict_proba"):
                score = model.predict_proba(test)[:, list(model.classes_).index(positive)]
            else:
                score = model.decision_function(test)
            areas.append(roc_auc_score(y[1::2] == positive, score))
        print(f"{learner:20}", *(f"{area:.4f}" for area in areas), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel.many_values", description=__doc__.splitlines()[0])
    parser.add_argument("table", help='"planted", or a CSV file')
    parser.add_argument("--learner", default="", help="ids, separated by commas; all without it")
    parser.add_argument("--values", type=int, default=50, help="planted: number of values")
    parser.add_argument("--per-value", type=int, default=10, help="planted: rows per value")
    parser.add_argument("--strength", type=float, default=0.3, help="planted: share of the class above one half")
    parser.add_argument("--target", default="late", help="file: the class")
    parser.add_argument("--nominal", default="carrier,flight,tailnum,origin,dest", help="file: nominal columns")
    parser.add_argument("--without", default="flight,tailnum", help="file: columns to do without")
    parser.add_argument("--step", type=int, default=2, help="file: every n-th row is learned from, an even number")
    arguments = parser.parse_args()
    learners = [one for one in arguments.learner.split(",") if one] or [one for one in LEARNERS if one not in _LEFT_OUT]
    warnings.simplefilter("ignore")
    if arguments.table == "planted":
        print_planted(learners, arguments.values, arguments.per_value, arguments.strength)
        return
    frame = pd.read_csv(arguments.table)
    for name in arguments.nominal.split(","):
        frame[name] = frame[name].map(lambda value: None if value != value else str(value))
    print_areas(learners, frame, arguments.target, arguments.without.split(","), arguments.step)


if __name__ == "__main__":
    main()
