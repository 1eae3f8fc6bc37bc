"""The page: nothing is loaded, nothing breaks out of its place, every model has its chapter."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.contracts.estimators import others_nightly
from tests.report.conftest import run_study

import vaglio
from vaglio.errors import InputError
from vaglio.learners.registry import LEARNERS
from vaglio.report import report_html, write_report
from vaglio.table import Table

VOID = {"meta", "link", "input", "br", "img", "hr", "col"}


class Reader(HTMLParser):
    """Notes every element, and whether each is closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict]] = []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


@pytest.mark.slow
def test_the_page_is_whole_and_loads_nothing(penguins):
    page = report_html(penguins, name="penguins.csv", command="vaglio report penguins.csv --target species")
    reader = read(page)
    loads = [
        (tag, value)
        for tag, given in reader.elements
        for name, value in given.items()
        if name in ("src", "srcset", "href", "data", "action", "poster") and not (value or "").startswith("#")
    ]
    assert loads == []
    assert not re.search(r"url\((?!#)|@import|fetch\(|XMLHttpRequest", page)
    assert [tag for tag, _ in reader.elements if tag in ("link", "iframe", "img", "object")] == []
    identities = [given["id"] for _, given in reader.elements if "id" in given]
    assert len(identities) == len(set(identities))


@pytest.mark.slow
def test_pictures_have_names(penguins):
    for tag, given in read(report_html(penguins)).elements:
        if tag == "svg":
            assert given["role"] == "img"
            assert given["aria-label"]


def test_hostile_names_stay_text():
    bad = '</script><img src=x onerror="alert(1)">&<!--'
    rows = [{bad: f"{bad}{i % 3}", "n": float(i), "kind": f"{bad}{i % 2}"} for i in range(40)]
    study = run_study(Table.from_any(rows), "kind", ["c45", "naive-bayes"], selection_options={"test_size": 0.3})
    page = report_html(study, name=bad, command=bad)
    reader = read(page)
    assert [tag for tag, _ in reader.elements if tag == "img"] == []
    assert page.count("<script") == 3


@pytest.mark.slow
@pytest.mark.parametrize("learner", others_nightly(sorted(LEARNERS)))
def test_every_learner_has_its_chapter(learner):
    table = vaglio.datasets.load("penguins" if learner not in ("multinomial-nb", "joint-bayes") else "play")
    table = table.take(np.arange(0, len(table), 1 + len(table) // 120)).with_roles(
        {"year": "ignored"} if "year" in table else {}
    )
    study = run_study(table, table.target, [learner], strategy="quick", selection_options={"test_size": 0.3})
    reader = read(report_html(study, name="table"))
    assert ("section", "inside") in [(tag, given.get("id")) for tag, given in reader.elements]


@pytest.mark.slow
def test_a_report_is_whole_or_not_there(penguins, tmp_path):
    with pytest.raises(InputError, match="no folder"):
        write_report(penguins, tmp_path / "absent" / "report.html")
    write_report(penguins, tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.slow
def test_the_python_lines_make_the_same_study(two_classes, tmp_path, monkeypatch):
    from vaglio.report.method import python_lines

    monkeypatch.chdir(tmp_path)
    lines = python_lines(two_classes, "TABLE").replace("table = TABLE", "")
    made: dict = {"table": two_classes.table}
    exec(lines, made)
    assert made["study"].selection.best.learner == two_classes.selection.best.learner
    assert made["study"].evaluation.confusion.tolist() == two_classes.evaluation.confusion.tolist()
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "model.vaglio").is_file()
