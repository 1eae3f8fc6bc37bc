"""The studio in a real browser: an analyst with a messy table, a student in Italian, every page accessible."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect
from tests.browser.studio_server import Person, running_studio, until
from tests.studio.conftest import messy_table

from vaglio.studio.service import PAGES

pytestmark = pytest.mark.browser

PHONE, DESKTOP, WALL = {"width": 375, "height": 800}, {"width": 1280, "height": 900}, {"width": 2560, "height": 1440}
PICTURE = {"width": 1280, "height": 860}
FIVE = ("c45", "ripper", "naive-bayes", "logistic", "knn")


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "customers.csv"
    path.write_text(messy_table())
    return path


@pytest.fixture(scope="module")
def analyst(browser, messy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """An analyst who has opened a messy table, fixed kinds, cleaned it, and trained five learners with costs."""
    with running_studio(tmp_path_factory.mktemp("analyst") / "project") as address:
        person = Person(browser, address, viewport=DESKTOP, accept_downloads=True)
        page = person.page
        page.set_input_files("#file", messy)
        page.wait_for_selector("#target")
        page.select_option("#target", "buys")
        page.get_by_role("button", name="Set the target").click()
        page.wait_for_selector(".studio-columns .is-class")
        page.get_by_label("Level of zone").select_option("nominal")
        page.wait_for_selector(".steps li:nth-child(3)")
        page.get_by_role("button", name="Ignore identifiers").click()
        page.wait_for_selector(".steps li:nth-child(4)")
        page.get_by_role("button", name="Drop duplicate rows").click()
        page.wait_for_selector(".steps li:nth-child(5)")
        page.get_by_role("button", name="Merge the spellings").click()
        page.wait_for_selector(".steps li:nth-child(6)")
        person.go("learn")
        page.get_by_label("The class to find is").select_option("yes")
        page.get_by_label("Missing one costs").fill("4")
        page.get_by_label("A false alarm costs").fill("1")
        for box in page.locator("input[name=learner]").all():
            box.set_checked(box.get_attribute("value") in FIVE)
        page.locator("#plan-folds_3").check()
        page.get_by_role("button", name="Start", exact=True).click()
        page.wait_for_selector(".run .state-done", timeout=240_000)
        yield person


def test_cleaning_is_seen_at_once_and_can_be_undone(analyst: Person):
    analyst.go("table")
    page = analyst.page
    expect(page.locator(".lead")).to_contain_text("160 rows")
    page.get_by_role("button", name=re.compile("Undo.*Drop duplicate rows")).click()
    expect(page.locator(".lead")).to_contain_text("164 rows")
    page.get_by_role("button", name="Drop duplicate rows").click()
    expect(page.locator(".lead")).to_contain_text("160 rows")
    page.get_by_label("Level of city").select_option("ratio")
    expect(page.locator(".problem[role=alert]:visible")).to_contain_text("expected a number")
    analyst.go("table")


def test_one_slider_moves_the_costs_of_all_learners(analyst: Person):
    analyst.go("learn")
    # The steps of the table were taken again: the runs are of the same table.
    analyst.go("compare")
    page = analyst.page
    costs = page.locator("#at-threshold [data-of=cost]")
    expect(costs).to_have_text([re.compile(r"\d")] * 5)
    before = costs.all_inner_texts()
    page.locator("#slider").press("PageUp")
    page.locator("#slider").press("PageUp")
    expect(costs).not_to_have_text(before)
    moved = costs.all_inner_texts()
    page.get_by_label("Cost of a false negative").fill("100")
    expect(costs).not_to_have_text(moved)
    for column in ("least", "elsewhere"):
        expect(page.locator(f"#at-threshold [data-of={column}]")).to_have_text([re.compile(r"\d")] * 5)


def test_a_wrong_row_is_explained_and_moved_until_its_class_changes(analyst: Person):
    analyst.go("understand")
    page = analyst.page
    page.select_option("#model", label=page.locator("#model option", has_text="c45").first.inner_text())
    page.wait_for_selector(".drawing a")
    page.locator(".wrong-rows a").first.click()
    expect(page.locator(".judged.wrong")).to_be_visible()
    decision = page.locator("#why [data-of=decision]")
    before = decision.inner_text()
    page.get_by_role("checkbox", name="age").check()  # advice leaves it alone unless told otherwise
    page.get_by_role("button", name="Make these changes").click()
    expect(decision).not_to_have_text(before)
    page.wait_for_selector("body[data-explained]")


def open_model(analyst: Person, learner: str) -> Any:
    """Go to the page Understand and choose a model by its learner."""
    analyst.go("understand")
    page = analyst.page
    page.select_option("#model", label=page.locator("#model option", has_text=learner).first.inner_text())
    expect(page.locator("#model option:checked")).to_contain_text(learner)
    page.wait_for_url(re.compile(rf"model=\d+(%2F|/){learner}"))
    page.wait_for_selector("#content:not([aria-busy])")  # what is filled in before would be replaced
    return page


def test_a_node_of_a_tree_shows_its_rows_and_a_row_its_reasons(analyst: Person):
    page = open_model(analyst, "c45")
    page.locator(".drawing a").nth(1).click()
    rows = page.locator("#node tbody tr")
    expect(rows.first).to_be_visible()
    said = int(re.search(r": (\d+) rows", page.locator("#node h3").inner_text())[1])
    assert rows.count() == min(said, 12)
    number = rows.first.locator("a").inner_text()
    rows.first.locator("a").click()
    expect(page.locator("#row-head")).to_contain_text(f"row {number}")
    expect(page.locator("#why")).to_contain_text("training rows")


def test_rules_are_switched_off_one_by_one(analyst: Person):
    page = open_model(analyst, "ripper")
    first = page.get_by_role("switch").first
    figures = page.locator(".rule-figures")
    before = figures.inner_text()
    first.click()
    expect(page.get_by_role("switch").first).to_have_attribute("aria-checked", "false")
    expect(figures).to_contain_text("without 1")
    page.get_by_role("switch").first.click()
    expect(page.get_by_role("switch").first).to_have_attribute("aria-checked", "true")
    expect(figures).to_have_text(before)


def test_several_sliders_move_the_class(analyst: Person):
    page = open_model(analyst, "logistic")
    expect(page.locator("#row-number")).not_to_have_value("")  # the script has filled in its own
    page.locator("#row-number").fill("5")
    page.locator("#row-number").press("Enter")
    expect(page.locator("#row-head")).to_contain_text("row 5")
    decision, chances = page.locator("#why [data-of=decision]"), page.locator("#why .chances .number")
    for name in ("age", "income"):
        page.get_by_label(f"slider of {name}").press("Home")
    expect(decision).to_have_text("no")
    low = chances.all_inner_texts()
    page.get_by_label("slider of age").press("End")
    expect(chances).not_to_have_text(low)
    page.get_by_label("slider of income").press("End")
    expect(decision).to_have_text("yes")
    # The field beside a slider says the same, and may be typed in.
    assert (
        page.get_by_role("textbox", name="age", exact=True).input_value()
        == page.get_by_label("slider of age").input_value()
    )
    page.get_by_role("textbox", name="age", exact=True).fill("old")
    expect(page.locator("#row-problem")).to_contain_text("is not a number")


def test_a_bar_and_a_point_show_their_rows(analyst: Person):
    analyst.go("explore?x=city")
    page = analyst.page
    page.locator(".drawn a").first.click()
    expect(page.locator("#rows [role=status]")).to_contain_text("city: Milano.")
    cities = page.locator("#rows tbody tr td:nth-child(3)").all_inner_texts()
    assert set(cities) == {"Milano"}
    analyst.go("explore?x=age&y=income")
    point = page.locator(".drawn a").nth(7)
    number = re.search(r"\d+", point.get_attribute("aria-label"))[0]
    point.dispatch_event("click")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    expect(page.locator("#rows tbody th")).to_have_text(number)


# Name of the picture in the documents -> address, and what is scrolled into view.
PICTURES = {
    "table": ("table", "h1"),
    "explore": ("explore?x=age&y=income", "h1"),
    "learn": ("learn", "h1"),
    "compare": ("compare", ".threshold-bar"),
    "understand": ("understand?model={run}/c45&row=18", "#inside"),
    "one-row": ("understand?model={run}/c45&row=18", "#row"),
    "trace": ("trace?learner=svm&p.kernel=linear&across=age&up=income&rows=80", "#trace"),
    "export": ("export?model={run}/c45", "#program"),
}


def test_pictures_of_every_page_are_those_of_the_documents(analyst: Person, tmp_path: Path):
    """``VAGLIO_PICTURES=docs/pictures`` writes them there."""
    kept = Path(__file__).parents[2] / "docs" / "pictures"
    folder = Path(os.environ.get("VAGLIO_PICTURES") or tmp_path)
    page = analyst.context.new_page()
    page.set_viewport_size(PICTURE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{analyst.origin}/compare")
    run = page.locator("input[name=run]").first.get_attribute("value")
    for name, (address, shown) in PICTURES.items():
        page.goto(f"{analyst.origin}/{address.format(run=run)}")
        if name == "trace":
            page.get_by_role("button", name="Next").click()
            page.get_by_label("Frame").fill("4")
        # Not where the tests of this machine happen to keep their folders.
        page.locator(".folder").evaluate("place => { place.textContent = 'customers'; }")
        page.locator(shown).first.evaluate("part => part.scrollIntoView({behavior: 'instant'})")
        page.screenshot(path=folder / f"studio-{name}.png")
        for place in (folder, kept):
            with Image.open(place / f"studio-{name}.png") as picture:
                assert picture.size == (PICTURE["width"], PICTURE["height"])
                # Paper, ink, lines and colours: a blank page, or one without its styles, has few of them.
                assert len(picture.convert("RGB").getcolors(1 << 20)) > 200, (place, name)
    page.close()


def test_the_report_and_the_program_are_exported(analyst: Person, messy: Path, tmp_path: Path):
    analyst.go("export")
    page = analyst.page
    with page.expect_download() as waiting:
        page.locator("a[href*='/export/program']").click()
    program = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(program)
    with page.expect_download() as waiting:
        page.locator("a[href*='/export/model']").click()
    waiting.value.save_as(tmp_path / "kept.vaglio")
    (tmp_path / messy.name).write_bytes(messy.read_bytes())
    done = subprocess.run([sys.executable, program.name], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    made = tmp_path / program.with_suffix(".vaglio").name
    assert made.read_bytes() == (tmp_path / "kept.vaglio").read_bytes()
    page.get_by_role("button", name="Write the report").click()
    page.wait_for_selector("text=Open the report", timeout=240_000)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open the report").click()
    report = opened.value
    report.wait_for_selector("#performance")
    assert report.evaluate("window.origin") == "null"
    report.close()


def test_a_second_tab_and_a_reload_lose_nothing(analyst: Person):
    other = analyst.context.new_page()
    other.goto(f"{analyst.origin}/learn")
    expect(other.locator(".run .state-done").first).to_be_visible()
    other.reload()
    expect(other.locator(".run .state-done").first).to_be_visible()
    other.close()


LOOKS = [(DESKTOP, "light", "en"), (PHONE, "dark", "it"), (WALL, "dark", "en")]


@pytest.mark.parametrize(
    ("name", "viewport", "scheme", "lang"),
    [
        # By day every page in one look, and every look on some pages.
        pytest.param(
            name, *look, marks=[] if at % len(LOOKS) == i else [pytest.mark.nightly], id=f"{name}-{look[2]}-{i}"
        )
        for at, name in enumerate(PAGES)
        for i, look in enumerate(LOOKS)
    ],
)
def test_every_page_is_accessible(analyst: Person, name: str, viewport, scheme: str, lang: str):
    from axe_playwright_python.sync_playwright import Axe

    page = analyst.page
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme=scheme)
    analyst.context.add_cookies([{"name": "vaglio-lang", "value": lang, "url": analyst.origin}])
    analyst.go(name)
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:160] for node in each["nodes"][:4]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.locator("h1").count() == 1
    assert analyst.complaints == [line for line in analyst.complaints if "422" in line], (
        "a wrong choice is the only thing the console may tell of"
    )


def test_a_student_works_in_italian_by_keyboard(browser, tmp_path: Path):
    with running_studio(tmp_path / "project") as address:
        student = Person(browser, address, locale="it-IT", viewport=DESKTOP)
        page = student.page
        expect(page.locator("html")).to_have_attribute("lang", "it")
        page.get_by_role("button", name=re.compile("^play ")).press("Enter")
        expect(page.locator(".lead")).to_contain_text("Il target è play")
        page.get_by_role("link", name="Esplora").press("Enter")
        expect(page.locator(".ranking tbody th").first).to_have_text("outlook")
        page.locator(".drawn a").first.press("Enter")
        expect(page.locator("#rows table")).to_be_visible()
        student.learn("id3", plan="holdout_30")
        page.get_by_role("link", name="Guarda dentro").first.click()
        expect(page.locator(".drawing a").first).to_be_visible()
        expect(page.locator("#inside")).to_contain_text("Una riga parte dall'alto")
        assert student.complaints == []


@pytest.mark.parametrize("scripts", [True, False])
def test_language_colors_and_the_end_are_chosen_by_forms(browser, tmp_path: Path, monkeypatch, scripts: bool):
    """Without scripts a browser sends the form itself, with the origin that the page's policy lets it tell.

    Scripts that come late do not lose what was chosen meanwhile.
    """
    ended: list[int] = []
    monkeypatch.setattr("vaglio.studio.service.os.kill", lambda pid, number: ended.append(number))
    with running_studio(tmp_path / "project", late="/static/live.js") as address:
        person = Person(browser, address, java_script_enabled=scripts)
        page = person.page
        for select, value in (("#lang", "it"), ("#theme-choice", "dark")):
            page.select_option(select, value)
            if not scripts:
                page.locator(".frame-settings button").click()
            page.wait_for_selector("html[lang=it]")
        page.wait_for_selector("html[data-theme=dark]")
        expect(page.locator("h1")).to_have_text("Tabella")
        page.get_by_role("button", name="Chiudi lo studio").click()
        expect(page.locator("h1")).to_have_text("Lo studio è chiuso")
        assert person.complaints == []
        until(lambda: ended)
    assert ended == [signal.SIGTERM]


def test_scripts_write_in_the_language_of_the_page(analyst: Person):
    page = analyst.context.new_page()
    page.goto(f"{analyst.origin}/compare?lang=it")
    assert page.evaluate("say('{n:,} {n:row|rows}', {n: 1})") == "1 row"  # not among the words of the scripts
    assert page.evaluate("number(1234.5, ',.1f')") == "1.234,5"
    assert page.evaluate("number(0.109, '.1%')") == "10,9\u00a0%"
    expect(page.locator("#at-threshold [data-of=recall]").first).to_have_text(re.compile(r"\d,\d\u00a0%"))
    page.close()


@pytest.mark.parametrize("clicks", [20, pytest.param(200, marks=pytest.mark.nightly)])
def test_a_monkey_finds_no_failure(tmp_path: Path, clicks: int):
    from tools.studio_monkey import Monkey

    monkey = Monkey(tmp_path / "project", seed=1)
    try:
        for _ in range(clicks):
            monkey.click()
        monkey.end_runs()
    finally:
        monkey.close()
