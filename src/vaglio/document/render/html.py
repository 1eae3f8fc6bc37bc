"""A trace as HTML: a page of its own, or a part of a notebook."""

from __future__ import annotations

import re
from html import escape

from vaglio.document.document import Block, Formula, Grid, Paragraph, Section, Trace
from vaglio.document.render.text import is_number

_POWER = re.compile(r"\^(−?\w+|\([^()]*\))")

# Every rule names the class of the trace, so that the style of a notebook does not change.
_STYLE = """
.vaglio-trace{font:15px/1.5 system-ui,sans-serif;color:#1d2733;background:#fff;max-width:74rem;margin:0 auto;
padding:1rem 1.25rem;box-sizing:border-box}
.vaglio-trace .part0{font-size:1.5rem;margin:.4rem 0 1rem}
.vaglio-trace .part1{font-size:1.15rem;margin:2rem 0 .5rem;padding-bottom:.2rem;border-bottom:2px solid #2b6cb0}
.vaglio-trace .part2{font-size:1rem;margin:1.4rem 0 .4rem}
.vaglio-trace p{margin:.5rem 0}
.vaglio-trace .formula{font-family:"Latin Modern Math","Cambria Math",Georgia,serif;font-size:1.05rem;
margin:0;padding:.2rem .8rem;border-left:3px solid #cbd5e0;overflow-x:auto;white-space:nowrap}
.vaglio-trace .scroll{overflow-x:auto;margin:.7rem 0}
.vaglio-trace table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
.vaglio-trace caption{text-align:left;font-weight:600;padding:.2rem 0}
.vaglio-trace th,.vaglio-trace td{padding:.22rem .55rem;border-bottom:1px solid #e2e8f0;text-align:left;
white-space:nowrap;background:none}
.vaglio-trace th{border-bottom:1px solid #718096;font-weight:600;vertical-align:bottom;white-space:normal}
.vaglio-trace .n{text-align:right}
.vaglio-trace sup,.vaglio-trace sub{font-size:.72em;line-height:0}
.vaglio-trace tr.chosen td{background:#ebf4ff;font-weight:600}
@media (prefers-color-scheme:dark){.vaglio-trace.page{color:#e2e8f0;background:#171c24}
.vaglio-trace.page th,.vaglio-trace.page td{border-color:#3a4556}
.vaglio-trace.page tr.chosen td{background:#23405f}}
@media print{.vaglio-trace .scroll,.vaglio-trace .formula{overflow:visible}
.vaglio-trace .formula{white-space:normal}}
"""


def to_page(*traces: Trace, pictures: str = "") -> str:
    """Return a whole document; on paper, each trace begins on a page of its own.

    The pictures of an animation stand below the first title.
    """
    dark = "@media (prefers-color-scheme:dark){body{background:#171c24}}"
    paper = "@page{size:A4;margin:16mm 15mm}@media print{.vaglio-trace.page+.vaglio-trace.page{break-before:page}}"
    first = traces[0]
    shown = [_parts(trace, "vaglio-trace page", 1, "" if at else pictures) for at, trace in enumerate(traces)]
    return (
        f'<!doctype html>\n<html lang="{first.lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(first.title)}</title><style>body{{margin:0}}{dark}{paper}</style></head>\n"
        f"<body><main><style>{_STYLE}</style>{''.join(shown)}</main></body></html>\n"
    )


def to_fragment(trace: Trace) -> str:
    """Return what a notebook shows; its headings are below those of the notebook."""
    return f"<style>{_STYLE}</style>{_parts(trace, 'vaglio-trace', 3)}"


def _parts(trace: Trace, classes: str, top: int, pictures: str = "") -> str:
    parts = [f'<h{top} class="part0">{escape(trace.title)}</h{top}>', pictures]
    for section in trace.sections:
        tag = f"h{top + section.level}"
        parts.append(f'<{tag} class="part{section.level}">{escape(section.title)}</{tag}>')
        parts.append(blocks_of(section))
    return f'<div class="{classes}">' + "\n".join(parts) + "</div>"


def blocks_of(section: Section) -> str:
    """Return what a section says, without its title and without a style."""
    return "\n".join(_block(block) for block in section.blocks)


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Formula):
        return f'<div class="formula" tabindex="0">{_formula(block.text)}</div>'
    return _grid(block)


def _formula(text: str) -> str:
    """Escape a line of calculation; powers become superscripts, the base of a logarithm a subscript."""
    raised = _POWER.sub(lambda found: f"<sup>{found[1].strip('()')}</sup>", escape(text))
    return raised.replace("log2", "log<sub>2</sub>")


def _grid(grid: Grid) -> str:
    numeric = [is_number([row[j] for row in grid.rows]) for j in range(len(grid.columns))]
    mark = [' class="n"' if n else "" for n in numeric]
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    head = "".join(f'<th scope="col"{m}>{_formula(name)}</th>' for name, m in zip(grid.columns, mark))
    body = "".join(
        ('<tr class="chosen">' if i in grid.chosen else "<tr>")
        + "".join(f"<td{m}>{_formula(cell)}</td>" for cell, m in zip(row, mark))
        + "</tr>"
        for i, row in enumerate(grid.rows)
    )
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>'
