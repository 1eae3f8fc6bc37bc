"""``vaglio train``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.learners.parameter_text import parse_value


def _accuracy(answer: dict) -> float:
    return next(m["value"] for m in answer["evaluation"]["measures"] if m["measure"] == "accuracy")


def test_train_saves_a_model_and_says_what_next(penguins, tmp_path):
    out = tmp_path / "m.vaglio"
    outcome = run_here("train", penguins, "--target", "species", "--out", out)
    assert outcome.code == 0
    assert outcome.out.startswith("Trained c45 on 344 rows and 7 columns")
    assert f"The model is in {out}." in outcome.err
    assert "Next: vaglio rules" in outcome.err
    fitted = vaglio.load(out)
    assert fitted.learner == "c45"
    assert fitted.provenance["target"] == "species"
    assert str(tmp_path) not in fitted.provenance["command"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of files are any bytes on Linux alone")
@pytest.mark.parametrize("name", [b"caf\xe9.csv", b"it's\x1b[31m \\.csv", b"a\nb.csv"])
def test_a_file_whose_name_is_no_text(penguins, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    table, out = os.fsdecode(name), os.fsdecode(name[:-4] + b".vaglio")
    shutil.copy(penguins, table)
    outcome = run_here("train", table, "--target", "species", "--out", out)
    assert outcome.code == 0, outcome.err
    vaglio.load(out)
    # A shell reads the line that follows as the same name.
    suggested = outcome.err.partition("Next: ")[2].split(", or ")[1]
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {suggested}"], capture_output=True, check=True).stdout
    assert words.split(b"\0")[2:4] == [os.fsencode(out), name]


@pytest.mark.parametrize("target", ["species", "0", "-8"])
def test_target_by_name_or_position(penguins, tmp_path, target):
    outcome = run_here("train", penguins, "--target", target, "--out", tmp_path / "m.vaglio", "--json")
    assert json.loads(outcome.out)["target"] == "species"


def test_parameters_reach_the_learner(penguins, tmp_path):
    out = tmp_path / "m.vaglio"
    settings = ["--set", "max_depth=1", "--set", "min-samples-leaf=5"]
    assert run_here("train", penguins, "--target", "species", "--out", out, *settings).code == 0
    assert vaglio.load(out).params["max_depth"] == 1
    assert vaglio.load(out).params["min_samples_leaf"] == 5


@pytest.mark.parametrize("plan", [["--folds", "5"], ["--holdout", "0.3"]])
def test_evaluation_uses_rows_not_used_for_training(penguins, tmp_path, plan):
    out = tmp_path / "m.vaglio"
    outcome = run_here("train", penguins, "--target", "species", "--out", out, *plan, "--json")
    answer = json.loads(outcome.out)
    assert 0.85 < _accuracy(answer) < 1
    assert answer["rows"] == (344 if plan[0] == "--folds" else 241)
    assert vaglio.load(out).provenance["scores"]["accuracy"] == _accuracy(answer)


def test_a_test_table_is_read_like_the_training_table(penguins, tmp_path):
    lines = penguins.read_text().splitlines()
    unseen = tmp_path / "unseen.csv"
    # One species and one island only: alone, this table would be typed otherwise.
    unseen.write_text("\n".join([lines[0], *lines[1:20]]) + "\n")
    out = tmp_path / "m.vaglio"
    outcome = run_here("train", penguins, "--target", "species", "--test", unseen, "--out", out, "--json")
    assert outcome.code == 0, outcome.err
    assert _accuracy(json.loads(outcome.out)) > 0.9


def test_roles_and_levels(play, tmp_path):
    out = tmp_path / "m.vaglio"
    order = "temperature=cool<mild<hot"
    outcome = run_here("train", play, "--target", "play", "--out", out, "--levels", order, "--ignore", "windy")
    assert outcome.code == 0, outcome.err
    features = {feature.name: feature for feature in vaglio.load(out).codebook.features}
    assert features["temperature"].categories == ("cool", "mild", "hot")
    assert features["temperature"].kind == "ordinal"
    assert "windy" not in features
    assert "--ignore windy" in vaglio.load(out).provenance["command"]


@pytest.mark.parametrize(
    ("content", "target", "says"),
    [
        ("a,b\n1,x\n2,x\n3,x\n", "b", "needs at least two classes"),
        ("a,b\n1,x\n2,y\n", "c", "no column 'c'"),
        ("a,b\n", "b", "no rows"),
        ("a,b\n1,x\n2,y,z\n", "b", "3 fields"),
        ("", "b", "empty"),
        ("a,a\n1,x\n2,y\n", "a", "a"),
    ],
)
def test_bad_tables_are_one_line(tmp_path, content, target, says):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    outcome = run_here("train", path, "--target", target, "--out", tmp_path / "m.vaglio")
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert says in outcome.err
    assert not (tmp_path / "m.vaglio").exists()


def test_an_output_folder_that_is_not_there(penguins, tmp_path):
    outcome = run_here("train", penguins, "--target", "species", "--out", tmp_path / "no" / "m.vaglio")
    assert outcome.code == 1
    assert "cannot be written: there is no folder" in outcome.err


@pytest.mark.parametrize(
    ("word", "value"),
    [("5", 5), ("0.5", 0.5), ("none", None), ("True", True), ("sqrt", "sqrt"), ("[1, 2]", [1, 2]), ("a=b", "a=b")],
)
def test_values_from_words(word, value):
    assert parse_value(word) == value


def test_a_split_by_percentages_is_a_holdout(penguins, tmp_path):
    for split, rows in (("80-20", 275), ("67-33", 230), ("50-50", 172)):
        trained = run_here("train", penguins, "--target", "species", "--split", split, "-o", tmp_path / "m.vaglio")
        assert trained.code == 0, trained.err
        assert f"on {rows} rows" in trained.out
    command = vaglio.load(tmp_path / "m.vaglio").provenance["command"]
    assert "--holdout 0.5" in command
    both = run_here("train", penguins, "--target", "species", "--split", "80-20", "--holdout", "0.3")
    assert (both.code, "Use " in both.err) == (2, True)
    wrong = run_here("select", penguins, "--target", "species", "--split", "80-30")
    assert (wrong.code, "sum to 100" in wrong.err) == (2, True)


def test_a_column_that_gives_the_class_away_is_named(tmp_path):
    rows = "".join(f"{at % 7},{'xy'[at % 2]}{at % 3},{'ab'[at % 2]}\n" for at in range(90))
    (tmp_path / "t.csv").write_text("x,told,y\n" + rows)
    outcome = run_here("train", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.vaglio")
    assert "Column 'told' alone determines the class of 100.0% of the rows." in outcome.out.splitlines()[0]
    assert outcome.out.count("alone determines") == 1
    on_disk = run_here(
        *("train", tmp_path / "t.csv", "--target", "y", "--memory", "4GB", "--out", tmp_path / "m.vaglio", "--force")
    )
    assert "Column 'told' alone determines" in on_disk.out
