"""The multi-layer perceptron: its layers, the end of the training, and the forward pass of a row in numbers."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from vaglio.document.document import Page
from vaglio.document.notation import fixed, percent
from vaglio.document.training import Training
from vaglio.learners.linear.model.mlp import ACTIVATIONS

# Units of a layer and terms of a sum that are shown: a table of twelve lines and a formula of one line can be read.
_MOST_UNITS = 12
_MOST_TERMS = 8
_FORMULA = {
    "identity": "a(z) = z",
    "logistic": "a(z) = 1/(1 + exp(−z))",
    "tanh": "a(z) = tanh(z)",
    "relu": "a(z) = max(0, z)",
}


def trace_mlp(page: Page, training: Training) -> None:
    """Write the architecture and the training, then the forward pass of a row, layer by layer."""
    say, model, estimator = page.say, training.model, training.estimator
    page.section(say("architecture"))
    page.text(say("mlp_rule"))
    page.formula("z = b + Σ wᵢ·xᵢ")
    page.formula(_FORMULA[model.activation])
    if not model.encoder.as_is:
        page.text(say("encoded"))
    last = len(model.weights) - 1
    lines = [[say("layer_input"), str(model.encoder.width), "", ""]]
    for layer, (weight, bias) in enumerate(zip(model.weights, model.biases)):
        name = say("layer_output") if layer == last else say("layer_hidden", n=layer + 1)
        how = ("logistic" if weight.shape[1] == 1 else "softmax") if layer == last else model.activation
        lines.append([name, str(weight.shape[1]), how, f"{weight.shape[0]}·{weight.shape[1]} + {bias.size}"])
    page.table([say("col_layer"), say("col_units"), say("col_activation"), say("col_weights")], lines)
    total = sum(weight.size + bias.size for weight, bias in zip(model.weights, model.biases))
    page.text(say("mlp_size", n=total))
    page.section(say("training_of"))
    page.text(say("mlp_training", solver=estimator.solver, n=estimator.n_iter_, loss=fixed(estimator.loss_)))
    _loss_curve(page, training)
    page.facts |= {"units": [int(weight.shape[1]) for weight in model.weights], "weights": int(total)}
    if training.row is None:
        page.text(say("no_row"))
        return
    _forward(page, training)


def _loss_curve(page: Page, training: Training) -> None:
    """The mean loss after a few passes, if the solver kept it."""
    curve = getattr(training.estimator, "loss_curve_", None)
    if not curve:
        return
    places = sorted({0, *(int(p) for p in np.geomspace(1, len(curve), 8).round() - 1), len(curve) - 1})
    page.table([page.say("col_pass"), page.say("col_loss")], [[str(i + 1), fixed(curve[i])] for i in places])


def _forward(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    assert training.row is not None
    x = np.asarray(model.encoder.transform(training.row))[0]
    page.section(say("forward"))
    page.table(
        [say("col_column"), "x"], [[n, fixed(v)] for n, v in zip(model.encoder.names, x)], most=training.most_steps
    )
    last = len(model.weights) - 1
    for layer, (weight, bias) in enumerate(zip(model.weights, model.biases)):
        page.section(say("layer_output") if layer == last else say("layer_hidden", n=layer + 1), level=2)
        z = x @ weight + bias
        _first_sum(page, x, weight[:, 0], float(bias[0]), float(z[0]))
        if layer == last:
            _output(page, training, z)
            return
        x = ACTIVATIONS[model.activation](z)
        lines = [[str(u + 1), fixed(z[u]), fixed(x[u])] for u in range(len(z))]
        page.table([say("col_unit"), "z", "a(z)"], lines, most=_MOST_UNITS)


def _first_sum(page: Page, x: np.ndarray, weight: np.ndarray, bias: float, z: float) -> None:
    """The sum of the layer's first unit, its largest terms written out."""
    terms = weight * x
    order = np.argsort(-np.abs(terms), kind="stable")
    shown = [f"{fixed(weight[i])}·{fixed(x[i])}" for i in order[:_MOST_TERMS] if terms[i] != 0]
    more = " + …" if int((terms != 0).sum()) > _MOST_TERMS else ""
    line = " + ".join([fixed(bias), *shown]).replace("+ −", "− ")
    page.formula(f"z₁ = {line}{more} = {fixed(z)}")


def _output(page: Page, training: Training, z: np.ndarray) -> None:
    say, classes = page.say, training.classes
    if len(z) == 1:
        shares = np.array([expit(-z[0]), expit(z[0])])
        page.formula(f"P({classes[1]}|x) = 1/(1 + exp(−({fixed(z[0])}))) = {percent(shares[1])}")
    else:
        shares = softmax(z)
        lines = [[label, fixed(value), percent(share)] for label, value, share in zip(classes, z, shares)]
        page.table([say("class"), "z", "exp(z)/Σ exp(z)"], lines, chosen=[int(np.argmax(shares))])
    best = int(np.argmax(shares))
    page.text(say("decision_is", label=classes[best], share=percent(shares[best])))
    page.facts |= {"posterior": dict(zip(classes, shares.tolist())), "decision": classes[best]}
