"""Drawings and notebook views, in a real browser."""

from __future__ import annotations

import re

import pytest

import vaglio

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tree():
    X, y = vaglio.datasets.load("penguins").xy("species")
    return vaglio.C45Classifier(max_depth=2).fit(X, y), X


# The page measures its own drawing: text that leaves the picture would be cut off.
_MEASURE = """
<script>
  const svg = document.querySelector("svg"), frame = svg.getBoundingClientRect();
  const outside = [...svg.querySelectorAll("text")].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1
        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  });
  document.body.dataset.texts = svg.querySelectorAll("text").length;
  document.body.dataset.outside = outside.map(text => text.textContent).join("|");
</script>
"""


@pytest.mark.slow
def test_a_tree_is_drawn_whole(tree, browse, tmp_path):
    page = tmp_path / "tree.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{tree[0].to_svg()}{_MEASURE}</body>", encoding="utf-8")
    seen = browse(page)
    assert seen.complaints == []
    assert int(re.search(r'data-texts="(\d+)"', seen.dom)[1]) > 5
    assert re.search(r'data-outside="(.*?)"', seen.dom)[1] == ""


@pytest.mark.slow
def test_notebook_views_are_sound_html(tree, browse, tmp_path):
    estimator, X = tree
    views = [X._repr_html_(), estimator.explain(X[:1])[0]._repr_html_()]
    page = tmp_path / "views.html"
    page.write_text("<!doctype html><meta charset=utf-8><body>" + "<hr>".join(views) + "</body>", encoding="utf-8")
    seen = browse(page)
    assert seen.complaints == []
    assert "flipper_length_mm" in seen.dom
