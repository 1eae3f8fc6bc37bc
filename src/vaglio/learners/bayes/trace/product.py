"""What all Bayes traces share: priors, the product of the likelihoods of a row, its normalisation, its logarithms."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import figures, fixed, fraction, minus, percent
from vaglio.document.training import Training, value_text
from vaglio.learners.bayes.explain.evidence import in_figures

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
        page.formula(f"P({label}) = {fixed(p) if given else f'{fraction(n, sizes.sum())} = {fixed(p)}'}")
    return prior, [fixed(p) if given else fraction(n, sizes.sum()) for n, p in zip(sizes, prior)]


def write_product(page: Page, training: Training, factors: list[Factor], prior: np.ndarray, written: list[str]) -> None:
    """Multiply the factors of the row and the prior of each class, and make the products add up to 1."""
    say, classes = page.say, training.classes
    assert training.row is not None
    page.section(say("the_row"))
    row = ", ".join(f"{f.name} = {value_text(training.row, j, 0)}" for j, f in enumerate(training.features))
    page.text(say("row_is", row=row))
    with np.errstate(divide="ignore"):
        total = np.log(prior) + sum((factor.logarithm for factor in factors), np.zeros(len(prior)))
    joint = np.exp(total)
    shown = _written(total)
    for c, label in enumerate(classes):
        if len(factors) <= _MOST_FACTORS:
            terms = [*(factor.written[c] for factor in factors), written[c]]
            page.formula(f"P(x|{label})·P({label}) = {' · '.join(terms)} = {shown[c]}")
        else:
            page.formula(f"P(x|{label})·P({label}) = {shown[c]}")
    posterior = _normalised(page, training, total, prior, shown)
    best = int(np.argmax(posterior))
    page.text(say("decision_is", label=classes[best], share=percent(posterior[best])))
    _logarithms(page, training, factors, prior, total)
    page.facts |= {
        "joint": dict(zip(classes, joint.tolist())),
        "posterior": dict(zip(classes, posterior.tolist())),
        "decision": classes[best],
        "factors": [{"name": f.name, "written": list(f.written), "values": f.values.tolist()} for f in factors],
    }


def _written(logarithms: np.ndarray) -> list[str]:
    """Products by their logarithms: four decimals, or three digits where four decimals would leave too few."""
    numbers = np.exp(logarithms)
    positive = numbers[~np.isneginf(logarithms)]
    if not positive.size or positive.min() >= _LEAST:
        return [fixed(number) if number else "0" for number in numbers]
    # A product too small for a float is written from its logarithm.
    return [figures(v) if v > 1e-290 or np.isneginf(t) else minus(in_figures(t)) for t, v in zip(logarithms, numbers)]


def _normalised(page: Page, training: Training, total: np.ndarray, prior: np.ndarray, shown: list[str]) -> np.ndarray:
    if np.isneginf(total).all():
        page.text(page.say("all_ruled_out"))
        return prior
    posterior: np.ndarray = np.exp(total - total.max())
    posterior /= posterior.sum()
    for label, value, share in zip(training.classes, shown, posterior):
        page.formula(f"P({label}|x) = {value} / ({' + '.join(shown)}) = {percent(share)}")
    return posterior


def _logarithms(page: Page, training: Training, factors: list[Factor], prior: np.ndarray, total: np.ndarray) -> None:
    page.section(page.say("logarithms"), level=2)
    page.text(page.say("log_rule"))
    with np.errstate(divide="ignore"):
        rows = [["P(c)", *map(fixed, np.log(prior))]]
    rows += [[factor.name, *map(fixed, factor.logarithm)] for factor in factors]
    rows.append(["Σ", *map(fixed, total)])
    page.table([page.say("col_term"), *training.classes], rows, chosen=[len(rows) - 1])
