"""Every worked example of the lecture notes by one command, to the last digit, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run_here

from vaglio import datasets
from vaglio.learners.registry import LEARNERS

ROW = ("--row", "sunny,cool,high,true")
pytestmark = pytest.mark.parametrize("lang", ["en", "it"])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("worked")
    play = datasets.load("play").to_frame()
    cells = ["medium"] * 50
    discrete = pd.DataFrame(
        {
            "length": ["short"] * 50 + ["medium"] * 20 + ["long"] * 30 + ["medium"] * 17 + ["long"] * 33,
            "width": cells * 3,
            "species": ["Setosa"] * 50 + ["Versicolor"] * 50 + ["Virginica"] * 50,
        }
    )
    right = pd.DataFrame({"true": ["a"] * 27, "predicted": ["a"] * 19 + ["b"] * 8})
    called = pd.DataFrame({"true": ["P"] * 25 + ["N"] * 25, "predicted": ["P"] * 5 + ["N"] * 45})
    frames = {
        "play": play,
        "identifier": play.assign(day=[f"D{i + 1}" for i in range(14)]),
        "duplicated": play.assign(sky=play["outlook"]),
        "iris": datasets.load("iris").to_frame(),
        "discrete": discrete,
        "right": right,
        "called": called,
        "three": pd.DataFrame({"x": [0.0, 1, 0], "y": [0.0, 0, 1]}),
        "four": pd.DataFrame({"x": [0.0, 1, 0, 1.5], "y": [0.0, 0, 1, 1]}),
    }
    paths = {name: folder / f"{name}.csv" for name in frames}
    for name, frame in frames.items():
        frame.to_csv(paths[name], index=False)
    return paths


def work(lang: str, *arguments: object) -> str:
    outcome = run_here("trace", *arguments, "--lang", lang)
    assert outcome.code == 0, outcome.err
    return outcome.out


def said(lang: str, figures: str) -> str:
    """Figures as the language writes them."""
    if lang == "en":
        return figures
    return re.sub(r"(?<=\d)\.(?=\d)", ",", figures).replace("%", "\u00a0%")


def line_of(text: str, start: str) -> list[str]:
    """The cells of the first table line that starts so; the mark of the choice is left out."""
    line = next(each for each in text.splitlines() if each.lstrip("→ ").startswith(start))
    return line.lstrip("→ ").split()


def test_play_table_entropies_gains_ratios_and_gini(tables, lang):
    text = work(lang, tables["play"], "--target", "play", "--learner", "id3", "--all-measures")
    assert said(lang, "log2(9/14) = 0.9403") in text
    assert said(lang, "(9/14)² = 0.4592") in text
    figures = {
        "outlook": ("0.2467", "0.1564", "0.3429", "0.3571"),
        "humidity": ("0.1518", "0.1518", "0.3673", "0.3673"),
        "windy": ("0.0481", "0.0488", "0.4286", "0.4286"),
        "temperature": ("0.0292", "0.0188", "0.4405", "0.4429"),
    }
    for attribute, expected in figures.items():
        cells = line_of(text, attribute)
        assert [cells[4], *cells[6:9]] == [said(lang, each) for each in expected]
    assert line_of(text, "outlook")[9] == "{overcast}"
    assert line_of(text, "temperature")[9] == "{hot}"
    assert "5 leaves" in text or "5 foglie" in text


def test_the_tree_of_the_play_table_has_five_rules(tables, lang):
    text = work(lang, tables["play"], "--target", "play", "--learner", "id3")
    rules = [line.strip().replace('"', "") for line in text.splitlines() if line.strip().startswith(("IF ", "SE "))]
    english = [rule.replace("SE ", "IF ").replace(" E ", " AND ").replace("ALLORA", "THEN") for rule in rules]
    assert (english == rules) == (lang == "en")
    assert sorted(english) == [
        "IF outlook = overcast THEN yes",
        "IF outlook = rainy AND windy = false THEN yes",
        "IF outlook = rainy AND windy = true THEN no",
        "IF outlook = sunny AND humidity = high THEN no",
        "IF outlook = sunny AND humidity = normal THEN yes",
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_is_traced_by_one_command(tables, lang, learner):
    if (list(LEARNERS).index(learner) % 2 == 0) != (lang == "en"):
        pytest.skip("every second one in the other language: the sentences are tested elsewhere")
    text = work(lang, tables["play"], "-t", "play", "-l", learner, *ROW, "--max-steps", "5")
    assert text.startswith(("Step by step: ", "Passo per passo: "))


@pytest.mark.parametrize(("learner", "figure"), [("c45", "0.1564"), ("cart", "0.3571")])
def test_the_other_trees_choose_outlook_too(tables, lang, learner, figure):
    text = work(lang, tables["play"], "--target", "play", "--learner", learner)
    choice = next(line for line in text.splitlines() if line.startswith(("Chosen: ", "Scelto: ")))
    assert "outlook" in choice
    assert said(lang, figure) in choice


def test_foil_gain(tables, lang):
    text = work(lang, tables["play"], "--target", "play", "--learner", "foil")
    assert line_of(text, "outlook = overcast")[-3:] == ["4", "0", said(lang, "2.5497")]
    assert said(lang, "4·[log2(4/4) − log2(9/14)] = 2.5497") in text
    tried = [line.split()[-3:] for line in text.splitlines() if "humidity = normal" in line]
    assert ["6", "1", said(lang, "2.4902")] in tried


def test_naive_bayes_without_smoothing(tables, lang):
    text = work(lang, tables["play"], "-t", "play", "-l", "naive-bayes", "--set", "alpha=0", *ROW)
    assert said(lang, "2/9 · 3/9 · 3/9 · 3/9 · 9/14 = 0.0053") in text
    assert said(lang, "3/5 · 1/5 · 4/5 · 3/5 · 5/14 = 0.0206") in text
    assert said(lang, "P(yes|x) = 0.0053 / (0.0206 + 0.0053) = 20.5%") in text
    assert said(lang, "= 79.5%") in text


def test_naive_bayes_with_smoothing(tables, lang):
    text = work(lang, tables["play"], "-t", "play", "-l", "naive-bayes", *ROW)
    assert said(lang, "= 28.0%") in text
    # As α grows each frequency tends to 1/V.
    assert line_of(text, "10000") == ["10000", said(lang, "0.3334"), said(lang, "0.3333")]


def test_map_on_discretised_data(tables, lang):
    settings = ("--set", "alpha=0", "--set", "priors=equal", "--row", "medium,medium")
    text = work(lang, tables["discrete"], "-t", "species", "-l", "joint-bayes", *settings)
    for figures in ("0/50 = 0", "20/50 = 0.4000", "17/50 = 0.3400", "= 0.1333", "= 0.1133"):
        assert said(lang, figures) in text
    assert "Versicolor (" in text


def test_pessimistic_pruning_keeps_a_tie(tables, lang):
    settings = ("--set", "pruning=pessimistic", "--set", "max_depth=1")
    text = work(lang, tables["play"], "-t", "play", "-l", "id3", *settings)
    assert said(lang, "(4 + 3·0.5)/14 = 5.5/14") in text
    assert said(lang, "(5 + 0.5)/14 = 5.5/14") in text
    assert "Tie: the subtree is kept." in text or "Parità: il sottoalbero viene mantenuto." in text


def test_three_learners_vote(lang):
    text = work(lang, "--about", "vote", "--set", "error=1/3", "--set", "learners=3")
    for figures in ("7/27 = 0.2593 ≈ 26%", "1/27", "67%", "74%"):
        assert said(lang, figures) in text


def test_nineteen_of_twenty_seven(tables, lang):
    text = work(lang, tables["right"], "--target", "true", "--about", "metrics")
    assert said(lang, "19/27 = 70.37%") in text


def test_recall_and_precision(tables, lang):
    for arguments in (
        (tables["called"], "--target", "true", "--about", "metrics"),
        ("--about", "metrics", "--set", "matrix=[[25,0],[20,5]]", "--set", "labels=['N','P']"),
    ):
        text = work(lang, *arguments)
        assert said(lang, "TP/(TP + FN) = 5/(5 + 20) = 20.00%") in text
        assert said(lang, "TP/(TP + FP) = 5/(5 + 0) = 100.00%") in text


def test_entropy_of_iris_in_both_halves(tables, lang):
    text = work(lang, tables["iris"], "--target", "species", "--about", "split")
    assert text.count(said(lang, "= 1.5850")) == 3
    assert text.count("25      ") >= 2


@pytest.mark.slow
def test_shattering(tables, lang):
    assert work(lang, tables["three"], "--about", "shattering").count("\n  ") >= 8
    answer = json.loads(work(lang, tables["three"], "--about", "shattering", "--json"))
    assert answer["facts"] == {"shattered": True, "realised": 8, "labellings": 8}
    answer = json.loads(work(lang, tables["four"], "--about", "shattering", "--json"))
    assert answer["facts"]["realised"] == 14
    assert sorted(map(sorted, answer["facts"]["radon"])) == [["A", "D"], ["B", "C"]]


def test_kernel_identity(lang):
    text = work(lang, "--about", "kernel", "--set", "x=[1,2,3]", "--set", "z=[2,0,1]")
    assert "φ(x) = (x1, x2, x3, x1², x1·x2, x1·x3)" in text
    assert "= 15" in text
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 3)).round(3).tolist()
    facts = json.loads(work(lang, "--about", "kernel", "--set", f"x={x}", "--set", f"z={z}", "--json"))["facts"]
    assert facts["mapped"] == pytest.approx(facts["kernel"])


def test_a_duplicated_attribute_counts_twice(tables, lang):
    row = ("--row", "sunny,cool,high,true,sunny")
    text = work(lang, tables["duplicated"], "-t", "play", "-l", "naive-bayes", "--set", "alpha=0", *row)
    assert "2/9 · 3/9 · 3/9 · 3/9 · 2/9 · 9/14" in text
    assert line_of(text, "outlook = sunny")[-2:] == line_of(text, "sky = sunny")[-2:]
    assert "outlook and sky" in text or "outlook e sky" in text


@pytest.mark.slow
def test_an_identifier(tables, lang):
    text = work(lang, tables["identifier"], "-t", "play", "-l", "id3", "--nominal", "day", "--all-measures")
    cells = line_of(text, "day")
    assert (cells[4], cells[6]) == (said(lang, "0.9403"), said(lang, "0.2470"))
    assert line_of(text, "outlook")[6] == said(lang, "0.1564")
    text = work(lang, tables["identifier"], "-t", "play", "-l", "c45", "--nominal", "day")
    assert "too few rows" in " ".join(line_of(text, "day")) or "troppo poche" in " ".join(line_of(text, "day"))
    assert "day" not in work(lang, tables["identifier"], "-t", "play", "-l", "id3")
