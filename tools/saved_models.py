"""Save a small model of every kind with this version, and what it predicts: ``python -m tools.saved_models``.

A release adds the files to ``tests/saved``, where the tests load those of every version.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import vaglio
from vaglio.errors import NotSupportedError
from vaglio.learners.registry import LEARNERS, REGRESSORS

SAVED = Path(__file__).parent.parent / "tests" / "saved"
COLUMNS = ["island", "bill_length_mm", "flipper_length_mm", "sex"]
SMALL: dict[str, dict[str, Any]] = {
    "forest": {"n_estimators": 3, "max_depth": 4},
    "ensemble": {"n_estimators": 3},
    "boosted": {"max_iter": 5, "max_leaf_nodes": 4},
    "additive": {"max_rounds": 20, "max_bins": 16},
    "mlp": {"hidden_layer_sizes": [3], "max_iter": 50},
    "voting": {"estimators": ["naive-bayes", "cart"]},
}


def main() -> None:
    """Write the files, and print their names."""
    version = vaglio.__version__
    if "dev" in version:
        raise SystemExit(f"{version} is not a release: set the version first (RELEASING.md)")
    frame = vaglio.datasets.load("penguins").to_frame().iloc[::8].reset_index(drop=True)
    records = {}
    for learners in (LEARNERS, REGRESSORS):
        seen = set()
        for learner_id, learner in learners.items():
            if learner.kind in seen:
                continue
            seen.add(learner.kind)
            name = learner_id if learners is LEARNERS else f"{learner_id}-of-numbers"
            records[name] = _saved(learner, frame, SAVED / f"{name}-{version}.vaglio")
            print(f"{name}-{version}.vaglio")
    text = json.dumps(records, indent=1, ensure_ascii=False)
    (SAVED / f"predictions-{version}.json").write_text(text + "\n", encoding="utf-8")


def _saved(learner: Any, frame: Any, path: Path) -> dict[str, Any]:
    """Train on a few penguins, save the model, and return what it predicts for three of them."""
    of_classes = learner.task == "classification"
    known = frame[frame["body_mass_g"].notna()]
    X, y = known[COLUMNS], known["species" if of_classes else "body_mass_g"]
    small = dict(SMALL.get(learner.kind, {}))
    if learner.kind == "voting" and not of_classes:
        small["estimators"] = ["linear", "cart"]
    estimator = learner.make(**small)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = estimator.fit(X, y).fitted_
    fitted.save(path)
    asked = X.iloc[[0, 9, 30]]
    rows = [
        {name: None if value != value else value for name, value in row.items()} for row in asked.to_dict("records")
    ]
    return {
        "learner": learner.id,
        "kind": learner.kind,
        "rows": rows,
        "predicted": fitted.predict(rows).tolist(),
        "probabilities": _probabilities(fitted, rows),
    }


def _probabilities(fitted: Any, rows: list[dict[str, Any]]) -> Any:
    """Return the probabilities, or None where the model has none."""
    try:
        return fitted.predict_proba(rows).tolist()
    except NotSupportedError:
        return None


if __name__ == "__main__":
    main()
