"""Every further kind of page that a command writes is accessible, in both languages, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import run_here

pytestmark = pytest.mark.browser

# Kind of page -> the command that writes it.
PAGES = {
    "lecture": ["lecture", "play", "--learner", "id3"],
    "exercise": ["exercise", "id3", "--solutions", "--format", "html"],
    "trace": ["trace", "play", "--learner", "naive-bayes"],
    "explanations": ["explain", "model.vaglio", "rows.csv"],
    "evaluation": ["evaluate", "rows.csv", "--target", "species", "--learner", "c45", "--folds", "3"],
    "audit": ["audit", "rows.csv", "--target", "species"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table and a model."""
    made = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        run_here("datasets", "penguins", "--out", "rows.csv")
        run_here("train", "rows.csv", "--target", "species", "--learner", "c45", "--out", "model.vaglio")
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "scheme"),
    [("it", "dark"), pytest.param("en", "light", marks=pytest.mark.nightly)],
)
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.nightly] if kind in ("audit", "evaluation") else []) for kind in PAGES],
)
def test_a_page_is_accessible(
    browser: Any, folder: Path, kind: str, lang: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    monkeypatch.chdir(folder)
    written = run_here(*PAGES[kind], "--lang", lang, "--out", f"{kind}.html")
    assert written.code == 0, written.err
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((folder / f"{kind}.html").as_uri())
    # The third slide of a lecture has rows that are lit and others that are not.
    for _ in range(2 if kind == "lecture" else 0):
        page.keyboard.press("ArrowRight")
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert page.evaluate("document.documentElement.lang") == lang
    assert complaints == []
    page.close()
