"""Formulas as MathML, written into the page when it is built: they are shown offline and without scripts."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert


def to_mathml(formula: str, display: str = "inline") -> str:
    """Convert LaTeX to MathML, with two corrections that browsers need."""
    # "log x" without parentheses gets the space that TeX adds automatically.
    spaced = re.sub(r"(\\(?:log|ln)(?:_\w)?)(?=\s*(?:\\[a-z]|[A-Za-z]))", r"\1\\,", formula)
    markup = convert(spaced, display=display)
    # The bars of a norm would grow with the height of their neighbours.
    return re.sub(r"<mo[^>]*>(&#x0?2016;|&#x0?2225;|‖|∥)</mo>", '<mo stretchy="false">‖</mo>', markup)


def inline(writer: Any, node: Any) -> None:
    writer.body.append(to_mathml(node.astext()))
    _done()


def block(writer: Any, node: Any) -> None:
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    writer.body.append(f'<div class="formula"{anchor}>{to_mathml(node.astext(), "block")}</div>\n')
    _done()


def _done() -> None:
    # Imported here, so that the conversion works without Sphinx.
    from docutils import nodes

    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
