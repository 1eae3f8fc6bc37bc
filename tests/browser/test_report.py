"""The report in a real browser: no errors, a slider that moves every panel, accessible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.report import exploration_html, write_report
from vaglio.table import Table

pytestmark = pytest.mark.browser

PHONE = {"width": 375, "height": 800}
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of three classes with a tree, and of two with weights, costs and an awkward name."""
    folder = tmp_path_factory.mktemp("reports")
    options = {"search": "none", "folds": 3, "test_size": 0.4}
    learners = ["c45"]
    study = vaglio.Study(vaglio.datasets.load("penguins"), "species", learners=learners, selection_options=options)
    write_report(study, folder / "three.html", name="penguins.csv", command="vaglio report penguins.csv")
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    rows = {"x": x, "a_name_that_goes_on_and_on_without_a_space_" * 2: rng.choice(["p", "q"], 300)}
    y = np.where(x + rng.normal(size=300) > 0.5, "ill", "well")
    table = Table.from_any({**rows, "state": y})
    cost = {("ill", "well"): 4, ("well", "ill"): 1}
    study = vaglio.Study(table, "state", learners=["logistic", "naive-bayes"], cost=cost, selection_options=options)
    write_report(study, folder / "two.html", positive="ill")
    return {path.stem: path for path in folder.iterdir()}


def open_page(browser: Any, path: Path, viewport: dict[str, int] = DESKTOP, scheme: str = "light") -> tuple[Any, list]:
    page = browser.new_page(viewport=viewport, color_scheme=scheme)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    return page, errors


def places(page: Any) -> dict[str, tuple[str, str]]:
    """Where the points of the panels are, and what the matrix says."""
    found = {
        name: tuple(page.locator(f"#panel-{name} .dot").get_attribute(key) for key in ("cx", "cy"))
        for name in ("roc", "pr", "gain", "lift")
    }
    return {**found, "matrix": tuple(page.locator("#moving-matrix tbody td").all_inner_texts())}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three", "two"])
def test_the_slider_moves_everything_by_keyboard(browser, pages, name):
    page, errors = open_page(browser, pages[name])
    page.locator("#slider").focus()
    before = places(page)
    page.keyboard.press("PageUp")
    higher = places(page)
    assert all(before[part] != higher[part] for part in before)
    page.keyboard.press("End")
    tp, fn, fp, tn = (int(text.replace(",", "")) for text in places(page)["matrix"])
    assert (tp, fp) == (0, 0)
    page.keyboard.press("Home")
    everything = [int(text.replace(",", "")) for text in places(page)["matrix"]]
    assert everything == [fn, 0, tn, 0]
    assert "recall" in page.locator("#slider").get_attribute("aria-valuetext")
    page.locator("#reset").press("Enter")
    assert places(page) == before
    assert errors == []


@pytest.mark.slow
def test_another_class_can_be_chosen_by_keyboard(browser, pages):
    page, errors = open_page(browser, pages["three"])
    before = page.locator("#panel-roc .curve").get_attribute("d")
    first = page.locator("#moving-matrix tbody th").first.inner_text()
    page.locator("#class").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#moving-matrix tbody th").first.inner_text() != first
    assert page.locator("#panel-roc .curve").get_attribute("d") != before
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "viewport", "scheme"),
    [
        *(("three", DESKTOP, "light"), ("two", DESKTOP, "dark"), ("three", PHONE, "light")),
        pytest.param("two", DESKTOP, "light", marks=pytest.mark.nightly),
        pytest.param("three", DESKTOP, "dark", marks=pytest.mark.nightly),
        pytest.param("two", PHONE, "light", marks=pytest.mark.nightly),
    ],
)
def test_the_page_is_accessible(browser, pages, name, viewport, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page, errors = open_page(browser, pages[name], viewport, scheme)
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    found = Axe().run(page)
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found.response["violations"]] == []
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow == 0
    assert errors == []


def test_the_theme_can_be_changed(browser, pages):
    page, _ = open_page(browser, pages["two"])
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.locator("#theme").press("Enter")
    assert page.evaluate(paper) != light
    assert page.locator("#theme").inner_text() == "Light"


@pytest.mark.slow
def test_on_paper_everything_is_unfolded_and_light(browser, pages):
    page, _ = open_page(browser, pages["three"], scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(24, 35, 46)"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator("#slider").is_visible()


@pytest.mark.parametrize("name", ["three", "two"])
def test_the_first_sheet_of_paper_is_the_result(browser, pages, name):
    # An A4 sheet without its margins, in the pixels of a style sheet.
    page, _ = open_page(browser, pages[name], {"width": 680, "height": 990})
    page.emulate_media(media="print")
    first = page.locator("header.top")
    assert first.evaluate("element => getComputedStyle(element).breakAfter") == "page"
    assert first.bounding_box()["height"] <= 990
    assert first.locator(".brief .told p").count() == 3
    assert first.evaluate("element => element.scrollWidth") <= 680


@pytest.mark.slow
def test_the_moving_matrix_starts_at_the_predictions_of_the_model(browser, pages):
    page, _ = open_page(browser, pages["two"])
    assert page.locator("#decided").inner_text() == "The model itself predicts by this threshold."
    whole = page.locator("#performance table.matrix").first.locator("tbody td:not(.total)").all_inner_texts()
    assert sorted(places(page)["matrix"]) == sorted(whole)


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Explorations in both languages, one of many columns."""
    folder = tmp_path_factory.mktemp("explorations")
    penguins = vaglio.explore(vaglio.datasets.load("penguins"), "species")
    for lang in ("en", "it"):
        (folder / f"{lang}.html").write_text(exploration_html(penguins, name="penguins.csv", lang=lang))
    rng = np.random.default_rng(0)
    wide = vaglio.explore({f"column_{k}": rng.normal(size=100) for k in range(300)})
    (folder / "wide.html").write_text(exploration_html(wide))
    return {path.stem: path for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "viewport", "scheme"),
    [
        ("en", DESKTOP, "dark"),
        pytest.param("it", PHONE, "light", marks=pytest.mark.slow),
        pytest.param("en", PHONE, "dark", marks=pytest.mark.nightly),
        pytest.param("it", DESKTOP, "light", marks=pytest.mark.nightly),
    ],
)
def test_an_exploration_is_accessible(browser, explored, name, viewport, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page, errors = open_page(browser, explored[name], viewport, scheme)
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    found = Axe().run(page)
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found.response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert errors == []


def test_columns_of_an_exploration_are_found_and_drawn_when_they_are_seen(browser, explored):
    page, errors = open_page(browser, explored["wide"])
    drawn = "element => element.checkVisibility({ contentVisibilityAuto: true })"
    last = page.locator(".column svg").last
    assert not last.evaluate(drawn)
    last.scroll_into_view_if_needed()
    page.wait_for_function(drawn, arg=last.element_handle())
    page.locator("#find").focus()
    page.keyboard.type("column_29")
    assert page.locator(".column:visible").count() == 11
    assert page.locator("#found").inner_text() == "11 shown"
    page.emulate_media(media="print")
    page.wait_for_function(drawn, arg=page.locator(".column svg").nth(290).element_handle())
    assert errors == []
