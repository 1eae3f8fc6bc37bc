"""The means in the report."""

from __future__ import annotations

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted


def mean_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    return ["A row gets the class whose mean is nearest."], []
