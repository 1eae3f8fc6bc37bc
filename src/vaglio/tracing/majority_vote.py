"""The error of the majority vote of n independent learners."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from vaglio.document.catalogue import Words
from vaglio.document.document import Page, Trace
from vaglio.document.notation import as_fraction
from vaglio.errors import InputError


def trace_vote(error: Any = "1/3", learners: int = 3, *, lang: str = "en") -> Trace:
    """Compute the error of the majority of independent learners, each with the same error.

    Parameters
    ----------
    error : Fraction, float or str
        The error of each learner, for instance ``"1/3"``.
    learners : int
        Their number; it is odd, so that there is no tie.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_vote
    >>> trace_vote("1/3", 3).facts["majority_error"]
    '7/27'
    """
    e, n = as_fraction(error), int(learners)
    if not 0 <= e <= 1:
        raise InputError(f"An error rate lies between 0 and 1; got {error}.")
    if not 1 <= n <= 99 or n % 2 == 0:
        raise InputError(f"A majority needs an odd number of learners from 1 to 99; got {learners}.")
    page = Page(Words(lang))
    say, whole = page.say, e.denominator**n
    page.section(say("vote_setting"))
    page.text(say("vote_rule", n=n, error=_text(e), need=n // 2 + 1))
    page.formula("P(k) = C(n, k)·e^k·(1 − e)^(n − k)")
    chance = [comb(n, k) * e**k * (1 - e) ** (n - k) for k in range(n + 1)]
    lines = [
        [str(k), f"{comb(n, k)}·({_text(e)})^{k}·({_text(1 - e)})^{n - k}", _value(p, whole)]
        for k, p in enumerate(chance)
    ]
    page.table([say("col_wrong"), "C(n, k)·e^k·(1 − e)^(n − k)", "P"], lines, chosen=range(n // 2 + 1, n + 1))
    majority = sum(chance[n // 2 + 1 :], Fraction(0))
    terms = " + ".join(line[1] for line in lines[n // 2 + 1 :][:4]) + (" + …" if n > 7 else "")
    page.formula(f"P({say('majority_errs')}) = {terms} = {_value(majority, whole)} ≈ {_percent(majority)}")
    page.formula(f"P({say('all_err')}) = ({_text(e)})^{n} = {_value(chance[-1], whole)}")
    page.text(say("vote_result", one=_percent(1 - e), all=_percent(1 - majority)))
    page.facts |= {"majority_error": str(majority), "all_err": str(chance[-1]), "accuracy": float(1 - majority)}
    return page.finish(say("title_vote", n=n))


def _text(value: Fraction) -> str:
    return str(value) if value.denominator < 1000 else f"{float(value):.4f}"


def _value(value: Fraction, whole: int) -> str:
    """The fraction over the common denominator: 6/27, not 2/9, so that the terms of a sum can be added."""
    # A denominator of more than nine digits cannot be read: the decimal number stands alone.
    if whole >= 10**9:
        return f"{float(value):.4f}"
    return f"{value * whole}/{whole} = {float(value):.4f}"


def _percent(value: Fraction) -> str:
    return f"{100 * float(value):.0f}%"
