"""What is taken away makes the same model again: the program byte for byte, the commands with the same fingerprint."""

from __future__ import annotations

import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import run_here
from tests.studio.conftest import messy_table

import vaglio

STEPS = [
    ("/table/target", {"column": "buys"}),
    ("/table/column", {"column": "zone", "level": "nominal", "at": "column-5"}),
    ("/table/order", {"column": "size", "values": "small < medium < large", "at": "column-4"}),
    ("/table/column", {"column": "country", "role": "ignored", "at": "column-6"}),
    ("/table/missing", {"words": "n/d"}),
    ("/table/clean", {"finding": "duplicates", "choice": "drop"}),
    ("/table/clean", {"finding": "spelling", "choice": "merge"}),
    ("/table/clean", {"finding": "identifiers", "choice": "mark"}),
]


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def run_shell_line(line: str) -> None:
    """Run a line of a script: the program in this process, what is not the program by a shell."""
    if not line.startswith("vaglio "):
        run(["sh", "-e", "-c", line], Path.cwd())
        return
    outcome = run_here(*shlex.split(line)[1:])
    assert outcome.code == 0, outcome.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "learner", "fields"),
    [
        (STEPS, "c45", {"cost.0-1": "1", "cost.1-0": "4", "plan": "folds_3", "c45.min_samples_leaf": "4"}),
        pytest.param(
            *(STEPS[:2], "random-forest", {"random-forest.n_estimators": "5", "seed": "7"}), marks=pytest.mark.nightly
        ),
        (STEPS, "c45", {"way": "tune", "candidates": "2", "cost.0-1": "1", "cost.1-0": "4", "c45.max_depth": "3"}),
        (STEPS[:3], "c45", {"way": "choose", "candidates": "1", "plan": "folds_3", "learner": ["c45", "knn"]}),
    ],
)
def test_the_program_and_the_commands_make_the_model_again(enter, tmp_path, monkeypatch, steps, learner, fields):
    visitor = enter()
    visitor.upload("messy.csv", messy_table())
    for address, given in steps:
        assert visitor.post(address, **given).status_code == 200
    name = visitor.learn_here(*fields.pop("learner", [learner]), **fields)
    run_ = visitor.studio.jobs.get(name)
    folder, learner = run_.folder, run_.result["learners"][0]["id"]
    made = tmp_path / "again"
    made.mkdir()
    shutil.copy(visitor.studio.project.tables / "messy.csv", made)
    model = f"model={name}/{learner}"
    (made / "work.py").write_bytes(visitor.get(f"/export/program?{model}").content)
    monkeypatch.chdir(made)
    runpy.run_path("work.py", run_name="__main__")
    assert (made / f"{learner}.vaglio").read_bytes() == (folder / f"{learner}.vaglio").read_bytes()
    (made / f"{learner}.vaglio").unlink()
    lines = visitor.get(f"/export/commands?{model}").text
    # The last line only shows the model.
    for line in lines.splitlines()[:-1]:
        run_shell_line(line)
    assert vaglio.load(made / f"{learner}.vaglio").digest == vaglio.load(folder / f"{learner}.vaglio").digest


@pytest.mark.slow
def test_a_bundled_table_is_loaded_again(enter, tmp_path):
    visitor = enter()
    visitor.open("play")
    visitor.post("/table/column", column="windy", role="target", at="column-3")
    name = visitor.learn("id3")
    (tmp_path / "work.py").write_bytes(visitor.get(f"/export/program?model={name}/id3").content)
    run([sys.executable, "work.py"], tmp_path)
    kept = visitor.studio.jobs.get(name).folder / "id3.vaglio"
    assert (tmp_path / "id3.vaglio").read_bytes() == kept.read_bytes()
