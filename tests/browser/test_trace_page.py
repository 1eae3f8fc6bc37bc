"""The page Trace in a real browser: ID3 in Italian, a perceptron and a margin that move."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.studio_server import Person, running_studio

pytestmark = pytest.mark.browser


def test_a_student_follows_id3_in_italian(browser, tmp_path: Path):
    with running_studio(tmp_path / "project") as address:
        student = Person(browser, address, locale="it-IT")
        page = student.page
        page.get_by_role("button", name=re.compile("^play ")).click()
        expect(page.locator("#columns-head")).to_be_visible()
        page.get_by_role("link", name="Svolgimento").click()
        # A link is followed without waiting for the scripts of its page: until they run, all steps are seen.
        steps = page.locator(".trace-step:visible")
        expect(steps).to_have_count(1)
        for number in range(2, 10):
            if "Nodo 1" in steps.inner_text():
                break
            page.keyboard.press("ArrowRight")
            expect(page.locator("[data-at]")).to_contain_text(f"passo {number} di")
        expect(steps).to_contain_text(re.compile("0[,.]2467"))
        # The picture has the test that this step chooses.
        expect(page.locator("figure:visible figcaption")).to_have_text("1 test")
        expect(page.locator("figure:visible svg")).to_contain_text("outlook")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("figure:visible figcaption")).to_have_text("Tutte le righe")
        page.get_by_role("button", name="Tutti i passi").click()
        every = page.locator(".trace-step").count()
        assert every > 4
        expect(page.locator(".trace-step:visible")).to_have_count(every)
        assert student.complaints == []


def test_a_lecturer_lets_a_line_and_a_margin_move(browser, tmp_path: Path):
    with running_studio(tmp_path / "project") as address:
        lecturer = Person(browser, address, reduced_motion="reduce")
        page = lecturer.page
        page.get_by_role("button", name="iris").click()
        expect(page.locator("#columns-head")).to_be_visible()
        page.goto(f"{lecturer.origin}/trace?learner=perceptron&across=petal_length&up=petal_width&rows=40")
        slider = page.get_by_label("Frame")
        expect(page.locator("figure:visible svg")).to_have_count(1)
        before = page.locator("figure:visible svg").inner_html()
        slider.press("ArrowRight")
        expect(page.locator("figure:visible figcaption")).to_contain_text("Update 1")
        assert page.locator("figure:visible svg").inner_html() != before
        page.get_by_role("button", name="Play").click()
        expect(slider).to_have_value(re.compile(r"[3-9]|\d\d"))
        page.get_by_role("button", name="Stop").click()
        page.select_option("#learner", "svm")
        expect(page.locator(".trace-title")).to_contain_text("support vector machine")
        expect(page.locator("figure:visible svg")).to_have_count(1)
        soft = page.locator("figure:visible .ring").count()
        slider.fill("6")
        expect(page.locator("figure:visible .ring")).not_to_have_count(soft)
        assert soft > page.locator("figure:visible .ring").count() > 0
        assert lecturer.complaints == []
