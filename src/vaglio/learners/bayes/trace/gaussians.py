"""Gaussian densities: means and covariances, one or several Gaussians per class, and the density of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio.document.animation import AnimationContext, Frame, as_regions
from vaglio.document.document import Page
from vaglio.document.training import Training, number_text, say_days
from vaglio.learners.bayes.trace.factors import Factor, write_frequencies, write_priors, write_product
from vaglio.messages.message import text
from vaglio.plot.plane import Marks

# A larger covariance matrix does not fit a page: only its standard deviations are shown.
_MOST_SHOWN = 6
# The probability from which an animation calls a class sure.
_SURE = 0.9
_COVARIANCES = {
    "full": text("Mean and covariance of the rows of each class: μ = Σ x/n, Cov = Σ (x − μ)·(x − μ)ᵀ/n."),
    "diagonal": text("Mean and variances of the rows of each class; the covariances are set to 0."),
    "tied": text("The mean of each class, and one covariance for all classes: the discriminant is linear."),
    "shrunk": text("Mean and covariance of the rows of each class; the covariance is shrunk towards its diagonal."),
}


def trace_gaussian_map(page: Page, training: Training) -> None:
    """Write the Gaussian of each class, and every term of the discriminant for a row."""
    say, estimator = page.say, training.estimator
    prior, written = _begin(
        page,
        training,
        say(
            "P(c|x) is proportional to P(c) times the density of x under the Gaussian of class c, with mean vector μ "
            "and covariance Cov."
        ),
    )
    factors = _others(page, training)
    if training.model.feature.size:
        page.section(say("Gaussians"))
        page.text(say.text(_COVARIANCES[estimator.covariance]))
        for c, label in enumerate(training.classes):
            page.section(label, level=2)
            _gaussian(page, training, c)
    formula = "ln P(x|c) = −½·(x − μ)ᵀ·Cov⁻¹·(x − μ) − ½·ln det Cov − (D/2)·ln(2π)"
    _decide(page, training, factors, prior, written, say("The discriminant"), formula, _discriminants)


def trace_gaussian_mixture(page: Page, training: Training) -> None:
    """Write the components of each class and how their number was chosen, then the responsibilities for a row."""
    say, model = page.say, training.model
    prior, written = _begin(
        page,
        training,
        say(
            "P(c|x) is proportional to P(c) times the density of x under a mixture of Gaussians, one mixture per class."
        ),
    )
    factors = _others(page, training)
    if model.feature.size:
        page.section(say("Components"))
        page.text(
            say(
                "For each class, mixtures of 1, 2, … components are fitted by expectation maximisation (EM). The "
                "mixture with the smallest Bayesian information criterion is chosen: BIC = −2·ln L + p·ln n, for "
                "p parameters."
            )
        )
        for c, label in enumerate(training.classes):
            page.section(label, level=2)
            bic = training.estimator.bic_[c]
            if len(bic):
                lines = [[str(size), say.fixed(value)] for size, value in enumerate(bic, start=1)]
                page.table([say("components"), "BIC"], lines, chosen=[int(np.argmin(bic))])
            else:
                page.text(say("There are too few rows to compare mixtures: one component is used."))
            for m in range(model.start[c], model.start[c + 1]):
                page.formula(f"{say('component {n}', n=m - model.start[c] + 1)}: π = {say.fixed(model.weight[m])}")
                _gaussian(page, training, m)
    page.facts["components"] = dict(zip(training.classes, model.n_components.tolist()))
    formula = "P(x|c) = Σ πₖ·N(x; μₖ, Covₖ)"
    _decide(page, training, factors, prior, written, say("Responsibilities"), formula, _responsibilities)


def _begin(page: Page, training: Training, rule: str) -> tuple[np.ndarray, list[str]]:
    page.section(page.say("Prior probabilities"))
    page.text(rule)
    return write_priors(page, training, training.estimator.priors is not None)


def _others(page: Page, training: Training) -> list[Factor]:
    """Attributes outside the density: frequencies, as in naive Bayes."""
    group, alpha, factors = training.model.naive.table, float(training.estimator.alpha), list[Factor]()
    if not len(group.feature):
        return factors
    page.section(page.say("Likelihoods"))
    page.text(
        page.say(
            "Attributes that are not continuous are not part of the density. They are assumed to be "
            "independent of it given the class."
        )
    )
    page.text(
        page.say(
            "A frequency is (n(v,c) + α)/(n(c) + α·V), where α = {alpha} and V is the number of values of the"
            " attribute.",
            alpha=page.say.count(alpha),
        )
    )
    for j in sorted(int(j) for j in group.feature):
        page.section(training.features[j].name, level=2)
        factor = write_frequencies(page, training, j, alpha, group)
        factors += [factor] if factor is not None else []
    return factors


def _gaussian(page: Page, training: Training, m: int) -> None:
    """Mean and covariance of one Gaussian."""
    model = training.model
    names = [training.features[int(j)].name for j in model.feature]
    deviation = np.sqrt(np.diag(model.covariance[m]))
    if len(names) > _MOST_SHOWN:
        lines = [
            [name, page.say.fixed(mean), page.say.fixed(s)] for name, mean, s in zip(names, model.mean[m], deviation)
        ]
        page.table([page.say("attribute"), "μ", "σ"], lines)
        return
    lines = [
        [name, page.say.fixed(mean), *(page.say.fixed(value) for value in line)]
        for name, mean, line in zip(names, model.mean[m], model.covariance[m])
    ]
    page.table([page.say("attribute"), "μ", *(f"Cov(·, {name})" for name in names)], lines)


def _decide(
    page: Page,
    training: Training,
    factors: list[Factor],
    prior: np.ndarray,
    written: list[str],
    title: str,
    formula: str,
    log_densities: Callable[[Page, Training, np.ndarray, np.ndarray], np.ndarray],
) -> None:
    """Write the density of the row in each class, by the columns that are known in it, and the product."""
    say, model = page.say, training.model
    if training.row is None:
        page.text(say("Give a row to see how it is classified."))
        return
    values = training.row.numeric[0, training.matrix.position[model.feature]]
    present = np.flatnonzero(~np.isnan(values))
    if present.size:
        features = [training.features[int(j)] for j in model.feature[present]]
        x = values[present]
        page.section(title)
        given = (f"{known.name} = {number_text(say, known, v)}" for known, v in zip(features, x.tolist()))
        page.text(f"x = ({say.series(given)})")
        say_days(page, features, x.tolist())
        page.formula(formula)
        if len(present) < len(model.feature):
            page.text(
                say("Missing numbers are integrated out: only the means and covariances of the known numbers are used.")
            )
        logarithm = log_densities(page, training, present, x)
        density = np.exp(logarithm)
        said = ", ".join(known.name for known in features)
        factors.append(Factor(said, tuple(map(say.figures, density)), density, logarithm))
    write_product(page, training, factors, prior, written)


def _log_density(model: Any, m: int, present: np.ndarray, x: np.ndarray) -> tuple[float, float, float]:
    """Squared Mahalanobis distance, ln of the determinant, ln of the density; missing columns are integrated out."""
    covariance = model.covariance[m][np.ix_(present, present)]
    apart = x - model.mean[m][present]
    square = float(apart @ np.linalg.solve(covariance, apart))
    determinant = float(np.linalg.slogdet(covariance)[1])
    return square, determinant, -0.5 * (square + determinant + len(x) * np.log(2 * np.pi))


def _discriminants(page: Page, training: Training, present: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The terms of the discriminant of each class."""
    say, model = page.say, training.model
    terms = [_log_density(model, c, present, x) for c in range(len(training.classes))]
    constant = -0.5 * len(x) * np.log(2 * np.pi)
    lines = [
        [
            label,
            say.fixed(square),
            say.fixed(-0.5 * square),
            say.fixed(-0.5 * determinant),
            say.fixed(constant),
            say.fixed(total),
        ]
        for label, (square, determinant, total) in zip(training.classes, terms)
    ]
    head = [say("class"), "d²", "−½·d²", "−½·ln det Cov", "−(D/2)·ln(2π)", "ln P(x|c)"]
    page.table(head, lines, say("d² is the squared Mahalanobis distance"))
    return np.array([total for _, _, total in terms])


