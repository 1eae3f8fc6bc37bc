"""A support vector machine: how many support vectors it keeps per class, and its weights where the kernel is linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.linear.chapter import MOST_CLASSES, bars_of, labels_of
from vaglio.messages.message import join, text
from vaglio.messages.sentences import clip


def svm_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    if fitted.classes is None:
        return _of_number(model, limits)
    labels = [clip(label, 40) for label in labels_of(fitted)]
    said = []
    if len(model.vectors):
        per_class = np.diff(model.class_starts)
        counted = [
            text("{n:,} of {label}", n=n, label=label) for label, n in zip(labels[:MOST_CLASSES], per_class.tolist())
        ]
        said.append(
            text(
                "The decision depends on {n:,} support {n:vector|vectors} ({classes}).",
                n=len(model.vectors),
                classes=join(", ", counted),
            )
        )
    if model.coef is None or model.phi is not None or len(model.coef) != 1:
        said.append(text("The kernel is {kernel}, which has no weight per column.", kernel=model.kernel.name))
        return said, []
    return said, [bars_of(model.encoder.names, model.coef[0], text("Weights for {label}", label=labels[1]), limits)]


def _of_number(model: Any, limits: ChapterLimits) -> Chapter:
    said = [text("The prediction depends on {n:,} support {n:vector|vectors}.", n=len(model.support))]
    if model.coef is None:
        return [*said, text("The kernel is {kernel}, which has no weight per column.", kernel=model.kernel.name)], []
    return said, [bars_of(model.encoder.names, model.coef[0], text("Weights"), limits, float(model.intercept[0]))]
