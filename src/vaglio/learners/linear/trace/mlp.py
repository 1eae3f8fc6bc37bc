"""The multi-layer perceptron: its layers, the end of the training, and the forward pass of a row in numbers."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.learners.linear.model import ACTIVATIONS

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
    page.section(say("Architecture"))
    page.text(
        say(
            "A unit computes the weighted sum of its inputs. Hidden units apply an activation function to the"
            " sum. The output is turned into probabilities."
        )
    )
    page.formula("z = b + Σ wᵢ·xᵢ")
    page.formula(_FORMULA[model.activation])
    if not model.encoder.as_is:
        page.text(
            say(
                "Numbers are standardised, and every category becomes a column of 0 and 1. The weights belong to "
                "these columns."
            )
        )
    last = len(model.weights) - 1
    lines = [[say("input"), str(model.encoder.width), "", ""]]
    for layer, (weight, bias) in enumerate(zip(model.weights, model.biases)):
        name = say("output") if layer == last else say("hidden layer {n}", n=layer + 1)
        how = ("logistic" if weight.shape[1] == 1 else "softmax") if layer == last else model.activation
        lines.append([name, str(weight.shape[1]), how, f"{weight.shape[0]}·{weight.shape[1]} + {bias.size}"])
    page.table([say("layer"), say("units"), say("activation"), say("weights")], lines)
    total = sum(weight.size + bias.size for weight, bias in zip(model.weights, model.biases))
    page.text(say("{n:,} weights in total.", n=total))
    page.section(say("Training"))
    page.text(
        say(
            "The weights were found with the gradient method {solver} in {n:,} {n:pass|passes}. The final "
            "loss is {loss}. There are too many steps to show.",
            solver=estimator.solver,
            n=estimator.n_iter_,
            loss=say.fixed(estimator.loss_),
        )
    )
    curve = getattr(estimator, "loss_curve_", None)  # where the solver kept it
    if curve:
        places = sorted({0, *(int(p) for p in np.geomspace(1, len(curve), 8).round() - 1), len(curve) - 1})
        page.table([say("pass"), say("loss")], [[str(i + 1), say.fixed(curve[i])] for i in places])
    page.facts |= {"units": [int(weight.shape[1]) for weight in model.weights], "weights": int(total)}
    if training.row is None:
        page.text(say("Give a row to see how it is classified."))
        return
    _forward(page, training)


def _forward(page: Page, training: Training) -> None:
    say, model = page.say, training.model
    assert training.row is not None
    x = np.asarray(model.encoder.transform(training.row))[0]
    page.section(say("The row, layer by layer"))
    page.table(
        [say("column"), "x"], [[n, say.fixed(v)] for n, v in zip(model.encoder.names, x)], most=training.most_steps
    )
    last = len(model.weights) - 1
    for layer, (weight, bias) in enumerate(zip(model.weights, model.biases)):
        page.section(say("output") if layer == last else say("hidden layer {n}", n=layer + 1), level=2)
        z = x @ weight + bias
        _first_sum(page, x, weight[:, 0], float(bias[0]), float(z[0]))
        if layer == last:
            _output(page, training, z)
            return
        x = ACTIVATIONS[model.activation](z)
        lines = [[str(u + 1), say.fixed(z[u]), say.fixed(x[u])] for u in range(len(z))]
        page.table([say("unit"), "z", "a(z)"], lines, most=_MOST_UNITS)


def _first_sum(page: Page, x: np.ndarray, weight: np.ndarray, bias: float, z: float) -> None:
    """The sum of the layer's first unit, its largest terms written out."""
    terms = weight * x
    order = np.argsort(-np.abs(terms), kind="stable")
    shown = [f"{page.say.fixed(weight[i])}·{page.say.fixed(x[i])}" for i in order[:_MOST_TERMS] if terms[i] != 0]
    more = " + …" if int((terms != 0).sum()) > _MOST_TERMS else ""
    line = " + ".join([page.say.fixed(bias), *shown]).replace("+ −", "− ")
    page.formula(f"z₁ = {line}{more} = {page.say.fixed(z)}")


def _output(page: Page, training: Training, z: np.ndarray) -> None:
    say, classes = page.say, training.classes
    if len(z) == 1:
        shares = np.array([expit(-z[0]), expit(z[0])])
        page.formula(f"P({classes[1]}|x) = 1/(1 + exp(−({say.fixed(z[0])}))) = {say.percent(shares[1])}")
    else:
        shares = softmax(z)
        lines = [[label, say.fixed(value), say.percent(share)] for label, value, share in zip(classes, z, shares)]
        page.table([say("class"), "z", "exp(z)/Σ exp(z)"], lines, chosen=[int(np.argmax(shares))])
    best = int(np.argmax(shares))
    page.text(say("Decision: {label} ({share}).", label=classes[best], share=say.percent(shares[best])))
    page.facts |= {"posterior": dict(zip(classes, shares.tolist())), "decision": classes[best]}
