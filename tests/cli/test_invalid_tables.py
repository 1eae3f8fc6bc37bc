"""Invalid tables with every command: one clear line, the documented exit code, and no file left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Outcome, run_here
from .invalid_tables import COMMANDS, REPORT, STRANGE, TABLES


def run_on(folder: Path, words: list[str], table: Path, target: str) -> Outcome:
    return run_here(*(word.format(table=table, folder=folder) for word in words), "--target", target)


def is_one_line(outcome: Outcome, says: str, code: int | None = None) -> None:
    """One line that begins with the program's name; only remarks on the data may come before it."""
    *remarks, line = outcome.err.splitlines()
    assert outcome.code in ((1, 2) if code is None else (code,)), outcome.err
    assert line.startswith("vaglio: ")
    assert says in line
    assert all(remark.startswith("Note: ") for remark in remarks)
    assert "bug in vaglio" not in line
    assert outcome.out == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_table_is_one_line(command: str, name: str, tmp_path: Path):
    bad = TABLES[name]
    table = tmp_path / bad.name
    table.write_bytes(bad.data)
    outcome = run_on(tmp_path, COMMANDS[command], table, bad.target)
    if command in bad.fine_for:
        assert outcome.code == 0, outcome.err
    else:
        is_one_line(outcome, bad.says)
        assert list(tmp_path.iterdir()) == [table]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_report_of_a_bad_table_is_one_line(name: str, tmp_path: Path):
    bad = TABLES[name]
    table = tmp_path / bad.name
    table.write_bytes(bad.data)
    is_one_line(run_on(tmp_path, REPORT, table, bad.target), bad.says)
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_such_file_and_a_folder(command: str, tmp_path: Path):
    nowhere, folder = tmp_path / "nowhere.csv", tmp_path / "folder"
    is_one_line(run_on(tmp_path, COMMANDS[command], nowhere, "y"), "nowhere.csv")
    folder.mkdir()
    is_one_line(run_on(tmp_path, COMMANDS[command], folder, "y"), "folder")
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STRANGE if name != "10 000 columns"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_strange_table_is_no_trouble(command: str, name: str, tmp_path: Path):
    table = tmp_path / "strange table.csv"
    table.write_bytes(STRANGE[name])
    outcome = run_on(tmp_path, COMMANDS[command], table, "-1")
    assert outcome.code == 0, outcome.err
    assert "bug in vaglio" not in outcome.err
    if command != "train":
        return
    model = tmp_path / "m.vaglio"
    for following in (
        ["predict", model, table],
        ["evaluate", model, table],
        ["explain", model, table],
        ["inspect", model],
    ):
        outcome = run_here(*following)
        assert outcome.code == 0, outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("command", [pytest.param("audit", marks=pytest.mark.nightly), "train"])
def test_ten_thousand_columns(command: str, tmp_path: Path):
    table = tmp_path / "wide.csv"
    table.write_bytes(STRANGE["10 000 columns"])
    assert run_on(tmp_path, COMMANDS[command], table, "y").code == 0


def test_a_tree_tests_free_text_for_words(tmp_path: Path):
    table = tmp_path / "text.csv"
    table.write_bytes(STRANGE["free text"])
    trained = run_on(tmp_path, COMMANDS["train"], table, "y")
    assert "30 rows and 2 columns" in trained.out
    assert 'review contains "' in run_here("rules", tmp_path / "m.vaglio").out


def test_advice_is_given_in_options(tmp_path: Path):
    table = tmp_path / "bad.csv"
    table.write_bytes(STRANGE["numbers with a word"])
    line = run_on(tmp_path, COMMANDS["train"], table, "y").err
    assert "--nominal a" in line
    assert "levels=" not in line
    assert run_on(tmp_path, [*COMMANDS["train"], "--missing", "oops"], table, "y").code == 0


def test_a_file_that_needs_to_be_told_how(tmp_path: Path):
    table = tmp_path / "odd.txt"
    table.write_text("a|y\n" + "".join(f"{i % 5}|{'pq'[i % 2]}\n" for i in range(30)))
    told = ["--read", "delimiter=|", "--read", "header=true"]
    assert run_on(tmp_path, [*COMMANDS["train"], *told], table, "y").code == 0
    made = run_here("inspect", tmp_path / "m.vaglio").out
    assert "--read 'delimiter=|'" in made
    assert "delimiter='|'" in made
    assert run_here("predict", tmp_path / "m.vaglio", table, *told).code == 0


def test_a_column_that_looks_like_an_identifier_can_be_kept(tmp_path: Path):
    table = tmp_path / "t.csv"
    table.write_text("n,y\n" + "".join(f"{i},{'pq'[i > 14]}\n" for i in range(30)))
    is_one_line(run_on(tmp_path, COMMANDS["train"], table, "y"), "no column to learn from")
    assert "--keep n" in run_on(tmp_path, COMMANDS["train"], table, "y").err
    assert run_on(tmp_path, [*COMMANDS["train"], "--keep", "n"], table, "y").code == 0


def test_a_limit_is_raised_by_the_option_that_the_line_names(tmp_path: Path):
    (tmp_path / "t.csv").write_text("a,y\n" + "1,yes\n2,no\n" * 20)
    refused = run_here("audit", tmp_path / "t.csv", "--target", "y", "--read", "limit_cells=9")
    is_one_line(refused, "more than the limit cells = 9")
    option = refused.err.split("(--read ")[1].split(")")[0]
    assert run_here("audit", tmp_path / "t.csv", "--target", "y", "--read", option).code == 0
