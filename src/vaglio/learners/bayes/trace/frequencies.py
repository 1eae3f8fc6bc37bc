"""Smoothed frequencies of an attribute: the counts of its values per class, and the factor of a row."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import count, fixed, fraction
from vaglio.document.training import Training
from vaglio.learners.bayes.model.likelihood import VALUE, TableGroup
from vaglio.learners.bayes.model.posterior import values_seen
from vaglio.learners.bayes.trace.product import Factor
from vaglio.messages.numbers import short_number


def cells_of(training: Training, j: int, group: TableGroup) -> tuple[list[str], np.ndarray, Callable[[float], int]]:
    """Names of an attribute's cells, the cell of every training row (-1 missing), and the function value -> cell."""
    feature, position = training.features[j], training.matrix.position[j]
    if feature.is_nominal:
        return [str(c) for c in feature.categories], training.matrix.codes[:, position], int
    t = int(np.flatnonzero(group.feature == j)[0])
    x = training.matrix.numeric[:, position]
    cells = np.array([-1 if np.isnan(value) else group.cell(t, value) for value in x])
    if feature.kind == "ordinal":
        names = [str(c) for c in feature.categories]
    elif group.table_kind[t] == VALUE:
        names = [short_number(value) for value in group.points(t)]
    else:
        cuts = [short_number(round(float(cut), 6)) for cut in group.cuts(t)]
        names = [f"< {cuts[0]}", *(f"{a} … {b}" for a, b in pairwise(cuts)), f"≥ {cuts[-1]}"] if cuts else ["–"]
    return names, cells, lambda value: group.cell(t, value)


def count_table(training: Training, cells: np.ndarray, size: int) -> np.ndarray:
    """Class weights (K, V) of an attribute, missing values left out."""
    table = np.zeros((len(training.classes), size))
    known = cells >= 0
    np.add.at(table, (training.y[known], cells[known]), training.weight[known])
    return table


def smoothed_fraction(n: float, total: float, alpha: float, size: int) -> tuple[str, float]:
    """(n + α)/(total + α·V), as text and as a number; 1/V if there are no rows."""
    if total + alpha * size <= 0:
        return f"1/{size}", 1 / size
    if alpha == 0:
        return fraction(n, total), n / total
    text = f"({count(n)}+{count(alpha)})/({count(total)}+{size}·{count(alpha)})"
    return text, (n + alpha) / (total + alpha * size)


def believed_shares(
    page: Page, name: str, probability: np.ndarray, reliability: float
) -> list[list[tuple[str, float]]]:
    """Say why the counts of a column of many values are not believed wholly; return P(v|c) by value and class."""
    key = "many_values" if reliability > 0 else "chance_values"
    page.text(page.say(key, name=name, reliability=fixed(reliability)))
    return [[(fixed(number), float(number)) for number in each] for each in probability.T]


def written_share(share: tuple[str, float]) -> str:
    """A fraction and its value; the value alone where nothing else is known."""
    text, number = share
    return text if text == fixed(number) else f"{text} = {fixed(number)}"


def write_frequencies(page: Page, training: Training, j: int, alpha: float, group: TableGroup) -> Factor | None:
    """Write an attribute's table; return its factor when there is a row that has a value."""
    names, cells, cell_of = cells_of(training, j, group)
    table = count_table(training, cells, len(names))
    totals, size = table.sum(axis=1), values_seen(table)
    t = int(np.flatnonzero(group.feature == j)[0])
    if group.reliability[t] < 1:
        shares = believed_shares(page, training.features[j].name, group.probability(t), float(group.reliability[t]))
    else:
        shares = [
            [smoothed_fraction(table[c, v], totals[c], alpha, size) for c in range(len(totals))]
            for v in range(len(names))
        ]
    rows = [[name, *map(written_share, each)] for name, each in zip(names, shares)]
    value = _cell_of_row(training, j, cell_of)
    chosen = [value] if value >= 0 else []
    page.table([training.features[j].name, *training.classes], rows, chosen=chosen)
    if value < 0:
        if training.row is not None:
            page.text(page.say("missing_left_out", name=training.features[j].name))
        return None
    factors = shares[value]
    name = f"{training.features[j].name} = {names[value]}"
    return Factor(name, tuple(text for text, _ in factors), np.array([number for _, number in factors]))


def _cell_of_row(training: Training, j: int, cell_of: Callable[[float], int]) -> int:
    """The cell of the row to classify; -1 if there is no row, or if its value is missing or unknown."""
    if training.row is None:
        return -1
    position = training.matrix.position[j]
    if training.features[j].is_nominal:
        return int(training.row.codes[0, position])
    number = float(training.row.numeric[0, position])
    return -1 if np.isnan(number) else int(cell_of(number))
