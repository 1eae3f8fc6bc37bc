"""The resident set of a training from disk stays within its limit; measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

ROWS = 500_000
# MB above the least it asks for; how much it holds before it reads differs from machine to machine.
ROOM = 10
PROGRAM = """
import json, re, sys
import vaglio
path, room, learner, params = sys.argv[1:]
X, y = vaglio.scan(path).xy("class")
passes = set()


def fit(memory):
    with vaglio.streaming(f"{memory}MB", progress=lambda done, total, name: passes.add(name.split(" of level")[0])):
        return getattr(vaglio, learner)(n_jobs=2, **json.loads(params)).fit(X, y)


try:
    fit(1)
except vaglio.errors.VaglioError as error:
    limit = int(re.search(r"at least (\\d+) MB", str(error).replace(",", ""))[1]) + int(room)
model = fit(limit)
if learner == "KNeighborsClassifier":
    assert type(model.fitted_.model).__name__ == "OutOfCoreNeighbors"
    model.predict_proba(X.head(200))
# Not ru_maxrss: it begins with the resident set of the process that started this one.
with open("/proc/self/status") as status:
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1]) >> 10
print(json.dumps({"peak": peak, "limit": limit, "passes": sorted(passes)}))
"""


def check_that_the_limit_holds(
    path, learner: str = "NaiveBayesClassifier", room: int = ROOM, **params: int
) -> list[str]:
    """Return the passes that were made within so many MB above the least."""
    given = [str(path), str(room), learner, json.dumps(params)]
    run = subprocess.run([sys.executable, "-c", PROGRAM, *given], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert said["peak"] <= said["limit"]
    return said["passes"]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    columns = {f"x{j}": random.normal(size=ROWS) for j in range(12)}
    return pa.table(columns | {"class": np.where(columns["x0"] > 0, "a", "b")})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell the resident set elsewhere")
@pytest.mark.nightly
@pytest.mark.parametrize("group", [50_000, ROWS])
def test_row_groups_of_any_size(table, tmp_path, group):
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=group)
    check_that_the_limit_holds(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell the resident set elsewhere")
def test_text(table, tmp_path):
    path = tmp_path / "rows.csv"
    pyarrow.csv.write_csv(table.slice(0, 80_000), path)
    check_that_the_limit_holds(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell the resident set elsewhere")
def test_neighbours_of_rows_that_do_not_fit(table, tmp_path):
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=50_000)
    check_that_the_limit_holds(path, "KNeighborsClassifier")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell the resident set elsewhere")
@pytest.mark.parametrize(
    ("learner", "params", "room", "fits"),
    [
        pytest.param(
            *("RandomForestClassifier", {"n_estimators": 4, "max_depth": 6}, ROOM, True), marks=pytest.mark.nightly
        ),
        ("C45Classifier", {"max_depth": 6}, ROOM, False),
        pytest.param("C45Classifier", {"max_depth": 6}, 4 * ROOM, True, marks=pytest.mark.nightly),
    ],
    ids=["forest", "c45 by levels", "c45"],
)
def test_trees_of_rows_that_fit_as_bins_and_of_rows_that_do_not(table, tmp_path, learner, params, room, fits):
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=50_000)
    assert ("rows as bins" in check_that_the_limit_holds(path, learner, room, **params)) == fits
