"""Slides of a lecture in a real browser: the keys move table, calculation and picture together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

import vaglio
from vaglio.tracing import make_lecture

pytestmark = pytest.mark.browser


def test_arrow_keys_move_table_text_and_picture_together(browser, tmp_path: Path) -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    made = make_lecture(X, y, ["id3", "naive-bayes"], row=["sunny", "cool", "high", "true"], lang="it")
    file = tmp_path / "lecture.html"
    file.write_text(made.to_html(), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    slide, at, lit = page.locator(".slide:visible"), page.locator("#at"), page.locator("[data-row].on")
    for number, each in enumerate(made.slides, start=1):
        expect(at).to_have_text(f"{number} / {len(made.slides)}")
        expect(slide).to_have_count(1)
        expect(slide.locator("h2")).to_contain_text(each.title)
        expect(lit).to_have_count(0 if each.rows is None else len(each.rows))
        assert [int(line.get_attribute("data-row")) for line in lit.all()] == sorted(each.rows or ())
        expect(slide.locator("svg")).to_have_count(1 if each.picture else 0)
        # The table stays in view, and the page itself never scrolls.
        expect(page.locator(".board tr").nth(1)).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    expect(at).to_have_text(f"1 / {len(made.slides)}")
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowLeft")
    expect(at).to_have_text(f"1 / {len(made.slides)}")
    page.get_by_role("button", name="Avanti").click()
    expect(slide).to_contain_text(re.compile("0,2467"))
    page.reload()
    expect(at).to_have_text(f"2 / {len(made.slides)}")
    assert complaints == []
    context.close()
    # Without scripts all slides stand below each other.
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(file.as_uri())
    expect(plain.locator(".slide:visible")).to_have_count(len(made.slides))
