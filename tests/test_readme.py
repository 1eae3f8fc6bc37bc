"""The commands and examples of the README work as written."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

from vaglio.cli.main import main
from vaglio.learners.registry import LEARNERS
from vaglio.report import DEFAULT_LEARNERS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_example_runs(tmp_path, monkeypatch, capsys):
    (example,) = _blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    shown = capsys.readouterr().out
    (printed,) = _blocks("text")
    assert "IF " in printed
    assert "because" in printed
    assert shown.split() == printed.split()


@pytest.mark.slow
def test_the_commands_run(tmp_path, monkeypatch, capfd):
    commands = [line for block in _blocks("sh") for line in block.splitlines() if line.startswith("vaglio ")]
    assert len(commands) >= 5
    monkeypatch.chdir(tmp_path)
    for command in commands:
        with pytest.raises(SystemExit) as left:
            main(shlex.split(command)[1:])
        assert left.value.code == 0, f"{command}: {capfd.readouterr().err}"
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) == 345


def test_the_named_targets_of_make_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:^|`)make ([a-z-]+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_the_number_of_learners_is_right():
    assert f"{len(LEARNERS)} learners" in README


def test_every_learner_is_named_and_has_a_page():
    index = (ROOT / "docs" / "learners" / "index.md").read_text(encoding="utf-8")
    assert "(docs/learners/index.md)" in README
    assert {f"({learner}.md)" for learner in LEARNERS} <= set(re.findall(r"\([\w-]+\.md\)", index))


@pytest.mark.slow
def test_the_picture_and_the_figures_are_those_that_are_made():
    made = runpy.run_path(str(ROOT / "docs" / "front.py"))
    assert made["PICTURE"].read_text(encoding="utf-8") == made["picture"]()
    first, last = made["MARKS"]
    assert f"{first}\n{made['figures']()}\n{last}" in README


@pytest.mark.parametrize(
    "document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "RELEASING.md", "SECURITY.md"]
)
def test_links_exist(document: str):
    text = (ROOT / document).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert link.startswith("http") or (ROOT / link).exists(), link


def test_the_rooms_of_the_architecture_are_there():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    house = text.split("src/vaglio/\n")[1].split("tests/")[0]
    rooms = {line.split()[0].rstrip("/") for line in house.splitlines() if line.startswith("  ")}
    there = {path.name for path in (ROOT / "src/vaglio").iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert there <= rooms


@pytest.mark.slow
@pytest.mark.parametrize("learners", [("c45", "naive-bayes"), pytest.param(None, marks=pytest.mark.nightly)])
def test_the_main_job_runs(learners, tmp_path, monkeypatch, capsys):
    if learners is not None:  # otherwise it compares those of a report, which takes a while
        monkeypatch.setitem(DEFAULT_LEARNERS, "classification", learners)
    monkeypatch.setattr("sys.argv", ["penguins.py", "--out", str(tmp_path / "out")])
    runpy.run_path(str(ROOT / "examples/penguins.py"), run_name="__main__")
    assert "Ten-fold evaluation" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "penguins.vaglio",
        "tree.svg",
        "predictions.csv",
        "penguins.html",
    }
