"""A hundred trees of three classes as SQL: a database reads them within 500 MB, or the dialect refuses them by name."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.export.other_systems import in_postgresql, server

import vaglio
from vaglio.errors import NotSupportedError
from vaglio.fitted import Fitted

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory in use is read from /proc")

LEARNERS = {
    "boosting": lambda: vaglio.HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0),
    "bagging": lambda: vaglio.BaggingClassifier(n_estimators=100, random_state=0),
    "adaboost": lambda: vaglio.AdaBoostClassifier(n_estimators=100, random_state=0),
    "forest": lambda: vaglio.RandomForestClassifier(100, random_state=0),
    "boosting of numbers": lambda: vaglio.HistGradientBoostingRegressor(
        max_iter=100, early_stopping=False, random_state=0
    ),
    "forest of numbers": lambda: vaglio.RandomForestRegressor(100, random_state=0),
    "bagged C4.5": lambda: vaglio.BaggingClassifier(vaglio.C45Classifier(), 100, random_state=0),
}
REFUSED = {
    ("forest of numbers", "sqlite"),
    ("forest of numbers", "duckdb"),
    ("forest of numbers", "postgresql"),
    ("bagged C4.5", "sqlite"),
    ("bagged C4.5", "duckdb"),
    ("forest", "duckdb"),
    ("bagging", "duckdb"),
    ("bagged C4.5", "postgresql"),
}

# Prints the mebibytes that reading the statement and a hundred rows takes.
ASK = """
import resource, sqlite3, sys
import pandas as pd
frame, statement = pd.read_csv(sys.argv[2]), open(sys.argv[3]).read()
if sys.argv[1] == "duckdb":
    import duckdb
    base = duckdb.connect(config={"threads": 1})
    base.register("data", frame)
else:
    base = sqlite3.connect(":memory:")
    frame.to_sql("data", base, index=False)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
assert len(base.execute(statement).fetchall()) == len(frame)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@cache
def rows() -> tuple[pd.DataFrame, np.ndarray]:
    rng, n = np.random.default_rng(0), 1000
    X = pd.DataFrame({f"n{i}": rng.normal(size=n).round(2) for i in range(8)})
    X["few"], X["many"] = rng.choice(list("abcdefgh"), n), rng.choice([f"w{i}" for i in range(60)], n)
    X.iloc[::7, 0] = np.nan
    return X, np.array(["x", "y", "z"])[(X.n0.fillna(0) + X.n1 * X.n2 > 0).astype(int) + (X.few < "d")]


@cache
def model(learner: str) -> Fitted:
    X, y = rows()
    fitted: Fitted = LEARNERS[learner]().fit(X, X.n1 * X.n2 if "numbers" in learner else y).fitted_
    return fitted


@pytest.mark.nightly
@pytest.mark.parametrize("learner", LEARNERS)
def test_postgresql_reads_a_hundred_trees_within_500_megabytes(learner: str, tmp_path: Path) -> None:
    if (learner, "postgresql") in REFUSED:
        with pytest.raises(NotSupportedError, match="too large for postgresql sql"):
            model(learner).to_sql(dialect="postgresql")
        return
    frame = rows()[0][:100]
    in_postgresql(model(learner), frame, tmp_path)  # makes the table
    statement = model(learner).to_sql(probabilities="numbers" not in learner, dialect="postgresql")
    # The process of this connection says how much memory it has touched.
    peak = r"\! grep VmHWM /proc/$PID/status"
    answers = server().ask(f"SELECT pg_backend_pid() AS pid \\gset\n\\setenv PID :pid\n{statement};\n{peak}\n")
    assert len(answers) > len(frame)
    assert int(answers[-1][0].split()[1]) < 500 << 10


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize(
    "learner",
    [pytest.param(name, marks=[] if name == "boosting" else pytest.mark.nightly) for name in LEARNERS],
)
def test_a_hundred_trees_are_read_within_500_megabytes(learner: str, dialect: str, tmp_path: Path) -> None:
    if dialect == "duckdb":
        pytest.importorskip("duckdb")
    if (learner, dialect) in REFUSED:
        with pytest.raises(NotSupportedError, match=f"too large for {dialect} sql"):
            model(learner).to_sql(dialect=dialect)
        return
    rows()[0][:100].to_csv(tmp_path / "rows.csv", index=False)
    for probabilities in (False,) if "numbers" in learner else (False, True):
        (tmp_path / "model.sql").write_text(model(learner).to_sql(probabilities=probabilities, dialect=dialect))
        command = [sys.executable, "-c", ASK, dialect, tmp_path / "rows.csv", tmp_path / "model.sql"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-1000:]
        assert int(done.stdout) < 500
