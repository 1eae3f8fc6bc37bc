"""Text, HTML and LaTeX of a trace."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

import vaglio
from vaglio import tracing
from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.document.render.latex import formula, plain
from vaglio.tracing import learners

ROW = ["sunny", "cool", "high", "true"]


class Balanced(HTMLParser):
    """Every element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lang", ["en", "it"])
@pytest.mark.parametrize("learner", [each for each in learners() if each != "tree"])
def test_every_trace_can_be_had_in_every_form(play, learner, lang):
    work = vaglio.trace(learner, *play, row=ROW, lang=lang, max_steps=5)
    assert work.title in str(work).splitlines()[0]
    for page in (work.to_html(), work._repr_html_()):
        reader = Balanced()
        reader.feed(page)
        assert reader.open == []
    latex = work.to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") > 0
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    assert not re.search(r"([\^_])\{[^{}]*\}\1\{", latex)
    # What LaTeX's own fonts have no sign for must have been written out.
    assert set(re.findall(r"[^\x00-\x7fàèéìòùÈÀ’]", latex)) <= {"─"}
    assert json.loads(json.dumps(work.to_dict()))["lang"] == lang


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", ["oblique", "gaussian-map", "gaussian-mixture", "logistic", "mlp", "naive-bayes"])
def test_traces_of_numbers_are_sound_latex_too(learner):
    X, y = vaglio.datasets.load("iris").xy("species")
    latex = vaglio.trace(learner, X, y, row=[6.0, 2.9, 4.8, 1.7], max_steps=10).to_latex()
    assert not re.search(r"([\^_])\{[^{}]*\}\1\{", latex)
    assert set(re.findall(r"[^\x00-\x7f]", latex)) == set()
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")


SUBJECTS = {
    "vote": lambda lang: tracing.trace_vote("0.2", 5, lang=lang),
    "kernel": lambda lang: tracing.trace_kernel(lang=lang),
    "metrics": lambda lang: tracing.trace_metrics(["a", "b", "b"], ["a", "b", "a"], lang=lang),
    "shattering": lambda lang: tracing.trace_shattering([[0.0], [1.0], [2.0]], lang=lang),
    "split": lambda lang: tracing.trace_split(["a", "b"] * 4, lang=lang),
    "bayes": lambda lang: tracing.trace_bayes([0.3, 0.7], [0.8, 0.1], lang=lang),
    "event": lambda lang: tracing.trace_event(pd.DataFrame({"a": ["x", "y", "x"]}), "a=x", lang=lang),
    "densities": lambda lang: tracing.trace_densities(lang=lang),
    "roc": lambda lang: tracing.trace_roc(["a", "b", "b"], [0.1, 0.7, 0.3], lang=lang),
    "lift": lambda lang: tracing.trace_lift(["a", "b", "b"], [0.1, 0.7, 0.3], lang=lang),
    "folds": lambda lang: tracing.trace_folds(["a", "b"] * 4, 2, lang=lang),
    "poly": lambda lang: tracing.trace_kernel(kernel="poly", lang=lang),
    "rbf": lambda lang: tracing.trace_kernel(kernel="rbf", lang=lang),
    "sigmoid": lambda lang: tracing.trace_kernel(kernel="sigmoid", lang=lang),
}


@pytest.mark.parametrize("lang", ["en", "it"])
@pytest.mark.parametrize("subject", SUBJECTS)
def test_other_subjects_can_be_had_in_every_form(subject, lang):
    work = SUBJECTS[subject](lang)
    latex = work.to_latex()
    assert set(re.findall(r"[^\x00-\x7fàèéìòùÈÀ]", latex)) == set()
    assert html.escape(work.title) in work.to_html()
    assert json.loads(json.dumps(work.to_dict()))["title"] == work.title


def test_codes_are_the_same_class_as_integers_and_as_numbers():
    assert tracing.trace_metrics([0, 1, 1], [0.0, 1.0, 0.0]).facts["accuracy"] == pytest.approx(2 / 3)
    with pytest.raises(vaglio.errors.InputError, match="missing"):
        tracing.trace_metrics(["a", None], ["a", "b"])


def test_hostile_names_stay_text():
    page = Page(Notation())
    page.section("<script>alert(1)</script>")
    page.text("a_b & 50% of $x$")
    page.formula("P(<b>|x) = ½")
    page.table(["<i>", "n"], [["a&b", "1"]])
    work = page.finish("{t}")
    assert "<script>" not in work.to_html()
    assert "<i>" not in work.to_html()
    assert r"a\_b \& 50\% of \$x\$" in work.to_latex()
    assert r"\title{\{t\}}" in work.to_latex()


def test_formulas_become_mathematics():
    assert formula("−(9/14)·log2(9/14) = 0.9403") == r"-(9/14)\cdot \log_2 (9/14) = 0.9403"
    assert formula("w = Σ αᵢ·yᵢ·xᵢ") == r"w = \sum \alpha _{i}\cdot y_{i}\cdot x_{i}"
    assert formula("C(n, k)·e^k·(1 − e)^(n − k)") == r"C(n, k)\cdot e^{k}\cdot (1 - e)^{(n - k)}"
    assert (
        formula('gain(windy = "true")')
        == r"\text{gain}(\text{windy}\ = \text{\textquotedbl}\text{true}\text{\textquotedbl})"
    )
    assert formula("Cov⁻¹·x₁₂") == r"\text{Cov}^{-1}\cdot x_{12}"
    assert formula("P = 0,5 (a, 1)") == r"P = 0{,}5 (a, 1)"
    assert plain("10,9\u00a0%") == r"10,9~\%"
    assert plain("“good film”") == "``good film''"
    assert plain("x ≤ 3") == r"x $\le $ 3"
    html = vaglio.tracing.trace_vote("1/3", 3).to_html()
    assert "(1/3)<sup>3</sup>" in html


def test_long_tables_are_cut_and_say_so():
    page = Page(Notation("it"))
    page.section("s")
    page.table(["n"], [[str(i)] for i in range(30)], chosen=[2, 29], most=10)
    text = str(page.finish("t"))
    assert "… e altre 20." in text
    assert "→ 2" in text
