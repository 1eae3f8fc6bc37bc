"""A table whose target has numbers: every page shows what it can, or says what it needs and what to do."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest

PAGES = ("/table", "/explore", "/learn", "/compare", "/understand", "/trace", "/export", "/exercises")


@pytest.fixture
def homes(enter: Any) -> Any:
    rng = np.random.default_rng(0)
    size, zone = rng.uniform(30, 200, 90), rng.choice(["north", "south"], 90)
    lines = [f"{s:.2f},{z},{2000 * s + 500 * rng.normal():.2f}" for s, z in zip(size, zone)]
    visitor = enter()
    assert visitor.upload("homes.csv", "\n".join(["size,zone,price", *lines])).status_code < 300
    assert visitor.post("/table/target", column="price").status_code == 200
    return visitor


def said(page: Any) -> str:
    assert page.status_code == 200
    plain = re.sub(r"<(script|style).*?</\1>", "", page.text, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", plain)).split())


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(homes: Any, page: str) -> None:
    assert len(said(homes.get(page))) > 200


def test_columns_are_ranked_and_coloured_by_thirds(homes: Any) -> None:
    page = said(homes.get("/explore?x=size"))
    assert "Columns by variance explained" in page
    assert "price < " in page
    assert page.index("size") < page.index("zone")
    for pair in ("x=size&y=price", "x=zone&y=price", "x=price"):
        assert "<svg" in homes.get(f"/explore?{pair}").text


@pytest.mark.parametrize(("page", "command"), [("/learn", "report"), ("/trace", "trace")])
def test_pages_of_classes_name_the_command_for_numbers(homes: Any, page: str, command: str) -> None:
    told = said(homes.get(page))
    assert f"vaglio {command} homes.csv --target price" in told
    assert "declare the column nominal" in told


def test_a_training_that_is_asked_for_all_the_same_is_refused(homes: Any) -> None:
    answer = homes.post("/learn/start", learner=["c45"], plan="holdout_30", seed="0")
    assert "this page is for classes" in unescape(answer.text)
    assert homes.studio.jobs.latest("learn") is None
