"""Gaussian densities: means and covariances, one or several Gaussians per class, and the density of a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import count, figures, fixed, percent
from vaglio.document.training import Training
from vaglio.learners.bayes.trace.frequencies import write_frequencies
from vaglio.learners.bayes.trace.product import Factor, write_priors, write_product
from vaglio.messages.numbers import short_number

# A larger covariance matrix does not fit a page: only its standard deviations are shown.
_MOST_SHOWN = 6


def trace_gaussian_map(page: Page, training: Training) -> None:
    """Write the Gaussian of each class, and every term of the discriminant for a row."""
    say, estimator = page.say, training.estimator
    prior, written = _begin(page, training, "map_rule")
    factors = _others(page, training)
    if training.model.feature.size:
        page.section(say("gaussians"))
        page.text(say(f"covariance_{estimator.covariance}"))
        for c, label in enumerate(training.classes):
            page.section(label, level=2)
            _gaussian(page, training, c)
    if training.row is None:
        page.text(say("no_row"))
        return
    present, x = _present(training)
    if present.size:
        factors.append(_discriminants(page, training, present, x))
    write_product(page, training, factors, prior, written)


def trace_gaussian_mixture(page: Page, training: Training) -> None:
    """Write the components of each class and how their number was chosen, then the responsibilities for a row."""
    say, model = page.say, training.model
    prior, written = _begin(page, training, "mixture_rule")
    factors = _others(page, training)
    if model.feature.size:
        page.section(say("the_components"))
        page.text(say("bic_rule"))
        for c, label in enumerate(training.classes):
            page.section(label, level=2)
            _sizes(page, training, c)
            for m in range(model.start[c], model.start[c + 1]):
                page.formula(f"{say('component', n=m - model.start[c] + 1)}: π = {fixed(model.weight[m])}")
                _gaussian(page, training, m)
    page.facts["components"] = dict(zip(training.classes, model.n_components.tolist()))
    if training.row is None:
        page.text(say("no_row"))
        return
    present, x = _present(training)
    if present.size:
        factors.append(_responsibilities(page, training, present, x))
    write_product(page, training, factors, prior, written)


def _begin(page: Page, training: Training, rule: str) -> tuple[np.ndarray, list[str]]:
    page.section(page.say("priors"))
    page.text(page.say(rule))
    return write_priors(page, training, training.estimator.priors is not None)


def _others(page: Page, training: Training) -> list[Factor]:
    """Attributes outside the density: frequencies, as in naive Bayes."""
    group, alpha, factors = training.model.naive.table, float(training.estimator.alpha), list[Factor]()
    if not len(group.feature):
        return factors
    page.section(page.say("likelihoods"))
    page.text(page.say("beside_density"))
    page.text(page.say("nb_smoothing", alpha=count(alpha)))
    for j in sorted(int(j) for j in group.feature):
        page.section(training.features[j].name, level=2)
        factor = write_frequencies(page, training, j, alpha, group)
        factors += [factor] if factor is not None else []
    return factors


def _names(training: Training) -> list[str]:
    return [training.features[int(j)].name for j in training.model.feature]


def _gaussian(page: Page, training: Training, m: int) -> None:
    """Mean and covariance of one Gaussian."""
    model, names = training.model, _names(training)
    deviation = np.sqrt(np.diag(model.covariance[m]))
    if len(names) > _MOST_SHOWN:
        lines = [[name, fixed(mean), fixed(s)] for name, mean, s in zip(names, model.mean[m], deviation)]
        page.table([page.say("col_attribute"), "μ", "σ"], lines)
        return
    lines = [
        [name, fixed(mean), *(fixed(value) for value in line)]
        for name, mean, line in zip(names, model.mean[m], model.covariance[m])
    ]
    page.table([page.say("col_attribute"), "μ", *(f"Cov(·, {name})" for name in names)], lines)


def _present(training: Training) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the density that are known in the row, and their values."""
    assert training.row is not None
    values = training.row.numeric[0, training.matrix.position[training.model.feature]]
    present = np.flatnonzero(~np.isnan(values))
    return present, values[present]


