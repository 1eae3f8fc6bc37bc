"""An explanation as a fragment of HTML: no script, no outside file, no colour that a dark page would swallow."""

from __future__ import annotations

from html import escape

import numpy as np

from vaglio.explanation.explanation import Explanation, Reason

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
.vaglio-explanation .otherwise{margin:.6rem 0 0;padding:.4rem .6rem;border-left:.2rem solid #2f81c6;
background:rgba(128,128,128,.1)}
"""


def to_fragment(explanation: Explanation) -> str:
    """Return the explanation as one element with its own style."""
    largest = _largest((*explanation.reasons, *explanation.against))
    parts = [
        f"<style>{_STYLE.replace(chr(10), '')}</style>",
        _headline(explanation),
        f'<p class="note">{escape(explanation.cost_in_words)}</p>' if explanation.cost_in_words else "",
        _side("Because", "for", explanation.reasons, largest),
        _side("Against it", "against", explanation.against, largest),
    ]
    if explanation.sum_in_words:
        parts.append(f'<p class="note">{escape(explanation.sum_in_words)}</p>')
    parts += [f'<p class="note">{escape(note)}</p>' for note in explanation.notes]
    if explanation.counterfactual:
        other = explanation.counterfactual
        said = f"It would be <b>{escape(str(other.decision))}</b> if {escape(str(other))}."
        parts.append(f'<p class="otherwise">{said}</p>')
    return f'<div class="vaglio-explanation">{"".join(parts)}</div>'


def _headline(explanation: Explanation) -> str:
    chance = "" if explanation.probability is None else f" {explanation.probability:.1%}"
    second = "" if explanation.runner_up is None else f", next {escape(str(explanation.runner_up))}"
    return f'<p class="decision">{escape(str(explanation.decision))}<span class="chance">{chance}{second}</span></p>'


def _side(title: str, side: str, reasons: tuple[Reason, ...], largest: float) -> str:
    if not reasons:
        return ""
    return f'<p class="side">{title}</p><ul class="{side}">{"".join(_item(reason, largest) for reason in reasons)}</ul>'


def _item(reason: Reason, largest: float) -> str:
    said = f'<span class="said">{escape(reason.text)}</span>'
    if reason.weight is None:
        return f"<li>{said}</li>"
    share = 1.0 if not np.isfinite(reason.weight) else abs(reason.weight) / largest
    bar = f'<span class="bar" aria-hidden="true"><i style="width:{100 * share:.0f}%"></i></span>'
    return f'<li>{said}{bar}<span class="weight">{reason.weight:+.3g}</span></li>'


def _largest(reasons: tuple[Reason, ...]) -> float:
    weights = [abs(r.weight) for r in reasons if r.weight is not None and np.isfinite(r.weight)]
    return max(weights, default=1.0) or 1.0
