"""The analyst's month in the studio: from the file to the report and the call list, in at most fifteen clicks."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.studio_server import Person, running_studio
from tests.cli.test_analysts_month import HEAD, LATER, customers

pytestmark = pytest.mark.browser

MOST_CLICKS = 15


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    this, later = tmp_path / "clienti.csv", tmp_path / "ottobre.csv"
    known = [[*cells, *(("prezzo", "sì") if leaves else ("", "no"))] for cells, leaves in customers(300, 1, 1000)]
    this.write_bytes("\r\n".join([HEAD, *map(";".join, known), ""]).encode("cp1252"))
    rows = [cells for cells, _ in customers(60, 2, 9000)]
    later.write_bytes("\r\n".join([LATER, *map(";".join, rows), ""]).encode("cp1252"))
    return this, later


class Hand:
    """One who clicks, or presses Enter on what the keyboard has reached, and counts."""

    def __init__(self, page: Any, keyboard: bool) -> None:
        self.page, self.keyboard, self.clicks = page, keyboard, 0

    def press(self, found: Any) -> None:
        self.clicks += 1
        found = found.first
        if self.keyboard:
            found.focus()
            expect(found).to_be_focused()
            self.page.keyboard.press("Enter")
        else:
            found.click()

    def tick(self, found: Any) -> None:
        self.clicks += 1
        if self.keyboard:
            found.focus()
            self.page.keyboard.press("Space")
        else:
            found.click()


@pytest.mark.parametrize(
    ("keyboard", "scripts"),
    [
        pytest.param(False, True, id="mouse", marks=pytest.mark.slow),
        pytest.param(True, True, id="keyboard", marks=pytest.mark.nightly),
        pytest.param(False, False, id="without scripts", marks=pytest.mark.nightly),
    ],
)
def test_from_a_file_to_the_report_and_the_call_list(browser, files, tmp_path: Path, keyboard: bool, scripts: bool):
    this, later = files
    with running_studio(tmp_path / "project") as address:
        person = Person(
            browser, address, locale="it-IT", accept_downloads=True, java_script_enabled=scripts, color_scheme="dark"
        )
        page, hand = person.page, Hand(person.page, keyboard)
        # 1: the file, by its path, as a browser without scripts can.
        page.fill("input[name=path]", str(this))
        hand.press(page.locator("form[action='/table/path'] button"))
        # 2: the class.
        page.select_option("#target", "Abbandono")
        hand.press(page.locator("form[action='/table/target'] button"))
        expect(page.locator(".is-class").first).to_be_visible()
        # 3: the leak stands above, and a click leaves it out.
        banner = page.locator(".alarm[role=alert]").first
        expect(banner).to_contain_text("Motivo")
        hand.press(banner.locator("button"))
        expect(page.locator(".alarm")).to_have_count(0)
        # 4 to 6: one learner, the costs, start.
        hand.press(page.locator("nav a[href='/learn']"))
        page.fill("#cost-missed", "100")
        page.fill("#cost-alarm", "20")
        for box in page.locator("input[name=learner]").all():
            if box.is_checked() and box.get_attribute("value") != "naive-bayes":
                hand.tick(box)
        if not page.locator("input[name=learner][value=naive-bayes]").is_checked():
            hand.tick(page.locator("input[name=learner][value=naive-bayes]"))
        hand.press(page.locator("button.main"))
        _until(page, ".run .state-done", scripts)
        expect(page.locator(".run .money").first).to_contain_text("costa")
        # 7 and 8: the report.
        hand.press(page.locator("nav a[href='/export']"))
        hand.press(page.locator("form[action='/export/report'] button"))
        _until(page, "a[href*='/report']", scripts)
        # 9 to 11: next month's file; the columns that differ are asked for, filled in.
        page.fill("form[action='/export/predict'] input[name=path]", str(later))
        hand.press(page.locator("form[action='/export/predict'] button"))
        mapping = page.locator("#mapping")
        expect(mapping).to_contain_text("Reclami")
        hand.press(mapping.locator("button"))
        _until(page, "a[href*='/export/predictions/']", scripts)
        address = page.locator("a[href*='/export/predictions/']").first.get_attribute("href")
        written = person.context.request.get(f"{person.origin}{address}").body().decode("cp1252")
        rows = list(csv.reader(written.splitlines(), delimiter=";"))
        assert rows[0][: len(LATER.split(";"))][:3] == ["CODICE_CLIENTE", "nominativo", "e mail"]
        assert len(rows) == 61
        assert hand.clicks <= MOST_CLICKS
        person.context.close()


def _until(page: Any, wanted: str, scripts: bool) -> None:
    """Wait for what a run leaves on the page; without scripts the page is loaded again."""
    if scripts:
        page.wait_for_selector(wanted, timeout=240_000)
        return
    for _ in range(480):
        if page.locator(wanted).count():
            return
        page.wait_for_timeout(500)
        page.reload()
    raise AssertionError(wanted)
