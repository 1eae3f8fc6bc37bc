"""Screenshots of every room of the studio for its page: ``python docs/studio_pictures.py [FOLDER]``.

It plays an analyst with a made-up table of customers in Debian's Chromium, and needs what the browser tests need.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

_PLACE = Path(__file__).parent / "pictures"
_SIZE = {"width": 1280, "height": 860}
_LEARNERS = ("c45", "ripper", "naive-bayes", "logistic", "random-forest")


def customers(rows: int = 400) -> str:
    """A table as analysts get them: an identifier, two spellings, words among numbers, repeated rows."""
    rng = np.random.default_rng(3)
    age, income = rng.integers(18, 80, rows), rng.lognormal(10, 0.4, rows).round()
    buys = np.where((age - 45) / 15 + (income - 25_000) / 9000 + rng.normal(0, 0.8, rows) > 0, "yes", "no")
    city = np.array(["Milano", "milano", "Roma", "Torino", "Napoli"])[
        rng.choice(5, rows, p=[0.3, 0.05, 0.3, 0.2, 0.15])
    ]
    size = np.array(["small", "medium", "large"])[rng.integers(0, 3, rows)]
    lines = [
        f"{1000 + i};{city[i]};{age[i] if i % 29 else 'n/d'};{income[i]:.0f};{size[i]};{1 + i % 5};IT;{buys[i]}"
        for i in range(rows)
    ]
    return "\n".join(["id;city;age;income;size;zone;country;buys", *lines, *lines[:5]]) + "\n"


def _shoot(page: Any, name: str, folder: Path) -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(150)
    page.screenshot(path=folder / f"studio-{name}.png")
    print(f"studio-{name}.png")


def _work(page: Any, origin: str, table: Path, folder: Path) -> None:
    page.set_input_files("#file", table)
    page.wait_for_selector("#target")
    page.select_option("#target", "buys")
    page.get_by_role("button", name="Set the class").click()
    page.wait_for_selector(".studio-columns .is-class")
    for number, button in enumerate(("Leave out as identifier", "Merge the spellings"), start=3):
        page.get_by_role("button", name=button).click()
        page.wait_for_selector(f".steps li:nth-child({number})")
    page.wait_for_selector("#findings .findings")
    page.evaluate("scrollTo(0, 0)")
    _shoot(page, "table", folder)
    page.goto(f"{origin}/explore?x=age&y=income")
    _shoot(page, "explore", folder)
    page.goto(f"{origin}/learn")
    for box in page.locator("input[name=learner]").all():
        box.set_checked(box.get_attribute("value") in _LEARNERS)
    page.get_by_label("cost of predicting no for yes").fill("4")
    page.get_by_label("cost of predicting yes for no").fill("1")
    # A tree that fits the picture.
    page.evaluate("document.getElementById('c45.max_depth').value = 3")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".tasks .done", timeout=240_000)
    page.evaluate("scrollTo(0, 0)")
    _shoot(page, "learn", folder)
    page.wait_for_selector(".run .state-done", timeout=240_000)
    page.goto(f"{origin}/compare")
    page.evaluate("document.querySelector('.threshold-bar').scrollIntoView()")
    _shoot(page, "compare", folder)
    run = page.locator("input[name=run]").first.get_attribute("value")
    page.goto(f"{origin}/understand?model={run}/c45&row=18")
    page.evaluate("document.getElementById('inside').scrollIntoView()")
    _shoot(page, "understand", folder)
    page.evaluate("document.getElementById('row').scrollIntoView()")
    _shoot(page, "one-row", folder)
    page.goto(f"{origin}/by_hand?learner=svm&p.kernel=linear&across=age&up=income&rows=80")
    page.evaluate("document.getElementById('lecture').scrollIntoView()")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Picture").press("ArrowRight")
    page.get_by_label("Picture").press("ArrowRight")
    _shoot(page, "by-hand", folder)
    page.goto(f"{origin}/take_away?model={run}/c45#program")
    _shoot(page, "take-away", folder)


def main(folder: Path) -> None:
    """Start a studio, do the work, take the pictures."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        table = Path(place) / "customers.csv"
        table.write_text(customers(), encoding="utf-8")
        command = [sys.executable, "-m", "vaglio", "studio", "--no-browser", "--project", f"{place}/customers"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as studio:
            try:
                assert studio.stderr is not None
                address = next(found[0] for line in studio.stderr if (found := re.search(r"http://\S+", line)))
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                # Without smooth scrolling, which a picture would catch halfway.
                still = {"color_scheme": "light", "reduced_motion": "reduce", "locale": "en-GB"}
                page = browser.new_context(viewport=_SIZE, **still).new_page()
                page.goto(address)
                _work(page, address.partition("/?")[0], table, folder)
            finally:
                studio.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _PLACE)
