"""A monkey in the studio: it opens tables, fills in forms with anything, clicks links, starts and cancels work.

    python -m tools.studio_monkey --minutes 20 [--seed 1]

It stops at the first answer of the server that is a failure (5xx), at a run that neither ends nor can be cancelled, and
when the memory of the server has grown beyond a limit. It sends forms without a browser: thousands of them per minute.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from starlette.testclient import TestClient

from vaglio.runtime.memory import resident_memory
from vaglio.studio.service import PAGES, Studio
from vaglio.studio.settings import Settings

__all__ = ["Monkey", "main"]

_ORIGIN = "http://127.0.0.1:4321"
# What it types: nothing, numbers, words, other scripts, code, far too much.
_WORDS = ("", "0", "-1", "3", "1e400", "nan", "none", "a<b<c", "<script>", "';--", "é漢", "%", "../..", "x" * 5000)
_TABLES = (
    "a;b;y\n1;x;p\n2;x;q\n3;z;p\n;z;q\n" * 8,
    "y\np\nq\np\nq\n",
    "a,y\n" + "".join(f"{i},{'pq'[i % 2]}\n" for i in range(60)),
    "a,a,y\n1,2,p\n",
    "\x00\x01",
    "",
)
# Megabytes that the server may gain, and seconds that a run may take to end once it is cancelled.
_MOST_MEMORY, _PATIENCE = 600, 120.0


class _Page(HTMLParser):
    """Links and forms of a page, with the values that their fields have."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[dict[str, Any]] = []
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Take note of a link, a form or a field."""
        given = {name: value or "" for name, value in attributes}
        if tag == "a" and given.get("href", "").startswith(("/", "?")):
            self.links.append(given["href"])
        elif tag == "form":
            self.forms.append({"action": given.get("action", ""), "method": given.get("method", "get"), "fields": []})
        elif self.forms and given.get("name") and tag in ("input", "textarea"):
            self.forms[-1]["fields"].append([given["name"], given.get("value", ""), given.get("type", "text"), []])
        elif self.forms and tag == "select" and given.get("name"):
            self.forms[-1]["fields"].append([given["name"], "", "select", []])
        elif self.forms and tag == "option" and self.forms[-1]["fields"]:
            self.forms[-1]["fields"][-1][3].append(given.get("value", ""))


class Monkey:
    """Random visits to a studio.

    Parameters
    ----------
    folder : Path
        Of the project.
    seed : int
        Same seed, same clicks, as far as the work of the machine allows.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.studio = Studio(Settings(folder, "token-of-a-monkey", _ORIGIN, upload=1 << 20))
        self.client = TestClient(self.studio.application(), base_url=_ORIGIN, raise_server_exceptions=False)
        self.client.__enter__()
        self.text = self.client.get("/?token=token-of-a-monkey").text
        self.address = "/table"
        self.done = 0
        self.memory = resident_memory()

    def play(self, seconds: float) -> int:
        """Click until the time is over; return how often."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.click()
        self.end_runs()
        return self.done

    def click(self) -> None:
        """Do one thing."""
        self.done += 1
        what = self.random.random()
        if what < 0.03:
            content = self.random.choice(_TABLES)
            name = self.random.choice(("t.csv", "t.arff", "t.parquet", "../t.csv", "t"))
            self._check(
                self.client.post(f"/table/upload?name={name}", content=content.encode(), headers=self._origin())
            )
            self._visit("/table")
        elif what < 0.10:
            self._visit(f"/{self.random.choice(list(PAGES))}")
        else:
            self._click_in_page()
        if self.done % 50 == 0:
            self._bound()

    def _click_in_page(self) -> None:
        page = _Page(self.text)
        forms = [form for form in page.forms if form["action"] != "/end"]
        if forms and self.random.random() < 0.6:
            self._send(self.random.choice(forms))
        elif page.links:
            self._visit(self.random.choice(page.links))
        else:
            self._visit("/table")

    def _send(self, form: dict[str, Any]) -> None:
        fields: dict[str, list[str]] = {}
        for name, value, kind, options in form["fields"]:
            if kind == "checkbox" and self.random.random() < 0.8:
                continue
            if kind == "select" and options and self.random.random() < 0.9:
                value = self.random.choice(options)
            elif self.random.random() < {"hidden": 0.02, "checkbox": 0.0, "radio": 0.0}.get(kind, 0.1):
                value = self.random.choice(_WORDS)
            fields.setdefault(name, []).append(value)
        if form["method"] == "get":
            self._take(self.client.get(form["action"], params=fields))
        else:
            self._take(self.client.post(form["action"], data=fields, headers=self._origin()))

    def _visit(self, address: str) -> None:
        place = urlsplit(urljoin(self.address, unescape(address)))
        self._take(self.client.get(f"{place.path}?{place.query}" if place.query else place.path))

    def _take(self, answer: Any) -> None:
        self._check(answer)
        if answer.headers.get("content-type", "").startswith("text/html") and "sandbox" not in answer.headers.get(
            "content-security-policy", ""
        ):
            self.text, self.address = answer.text, answer.url.path

    def _check(self, answer: Any) -> None:
        if answer.status_code >= 500:
            told = re.search(r'class="problem"[^>]*>(.*?)<', answer.text)
            raise AssertionError(f"{answer.request.method} {answer.url}: {answer.status_code} {told and told[1]}")

    def _bound(self) -> None:
        """Keep the runs few, and see that the memory is bounded."""
        running = [run for run in self.studio.jobs.all() if run.state == "running"]
        for run in running[1:]:
            self.studio.jobs.cancel(run.name)
        grown = (resident_memory() - self.memory) / (1 << 20)
        if grown > _MOST_MEMORY:
            raise AssertionError(f"The server has grown by {grown:.0f} MB.")

    def end_runs(self) -> None:
        limit = time.monotonic() + _PATIENCE
        for run in self.studio.jobs.all():
            self.studio.jobs.cancel(run.name)
        while any(run.state == "running" for run in self.studio.jobs.all()):
            if time.monotonic() > limit:
                raise AssertionError("A run does not end.")
            time.sleep(0.05)

    def close(self) -> None:
        """Leave."""
        self.client.__exit__(None, None, None)

    def _origin(self) -> dict[str, str]:
        return {"origin": _ORIGIN}


def main() -> None:
    """Play for some minutes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        monkey = Monkey(Path(folder) / "project", given.seed)
        try:
            done = monkey.play(60 * given.minutes)
            grown = (resident_memory() - monkey.memory) / (1 << 20)
            runs = [run.state for run in monkey.studio.jobs.all()]
            print(f"{done:,} clicks, {len(runs)} runs ({ {state: runs.count(state) for state in sorted(set(runs))} }), "
                  f"no failure; the server has grown by {grown:.0f} MB")  # fmt: skip
        finally:
            monkey.close()


if __name__ == "__main__":
    main()
