"""What differs by kind of model: the family of a kind says which function explains it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.model.families import Lookup

if TYPE_CHECKING:  # only named in types: the modules below import this one
    import numpy as np

    from vaglio.encode import EncodedMatrix
    from vaglio.explanation.context import Context
    from vaglio.explanation.counterfactual.strategy import Found, Question
    from vaglio.explanation.explanation import Explanation

__all__ = ["changes", "cuts", "explainers", "leaves"]

# Why each row got its class. Every kind needs one.
explainers: Lookup[Callable[[Any, EncodedMatrix, Context], list[Explanation]]] = Lookup(lambda family: family.explain)

# The smallest change that gives a row another class, where the structure of the model shows a way that is better or
# faster than the search that serves every kind.
changes: Lookup[Callable[[Question, np.ndarray], Found]] = Lookup(lambda family: family.counterfactual)

# The numbers at which a model made of thresholds changes its decision, by feature.
cuts: Lookup[Callable[[Any, Context], dict[int, Sequence[float]]]] = Lookup(lambda family: family.cuts)

# The leaf of each row in each tree, (n, trees), and the weight of each tree; None of a model that is not made of trees.
leaves: Lookup[Callable[[Any, EncodedMatrix], tuple[np.ndarray, np.ndarray] | None]] = Lookup(
    lambda family: family.leaves
)
