from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Page:
    """A page as the browser sees it."""

    dom: str
    complaints: list[str]


@pytest.fixture(scope="session")
def browse(chromium: str, tmp_path_factory: pytest.TempPathFactory):
    """Open a file in a headless browser and give its document, and what the console said."""
    profile = tmp_path_factory.mktemp("chromium")

    def open_page(path: Path) -> Page:
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command = [chromium, *options, "--enable-logging=stderr", "--dump-dom", path.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return Page(done.stdout, re.findall(r"CONSOLE.*", done.stderr))

    return open_page


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """A browser to be steered step by step."""
    from playwright.sync_api import expect, sync_playwright

    # A machine that is busy with other tests may be slow: only what never comes is a failure.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()
