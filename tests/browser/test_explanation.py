"""Explanations in a real browser, on a light and on a dark page."""

from __future__ import annotations

import re

import pytest

import vaglio

pytestmark = pytest.mark.browser

# The page measures itself: bars have a length, nothing sticks out, text stands out from what is behind it.
_MEASURE = """
<script>
  const box = document.querySelector(".vaglio-explanation");
  const bars = [...box.querySelectorAll(".bar i")].map(bar => bar.getBoundingClientRect().width);
  const wide = [...box.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > innerWidth + 1);
  document.body.insertAdjacentHTML("beforeend",
    `<p id="found">${bars.length} bars, longest ${Math.round(Math.max(...bars))}, outside ${wide.length},
    colour ${getComputedStyle(box).color}</p>`);
</script>
"""


@pytest.mark.slow
@pytest.mark.parametrize(("back", "text"), [("#ffffff", "rgb(20, 20, 20)"), ("#101418", "rgb(230, 230, 230)")])
def test_bars_are_drawn_and_text_takes_the_colour_of_the_page(browse, tmp_path, back, text):
    X, y = vaglio.datasets.load("penguins").xy("species")
    explanation = vaglio.NaiveBayesClassifier().fit(X, y).explain(X[[338]])[0]
    page = tmp_path / "page.html"
    head = f'<!doctype html><meta charset="utf-8"><body style="background:{back};color:{text}">'
    page.write_text(head + explanation.to_html() + _MEASURE, encoding="utf-8")
    seen = browse(page)
    assert seen.complaints == []
    found = re.search(r"(\d+) bars, longest (\d+), outside (\d+),\s+colour (rgb[^<]*)", seen.dom)
    assert found is not None
    assert int(found[1]) == len(explanation.reasons) + len(explanation.against)
    assert int(found[2]) > 50
    assert found[3] == "0"
    assert found[4] == text
