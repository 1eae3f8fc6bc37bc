"""The computation of the means."""

from __future__ import annotations

from vaglio.document.document import Page
from vaglio.document.training import Training


def trace_mean(page: Page, training: Training) -> None:
    page.section(page.say("distances"))
    page.table(["class", "mean"], zip(training.classes, training.model.mean.round(2).tolist()))
    page.facts["means"] = training.model.mean.tolist()
