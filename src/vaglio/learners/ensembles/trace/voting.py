"""A vote of different learners: the errors of each, what independent errors would make of them, the vote on a row."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import fixed, percent
from vaglio.document.training import Training
from vaglio.learners.forest.trace.random_forest import announce_winner
from vaglio.messages.sentences import listed

# Members whose 2^n ways to be right and wrong are listed.
_MOST_LISTED = 5
# Training rows that are listed by number.
_MOST_ROWS = 20


def trace_voting(page: Page, training: Training) -> None:
    """Write the errors of the members and of the majority, and the vote on a row."""
    say, model, n = page.say, training.model, len(training.y)
    page.section(say("members"))
    page.text(say("members_rule", members=len(model.names), n=n))
    wrong = np.stack([member.decide(training.matrix) != training.y for member in model.members])
    lines = [
        [name, fixed(share), _rows(rows), f"{int(rows.sum())}/{n} = {fixed(rows.mean())}"]
        for name, share, rows in zip(model.names, model.shares, wrong)
    ]
    page.table([say("col_member"), say("weight"), say("col_wrong"), say("col_error")], lines)
    together = np.argmax(model.predict_proba(training.matrix), axis=1) != training.y
    page.text(say("members_together", wrong=int(together.sum()), n=n, error=fixed(together.mean())))
    page.facts |= {
        "errors": {name: int(rows.sum()) for name, rows in zip(model.names, wrong)},
        "majority_error": int(together.sum()),
    }
    _if_independent(page, training, wrong)
    if training.row is None:
        page.text(say("no_row"))
        return
    _vote(page, training)


def _rows(wrong: np.ndarray) -> str:
    found = np.flatnonzero(wrong) + 1
    return (" ".join(map(str, found.tolist())) or "–") if len(found) <= _MOST_ROWS else str(len(found))


def _if_independent(page: Page, training: Training, wrong: np.ndarray) -> None:
    """Write how often a majority of equal votes would err if the members erred independently."""
    names, shares = training.model.names, training.model.shares
    equal = training.model.vote == "hard" and np.allclose(shares, shares[0]) and len(names) % 2 == 1
    if not equal or not 1 < len(names) <= _MOST_LISTED:
        return
    say, half = page.say, len(names) / 2
    errors = [Fraction(int(rows.sum()), len(rows)) for rows in wrong]
    page.section(say("vote_setting"))
    page.text(say("members_independent"))
    lines, chosen, majority = list[list[str]](), list[int](), Fraction(0)
    for errs in product((False, True), repeat=len(names)):
        factors = [error if bad else 1 - error for bad, error in zip(errs, errors)]
        if sum(errs) > half:
            chosen.append(len(lines))
            majority += prod(factors)
        who = listed([name for name, bad in zip(names, errs) if bad]) if any(errs) else "–"
        lines.append([who, "·".join(f"({factor})" for factor in factors), fixed(float(prod(factors)))])
    page.table([say("col_wrong"), "Π", "P"], lines, chosen=chosen)
    page.formula(f"P({say('majority_errs')}) = {majority} = {fixed(float(majority))}")
    page.facts["majority_error_if_independent"] = str(majority)


def _vote(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    page.section(say("votes"))
    page.text(say("votes_soft" if model.vote == "soft" else "votes_hard"))
    said = model.each(training.row)[:, 0, :]
    lines = [[name, percent(share), *map(fixed, line)] for name, share, line in zip(model.names, model.shares, said)]
    page.table([say("col_member"), say("weight"), *training.classes], lines)
    announce_winner(page, training, model.shares @ said)
