"""Every figure by its name: of a model, a table, a row of predictions, or a formula."""

from vaglio.figures.drawing import FIGURES, draw

__all__ = ["FIGURES", "draw"]
