"""An explanation as a fragment of HTML: no script, no outside file, no colour that a dark page would swallow."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from vaglio.explanation.explanation import Explanation, Reason
from vaglio.messages.figures import figure
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Message, text

# Text takes the colour of the page around it. The two hues stand out (3:1 and more) on white and on black alike, and
# never speak alone: sides have their own headings, and every bar its number.
_STYLE = """
.vaglio-explanation{font-family:system-ui,sans-serif;font-size:.95rem;line-height:1.4;max-width:44rem;color:inherit}
.vaglio-explanation .decision{font-size:1.1rem;font-weight:600;margin:0 0 .5rem}
.vaglio-explanation .chance{font-weight:400;opacity:.85}
.vaglio-explanation .side{font-size:.9rem;font-weight:600;margin:.6rem 0 .2rem}
.vaglio-explanation ul{list-style:none;margin:0;padding:0}
.vaglio-explanation li{display:flex;flex-wrap:wrap;gap:0 .6rem;align-items:center;padding:.1rem 0}
.vaglio-explanation .said{flex:1 1 14rem;overflow-wrap:anywhere}
.vaglio-explanation .bar{flex:0 0 8rem;height:.6rem;border-radius:.2rem;background:rgba(128,128,128,.18)}
.vaglio-explanation .bar i{display:block;height:100%;border-radius:.2rem}
.vaglio-explanation .for i{background:#2f81c6}
.vaglio-explanation .against i{background:#d0662b}
.vaglio-explanation .weight{flex:0 0 4.5rem;text-align:right;font-variant-numeric:tabular-nums}
.vaglio-explanation .note{margin:.3rem 0;opacity:.85;overflow-wrap:anywhere}
.vaglio-explanation .row{font-size:.8rem;opacity:.7;margin:1.2rem 0 .1rem}
.vaglio-explanation .otherwise{margin:.6rem 0 0;padding:.4rem .6rem;border-left:.2rem solid #2f81c6;
background:rgba(128,128,128,.1)}
"""


def to_fragment(explanation: Explanation, locale: Locale = ENGLISH) -> str:
    """Return the explanation as one element with its own style, in the language of the locale."""
    return _framed(_body(explanation, locale))


def to_fragments(explanations: Sequence[Explanation], rest: Sequence[Message], locale: Locale = ENGLISH) -> str:
    """Return the explanations of several rows, each below the number of its row, and what is said about the rest."""
    parts = [
        f'<p class="row">{escape(locale.say("Row {n:,}", n=n))}</p>{_body(explanation, locale)}'
        for n, explanation in enumerate(explanations, 1)
    ]
    parts += [_paragraph("note", line, locale) for line in rest]
    return _framed("".join(parts))


def _framed(body: str) -> str:
    return f'<div class="vaglio-explanation"><style>{_STYLE.replace(chr(10), "")}</style>{body}</div>'


def _body(explanation: Explanation, locale: Locale) -> str:
    weights = [r.weight for r in (*explanation.told_for, *explanation.told_against) if r.weight is not None]
    largest = max((abs(weight) for weight in weights if np.isfinite(weight)), default=1.0) or 1.0
    chance = "" if explanation.probability is None else f" {locale.number(explanation.probability, '.1%')}"
    second = ""
    if explanation.runner_up is not None:
        second = locale.say(", next {runner_up}", runner_up=str(explanation.runner_up))
    decided = explanation.decision
    decision = locale.text(explanation.headline) if isinstance(decided, float) else str(decided)
    raised, lowered = locale.say("Because"), locale.say("Against it")
    if explanation.in_units:
        raised, lowered = locale.say("Higher for"), locale.say("Lower for")
    parts = [
        f'<p class="decision">{escape(decision)}<span class="chance">{escape(chance + second)}</span></p>',
        _paragraph("note", explanation.cost_in_words, locale),
        _side(raised, "for", explanation.told_for, largest, locale, explanation),
        _side(lowered, "against", explanation.told_against, largest, locale, explanation),
        _paragraph("note", explanation.sum_in_words, locale),
        *(_paragraph("note", note, locale) for note in explanation.notes),
    ]
    if explanation.counterfactual:
        other = explanation.counterfactual
        said = text("It would be {decision} if {changes}.", decision=str(other.decision), changes=other.in_words)
        if other.goal is not None:
            told = figure(other.decision, 6)
            said = text(
                "It would be {goal} ({decision}) if {changes}.", goal=other.goal, decision=told, changes=other.in_words
            )
        parts.append(_paragraph("otherwise", said, locale))
    return "".join(parts)


def _paragraph(kind: str, said: str | None, locale: Locale) -> str:
    return f'<p class="{kind}">{escape(locale.text(said))}</p>' if said else ""


def _side(
    title: str, side: str, reasons: tuple[Reason, ...], largest: float, locale: Locale, whole: Explanation
) -> str:
    if not reasons:
        return ""
    items = "".join(_item(reason, largest, locale, whole) for reason in reasons)
    return f'<p class="side">{title}</p><ul class="{side}">{items}</ul>'


def _item(reason: Reason, largest: float, locale: Locale, whole: Explanation) -> str:
    said = f'<span class="said">{escape(locale.text(reason.text))}</span>'
    if reason.weight is None:
        return f"<li>{said}</li>"
    share = 1.0 if not np.isfinite(reason.weight) else abs(reason.weight) / largest
    bar = f'<span class="bar" aria-hidden="true"><i style="width:{100 * share:.0f}%"></i></span>'
    return f'<li>{said}{bar}<span class="weight">{locale.text(whole.weight_in_words(reason))}</span></li>'
