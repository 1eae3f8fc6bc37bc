"""How many files of ours a row passes on its way through a command.

Whoever wants to understand a command reads the files it runs through. The number is held down, so that nobody has to
open forty of them. The count begins when the table has been read and includes every file with a function that runs;
importing a module does not count.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import vaglio
from vaglio.cli.main import main
from vaglio.table import read

HOUSE = Path(vaglio.__file__).parent

# What one person can read in an afternoon. More files than this mean that one thing is told in too many places. Three
# of those of training check the saved bytes as a reader of the file will; two ask whether the rows are in memory, and
# whether they fit there; one looks at plain arrays, which the names of scikit-learn import alone.
MOST_TO_TRAIN = 39
MOST_TO_EXPLAIN = 23


def _run(*words: object) -> None:
    """Run the program, its output thrown away."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    assert not left.value.code


def files_after_reading(*words: object) -> list[str]:
    """Files of ours with a function that runs after the table was read."""
    _run(*words)  # once before: modules imported on the way are imported now
    found: set[str] = set()
    reading = [True]

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is read.__code__:
            reading[0] = False
        elif event == "call" and not reading[0]:
            found.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        _run(*words)
    finally:
        sys.setprofile(before)
    return sorted(name.removeprefix(f"{HOUSE}/") for name in found if name.startswith(f"{HOUSE}/"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("way") / "penguins.csv"
    _run("datasets", "penguins", "--out", path)
    return path


def test_training_a_tree_runs_few_files(table: Path):
    files = files_after_reading(
        "train", table, "--target", "species", "--learner", "c45", "--out", table.with_suffix(".vaglio")
    )
    assert 5 < len(files) <= MOST_TO_TRAIN, f"{len(files)} files: {', '.join(files)}"


def test_explaining_a_row_runs_few_files(table: Path):
    model = table.with_name("explained.vaglio")
    _run("train", table, "--target", "species", "--learner", "c45", "--out", model)
    files = files_after_reading("explain", model, table, "--row", "1")
    assert 5 < len(files) <= MOST_TO_EXPLAIN, f"{len(files)} files: {', '.join(files)}"
