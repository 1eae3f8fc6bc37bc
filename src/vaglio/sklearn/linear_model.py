"""The names of ``sklearn.linear_model``."""

from __future__ import annotations

from vaglio.sklearn._forward import forward

# What is vaglio's; every other name is scikit-learn's.
OWN: tuple[str, ...] = ()

__all__, __getattr__, __dir__ = forward(__name__, OWN)
