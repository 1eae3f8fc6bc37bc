"""All figures of the gallery on one page, in both languages, to look at: ``make figures``."""

from __future__ import annotations

import argparse
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "_extensions"))

from gallery import drawn  # noqa: E402

_STYLE = (
    "body{font:13px system-ui,sans-serif;margin:1rem}main{display:grid;grid-template-columns:1fr 1fr;gap:1rem}"
    "figure{margin:0;border:1px solid #ddd;padding:.5rem;break-inside:avoid}"
    "svg{width:100%;height:auto;max-height:30rem}"
    "figcaption{font-family:monospace;font-size:11px;color:#555}"
)


def commands() -> list[str]:
    """Return the commands of the gallery, in its order."""
    found: list[str] = re.findall(
        r"^```\{plot\}\n(.*?)\n```$", (ROOT / "gallery.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return found


def contact_sheet() -> str:
    """Return a page with every figure, English beside Italian."""
    figures = [
        f"<figure><figcaption>{escape(command)}</figcaption>{drawn(command)}</figure>"
        for plain in commands()
        for command in (plain, f"{plain} --lang it")
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>All figures</title>'
        f"<style>{_STYLE}</style></head><body><main>{''.join(figures)}</main></body></html>\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the page to write")
    file = parser.parse_args().file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(contact_sheet(), encoding="utf-8")
    print(f"{2 * len(commands())} figures are in {file}")
