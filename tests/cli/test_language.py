"""The command line in another language: help, mistakes, results and notes."""

import json
import re

import pytest
from tests.cli.conftest import run_here

from vaglio.cli.main import COMMANDS

# Words that stay as they are in every language: commands, options, names of learners, files, code and units.
CODE = re.compile(
    r"--?[\w-]+|\b[\w./-]*\.\w+\b|/\S+|'[^']*'|\"[^\"]*\"|`[^`]*`|<\w+>|\[[^\]]*\]|[A-Z_=|…]{2,}|\w+=\S*|\{\w+\}"
)
# Letters that the pseudo-language replaces: a word with one of them was not in the catalogue.
PLAIN = re.compile(r"\b[a-zA-Z]*[aceinosuyACEINOSUY][a-zA-Z]*\b")


def leaks(shown: str, known: set[str]) -> list[str]:
    """The words of a text in the pseudo-language that did not come from the catalogue."""
    words = PLAIN.findall(CODE.sub(" ", shown))
    return sorted({word for word in words if len(word) > 3 and word.lower() not in known})


def known_words() -> set[str]:
    from vaglio.learners.registry import LEARNERS

    names = {part for name in (*LEARNERS, *COMMANDS) for part in (name, *name.split("-"))}
    return {
        *names,
        "vaglio",
        "options",
        "table",
        "model",
        "python",
        "parquet",
        "arrow",
        "excel",
        "json",
        "lines",
        "dask",
        "list",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_comes_from_the_catalogue(command, monkeypatch):
    monkeypatch.setenv("VAGLIO_LANG", "qps")
    monkeypatch.setenv("COLUMNS", "240")
    shown = run_here(command, "--help").out
    plain = re.sub(r"\s+", " ", re.sub(r"[│╭╮╰╯─]", " ", shown))
    assert "Üšàgé" in plain
    assert leaks(plain, known_words() | _choices(command)) == []


def _choices(command: str) -> set[str]:
    """Words that options take as values: they are typed as they are in every language."""
    from enum import Enum
    from importlib import import_module
    from typing import get_args

    from vaglio.cli._options import flat_parameters

    words: set[str] = set()
    for parameter in flat_parameters(import_module(f"vaglio.cli.commands.{command}").run):
        for kind in (get_args(parameter.annotation) or [None])[:1]:
            for each in (kind, *get_args(kind)):
                if isinstance(each, type) and issubclass(each, Enum):
                    words |= {one.value for one in each}
    return words


MISTAKES = [
    (["trane"], "unknown-command"),
    (["train"], "missing-argument"),
    (["train", "iris", "--flods", "3"], "misspelled-option"),
    (["train", "iris", "--folds", "1"], "number-too-small"),
    (["train", "iris", "--folds", "many"], "number-too-small"),
    (["train", "iris", "extra"], "further-arguments"),
    (["explore", "iris", "--figure", "nothing"], "invalid-choice"),
    (["train", "iris", "--holdout", "2"], "holdout-out-of-range"),
    (["train", "iris", "--folds", "3", "--holdout", "0.2"], "several-evaluation-options"),
    (["train", "iris", "--set", "depth"], "not-name-value"),
]


@pytest.mark.parametrize(("arguments", "code"), MISTAKES)
def test_a_mistake_has_a_code_for_programs_and_a_sentence_for_people(arguments, code):
    told = run_here(*arguments, "--json")
    assert json.loads(told.out)["error"]["code"] == code
    english, italian = (run_here(*arguments, "--lang", lang).err for lang in ("en", "it"))
    assert english != italian
    assert "(vedi vaglio" in italian


def test_an_unknown_language_is_a_mistake():
    told = run_here("train", "iris", "--lang", "xx")
    assert (told.code, "there is no language 'xx'" in told.err) == (2, True)


def test_programs_get_english_whatever_the_terminal_speaks(monkeypatch):
    monkeypatch.setenv("LANG", "it_IT.UTF-8")
    assert run_here("datasets").err.startswith("Next: ")
    monkeypatch.setenv("VAGLIO_LANG", "it")
    assert run_here("datasets").err.startswith("Passi successivi: ")


# Every command on one table, one after the other: later ones use the models of earlier ones.
STORY = [
    ["datasets"],
    ["audit", "penguins", "-v"],
    ["explore", "penguins"],
    ["train", "penguins", "--folds", "3", "--accept", "f1>=0.5", "--out", "m.vaglio"],
    ["evaluate", "m.vaglio", "penguins", "-v"],
    ["explain", "m.vaglio", "penguins", "--wrong"],
    ["rules", "m.vaglio"],
    ["predict", "m.vaglio", "penguins", "--out", "p.csv"],
    ["compare", "penguins", "--learner", "c45", "--learner", "naive-bayes", "--folds", "3"],
    ["select", "penguins", "--learner", "c45", "--learner", "naive-bayes", "--out", "s.vaglio"],
    ["tune", "penguins", "--learner", "c45", "--trials", "2", "--out", "t.vaglio"],
    ["train", "penguins", "--learner", "additive", "--set", "max_rounds=20", "--out", "a.vaglio"],
    ["edit", "a.vaglio"],
    ["trace", "play", "--learner", "id3"],
]
# Names of statistics and of bundled tables, and actions that are typed as they are.
ALSO = {"pearson", "breast", "cultivar", "diagnosis", "digit", "digits", "iris", "play", "wine", "flatten", "penguins"}
ALSO |= {"weather", "class"}


@pytest.mark.slow
def test_everything_a_command_prints_comes_from_the_catalogue(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VAGLIO_LANG", "qps")
    monkeypatch.setenv("COLUMNS", "200")
    known = known_words() | ALSO | _words_of("penguins") | _words_of("play")
    found = {}
    for arguments in STORY:
        outcome = run_here(*arguments)
        assert outcome.code == 0, outcome.err
        found[" ".join(arguments)] = leaks(outcome.out + outcome.err, known)
    assert {command: words for command, words in found.items() if words} == {}


def _words_of(name: str) -> set[str]:
    """The names of a table's columns and the words in its cells."""
    import vaglio

    table = vaglio.datasets.load(name)
    words = {word for column in table.columns for word in re.findall(r"[A-Za-z]+", column)}
    for column in table.columns:
        words |= {str(value) for value in table[column] if isinstance(value, str)}
    return {word.lower() for word in words} | {"true", "false"}
