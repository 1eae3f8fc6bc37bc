"""The functions of this room that differ by kind of model; each is registered in the module of its family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.model.base import Dispatch

if TYPE_CHECKING:  # only named in types: the modules below import this one
    import numpy as np

    from vaglio.encode import EncodedMatrix
    from vaglio.explanation._context import Context
    from vaglio.explanation._explanation import Explanation
    from vaglio.explanation.counterfactual.strategy import Found, Question

__all__ = ["changes", "cuts", "explainers", "leaves"]

# The package whose modules, one per family, register the functions.
_ROOM = "vaglio.explanation"

# Why each row got its class. Every kind needs one.
explainers: Dispatch[Callable[[Any, EncodedMatrix, Context], list[Explanation]]] = Dispatch(_ROOM)

# The smallest change that gives a row another class, where the structure of the model shows a way that is better or
# faster than the search that serves every kind.
changes: Dispatch[Callable[[Question, np.ndarray], Found]] = Dispatch(_ROOM)

# The numbers at which a model made of thresholds changes its decision, by feature.
cuts: Dispatch[Callable[[Any, Context], dict[int, Sequence[float]]]] = Dispatch(_ROOM)

# The leaf of each row in each tree, (n, trees), and the weight of each tree; None of a model that is not made of trees.
leaves: Dispatch[Callable[[Any, EncodedMatrix], tuple[np.ndarray, np.ndarray] | None]] = Dispatch(_ROOM)
