"""A trace as a LaTeX document that needs only amsmath and booktabs."""

from __future__ import annotations

import re

from vaglio.document.document import Block, Formula, Grid, Paragraph, Trace
from vaglio.document.render.text import is_number

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
}
# The same signs in mathematical mode.
_MATH_SPECIAL = {
    "\\": r"\backslash ",
    "^": r"\hat{}",
    "~": r"\sim ",
    "<": "<",
    ">": ">",
    "|": r"\mid ",
    '"': r"\text{\textquotedbl}",
}
_GREEK = {
    "α": "alpha", "ε": "varepsilon", "φ": "varphi", "σ": "sigma", "λ": "lambda", "μ": "mu", "π": "pi", "γ": "gamma",
    "θ": "theta", "κ": "kappa", "δ": "delta",
}  # fmt: skip
_SIGNS = {
    "·": "cdot", "×": "times", "≤": "le", "≥": "ge", "≠": "ne", "≈": "approx", "∞": "infty", "Σ": "sum", "Π": "prod",
    "→": "to", "∈": "in", "∝": "propto", "‖": "Vert", "←": "gets", "…": "dots", "√": "surd", "±": "pm", "¬": "lnot",
}  # fmt: skip
_POWERS = {"²": "2", "³": "3", "ᵀ": "T", "⁻": "-", "¹": "1"}
_BELOW = {**{chr(0x2080 + i): str(i) for i in range(10)}, "ᵢ": "i", "ⱼ": "j", "ₖ": "k", "ₑ": "e"}
_FUNCTIONS = {"log2": r"\log_2", "ln": r"\ln", "exp": r"\exp", "max": r"\max", "min": r"\min", "tanh": r"\tanh"}
_POWER = re.compile(r"\^(−?\w+|\([^()]*\))")
_DOUBLE = re.compile(r"([\^_])\{([^{}]*)\}\1\{([^{}]*)\}")
# What the package babel calls the languages.
_BABEL = {"en": "english", "it": "italian"}
# A comma between digits is a decimal sign: without braces LaTeX puts a space after it.
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
# Formulas with more characters than this are scaled to the width of the page.
_LONGEST = 90
_TOKEN = re.compile(r"[^\W\d_](?:\w|-(?=\w))*|\s+|.", re.UNICODE)


def to_latex(*traces: Trace) -> str:
    """Return a trace as a LaTeX document, or several, each on a page of its own."""
    language = _BABEL.get(traces[0].lang, "english")
    parts = [
        r"\documentclass{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        rf"\usepackage[{language}]{{babel}}",
        r"\usepackage{amsmath,booktabs,graphicx,textcomp}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\date{}",
        r"\begin{document}",
    ]
    for number, trace in enumerate(traces):
        if number:
            parts.append(r"\newpage")
        parts += [rf"\title{{{plain(trace.title)}}}", r"\maketitle"]
        for section in trace.sections:
            parts.append(rf"\{'sub' * min(section.level - 1, 2)}section*{{{plain(section.title)}}}")
            parts += [_block(block) for block in section.blocks]
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return plain(block.text)
    if isinstance(block, Formula):
        line = formula(block.text)
        return rf"\[ {line} \]" if len(block.text) <= _LONGEST else _fitted(rf"$\displaystyle {line}$")
    return _grid(block)


def plain(text: str) -> str:
    """Return text in which every sign with a meaning in LaTeX is escaped."""
    return "".join(_plain_sign(sign) for sign in text)


def _plain_sign(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign == "−":
        return "$-$"
    if sign in _GREEK or sign in _SIGNS or sign in _POWERS or sign in _BELOW or sign == "½":
        return f"${_math_sign(sign)}$"
    return "--" if sign == "–" else sign


def _math_sign(sign: str) -> str:
    if sign in _GREEK:
        return rf"\{_GREEK[sign]} "
    if sign in _SIGNS:
        return rf"\{_SIGNS[sign]} "
    if sign in _POWERS:
        return f"^{{{_POWERS[sign]}}}"
    if sign in _BELOW:
        return f"_{{{_BELOW[sign]}}}"
    if sign in _MATH_SPECIAL:
        return _MATH_SPECIAL[sign]
    return {"−": "-", "½": r"\tfrac{1}{2}", "–": r"\text{--}"}.get(sign) or _SPECIAL.get(sign, sign)


def formula(text: str) -> str:
    """Return a line of calculation in mathematical mode: words upright, functions by their own names."""
    pieces = _POWER.split(text)
    line = "".join(_tokens(piece) if i % 2 == 0 else f"^{{{_tokens(piece)}}}" for i, piece in enumerate(pieces))
    # Two exponents side by side (⁻¹) are joined into one.
    return _DECIMAL_COMMA.sub("{,}", re.sub(" +", " ", _DOUBLE.sub(r"\1{\2\3}", line)).strip())


def _tokens(text: str) -> str:
    parts: list[str] = []
    for token in _TOKEN.findall(text):
        if token.isspace():
            parts.append(r"\ " if parts and parts[-1].endswith("}") else " ")
        elif token in _FUNCTIONS:
            parts.append(_FUNCTIONS[token] + " ")
        else:
            parts.append(_word(token) if len(token) > 1 else _math_sign(token))
    return "".join(parts)


def _word(token: str) -> str:
    """A name; letters with an index below them stay mathematics."""
    if token[0] in _GREEK or any(sign in _BELOW or sign in _POWERS for sign in token):
        return "".join(_math_sign(sign) for sign in token)
    return rf"\text{{{plain(token)}}}"


def _grid(grid: Grid) -> str:
    columns = [[row[j] for row in grid.rows] for j in range(len(grid.columns))]
    align = "".join("r" if is_number(column) else "l" for column in columns)
    head = " & ".join(plain(name) for name in grid.columns)
    lines = []
    for i, row in enumerate(grid.rows):
        cells = [rf"\textbf{{{plain(cell)}}}" if i in grid.chosen else plain(cell) for cell in row]
        lines.append(" & ".join(cells) + r" \\")
    body = "\n".join(lines)
    caption = rf"\textbf{{{plain(grid.caption)}}}\\[2pt]" + "\n" if grid.caption else ""
    table = f"\\begin{{tabular}}{{{align}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    return _fitted(table, caption)


def _fitted(content: str, caption: str = "") -> str:
    """Centred, and scaled down if it is wider than the page."""
    width = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
    return f"\\begin{{center}}\n{caption}\\resizebox{{{width}}}{{!}}{{%\n{content}}}\n\\end{{center}}"
