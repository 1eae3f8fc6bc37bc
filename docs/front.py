"""Makes the front page: the moving picture of README.md, and its three figures from ``benchmarks/results.csv``.

``make front`` writes ``docs/front.svg`` and the lines of the README between its marks. The table, the tree and the
explanation of the picture are computed here, so that it cannot show what the package does not do.
"""

from __future__ import annotations

import csv
import re
import textwrap
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import vaglio

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "front.svg"
README = ROOT / "README.md"
MARKS = "<!-- figures: make front -->", "<!-- end of figures -->"

# The columns of the table, and where each begins. The last row is the one that is explained.
COLUMNS = {"island": 22, "bill_length_mm": 94, "flipper_length_mm": 152, "sex": 224}
SPECIES = 276
ROWS = (0, 3, 160, 290, 300)
PROMISES = (
    "no encoding, imputation or scaling",
    "a model file is data: loading runs no code",
    "same seed, same model, on any number of threads",
)
WIDTH, HEIGHT, SECONDS = 1010, 276, 12
INK, MUTED, PAPER, LIT, RULE = "#1f2328", "#656d76", "#ffffff", "#fff3c4", "#d0d7de"


def picture() -> str:
    """Return the picture: a table, then the tree that was learned from it, then the reason for one row."""
    X, y = vaglio.datasets.load("penguins").xy("species")
    tree = vaglio.C45Classifier(max_depth=2).fit(X, y)
    explanation = tree.explain(X[np.array([ROWS[-1]])])[0]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            'role="img" aria-label="A table of penguins, the decision tree learned from it, and the reason for one '
            'prediction" font-family="system-ui, sans-serif" font-size="12">',
            f"<style>{_animation()}</style>",
            f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
            "<g>",
            _heading(16, 28, "a table as it is"),
            *_table(X, y),
            '</g><g class="second">',
            _heading(16, 200, "vaglio train penguins.csv --target species"),
            *(_text(22, 222 + 20 * at, line) for at, line in enumerate(PROMISES)),
            _tree(tree.to_svg()),
            '</g><g class="third">',
            _heading(736, 28, "vaglio explain penguins.vaglio"),
            *_reason(str(explanation).splitlines()),
            "</g></svg>\n",
        ]
    )


def _animation() -> str:
    """Show the tree after the table and the reason after the tree; all at once for who wants no motion."""
    stages = {"second": (18, 26), "third": (46, 54)}
    parts = [
        f".{name}{{animation:{name} {SECONDS}s infinite}}"
        f"@keyframes {name}{{0%,{hidden}%{{opacity:0}}{shown}%,96%{{opacity:1}}100%{{opacity:0}}}}"
        for name, (hidden, shown) in stages.items()
    ]
    return "".join(parts) + "@media (prefers-reduced-motion:reduce){.second,.third{animation:none}}"


def _text(x: float, y: float, words: str, fill: str = INK, size: int = 12, weight: int = 400) -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" font-size="{size}" font-weight="{weight}">{escape(words)}</text>'


def _heading(x: int, y: int, words: str) -> str:
    return _text(x, y, words, MUTED, weight=600)


def _table(X: vaglio.Table, y: np.ndarray) -> list[str]:
    names = [_text(x, 54, name.removesuffix("_mm").replace("_length", ""), MUTED, 10) for name, x in COLUMNS.items()]
    parts = [*names, _text(SPECIES, 54, "species", MUTED, 10)]
    shown = X[np.array(ROWS)].to_frame()[list(COLUMNS)]
    for number, values, middle in zip(ROWS, shown.itertuples(index=False), range(72, 999, 20), strict=False):
        asked = number == ROWS[-1]
        if asked:
            parts.append(f'<rect x="14" y="{middle - 14}" width="326" height="20" rx="4" fill="{LIT}"/>')
        parts += [_cell(x, middle, value) for x, value in zip(COLUMNS.values(), values, strict=True)]
        parts.append(_text(SPECIES, middle, "?" if asked else str(y[number]), weight=600))
    return parts


def _cell(x: int, y: int, value: Any) -> str:
    if value is None or value != value:  # NaN
        return (
            f'<rect x="{x}" y="{y - 11}" width="26" height="14" rx="3" fill="none" stroke="{RULE}" '
            'stroke-dasharray="3 2"/>'
        )
    return _text(x, y, f"{value:g}" if isinstance(value, float) else str(value))


def _tree(drawn: str) -> str:
    head, _, inner = drawn.partition(">")
    found = re.search(r'width="(\d+)"', head)
    assert found is not None
    drawing = inner.rstrip().removesuffix("</svg>")
    return f'<g transform="translate(352 40) scale({366 / int(found[1]):.3f})" font-size="11">{drawing}</g>'


def _reason(lines: list[str]) -> list[str]:
    pieces = [
        (line, piece)
        for line in lines
        for piece in textwrap.wrap(line.strip(), 44, subsequent_indent="\N{NO-BREAK SPACE}" * 4)
    ]
    return [
        _text(750 if line.startswith("    ") else 736, 54 + 20 * at, piece, weight=600 if line == lines[0] else 400)
        for at, (line, piece) in enumerate(pieces)
    ]


def figures() -> str:
    """Return the three figures of the README as a table, with the command that makes each."""
    with (ROOT / "benchmarks" / "results.csv").open(newline="", encoding="utf-8") as file:
        measured = {(row["benchmark"], row["task"], row["who"].partition(" 2")[0]): row for row in csv.DictReader(file)}
    peers = ("scikit-learn", "scikit-learn-intelex")
    speed = [f"{float(measured['forest', 'fit 100 trees, 150000 x 30', who]['ratio']):.1f}" for who in peers]
    row = float(measured["latency", "C4.5", "vaglio"]["seconds"]) * 1e6
    return "\n".join(
        [
            "| | | measured by |",
            "|---|---|---|",
            f"| **Accurate** | Gradient boosting with its defaults is ahead by {accuracy()} points of accuracy | "
            "`make boosting-accuracy` |",
            f"| **Fast** | A forest of 100 trees on 150,000 rows trains {speed[0]} times as fast as scikit-learn's and "
            f"{speed[1]} times as fast as oneDAL's | `make bench TASK=forest` |",
            f"| **Immediate** | One row through a C4.5 tree takes {row:.1f} µs, called from Python | "
            "`make bench TASK=latency` |",
        ]
    )


def accuracy() -> str:
    """Return the differences to two peers, from the tables of the page on gradient boosting."""
    page = (ROOT / "docs" / "learners" / "gradient-boosting.md").read_text(encoding="utf-8")
    said = []
    for who in ("LightGBM", "CatBoost"):
        found = re.search(rf"^\| {who} [^|]*\|[^|]*\|[^|]*\| (\S+ ± \S+) \|", page, flags=re.MULTILINE)
        assert found is not None, f"docs/learners/gradient-boosting.md has no line on {who}"
        said.append(f"{found[1].removeprefix('+')} ({who})")
    return " and ".join(said)


def main() -> None:
    """Write both."""
    PICTURE.write_text(picture(), encoding="utf-8")
    before, _, rest = README.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    README.write_text(f"{before}{MARKS[0]}\n{figures()}\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
