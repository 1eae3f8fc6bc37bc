"""Formulas as MathML, written into the page when it is built: they show offline and need no script."""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert


def inline(writer: Any, node: Any) -> None:
    writer.body.append(convert(node.astext(), display="inline"))
    raise _skip()


def block(writer: Any, node: Any) -> None:
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    writer.body.append(f'<div class="formula"{anchor}>{convert(node.astext(), display="block")}</div>\n')
    raise _skip()


def _skip() -> Exception:
    from docutils import nodes

    return nodes.SkipNode()


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
