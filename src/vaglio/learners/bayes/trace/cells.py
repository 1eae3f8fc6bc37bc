"""Tables of cells: a Bayesian network, and the joint table of all combinations of values."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.errors import InputError
from vaglio.learners.bayes.trace.factors import (
    Factor,
    believed_shares,
    count_table,
    smoothed_fraction,
    write_priors,
    write_product,
    written_share,
)


def trace_bayes_net(page: Page, training: Training) -> None:
    """Write the structure, the tables and, for a row, the product."""
    say, model = page.say, training.model
    page.section(say("Prior probabilities"))
    page.text(
        say(
            "P(c|x) is proportional to P(c) times the product of P(xⱼ|c, parents of j): an attribute may "
            "depend on other attributes besides the class."
        )
    )
    prior, written = write_priors(page, training, training.estimator.priors is not None)
    cells = model.bins.cells(training.matrix)
    _structure(page, training, cells)
    page.section(say("Likelihoods"))
    page.text(
        say(
            "A frequency is (n(v,c) + α)/(n(c) + α·V), where α = {alpha} and V is the number of values of the"
            " attribute.",
            alpha=say.count(model.alpha),
        )
    )
    if any(model.parents):
        page.text(
            say(
                "Given its parents, a frequency is (n + α·V·P(v|c))/(N + α·V). Where a combination of the parents"
                " is rare, it is close to the frequency without parents."
            )
        )
    asked = None if training.row is None else model.bins.cells(training.row)[0]
    factors = []
    for j, feature in enumerate(training.features):
        above = ", ".join(training.features[p].name for p in model.parents[j])
        page.section(f"P({feature.name}|c{', ' + above if above else ''})", level=2)
        factor = _attribute(page, training, j, cells, asked)
        if factor is not None:
            factors.append(factor)
        elif asked is not None:
            page.text(say("{name} is missing in the row and is left out of the product.", name=feature.name))
    if asked is None:
        page.text(say("Give a row to see how it is classified."))
        return
    write_product(page, training, factors, prior, written)


# -- structure ---------------------------------------------------------------------------------------------------------
def _structure(page: Page, training: Training, cells: np.ndarray) -> None:
    say, structure, names = page.say, training.estimator.structure, [f.name for f in training.features]
    page.section(say("Structure"))
    if structure in ("tan", "k-dependence"):
        if structure == "tan":
            page.text(
                say(
                    "Tree-augmented naive Bayes (TAN): the tree with the largest mutual information given the class "
                    "(Chow and Liu), directed away from {first}. Each attribute has at most one other attribute as "
                    "parent.",
                    first=names[0],
                )
            )
        else:
            page.text(
                say(
                    "k-dependence: attributes are ordered by their mutual information with the class. Each takes as "
                    "parents the {k} attributes before it with the largest mutual information given the class "
                    "(k = {k}).",
                    k=training.estimator.k,
                )
            )
        page.formula("I(A; B|c) = Σ P(a, b, c)·log2(P(a, b|c)/(P(a|c)·P(b|c)))")
        pairs = [(pair, _information(training, cells, *pair)) for pair in combinations(range(len(names)), 2)]
        pairs.sort(key=lambda entry: -entry[1])
        edges = {frozenset((p, j)) for j, above in enumerate(training.model.parents) for p in above}
        lines = [[names[a], names[b], say.fixed(value)] for (a, b), value in pairs]
        chosen = [i for i, (pair, _) in enumerate(pairs) if frozenset(pair) in edges]
        page.table(
            ["A", "B", "I(A; B|c)"],
            lines,
            say("Mutual information given the class, in bits"),
            chosen,
            most=training.most_steps,
        )
        page.facts["information"] = {f"{names[a]}, {names[b]}": value for (a, b), value in pairs}
        if structure == "k-dependence":
            # Attributes by their mutual information with the class: each may depend on those before it.
            tables = [count_table(training, cells[:, j], int(size)) for j, size in enumerate(training.model.bins.size)]
            told = [_mutual(table[None]) for table in tables]
            order = np.argsort(-np.array(told), kind="stable").tolist()
            lines = [[str(place), names[j], say.fixed(told[j])] for place, j in enumerate(order, start=1)]
            page.table(["", say("attribute"), "I(A; c)"], lines, say("Order of the attributes"))
    else:
        page.text(
            say("No attribute depends on another: naive Bayes.")
            if structure == "naive"
            else say("The edges were given.")
        )
    lines = [[name, ", ".join(names[p] for p in above) or "–"] for name, above in zip(names, training.model.parents)]
    page.table([say("attribute"), say("parents")], lines)
    page.facts["parents"] = {name: [names[p] for p in a] for name, a in zip(names, training.model.parents)}


def _information(training: Training, cells: np.ndarray, a: int, b: int) -> float:
    """I(A; B|c) in bits over the rows in which both are known."""
    size = training.model.bins.size
    joint = np.zeros((len(training.classes), int(size[a]), int(size[b])))
    known = (cells[:, a] >= 0) & (cells[:, b] >= 0)
    np.add.at(joint, (training.y[known], cells[known, a], cells[known, b]), training.weight[known])
    return _mutual(joint)


def _mutual(joint: np.ndarray) -> float:
    """Mutual information of the last two axes given the first, from its definition."""
    total = joint.sum()
    if total <= 0:
        return 0.0
    value = 0.0
    for c, a, b in product(*map(range, joint.shape)):
        if joint[c, a, b] > 0:
            apart = joint[c, a].sum() * joint[c, :, b].sum() / joint[c].sum()
            value += joint[c, a, b] / total * np.log2(joint[c, a, b] / apart)
    return max(0.0, float(value))


# -- tables ------------------------------------------------------------------------------------------------------------
def _attribute(page: Page, training: Training, j: int, cells: np.ndarray, asked: np.ndarray | None) -> Factor | None:
    """Write the table of an attribute; return the factor of the row when it has a value."""
    model, parents = training.model, training.model.parents[j]
    size, labels = int(model.bins.size[j]), _labels(page, model.bins, j)
    alone, seen = count_table(training, cells[:, j], size), int(model.bins.n_values[j])
    value = -1 if asked is None else int(asked[j])
    with_parents = bool(parents) and (asked is None or bool((asked[list(parents)] >= 0).all()))
    if not with_parents:
        if model.reliability[j] < 1:
            name, believed = training.features[j].name, float(model.reliability[j])
            shares = believed_shares(page, name, model.given_class(j), believed)
        else:
            shares = [
                [smoothed_fraction(page.say, line[v], line.sum(), model.alpha, seen) for line in alone]
                for v in range(size)
            ]
        lines = [[label, *(written_share(page.say, share) for share in each)] for label, each in zip(labels, shares)]
        chosen = [value] if value >= 0 else []
        page.table([training.features[j].name, *training.classes], lines, chosen=chosen, most=training.most_steps)
        return None if value < 0 else _factor(page, training, j, value, shares[value])
    lines, chosen, mine = [], [], None
    for combination in product(*(range(int(model.bins.size[p])) for p in parents)):
        here = (cells[:, list(parents)] == combination).all(axis=1)
        if not here.any() and (asked is None or tuple(asked[list(parents)]) != combination):
            continue
        table = count_table(training, np.where(here, cells[:, j], -1), size)
        for v in range(size):
            each = [
                _with_parents(page.say, table[c], float(model.given_class(j)[c, v]), v, model.alpha, seen)
                for c in range(len(table))
            ]
            if asked is not None and value == v and tuple(asked[list(parents)]) == combination:
                chosen, mine = [len(lines)], each
            above = [_labels(page, model.bins, p)[cell] for p, cell in zip(parents, combination)]
            lines.append([*above, labels[v], *(f"{text} = {page.say.fixed(number)}" for text, number in each)])
    head = [*(training.features[p].name for p in parents), training.features[j].name, *training.classes]
    if chosen and chosen[0] >= training.most_steps:  # in a long table the line of the row comes first
        lines.insert(0, lines.pop(chosen[0]))
        chosen = [0]
    page.table(head, lines, chosen=chosen, most=training.most_steps)
    return None if mine is None else _factor(page, training, j, value, mine)


def _with_parents(say: Notation, counts: np.ndarray, base: float, v: int, alpha: float, size: int) -> tuple[str, float]:
    """(n + α·V·P(v|c))/(N + α·V): for rare combinations it is close to the frequency without parents."""
    n, total, extra = float(counts[v]), float(counts.sum()), alpha * size
    if total + extra <= 0:
        return say.fixed(base), base
    if extra == 0:
        return f"{say.count(n)}/{say.count(total)}", n / total
    return f"({say.count(n)}+{say.count(extra)}·{say.fixed(base)})/({say.count(total)}+{say.count(extra)})", (
        n + extra * base
    ) / (total + extra)


def _labels(page: Page, bins: Any, j: int) -> list[str]:
    return [page.say.text(bins.label(j, cell)) for cell in range(int(bins.size[j]))]


def _factor(page: Page, training: Training, j: int, cell: int, each: list[tuple[str, float]]) -> Factor:
    name = f"{training.features[j].name} {page.say.text(training.model.bins.condition(j, cell))}"
    return Factor(name, tuple(text for text, _ in each), np.array([number for _, number in each]))


def trace_joint_bayes(page: Page, training: Training) -> None:
    """Write the combinations that occur, and the likelihood and decision for a row."""
    say, model = page.say, training.model
    alpha, bins = float(training.estimator.alpha), model.bins
    cells = bins.cells(training.matrix)
    n_cells = model.n_cells
    page.section(say("The joint table"))
    page.text(
        say(
            "P(x|c) is read from one table over all {cells} combinations of values: (rows of c in the cell + "
            "α)/(rows of c + α·cells), where α = {alpha}.",
            cells=n_cells,
            alpha=say.count(alpha),
        )
    )
    complete = (cells >= 0).all(axis=1)
    seen, where = np.unique(cells[complete], axis=0, return_inverse=True)
    table = np.zeros((len(seen), len(training.classes)))
    np.add.at(table, (where.ravel(), training.y[complete]), training.weight[complete])
    totals = table.sum(axis=0)
    asked = None if training.row is None else bins.cells(training.row)[0]
    if asked is not None and (asked < 0).any():
        raise InputError(
            "row-incomplete",
            "The row has a missing or unknown value; a joint table has cells for complete rows only.",
        )
    here = [] if asked is None else np.flatnonzero((seen == asked).all(axis=1)).tolist()
    rows = [
        [*(say.text(bins.label(j, int(cell))) for j, cell in enumerate(combination)), *map(say.count, line)]
        for combination, line in zip(seen, table)
    ]
    names = [feature.name for feature in training.features]
    page.table([*names, *training.classes], rows, say("Counts"), here, most=training.most_steps)
    _distribution(page, training, rows, table, here)
    if asked is None:
        page.text(say("Give a row to see how it is classified."))
        return
    _decide(page, training, table[here[0]] if here else np.zeros(len(totals)), totals, alpha, n_cells)


def _distribution(page: Page, training: Training, rows: list[list[str]], table: np.ndarray, here: list[int]) -> None:
    """Write the same table as shares of all rows, which sum to 1."""
    say, n = page.say, float(table.sum())
    if n <= 0:
        return
    page.formula(f"P(x, c) = n(x, c) / {say.count(n)}")
    of_values = len(training.features)
    lines = [[*row[:of_values], *(say.fixed(value / n) for value in line)] for row, line in zip(rows, table)]
    lines.append([*["Σ", *[""] * (of_values - 1)], *(say.fixed(value / n) for value in table.sum(axis=0))])
    names = [feature.name for feature in training.features]
    heads = [f"P(x, {label})" for label in training.classes]
    page.table([*names, *heads], lines, say("Distribution"), here, most=training.most_steps + 1)
    page.facts["distribution"] = (table / n).tolist()


def _decide(page: Page, training: Training, cell: np.ndarray, totals: np.ndarray, alpha: float, cells: int) -> None:
    say, prior = page.say, np.asarray(training.model.prior)
    page.section(say("The row"))
    page.text(f"x = ({say.series(training.value(say, j, 0, training.row) for j in range(len(training.features)))})")
    likelihood = np.divide(
        cell + alpha, totals + alpha * cells, out=np.full(len(cell), 1 / cells), where=totals + alpha * cells > 0
    )
    joint = likelihood * prior
    for c, label in enumerate(training.classes):
        plain = say.fraction(cell[c], totals[c])
        text = (
            plain
            if alpha == 0
            else f"({say.count(cell[c])}+{say.count(alpha)})/({say.count(totals[c])}+{cells}·{say.count(alpha)})"
        )
        page.formula(f"P(x|{label}) = {text} = {say.fixed(likelihood[c])}")
    for c, label in enumerate(training.classes):
        product = f"{say.fixed(likelihood[c])} · {say.fixed(prior[c])} = {say.fixed(joint[c])}"
        page.formula(f"P(x|{label})·P({label}) = {product}")
    posterior = joint / joint.sum() if joint.sum() > 0 else prior
    best = int(np.argmax(posterior))
    page.text(say("Decision: {label} ({share}).", label=training.classes[best], share=say.percent(posterior[best])))
    page.facts |= {
        "likelihood": dict(zip(training.classes, likelihood.tolist())),
        "joint": dict(zip(training.classes, joint.tolist())),
        "decision": training.classes[best],
    }
