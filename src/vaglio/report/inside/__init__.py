"""Chapter 4: what the chosen model has learned, as data for pictures; one file per family of models."""

from vaglio.report.inside._chapter import inside_chapter

__all__ = ["inside_chapter"]
