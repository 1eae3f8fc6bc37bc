"""What all Bayes traces share: priors, smoothed frequencies, the product of the factors of a row, normalised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import Notation, minus
from vaglio.document.training import Training, number_text, value_text
from vaglio.learners.bayes.explain import in_figures
from vaglio.learners.bayes.model.likelihood import VALUE, TableGroup
from vaglio.learners.bayes.model.posterior import values_seen

# A longer product does not fit a line; the table of logarithms has the same factors.
_MOST_FACTORS = 16
# A smaller product needs more than four decimals to be divided.
_LEAST = 1e-3


@dataclass(frozen=True)
class Factor:
    """P(x|c) of one attribute for the row: its text, its value and its logarithm in each class."""

    name: str
    written: tuple[str, ...]
    values: np.ndarray
    logarithm: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if not self.logarithm.size:
            with np.errstate(divide="ignore"):
                object.__setattr__(self, "logarithm", np.log(self.values))


def write_priors(page: Page, training: Training, given: bool) -> tuple[np.ndarray, list[str]]:
    """Write the priors; return them, and their text in a product."""
    prior, sizes = np.asarray(training.model.prior), training.class_weights()
    for label, n, p in zip(training.classes, sizes, prior):
        worked = "" if given else f"{page.say.fraction(n, sizes.sum())} = "
        page.formula(f"P({label}) = {worked}{page.say.fixed(p)}")
    return prior, [page.say.fixed(p) if given else page.say.fraction(n, sizes.sum()) for n, p in zip(sizes, prior)]


def write_product(page: Page, training: Training, factors: list[Factor], prior: np.ndarray, written: list[str]) -> None:
    """Multiply the factors of the row and the prior of each class, and make the products add up to 1."""
    say, classes = page.say, training.classes
    assert training.row is not None
    page.section(say("The row"))
    row = say.series(f"{f.name} = {value_text(say, training.row, j, 0)}" for j, f in enumerate(training.features))
    page.text(f"x = ({row})")
    with np.errstate(divide="ignore"):
        total = np.log(prior) + sum((factor.logarithm for factor in factors), np.zeros(len(prior)))
    joint = np.exp(total)
    shown = _written(say, total)
    for c, label in enumerate(classes):
        if len(factors) <= _MOST_FACTORS:
            terms = [*(factor.written[c] for factor in factors), written[c]]
            page.formula(f"P(x|{label})·P({label}) = {' · '.join(terms)} = {shown[c]}")
        else:
            page.formula(f"P(x|{label})·P({label}) = {shown[c]}")
    if np.isneginf(total).all():
        page.text(say("Every class has a factor of zero: only the prior probabilities decide."))
        posterior = prior
    else:
        posterior = np.exp(total - total.max())
        posterior /= posterior.sum()
        for label, value, share in zip(classes, shown, posterior):
            page.formula(f"P({label}|x) = {value} / ({' + '.join(shown)}) = {say.percent(share)}")
    best = int(np.argmax(posterior))
    page.text(say("Decision: {label} ({share}).", label=classes[best], share=say.percent(posterior[best])))
    _logarithms(page, training, factors, prior, total)
    page.facts |= {
        "joint": dict(zip(classes, joint.tolist())),
        "posterior": dict(zip(classes, posterior.tolist())),
        "decision": classes[best],
        "factors": [{"name": f.name, "written": list(f.written), "values": f.values.tolist()} for f in factors],
    }


def _written(say: Notation, logarithms: np.ndarray) -> list[str]:
    """Products by their logarithms: four decimals, or three digits where four decimals would leave too few."""
    numbers = np.exp(logarithms)
    positive = numbers[~np.isneginf(logarithms)]
    if not positive.size or positive.min() >= _LEAST:
        return [say.fixed(number) if number else "0" for number in numbers]
    # A product too small for a float is written from its logarithm.
    return [
        say.figures(v) if v > 1e-290 or np.isneginf(t) else say.marks(minus(in_figures(t)))
        for t, v in zip(logarithms, numbers)
    ]


def _logarithms(page: Page, training: Training, factors: list[Factor], prior: np.ndarray, total: np.ndarray) -> None:
    page.section(page.say("The same with logarithms"), level=2)
    page.text(page.say("Sums of logarithms do not underflow. They do not remove a factor of zero."))
    with np.errstate(divide="ignore"):
        rows = [["P(c)", *map(page.say.fixed, np.log(prior))]]
    rows += [[factor.name, *map(page.say.fixed, factor.logarithm)] for factor in factors]
    rows.append(["Σ", *map(page.say.fixed, total)])
    page.table([page.say("term"), *training.classes], rows, chosen=[len(rows) - 1])


def cells_of(
    say: Notation, training: Training, j: int, group: TableGroup
) -> tuple[list[str], np.ndarray, Callable[[float], int]]:
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
        names = [number_text(say, feature, value) for value in group.points(t).tolist()]
    else:
        cuts = [number_text(say, feature, round(float(cut), 6)) for cut in group.cuts(t)]
        names = [f"< {cuts[0]}", *(f"{a} … {b}" for a, b in pairwise(cuts)), f"≥ {cuts[-1]}"] if cuts else ["–"]
    return names, cells, lambda value: group.cell(t, value)


def count_table(training: Training, cells: np.ndarray, size: int) -> np.ndarray:
    """Class weights (K, V) of an attribute, missing values left out."""
    table = np.zeros((len(training.classes), size))
    known = cells >= 0
    np.add.at(table, (training.y[known], cells[known]), training.weight[known])
    return table


def smoothed_fraction(say: Notation, n: float, total: float, alpha: float, size: int) -> tuple[str, float]:
    """(n + α)/(total + α·V), as text and as a number; 1/V if there are no rows."""
    if total + alpha * size <= 0:
        return f"1/{size}", 1 / size
    if alpha == 0:
        return say.fraction(n, total), n / total
    text = f"({say.count(n)}+{say.count(alpha)})/({say.count(total)}+{size}·{say.count(alpha)})"
    return text, (n + alpha) / (total + alpha * size)


def believed_shares(
    page: Page, name: str, probability: np.ndarray, reliability: float
) -> list[list[tuple[str, float]]]:
    """Write how reliable a column of many values is; return P(v|c) by value and class."""
    say = page.say
    if reliability > 0:
        page.text(
            say(
                "{name} has many values, so part of its association with the class is due to chance: {reliability} of "
                "it is reliable. The class shares of each value are therefore shrunk towards those of all rows, and "
                "the frequencies are computed from the shrunk shares.",
                name=name,
                reliability=say.fixed(reliability),
            )
        )
    else:
        page.text(
            say(
                "{name} has many values, and they predict the class no better than chance: its factor is the same for "
                "every class.",
                name=name,
            )
        )
    return [[(say.fixed(number), float(number)) for number in each] for each in probability.T]


def written_share(say: Notation, share: tuple[str, float]) -> str:
    """A fraction and its value; the value alone where nothing else is known."""
    text, number = share
    return text if text == say.fixed(number) else f"{text} = {say.fixed(number)}"


def write_frequencies(page: Page, training: Training, j: int, alpha: float, group: TableGroup) -> Factor | None:
    """Write an attribute's table; return its factor when there is a row that has a value."""
    names, cells, cell_of = cells_of(page.say, training, j, group)
    table = count_table(training, cells, len(names))
    totals, size = table.sum(axis=1), values_seen(table)
    t = int(np.flatnonzero(group.feature == j)[0])
    if group.reliability[t] < 1:
        shares = believed_shares(page, training.features[j].name, group.probability(t), float(group.reliability[t]))
    else:
        shares = [
            [smoothed_fraction(page.say, table[c, v], totals[c], alpha, size) for c in range(len(totals))]
            for v in range(len(names))
        ]
    rows = [[name, *(written_share(page.say, share) for share in each)] for name, each in zip(names, shares)]
    value, position = -1, training.matrix.position[j]
    if training.row is not None and training.features[j].is_nominal:
        value = int(training.row.codes[0, position])
    elif training.row is not None and not np.isnan(training.row.numeric[0, position]):
        value = int(cell_of(float(training.row.numeric[0, position])))
    chosen = [value] if value >= 0 else []
    page.table([training.features[j].name, *training.classes], rows, chosen=chosen)
    if value < 0:
        if training.row is not None:
            page.text(
                page.say("{name} is missing in the row and is left out of the product.", name=training.features[j].name)
            )
        return None
    factors = shares[value]
    name = f"{training.features[j].name} = {names[value]}"
    return Factor(name, tuple(text for text, _ in factors), np.array([number for _, number in factors]))
