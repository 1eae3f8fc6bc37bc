"""The inner loops of vaglio. Keep in step with bindings/: a test compares the two."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

def allowed_threads() -> int: ...
def nearest_neighbors(
    numeric: np.ndarray,
    codes: np.ndarray,
    query_numeric: np.ndarray,
    query_codes: np.ndarray,
    *,
    k: int,
    metric: str = "euclidean",
    power: float = 2.0,
    mismatch: float = 1.0,
    missing: float = 1.0,
    missing_nominal: float = 1.0,
    exclude_self: bool = False,
    search: str = "auto",
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]: ...
def rank_columns(
    X: np.ndarray, n_threads: int = 1, progress: Callable[[int, int], None] | None = None
) -> tuple[np.ndarray, list[np.ndarray]]: ...

class TreeTable:
    # nominal[f] says in which block feature f is, column[f] where in it.
    def __init__(
        self,
        ranks: np.ndarray,
        values: Sequence[np.ndarray],
        codes: np.ndarray,
        n_categories: np.ndarray,
        nominal: np.ndarray,
        column: np.ndarray,
    ) -> None: ...

def grow_tree(
    table: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    multiplicity: np.ndarray | None = None,
    config: dict[str, Any] = ...,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...
def prune_error_based(
    tree: dict[str, np.ndarray],
    table: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    confidence: float = 0.25,
    subtree_raising: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...

class TreePredictor:
    def __init__(
        self, tree: dict[str, np.ndarray], nominal: np.ndarray, column: np.ndarray, n_categories: np.ndarray
    ) -> None: ...
    def apply(self, numeric: np.ndarray, codes: np.ndarray, n_threads: int = 1) -> np.ndarray: ...
    def predict(
        self, numeric: np.ndarray, codes: np.ndarray, leaf_values: np.ndarray, n_threads: int = 1
    ) -> np.ndarray: ...
    def decision_path(
        self, numeric: np.ndarray, codes: np.ndarray, n_threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]: ...
