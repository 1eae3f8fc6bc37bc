"""MAP with one table per class over all combinations of values: the cell of a row, its likelihoods, the decision."""

from __future__ import annotations

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import count, fixed, fraction, percent
from vaglio.document.training import Training
from vaglio.errors import InputError


def trace_joint_bayes(page: Page, training: Training) -> None:
    """Write the combinations that occur, and the likelihood and decision for a row."""
    say, model = page.say, training.model
    alpha, bins = float(training.estimator.alpha), model.bins
    cells = bins.cells(training.matrix)
    n_cells = model.n_cells
    page.section(say("joint_table"))
    page.text(say("joint_rule", cells=n_cells, alpha=count(alpha)))
    complete = (cells >= 0).all(axis=1)
    seen, where = np.unique(cells[complete], axis=0, return_inverse=True)
    table = np.zeros((len(seen), len(training.classes)))
    np.add.at(table, (where.ravel(), training.y[complete]), training.weight[complete])
    totals = table.sum(axis=0)
    asked = None if training.row is None else bins.cells(training.row)[0]
    if asked is not None and (asked < 0).any():
        raise InputError("The row has a missing or unknown value: a joint table has a cell only for complete rows.")
    here = [] if asked is None else np.flatnonzero((seen == asked).all(axis=1)).tolist()
    rows = [
        [*(bins.label(j, int(cell)) for j, cell in enumerate(combination)), *map(count, line)]
        for combination, line in zip(seen, table)
    ]
    names = [feature.name for feature in training.features]
    page.table([*names, *training.classes], rows, chosen=here, most=training.most_steps)
    if asked is None:
        page.text(say("no_row"))
        return
    _decide(page, training, table[here[0]] if here else np.zeros(len(totals)), totals, alpha, n_cells)


def _decide(page: Page, training: Training, cell: np.ndarray, totals: np.ndarray, alpha: float, cells: int) -> None:
    say, prior = page.say, np.asarray(training.model.prior)
    page.section(say("the_row"))
    page.text(say("row_is", row=", ".join(training.value(j, 0, training.row) for j in range(len(training.features)))))
    likelihood = np.divide(
        cell + alpha, totals + alpha * cells, out=np.full(len(cell), 1 / cells), where=totals + alpha * cells > 0
    )
    joint = likelihood * prior
    for c, label in enumerate(training.classes):
        plain = fraction(cell[c], totals[c])
        text = plain if alpha == 0 else f"({count(cell[c])}+{count(alpha)})/({count(totals[c])}+{cells}·{count(alpha)})"
        page.formula(f"P(x|{label}) = {text} = {fixed(likelihood[c])}")
    for c, label in enumerate(training.classes):
        product = f"{fixed(likelihood[c])} · {fixed(prior[c])} = {fixed(joint[c])}"
        page.formula(f"P(x|{label})·P({label}) = {product}")
    posterior = joint / joint.sum() if joint.sum() > 0 else prior
    best = int(np.argmax(posterior))
    page.text(say("decision_is", label=training.classes[best], share=percent(posterior[best])))
    page.facts |= {
        "likelihood": dict(zip(training.classes, likelihood.tolist())),
        "joint": dict(zip(training.classes, joint.tolist())),
        "decision": training.classes[best],
    }
