"""scikit-learn is imported without pandas and scipy.stats, and works as ever."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = """
import sys
import vaglio.runtime.scikit_learn
assert "sklearn.metrics" in sys.modules
assert not {"pandas", "scipy.stats"} & set(sys.modules)
"""


def _python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "program",
    [
        "from sklearn.metrics import label_ranking_average_precision_score as lrap; print(lrap([[0, 1]], [[1, 2]]))",
        "from sklearn.model_selection._search import rankdata; print(rankdata([5])[0])",
        "import sklearn.utils.fixes; print(sklearn.utils.fixes.scipy.stats.norm.cdf(100))",
        "import sklearn.utils.fixes; print(sklearn.utils.fixes.pd.Series([1.0])[0])",
        "from scipy.stats import norm; print(norm.cdf(100))",
        "import scipy.stats.mstats; print(scipy.stats.norm.cdf(100))",
        "import pandas; print(pandas.Series([1.0])[0])",
    ],
)
def test_whoever_uses_a_module_gets_the_real_one(program: str) -> None:
    assert _python(f"{START}\n{program}\nassert all(type(m).__name__ != '_StandIn' for m in sys.modules.values())") == (
        "1.0\n"
    )


def test_submodules_are_found_while_another_stands_in() -> None:
    program = """
from vaglio.runtime.scikit_learn import import_sparingly
import_sparingly("scipy.stats.mstats")
import scipy.stats
print(scipy.stats.norm.cdf(100), scipy.stats.mstats.gmean([1.0]))
"""
    assert _python(START + program) == "1.0 1.0\n"


@pytest.mark.parametrize("first", ["pandas", "scipy.stats"])
def test_what_is_imported_already_stays(first: str) -> None:
    _python(f"import sys, {first}\nbefore = {first}\nimport vaglio.runtime.scikit_learn\nassert {first} is before")


def test_without_pandas_none_stands_in() -> None:
    program = """
import sys
sys.modules["pandas"] = None
import vaglio.runtime.scikit_learn
import sklearn.utils.fixes
assert sklearn.utils.fixes.pd is None
"""
    _python(program)


@pytest.mark.parametrize(
    "learner", ["vaglio.learn.trees.presets", "vaglio.learn.ensembles.random_forest", "vaglio.study"]
)
def test_learners_and_evaluation_need_neither(learner: str) -> None:
    _python(f"import {learner}{START}")


def test_prediction_needs_no_scikit_learn() -> None:
    _python("import sys, vaglio.fitted, vaglio.table\nassert 'sklearn' not in sys.modules")
