"""No command writes over what it reads, nor over a file of another kind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import vaglio
from vaglio.cli._options import flat_parameters
from vaglio.cli.main import COMMANDS, load_command, main
from vaglio.runtime.files import _kind_of

TABLE = "a,b,c\n" + "".join(f"{i},{i % 7},{'xy'[i % 2]}\n" for i in range(40))
# Every option that writes a file, in a command that reads one: FILE is what is written, TABLE and MODEL are read.
COMMAND_LINES = [
    "train TABLE --out FILE",
    "train TABLE --test OTHER --out FILE",
    "audit TABLE --out FILE",
    "audit TABLE --clean FILE",
    "explore TABLE --out FILE",
    "evaluate TABLE --out FILE",
    "evaluate MODEL TABLE --out FILE",
    "compare TABLE --learner c45 --learner cart --folds 2 --accuracy-only --out FILE",
    "tune TABLE --try max_depth=1 --strategy quick --out FILE",
    "select TABLE --learner c45 --strategy quick --out FILE",
    "report TABLE --learner c45 --strategy quick --out FILE",
    "report TABLE --learner c45 --strategy quick --out page.html --model FILE",
    "predict MODEL TABLE --out FILE",
    "explain MODEL TABLE --out FILE",
    "rules MODEL --out FILE",
    "export MODEL --out FILE",
    "export MODEL --format sql --out FILE",
    "edit MODEL a flatten --out FILE",
    "trace TABLE --out FILE",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "other.csv"):
        Path(name).write_text(TABLE)
    vaglio.C45Classifier().fit(*vaglio.read("t.csv", "c").xy()).fitted_.with_provenance(target="c").save("m.vaglio")
    return tmp_path


def run(line: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    return int(ended.value.code or 0)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMAND_LINES)
@pytest.mark.parametrize("way", ["name", "hard link", "symbolic link", "another way to it"])
def test_no_command_writes_over_what_it_reads(line: str, way: str, folder: Path, capsys: Any) -> None:
    if way == "symbolic link" and sys.platform == "win32":
        pytest.skip("on Windows only administrators may make symbolic links")
    reads = [("t.csv", "TABLE"), ("m.vaglio", "MODEL"), ("other.csv", "OTHER")]
    for name, word in reads:
        if word not in line:
            continue
        place = Path(name)
        if way == "hard link":
            place = Path(f"hard{place.suffix}")
            place.unlink(missing_ok=True)
            os.link(name, place)
        elif way == "symbolic link":
            place = Path(f"soft{place.suffix}")
            place.unlink(missing_ok=True)
            os.symlink(name, place)
        elif way == "another way to it":
            place = folder.parent / folder.name / ".." / folder.name / name
        before = files_of(folder)
        words = line.replace("FILE", str(place))
        for other, its in reads:
            words = words.replace(its, other)
        for force in ("", " --force"):
            assert run(words + force) in (1, 2), words
            said = capsys.readouterr().err
            assert "was not written: this command reads it" in said or "suffix" in said or "extension" in said, said
            assert files_of(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in COMMAND_LINES if "MODEL" not in line and "OTHER" not in line][:1])
def test_a_table_from_standard_input_is_not_overwritten(line: str, folder: Path) -> None:
    words = line.replace("TABLE", "-").replace("FILE", "t.csv").split()
    with open("t.csv", "rb") as file:
        done = subprocess.run([sys.executable, "-m", "vaglio", *words], stdin=file, capture_output=True, text=True)
    assert done.returncode == 1
    assert "this command reads it" in done.stderr
    assert Path("t.csv").read_text() == TABLE


def test_a_model_does_not_replace_a_table_without_force(folder: Path, capsys: Any) -> None:
    assert run("train t.csv --target c --out other.csv") == 1
    assert "it holds plain text and would become a model" in capsys.readouterr().err
    assert Path("other.csv").read_text() == TABLE
    assert run("train t.csv --target c --out other.csv --force") == 0
    assert _kind_of(Path("other.csv")) == "model"


@pytest.mark.parametrize("line", ["predict m.vaglio t.csv --out old.csv", "rules m.vaglio --out old.txt"])
def test_rows_and_rules_do_not_replace_a_model_without_force(line: str, folder: Path, capsys: Any) -> None:
    old = Path(line.split()[-1])
    old.write_bytes(Path("m.vaglio").read_bytes())
    assert run(line) == 1
    assert "it holds a model" in capsys.readouterr().err
    assert run(f"{line} --force") == 0
    assert _kind_of(old) == "plain text"


@pytest.mark.slow
def test_a_result_replaces_an_older_result(folder: Path) -> None:
    for line in (
        "train t.csv --target c --out new.vaglio",
        "predict m.vaglio t.csv --out rows.csv",
        "predict m.vaglio t.csv --out rows.parquet",
        "predict m.vaglio t.csv --out rows.jsonl",
        "predict m.vaglio t.csv --out rows.csv.gz",
        "explore t.csv --target c --out e.json --out e.html --out e.svg --out e.png --out e.csv",
        "export m.vaglio --out tree.svg",
        "trace t.csv --target c --max-rows 50 --out work.tex",
    ):
        assert run(line) == 0, line
        assert run(line) == 0, line


def test_two_results_do_not_share_a_file(folder: Path, capsys: Any) -> None:
    assert run("audit t.csv --out x.csv --clean ./x.csv") == 2
    assert "Two options write to x.csv" in capsys.readouterr().err
    assert not Path("x.csv").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_that_names_a_file_to_be_written_is_known(command: str) -> None:
    """What is written is told from what is read by the panel of the help and the word FILE."""
    module = __import__(f"vaglio.cli.commands.{command}", fromlist=["run"])
    load_command(command)
    for parameter in flat_parameters(module.run):
        option = parameter.annotation.__metadata__[0] if hasattr(parameter.annotation, "__metadata__") else None
        if parameter.name in ("out", "clean", "model") and option is not None and option.rich_help_panel is not None:
            assert (option.rich_help_panel, option.metavar) == ("Output", "FILE"), parameter


def test_a_name_with_half_a_character_is_no_file(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["datasets", "penguins", "-o", "a\udfffb"])
    assert ended.value.code == 2
    assert "cannot be a file name" in capsys.readouterr().err
