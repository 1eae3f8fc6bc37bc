"""Chapter 4: what the chosen model learnt, as data for pictures; one file a family of models."""

from vaglio.report.inside._chapter import inside_chapter

__all__ = ["inside_chapter"]
