"""Invalid options, damaged models and places that cannot be written to: each gives one clear line."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import vaglio

from .conftest import run_here
from .invalid_tables import content
from .test_invalid_tables import is_one_line

TRAINING = ("train", "evaluate", "tune")
SEVERAL = ("compare", "select")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_bytes(content())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("command", [*TRAINING, *SEVERAL, "trace"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--learner", "c46"], "did you mean c45"),
        (["--learner", "zzz"], "no learner 'zzz'"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "one"], "--seed"),
        (["--levels", "x0"], "NAME=VALUE"),
        (["--read", "colour=blue"], "--read has no option"),
        (["--read", "header=maybe"], "true or false"),
        (["--read", "limit_cell=1"], "did you mean limit_cells"),
        (["--read", "limit_cells=many"], "a positive integer"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_options_of_all_that_learn(command: str, options: list[str], says: str, table: Path):
    is_one_line(run_here(command, table, "--target", "y", *options), says, code=2)


@pytest.mark.slow
@pytest.mark.parametrize("command", [*TRAINING, "trace"])
@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("max_dept=3", "did you mean max_depth"),
        ("max_depth=-3", "max_depth"),
        ("max_depth=deep", "max_depth"),
        ("max_depth", "NAME=VALUE"),
        ("=3", "NAME=VALUE"),
    ],
)
def test_settings(command: str, setting: str, says: str, table: Path):
    is_one_line(run_here(command, table, "--target", "y", "--set", setting), says, code=2)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["train", "evaluate"])
@pytest.mark.parametrize(
    ("options", "says", "code"),
    [
        (["--folds", "1"], "--folds", 2),
        (["--folds", "many"], "--folds", 2),
        (["--folds", "41"], "41 folds", 1),
        (["--holdout", "1.5"], "between 0 and 1", 2),
        (["--holdout", "0"], "between 0 and 1", 2),
        (["--holdout", "nan"], "between 0 and 1", 2),
        (["--holdout", "0.3", "--folds", "3"], "Use ", 2),
        (["--test", "t.csv", "--folds", "3"], "Use ", 2),
        (["--test", "nowhere.csv"], "nowhere.csv", 1),
        (["--folds", "2", "--positive", "maybe"], "There is no class 'maybe'", 1),
        (["--folds", "2", "--cost", "nowhere.csv"], "nowhere.csv", 1),
    ],
)
def test_ways_to_evaluate(command: str, options: list[str], says: str, code: int, table: Path, monkeypatch):
    monkeypatch.chdir(table.parent)
    is_one_line(run_here(command, table, "--target", "y", *options), says, code)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("costs", "says"),
    [
        (b"", "same classes"),
        (b",a,b\na,0,1\n", "same classes"),
        (b",a,b\na,0,1\nb,1\n", "same classes"),
        (b",a,b\na,0,one\nb,1,0\n", "not a finite number"),
        (b",a,c\na,0,1\nc,1,0\n", "no class 'b'"),
        (b",a,b\na,0,inf\nb,1,0\n", "finite"),
        (b"\x00\xff\xfe\x00", "cost"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "select", "tune", "train"])
def test_costs(command: str, costs: bytes, says: str, table: Path, tmp_path: Path):
    path = tmp_path / "costs.csv"
    path.write_bytes(costs)
    quick = {"evaluate": ["--folds", "2"], "train": ["--folds", "2", "--out", tmp_path / "m.vaglio"]}
    more = quick.get(command, ["--strategy", "quick", "--out", tmp_path / "m.vaglio"])
    is_one_line(run_here(command, table, "--target", "y", "--cost", path, *more), says)
    assert not (tmp_path / "m.vaglio").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        (["select", "--strategy", "standart"], "did you mean standard", 2),
        (["select", "--strategy", "best"], "no strategy", 2),
        (["select", "--trials", "0"], "--trials", 2),
        (["select", "--budget", "-1"], "--budget", 2),
        (["select", "--scoring", "beauty"], "beauty", 2),
        (["select", "--search", "blind"], "--search", 2),
        (["select", "--outer-folds", "3", "--strategy", "quick"], "--outer-folds", 2),
        (["tune", "--outer-folds", "3", "--holdout", "0.3"], "remove --holdout", 2),
        (["select", "--test", "t.csv", "--strategy", "quick"], "--test", 2),
        (["select", "--test", "t.csv", "--holdout", "0.3"], "Use ", 2),
        (["tune", "--try", "max_depth=deep"], "max_depth", 2),
        (["tune", "--try", "colour=1,2"], "no parameter 'colour'", 2),
        (["tune", "--holdout", "1.5"], "between 0 and 1", 2),
        (["compare", "--learner", "c45"], "two learners", 2),
        (["compare", "--folds", "1"], "--folds", 2),
        (["compare", "--folds", "41"], "41 folds", 1),
        (["audit", "--allow", "x0=low..high"], "range needs numbers", 2),
        (["audit", "--allow", "nothing=0..1"], "'nothing'", 1),
        (["audit", "--set", "duplicates=drop"], "--clean", 2),
        (["audit", "--clean", "c.csv", "--set", "duplicates=eat"], "duplicates", 2),
        (["audit", "--clean", "c.csv", "--set", "colour=drop"], "The choices of --clean", 2),
        (["explore", "--figure", "cake"], "--figure", 2),
        (["explore", "--nominal", "nothing"], "'nothing'", 1),
    ],
)
def test_options_of_single_commands(arguments: list[str], says: str, code: int, table: Path, monkeypatch):
    monkeypatch.chdir(table.parent)
    command, *options = arguments
    is_one_line(run_here(command, table, "--target", "y", *options), says, code)
    assert not (table.parent / "c.csv").exists()


@pytest.mark.parametrize("command", ["train", "evaluate", "compare", "tune", "select"])
def test_without_a_target_the_columns_are_named(command: str, table: Path):
    is_one_line(run_here(command, table), "x0, x1 and y", code=2)


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def other_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of another table."""
    path = tmp_path_factory.mktemp("models") / "play.vaglio"
    X, y = vaglio.datasets.load("play").xy()
    vaglio.C45Classifier().fit(X, y).save(path)
    return path


