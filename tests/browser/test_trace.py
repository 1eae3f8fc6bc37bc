"""The page of a trace, in a real browser."""

from __future__ import annotations

import re

import pytest

import vaglio

pytestmark = pytest.mark.browser

# Wide tables scroll inside the page; the page itself must not.
_MEASURE = """
<script>
  const root = document.documentElement;
  document.body.dataset.overflow = root.scrollWidth - root.clientWidth;
  document.body.dataset.tables = document.querySelectorAll("table").length;
</script></body>
"""


def test_the_page_of_a_trace(browse, tmp_path):
    X, y = vaglio.datasets.load("play").xy("play")
    page = tmp_path / "work.html"
    page.write_text(vaglio.trace("c45", X, y, lang="it").to_html().replace("</body>", _MEASURE), encoding="utf-8")
    seen = browse(page)
    assert seen.complaints == []
    assert re.search(r'data-overflow="0"', seen.dom)
    assert int(re.search(r'data-tables="(\d+)"', seen.dom)[1]) >= 7
