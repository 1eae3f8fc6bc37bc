"""A lecture as plain data: a table and the steps of learners on it; and as one HTML page that fills the screen."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from vaglio.document.animation import STYLE
from vaglio.document.document import Block, Section
from vaglio.document.render.html import blocks_of
from vaglio.document.render.text import is_number
from vaglio.messages.locale import Locale
from vaglio.plot.style import PALETTE

__all__ = ["Board", "Lecture", "Slide"]


@dataclass(frozen=True)
class Slide:
    """One step: what is said, and what of the table and of the learner is shown beside it.

    Attributes
    ----------
    learner, title : str
    blocks : tuple
        Paragraphs, formulas and tables.
    picture : str
        SVG, or empty.
    below : bool
        Whether the picture stands below what is said, because it is wide, as trees are.
    rows : tuple of int or None
        Rows of the table that are highlighted, from 0; None for all of them.
    """

    learner: str
    title: str
    blocks: tuple[Block, ...] = ()
    picture: str = ""
    below: bool = False
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Board:
    """The table, which stays in view.

    Attributes
    ----------
    columns : tuple of str
        The target is the last one.
    rows : tuple of tuple of str
    codes : tuple of int
        The class of each row.
    classes : tuple of str
    asked : tuple of str
        A row to classify, without its class; empty for none.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    codes: tuple[int, ...]
    classes: tuple[str, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lecture:
    """Slides about one table.

    Attributes
    ----------
    title : str
    lang : str
    board : Board
    slides : tuple of Slide
    """

    title: str
    lang: str
    board: Board
    slides: tuple[Slide, ...]

    def to_html(self) -> str:
        """Return one page that needs no other file and no network; the arrow keys lead through it.

        Without scripts, and on paper, the slides stand below each other.
        """
        say = Locale(self.lang)
        slides = "\n".join(self._slide(number, slide) for number, slide in enumerate(self.slides))
        buttons = (
            f'<button type="button" data-do="back" aria-label="{escape(say("Back"))}">◀</button>'
            f'<button type="button" data-do="next" aria-label="{escape(say("Next"))}">▶</button>'
            f'<button type="button" data-do="full" aria-label="{escape(say("Full screen"))}">{_CORNERS}</button>'
        )
        keys = escape(say("← → steps · ↑ ↓ scroll · Home, End · F full screen"))
        style = f"{STYLE}{_STYLE}{_class_style(len(self.board.classes))}"
        return (
            f'<!doctype html>\n<html lang="{self.lang}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{style}</style></head>\n<body>"
            f'<header><h1>{escape(self.title)}</h1><span class="soft keys">{keys}</span>'
            '<span class="soft" role="status" id="at"></span>'
            f'<span class="controls" hidden>{buttons}</span></header>\n'
            f'<main><div class="board" tabindex="0">{self._board(say)}</div>\n'
            f'<div class="slides">{slides}</div></main>\n'
            f"<script>{_SCRIPT}</script></body></html>\n"
        )

    def _board(self, say: Locale) -> str:
        board = self.board
        numeric = [is_number([row[j] for row in board.rows]) for j in range(len(board.columns) - 1)]
        marks = [' class="n"' if n else "" for n in numeric]
        head = "".join(f'<th scope="col"{m}>{escape(name)}</th>' for name, m in zip(board.columns, [*marks, ""]))
        lines = [
            f'<tr data-row="{i}"><th scope="row">{i + 1}</th>'
            + "".join(f"<td{m}>{escape(cell)}</td>" for cell, m in zip(row, marks))
            + f'<td class="k{code % len(PALETTE)}">{escape(row[-1])}</td></tr>'
            for i, (row, code) in enumerate(zip(board.rows, board.codes))
        ]
        if board.asked:
            cells = "".join(f"<td{m}>{escape(cell)}</td>" for cell, m in zip(board.asked, marks))
            lines.append(f'<tr class="asked"><th scope="row">?</th>{cells}<td>?</td></tr>')
        caption = escape(say("{n:,} {n:row|rows}", n=len(board.rows)))
        return (
            f"<table><caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>"
        )

    def _slide(self, number: int, slide: Slide) -> str:
        rows = "" if slide.rows is None else f' data-rows="{" ".join(map(str, slide.rows))}"'
        told = f'<div class="told" tabindex="0">{blocks_of(Section("", slide.blocks))}</div>' if slide.blocks else ""
        picture = f'<div class="shown vaglio-film"><figure class="plane">{slide.picture}</figure></div>'
        return (
            f'<section class="slide" data-slide{rows} aria-labelledby="s{number}"><h2 id="s{number}">'
            f'<span class="soft">{escape(slide.learner)}</span> {escape(slide.title)}</h2>'
            f'<div class="body{" below" if slide.below else ""}">{told}{picture if slide.picture else ""}</div>'
            "</section>"
        )


def _class_style(n: int) -> str:
    """Colours of the classes, dark enough for text."""
    return "".join(
        f".board .k{k}{{color:color-mix(in srgb,{PALETTE[k]} 62%,#000);font-weight:600}}"
        for k in range(min(n, len(PALETTE)))
    )


# Four corners: few fonts have a sign for it.
_CORNERS = (
    '<svg width=".8em" height=".8em" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" '
    'aria-hidden="true"><path d="M1 6V1h5M10 1h5v5M15 10v5h-5M6 15H1v-5"/></svg>'
)

_STYLE = """
:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;font:clamp(16px,1.15vw + .55vh,34px)/1.45 system-ui,sans-serif;color:#1d2733;background:#fff}
header{display:flex;gap:1em;align-items:baseline;padding:.35em .9em;border-bottom:2px solid #2b6cb0;flex-wrap:wrap}
h1{font-size:1em;margin:0;flex:1}.soft{color:#5a6675;font-weight:400}.keys{font-size:.62em}
button{font:inherit;font-size:.8em;min-width:2.2em;margin-left:.3em;border:1px solid #cbd5e0;border-radius:.3em;
background:#f7fafc;color:inherit;cursor:pointer}
main{display:flex;gap:1em;padding:.6em .9em;align-items:flex-start}
.board{flex:0 0 auto;max-width:36%;overflow:auto;font-size:.72em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;color:#5a6675;padding-bottom:.2em}
th,td{padding:.16em .5em;text-align:left;white-space:nowrap;border-bottom:1px solid #e2e8f0}
th{font-weight:600}thead th{border-bottom:1px solid #718096;vertical-align:bottom}
.n{text-align:right}tbody th{color:#5a6675;font-weight:400;text-align:right}
.board tr.on>*{background:#fff3bf}.board tr.off>*{color:#68737f;font-weight:400}
.board .asked>*{border-top:2px solid #1d2733;font-weight:600}
.slides{flex:1;min-width:0}.slide h2{font-size:1.15em;margin:0 0 .4em;line-height:1.25}
.slide h2 .soft{display:block;font-size:.62em}
.body{display:flex;gap:1em;align-items:flex-start}.told{flex:1 1 58%;min-width:0}
.shown{flex:1 1 42%;min-width:0}.below{flex-direction:column}.shown figure{margin:0}
.shown svg{width:100%;height:auto;max-height:74vh}
.told td:last-child:not(.n){white-space:normal;min-width:8em}
.told p{margin:.35em 0}.told table{font-size:.82em;margin:.35em 0}
.formula{font-family:"Latin Modern Math","Cambria Math",Georgia,serif;margin:.25em 0;padding:.1em .6em;
border-left:4px solid #2b6cb0}
.live .told .scroll{overflow:visible}sup,sub{font-size:.7em;line-height:0}
.told tr.chosen td{background:#d6e8ff;font-weight:600}
.live,.live body{height:100%;overflow:hidden}.live body{display:flex;flex-direction:column}
.live main{flex:1;min-height:0;align-items:stretch}
.live .slide{height:100%;display:flex;flex-direction:column}.live .slide[hidden]{display:none}
.live .body{flex:1;min-height:0;align-items:stretch}.live .told{overflow:auto}
.live .shown{display:flex;align-items:flex-start;overflow:auto}.live .shown figure{width:100%;height:100%}
.live .below .told{flex:1 1 62%;min-height:0;width:100%}
.live .below .shown{flex:1 1 38%;min-height:0;width:100%}.below .shown svg{max-height:100%;max-width:60em}
.live thead th{position:sticky;top:0;background:#fff}
.board:focus,.told:focus{outline:none}.board:focus-visible,.told:focus-visible{outline:2px solid #2b6cb0}
@media (max-width:60em){.live main,.live .body{flex-direction:column;overflow:auto}
.live .board{max-width:100%;max-height:38vh}.live .told,.live .shown{overflow:visible;flex:0 0 auto}}
@media print{.controls,.keys,#at{display:none}.slide{break-inside:avoid;margin-bottom:1.5em}
.slide[hidden]{display:flex!important}.live,.live body{height:auto;overflow:visible}body{font-size:11pt}
main{display:block!important}.board{max-width:none}}
"""

# One slide at a time. The number in the address leads back to a slide after a reload; text is set as large as fits, and
# scrolls only where it would become too small.
_SCRIPT = """
"use strict";(() => {
  const slides = [...document.querySelectorAll("[data-slide]")], lines = [...document.querySelectorAll("[data-row]")];
  const at = document.getElementById("at"), board = document.querySelector(".board");
  const root = document.documentElement;
  let now = 0;
  const fits = part => part.scrollHeight <= part.clientHeight + 1 && part.scrollWidth <= part.clientWidth + 1;
  function fit(part, largest, smallest) {
    if (!part) return;
    for (let size = largest; size >= smallest; size -= 0.04) {
      part.style.fontSize = size + "em";
      if (fits(part)) return;
    }
  }
  function light(slide) {
    const rows = slide.dataset.rows === undefined ? null : new Set(slide.dataset.rows.split(" "));
    for (const line of lines) {
      line.classList.toggle("on", rows !== null && rows.has(line.dataset.row));
      line.classList.toggle("off", rows !== null && !rows.has(line.dataset.row));
    }
    const first = lines.find(line => line.classList.contains("on"));
    const last = lines.findLast(line => line.classList.contains("on"));
    if (last) last.scrollIntoView({ block: "nearest" });
    if (first) first.scrollIntoView({ block: "nearest" });
  }
  function show(number) {
    now = Math.max(0, Math.min(number, slides.length - 1));
    slides.forEach((slide, i) => { slide.hidden = i !== now; });
    light(slides[now]);
    const told = slides[now].querySelector(".told");
    fit(told, 1.4, 0.6);
    if (told) {
      told.scrollTop = 0;
      const chosen = [...told.querySelectorAll("tr.chosen")].pop();
      if (chosen && !fits(told)) chosen.scrollIntoView({ block: "center" });
    }
    at.textContent = `${now + 1} / ${slides.length}`;
    history.replaceState(null, "", "#" + (now + 1));
  }
  function full() {
    if (document.fullscreenElement) document.exitFullscreen(); else root.requestFullscreen?.();
  }
  const moves = {
    ArrowRight: 1, PageDown: 1, " ": 1, Enter: 1, ArrowLeft: -1, PageUp: -1, Backspace: -1,
    Home: -slides.length, End: slides.length,
  };
  addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "f" || event.key === "F") { full(); return; }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      slides[now].querySelector(".told")?.scrollBy(0, event.key === "ArrowDown" ? 80 : -80);
      event.preventDefault(); return;
    }
    if (!(event.key in moves) || (event.target.closest("button") && " Enter".includes(event.key))) return;
    event.preventDefault(); show(now + moves[event.key]);
  });
  document.querySelector(".controls").addEventListener("click", event => {
    const what = event.target.closest("button")?.dataset.do;
    if (what === "back") show(now - 1);
    if (what === "next") show(now + 1);
    if (what === "full") full();
  });
  const arrange = () => { fit(board, 1, 0.5); show(now); };
  addEventListener("resize", arrange);
  root.classList.add("live");
  document.querySelector(".controls").hidden = false;
  now = (parseInt(location.hash.slice(1), 10) || 1) - 1;
  arrange();
})();
"""
