"""Print a SHA-256 of every learner's model and of its predictions on five generated tables.

For changes that should change no model: run it before and after, and compare the two outputs. The parameters stored
beside the model, and the version that wrote it, are left out. The digests hold for one machine and one
set of libraries. They may differ between machines, so this is a tool and not a test.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_classifier

import vaglio
from vaglio.errors import VaglioError

Rows = tuple[Any, np.ndarray, np.ndarray | None]

# Options that reach code the defaults do not reach.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "DecisionTreeClassifier": [
        {"criterion": "entropy", "max_depth": 4},
        {"criterion": "error", "min_samples_leaf": 3},
        {"criterion": "gini", "nominal_split": "subset", "ccp_alpha": 0.01},
        {"criterion": "gini", "max_features": 3, "random_state": 1},
        {"criterion": "entropy", "pruning": "pessimistic"},
        {"criterion": "entropy", "pruning": "reduced_error", "random_state": 0},
        {"criterion": "gini", "max_leaf_nodes": 9},
        {"criterion": "gini", "chi2_alpha": 0.05},
    ],
    "DecisionTreeRegressor": [{"max_depth": 4}],
    "CARTClassifier": [{"ccp_alpha": "cv", "random_state": 0}],
    "CN2Classifier": [{"mode": "unordered"}, {"mode": "ordered"}],
    "RIPPERClassifier": [{"random_state": 3}],
    "NaiveBayesClassifier": [{"likelihood": "gaussian"}, {"likelihood": "kde"}],
    "BayesianNetworkClassifier": [{"structure": "k-dependence", "k": 2}],
    "GaussianMAPClassifier": [{"covariance": "tied"}, {"covariance": "shrunk"}],
    "LogisticRegression": [{"l1_ratio": 1.0}, {"C": 0.1}],
    "SVC": [{"kernel": "linear"}, {"kernel": "poly"}],
    "KNeighborsClassifier": [{"n_neighbors": 1}, {"weights": "distance"}, {"metric": "manhattan"}],
    "RandomForestClassifier": [{"bootstrap": False, "n_estimators": 10}, {"max_depth": 4, "criterion": "entropy"}],
    "BaggingClassifier": [{"max_features": 0.5}],
}


def main() -> None:
    """Print one line per learner, set of options and table."""
    warnings.simplefilter("ignore")
    for name in dir(vaglio):
        cls = getattr(vaglio, name)
        if isinstance(cls, type) and issubclass(cls, BaseEstimator) and hasattr(cls, "predict"):
            for params in [{}, *VARIANTS.get(name, [])]:
                for table, line in fingerprints(cls, params):
                    print(f"{name} {json.dumps(params)} {table}: {line}", flush=True)


def fingerprints(cls: Any, params: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of a table and the two digests of the learner on it, or the error with which it refuses it."""
    for table, (X, y, weight) in tables().items():
        try:
            estimator = cls(**params)
            if "random_state" in estimator.get_params() and "random_state" not in params:
                estimator.set_params(random_state=0)
            target = y if is_classifier(estimator) else numbers(X)
            estimator.fit(X, target, sample_weight=weight)
            predict = getattr(estimator, "predict_proba", estimator.predict)
            yield table, f"model {digest_model(estimator.fitted_)} predictions {digest(predict(X))}"
        except (VaglioError, ValueError, TypeError) as error:
            yield table, f"refused: {type(error).__name__}"


def digest_model(fitted: Any) -> str:
    """Return the digest of what the model file would contain, without parameters and version."""
    arrays, meta = fitted.model.state()
    described = [fitted.codebook.to_state(), meta]
    plain = json.dumps(described, sort_keys=True, default=lambda value: np.asarray(value).tolist())
    # The stored name of one missing-value treatment was spelt differently in version 0.1.0.
    blocks = [np.frombuffer(plain.replace("learnt", "learned").encode(), np.uint8)]
    return digest(*blocks, *(arrays[name] for name in sorted(arrays)))


def digest(*blocks: Any) -> str:
    """Return a digest of arrays: types, shapes and values."""
    sha = hashlib.sha256()
    for block in blocks:
        block = np.ascontiguousarray(block)
        sha.update(f"{block.dtype.str}{block.shape}".encode())
        sha.update(block.astype(str).tobytes() if block.dtype == object else block.tobytes())
    return sha.hexdigest()[:20]


def tables() -> dict[str, Rows]:
    """Make the tables: X, y and weights, from one fixed seed."""
    rng = np.random.default_rng(7)
    mixed = mixed_frame(rng, 400)
    holes = mixed.mask(rng.random(mixed.shape) < 0.15)
    wide = pd.DataFrame(rng.normal(size=(150, 120)), columns=[f"x{j}" for j in range(120)])
    return {
        "mixed": (mixed, two_classes(mixed, rng), None),
        "missing": (holes, two_classes(mixed, rng), None),
        "multiclass": (mixed, np.array(list("abcde"))[many_classes(mixed, rng)], None),
        "weighted": (mixed, two_classes(mixed, rng), rng.integers(1, 5, 400).astype(float)),
        "wide": (wide, (wide.x0 + wide.x1 * wide.x2 + rng.normal(size=150) > 0).to_numpy(), None),
    }


def mixed_frame(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "height": rng.normal(170, 10, n),
            "income": np.exp(rng.normal(10, 1, n)),
            "visits": rng.integers(0, 12, n).astype(float),
            "colour": rng.choice(["red", "green", "blue", "grey"], n),
            "town": rng.choice([f"town{k}" for k in range(15)], n),
            "member": rng.choice(["yes", "no"], n),
        }
    )


def two_classes(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    score = (frame.height - 170) / 10 + (frame.colour == "red") * 2 + frame.visits / 6 - 1.5
    return np.where(score + rng.normal(size=len(frame)) > 0, "buys", "leaves")


def many_classes(frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    score = frame.visits / 3 + (frame.member == "yes") + rng.normal(0, 0.5, len(frame))
    classes: np.ndarray = np.clip(score.to_numpy(), 0, 4).astype(int)
    return classes


def numbers(X: pd.DataFrame) -> np.ndarray:
    """Return a numeric target for the regressors."""
    column = X.iloc[:, 0].to_numpy(float)
    target: np.ndarray = np.nan_to_num(column, nan=0.0) * 2 + np.arange(len(column)) % 7
    return target


if __name__ == "__main__":
    main()
