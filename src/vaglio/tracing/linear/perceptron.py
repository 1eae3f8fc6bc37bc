"""The updates of the perceptron, one after the other, computed again from the rule w ← w + r·(d − y)·x."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from vaglio.tracing.document import Page
from vaglio.tracing.notation import fixed
from vaglio.tracing.prepare import Training
from vaglio.tracing.tracer import writers

# Output, pass, row, w·x + b, y, d, and the weights after the update.
Update = tuple[int, int, int, float, float, float, np.ndarray]


@writers.register("perceptron")
def trace_perceptron(page: Page, training: Training) -> None:
    """Write every update, the final weights, and the decision for a row."""
    say, estimator, encoder = page.say, training.estimator, training.model.encoder
    page.section(say("data"))
    page.text(say("perceptron_rule", rate=fixed(estimator.eta0)))
    if not encoder.as_is:
        page.text(say("encoded"))
    rows = encoder.transform(training.matrix)
    page.text(say("legend", legend=", ".join(f"w{j} {name}" for j, name in enumerate(encoder.names, start=1))))
    wanted, spoken = targets(training)
    weights, updates = replay(training, rows, wanted)
    for output, label in enumerate(spoken):
        page.section(say("updates_for", label=label))
        mine = [update for update in updates if update[0] == output]
        lines = [
            [str(epoch), str(i + 1), fixed(value), str(int(answer)), str(int(d)), *map(fixed, w)]
            for _, epoch, i, value, answer, d, w in mine
        ]
        head = [say("col_pass"), say("col_row"), "w·x + b", "y", "d", *(f"w{j + 1}" for j in range(rows.shape[1])), "b"]
        page.table(head, lines, most=training.most_steps)
    passes = len(estimator.history_)
    page.section(say("result"))
    page.text(say("perceptron_done" if estimator.converged_ else "perceptron_stopped", n=passes))
    for output, label in enumerate(spoken):
        terms = " + ".join(f"{fixed(w)}·{name}" for w, name in zip(weights[output, :-1], encoder.names))
        page.formula(f"f({label}) = {terms} + {fixed(weights[output, -1])}".replace("+ −", "− "))
    page.facts |= {
        "updates": len(updates),
        "passes": passes,
        "converged": bool(estimator.converged_),
        "weights": weights.tolist(),
    }
    _decide(page, training, weights, spoken)


def targets(training: Training) -> tuple[np.ndarray, list[str]]:
    """The target d of every row for each output, and the class of each output."""
    k = len(training.classes)
    if k == 2:
        return training.y[:, None].astype(float), training.classes[1:]
    return (training.y[:, None] == np.arange(k)).astype(float), training.classes


def replay(training: Training, rows: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, list[Update]]:
    """Pass over the rows as the learner did; return the weights (bias last) and every update."""
    estimator = training.estimator
    random = check_random_state(estimator.random_state)
    shape = (wanted.shape[1], rows.shape[1] + 1)
    weights = random.normal(scale=0.01, size=shape) if estimator.init == "random" else np.zeros(shape)
    updates: list[Update] = []
    for epoch in range(1, len(estimator.history_) + 1):
        order = random.permutation(len(rows)) if estimator.shuffle else np.arange(len(rows))
        for i in order.tolist():
            values = weights[:, :-1] @ rows[i] + weights[:, -1]
            for output in np.flatnonzero(wanted[i] != (values > 0)).tolist():
                answer = float(values[output] > 0)
                step = estimator.eta0 * (wanted[i, output] - answer) * training.weight[i]
                weights[output, :-1] += step * rows[i]
                weights[output, -1] += step * bool(estimator.fit_intercept)
                updates.append((output, epoch, i, values[output], answer, wanted[i, output], weights[output].copy()))
    return weights, updates


def _decide(page: Page, training: Training, weights: np.ndarray, spoken: list[str]) -> None:
    if training.row is None:
        return
    x = training.model.encoder.transform(training.row)[0]
    page.section(page.say("the_row"))
    values = weights[:, :-1] @ x + weights[:, -1]
    for label, value in zip(spoken, values):
        page.formula(f"f({label}) = {fixed(value)}")
    best = int(values[0] > 0) if len(values) == 1 else int(np.argmax(values))
    page.text(page.say("decision_plain", label=training.classes[best]))
    page.facts["decision"] = training.classes[best]
