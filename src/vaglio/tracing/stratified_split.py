"""A stratified split: the classes counted before and after it, and their entropy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from vaglio.document.catalogue import Words
from vaglio.document.document import Page, Trace
from vaglio.document.impurity import entropy, entropy_formula
from vaglio.document.notation import count, fixed
from vaglio.errors import InputError


def trace_split(y: Any, test_size: float = 0.5, *, seed: int = 0, lang: str = "en") -> Trace:
    """Show that a stratified split keeps the entropy of the class.

    Parameters
    ----------
    y : array-like
        The class of each row.
    test_size : float
        Share of the rows in the test part.
    seed : int
        Seed of the random split.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import trace_split
    >>> _, y = vaglio.datasets.load("iris").xy("species")
    >>> [round(value, 2) for value in trace_split(y, 0.5).facts["entropy"]]
    [1.58, 1.58, 1.58]
    """
    labels, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    if not 0 < test_size < 1:
        raise InputError(f"The test part is a share between 0 and 1; got {test_size}.")
    smallest = np.bincount(codes).min()
    if smallest < 2 or min(test_size, 1 - test_size) * len(codes) < len(labels):
        raise InputError(
            "A stratified split needs at least two rows of every class, and one row of every class in each part."
        )
    train, test = train_test_split(codes, test_size=test_size, stratify=codes, random_state=seed)
    page = Page(Words(lang))
    say = page.say
    parts = [np.bincount(part, minlength=len(labels)).astype(float) for part in (codes, train, test)]
    names = [say("all_rows"), say("training_part"), say("test_part")]
    page.section(say("split_parts"))
    page.text(say("split_rule", share=f"{100 * test_size:.0f}%"))
    rows = [[name, count(p.sum()), *map(count, p), fixed(float(entropy(p)))] for name, p in zip(names, parts)]
    page.table(["", say("rows"), *labels, say("entropy")], rows)
    for name, part in zip(names, parts):
        page.formula(f"{say('entropy')}({name}) = {entropy_formula(part)}")
    page.facts |= {"entropy": [float(entropy(part)) for part in parts], "counts": [part.tolist() for part in parts]}
    return page.finish(say("title_split"))
