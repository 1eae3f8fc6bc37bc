"""Checks a built site: every link and anchor exists, and no page loads anything from the network (``make docs``)."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads automatically, as opposed to a link that a reader follows.
FETCHED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src")}


class Page(HTMLParser):
    """The anchors of a page, its links and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.formula_errors = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.formula_errors += tag == "merror"
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            if (tag, name) in FETCHED and value:
                self.fetched.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)


def complaints(site: Path) -> list[str]:
    """Return one line per broken link and per file that would be loaded from the network."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        found += [f"{where} fetches {link}" for link in page.fetched if urlsplit(link).netloc]
        found += [f"{where} has a formula that could not be set"] * bool(page.formula_errors)
        for link in page.links + page.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment) if target in pages else ""
            if not target.exists() or (anchor and anchor not in pages[target].names):
                found.append(f"{where}: there is no {link}")
    return found


def main() -> int:
    found = complaints(Path(sys.argv[1]))
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
