"""Chapter 4: what the chosen model has learned, as data for pictures; one file per family of models."""

from vaglio.report.inside._chapter import chapters, inside_chapter

__all__ = ["chapters", "inside_chapter"]