def _log_density(model: Any, m: int, present: np.ndarray, x: np.ndarray) -> tuple[float, float, float]:
    """Squared Mahalanobis distance, ln of the determinant, ln of the density; missing columns are integrated out."""
    covariance = model.covariance[m][np.ix_(present, present)]
    apart = x - model.mean[m][present]
    square = float(apart @ np.linalg.solve(covariance, apart))
    determinant = float(np.linalg.slogdet(covariance)[1])
    return square, determinant, -0.5 * (square + determinant + len(x) * np.log(2 * np.pi))


def _vector(training: Training, present: np.ndarray, x: np.ndarray) -> str:
    names = _names(training)
    return ", ".join(f"{names[p]} = {short_number(float(v))}" for p, v in zip(present, x))


def _discriminants(page: Page, training: Training, present: np.ndarray, x: np.ndarray) -> Factor:
    say, model = page.say, training.model
    page.section(say("discriminant"))
    page.text(say("row_is", row=_vector(training, present, x)))
    page.formula("ln P(x|c) = −½·(x − μ)ᵀ·Cov⁻¹·(x − μ) − ½·ln det Cov − (D/2)·ln(2π)")
    if len(present) < len(model.feature):
        page.text(say("integrated_out"))
    terms = [_log_density(model, c, present, x) for c in range(len(training.classes))]
    constant = -0.5 * len(x) * np.log(2 * np.pi)
    lines = [
        [label, fixed(square), fixed(-0.5 * square), fixed(-0.5 * determinant), fixed(constant), fixed(total)]
        for label, (square, determinant, total) in zip(training.classes, terms)
    ]
    head = [say("class"), "d²", "−½·d²", "−½·ln det Cov", "−(D/2)·ln(2π)", "ln P(x|c)"]
    page.table(head, lines, say("mahalanobis"))
    return _as_factor(training, present, np.array([total for _, _, total in terms]))


def _responsibilities(page: Page, training: Training, present: np.ndarray, x: np.ndarray) -> Factor:
    """The share of each component in the density of its class at the row."""
    say, model = page.say, training.model
    page.section(say("responsibilities"))
    page.text(say("row_is", row=_vector(training, present, x)))
    page.formula("P(x|c) = Σ πₖ·N(x; μₖ, Covₖ)")
    if len(present) < len(model.feature):
        page.text(say("integrated_out"))
    lines, logarithm = [], []
    for c, label in enumerate(training.classes):
        parts = []
        for m in range(model.start[c], model.start[c + 1]):
            parts.append(np.log(model.weight[m]) + _log_density(model, m, present, x)[2])
        whole = float(np.logaddexp.reduce(parts))
        logarithm.append(whole)
        for k, part in enumerate(parts):
            m = int(model.start[c]) + k
            density = np.exp(part - np.log(model.weight[m]))
            lines.append([label, str(k + 1), fixed(model.weight[m]), figures(density), figures(np.exp(part))])
            lines[-1].append(percent(np.exp(part - whole)))
    head = [say("class"), say("col_component"), "π", "N(x; μ, Cov)", "π·N", say("col_responsibility")]
    page.table(head, lines)
    return _as_factor(training, present, np.array(logarithm))


def _as_factor(training: Training, present: np.ndarray, logarithm: np.ndarray) -> Factor:
    names = _names(training)
    values = np.exp(logarithm)
    return Factor(", ".join(names[p] for p in present), tuple(map(figures, values)), values, logarithm)


def _sizes(page: Page, training: Training, c: int) -> None:
    """The information criterion of every number of components that was tried."""
    bic = training.estimator.bic_[c]
    if not len(bic):
        page.text(page.say("one_component"))
        return
    lines = [[str(size), fixed(value)] for size, value in enumerate(bic, start=1)]
    page.table([page.say("components"), "BIC"], lines, chosen=[int(np.argmin(bic))])
