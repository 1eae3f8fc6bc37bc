"""Slides of a lecture: every learner has some, and the rows that are highlighted are those of the step."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.document.lecture import Lecture
from vaglio.errors import InputError
from vaglio.tracing import learners, make_lecture

POINTS = pd.DataFrame({"x1": [1, 1, 2, 3, 3, 4.0], "x2": [1, 2, 1, 3, 4, 3.0]})
LABELS = pd.Series(["a", "a", "a", "b", "b", "b"], name="class")


def play_lecture(*names: str, lang: str = "en", row: object = None) -> Lecture:
    X, y = vaglio.datasets.load("play").xy("play")
    return make_lecture(X, y, list(names), row=row, lang=lang)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "it"])
def test_every_learner_that_can_be_traced_has_slides(lang: str) -> None:
    row = ["sunny", "cool", "high", "true"]
    skipped = {"linear", "multinomial-nb", "bernoulli-nb"}
    for name in (each for each in learners() if each in vaglio.learners.registry.LEARNERS and each not in skipped):
        made = play_lecture(name, lang=lang, row=row)
        assert len(made.slides) >= 2, name
        assert all(slide.blocks or slide.picture for slide in made.slides), name
        assert all(max(slide.rows or [0]) < 14 for slide in made.slides), name
        page = made.to_html()
        assert page.count("data-slide") == len(made.slides) + 1  # and once in the script
        assert len(re.findall(r"<tr data-row=", page)) == 14
        # One file: nothing is loaded from elsewhere, and nothing is to be filled in.
        assert not re.search(r"""(src|href)=["'](?!#)|@import|url\(|<form|<input""", page), name


def test_rows_of_a_node_are_those_that_meet_its_conditions() -> None:
    frame = vaglio.datasets.load("play").xy("play")[0].to_frame()
    found = [slide for slide in play_lecture("id3", "c45:pruning=none").slides if slide.title.startswith("Node")]
    assert len(found) == 6
    for slide in found:
        met = np.ones(len(frame), dtype=bool)
        for name, value in re.findall(r"(\w+) = (\w+)", slide.title):
            met &= (frame[name].astype(str) == value).to_numpy()
        assert slide.rows == tuple(np.flatnonzero(met).tolist())
        assert slide.picture.startswith("<svg")


def test_rows_of_a_pruned_tree_are_numbered_as_in_the_table() -> None:
    """Reduced-error pruning grows the tree on some of the rows only."""
    X, y = vaglio.datasets.load("iris").xy("species")
    made = make_lecture(X, y, ["c45:pruning=reduced_error"])
    nodes = [slide for slide in made.slides if slide.title.startswith("Node")]
    growing = set(nodes[0].rows)
    assert 0 < len(growing) < 150
    width = X.to_frame()["petal_width"].to_numpy()
    for slide in nodes[1:]:
        lengths = re.fullmatch(r"Node \d+: petal_width (.) ([\d.]+)", slide.title)
        if lengths is not None:
            met = width <= float(lengths[2]) if lengths[1] == "≤" else width > float(lengths[2])
            assert set(slide.rows) == growing & set(np.flatnonzero(met).tolist())


def test_rows_of_updates_neighbours_support_vectors_and_errors() -> None:
    row = [2, 2.5]
    perceptron = make_lecture(POINTS, LABELS, ["perceptron:preprocess=none"])
    facts = vaglio.trace(vaglio.Perceptron(preprocess=None), POINTS, LABELS)
    updates = [slide for slide in perceptron.slides if slide.title.startswith("Updates")]
    assert len(updates) == facts.facts["updates"]
    # Each update is a slide with the picture of this update, and the lines of the table until then.
    assert [len(slide.blocks[0].rows) for slide in updates] == list(range(1, len(updates) + 1))
    assert [int(slide.blocks[0].rows[-1][1]) - 1 for slide in updates] == [slide.rows[0] for slide in updates]
    assert len({slide.picture for slide in updates}) == len(updates)
    near = make_lecture(POINTS, LABELS, ["knn:n_neighbors=3"], row=row)
    nearest = np.argsort(((POINTS.to_numpy() - row) ** 2).sum(axis=1), kind="stable")[:3]
    assert {slide.rows for slide in near.slides if slide.blocks} == {tuple(sorted(nearest.tolist()))}
    wide = make_lecture(POINTS, LABELS, ["svm:kernel=linear,C=100"])
    fitted = vaglio.SVC(kernel="linear", C=100).fit(POINTS, LABELS)
    assert tuple(sorted(fitted.support_.tolist())) in {slide.rows for slide in wide.slides}
    boosted = play_lecture("adaboost:n_estimators=3")
    X, y = vaglio.datasets.load("play").xy("play")
    told = vaglio.trace(vaglio.AdaBoostClassifier.textbook(n_estimators=3, random_state=0), X, y).facts["rounds"]
    rounds = [slide.rows for slide in boosted.slides if slide.title.startswith("Round") and slide.rows is not None]
    assert rounds == [tuple(i - 1 for i in each["wrong"]) for each in told]


def test_a_lecture_of_no_learner_is_refused() -> None:
    with pytest.raises(InputError):
        make_lecture(POINTS, LABELS, [])


@pytest.mark.slow
def test_the_command_writes_one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_here("lecture", "play", "--target", "play", "--lang", "it", "--row", "sunny,cool,high,true")
    assert done.code == 0, done.err
    page = Path("lecture.html").read_text(encoding="utf-8")
    assert '<html lang="it">' in page
    assert "Nodo 1: tutte le righe" in page
    assert "Passo per passo: AdaBoost" in page
    wrong = run_here("lecture", "play", "--target", "play", "--learner", "id3:depth=2", "--out", "x.html")
    assert wrong.code == 2
    assert "depth" in wrong.err
    assert not Path("x.html").exists()