USING = {
    "predict": ["predict", "{model}", "{table}"],
    "evaluate": ["evaluate", "{model}", "{table}", "--target", "y"],
    "explain": ["explain", "{model}", "{table}"],
    "inspect": ["inspect", "{model}"],
    "rules": ["rules", "{model}"],
    "export": ["export", "{model}", "--format", "sql"],
    "edit": ["edit", "{model}"],
}


def _damaged(model: Path) -> dict[str, bytes]:
    sound = model.read_bytes()
    return {
        "empty": b"",
        "cut": sound[: len(sound) // 2],
        "changed": sound[:-1] + bytes([sound[-1] ^ 1]),
        "pickle": pickle.dumps({"a": 1}),
        "text": b"a,b\n1,2\n",
        "huge header": (2**62).to_bytes(8, "little") + b"{}",
    }


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "pickle", "text", "huge header"])
@pytest.mark.parametrize("command", USING)
def test_a_damaged_model(command: str, damage: str, other_model: Path, table: Path, tmp_path: Path):
    model = tmp_path / "bad.vaglio"
    model.write_bytes(_damaged(other_model)[damage])
    is_one_line(run_here(*(word.format(model=model, table=table) for word in USING[command])), "bad.vaglio")


@pytest.mark.parametrize("command", USING)
def test_no_model_or_a_folder(command: str, table: Path, tmp_path: Path):
    for model in (tmp_path / "nowhere.vaglio", tmp_path):
        is_one_line(run_here(*(word.format(model=model, table=table) for word in USING[command])), str(model))


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain"])
def test_a_model_of_another_table(command: str, other_model: Path, table: Path):
    outcome = run_here(*(word.format(model=other_model, table=table) for word in USING[command]))
    is_one_line(outcome, "lacks the columns 'outlook'")


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        (["explain", "{model}", "{table}", "--row", "0"], "row number from 1", 2),
        (["explain", "{model}", "{table}", "--row", "first"], "row number from 1", 2),
        (["explain", "{model}", "{table}", "--row", "99"], "no row 99", 1),
        (["explain", "{model}", "{table}", "--target", "nothing"], "'nothing'", 1),
        (["evaluate", "{model}"], "Add the table", 2),
        (["evaluate", "{model}", "{table}", "--learner", "c45"], "do not apply to a model", 2),
        (["evaluate", "{model}", "{table}", "--target", "play", "--positive", "maybe"], "There is no class 'maybe'", 1),
        (["export", "{model}", "--out", "model.docx"], "suffix", 2),
        (["export", "{model}", "--format", "pdf"], "--format", 2),
        (["predict", "{model}", "{table}", "--out", "rows.docx"], "extension", 1),
        (["predict", "{model}", "{table}", "--format", "xls"], "--format", 2),
        (["rules", "{model}", "--format", "prolog"], "--format", 2),
    ],
)
def test_options_of_commands_with_a_model(
    arguments: list[str], says: str, code: int, other_model: Path, tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "play.csv"
    vaglio.datasets.load("play").to_frame().to_csv(table, index=False)
    is_one_line(run_here(*(word.format(model=other_model, table=table) for word in arguments)), says, code)
    assert list(tmp_path.iterdir()) == [table]


def test_what_a_model_cannot_be_written_as_is_said(table: Path, tmp_path: Path):
    model = tmp_path / "joint.vaglio"
    run_here("train", table, "--target", "y", "--learner", "joint-bayes", "--out", model)
    is_one_line(run_here("export", model, "--out", tmp_path / "k.sql"), "cannot be exported as sql")
    assert "no rules" in run_here("export", model).out
    is_one_line(run_here("rules", model), "does not give rules")


# -- places to write to ------------------------------------------------------------------------------------------------

WRITING = {
    "audit": ["audit", "{table}", "--target", "y"],
    "explore": ["explore", "{table}", "--target", "y"],
    "evaluate": ["evaluate", "{table}", "--target", "y", "--folds", "2"],
    "train": ["train", "{table}", "--target", "y"],
    "tune": ["tune", "{table}", "--target", "y", "--strategy", "quick", "--jobs", "1"],
    "select": ["select", "{table}", "--target", "y", "--strategy", "quick", "--jobs", "1", "--learner", "c45"],
    "export": ["export", "{model}", "--format", "text"],
    "rules": ["rules", "{model}"],
    "predict": ["predict", "{model}", "{table}", "--format", "csv"],
    "explain": ["explain", "{model}", "{table}"],
}
SUFFIX = {
    "train": ".vaglio",
    "tune": ".vaglio",
    "select": ".vaglio",
    "predict": ".csv",
    "rules": ".txt",
    "export": ".txt",
}


@pytest.fixture
def words(table: Path, tmp_path: Path):
    model = tmp_path / "m.vaglio"
    run_here("train", table, "--target", "y", "--out", model)
    return lambda command: [word.format(table=table, model=model) for word in WRITING[command]]


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_a_folder_and_a_place_that_is_not_there(command: str, words, tmp_path: Path):
    suffix = SUFFIX.get(command, ".json")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    before = sorted(tmp_path.iterdir())
    is_one_line(run_here(*words(command), "--out", folder), "is a folder")
    is_one_line(run_here(*words(command), "--out", tmp_path / "nowhere" / f"x{suffix}"), "there is no folder")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("command", WRITING)
def test_a_folder_that_may_not_be_written(command: str, words, tmp_path: Path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    outcome = run_here(*words(command), "--out", folder / f"x{SUFFIX.get(command, '.json')}")
    folder.chmod(stat.S_IRWXU)
    is_one_line(outcome, "permission denied")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk(command: str, words, tmp_path: Path):
    link = tmp_path / f"full{SUFFIX.get(command, '.json')}"
    link.symlink_to("/dev/full")
    is_one_line(run_here(*words(command), "--out", link), "the disk is full")


@pytest.mark.parametrize("command", ["audit", "explore", "evaluate", "tune", "select", "explain"])
def test_an_unknown_suffix(command: str, words, tmp_path: Path):
    is_one_line(run_here(*words(command), "--out", tmp_path / "x.docx"), "suffix", code=2)


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_what_was_there_is_kept_when_the_work_fails(command: str, words, tmp_path: Path):
    out = tmp_path / f"kept{SUFFIX.get(command, '.json')}"
    out.write_text("precious")
    failing = [word.replace("m.vaglio", "t.csv") if command in ("export", "rules", "predict", "explain") else word
               for word in words(command)]  # fmt: skip
    failing = [word if word != "y" else "nothing" for word in failing]
    assert run_here(*failing, "--out", out).code == 1
    assert out.read_text() == "precious"
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


# -- signals and pipes -------------------------------------------------------------------------------------------------


def _start(*arguments: object, **more: object) -> subprocess.Popen:
    command = [sys.executable, "-m", "vaglio", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)  # type: ignore[call-overload]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["train", "compare"])
def test_ctrl_c_while_at_work(command: str, tmp_path: Path):
    """The table comes through a pipe that stays open: the command is surely at work when the interrupt comes."""
    out = ["--out", tmp_path / "m.vaglio"] if command == "train" else ["--out", tmp_path / "c.json"]
    process = _start(command, "-", "--target", "y", *out, "-v", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(content().decode())
    process.stdin.flush()
    assert process.stderr is not None
    assert process.stderr.readline() == "Reading -\n"
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaint.splitlines()[-1] == "vaglio: Interrupted. No file was left incomplete."
    assert "Traceback" not in complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_pipe_that_is_closed(penguins: Path):
    process = _start("audit", penguins, "--target", "species", "--json", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait() == 141
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