def _responsibilities(page: Page, training: Training, present: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The share of each component in the density of its class at the row."""
    say, model = page.say, training.model
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
            lines.append(
                [label, str(k + 1), say.fixed(model.weight[m]), say.figures(density), say.figures(np.exp(part))]
            )
            lines[-1].append(say.percent(np.exp(part - whole)))
    head = [say("class"), say("component"), "π", "N(x; μ, Cov)", "π·N", say("responsibility")]
    page.table(head, lines)
    return np.array(logarithm)


def animate_bayes(context: AnimationContext) -> list[Frame]:
    """Make one picture per class, with the line where its probability is nine tenths."""
    from contourpy import contour_generator

    plane = context.plane
    if plane is None:
        return []
    grid = context.like_source(plane.grid)
    shares, regions = context.estimator.predict_proba(grid), as_regions(context, context.estimator.predict(grid))
    frames = []
    for code, label in enumerate(plane.classes):
        values = shares[:, code].reshape(len(plane.y), len(plane.x))
        lines = contour_generator(plane.x, plane.y, values).lines(_SURE)
        marks = Marks(regions, tuple(("boundary", np.asarray(line)) for line in lines))
        frames.append(
            Frame(context.say("Beyond the line, P({label}) is above {share:.0%}", label=label, share=_SURE), marks)
        )
    return frames
