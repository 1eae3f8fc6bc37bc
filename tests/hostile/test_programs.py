"""Names that would end a comment, a text or a line of a program: the exported model says what it says here."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.export.test_other_systems import check

import vaglio
from vaglio.fitted import Fitted

pytestmark = pytest.mark.filterwarnings("ignore")

# Ends of comments and texts, digraphs and trigraphs, separators of lines, formats, templates, marks of direction.
NAMES = [
    "*/ exit(1); /*",
    "// ??/",
    "\\",
    '"; process.exit(1); "',
    "a\u2028b\u2029",
    "`${1}`",
    "-- x\r\n;",
    "</script>",
]
WORDS = ["*/", '"+"', "\\", "??/\\\n", "\u2028", "${0}", "%n%s", "' OR 1=1 --", "\u202egnp", "\x1b[31m", "é" * 300, "0"]
CLASSES = ['*/ "', "\\", "\u2028'--"]
LEARNERS = {
    "c45": vaglio.C45Classifier,
    "cn2": vaglio.CN2Classifier,
    "logistic": vaglio.LogisticRegression,
    "naive-bayes": vaglio.NaiveBayesClassifier,
    "random-forest": lambda: vaglio.RandomForestClassifier(3, random_state=0),
    "gradient-boosting": lambda: vaglio.HistGradientBoostingClassifier(
        max_iter=2, early_stopping=False, random_state=0
    ),
}


def rows(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: rng.normal(size=n).round(2) if j % 2 else rng.choice(WORDS, n) for j, name in enumerate(NAMES)}
    )
    first, second = frame[NAMES[1]], frame[NAMES[0]].isin(WORDS[:5])
    return frame, np.array(CLASSES)[np.digitize(first + second, [0.0, 1.0])]


@cache
def fitted_of(learner: str) -> tuple[Fitted, pd.DataFrame]:
    estimator: Any = LEARNERS[learner]()
    return estimator.fit(*rows(120, 0)).fitted_, rows(40, 1)[0]


# Each system by day, and each learner.
NIGHTLY = [(each, system) for system in ("c", "javascript") for each in LEARNERS if each not in ("c45", "naive-bayes")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "system"),
    [
        pytest.param(*case, marks=[pytest.mark.nightly] if case in NIGHTLY else [])
        for case in itertools.product(LEARNERS, ("onnx", "c", "javascript", "sqlite"))
    ],
)
def test_no_name_leaves_its_place_in_a_program(learner: str, system: str, tmp_path: Path) -> None:
    check(*fitted_of(learner), system, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_python_and_the_language_of_rules_too(learner: str) -> None:
    fitted, new = fitted_of(learner)
    found = fitted.predict(new).tolist()
    if "python" in vaglio.fitted.export_formats(fitted):
        spaces: dict[str, Any] = {}
        exec(fitted.export("python"), spaces)
        assert [spaces["classify"](row) for row in new.to_dict("records")] == found
    if "exact" in vaglio.fitted.export_formats(fitted):
        assert vaglio.RuleSet.parse(fitted.export("exact")).predict(new).tolist() == found
