"""By hand: every learner on every kind of small table, and what is filled in wrongly."""

from __future__ import annotations

import re

import pytest

from vaglio.learners.registry import LEARNERS
from vaglio.tracing import learners


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    from tests.studio.conftest import Visitor

    visitor = Visitor(tmp_path_factory.mktemp("hand") / "project")
    visitor.open("play")
    yield visitor
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize("learner", [name for name in learners() if name in LEARNERS])
def test_every_learner_is_shown_or_says_why_not(play, learner):
    page = play.get(f"/trace?learner={learner}&row=3").text
    shown, refused = 'class="trace-step' in page, 'class="problem trouble"' in page
    assert shown != refused


def test_the_page_shows_the_trace(play):
    page = play.get("/trace?learner=id3").text
    assert "Node 1: all rows" in page
    assert "0.2467" in page
    assert page.count("data-frame") == 5


def test_a_large_table_is_sampled_by_class_and_says_so(enter):
    visitor = enter()
    visitor.open("penguins")
    page = visitor.get("/trace?learner=knn&across=bill_length_mm&up=bill_depth_mm&rows=30").text
    assert "The trace uses 30 of 344 rows" in page
    assert "2 rows lack a value in one of the two columns." in page
    assert len(page.encode()) < 2_000_000


@pytest.mark.parametrize(
    "wrong",
    ["learner=nobody", "rows=-5&row=x", "rows=99999999999", "across=nowhere&up=x", "row=1000000", "p.nothing=1"],
)
def test_wrong_choices_fall_back_to_sensible_ones(play, wrong):
    answer = play.get(f"/trace?{wrong}")
    assert answer.status_code == 200
    assert 'class="trace-step' in answer.text


def test_a_wrong_parameter_is_said_beside_the_form(play):
    page = play.get("/trace?learner=id3&p.max_depth=-3").text
    assert "max_depth" in re.search(r'class="problem trouble" role="alert">([^<]*)', page)[1]


def test_names_of_a_table_are_text(enter):
    visitor = enter()
    rows = "\n".join(f"{i},{i % 7},{'<b>x</b>' if i % 2 else 'y'}" for i in range(20))
    visitor.upload("names.csv", f'"<script>a</script>",b,class\n{rows}\n')
    page = visitor.get("/trace?learner=svm").text
    assert "<script>a" not in page
    assert "<b>x" not in page


@pytest.mark.parametrize("target", ["amount", "only"])
def test_a_class_that_is_none_is_said(enter, target):
    visitor = enter()
    rows = "\n".join(f"{i},{i * 1.37},x" for i in range(30))
    visitor.upload("odd.csv", f"a,amount,only\n{rows}\n")
    assert visitor.post("/table/target", column=target).status_code == 200
    assert visitor.studio.bench.need_table().target == target
    for learner in ("id3", "perceptron", "svm"):
        answer = visitor.get(f"/trace?learner={learner}")
        assert answer.status_code == 200, answer.text
